//! Tags that models are trained to write around calls.

use super::part::{form, read_part};
use super::way::Form;
use crate::record::{FunctionCall, Value};
use crate::text::{calls_of, embedded};

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
