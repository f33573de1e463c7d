//! Speak for the person of a conversation (CONFETTI, section 3.2).

use super::{Common, TaskInfo};
use crate::record::Value;
use crate::text::{Unparsable, find};
use serde::{Deserialize, Serialize};

pub(super) const INFO: TaskInfo =
    TaskInfo::creative("play_user", "PlayUser").reply(include_str!("reply_schema/played_line.json")).voiced();

/// The person of a conversation is to speak, or to end it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PlayUserVariables {
    /// What every prompt is given.
    pub common: Common,
    /// What the person wants and what happens, in words.
    pub scenario: String,
    /// The complexity that the conversation must have, by the paper's name.
    pub complexity: String,
    /// The time at which it takes place.
    pub reference_time: String,
    /// The conversation so far, a line for each turn; calls and their answers are not for the person's eyes.
    pub history: String,
    /// How many messages the person still owes.
    pub owed: usize,
    /// The manner in which the person speaks: one of the pack's styles.
    pub style: String,
    /// What that manner is like, in words.
    pub manner: String,
}

/// The structured answer to [`super::Task::PlayUser`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayedLine {
    /// What the person says; empty where nothing is left to say.
    #[serde(default)]
    pub text: String,
    /// Whether the conversation is over with that.
    #[serde(default)]
    pub ends: bool,
}

/// Reads what a person says; a conversation that ends needs no words.
pub fn read_played(text: &str) -> Result<PlayedLine, Unparsable> {
    let line = |value: &Value| {
        let object = value.as_object()?;
        let text = object.get("text").and_then(Value::as_str).unwrap_or_default().trim().to_owned();
        let ends = object.get("ends").and_then(Value::as_bool).unwrap_or(false);
        (ends || !text.is_empty()).then_some(PlayedLine { text, ends })
    };
    let missing = || Unparsable::new("no_text", "there is no object with a `text`, or with `ends` true, in it");
    Ok(find(text, line).ok_or_else(missing)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_speaks_or_ends_it_or_both() {
        let line = |text: &str| read_played(text).map(|line| (line.text, line.ends)).map_err(|fault| fault.reason);
        assert_eq!(line(r#"{"text": "tea?"}"#), Ok(("tea?".to_owned(), false)));
        assert_eq!(line(r#"{"text": "thanks", "ends": true}"#), Ok(("thanks".to_owned(), true)));
        assert_eq!(line(r#"{"text": "", "ends": true}"#), Ok((String::new(), true)));
        assert_eq!((line(r#"{"text": ""}"#), line("tea?")), (Err("no_text"), Err("no_text")));
    }

    #[test]
    fn a_line_without_a_word_on_ending_goes_on() {
        let line: PlayedLine = serde_json::from_str(r#"{"text": "tea?"}"#).unwrap();
        assert_eq!(line, PlayedLine { text: "tea?".to_owned(), ends: false });
    }
}
