//! The turns of a bench, each once: conversations share their beginnings, and their samples repeat them.

use crate::lint::entry::Entry;
use crate::lint::hash::hash;
use crate::record::{Message, Role, UserTurn};
use std::collections::BTreeSet;

/// What a turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// What a person wants at first.
    Request,
    /// What a person says to a question.
    Answer,
    /// What else a person says later.
    Later,
    /// What an assistant asks.
    Question,
}

/// A turn that was not seen before.
pub(super) struct Fresh<'e> {
    /// What it is.
    pub part: Part,
    /// The words; without a text from elsewhere that they point at.
    pub text: &'e str,
    /// What the same person said before, the last turn last.
    pub before: Vec<&'e str>,
}

/// Remembers a hash of every turn with all that stands before it.
#[derive(Debug, Default)]
pub(super) struct Turns(BTreeSet<u64>);

impl Turns {
    /// The turns of an entry that no entry before it had; `asks` says whether an assistant's words ask.
    pub(super) fn fresh<'e>(&mut self, entry: &'e Entry, asks: &dyn Fn(&str) -> bool) -> Vec<Fresh<'e>> {
        let (mut key, mut out, mut before) = (hash(&[&entry.sample.locale]), Vec::new(), Vec::new());
        let mut is_asked = false;
        for message in &entry.sample.messages {
            let text = message.content.as_deref().unwrap_or_default();
            key = hash(&[&key.to_string(), role(message), text]);
            let is_fresh = self.0.insert(key);
            let part = match message.role {
                Role::User if before.is_empty() => Some(Part::Request),
                Role::User if is_asked => Some(Part::Answer),
                Role::User => Some(Part::Later),
                Role::Assistant if message.tool_calls.is_empty() && asks(text) => Some(Part::Question),
                _ => None,
            };
            let words = if message.role == Role::User { UserTurn::read(text).words } else { text };
            if let Some(part) = part.filter(|_| is_fresh && !words.trim().is_empty()) {
                out.push(Fresh { part, text: words, before: before.clone() });
            }
            is_asked = part == Some(Part::Question);
            if message.role == Role::User {
                before.push(words);
            }
        }
        out
    }
}

fn role(message: &Message) -> &'static str {
    match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::snapshots;

    #[test]
    fn a_conversation_shows_each_turn_once() {
        let mut turns = Turns::default();
        let parts: Vec<Vec<Part>> = snapshots("b/0", "Based", &["{}", r#"{"to": "Porto"}"#])
            .iter()
            .map(|entry| turns.fresh(entry, &|text| text.contains('?')).iter().map(|fresh| fresh.part).collect())
            .collect();
        assert_eq!(parts, [vec![Part::Request], vec![Part::Question, Part::Answer]]);
        let again = snapshots("c/0", "Based", &["{}"]);
        assert!(turns.fresh(&again[0], &|_| false).is_empty());
    }
}
