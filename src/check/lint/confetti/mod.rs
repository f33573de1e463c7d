//! The rules for CONFETTI: calls of conversations, and turns with their dialog acts.

mod acts;
mod forms;
mod offered;
mod paired;
mod scenario;
mod schema;
mod story;

use super::super::ground::Ground;
use super::{Rule, bfcl, ids, names, script, texts};
use std::sync::Arc;

/// All of them. The authors' layout may lack the questions, and says nothing of a scenario.
pub(super) fn rules(ground: &Arc<Ground>, is_authors: bool) -> Vec<Box<dyn Rule>> {
    let mut rules: Vec<Box<dyn Rule>> = vec![
        Box::new(ids::Ids::default()),
        Box::new(bfcl::Bfcl),
        Box::new(names::Names::default()),
        Box::new(offered::Offered),
        Box::new(schema::Schema),
        Box::new(paired::Paired),
        Box::new(story::Story::default()),
        Box::new(acts::Acts),
    ];
    if !is_authors {
        rules.push(Box::new(scenario::Scenario));
        rules.push(Box::new(forms::Forms));
        rules.push(Box::new(texts::Texts));
        rules.push(Box::new(script::RightScript::new(ground.clone())));
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::super::super::finding::{Findings, Severity};
    use super::super::super::testing::entry;
    use super::*;
    use crate::format::confetti::testing::{act_item, call_item};
    use crate::record::Sample;

    fn found(samples: &[Sample]) -> Vec<String> {
        let (mut rules, mut findings) =
            (rules(&Ground::load(crate::fixtures::assets(), "en").unwrap(), false), Findings::default());
        for rule in &mut rules {
            for sample in samples {
                rule.see(&entry(sample.clone()), &mut findings);
            }
            rule.end(&mut findings);
        }
        let errors = findings.rules().filter(|(_, severity, ..)| *severity == Severity::Error);
        errors.flat_map(|(_, _, _, first)| first).map(|it| format!("{}: {}", it.rule, it.message)).collect()
    }

    #[test]
    fn a_sound_conversation_breaks_no_rule() {
        let mut turn = act_item("t/2", &["agent_function_calling", "agent_inform_user"]);
        turn.messages.truncate(4);
        assert_eq!(found(&[call_item("t/0", 0), turn]), Vec::<String>::new());
    }

    #[test]
    fn faults_of_several_rules_come_together() {
        let mut sample = call_item("t/0", 1);
        sample.messages.pop();
        sample.candidates.truncate(1);
        let told = found(&[sample]);
        let has = |rule: &str| told.iter().any(|it| it.starts_with(rule));
        assert!(has("offered") && has("paired") && has("leak"), "{told:?}");
    }
}
