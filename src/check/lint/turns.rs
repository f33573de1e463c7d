//! Labels grow turn by turn as their data type says, and what is merged ends where its base ends.

use super::super::entry::Entry;
use super::super::finding::Findings;
use super::super::hash::hash;
use super::Rule;
use crate::record::{Object, Role};
use std::collections::BTreeMap;

/// The conversation at hand, and hashes of the last labels of base conversations.
#[derive(Default)]
pub(super) struct Turns {
    /// Turns of the conversation at hand that give several values.
    merged: usize,
    /// The question that must come again.
    question: Option<String>,
    ends: BTreeMap<u64, u64>,
}

/// How many parameters a turn adds, and how many values it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step {
    added: usize,
    changed: usize,
    lost: usize,
}

impl Rule for Turns {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let Some(snapshot) = &entry.sample.snapshot else { return };
        if !entry.has_past() {
            let message =
                format!("turn {} does not stand behind turn {}", snapshot.turn, snapshot.turn.saturating_sub(1));
            findings.warning("apart", entry, message);
            return;
        }
        if snapshot.turn == 1 {
            (self.merged, self.question) = (0, None);
        }
        if let (Some(before), Some(call)) = (&entry.before, entry.call()) {
            self.step(entry, Step::between(before, &call.arguments), findings);
        }
        self.question_comes_again(entry, findings);
        if entry.is_last() {
            self.end_of_conversation(entry, findings);
        }
    }
}

impl Turns {
    fn step(&mut self, entry: &Entry, step: Step, findings: &mut Findings) {
        if step.lost > 0 {
            findings.error("cumulative", entry, "the label lost a parameter that was known before");
            return;
        }
        self.merged += usize::from(step.added > 1);
        let marked = entry.is_marked();
        let (sound, expected) = match (entry.sample.data_type.0.as_str(), marked) {
            ("Based" | "mQsA" | "IS" | "External", _) | ("SO_case1" | "SO_case2" | "mSv", false) => {
                (step.added == 1 && step.changed == 0, "one more parameter and no other value")
            }
            ("mQmA" | "sQmA", _) => (step.added >= 1 && step.changed == 0, "more parameters and no other value"),
            // The value that is taken back may be the one just given.
            ("SO_case1", true) => (step.added == 1 && step.changed <= 1, "one more parameter and one other value"),
            ("SO_case2" | "mSv", true) => (step.added == 0 && step.changed == 1, "one other value"),
            _ => return,
        };
        if !sound {
            let Step { added, changed, .. } = step;
            let message = format!("the turn adds {added} parameters and changes {changed} values; expected {expected}");
            findings.error("growth", entry, message);
        }
    }

    /// After a value is taken back in place of an answer, the same question is asked again.
    fn question_comes_again(&mut self, entry: &Entry, findings: &mut Findings) {
        let asked = asked(entry);
        if let Some(question) = self.question.take() {
            if asked != Some(question.as_str()) {
                findings.error("question_again", entry, format!("expected the question `{question}` again"));
            }
        }
        if entry.sample.data_type.0 == "SO_case2" && entry.is_marked() {
            self.question = asked.map(str::to_owned);
        }
    }

    fn end_of_conversation(&mut self, entry: &Entry, findings: &mut Findings) {
        let (Some(snapshot), Some(call)) = (&entry.sample.snapshot, entry.call()) else { return };
        let data_type = entry.sample.data_type.0.as_str();
        let end = hash(&[&sorted(&call.arguments)]);
        match (data_type, &entry.sample.base) {
            ("Based", _) => {
                self.ends.insert(hash(&[snapshot.conversation.as_str()]), end);
            }
            ("mQmA" | "mQsA" | "sQmA", Some(base))
                if self.ends.get(&hash(&[base.as_str()])).is_some_and(|known| *known != end) =>
            {
                findings.error("end", entry, format!("the last label is not that of its base `{base}`"));
            }
            _ => {}
        }
        if matches!(data_type, "mQmA" | "sQmA") && self.merged != 1 {
            let message = format!("{} turns give several values; expected one", self.merged);
            findings.error("growth", entry, message);
        }
    }
}

impl Step {
    fn between(before: &Object, after: &Object) -> Self {
        let changed = |(name, value): (&String, _)| before.get(name).is_some_and(|known| known != value);
        Self {
            added: after.keys().filter(|name| !before.contains_key(*name)).count(),
            changed: after.iter().filter(|pair| changed(*pair)).count(),
            lost: before.keys().filter(|name| !after.contains_key(*name)).count(),
        }
    }
}

/// What the assistant said last.
fn asked(entry: &Entry) -> Option<&str> {
    let said = entry.sample.messages.iter().rev().find(|message| message.role == Role::Assistant);
    said.and_then(|message| message.content.as_deref())
}

fn sorted(arguments: &Object) -> String {
    let arguments: BTreeMap<_, _> = arguments.iter().collect();
    serde_json::to_string(&arguments).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::snapshots;
    use super::super::testing::found;
    use super::*;
    use crate::record::ItemId;

    const NONE: &str = "{}";
    const TO: &str = r#"{"to": "Porto"}"#;
    const OTHER: &str = r#"{"to": "Lyon"}"#;
    const BOTH: &str = r#"{"to": "Porto", "seats": 2}"#;
    const BOTH_OTHER: &str = r#"{"to": "Lyon", "seats": 2}"#;

    /// What is found of a conversation whose turns, from 0, are marked.
    fn of(data_type: &str, labels: &[&str], marked: &[usize]) -> Vec<String> {
        let mut entries = snapshots("c/0", data_type, labels);
        for at in marked {
            entries[*at].sample.snapshot.as_mut().unwrap().marked = Some(true);
        }
        found(Turns::default(), &entries)
    }

    #[test]
    fn sound_growth_is_left_alone() {
        let sound: [(&str, &[&str], &[usize]); 7] = [
            ("Based", &[NONE, TO, BOTH], &[]),
            ("mQsA", &[NONE, TO, BOTH], &[]),
            ("mQmA", &[NONE, BOTH], &[1]),
            ("SO_case1", &[TO, BOTH_OTHER], &[1]),
            ("mSv", &[NONE, TO, OTHER], &[2]),
            ("anything", &[NONE, TO, TO], &[]),
            ("IS", &[NONE, TO], &[]),
        ];
        for (data_type, labels, marked) in sound {
            assert_eq!(of(data_type, labels, marked), Vec::<String>::new(), "{data_type}");
        }
    }

    #[test]
    fn unsound_growth_is_told() {
        let faulty: [(&str, &[&str], &[usize], &str); 6] = [
            ("Based", &[TO, NONE], &[], "cumulative"),
            ("Based", &[NONE, BOTH], &[], "growth"),
            ("Based", &[TO, BOTH_OTHER], &[], "growth"),
            ("mQmA", &[NONE, TO, BOTH], &[], "growth: 0 turns give several values; expected one"),
            ("mSv", &[NONE, TO, TO], &[2], "growth"),
            ("SO_case2", &[NONE, TO, BOTH], &[2], "growth"),
        ];
        for (data_type, labels, marked, finding) in faulty {
            let found = of(data_type, labels, marked);
            assert!(found.len() == 1 && found[0].starts_with(finding), "{data_type}: {found:?}");
        }
    }

    #[test]
    fn a_question_that_was_put_off_comes_again() {
        let mut entries = snapshots("c/0", "SO_case2", &[NONE, TO, OTHER, BOTH_OTHER]);
        entries[2].sample.snapshot.as_mut().unwrap().marked = Some(true);
        assert_eq!(found(Turns::default(), &entries), ["question_again: expected the question `What else, 2?` again"]);
        entries[3].sample.messages[5].content = Some("What else, 2?".to_owned());
        assert_eq!(found(Turns::default(), &entries), Vec::<String>::new());
    }

    #[test]
    fn what_is_merged_ends_like_its_base() {
        let mut entries = snapshots("b/0", "Based", &[NONE, TO, BOTH]);
        let mut merged = snapshots("m/0", "mQmA", &[NONE, BOTH_OTHER]);
        for entry in &mut merged {
            entry.sample.base = Some(ItemId::root("b/0"));
        }
        entries.extend(merged);
        assert_eq!(found(Turns::default(), &entries), ["end: the last label is not that of its base `b/0`"]);
    }

    #[test]
    fn a_turn_that_stands_apart_is_said_to() {
        let entries = snapshots("c/0", "Based", &[NONE, TO]);
        let mut apart = entries[1].clone();
        apart.before = None;
        assert_eq!(found(Turns::default(), &[apart]), ["apart: turn 2 does not stand behind turn 1"]);
    }
}
