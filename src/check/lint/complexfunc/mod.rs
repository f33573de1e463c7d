//! The rules for complex queries, whose calls come in steps with their answers.

mod functions;
mod gold;
mod ids;
mod notes;
mod origins;
mod words;

use super::super::entry::Entry;
use super::super::finding::Findings;
use super::super::ground::Ground;
use super::Rule;
use std::sync::Arc;

/// All of them; samples of other suites are none of their business.
pub(super) struct Complexfunc(Vec<Box<dyn Rule>>);

impl Complexfunc {
    /// The authors' layout says nothing of where arguments come from.
    pub(super) fn new(ground: &Arc<Ground>, is_authors: bool) -> Self {
        let mut rules: Vec<Box<dyn Rule>> =
            vec![Box::new(functions::Functions::new(ground.clone())), Box::new(ids::Ids::new(is_authors))];
        if !is_authors {
            rules.push(Box::new(notes::Notes::new(ground.clone())));
            rules.push(Box::new(origins::Origins));
            rules.push(Box::new(words::Words::new(ground.clone())));
            rules.push(Box::new(gold::RightGold::new(ground.clone())));
        }
        Self(rules)
    }
}

impl Rule for Complexfunc {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        if entry.is_complex() {
            self.0.iter_mut().for_each(|rule| rule.see(entry, findings));
        }
    }

    fn end(&mut self, findings: &mut Findings) {
        self.0.iter_mut().for_each(|rule| rule.end(findings));
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{complex, complex_ground, entry, questions};
    use super::super::testing::found;
    use super::*;
    use crate::record::Expected;

    #[test]
    fn a_sound_bench_keeps_every_rule() {
        assert_eq!(found(Complexfunc::new(&complex_ground(), false), &[entry(complex())]), Vec::<String>::new());
    }

    #[test]
    fn the_authors_rows_need_no_notes_and_other_suites_nothing() {
        let mut sample = complex();
        let Expected::Steps(steps) = &mut sample.expected else { panic!("no steps") };
        for step in steps {
            step.notes.clear();
        }
        sample.id = crate::record::ItemId::root("Inns-0");
        let rules = Complexfunc::new(&complex_ground(), true);
        assert_eq!(found(rules, &[entry(sample), entry(questions("hard"))]), Vec::<String>::new());
    }
}
