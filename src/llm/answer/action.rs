//! What a player of a conversation does next: an assistant calls or speaks, a person speaks or ends it.

use super::Unparsable;
use super::call::calls_of;
use super::fence::find;
use crate::llm::PlayedLine;
use crate::record::{FunctionCall, Object, Value};

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
    fn a_person_speaks_or_ends_it_or_both() {
        let line = |text: &str| read_played(text).map(|line| (line.text, line.ends)).map_err(|fault| fault.reason);
        assert_eq!(line(r#"{"text": "tea?"}"#), Ok(("tea?".to_owned(), false)));
        assert_eq!(line(r#"{"text": "thanks", "ends": true}"#), Ok(("thanks".to_owned(), true)));
        assert_eq!(line(r#"{"text": "", "ends": true}"#), Ok((String::new(), true)));
        assert_eq!((line(r#"{"text": ""}"#), line("tea?")), (Err("no_text"), Err("no_text")));
    }
}
