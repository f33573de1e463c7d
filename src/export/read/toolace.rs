//! `ToolACE`'s rows: calls as text in brackets, whose names may hold spaces, and tools within the system text.

use super::super::loss::Rule;
use super::types::tool_of;
use super::{Parts, answer, assistant, conversation, parted};
use crate::export::lessons::lesson::Turn;
use crate::python::read_calls;
use crate::record::{FunctionCall, Object, Role, Value};

/// What stands in place of a name while the arguments are read.
const NAME: &str = "f";

/// Reads a row.
pub(super) fn parts(row: &Object) -> Result<Parts, String> {
    let (mut turns, mut lost) = (Vec::new(), Vec::new());
    let system = row.get("system").and_then(Value::as_str).unwrap_or_default();
    let tools = tools(system).iter().map(|tool| tool_of(tool, &mut lost)).collect::<Result<Vec<_>, _>>()?;
    match (tools.is_empty(), system.trim().is_empty()) {
        (true, false) => turns.push(Turn::said(Role::System, system)),
        (false, _) => lost.push((Rule::System, "the text around the list of tools".to_owned())),
        (true, true) => {}
    }
    let (mut calls, mut open) = (0, 0);
    for (from, value) in conversation(row)? {
        match from {
            "user" | "human" => turns.push(Turn::said(Role::User, value)),
            "assistant" | "gpt" => {
                let (thought, text) = parted(value);
                let found = called(text).unwrap_or_default();
                (calls, open) = (calls + found.len(), found.len());
                turns.push(assistant(if found.is_empty() { text } else { "" }, found, thought));
            }
            "tool" => {
                let results = results(value, open);
                if results.is_empty() {
                    lost.push((Rule::Unpaired, value.to_owned()));
                }
                turns.extend(
                    results.into_iter().enumerate().map(|(at, text)| Turn::answered((calls - open) + at, text)),
                );
            }
            other => return Err(format!("unknown role `{other}`")),
        }
    }
    Ok(Parts { turns, tools, lost })
}

/// The first list of tools in a text.
fn tools(text: &str) -> Vec<Value> {
    let is_tool = |value: &Value| {
        value.as_object().is_some_and(|tool| tool.contains_key("name") || tool.contains_key("function"))
    };
    let lists = text.match_indices('[').filter_map(|(at, _)| match Value::read_beginning(text.get(at..)?)?.0 {
        Value::List(list) => Some(list),
        _ => None,
    });
    lists.into_iter().find(|list| list.first().is_some_and(is_tool)).unwrap_or_default()
}

/// The calls of a text that is nothing else.
fn called(text: &str) -> Option<Vec<FunctionCall>> {
    let mut rest = text.trim().strip_prefix('[')?.strip_suffix(']')?.trim();
    let mut calls = Vec::new();
    while !rest.is_empty() {
        let (name, after) = rest.split_once('(')?;
        let end = closing(after)?;
        let (arguments, after) = (after.get(..end)?, after.get(end + 1..)?);
        let spelt = format!("{NAME}({arguments})");
        let [one] = <[_; 1]>::try_from(read_calls(&spelt)?).ok()?;
        calls.push(FunctionCall { name: name.trim().to_owned(), arguments: one.arguments.into() });
        rest = after.trim_start().trim_start_matches(',').trim_start();
    }
    (!calls.is_empty()).then_some(calls)
}

/// Where the bracket closes that stands open before a text; brackets within quotes are words.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut quote, mut escaped) = (0_usize, None, false);
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), _) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(letter),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')') if depth == 0 => return Some(at),
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// The results of some calls: a list has one for each.
fn results(value: &str, calls: usize) -> Vec<String> {
    let inner = |it: &Value| it.as_object().and_then(|it| it.get("results")).map_or_else(|| answer(it), answer);
    match Value::read(value) {
        Ok(Value::List(list)) if calls > 0 && list.len() == calls => list.iter().map(inner).collect(),
        _ if calls > 0 => vec![value.to_owned()],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Shape, read_as};
    use super::*;
    use crate::record::Expected;
    use serde_json::json;

    fn row(turns: &[(&str, &str)]) -> String {
        let system = r#"You compose functions. Here is a list: [{"name": "Market Trends API", "description": "Trends", "parameters": {"type": "dict", "properties": {"trend_type": {"type": "string"}}, "required": ["trend_type"]}}] Mind [them]."#;
        let turns: Vec<_> = turns.iter().map(|(from, value)| json!({"from": from, "value": value})).collect();
        json!({"system": system, "conversations": turns}).to_string()
    }

    #[test]
    fn calls_in_brackets_have_names_with_spaces() {
        let line = row(&[
            ("user", "the market?"),
            ("assistant", r#"[Market Trends API(trend_type="A (b), \"c\"", n=[1, 2]), Other.x()]"#),
            (
                "tool",
                r#"[{"name": "Market Trends API", "results": {"up": true}}, {"name": "Other.x", "results": "none"}]"#,
            ),
            ("assistant", "It rises."),
        ]);
        let (sample, losses) = read_as(Shape::Toolace, &line, "x").unwrap();
        let Expected::Steps(steps) = &sample.expected else { panic!("{:?}", sample.expected) };
        assert_eq!(
            (steps[0].calls[0].name.as_str(), steps[0].calls[1].name.as_str()),
            ("Market Trends API", "Other.x")
        );
        assert_eq!(steps[0].calls[0].arguments["trend_type"].as_str(), Some("A (b), \"c\""));
        assert_eq!(steps[0].answers[0].to_string(), r#"{"up":true}"#);
        assert_eq!(
            (sample.candidates[0].parameters.kind.as_str(), losses.len(), losses[0].rule),
            ("object", 1, Rule::System)
        );
    }

    #[test]
    fn words_are_words_even_in_brackets() {
        let (sample, _) =
            read_as(Shape::Toolace, &row(&[("user", "hi"), ("assistant", "[I see] what you mean")]), "x").unwrap();
        assert_eq!(sample.expected, Expected::Answer("[I see] what you mean".to_owned()));
        assert_eq!((called("[]"), called("[f(a=1"), called("f(a=1)")), (None, None, None));
    }

    #[test]
    fn a_result_that_nobody_asked_for_is_told() {
        let (_, losses) =
            read_as(Shape::Toolace, &row(&[("user", "hi"), ("tool", "{}"), ("assistant", "?")]), "x").unwrap();
        assert_eq!(losses.iter().map(|loss| loss.rule).collect::<Vec<_>>(), [Rule::System, Rule::Unpaired]);
    }
}
