//! Every sample has an id of its own.

use super::super::entry::Entry;
use super::super::finding::Findings;
use super::super::hash::hash;
use super::Rule;
use std::collections::BTreeSet;

/// The ids so far; memory grows by one hash for each sample.
#[derive(Default)]
pub(super) struct Ids(BTreeSet<u64>);

impl Rule for Ids {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let id = entry.sample.id.as_str();
        if id.trim().is_empty() {
            findings.error("id", entry, "the id is empty");
        } else if !self.0.insert(hash(&[id])) {
            findings.error("id", entry, "another sample has this id; every sample needs one of its own");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{entry, sample};
    use super::super::testing::found;
    use super::*;

    #[test]
    fn an_id_comes_once_and_says_something() {
        let entries = ["a", "b", "a", " "].map(|id| entry(sample(id, "ST_Perfect")));
        let found = found(Ids::default(), &entries);
        assert_eq!(found.len(), 2);
        assert!(found[0].contains("another sample") && found[1].contains("empty"), "{found:?}");
    }
}
