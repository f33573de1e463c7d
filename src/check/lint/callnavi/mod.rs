//! The rules for questions that want several calls in order, in CallNavi's manner.

mod answers;
mod apis;
mod counts;
mod coverage;
mod difficulty;
mod ids;
mod names;
mod types;
mod values;

use super::super::entry::Entry;
use super::super::finding::Findings;
use super::super::ground::Ground;
use super::Rule;
use crate::record::SuiteId;
use std::sync::Arc;

/// All of them; samples of other suites are none of their business.
pub(super) struct Callnavi(Vec<Box<dyn Rule>>);

impl Callnavi {
    pub(super) fn new(ground: &Arc<Ground>, is_authors: bool) -> Self {
        let mut rules: Vec<Box<dyn Rule>> = vec![
            Box::new(apis::Apis),
            Box::new(counts::Counts),
            Box::new(names::Names),
            Box::new(types::Types),
            Box::new(difficulty::Difficulties::new(is_authors)),
            Box::new(answers::Answers),
            Box::new(values::Values::new(ground.clone())),
            Box::new(coverage::Coverage::default()),
        ];
        if is_authors {
            rules.push(Box::new(ids::Ids::default()));
        }
        Self(rules)
    }
}

impl Rule for Callnavi {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        if entry.sample.suite == SuiteId::CallNavi {
            self.0.iter_mut().for_each(|rule| rule.see(entry, findings));
        }
    }

    fn end(&mut self, findings: &mut Findings) {
        self.0.iter_mut().for_each(|rule| rule.end(findings));
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{entry, questions, sample};
    use super::super::testing::found;
    use super::*;

    #[test]
    fn sound_questions_break_no_rule() {
        let entries = ["easy", "medium", "hard"].map(|difficulty| entry(questions(difficulty)));
        let rules = Callnavi::new(&Ground::load(crate::fixtures::assets(), "en").unwrap(), false);
        assert_eq!(found(rules, &entries), Vec::<String>::new());
    }

    #[test]
    fn other_suites_are_left_alone() {
        let mut strange = sample("a", "no such difficulty");
        strange.candidates.clear();
        let rules = Callnavi::new(&Ground::load(crate::fixtures::assets(), "en").unwrap(), true);
        assert_eq!(found(rules, &[entry(strange)]), Vec::<String>::new());
    }
}
