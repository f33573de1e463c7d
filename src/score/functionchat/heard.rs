//! A turn of a model, call by call as its server gave it.

use crate::record::{Object, PredictionTurn, Value};

/// What was said in a turn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Heard {
    /// The words.
    pub content: Option<String>,
    /// The calls.
    pub calls: Vec<Called>,
}

/// A call.
#[derive(Debug, Clone, PartialEq)]
pub struct Called {
    /// The function.
    pub name: String,
    /// Its arguments.
    pub arguments: Arguments,
}

/// Arguments of a call, before anybody has read them.
#[derive(Debug, Clone, PartialEq)]
pub enum Arguments {
    /// A text, as it should be.
    Text(String),
    /// Anything else, which servers give now and then.
    Other(Value),
}

impl Heard {
    /// A message as a server gives it.
    pub fn of_message(message: &Object) -> Self {
        let content = message.get("content").and_then(Value::as_str).map(str::to_owned);
        let calls = message.get("tool_calls").and_then(Value::as_list).unwrap_or_default();
        Self { content, calls: calls.iter().filter_map(Value::as_object).map(Called::of).collect() }
    }

    /// Whether there are no words worth the name.
    pub fn is_silent(&self) -> bool {
        self.content.as_deref().is_none_or(|text| text.trim().is_empty())
    }

    /// The same for whoever is to look at it, as servers write it; ids say nothing.
    pub fn shown(&self) -> Value {
        let mut message: Object = [
            ("role".to_owned(), "assistant".into()),
            ("content".to_owned(), self.content.as_deref().map_or(Value::Null, Value::from)),
        ]
        .into();
        if !self.calls.is_empty() {
            message.insert("tool_calls".to_owned(), Value::List(self.calls.iter().map(Called::shown).collect()));
        }
        Value::Object(message)
    }
}

impl Called {
    fn of(call: &Object) -> Self {
        let function = call.get("function").and_then(Value::as_object).unwrap_or(call);
        let arguments = match function.get("arguments") {
            Some(Value::String(text)) => Arguments::Text(text.clone()),
            other => Arguments::Other(other.cloned().unwrap_or_default()),
        };
        let name = function.get("name").and_then(Value::as_str).unwrap_or_default();
        Self { name: name.to_owned(), arguments }
    }

    fn shown(&self) -> Value {
        let arguments = match &self.arguments {
            Arguments::Text(text) => text.as_str().into(),
            Arguments::Other(value) => value.clone(),
        };
        let function: Object =
            [("name".to_owned(), self.name.as_str().into()), ("arguments".to_owned(), arguments)].into();
        let call: Object = [("type".to_owned(), "function".into()), ("function".to_owned(), function.into())].into();
        call.into()
    }

    /// The arguments, if they are an object.
    pub fn object(&self) -> Option<Object> {
        let value = match &self.arguments {
            Arguments::Text(text) => Value::read_lenient(text).ok()?.0,
            Arguments::Other(value) => value.clone(),
        };
        if let Value::Object(object) = value { Some(object) } else { None }
    }
}

impl From<&PredictionTurn> for Heard {
    fn from(turn: &PredictionTurn) -> Self {
        let called = |(name, arguments): &(String, String)| Called {
            name: name.clone(),
            arguments: Arguments::Text(arguments.clone()),
        };
        Self { content: turn.content.clone(), calls: turn.tool_calls.iter().map(called).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(json: &str) -> Heard {
        Heard::of_message(Value::read(json).unwrap().as_object().unwrap())
    }

    #[test]
    fn a_message_is_heard_as_it_was_given() {
        let json = r#"{"role":"assistant","content":null,"tool_calls":[{"type":"function","function":{"name":"f","arguments":"{\"n\":1.50}"}},{"type":"function","function":{"name":"g","arguments":{"a":1}}}]}"#;
        let it = heard(json);
        assert_eq!((it.calls.len(), it.is_silent(), it.shown().to_string()), (2, true, json.to_owned()));
        assert_eq!(it.calls[0].object().unwrap()["n"].to_string(), "1.50");
        assert_eq!(it.calls[1].object().unwrap().len(), 1);
    }

    #[test]
    fn what_is_odd_is_nothing() {
        for json in [
            "{}",
            r#"{"content": 5, "tool_calls": null}"#,
            r#"{"content": "  ", "tool_calls": []}"#,
            r#"{"tool_calls": [5]}"#,
        ] {
            let it = heard(json);
            assert!(it.is_silent() && it.calls.is_empty(), "{json}");
        }
        let bare = heard(r#"{"tool_calls": [{"name": "f"}]}"#);
        assert_eq!((bare.calls[0].name.as_str(), bare.calls[0].object()), ("f", None));
    }

    #[test]
    fn our_own_turns_are_the_same() {
        let turn: PredictionTurn = serde_json::from_str(r#"{"content": "x", "tool_calls": [["f", "[]"]]}"#).unwrap();
        let it = Heard::from(&turn);
        assert_eq!((it.content.as_deref(), it.calls[0].object(), it.is_silent()), (Some("x"), None, false));
    }
}
