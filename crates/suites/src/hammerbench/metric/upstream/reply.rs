//! Finding the call in a model's reply, as the authors' parsers do. A reply that breaks them is unparsable, whole.

use crate::python::{CallText, read_calls, trim};
use crate::record::{BorrowedObject, BorrowedValue};

const FENCE: &str = "```";
const JSON_FENCE: &str = "```json";
const BARE: &str = "{\"name\"";
const MISTRAL: &str = "[TOOL_CALLS][";
const XLAM: &str = "\"tool_calls\":";

/// A call as it was read. Neither part need be of the right type: the authors look at neither.
#[derive(Debug, Clone, PartialEq)]
pub struct Call<'t> {
    /// What stands under `name`.
    pub name: BorrowedValue<'t>,
    /// The arguments.
    pub arguments: BorrowedValue<'t>,
}

/// The authors' parsers. They choose by a word in the log's path; here it is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Parser {
    /// Bare or fenced JSON.
    #[default]
    Default,
    /// A list after `[TOOL_CALLS]`.
    Ministral,
    /// A list under `tool_calls`.
    Xlam,
    /// Python calls in brackets.
    Toolace,
}

impl Parser {
    /// Reads a reply.
    pub fn read(self, text: &str) -> Option<Call<'_>> {
        match self {
            Self::Default => whole(text).or_else(|| blocks(text)),
            Self::Ministral => first_of(up_to_close(text, text.find(MISTRAL)? + MISTRAL.len() - 1)?),
            Self::Xlam => first_of(xlam_list(text)?),
            Self::Toolace => {
                let text = text.trim_matches(['[', ']', '\'']);
                // To Python, a line that begins with a space is an error of its own.
                let calls = (!text.starts_with([' ', '\t'])).then(|| read_calls(text))??;
                calls.into_iter().next().map(Call::from)
            }
        }
    }
}

/// The whole reply as JSON; here alone `arguments` is not taken for `parameters`.
fn whole(text: &str) -> Option<Call<'_>> {
    let mut object = BorrowedValue::read_lenient(trim(text)).ok()?.into_object()?;
    let name = object.take("name")?;
    let given = given(object.take("parameters")?.into_object()?);
    Some(Call { name, arguments: BorrowedValue::Object(given) })
}

/// The first of the fenced blocks, if all of them can be read.
fn blocks(text: &str) -> Option<Call<'_>> {
    let mut first = None;
    let mut fenced = fences(text).peekable();
    if fenced.peek().is_none() {
        let (at, _) = text.match_indices(BARE).next()?;
        return block(trim(text.get(at..)?));
    }
    for content in fenced.filter(|content| !content.is_empty()) {
        let call = block(content)?;
        first = first.or(Some(call));
    }
    first
}

/// What stands between an opening mark and the next mark.
fn fences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (content, after) = split_at_mark(split_at_mark(rest, JSON_FENCE)?.1, FENCE)?;
        rest = after;
        Some(content)
    })
}

/// Splits around a mark that begins with a backtick. There are few of those, so that looking for one letter is fastest.
fn split_at_mark<'t>(text: &'t str, mark: &str) -> Option<(&'t str, &'t str)> {
    text.match_indices('`').find_map(|(at, _)| {
        let (before, rest) = text.split_at_checked(at)?;
        Some((before, rest.strip_prefix(mark)?))
    })
}

/// One block: JSON, or JSON in its last line, where a model wrote several calls.
fn block(content: &str) -> Option<Call<'_>> {
    let content = trim(content);
    let last = || BorrowedValue::read_lenient(trim(content.rsplit('\n').next()?)).ok();
    let mut object = BorrowedValue::read_lenient(content).ok().or_else(last)?.into_object()?;
    let name = object.take("name")?;
    let arguments = object.take("arguments").and_then(BorrowedValue::into_object);
    let arguments = arguments.or_else(|| object.take("parameters")?.into_object());
    Some(Call { name, arguments: BorrowedValue::Object(given(arguments.unwrap_or_default())) })
}

/// The first call of a list whose calls all have arguments.
fn first_of(list: &str) -> Option<Call<'_>> {
    let BorrowedValue::List(calls) = BorrowedValue::read_lenient(list).ok()? else { return None };
    let mut calls = calls.into_iter().map(|call| {
        let mut object = call.into_object()?;
        let name = object.take("name")?;
        let arguments = given(object.take("arguments")?.into_object()?);
        Some(Call { name, arguments: BorrowedValue::Object(arguments) })
    });
    let first = calls.next()??;
    calls.all(|call| call.is_some()).then_some(first)
}

/// From the last bracket of the key's line that is ever closed.
fn xlam_list(text: &str) -> Option<&str> {
    text.match_indices(XLAM).find_map(|(at, key)| {
        let start = at + key.len();
        let line = text.get(start..)?.split('\n').next()?;
        line.rmatch_indices('[').find_map(|(open, _)| up_to_close(text, start + open))
    })
}

/// From an opening bracket to the next closing one, whatever stands between them.
fn up_to_close(text: &str, open: usize) -> Option<&str> {
    let rest = text.get(open..)?;
    rest.get(..=rest.find(']')?)
}

/// Arguments without those that say that they were not given.
fn given(mut arguments: BorrowedObject<'_>) -> BorrowedObject<'_> {
    arguments.retain(|value| !matches!(value.as_str(), Some("" | "\\")));
    arguments
}

impl<'t> From<CallText<'t>> for Call<'t> {
    fn from(call: CallText<'t>) -> Self {
        Self { name: BorrowedValue::String(call.name), arguments: BorrowedValue::Object(call.arguments) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Value;

    fn read(parser: Parser, text: &str) -> Option<(String, String)> {
        parser.read(text).map(|call| (Value::from(call.name).to_string(), Value::from(call.arguments).to_string()))
    }

    fn json(text: &str) -> Option<String> {
        read(Parser::Default, text).map(|(name, arguments)| format!("{name} {arguments}"))
    }

    #[test]
    fn what_the_default_parser_takes() {
        let f = Some(r#""f" {"a":1}"#.to_owned());
        for text in [
            r#"{"name": "f", "parameters": {"a": 1, "b": ""}}"#,
            "  {\n \"name\": \"f\", \"parameters\": {\"a\": 1, \"b\": \"\\\\\"}} ",
            "```json\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}\n```",
            "so: ```json{\"name\": \"f\", \"arguments\": null, \"parameters\": {\"a\": 1}}``` yes",
            "so: {\"name\": \"f\", \"arguments\": {\"a\": 1}}",
            "```json\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}",
            "```json{\"name\": \"g\"}\n{\"name\": \"f\", \"arguments\": {\"a\": 1}}```",
            "```json``````json{\"name\": \"f\", \"arguments\": {\"a\": 1}}```",
            "```json{\"name\": \"f\", \"arguments\": {\"a\": 1}}``````json{\"name\": \"g\"}```",
        ] {
            assert_eq!(json(text), f, "{text}");
        }
    }

    #[test]
    fn arguments_that_are_no_object_are_none_at_all() {
        for arguments in ["\"{}\"", "null", "[{\"a\": 1}]", "5"] {
            assert_eq!(
                json(&format!("```json{{\"name\": \"f\", \"arguments\": {arguments}}}```")).as_deref(),
                Some(r#""f" {}"#)
            );
        }
        assert_eq!(json("```json{\"name\": null}```").as_deref(), Some("null {}"));
        assert_eq!(json(r#"{"name": "f", "arguments": {"a": NaN, "a": null}}"#).as_deref(), Some(r#""f" {"a":null}"#));
    }

    #[test]
    fn what_the_default_parser_does_not_take() {
        for text in [
            "",
            " \n",
            "5",
            "{}",
            r#"[{"name": "f", "arguments": {}}]"#,
            r#"{ "name": "f", "arguments": {}}"#,
            r#"{"arguments": {}, "name": "f"}"#,
            r#"{"name": "f", "arguments": {}} there"#,
            "```JSON{\"name\": \"f\", \"parameters\": {}}```",
            "```\n{\"name\": \"f\", \"arguments\": {}}\n```",
            "```json\n\n``````json{\"name\": \"f\"}```",
            "```json{\"name\": \"f\"}``````json{oops```",
            "```json{\"function\": \"f\"}```",
            "```json[{\"name\": \"f\"}]```",
            "```json``````json```",
        ] {
            assert_eq!(json(text), None, "{text}");
        }
    }

    #[test]
    fn a_list_after_the_tag_ends_at_the_first_bracket() {
        let text = r#"[TOOL_CALLS][{"name": "f", "arguments": {"a": "1", "b": ""}}, {"name": "g", "arguments": {}}] "#;
        assert_eq!(read(Parser::Ministral, text), Some(("\"f\"".to_owned(), r#"{"a":"1"}"#.to_owned())));
        for text in
            [r#"[TOOL_CALLS][{"name": "f", "arguments": {"a": [1]}}]"#, "[TOOL_CALLS][]", "[TOOL_CALLS] [1]", "none"]
        {
            assert_eq!(read(Parser::Ministral, text), None, "{text}");
        }
        let second = r#"[TOOL_CALLS][{"name": "f", "arguments": {}}, {"name": "g"}]"#;
        assert_eq!(read(Parser::Ministral, second), None);
    }

    #[test]
    fn a_list_under_the_key_begins_at_the_last_bracket_of_the_line() {
        let text = r#"{"thought": "", "tool_calls": [{"name": "f", "arguments": {"a": 1}}]}"#;
        assert_eq!(read(Parser::Xlam, text), Some(("\"f\"".to_owned(), r#"{"a":1}"#.to_owned())));
        let lines = "{\"tool_calls\": [\n{\"name\": \"f\", \"arguments\": {}}\n]}";
        assert_eq!(read(Parser::Xlam, lines), Some(("\"f\"".to_owned(), "{}".to_owned())));
        for text in [r#"{"tool_calls": []}"#, r#"{"tool_calls": [{"name": "f", "arguments": {"a": [1]}}]}"#, "[]"] {
            assert_eq!(read(Parser::Xlam, text), None, "{text}");
        }
    }

    #[test]
    fn python_calls_keep_empty_arguments() {
        let text = r#"[A.B.f(a="x", b=''), g()]"#;
        assert_eq!(read(Parser::Toolace, text), Some(("\"A.B.f\"".to_owned(), r#"{"a":"x","b":""}"#.to_owned())));
        assert_eq!(read(Parser::Toolace, "None of the functions can be used."), None);
    }
}
