//! Write the lines with which a dialogue goes on, all in one answer (E.7).

use super::{Common, TaskInfo};
use crate::record::{Object, SaidWords, Tool, Value};
use crate::text::{Unparsable, Way, find, without_thought};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo = TaskInfo::creative("write_dialogue", "WriteDialogue").voiced();

/// Lines of a dialogue are to be written, or some of them once more.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DialogueVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The tool.
    pub tool: Arc<Tool>,
    /// The time that days and hours are counted from, in ISO 8601.
    pub reference_time: String,
    /// How the person speaks, in words.
    pub manner: String,
    /// Why the person wants it.
    pub situation: Option<String>,
    /// The dialogue so far, a line for each turn.
    pub history: String,
    /// What is known by now.
    pub known: Object,
    /// The lines, in order.
    pub lines: Vec<LinePlan>,
    /// Those that stand already, where some are written once more.
    pub written: Vec<FinishedLine>,
    /// Those that are written once more; all where there are none.
    pub repair: Vec<FaultyLine>,
}

/// What a line does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineAct {
    /// The assistant asks for a parameter.
    #[default]
    Ask,
    /// The person gives its value.
    Answer,
    /// The person wants nothing particular of it.
    Decline,
    /// The person does not know it.
    DontKnow,
}

/// What is settled of a line before it is written.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct LinePlan {
    /// Its number, from 1.
    pub n: usize,
    /// What it does, which says who speaks.
    pub act: LineAct,
    /// The parameter that it is about.
    pub slot: String,
    /// What that parameter is about: its description.
    pub about: String,
    /// The value that it gives; `None` where the writer chooses it, and in questions.
    pub value: Option<Value>,
    /// Ways in which people say the value.
    pub said: Vec<String>,
}

/// A line that stands.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FinishedLine {
    /// Its number.
    pub n: usize,
    /// Its text.
    pub text: String,
}

/// A line that cannot stay as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FaultyLine {
    /// Its number.
    pub n: usize,
    /// Its text; empty where there is none.
    pub text: String,
    /// What is wrong with it.
    pub fault: String,
}

/// A line as it was written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WrittenLine {
    /// The text.
    pub text: String,
    /// The value that it gives, where the answer tells it.
    pub argument: Option<Value>,
    /// The words that say the value.
    pub said: Vec<String>,
    /// The words that say each of several values, by their keys.
    pub words: SaidWords,
}

/// The lines of an answer by their numbers; a writer who finds that the dialogue makes no sense is a fault of its own.
pub fn read_lines(text: &str) -> Result<(Vec<(usize, WrittenLine)>, Way), Unparsable> {
    let object = |value: &Value| value.as_object().filter(|it| it.contains_key("lines")).cloned();
    let (fields, way) = find(without_thought(text), object)
        .ok_or_else(|| Unparsable::new("no_lines", "there is no JSON object with a list `lines`"))?;
    if fields.get("sensible").and_then(Value::as_bool) == Some(false) {
        return Err(Unparsable::new("not_sensible", "the writer finds that nobody would talk like this"));
    }
    let lines = fields.get("lines").and_then(Value::as_list).unwrap_or_default();
    let line = |value: &Value| {
        let line = value.as_object()?;
        let n = line.get("n")?.to_string().parse().ok()?;
        let argument = line.get("argument").filter(|value| !value.is_null()).cloned();
        let said = line.get("said").map(words).unwrap_or_default();
        let by_key = line.get("said").and_then(Value::as_object);
        let by_key = by_key.into_iter().flatten().map(|(key, value)| (key.clone(), words(value)));
        let text = line.get("text")?.as_str()?.trim().to_owned();
        Some((n, WrittenLine { text, argument, said, words: by_key.filter(|(_, words)| !words.is_empty()).collect() }))
    };
    Ok((lines.iter().filter_map(line).collect(), way))
}

/// The words of a text, or of each text of a list.
fn words(value: &Value) -> Vec<String> {
    match value {
        Value::String(words) => vec![words.trim().to_owned()],
        Value::List(words) => words.iter().filter_map(|it| Some(it.as_str()?.trim().to_owned())).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_by_their_numbers() {
        let text = r#"{"sensible": true, "lines": [{"n": 2, "text": " three, please ", "argument": 3, "said": "three"},
            {"n": 1, "text": "How many?", "argument": null}, {"n": 3}]}"#;
        let lines = read_lines(text).unwrap().0;
        assert_eq!(lines.len(), 2);
        assert_eq!(
            (lines[0].0, lines[0].1.text.as_str(), lines[0].1.said.clone()),
            (2, "three, please", vec!["three".to_owned()])
        );
        assert_eq!(lines[1].1, WrittenLine { text: "How many?".to_owned(), ..WrittenLine::default() });
    }

    #[test]
    fn what_makes_no_sense_and_what_cannot_be_read_are_faults() {
        let reason = |text: &str| read_lines(text).unwrap_err().reason;
        assert_eq!(reason(r#"{"sensible": false, "lines": []}"#), "not_sensible");
        assert_eq!(reason("How many?"), "no_lines");
    }
}
