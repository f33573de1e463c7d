//! Finding calls in what a model said, however it was said, and naming the way.
//!
//! This is the tolerant reader of our own profile; the authors' own parsers live with their evaluators.

mod tags;

pub use tags::{Form, Place, Way};

use crate::llm::ToolCallText;
use crate::record::{FunctionCall, PredictionTurn};
use crate::text::{blocks, calls_of, embedded, read_native, without_language, without_thought};
use tags::{form, has_tag, read_part, read_python, read_tags};

/// What a reply is.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// Calls, each once, and the way in which they were found. A list of none is a list.
    Calls(Vec<FunctionCall>, Way),
    /// Words alone.
    Words,
    /// Something that was meant as a call and cannot be read.
    Broken,
    /// Nothing at all.
    Nothing,
}

/// Reads one turn of a prediction: tool calls that the server gave, and else its text. Arguments of `""` and `null` count as
/// not given, and equal calls as one; whoever must tell these apart reads `tool_calls`.
pub fn read_turn(turn: &PredictionTurn) -> Reading {
    if turn.tool_calls.is_empty() {
        return turn.content.as_deref().map_or(Reading::Nothing, read_text);
    }
    let native = turn
        .tool_calls
        .iter()
        .map(|(name, arguments)| read_native(&ToolCallText { name: name.clone(), arguments: arguments.clone() }).ok());
    match native.collect::<Option<Vec<_>>>() {
        Some(calls) => found(calls, Place::Native, Form::Named),
        None => Reading::Broken,
    }
}

/// Reads a text.
pub fn read_text(text: &str) -> Reading {
    let text = without_thought(text).trim();
    if text.is_empty() {
        return Reading::Nothing;
    }
    if let Some((calls, form)) = read_part(text) {
        return found(calls, Place::Whole, form);
    }
    if has_tag(text) {
        return read_tags(text).map_or(Reading::Broken, |(calls, form)| found(calls, Place::Tag, form));
    }
    let other = fenced(text).or_else(|| running(text));
    let broken = || if text.contains('{') { Reading::Broken } else { Reading::Words };
    other.map_or_else(broken, |(calls, way)| found(calls, way.place, way.form))
}

fn found(mut calls: Vec<FunctionCall>, place: Place, form: Form) -> Reading {
    let mut kept: Vec<FunctionCall> = Vec::with_capacity(calls.len());
    for call in calls.drain(..) {
        if !kept.contains(&call) {
            kept.push(call);
        }
    }
    Reading::Calls(kept, Way { place, form })
}

/// The calls of all fenced blocks that hold any.
fn fenced(text: &str) -> Option<(Vec<FunctionCall>, Way)> {
    let mut found: Option<(Vec<FunctionCall>, Way)> = None;
    for block in blocks(text) {
        let lines = || values(block).map(|(calls, way)| (calls, way.form));
        // A call's own name may look like a language.
        let part = read_part(block).or_else(|| read_part(without_language(block)));
        if let Some((calls, form)) = part.or_else(lines) {
            found.get_or_insert_with(|| (Vec::new(), Way { place: Place::Fenced, form })).0.extend(calls);
        }
    }
    found
}

/// Calls in running text: JSON values that are calls, or lines that are Python calls.
fn running(text: &str) -> Option<(Vec<FunctionCall>, Way)> {
    let lines = || {
        let calls: Vec<FunctionCall> = text.lines().filter_map(read_python).flatten().collect();
        (!calls.is_empty()).then_some((calls, Way { place: Place::Embedded, form: Form::Python }))
    };
    values(text).or_else(lines)
}

/// The JSON values in a text that are calls. An empty list among words is no answer: it may be anything.
fn values(text: &str) -> Option<(Vec<FunctionCall>, Way)> {
    let mut found: Option<(Vec<FunctionCall>, Way)> = None;
    for (_, value) in embedded(text) {
        if let Some(calls) = calls_of(&value).filter(|calls| !calls.is_empty()) {
            let way = Way { place: Place::Embedded, form: form(&value) };
            found.get_or_insert_with(|| (Vec::new(), way)).0.extend(calls);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CALL: &str = r#"{"name": "A.f", "arguments": {"a": 1}}"#;

    fn way(text: &str) -> String {
        match read_text(text) {
            Reading::Calls(calls, way) => {
                let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
                format!("{way} {}", names.join(","))
            }
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn calls_are_found_wherever_they_stand_and_the_way_is_named() {
        for (text, expected) in [
            (CALL.to_owned(), "whole_object A.f"),
            (format!("```json\n{CALL}\n```"), "fenced_object A.f"),
            (format!("```\n{CALL}"), "fenced_object A.f"),
            (format!("```JSON\n[{CALL}]\n```"), "fenced_list A.f"),
            (format!("```json\n{CALL}\n{{\"name\": \"B.g\", \"arguments\": {{}}}}\n```"), "fenced_object A.f,B.g"),
            (format!("```json\n{CALL}\n```\nor\n```json\n{CALL}\n```"), "fenced_object A.f"),
            ("```python\nA.f(a=1)\n```".to_owned(), "fenced_python A.f"),
            (format!("Here it is: {CALL} I hope it helps."), "embedded_object A.f"),
            (format!("<tool_call>{CALL}</tool_call>"), "tag_object A.f"),
            (format!("[TOOL_CALLS][{CALL}]"), "tag_list A.f"),
            ("[A.f(a=1), B.g()]".to_owned(), "whole_python A.f,B.g"),
            ("I will call this:\n[A.f(a=1)]".to_owned(), "embedded_python A.f"),
            (format!("<think>{{\"name\": \"B.g\", \"arguments\": {{}}}}</think>{CALL}"), "whole_object A.f"),
            ("[]".to_owned(), "whole_list "),
            ("```json\n[]\n```".to_owned(), "fenced_list "),
        ] {
            assert_eq!(way(&text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_call_is_words_or_broken_or_nothing() {
        assert_eq!(way("Which city (and when)?"), "Words");
        assert_eq!(way("The list [1, 2] and [] is empty."), "Words");
        assert_eq!(way(r#"```json{"name": "A.f", "arguments": {"a": "#), "Broken");
        assert_eq!(way("<tool_call>oops</tool_call>"), "Broken");
        assert_eq!(way(r#"{"a": 1}"#), "Broken");
        assert_eq!(way(" \n"), "Nothing");
    }

    #[test]
    fn a_servers_own_calls_come_first() {
        let turn = |arguments: &str| PredictionTurn {
            content: Some("B.g()".to_owned()),
            tool_calls: vec![("A.f".to_owned(), arguments.to_owned())],
            ..PredictionTurn::default()
        };
        let Reading::Calls(calls, way) = read_turn(&turn("{\"a\": 1}")) else { panic!("a call") };
        assert_eq!((calls[0].name.as_str(), way.to_string().as_str()), ("A.f", "native_named"));
        assert_eq!(read_turn(&turn("{\"a\": ")), Reading::Broken);
        assert_eq!(read_turn(&PredictionTurn::default()), Reading::Nothing);
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in any::<String>(), form in "[a-f`{}\\[\\]():=,\"'<>/_ 한]{0,60}") {
            for text in [text, form] {
                if let Reading::Calls(calls, _) = read_text(&text) {
                    prop_assert!(calls.len() <= text.len());
                }
            }
        }
    }
}
