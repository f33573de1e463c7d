//! Call or speak for the assistant of a conversation (CONFETTI, section 3.2).

use super::{Common, TaskInfo};
use crate::record::{FunctionCall, Message, Object, Tool, Value};
use crate::text::{Unparsable, calls_of, find};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo = TaskInfo::creative("play_agent", "PlayAgent");

/// The assistant of a conversation is to do one thing: call a function, or speak.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
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

/// What an assistant does next.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// It calls a function.
    Call(FunctionCall),
    /// It speaks, and its turn is over.
    Say {
        /// What it says.
        text: String,
        /// What it does with its words: labels, as they were given.
        acts: Vec<String>,
    },
}

/// Reads the one action of an assistant, with or without `action` around it.
pub fn read_action(text: &str) -> Result<Action, Unparsable> {
    let (actions, _) = find(text, |value| actions_of(inner(value))).ok_or_else(|| {
        Unparsable::new("no_action", "there is neither a call with `name` and `arguments` nor a `text`")
    })?;
    match <[Action; 1]>::try_from(actions) {
        Ok([action]) => Ok(action),
        Err(_) => Err(Unparsable::new("several_calls", "there are several calls, and one is wanted")),
    }
}

fn inner(value: &Value) -> &Value {
    value.as_object().and_then(|object| object.get("action")).unwrap_or(value)
}

fn actions_of(value: &Value) -> Option<Vec<Action>> {
    let calls = calls_of(value).filter(|calls| !calls.is_empty());
    let calls = calls.map(|calls| calls.into_iter().map(Action::Call).collect());
    calls.or_else(|| value.as_object().and_then(said).map(|said| vec![said]))
}

fn said(object: &Object) -> Option<Action> {
    let text = object.get("text")?.as_str()?.trim().to_owned();
    let acts = match object.get("acts") {
        Some(Value::List(acts)) => acts.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(Value::String(act)) => vec![act.clone()],
        _ => Vec::new(),
    };
    (!text.is_empty()).then_some(Action::Say { text, acts })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Role;

    fn say(text: &str, acts: &[&str]) -> Action {
        Action::Say { text: text.to_owned(), acts: acts.iter().map(|act| (*act).to_owned()).collect() }
    }

    #[test]
    fn an_action_is_a_call_or_words() {
        let call = read_action(r#"{"action": {"name": "find", "arguments": {"n": 3, "more": null}}}"#).unwrap();
        let Action::Call(call) = call else { panic!("{call:?}") };
        assert_eq!((call.name.as_str(), call.arguments.len()), ("find", 1), "null is no argument");
        let text = "Well.\n```json\n{\"text\": \" Tea? \", \"acts\": [\"seek\"]}\n```";
        assert_eq!(read_action(text), Ok(say("Tea?", &["seek"])));
        assert_eq!(read_action(r#"{"action": {"text": "Tea.", "acts": "inform"}}"#), Ok(say("Tea.", &["inform"])));
        assert_eq!(read_action(r#"{"text": "Tea."}"#), Ok(say("Tea.", &[])));
    }

    #[test]
    fn two_calls_and_none_are_told_apart() {
        let reason = |text: &str| read_action(text).unwrap_err().reason;
        let two = r#"[{"name": "find", "arguments": {}}, {"name": "look", "arguments": {}}]"#;
        assert_eq!(
            (reason(two), reason("Tea."), reason(r#"{"text": " "}"#)),
            ("several_calls", "no_action", "no_action")
        );
    }

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
        let fields = crate::llm::Variables::PlayAgent(variables).fields();
        assert_eq!(
            (&fields["messages"][0]["role"], &fields["messages"][0]["content"]),
            (&"user".into(), &"tea?".into())
        );
        assert_eq!(fields["messages"][1]["tool_calls"][0]["name"], "find");
    }
}
