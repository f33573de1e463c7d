//! What makes a data type what it is stands in the turns that say so, and nowhere else.

use super::super::entry::Entry;
use super::super::finding::Findings;
use super::Rule;

/// The conversation at hand.
#[derive(Default)]
pub(super) struct Markers {
    marked: usize,
    /// The authors list the marked turns of three data types alone.
    is_authors: bool,
}

impl Markers {
    pub(super) fn new(is_authors: bool) -> Self {
        Self { marked: 0, is_authors }
    }
}

impl Rule for Markers {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        external_text(entry, findings);
        if entry.sample.snapshot.is_none() || !entry.has_past() {
            return;
        }
        if entry.turn() == 1 {
            self.marked = 0;
        }
        self.marked += usize::from(entry.is_marked());
        if entry.is_last() {
            self.conversation(entry, findings);
        }
    }
}

impl Markers {
    fn conversation(&self, entry: &Entry, findings: &mut Findings) {
        let (fewest, most) = match entry.sample.data_type.0.as_str() {
            "SO_case1" | "SO_case2" | "mSv" | "IS" => (1, 1),
            "External" => (1, usize::MAX),
            "mQmA" | "sQmA" if !self.is_authors => (1, 1),
            "Based" => (0, 0),
            _ => return,
        };
        if (fewest..=most).contains(&self.marked) {
            return;
        }
        let expected = if most == usize::MAX { "at least 1".to_owned() } else { most.to_string() };
        findings.error("marked", entry, format!("{} turns are marked; expected {expected}", self.marked));
    }
}

/// External text stands in the data types that are named for it, in marked turns.
fn external_text(entry: &Entry, findings: &mut Findings) {
    let there = entry.said().external.is_some();
    let wanted = match entry.sample.data_type.0.as_str() {
        "ST_External" | "ir_ST_External" => true,
        "External" => entry.is_marked(),
        _ => false,
    };
    match (there, wanted) {
        (false, true) => {
            findings.error("external", entry, "the turn points at no external text; expected `EK:` and the text");
        }
        (true, false) => findings.error("external", entry, "there is external text in a turn that should have none"),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{entry, said, sample, snapshots};
    use super::super::testing::found;
    use super::*;

    fn of(data_type: &str, marked: &[usize], is_authors: bool) -> Vec<String> {
        let mut entries = snapshots("c/0", data_type, &["{}", "{}", "{}"]);
        for at in marked {
            let sample = &mut entries[*at].sample;
            sample.snapshot.as_mut().unwrap().marked = Some(true);
            if data_type == "External" {
                sample.messages.last_mut().unwrap().content = Some("as in the note<EK>:Noon.".to_owned());
            }
        }
        found(Markers::new(is_authors), &entries)
    }

    #[test]
    fn a_transformation_sits_in_a_turn() {
        assert_eq!(of("SO_case1", &[], false), ["marked: 0 turns are marked; expected 1"]);
        assert_eq!(of("mSv", &[1, 2], false), ["marked: 2 turns are marked; expected 1"]);
        assert_eq!(of("External", &[], true), ["marked: 0 turns are marked; expected at least 1"]);
        assert_eq!(of("Based", &[1], false), ["marked: 1 turns are marked; expected 0"]);
        assert_eq!(of("mQmA", &[], false), ["marked: 0 turns are marked; expected 1"]);
        for (data_type, marked, is_authors) in
            [("SO_case2", &[2][..], false), ("External", &[1, 2], false), ("mQmA", &[], true), ("mQsA", &[], false)]
        {
            assert_eq!(of(data_type, marked, is_authors), Vec::<String>::new(), "{data_type}");
        }
    }

    #[test]
    fn external_text_stands_where_it_belongs() {
        let with = "EK:Noon.\nquery:at the time in the note";
        assert_eq!(found(Markers::default(), &[entry(said("a", "ST_External", with, "{}"))]), Vec::<String>::new());
        let strange = [entry(sample("a", "ST_External")), entry(said("b", "ST_Perfect", with, "{}"))];
        let found = found(Markers::default(), &strange);
        assert!(found[0].contains("points at no external") && found[1].contains("should have none"), "{found:?}");
    }
}
