//! Every sample of a bench has the same instructions, and these say nothing twice.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::Rule;
use crate::record::Role;
use std::collections::BTreeSet;

/// The instructions of the first sample that has any.
#[derive(Default)]
pub(super) struct Prompts(Option<String>);

impl Rule for Prompts {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let system = entry.sample.messages.iter().find(|message| message.role == Role::System);
        let Some(text) = system.and_then(|message| message.content.as_deref()) else { return };
        if let Some(sentence) = twice(text) {
            findings.warning("doubled_sentence", entry, format!("the instructions say twice: `{sentence}`"));
        }
        let first = self.0.get_or_insert_with(|| text.to_owned());
        findings.tally("instructions are those of the first sample", first == text);
        if first != text {
            findings.warning("instructions", entry, "its instructions are not those of the first sample that has any");
        }
    }
}

/// A sentence that stands twice.
fn twice(text: &str) -> Option<&str> {
    let ends = |letter: char| matches!(letter, '.' | '!' | '?' | '\n' | '。' | '！' | '？');
    let mut seen = BTreeSet::new();
    text.split(ends).map(str::trim).filter(|sentence| !sentence.is_empty()).find(|sentence| !seen.insert(*sentence))
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{decision, entries};
    use super::super::super::testing::found;
    use super::*;
    use crate::record::{Message, Sample};

    fn told(instructions: &[&str]) -> Vec<String> {
        let of = |text: &&str| -> Sample {
            let mut sample = decision("CALL");
            sample.messages.insert(0, Message::new(Role::System, *text));
            sample
        };
        found(Prompts::default(), &entries(instructions.iter().map(of).collect()))
    }

    #[test]
    fn instructions_are_the_same_everywhere() {
        assert_eq!(told(&["Be kind. Ask.", "Be kind. Ask."]), Vec::<String>::new());
        let other = told(&["Be kind.", "Be quick."]);
        assert_eq!(other, ["instructions: its instructions are not those of the first sample that has any"]);
        assert_eq!(found(Prompts::default(), &entries(vec![decision("CALL")])), Vec::<String>::new());
    }

    #[test]
    fn a_sentence_stands_once() {
        assert_eq!(told(&["Ask. Be kind. Ask. "]), ["doubled_sentence: the instructions say twice: `Ask`"]);
        assert_eq!(twice("묻는다。말한다。묻는다。"), Some("묻는다"));
        assert_eq!(twice("One. Two. Three."), None);
    }
}
