//! Calls in a piece of text that is nothing but calls.

use super::way::Form;
use crate::python::{read_calls, read_literal};
use crate::record::{FunctionCall, Value};
use crate::text::calls_of;

/// Reads a piece as JSON, as Python calls, or as Python values. A list may be empty.
pub(super) fn read_part(text: &str) -> Option<(Vec<FunctionCall>, Form)> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    if let Ok((value, _)) = Value::read_lenient(text) {
        return Some((calls_of(&value)?, form(&value)));
    }
    if let Some(calls) = read_python(text) {
        return Some((calls, Form::Python));
    }
    let value = Value::from(read_literal(text)?);
    Some((calls_of(&value)?, Form::Literal))
}

/// Python calls, in brackets or bare. Nobody can tell which parameters arguments without a keyword are for.
pub(super) fn read_python(text: &str) -> Option<Vec<FunctionCall>> {
    let inside = text.trim().strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let calls = read_calls(inside)?;
    let is_keyword_only = calls.iter().all(|call| !call.positional);
    let read = calls.into_iter().map(|call| FunctionCall {
        name: call.name.into_owned(),
        arguments: crate::record::Object::from(call.arguments),
    });
    is_keyword_only.then(|| read.collect())
}

/// How a value that holds calls is shaped.
pub(super) fn form(value: &Value) -> Form {
    match value {
        Value::List(items) if items.iter().any(is_openai) => Form::OpenAi,
        Value::List(_) => Form::List,
        other if is_openai(other) => Form::OpenAi,
        _ => Form::Object,
    }
}

fn is_openai(value: &Value) -> bool {
    let has = |key: &str| value.as_object().and_then(|object| object.get(key));
    has("tool_calls").is_some() || has("function").is_some_and(|inner| inner.as_object().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(String, Form)> {
        read_part(text).map(|(calls, form)| (serde_json::to_string(&calls).unwrap(), form))
    }

    #[test]
    fn one_call_in_many_shapes() {
        let call = r#"[{"name":"A.f","arguments":{"a":1}}]"#;
        for (text, form) in [
            (r#"{"name": "A.f", "parameters": {"a": 1, "b": ""}}"#, Form::Object),
            (r#"{"name": "A.f", "arguments": "{\"a\": 1}"}"#, Form::Object),
            (r#"[{"name": "A.f", "arguments": {"a": 1}}]"#, Form::List),
            (
                r#"{"tool_calls": [{"type": "function", "function": {"name": "A.f", "arguments": {"a": 1}}}]}"#,
                Form::OpenAi,
            ),
            (r#"[{"function": {"name": "A.f", "arguments": "{\"a\":1}"}}]"#, Form::OpenAi),
            ("A.f(a=1)", Form::Python),
            ("[A.f(a=1)]", Form::Python),
            ("{'name': 'A.f', 'arguments': {'a': 1, 'b': None}}", Form::Literal),
            (r#"{"name": "A.f", "arguments": {"a": 1},}"#, Form::Literal),
        ] {
            assert_eq!(read(text), Some((call.to_owned(), form)), "{text}");
        }
    }

    #[test]
    fn a_list_may_be_empty_and_anything_else_is_none() {
        assert_eq!(read("[]"), Some(("[]".to_owned(), Form::List)));
        assert_eq!(read(r#"{"tool_calls": []}"#), Some(("[]".to_owned(), Form::OpenAi)));
        for text in ["", "{}", "5", "[5]", "words", "f('x')", r#"{"name": "A.f", "arguments": {"a": 1}"#] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
