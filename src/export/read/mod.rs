//! Rows of trainers' files, whoever wrote them, read as samples: one file for each shape.

mod hermes;
mod llamafactory;
mod toolace;
mod types;
mod xlam;

use super::back;
use super::loss::{Loss, Rule};
use crate::export::lessons::lesson::Turn;
use crate::record::{Object, Role, Sample, Tool, Value};
use std::sync::Arc;

/// The shapes of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// `messages` and `tools`: TRL in either form, OpenAI, LLaMA-Factory's `openai`.
    Messages,
    /// LLaMA-Factory's `ShareGPT`.
    Llamafactory,
    /// Calls between tags.
    Hermes,
    /// xLAM: `query`, `answers`, `tools`.
    Xlam,
    /// `ToolACE`: calls in brackets, tools within the system text.
    Toolace,
}

/// A row as a sample, with what of it could not be kept; or why there is none.
pub type Read = Result<(Sample, Vec<Loss>), String>;

/// What a reader makes of a row.
struct Parts {
    turns: Vec<Turn>,
    tools: Vec<Arc<Tool>>,
    /// What could not be kept, and why.
    lost: Vec<(Rule, String)>,
}

impl Shape {
    /// The shape of a row, by its keys and its words.
    pub fn of(row: &Object) -> Option<Self> {
        let text = |key: &str| row.get(key).and_then(Value::as_str);
        let turns = row.get("conversations").and_then(Value::as_list);
        if let Some(turns) = turns {
            let says = |key: &str, words: &[&str]| {
                turns.iter().any(|turn| field(turn, key).is_some_and(|it| words.contains(&it)))
            };
            let holds = |tag: &str| turns.iter().any(|turn| field(turn, "value").is_some_and(|it| it.contains(tag)));
            return Some(match () {
                () if says("from", &["function_call", "observation"]) || row.contains_key("tools") => {
                    Self::Llamafactory
                }
                () if holds("<tools>") || holds("<tool_call>") => Self::Hermes,
                () if text("system").is_some() && says("from", &["assistant", "user"]) => Self::Toolace,
                () => Self::Llamafactory,
            });
        }
        if row.contains_key("messages") {
            return Some(Self::Messages);
        }
        (text("query").is_some() && row.contains_key("answers")).then_some(Self::Xlam)
    }
}

/// Reads a row of whatever shape; `name` names it where it has no id of its own.
pub fn read_any(line: &str, name: &str) -> Read {
    let row = Value::read(line).map_err(|error| error.to_string())?;
    let row = row.as_object().ok_or("not an object")?;
    let shape = Shape::of(row).ok_or("expected `messages`, `conversations`, or `query` with `answers`")?;
    read_as(shape, line, name)
}

/// Reads a row of one shape.
pub fn read_as(shape: Shape, line: &str, name: &str) -> Read {
    if shape == Shape::Messages {
        return back::read_row(line, name).map(|sample| (sample, Vec::new()));
    }
    let row = Value::read(line).map_err(|error| error.to_string())?;
    let row = row.as_object().ok_or("not an object")?;
    let parts = match shape {
        Shape::Llamafactory => llamafactory::parts(row),
        Shape::Hermes => hermes::parts(row),
        Shape::Xlam => xlam::parts(row),
        Shape::Toolace => toolace::parts(row),
        Shape::Messages => return Err("`messages` is missing or not a list".to_owned()),
    }?;
    let mut lost = parts.lost;
    let others = ["chosen", "rejected"].into_iter().filter(|key| row.contains_key(*key));
    lost.extend(others.map(|key| (Rule::Unread, format!("`{key}`"))));
    let sample = back::sample(row, name, parts.turns, parts.tools);
    let losses = lost.into_iter().map(|(rule, detail)| Loss::part(sample.id.as_str(), rule, detail)).collect();
    Ok((sample, losses))
}

/// A text field of a turn.
fn field<'v>(turn: &'v Value, key: &str) -> Option<&'v str> {
    turn.as_object()?.get(key)?.as_str()
}

/// The turns of a row: whoever speaks in lower case, and what is said.
fn conversation(row: &Object) -> Result<Vec<(&str, &str)>, String> {
    let list = row.get("conversations").and_then(Value::as_list).ok_or("`conversations` is missing or not a list")?;
    let read = |turn| Some((field(turn, "from")?, field(turn, "value")?));
    list.iter().map(|turn| read(turn).ok_or_else(|| "a turn has no `from` or no `value`".to_owned())).collect()
}

/// The words of an assistant without the thought before them.
fn parted(text: &str) -> (Option<String>, &str) {
    for (open, close) in [("<think>", "</think>"), ("<scratch_pad>", "</scratch_pad>")] {
        if let Some((thought, rest)) = text.trim_start().strip_prefix(open).and_then(|rest| rest.split_once(close)) {
            return (Some(thought.trim().to_owned()), rest.trim_start());
        }
    }
    (None, text)
}

/// An assistant's turn.
fn assistant(text: &str, calls: Vec<crate::record::FunctionCall>, reasoning: Option<String>) -> Turn {
    let text = Some(text.to_owned()).filter(|text| calls.is_empty() || !text.trim().is_empty());
    Turn { text, calls, reasoning, ..Turn::said(Role::Assistant, "") }
}

/// A value as a tool's answer says it: texts as they are.
fn answer(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::super::row::{Reasoning, Written, hermes, llamafactory, openai, trl, xlam};
    use super::super::testing::{lesson, parallel};
    use super::*;

    fn again(written: Written) -> (Sample, Vec<Loss>) {
        let line = Value::Object(written.unwrap().0).to_string();
        read_any(&line, "train/1").unwrap()
    }

    #[test]
    fn what_was_exported_is_read_back_whole_from_every_shape() {
        for lesson in [lesson("call"), lesson("question"), lesson("refusal"), lesson("answer"), parallel()] {
            let sample = lesson.as_sample();
            for written in [llamafactory::row(&lesson, Reasoning::Tags), hermes::row(&lesson, Reasoning::Tags)] {
                let (read, losses) = again(written);
                assert_eq!((&read.messages, &read.expected), (&sample.messages, &sample.expected));
                assert_eq!((&read.candidates, &read.id, losses.len()), (&sample.candidates, &sample.id, 0));
                assert_eq!(
                    (read.suite, read.locale, read.group),
                    (sample.suite.clone(), sample.locale.clone(), sample.group.clone())
                );
            }
        }
        for aim in ["call", "question", "refusal"] {
            let (read, _) = again(xlam::row(&lesson(aim), Reasoning::Drop));
            assert_eq!(read.expected, lesson(aim).as_sample().expected, "{aim}");
        }
    }

    #[test]
    fn the_shape_is_told_by_the_row() {
        let of = |written: Written| Shape::of(&written.unwrap().0).unwrap();
        let (one, drop) = (lesson("call"), Reasoning::Drop);
        assert_eq!(of(trl::row(&one, drop, false)), Shape::Messages);
        assert_eq!(of(openai::row(&one, drop)), Shape::Messages);
        assert_eq!(of(llamafactory::row(&lesson("refusal"), drop)), Shape::Llamafactory);
        assert_eq!(of(hermes::row(&one, drop)), Shape::Hermes);
        assert_eq!(of(xlam::row(&one, drop)), Shape::Xlam);
        let theirs = r#"{"system": "[]", "conversations": [{"from": "user", "value": "hi"}]}"#;
        assert_eq!(Shape::of(Value::read(theirs).unwrap().as_object().unwrap()), Some(Shape::Toolace));
    }

    #[test]
    fn what_is_no_row_says_why_and_what_is_left_over_is_told() {
        for (line, told) in [
            ("[1]", "not an object"),
            ("{}", "expected `messages`"),
            (r#"{"conversations": [{"from": "gpt"}]}"#, "no `from` or no `value`"),
            ("{", ""),
        ] {
            assert!(read_any(line, "x").unwrap_err().contains(told), "{line}");
        }
        let pair =
            r#"{"conversations": [{"from": "human", "value": "hi"}], "tools": "[]", "chosen": {}, "rejected": {}}"#;
        let (_, losses) = read_any(pair, "x").unwrap();
        assert_eq!(
            losses.iter().map(|loss| (loss.rule, loss.detail.as_str())).collect::<Vec<_>>(),
            [(Rule::Unread, "`chosen`"), (Rule::Unread, "`rejected`")]
        );
    }
}
