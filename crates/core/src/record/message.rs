//! Messages in the OpenAI shape.

use super::call::FunctionCall;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Role of the speaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Instructions.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A tool's answer.
    Tool,
}

/// One message of a dialogue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    /// Role of the speaker.
    pub role: Role,
    /// Text; absent on a turn with calls only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The calls of an assistant turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<FunctionCall>,
    /// Ordinal of the call in the dialogue, from 0, that a tool message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<usize>,
    /// Reasoning of the model before the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Whether training may learn this turn; `false` for wrong calls and error turns.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub train: bool,
}

impl Message {
    /// A message that says `content`.
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self {
            role,
            content: Some(content.into()),
            tool_calls: Vec::new(),
            answers: None,
            reasoning: None,
            train: true,
        }
    }

    /// A user turn.
    pub fn user(content: impl Into<String>) -> Self {
        Self::new(Role::User, content)
    }
}

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_yes(train: &bool) -> bool {
    *train
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_may_be_learnt_unless_it_says_otherwise() {
        let read = |json: &str| serde_json::from_str::<Message>(json).unwrap();
        assert!(read(r#"{"role": "user", "content": "hi"}"#).train);
        let wrong = read(r#"{"role": "assistant", "train": false}"#);
        assert_eq!((wrong.train, wrong.content.as_deref()), (false, None));
        assert_eq!(serde_json::to_string(&wrong).unwrap(), r#"{"role":"assistant","train":false}"#);
    }

    #[test]
    fn what_a_message_does_not_have_is_not_written() {
        assert_eq!(serde_json::to_string(&Message::user("안녕")).unwrap(), r#"{"role":"user","content":"안녕"}"#);
        let answer = Message { answers: Some(0), ..Message::new(Role::Tool, "") };
        assert_eq!(serde_json::to_string(&answer).unwrap(), r#"{"role":"tool","content":"","answers":0}"#);
    }

    #[test]
    fn only_four_may_speak() {
        for role in ["system", "user", "assistant", "tool"] {
            let message: Message = serde_json::from_str(&format!("{{\"role\": \"{role}\"}}")).unwrap();
            assert_eq!(serde_json::to_value(message.role).unwrap(), role);
        }
        assert!(serde_json::from_str::<Message>(r#"{"role": "User"}"#).is_err());
    }
}
