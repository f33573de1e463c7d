//! What prompts are given where two models play a conversation on tools of which nobody wrote what people say (CONFETTI).

use super::Common;
use crate::record::{Message, Tool};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The person of a conversation is to speak, or to end it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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

/// The assistant of a conversation is to do one thing: call a function, or speak.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlayAgentVariables {
    /// What every prompt is given.
    pub common: Common,
    /// What the assistant was told before anything was said.
    pub system: String,
    /// The conversation so far, with all calls and their answers.
    pub messages: Vec<Message>,
    /// The functions that are offered.
    pub tools: Vec<Arc<Tool>>,
    /// How many calls may still be made before the assistant speaks.
    pub calls_left: usize,
    /// The labels of what the assistant can do with its words.
    pub acts: Vec<String>,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Role;

    #[test]
    fn a_prompt_sees_who_said_what_and_what_was_called() {
        let call = crate::record::FunctionCall { name: "find".to_owned(), ..Default::default() };
        let called = Message { content: None, tool_calls: vec![call], ..Message::new(Role::Assistant, "") };
        let variables = PlayAgentVariables {
            common: Common::default(),
            system: String::new(),
            messages: vec![Message::user("tea?"), called],
            tools: Vec::new(),
            calls_left: 3,
            acts: Vec::new(),
        };
        let fields = super::super::Variables::PlayAgent(variables).fields();
        assert_eq!(
            (&fields["messages"][0]["role"], &fields["messages"][0]["content"]),
            (&"user".into(), &"tea?".into())
        );
        assert_eq!(fields["messages"][1]["tool_calls"][0]["name"], "find");
    }

    #[test]
    fn a_line_without_a_word_on_ending_goes_on() {
        let line: PlayedLine = serde_json::from_str(r#"{"text": "tea?"}"#).unwrap();
        assert_eq!(line, PlayedLine { text: "tea?".to_owned(), ends: false });
    }
}
