//! There are as many objects of parameters as there are calls.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::Rule;
use crate::format::callnavi::Gold;

/// Looks at each question by itself.
pub(super) struct Counts;

impl Rule for Counts {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let Some(gold) = Gold::of(&entry.sample).filter(|gold| !gold.is_even()) else { return };
        let (apis, objects) = (gold.api.len(), gold.parameters.len());
        if apis == 1 && objects == 0 {
            let message =
                "`parameters` is an empty list for one call; expected `[{}]`, which is what a model would say";
            findings.error("empty_parameters", entry, message);
        } else {
            let message = format!("{apis} calls have {objects} objects of parameters; expected one for each call");
            findings.error("counts", entry, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{entry, questions};
    use super::super::super::testing::found;
    use super::*;
    use crate::format::callnavi::PARAMETERS_FACT;

    fn of(difficulty: &str, parameters: &str) -> Vec<String> {
        let mut sample = questions(difficulty);
        sample.provenance.facts.insert(PARAMETERS_FACT.to_owned(), parameters.to_owned());
        found(Counts, &[entry(sample)])
    }

    #[test]
    fn every_call_has_its_parameters() {
        assert!(of("easy", "[]")[0].starts_with("empty_parameters: `parameters` is an empty list"));
        assert_eq!(of("medium", "[{}]"), ["counts: 2 calls have 1 objects of parameters; expected one for each call"]);
        assert_eq!(of("medium", "[{}, {}]"), Vec::<String>::new());
        assert_eq!(found(Counts, &[entry(questions("easy"))]), Vec::<String>::new());
    }
}
