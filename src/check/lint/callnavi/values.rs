//! A value that the question gives stands in it.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::super::super::ground::Ground;
use super::Rule;
use crate::record::{Argument, Origin, PLACEHOLDER, Tool, Value};
use std::sync::Arc;

/// Looks at each question by itself. Where no note says that a value stands in the words, it is counted and not complained of.
pub(super) struct Values(Arc<Ground>);

impl Values {
    pub(super) fn new(ground: Arc<Ground>) -> Self {
        Self(ground)
    }

    fn look(
        &self,
        entry: &Entry,
        tool: &Tool,
        (name, value): (&str, &Value),
        note: Option<&Argument>,
        findings: &mut Findings,
    ) {
        let words = entry.said().words;
        let stands =
            value.as_str().is_some_and(|text| words.contains(text)) || self.0.says(tool, name, value, words).is_some();
        findings.tally("values stand in their question", stands);
        let Some(note) = note else { return };
        let shown = serde_json::to_string(value).unwrap_or_default();
        if !stands {
            findings.error("value", entry, format!("the question does not say {name} = {shown}"));
        } else if let Some(surface) = note.surface.as_deref().filter(|surface| !is_there(words, surface)) {
            let message = format!("the note says that `{surface}` gives `{name}`, and the question does not say it");
            findings.error("note", entry, message);
        }
    }
}

impl Rule for Values {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        for called in entry.calls() {
            let Some(tool) = entry.candidate(&called.call.name) else { continue };
            for (name, value) in &called.call.arguments {
                let note = called.notes.and_then(|notes| notes.get(name));
                if value.as_str() != Some(PLACEHOLDER) && note.is_none_or(is_said) {
                    self.look(entry, tool, (name, value), note, findings);
                }
            }
        }
    }
}

/// Whether the note says that the words give the value.
fn is_said(note: &Argument) -> bool {
    matches!(note.origin, Origin::Verbatim | Origin::Normalised | Origin::Enum)
}

/// Several leaves are parted by commas.
fn is_there(words: &str, surface: &str) -> bool {
    words.contains(surface) || surface.split(", ").all(|part| words.contains(part))
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{arguments, entry, questions, step};
    use super::super::super::testing::found;
    use super::*;
    use crate::record::Sample;

    fn rule() -> Values {
        Values::new(Ground::load(crate::fixtures::assets(), "en").unwrap())
    }

    fn of(sample: Sample) -> Vec<String> {
        found(rule(), &[entry(sample)])
    }

    /// An easy question with another number of the customer.
    fn asks(value: Value) -> Sample {
        let mut sample = questions("easy");
        arguments(&mut sample, 0).insert("customerId".to_owned(), value);
        sample
    }

    #[test]
    fn a_value_that_the_question_does_not_say_is_told() {
        assert_eq!(of(asks("U8".into())), [r#"value: the question does not say customerId = "U8""#]);
        assert_eq!(of(questions("hard")), Vec::<String>::new());
    }

    #[test]
    fn what_comes_from_elsewhere_need_not_be_said() {
        for origin in [Origin::Inferred, Origin::Default] {
            let mut sample = asks("U8".into());
            step(&mut sample, 0).notes[0]["customerId"].origin = origin;
            assert_eq!(of(sample), Vec::<String>::new());
        }
    }

    #[test]
    fn without_a_note_it_is_only_counted() {
        let mut sample = asks("U8".into());
        step(&mut sample, 0).notes.clear();
        let (mut rule, mut findings) = (rule(), Findings::default());
        rule.see(&entry(sample), &mut findings);
        assert_eq!(findings.rules().count(), 0);
        let (what, tally) = findings.tallies().next().unwrap();
        assert_eq!((what, tally.right, tally.of), ("values stand in their question", 0, 1));
    }

    #[test]
    fn a_surface_is_a_piece_of_the_question() {
        let mut sample = questions("easy");
        step(&mut sample, 0).notes[0]["customerId"].surface = Some("the man U7".to_owned());
        assert_eq!(
            of(sample),
            ["note: the note says that `the man U7` gives `customerId`, and the question does not say it"]
        );
    }
}
