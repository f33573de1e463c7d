//! Nothing is asked twice: no query within a list of tools, no dialog, no decision.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::super::super::hash::hash;
use super::Rule;
use crate::format::functionchat::Set;
use crate::locale::Folded;
use crate::record::history;
use std::collections::BTreeMap;

/// What was asked before, as hashes, and where.
#[derive(Default)]
pub(super) struct Repeats(BTreeMap<u64, String>);

impl Rule for Repeats {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        if !entry.is_last() {
            return;
        }
        let (id, kind) = (entry.sample.id.as_str(), entry.sample.data_type.0.as_str());
        let tools = entry.sample.candidates.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>().join(" ");
        let set = Set::of(&entry.sample.data_type);
        let text = Folded::new(&history(&entry.sample.messages)).text();
        // The kind of a dialog's last turn is no matter of what is asked.
        let kind = if set == Set::Dialog { set.as_str() } else { kind };
        let asked = self.0.get(&hash(&[kind, &text]));
        let same = self.0.get(&hash(&[kind, &text, &tools]));
        findings.tally("queries and dialogs are new", asked.is_none());
        match (same, asked) {
            (Some(other), _) => {
                findings.error("duplicate", entry, format!("`{other}` asks the same of the same tools"));
            }
            (None, Some(other)) if set == Set::Singlecall => {
                findings.error("duplicate", entry, format!("`{other}` asks the same in another `{kind}`"));
            }
            (None, Some(other)) => {
                findings.warning("duplicate", entry, format!("`{other}` asks the same of other tools"));
            }
            (None, None) => {}
        }
        for key in [hash(&[kind, &text]), hash(&[kind, &text, &tools])] {
            self.0.entry(key).or_insert_with(|| id.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{decision, dialog, entries, single};
    use super::super::super::testing::found;
    use super::*;
    use crate::record::Sample;

    fn told(samples: Vec<Sample>) -> Vec<String> {
        found(Repeats::default(), &entries(samples))
    }

    #[test]
    fn a_query_comes_once_in_a_list_and_again_in_others() {
        assert_eq!(told(vec![single("a", "exact"), single("a/1", "2_close"), decision("CALL")]), Vec::<String>::new());
        let mut louder = single("b", "exact");
        louder.messages[0].content = louder.messages[0].content.take().map(|text| text.to_uppercase());
        assert_eq!(told(vec![single("a", "exact"), louder]), ["duplicate: `a` asks the same of the same tools"]);
    }

    #[test]
    fn a_decision_with_other_tools_is_only_shown() {
        let mut other = decision("SLOT-all");
        other.candidates.reverse();
        let told = told(vec![decision("SLOT-all"), other]);
        assert_eq!(told, ["duplicate: `find_boat/SLOT-all/0` asks the same of other tools"]);
    }

    #[test]
    fn a_dialog_is_one_thing() {
        assert_eq!(told(dialog()), Vec::<String>::new());
        assert_eq!(told([dialog(), dialog()].concat()), ["duplicate: `dialog/3` asks the same of the same tools"]);
    }
}
