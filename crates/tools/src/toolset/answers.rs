//! Answers that no declaration computes: whoever asks a live server gives them, or a recording of what it said.

use fcgen_core::record::{FunctionCall, Object, Value};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// Who answers calls of live functions. The same call after the same changes gets the same answer.
pub trait Answers: Debug + Send + Sync {
    /// The answer to a call; `before` marks what the session changed before it and is empty where it changed nothing.
    fn answer(&self, call: &FunctionCall, before: &str) -> Result<Value, Unanswered>;
}

/// Why a live function has no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Unanswered {
    /// The server answered with an error of its own.
    #[error("the server returned an error: {0}")]
    Refused(Value),
    /// Nobody answered.
    #[error("{0}")]
    Silent(String),
}

/// One call with what was answered: a line of a recording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedCall {
    /// The tool's name in the toolset.
    pub tool: String,
    /// Its arguments.
    pub arguments: Object,
    /// The mark of what was changed before.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub before: String,
    /// The answer, as it was masked and trimmed.
    pub answer: Value,
    /// Whether the server called it an error.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
}

/// Calls with their answers: what exploration left in a toolset's folder.
#[derive(Debug, Clone, Default)]
pub struct Recorded {
    calls: IndexMap<String, RecordedCall>,
}

impl RecordedCall {
    /// What tells this call from others.
    pub fn key(&self) -> String {
        call_key(&self.tool, &self.arguments, &self.before)
    }

    /// The answer as whoever called is given it.
    pub fn outcome(self) -> Result<Value, Unanswered> {
        if self.failed { Err(Unanswered::Refused(self.answer)) } else { Ok(self.answer) }
    }
}

impl Recorded {
    /// Reads a recording, a line for each call; `path` is its name in messages.
    pub fn read(path: &str, text: &str) -> Result<Self, String> {
        let mut recorded = Self::default();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let call = serde_json::from_str(line);
            recorded.add(call.map_err(|error| format!("{path}:{}: {error}", at + 1))?);
        }
        Ok(recorded)
    }

    /// Takes a call in; the first answer to a call stays.
    pub fn add(&mut self, call: RecordedCall) {
        self.calls.entry(call.key()).or_insert(call);
    }

    /// Every call, in the order in which they were made.
    pub fn calls(&self) -> impl Iterator<Item = &RecordedCall> {
        self.calls.values()
    }

    /// The text that [`Recorded::read`] reads.
    pub fn write(&self) -> Result<String, serde_json::Error> {
        self.calls().map(|call| Ok(serde_json::to_string(call)? + "\n")).collect()
    }
}

impl Answers for Recorded {
    fn answer(&self, call: &FunctionCall, before: &str) -> Result<Value, Unanswered> {
        match self.calls.get(&call_key(&call.name, &call.arguments, before)) {
            Some(known) => known.clone().outcome(),
            None => Err(Unanswered::Silent(format!("no recorded answer for this call of `{}`", call.name))),
        }
    }
}

/// What tells a call from others: its tool, its arguments in whatever order, and what was changed before.
pub fn call_key(tool: &str, arguments: &Object, before: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    for word in [tool, &sorted(&Value::Object(arguments.clone())).to_string(), before] {
        hasher.update(&(word.len() as u64).to_le_bytes()).update(word.as_bytes());
    }
    hasher.finalize().to_hex().chars().take(32).collect()
}

/// The mark of a session in which one more call changed something.
pub fn after_change(before: &str, call: &FunctionCall) -> String {
    call_key(&call.name, &call.arguments, before)
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut fields: Vec<_> = object.iter().map(|(name, value)| (name.clone(), sorted(value))).collect();
            fields.sort_by(|one, other| one.0.cmp(&other.0));
            Value::Object(fields.into_iter().collect())
        }
        Value::List(list) => Value::List(list.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(arguments: &str) -> FunctionCall {
        FunctionCall { name: "find".to_owned(), arguments: serde_json::from_str(arguments).unwrap() }
    }

    const LINES: &str = "{\"tool\":\"find\",\"arguments\":{\"a\":1,\"b\":{\"x\":1,\"y\":2}},\"answer\":{\"n\":1.50}}\n\n\
        {\"tool\":\"find\",\"arguments\":{},\"before\":\"m\",\"answer\":\"no {{ x }}\",\"failed\":true}\n";

    #[test]
    fn a_call_is_known_by_what_it_says_in_whatever_order() {
        let recorded = Recorded::read("r", LINES).unwrap();
        let answer = recorded.answer(&call(r#"{"b": {"y": 2, "x": 1}, "a": 1}"#), "").unwrap();
        assert_eq!(answer.to_string(), r#"{"n":1.50}"#);
        let other = recorded.answer(&call(r#"{"a": 2}"#), "").unwrap_err();
        assert_eq!(other.to_string(), "no recorded answer for this call of `find`");
    }

    #[test]
    fn a_refusal_and_a_change_before_are_part_of_it() {
        let recorded = Recorded::read("r", LINES).unwrap();
        let refused = recorded.answer(&call("{}"), "m").unwrap_err();
        assert_eq!(refused, Unanswered::Refused("no {{ x }}".into()));
        assert!(matches!(recorded.answer(&call("{}"), ""), Err(Unanswered::Silent(_))));
        assert_ne!(after_change("", &call("{}")), after_change("m", &call("{}")));
    }

    #[test]
    fn what_is_written_is_read_again_and_the_first_answer_stays() {
        let mut recorded = Recorded::read("r", LINES).unwrap();
        let text = recorded.write().unwrap();
        assert_eq!(text, LINES.replace("\n\n", "\n"));
        let mut other = recorded.calls().next().unwrap().clone();
        other.answer = Value::Null;
        recorded.add(other);
        assert_eq!(recorded.write().unwrap(), text);
    }

    #[test]
    fn a_line_that_is_none_is_told_with_its_place() {
        let error =
            Recorded::read("r.jsonl", "{\"tool\":\"a\",\"arguments\":{},\"answer\":1}\n{\"tool\":").unwrap_err();
        assert!(error.starts_with("r.jsonl:2: "), "{error}");
    }
}
