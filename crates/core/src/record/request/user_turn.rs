//! What a person says in a turn, beside the text that they point at, in `HammerBench`'s two forms.

use super::super::message::{Message, Role};

const OPENING: &str = "EK:";
const WORDS: &str = "\nquery:";
const LATER: &str = "<EK>:";

/// The two parts of a user turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserTurn<'a> {
    /// The person's own words.
    pub words: &'a str,
    /// The text from elsewhere that the words point at.
    pub external: Option<&'a str>,
}

impl<'a> UserTurn<'a> {
    /// Parts a turn of either form.
    pub fn read(turn: &'a str) -> Self {
        let first = turn.strip_prefix(OPENING).and_then(|rest| rest.split_once(WORDS));
        let later = || turn.split_once(LATER).map(|(words, external)| (external, words));
        match first.or_else(later) {
            Some((external, words)) => Self { words, external: Some(external) },
            None => Self { words: turn, external: None },
        }
    }

    /// The last thing that a person says; nothing where no person speaks.
    pub fn last(messages: &'a [Message]) -> Self {
        let turn = messages.iter().rev().find(|message| message.role == Role::User);
        Self::read(turn.and_then(|message| message.content.as_deref()).unwrap_or_default())
    }

    /// Whether it is in the form of a first turn.
    pub fn opens(turn: &str) -> bool {
        turn.starts_with(OPENING)
    }

    /// A first turn: `EK:<text>\nquery:<words>`.
    pub fn opening(&self) -> String {
        self.external
            .map_or_else(|| self.words.to_owned(), |external| format!("{OPENING}{external}{WORDS}{}", self.words))
    }

    /// A later one: `<words><EK>:<text>`.
    pub fn later(&self) -> String {
        self.external.map_or_else(|| self.words.to_owned(), |external| format!("{}{LATER}{external}", self.words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_pointing_are_parted_and_put_together() {
        let turn = UserTurn { words: "wake me then", external: Some("Six.\nSharp.") };
        let (opening, later) = ("EK:Six.\nSharp.\nquery:wake me then", "wake me then<EK>:Six.\nSharp.");
        assert_eq!((UserTurn::read(opening), UserTurn::read(later)), (turn, turn));
        assert_eq!((turn.opening().as_str(), turn.later().as_str()), (opening, later));
        let plain = UserTurn { words: "EK: what is that?", external: None };
        assert_eq!(UserTurn::read(plain.words), plain);
        assert_eq!((plain.opening().as_str(), plain.later().as_str()), (plain.words, plain.words));
    }

    #[test]
    fn the_last_turn_of_the_person_counts() {
        let messages = [Message::user("Wake me"), Message::new(Role::Assistant, "When?"), Message::user("Noon")];
        assert_eq!(UserTurn::last(&messages).words, "Noon");
        assert_eq!(UserTurn::last(&[]).words, "");
    }
}
