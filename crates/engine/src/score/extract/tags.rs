//! Tags that models are trained to write around calls.

use crate::python::{read_calls, read_literal};
use crate::record::{FunctionCall, Value};
use crate::text::{calls_of, embedded};
use std::fmt;

/// Marks before which a call is meant.
const TOOL_CALL: (&str, &str) = ("<tool_call>", "</tool_call>");
const FUNCTION: (&str, &str) = ("<function=", "</function>");
const MARKER: &str = "[TOOL_CALLS]";
const ARGUMENTS: &str = "[ARGS]";

/// Whether one of the marks stands in a text.
pub(super) fn has_tag(text: &str) -> bool {
    [TOOL_CALL.0, FUNCTION.0, MARKER].iter().any(|mark| text.contains(mark))
}

/// The calls between tags; nothing if one of them cannot be read.
pub(super) fn read_tags(text: &str) -> Option<(Vec<FunctionCall>, Form)> {
    if let Some((_, rest)) = text.split_once(MARKER) {
        return marked(rest);
    }
    let mut found: Option<(Vec<FunctionCall>, Form)> = None;
    let functions = between(text, FUNCTION).map(|part| Some((vec![named(part)?], Form::Named)));
    let calls = between(text, TOOL_CALL).filter(|part| !part.contains(FUNCTION.0)).map(read_part);
    for part in calls.chain(functions) {
        let (calls, form) = part?;
        found.get_or_insert_with(|| (Vec::new(), form)).0.extend(calls);
    }
    found
}

/// What stands between each opening tag and its closing one, or the next opening one, or the end.
fn between<'t>(text: &'t str, tag: (&'static str, &'static str)) -> impl Iterator<Item = &'t str> {
    text.split(tag.0).skip(1).map(move |rest| rest.split(tag.1).next().unwrap_or(rest))
}

/// `name>{"a": 1}`.
fn named(part: &str) -> Option<FunctionCall> {
    let (name, arguments) = part.split_once('>')?;
    call(name, arguments)
}

/// What follows the marker: a list of calls, or names with the JSON of their arguments.
fn marked(rest: &str) -> Option<(Vec<FunctionCall>, Form)> {
    if rest.trim_start().starts_with(['[', '{']) && !rest.trim_start().starts_with(ARGUMENTS) {
        let (_, value) = embedded(rest).into_iter().next()?;
        return Some((calls_of(&value)?, form(&value)));
    }
    let calls = rest.split(MARKER).map(|part| {
        let part = part.replacen(ARGUMENTS, "", 1);
        let at = part.find('{')?;
        let (name, arguments) = part.split_at_checked(at)?;
        call(name, arguments)
    });
    Some((calls.collect::<Option<_>>()?, Form::Named))
}

fn call(name: &str, arguments: &str) -> Option<FunctionCall> {
    let name = name.trim();
    let (value, _) = Value::read_lenient(arguments.trim()).ok()?;
    let arguments = value.as_object()?.clone();
    (!name.is_empty()).then(|| FunctionCall { name: name.to_owned(), arguments })
}

// Calls in a piece of text that is nothing but calls.

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

// How a call was found in a reply. Verdicts name it, so that a report shows how well a model keeps to the form.

/// Where the call stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The server gave it as a tool call.
    Native,
    /// It is the whole reply.
    Whole,
    /// Between tags that models are trained to write.
    Tag,
    /// In a fenced block.
    Fenced,
    /// Somewhere in running text.
    Embedded,
}

/// How the call was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// One JSON object with a name and arguments.
    Object,
    /// A JSON list of them.
    List,
    /// The shape of `OpenAI`'s messages.
    OpenAi,
    /// A name beside the JSON of its arguments.
    Named,
    /// A Python call.
    Python,
    /// A Python dictionary, or JSON with Python's liberties.
    Literal,
}

/// Where a call stood and how it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Way {
    /// Where it stood.
    pub place: Place,
    /// How it was written.
    pub form: Form,
}

impl Place {
    fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Whole => "whole",
            Self::Tag => "tag",
            Self::Fenced => "fenced",
            Self::Embedded => "embedded",
        }
    }
}

impl Form {
    fn as_str(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::List => "list",
            Self::OpenAi => "openai",
            Self::Named => "named",
            Self::Python => "python",
            Self::Literal => "literal",
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}_{}", self.place.as_str(), self.form.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(String, Form)> {
        read_tags(text).map(|(calls, form)| (serde_json::to_string(&calls).unwrap(), form))
    }

    #[test]
    fn tags_of_several_families_are_read() {
        let call = r#"[{"name":"A.f","arguments":{"a":1}}]"#;
        for (text, form) in [
            ("<tool_call>\n{\"name\": \"A.f\", \"arguments\": {\"a\": 1}}\n</tool_call>", Form::Object),
            ("ok <tool_call>{\"name\": \"A.f\", \"arguments\": {\"a\": 1}}", Form::Object),
            ("<function=A.f>{\"a\": 1}</function>", Form::Named),
            ("<tool_call><function=A.f>{\"a\": 1}</function></tool_call>", Form::Named),
            ("[TOOL_CALLS][{\"name\": \"A.f\", \"arguments\": {\"a\": 1}}]", Form::List),
            ("[TOOL_CALLS] [{\"name\": \"A.f\", \"arguments\": {\"a\": 1}}] done", Form::List),
            ("[TOOL_CALLS]A.f[ARGS]{\"a\": 1}", Form::Named),
            ("[TOOL_CALLS]A.f{\"a\": 1}", Form::Named),
        ] {
            assert_eq!(read(text), Some((call.to_owned(), form)), "{text}");
        }
    }

    #[test]
    fn several_tags_are_several_calls() {
        let one = "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>";
        assert_eq!(read_tags(&one.repeat(2)).unwrap().0.len(), 2);
        assert_eq!(read_tags("[TOOL_CALLS]f{}[TOOL_CALLS]g{}").unwrap().0.len(), 2);
    }

    #[test]
    fn what_is_broken_is_none_though_the_tag_is_there() {
        for text in [
            "<tool_call>{\"name\": </tool_call>",
            "[TOOL_CALLS]",
            "[TOOL_CALLS][{]",
            "<function=f>[1]</function>",
            "<function=>{}",
            "[TOOL_CALLS]{}",
        ] {
            assert_eq!((read(text), has_tag(text)), (None, true), "{text}");
        }
        assert!(!has_tag("tool_call"));
    }
}

#[cfg(test)]
mod part_tests {
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

#[cfg(test)]
mod way_tests {
    use super::*;

    #[test]
    fn a_way_has_one_name() {
        assert_eq!(Way { place: Place::Fenced, form: Form::OpenAi }.to_string(), "fenced_openai");
        assert_eq!(Way { place: Place::Native, form: Form::Named }.to_string(), "native_named");
    }

    #[test]
    fn every_way_has_a_word_of_its_own() {
        let places = [Place::Native, Place::Whole, Place::Tag, Place::Fenced, Place::Embedded];
        let forms = [Form::Object, Form::List, Form::OpenAi, Form::Named, Form::Python, Form::Literal];
        let ways = places.into_iter().flat_map(|place| forms.map(|form| Way { place, form }.to_string()));
        let words: std::collections::BTreeSet<String> = ways.collect();
        assert_eq!(words.len(), places.len() * forms.len());
        let plain = |letter: char| letter.is_ascii_lowercase() || "_/- ".contains(letter);
        assert!(words.iter().all(|word| word.chars().all(plain)), "{words:?}");
    }
}
