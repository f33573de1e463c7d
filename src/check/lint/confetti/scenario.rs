//! What the scenario asked for is written down: a complexity that is observed as well, and the time that dates refer to.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::super::Rule;
use crate::format::confetti::{COMPLEXITY_FACT, OBSERVED_FACT};
use crate::record::{Complexity, Role};

/// Looks at each item by itself.
pub(super) struct Scenario;

impl Rule for Scenario {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let sample = &entry.sample;
        let fact = |name: &str| sample.provenance.facts.get(name).map(String::as_str).unwrap_or_default();
        let (required, observed) = (fact(COMPLEXITY_FACT), fact(OBSERVED_FACT));
        let mut observed = observed.split(',').map(str::trim).filter(|name| !name.is_empty()).peekable();
        if !Complexity::ALL.into_iter().any(|complexity| complexity.as_str() == required) {
            findings.error("complexity", entry, format!("`{required}` is no complexity"));
        } else if observed.peek().is_some() && !observed.any(|name| name == required) {
            findings.error("complexity", entry, format!("`{required}` is required and not observed"));
        }
        if sample.reference_time.is_none() {
            findings.error("reference_time", entry, "no time is given that dates refer to");
        }
        if sample.messages.first().is_none_or(|message| message.role != Role::System) {
            findings.error("reference_time", entry, "no message of the system states the time");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::entry;
    use super::super::super::testing::found;
    use super::*;
    use crate::format::confetti::testing::call_item;
    use crate::record::Sample;

    fn told(change: impl Fn(&mut Sample)) -> Vec<String> {
        let mut sample = call_item("t/0", 0);
        change(&mut sample);
        found(Scenario, &[entry(sample)])
    }

    fn set(sample: &mut Sample, name: &str, fact: &str) {
        sample.provenance.facts.insert(name.to_owned(), fact.to_owned());
    }

    #[test]
    fn complexities_are_known_and_observed() {
        assert_eq!(told(|_| {}), Vec::<String>::new());
        assert_eq!(told(|sample| set(sample, OBSERVED_FACT, "")), Vec::<String>::new());
        assert_eq!(told(|sample| set(sample, COMPLEXITY_FACT, "HARD")), ["complexity: `HARD` is no complexity"]);
        assert_eq!(
            told(|sample| set(sample, OBSERVED_FACT, "UNDERFILL, CONFIRMATION")),
            ["complexity: `OVERFILL` is required and not observed"]
        );
    }

    #[test]
    fn the_time_is_told() {
        assert_eq!(told(|sample| sample.reference_time = None).len(), 1);
        let told = told(|sample| drop(sample.messages.remove(0)));
        assert_eq!(told, ["reference_time: no message of the system states the time"]);
    }
}
