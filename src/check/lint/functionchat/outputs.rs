//! A sample wants what its data type says, and has the words for it where it wants words.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::Rule;
use crate::format::functionchat::{Set, TypeOfOutput, gold_text};
use crate::record::{Expected, Value};

/// Looks at each sample by itself.
pub(super) struct Outputs;

impl Rule for Outputs {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let data_type = entry.sample.data_type.0.as_str();
        let found = TypeOfOutput::of(&entry.sample);
        match wanted(entry) {
            None => findings.error("output", entry, format!("there is no category `{data_type}`")),
            wanted if found != wanted => {
                let name = |output: Option<TypeOfOutput>| output.map_or("steps", TypeOfOutput::as_str);
                let message = format!("`{data_type}` should be a {}, and is a {}", name(wanted), name(found));
                findings.error("output", entry, message);
            }
            Some(_) => words(entry, findings),
        }
        let is_noted = !entry.sample.arguments.is_empty() || !entry.sample.acceptable.is_empty();
        if is_noted && found != Some(TypeOfOutput::Call) {
            findings.error("output", entry, "there are notes on arguments where no call is right");
        }
    }
}

/// What a sample of this data type should want.
fn wanted(entry: &Entry) -> Option<TypeOfOutput> {
    let data_type = &entry.sample.data_type;
    match (Set::of(data_type), data_type.0.as_str()) {
        (Set::Singlecall, _) | (_, "CALL") => Some(TypeOfOutput::Call),
        (Set::Dialog, name) => TypeOfOutput::named(name),
        (_, "REJECT") => Some(TypeOfOutput::Relevance),
        (_, "SLOT-all" | "SLOT-some") => Some(TypeOfOutput::Slot),
        _ => None,
    }
}

/// Right words say something, and are no call in disguise.
fn words(entry: &Entry, findings: &mut Findings) {
    if matches!(entry.sample.expected, Expected::Call(_)) {
        return;
    }
    let text = gold_text(&entry.sample);
    if text.trim().is_empty() {
        findings.error("gold_text", entry, "there are no right words, and a text is right");
    } else if Value::read(text).is_ok_and(|value| value.as_object().is_some()) {
        findings.error("gold_text", entry, format!("the right words are an object: `{text}`"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{decision, dialog, entries, single};
    use super::super::super::testing::found;
    use super::*;
    use crate::record::Sample;

    fn told(mut sample: Sample, change: impl FnOnce(&mut Sample)) -> Vec<String> {
        change(&mut sample);
        found(Outputs, &entries(vec![sample]))
    }

    #[test]
    fn a_data_type_says_what_is_right() {
        let all = [dialog(), vec![single("a", "exact"), decision("REJECT"), decision("SLOT-some")]].concat();
        assert_eq!(found(Outputs, &entries(all)), Vec::<String>::new());
        let asked = told(decision("CALL"), |it| it.expected = Expected::Question(vec!["pier".to_owned()]));
        assert_eq!(asked, ["output: `CALL` should be a call, and is a slot"]);
        let called = told(decision("SLOT-all"), |it| it.expected = decision("CALL").expected);
        assert_eq!(called, ["output: `SLOT-all` should be a slot, and is a call"]);
        assert_eq!(told(decision("MAYBE"), |_| ()), ["output: there is no category `MAYBE`"]);
    }

    #[test]
    fn right_words_are_words() {
        let text = |text: &'static str| {
            told(decision("REJECT"), |it| drop(it.provenance.facts.insert("gold_text".to_owned(), text.to_owned())))
        };
        assert_eq!(text(" "), ["gold_text: there are no right words, and a text is right"]);
        assert_eq!(text("{\"name\": \"f\"}").len(), 1);
    }

    #[test]
    fn only_a_call_has_notes() {
        let noted = told(decision("REJECT"), |it| drop(it.acceptable.insert("pier".to_owned(), Vec::new())));
        assert_eq!(noted, ["output: there are notes on arguments where no call is right"]);
    }
}
