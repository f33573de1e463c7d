//! The rules for FunctionChat-Bench: single calls with their lists of tools, turns of dialogs, and call decisions.

mod acceptable;
mod completions;
mod decisions;
mod grammar;
mod history;
mod letters;
mod lists;
mod outputs;
mod particles;
mod prompts;
mod refusals;
mod repeats;
mod roles;
mod slots;
mod values;

use super::super::ground::Ground;
use super::{Rule, candidates, ids, script, texts};
use std::sync::Arc;

/// All of them. The authors' layout does not say how values are said, nor what a question must ask for.
pub(super) fn rules(ground: &Arc<Ground>, is_authors: bool) -> Vec<Box<dyn Rule>> {
    vec![
        Box::new(ids::Ids::default()),
        Box::new(candidates::Candidates),
        Box::new(texts::Texts),
        Box::new(outputs::Outputs),
        Box::new(lists::Lists::default()),
        Box::new(repeats::Repeats::default()),
        Box::new(values::Values::new(ground.clone(), is_authors)),
        Box::new(acceptable::Acceptables),
        Box::new(roles::Roles::default()),
        Box::new(history::History::default()),
        Box::new(grammar::Grammar::default()),
        Box::new(completions::Completions::new(ground.clone())),
        Box::new(slots::Slots::new(ground.clone(), is_authors)),
        Box::new(refusals::Refusals::default()),
        Box::new(decisions::Decisions::new(ground.clone(), is_authors)),
        Box::new(prompts::Prompts::default()),
        Box::new(letters::Letters::new(ground.clone())),
        Box::new(particles::Particles::new(ground.clone())),
        Box::new(script::RightScript::new(ground.clone())),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::super::entry::Entry;
    use super::super::super::finding::Findings;
    use super::super::super::testing::{decision, dialog, entries, single};
    use super::*;

    fn found(samples: Vec<crate::record::Sample>, is_authors: bool) -> Vec<String> {
        let (mut rules, mut findings) =
            (rules(&Ground::load(crate::fixtures::assets(), "en").unwrap(), is_authors), Findings::default());
        let entries: Vec<Entry> = entries(samples);
        for rule in &mut rules {
            for entry in &entries {
                rule.see(entry, &mut findings);
            }
            rule.end(&mut findings);
        }
        let all = findings.rules().flat_map(|(_, _, _, first)| first);
        all.map(|it| format!("{}: {}", it.rule, it.message)).collect()
    }

    #[test]
    fn a_sound_bench_keeps_every_rule() {
        let mut samples: Vec<_> =
            ["exact", "2_random", "2_close"].map(|kind| single(&format!("s/{kind}"), kind)).into();
        samples.extend(dialog());
        samples.extend(["CALL", "REJECT", "SLOT-all", "SLOT-some"].map(decision));
        assert_eq!(found(samples.clone(), false), Vec::<String>::new());
        assert_eq!(found(samples, true), Vec::<String>::new());
    }
}
