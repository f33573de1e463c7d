//! Nobody says nothing.

use super::super::entry::Entry;
use super::super::finding::Findings;
use super::Rule;
use crate::record::{Message, Role};

/// Looks at each sample by itself.
pub(super) struct Texts;

impl Rule for Texts {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let messages = &entry.sample.messages;
        if !messages.iter().any(|message| message.role == Role::User) {
            findings.error("empty", entry, "no person speaks");
            return;
        }
        if let Some(at) = messages.iter().position(is_empty) {
            findings.error("empty", entry, format!("message {} is empty", at + 1));
        } else if entry.said().words.trim().is_empty() {
            findings.error("empty", entry, "there is external text, and nobody says what is wanted");
        }
        if messages.last().is_some_and(|message| message.role == Role::Assistant) {
            findings.error("last_speaker", entry, "the assistant speaks last; expected the person or a tool");
        }
    }
}

fn is_empty(message: &Message) -> bool {
    message.tool_calls.is_empty() && message.content.as_ref().is_none_or(|content| content.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{entry, said, sample};
    use super::super::testing::found;
    use super::*;

    #[test]
    fn silence_is_found() {
        let mut silent = sample("a", "ST_Perfect");
        silent.messages.clear();
        let mut answered = sample("b", "ST_Perfect");
        answered.messages.push(Message::new(Role::Assistant, "Done."));
        let blank = said("c", "ST_Perfect", " \n", "{}");
        let pointless = said("d", "ST_External", "EK:Noon.\nquery: ", "{}");
        let entries = [silent, answered, blank, pointless, sample("e", "ST_Perfect")].map(entry);
        let mut found = found(Texts, &entries);
        found.sort();
        assert_eq!(
            found,
            [
                "empty: message 1 is empty",
                "empty: no person speaks",
                "empty: there is external text, and nobody says what is wanted",
                "last_speaker: the assistant speaks last; expected the person or a tool",
            ]
        );
    }
}
