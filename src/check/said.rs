//! What a person says in a turn, parted from the text that they point at.

use crate::record::{Role, Sample};

/// The two parts of a user turn in HammerBench's form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Said<'a> {
    /// The person's own words.
    pub words: &'a str,
    /// The text from elsewhere that the words point at.
    pub external: Option<&'a str>,
}

impl<'a> Said<'a> {
    /// Parts a turn: `EK:<text>\nquery:<words>` in a first turn, `<words><EK>:<text>` in a later one.
    pub fn read(turn: &'a str) -> Self {
        let first = turn.strip_prefix("EK:").and_then(|rest| rest.split_once("\nquery:"));
        let later = || turn.split_once("<EK>:").map(|(words, external)| (external, words));
        match first.or_else(later) {
            Some((external, words)) => Self { words, external: Some(external) },
            None => Self { words: turn, external: None },
        }
    }

    /// The last thing that the person of a sample says; nothing where no person speaks.
    pub fn last(sample: &'a Sample) -> Self {
        let turn = sample.messages.iter().rev().find(|message| message.role == Role::User);
        Self::read(turn.and_then(|message| message.content.as_deref()).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::sample;
    use super::*;
    use crate::record::Message;

    #[test]
    fn both_forms_of_pointing_are_parted() {
        let first = Said { words: "wake me then", external: Some("Six.\nSharp.") };
        assert_eq!(Said::read("EK:Six.\nSharp.\nquery:wake me then"), first);
        assert_eq!(Said::read("wake me then<EK>:Six.\nSharp."), first);
        let plain = Said { words: "EK: what is that?", external: None };
        assert_eq!(Said::read("EK: what is that?"), plain);
    }

    #[test]
    fn the_last_turn_of_the_person_counts() {
        let mut sample = sample("a", "Based");
        sample.messages.extend([Message::new(Role::Assistant, "When?"), Message::user("Noon")]);
        assert_eq!(Said::last(&sample).words, "Noon");
        sample.messages.clear();
        assert_eq!(Said::last(&sample).words, "");
    }
}
