//! One call, as an answer to a query; or the sentence that refuses.

use super::found::{find, without_thought};
use super::{Unparsable, Way};
use crate::record::{FunctionCall, Object, Value};
use serde::{Deserialize, Serialize};

/// A native tool call as the server gave it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ToolCallText {
    /// The function's name.
    pub name: String,
    /// The arguments, as text.
    pub arguments: String,
}

const WRAPPERS: [&str; 3] = ["tool_call", "function_call", "function"];
const NAME_KEYS: [&str; 4] = ["name", "function", "tool", "tool_name"];
const ARGUMENT_KEYS: [&str; 3] = ["parameters", "arguments", "args"];

/// What a model answered to a query.
#[derive(Debug, Clone, PartialEq)]
pub enum ReadAnswer {
    /// It calls a tool.
    Call(FunctionCall),
    /// It says that no tool fits.
    Refusal,
}

/// Reads a call, or the refusal; `refusal` is the sentence that the prompt gave. An argument of "" or null was not given.
pub fn read_call(text: &str, refusal: &str) -> Result<(ReadAnswer, Way), Unparsable> {
    let text = without_thought(text);
    let refused = refuses(text, refusal);
    match find(text, |value| calls_of(value).filter(|calls| !calls.is_empty())) {
        Some((calls, way)) => match calls.as_slice() {
            [call] if refuses(&call.name, refusal).is_some() => Ok((ReadAnswer::Refusal, way)),
            [_] if refused.is_some() => Err(Unparsable::new("call_and_refusal", "it calls a tool and refuses as well")),
            [call] => Ok((ReadAnswer::Call(call.clone()), way)),
            _ => Err(Unparsable::new("several_calls", "there are several calls, and one is wanted")),
        },
        None => refused
            .map(|way| (ReadAnswer::Refusal, way))
            .ok_or_else(|| Unparsable::new("no_call", "there is no call with `name` and `parameters` in it")),
    }
}

/// Reads a native tool call.
pub fn read_native(call: &ToolCallText) -> Result<FunctionCall, Unparsable> {
    let arguments = arguments(&Value::String(call.arguments.clone()));
    let arguments = arguments.ok_or_else(|| Unparsable::new("bad_arguments", "the arguments are not a JSON object"))?;
    Ok(FunctionCall { name: call.name.clone(), arguments })
}

/// The calls in a value, each once: one object, a list of them, or a message with `tool_calls`. A list may be empty.
pub fn calls_of(value: &Value) -> Option<Vec<FunctionCall>> {
    if let Some(list) =
        value.as_object().and_then(|object| object.get("tool_calls")).filter(|it| it.as_list().is_some())
    {
        return calls_of(list);
    }
    let Value::List(items) = value else { return Some(vec![call(value)?]) };
    let mut calls: Vec<FunctionCall> = items.iter().map(call).collect::<Option<_>>()?;
    calls.dedup();
    Some(calls)
}

fn call(value: &Value) -> Option<FunctionCall> {
    let object = value.as_object()?;
    if let Some(inner) = WRAPPERS.iter().find_map(|key| object.get(*key).filter(|inner| inner.as_object().is_some())) {
        return call(inner);
    }
    let name =
        NAME_KEYS.iter().find_map(|key| object.get(*key)?.as_str()).map(str::trim).filter(|name| !name.is_empty())?;
    let arguments = match ARGUMENT_KEYS.iter().find_map(|key| object.get(*key)) {
        Some(given) => arguments(given)?,
        // Without arguments a name must stand alone: `{"name": "Anna", "phone": ".."}` is no call.
        None if object.len() == 1 => Object::new(),
        None => return None,
    };
    Some(FunctionCall { name: name.to_owned(), arguments })
}

fn arguments(value: &Value) -> Option<Object> {
    match value {
        Value::Null => Some(Object::new()),
        Value::Object(object) => Some(given(object)),
        Value::String(text) if text.trim().is_empty() => Some(Object::new()),
        Value::String(text) => Value::read(text).ok()?.as_object().map(given),
        _ => None,
    }
}

fn given(arguments: &Object) -> Object {
    let is_given = |value: &Value| *value != Value::Null && value.as_str() != Some("");
    arguments.iter().filter(|(_, value)| is_given(value)).map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn refuses(text: &str, refusal: &str) -> Option<Way> {
    let (text, refusal) = (words(text), words(refusal));
    if refusal.is_empty() {
        return None;
    }
    if text == refusal { Some(Way::Text) } else { text.contains(&refusal).then_some(Way::LooseText) }
}

/// Letters and digits alone, so that quotes, capitals and a missing period make no difference.
fn words(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const REFUSAL: &str = "Sorry, no tool is suitable for your request.";

    fn read(text: &str) -> Result<(String, &'static str), &'static str> {
        match read_call(text, REFUSAL).map_err(|error| error.reason)? {
            (ReadAnswer::Refusal, way) => Ok(("refusal".to_owned(), way.as_str())),
            (ReadAnswer::Call(call), way) => Ok((serde_json::to_string(&call).unwrap(), way.as_str())),
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "it is compared with what `read` gives")]
    fn alarm(way: &'static str) -> Result<(String, &'static str), &'static str> {
        Ok((r#"{"name":"A.B.add","arguments":{"time":"8 a.m.","count":2}}"#.to_owned(), way))
    }

    #[test]
    fn a_message_with_calls_is_its_calls_and_may_have_none() {
        let read = |text: &str| calls_of(&Value::read(text).unwrap()).map(|calls| calls.len());
        assert_eq!(read(r#"{"tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}"#), Some(1));
        assert_eq!((read(r#"{"tool_calls": []}"#), read("[]"), read("[5]")), (Some(0), Some(0), None));
    }

    #[test]
    fn a_call_is_read_in_every_usual_shape() {
        let call = r#"{"name": "A.B.add", "parameters": {"time": "8 a.m.", "count": 2}}"#;
        assert_eq!(read(call), alarm("whole"));
        assert_eq!(read(&format!("```json {call}```")), alarm("fenced"));
        assert_eq!(read(&format!("[{call}, {call}]")), alarm("whole"));
        assert_eq!(read(&format!("<tool_call>\n{call}\n</tool_call>")), alarm("embedded"));
        assert_eq!(read(&format!("The call is: {call}.")), alarm("lead_in"));
        assert_eq!(read(r#"{"name": "A.B.add", "arguments": "{\"time\": \"8 a.m.\", \"count\": 2}"}"#), alarm("whole"));
        assert_eq!(read(&format!(r#"{{"type": "function", "function": {call}}}"#)), alarm("whole"));
    }

    #[test]
    fn empty_arguments_were_not_given() {
        let call = r#"{"name": "f", "parameters": {"a": "", "b": null, "c": false, "d": 0}}"#;
        assert_eq!(read(call), Ok((r#"{"name":"f","arguments":{"c":false,"d":0}}"#.to_owned(), "whole")));
        let bare = Ok((r#"{"name":"f","arguments":{}}"#.to_owned(), "whole"));
        for text in [r#"{"name": "f"}"#, r#"{"name": "f", "arguments": ""}"#, r#"{"name": "f", "parameters": null}"#] {
            assert_eq!(read(text), bare, "{text}");
        }
    }

    #[test]
    fn the_refusal_is_recognised() {
        let refused = |way| Ok(("refusal".to_owned(), way));
        assert_eq!(read(REFUSAL), refused("text"));
        assert_eq!(read("\"sorry, no tool is suitable for your request\""), refused("text"));
        assert_eq!(read(&format!("{REFUSAL} You could try the web.")), refused("loose_text"));
        assert_eq!(read(&format!(r#"{{"name": "{REFUSAL}", "parameters": {{}}}}"#)), refused("whole"));
        assert_eq!(read_call("anything", "").map_err(|error| error.reason), Err("no_call"));
    }

    #[test]
    fn what_is_no_single_call_says_why() {
        assert_eq!(read("I have set the alarm for you."), Err("no_call"));
        assert_eq!(read(r#"{"name": "Anna", "phone": "1"}"#), Err("no_call"));
        assert_eq!(read(r#"{"name": "f", "parameters": [1]}"#), Err("no_call"));
        assert_eq!(read(r#"[{"name": "f"}, {"name": "g"}]"#), Err("several_calls"));
        assert_eq!(read(&format!(r#"{REFUSAL} {{"name": "f"}}"#)), Err("call_and_refusal"));
    }

    #[test]
    fn a_native_call_is_read() {
        let native = |arguments: &str| {
            let call = read_native(&ToolCallText { name: "f".to_owned(), arguments: arguments.to_owned() });
            call.map(|call| serde_json::to_string(&call.arguments).unwrap()).map_err(|error| error.reason)
        };
        assert_eq!(native(r#"{"a": 1.5, "b": ""}"#), Ok(r#"{"a":1.5}"#.to_owned()));
        assert_eq!(native(""), Ok("{}".to_owned()));
        assert_eq!(native("{a: 1"), Err("bad_arguments"));
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(text in any::<String>(), refusal in any::<String>()) {
            for text in [format!(r#"{{"name": "f", "arguments": {text}}}"#), text] {
                if let Ok((ReadAnswer::Call(call), _)) = read_call(&text, &refusal) {
                    prop_assert!(!call.name.is_empty());
                }
            }
        }

        #[test]
        fn any_argument_comes_back(value in "[^\\p{C}]{1,20}") {
            let arguments: Object = [("a".to_owned(), Value::String(value))].into_iter().collect();
            let call = FunctionCall { name: "f".to_owned(), arguments };
            let text = format!("so: {}", serde_json::to_string(&call).unwrap());
            prop_assert_eq!(read_call(&text, REFUSAL).unwrap().0, ReadAnswer::Call(call));
        }
    }
}
