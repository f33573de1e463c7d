//! How many of the APIs that are shown some question asks for.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::super::super::hash::hash;
use super::Rule;
use crate::format::callnavi::domain;
use std::collections::BTreeMap;

/// Every API by the hash of its domain and name, and whether some question asks for it; memory grows with the APIs.
#[derive(Default)]
pub(super) struct Coverage(BTreeMap<u64, bool>);

impl Rule for Coverage {
    fn see(&mut self, entry: &Entry, _: &mut Findings) {
        let domain = domain(&entry.sample);
        for tool in &entry.sample.candidates {
            self.0.entry(hash(&[domain, &tool.name])).or_default();
        }
        for tool in entry.calls().iter().filter_map(|called| entry.candidate(&called.call.name)) {
            self.0.insert(hash(&[domain, &tool.name]), true);
        }
    }

    fn end(&mut self, findings: &mut Findings) {
        for is_used in self.0.values() {
            findings.tally("APIs are asked for by some question", *is_used);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{entry, questions};
    use super::*;

    #[test]
    fn an_api_counts_once_in_each_domain() {
        let (mut rule, mut findings) = (Coverage::default(), Findings::default());
        let mut other = questions("easy");
        other.tags = vec!["domain:hr".to_owned()];
        for sample in [questions("easy"), questions("hard"), other] {
            rule.see(&entry(sample), &mut findings);
        }
        rule.end(&mut findings);
        let (_, tally) = findings.tallies().next().unwrap();
        assert_eq!((tally.right, tally.of), (3, 6));
    }
}
