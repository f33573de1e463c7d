//! The calls of a reply, as the scorer reads them.

use crate::llm::Reply;
use crate::record::{BorrowedValue, FunctionCall, Number, Object, Value};
use crate::score::bfcl::{Call, PythonValue, decode_text_strictly, get};
use std::borrow::Cow;

/// A call that a model made.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Called {
    /// The function's name, and its arguments as a text of JSON: what a row keeps.
    pub(super) text: (String, String),
    /// The call; none where its arguments cannot be read.
    pub(super) read: Option<Read>,
}

/// A call that could be read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Read {
    /// As a checker takes it.
    pub(super) python: Call<'static>,
    /// As an API takes it.
    pub(super) call: FunctionCall,
}

impl Called {
    /// The calls of a reply: those that it made natively, or else, where it was to write them, those of its text.
    pub(super) fn all(reply: &Reply, native: bool) -> Vec<Self> {
        if !reply.tool_calls.is_empty() {
            return reply.tool_calls.iter().map(|call| Self::native(&call.name, &call.arguments)).collect();
        }
        if native {
            return Vec::new();
        }
        let found = decode_text_strictly(&reply.text).map(|found| found.calls).unwrap_or_default();
        found.into_iter().filter_map(Self::written).collect()
    }

    fn native(name: &str, arguments: &str) -> Self {
        let value = BorrowedValue::read_strict(arguments).ok().filter(|value| value.as_object().is_some());
        let read = value.map(|value| {
            let call = FunctionCall { name: name.to_owned(), arguments: object(Value::from(value.clone())) };
            let python = Call { name: Cow::Owned(name.to_owned()), arguments: PythonValue::from(value).into_owned() };
            Read { python, call }
        });
        Self { text: (name.to_owned(), arguments.to_owned()), read }
    }

    fn written(call: Call<'_>) -> Option<Self> {
        let (name, arguments) = (call.name.into_owned(), call.arguments.into_owned());
        let call = FunctionCall { name: name.clone(), arguments: object(value(&arguments)) };
        let text = (name.clone(), serde_json::to_string(&call.arguments).ok()?);
        Some(Self { text, read: Some(Read { python: Call { name: Cow::Owned(name), arguments }, call }) })
    }
}

fn object(value: Value) -> Object {
    if let Value::Object(object) = value { object } else { Object::new() }
}

/// A value of Python's in JSON; what JSON has no word for is its text.
fn value(given: &PythonValue<'_>) -> Value {
    match given {
        PythonValue::None => Value::Null,
        PythonValue::Bool(bool) => Value::Bool(*bool),
        PythonValue::Int(number) => Value::from(*number),
        PythonValue::Big(digits) => Number::parse(digits).map_or_else(|| digits.as_str().into(), Value::from),
        PythonValue::Float(number) if number.is_finite() => Value::from(*number),
        PythonValue::Text(text) => Value::from(&**text),
        PythonValue::List(list) | PythonValue::Tuple(list) => Value::List(list.iter().map(value).collect()),
        PythonValue::Dict(entries) => {
            let names = entries.iter().filter_map(|(key, _)| key.as_text());
            Value::Object(names.filter_map(|name| Some((name.to_owned(), value(get(entries, name)?)))).collect())
        }
        other => Value::from(crate::score::bfcl::repr(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::ToolCallText;

    fn texts(reply: &Reply, native: bool) -> Vec<(String, String)> {
        Called::all(reply, native).into_iter().map(|called| called.text).collect()
    }

    fn said(text: &str) -> Reply {
        Reply { text: text.to_owned(), ..Reply::default() }
    }

    fn pair(name: &str, arguments: &str) -> (String, String) {
        (name.to_owned(), arguments.to_owned())
    }

    #[test]
    fn calls_of_a_text_become_json() {
        let text =
            "<think>hm</think>\n[a.b(n=-1.5, on=True, none=None, all=('x', [2]), d={'k': 99999999999999999999}), c()]";
        let json = r#"{"n":-1.5,"on":true,"none":null,"all":["x",[2]],"d":{"k":99999999999999999999}}"#;
        assert_eq!(texts(&said(text), false), [pair("a.b", json), pair("c", "{}")]);
        let odd = Called::all(&said("[f(c=2j, b=b'x', i=1e999)]"), false);
        assert_eq!(odd[0].text.1, r#"{"c":"2j","b":"b'x'","i":"inf"}"#);
    }

    #[test]
    fn words_are_no_calls() {
        for text in ["", "At noon.", "[]", "I would call f(a=1) if I could"] {
            assert!(texts(&said(text), false).is_empty(), "{text}");
        }
        assert!(texts(&said("[f(a=1)]"), true).is_empty(), "a model with tools that writes has said something");
    }

    #[test]
    fn native_calls_stay_as_they_came_and_some_cannot_be_read() {
        let call = |arguments: &str| ToolCallText { name: "f".to_owned(), arguments: arguments.to_owned() };
        let calls = vec![call(r#"{"a": 1.50}"#), call("{"), call("[]"), call(r#"{"a": 1, "a": 2}"#)];
        let reply = Reply { tool_calls: calls, text: "[g()]".to_owned(), ..Reply::default() };
        let called = Called::all(&reply, false);
        assert_eq!(called[0].text, pair("f", r#"{"a": 1.50}"#));
        let read: Vec<bool> = called.iter().map(|called| called.read.is_some()).collect();
        assert_eq!(read, [true, false, false, false]);
        assert_eq!(called[0].read.as_ref().unwrap().call.arguments["a"].to_string(), "1.50");
    }
}
