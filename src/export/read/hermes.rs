//! Hermes' rows: calls, results and tools between tags. JSON is expected; Python's dicts, as older rows have them, are read too.

use super::super::back;
use super::super::loss::Rule;
use super::types::tool_of;
use super::{Parts, answer, assistant, conversation, parted};
use crate::export::lessons::lesson::Turn;
use crate::python::read_literal;
use crate::record::{FunctionCall, Object, Role, Value};

/// Reads a row.
pub(super) fn parts(row: &Object) -> Result<Parts, String> {
    let (mut turns, mut tools, mut lost) = (Vec::new(), Vec::new(), Vec::new());
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut calls = 0;
    for (from, value) in conversation(row)? {
        match from {
            "system" => {
                let (own, found) = system(value)?;
                tools.extend(found.iter().map(|tool| tool_of(tool, &mut lost)).collect::<Result<Vec<_>, _>>()?);
                turns.extend(own.map(|text| Turn::said(Role::System, text)));
                if !value.contains("</tools>") || is_ours(value) {
                    continue;
                }
                lost.push((Rule::System, "the text around `<tools>`".to_owned()));
            }
            "human" | "user" => turns.push(Turn::said(Role::User, value)),
            "gpt" | "assistant" => {
                let turn = spoken(value)?;
                open.extend(turn.calls.iter().enumerate().map(|(at, call)| (calls + at, call.name.clone())));
                calls += turn.calls.len();
                turns.push(turn);
            }
            "tool" | "observation" | "function" => turns.extend(results(value, &mut open, &mut lost)),
            other => return Err(format!("unknown role `{other}`")),
        }
    }
    Ok(Parts { turns, tools, lost })
}

/// The text that `fcgen export` puts around the tools.
fn pattern() -> String {
    crate::assets().read("profiles/hermes.md").unwrap_or_default().trim().to_owned()
}

fn is_ours(value: &str) -> bool {
    pattern().split("{tools}").all(|part| value.contains(part))
}

/// The system's own text where it can be told from what is said of tools, and the tools.
fn system(value: &str) -> Result<(Option<String>, Vec<Value>), String> {
    // The last opening that a list follows: the text itself may speak of the tags.
    let list = value.split("<tools>").skip(1).filter_map(|rest| rest.split_once("</tools>")).last();
    let Some((list, _)) = list else { return Ok((Some(value.to_owned()), Vec::new())) };
    let tools = values(list).ok_or("the content of `<tools>` could not be parsed")?;
    let told = pattern();
    let own = told.split("{tools}").next().and_then(|before| value.split_once(before)).map(|(own, _)| own.trim_end());
    Ok((own.filter(|own| !own.is_empty() && is_ours(value)).map(str::to_owned), tools))
}

/// A list, or values one after another.
fn values(text: &str) -> Option<Vec<Value>> {
    let text = text.trim();
    if let Some(value) = read(text) {
        return Some(if let Value::List(list) = value { list } else { vec![value] });
    }
    text.lines().filter(|line| !line.trim().is_empty()).map(|line| read(line.trim())).collect()
}

/// JSON, or else what Python writes.
fn read(text: &str) -> Option<Value> {
    Value::read(text).ok().or_else(|| read_literal(text).map(Value::from))
}

fn spoken(value: &str) -> Result<Turn, String> {
    let (thought, text) = parted(value);
    let (mut words, mut calls): (String, Vec<FunctionCall>) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<tool_call>") {
        words.push_str(before);
        let (block, after) = after.split_once("</tool_call>").ok_or("unclosed `<tool_call>`")?;
        let call = read(block.trim()).as_ref().and_then(back::read_call);
        calls.push(call.ok_or("a `<tool_call>` has no name with arguments")?);
        rest = after;
    }
    words.push_str(rest);
    let words = if calls.is_empty() { text } else { words.trim() };
    Ok(assistant(words, calls, thought))
}

/// Results in their blocks, each to the first open call of its name, else to the first.
fn results(value: &str, open: &mut Vec<(usize, String)>, lost: &mut Vec<(Rule, String)>) -> Vec<Turn> {
    let blocks: Vec<&str> = value
        .split("<tool_response>")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once("</tool_response>")?.0))
        .collect();
    let blocks = if blocks.is_empty() { vec![value] } else { blocks };
    let mut turns = Vec::new();
    for block in blocks {
        let told = read(block.trim());
        let told = told.as_ref().and_then(Value::as_object);
        let name = told.and_then(|told| told.get("name")).and_then(Value::as_str);
        let text = told.and_then(|told| told.get("content")).map_or_else(|| block.trim().to_owned(), answer);
        let at =
            open.iter().position(|(_, call)| Some(call.as_str()) == name).or_else(|| (!open.is_empty()).then_some(0));
        match at.map(|at| open.remove(at)) {
            Some((call, _)) => turns.push(Turn::answered(call, text)),
            None => lost.push((Rule::Unpaired, text)),
        }
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::super::{Shape, read_as};
    use super::*;
    use serde_json::json;

    fn read_row(turns: &[(&str, &str)]) -> super::super::Read {
        let turns: Vec<_> = turns.iter().map(|(from, value)| json!({"from": from, "value": value})).collect();
        read_as(Shape::Hermes, &json!({"conversations": turns}).to_string(), "x")
    }

    const SYSTEM: &str = "You call functions between <tools></tools>.\n<tools> [{'type': 'function', 'function': {'name': 'f', 'description': 'F', 'parameters': {'type': 'object', 'properties': {'a': {'type': 'string'}}, 'required': []}}}] </tools> So be it.";

    #[test]
    fn rows_in_pythons_syntax_are_read_as_well() {
        let called = "<tool_call>\n{'arguments': {'a': None, 'b': 'it\\'s'}, 'name': 'f'}\n</tool_call>";
        let told = "<tool_response>\n{\"name\": \"f\", \"content\": {\"x\": 1}}\n</tool_response>";
        let (sample, losses) = read_row(&[
            ("system", SYSTEM),
            ("human", "go"),
            ("gpt", called),
            ("tool", told),
            ("gpt", "Done."),
            ("human", "and?"),
            ("gpt", "No."),
        ])
        .unwrap();
        assert_eq!(
            (sample.candidates[0].name.as_str(), sample.messages[1].tool_calls[0].arguments["b"].as_str()),
            ("f", Some("it's"))
        );
        assert_eq!((sample.messages[2].answers, sample.messages[2].content.as_deref()), (Some(0), Some(r#"{"x":1}"#)));
        assert_eq!(losses.iter().map(|loss| loss.rule).collect::<Vec<_>>(), [Rule::System]);
    }

    #[test]
    fn tools_may_stand_line_by_line() {
        let system = "<tools>\n{\"name\": \"f\"}\n{\"name\": \"g\"}\n</tools>";
        assert_eq!(read_row(&[("system", system), ("human", "go"), ("gpt", "No.")]).unwrap().0.candidates.len(), 2);
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        for (value, told) in [("<tool_call>{}", "unclosed"), ("<tool_call>{}</tool_call>", "no name")] {
            assert!(read_row(&[("human", "go"), ("gpt", value)]).unwrap_err().contains(told), "{value}");
        }
        assert!(read_row(&[("system", "<tools> [oops </tools>")]).unwrap_err().contains("could not be parsed"));
        let (_, losses) = read_row(&[("human", "go"), ("tool", "x"), ("gpt", "?")]).unwrap();
        assert_eq!(losses[0].rule, Rule::Unpaired);
    }
}
