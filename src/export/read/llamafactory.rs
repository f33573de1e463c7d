//! LLaMA-Factory's `ShareGPT` rows: calls and their results are turns of their own.

use super::super::back;
use super::super::loss::Rule;
use super::{Parts, answer, assistant, conversation, parted};
use crate::export::lessons::lesson::Turn;
use crate::record::{FunctionCall, Object, Role, Value};

/// Reads a row.
pub(super) fn parts(row: &Object) -> Result<Parts, String> {
    let (mut turns, mut calls, mut lost) = (Vec::new(), 0, Vec::new());
    let system = row.get("system").and_then(Value::as_str).filter(|text| !text.is_empty());
    turns.extend(system.map(|text| Turn::said(Role::System, text)));
    let mut open = 0;
    for (from, value) in conversation(row)? {
        match from {
            "human" | "user" => turns.push(Turn::said(Role::User, value)),
            "system" => turns.push(Turn::said(Role::System, value)),
            "gpt" | "assistant" => {
                let (thought, text) = parted(value);
                turns.push(assistant(text, Vec::new(), thought));
            }
            "function_call" => {
                let (thought, text) = parted(value);
                let read = called(text).ok_or("a `function_call` is not JSON with `name` and `arguments`")?;
                (open, calls) = (read.len(), calls + read.len());
                turns.push(assistant("", read, thought));
            }
            "observation" | "tool" => {
                if open == 0 {
                    lost.push((Rule::Unpaired, value.to_owned()));
                }
                turns.extend(
                    results(value, open)
                        .into_iter()
                        .enumerate()
                        .map(|(at, text)| Turn::answered((calls - open) + at, text)),
                );
            }
            other => return Err(format!("unknown role `{other}`")),
        }
    }
    Ok(Parts { turns, tools: back::tools(row)?, lost })
}

/// One call, or a list of them.
fn called(text: &str) -> Option<Vec<FunctionCall>> {
    match Value::read(text.trim()).ok()? {
        Value::List(list) => list.iter().map(back::read_call).collect(),
        one => Some(vec![back::read_call(&one)?]),
    }
}

/// The results of some calls: several stand in a list.
fn results(value: &str, calls: usize) -> Vec<String> {
    match Value::read(value) {
        Ok(Value::List(list)) if calls > 1 && list.len() == calls => list.iter().map(answer).collect(),
        _ if calls > 0 => vec![value.to_owned()],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Shape, read_as};
    use super::*;

    fn row(turns: &str) -> String {
        format!(r#"{{"conversations": [{turns}], "tools": "[]"}}"#)
    }

    #[test]
    fn results_go_to_their_calls() {
        let calls = r#"{"from": "human", "value": "hi"}, {"from": "function_call", "value": "[{\"name\": \"f\", \"arguments\": {}}, {\"name\": \"g\", \"arguments\": {\"n\": 1.50}}]"},
            {"from": "observation", "value": "[{\"a\": 1}, \"no\"]"}, {"from": "gpt", "value": "Done."}, {"from": "human", "value": "more"}, {"from": "gpt", "value": "No."}"#;
        let (sample, losses) = read_as(Shape::Llamafactory, &row(calls), "x").unwrap();
        let told: Vec<_> = sample.messages.iter().filter_map(|it| Some((it.answers?, it.content.clone()?))).collect();
        assert_eq!((told, losses.len()), (vec![(0, r#"{"a":1}"#.to_owned()), (1, "no".to_owned())], 0));
        assert_eq!(sample.messages[1].tool_calls[1].arguments["n"].to_string(), "1.50");
    }

    #[test]
    fn a_result_without_a_call_is_lost_and_told() {
        let turns = r#"{"from": "observation", "value": "{}"}, {"from": "gpt", "value": "Hm."}"#;
        let (_, losses) = read_as(Shape::Llamafactory, &row(turns), "x").unwrap();
        assert_eq!(losses[0].rule, Rule::Unpaired);
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        for (turns, told) in [
            (r#"{"from": "function_call", "value": "f()"}"#, "is not JSON"),
            (r#"{"from": "robot", "value": ""}"#, "unknown role `robot`"),
            (r#"{"from": "gpt"}"#, "no `from` or no `value`"),
        ] {
            assert!(read_as(Shape::Llamafactory, &row(turns), "x").unwrap_err().contains(told), "{turns}");
        }
    }
}
