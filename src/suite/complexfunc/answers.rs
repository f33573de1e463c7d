//! Recorded answers of APIs, and judgements of pairs of calls.

use crate::python;
use crate::record::{FunctionCall, Object, Value};
use indexmap::IndexMap;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// What APIs answered and judges said, by the content of the calls.
#[derive(Debug, Default)]
pub struct Answers {
    answers: IndexMap<String, Value>,
    judgements: IndexMap<(String, String), bool>,
}

/// Why recorded answers cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum AnswersError {
    /// The file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// It does not hold what it should.
    #[error("`{}`: {problem}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
}

#[derive(Deserialize)]
struct Recorded {
    #[serde(default)]
    api_calls: Vec<RecordedAnswer>,
    #[serde(default)]
    judge_calls: Vec<RecordedJudgement>,
}

#[derive(Deserialize)]
struct RecordedAnswer {
    call: FunctionCall,
    #[serde(default)]
    data: Value,
}

#[derive(Deserialize)]
struct RecordedJudgement {
    pred: FunctionCall,
    golden: FunctionCall,
    is_equal: bool,
}

impl Answers {
    /// Reads a file of `api_calls` and `judge_calls`.
    pub fn read(path: &Path) -> Result<Self, AnswersError> {
        let text =
            std::fs::read_to_string(path).map_err(|source| AnswersError::Io { path: path.to_owned(), source })?;
        let recorded: Recorded = serde_json::from_str(&text).map_err(|error| AnswersError::Format {
            path: path.to_owned(),
            line: error.line(),
            problem: error.to_string(),
        })?;
        let answers = recorded.api_calls.into_iter().map(|it| (text_of(&it.call), it.data));
        let judged = recorded.judge_calls.into_iter();
        let judgements = judged.map(|it| ((text_of(&it.pred), text_of(&it.golden)), it.is_equal));
        Ok(Self { answers: answers.collect(), judgements: judgements.collect() })
    }

    /// What the API answered to a call, if that is known and the call did not fail.
    pub fn answer(&self, call: &FunctionCall) -> Option<&Value> {
        if self.answers.is_empty() {
            return None;
        }
        self.answers.get(&text_of(call)).filter(|answer| !answer.is_null())
    }

    /// What was said of a predicted and a golden call.
    pub fn judgement(&self, predicted: &FunctionCall, golden: &FunctionCall) -> Option<bool> {
        if self.judgements.is_empty() {
            return None;
        }
        self.judgements.get(&(text_of(predicted), text_of(golden))).copied()
    }
}

/// What an answer says: its data where it went well, and all of it where it did not. The authors' program looks at the
/// answers of APIs in this way.
pub fn data_of(answer: &Value) -> Option<Value> {
    let Value::Object(fields) = answer else { return Some(answer.clone()).filter(|answer| !answer.is_null()) };
    if fields.get("status").and_then(Value::as_bool) != Some(true) {
        return Some(answer.clone());
    }
    Some(fields.get("data").cloned().unwrap_or_else(|| {
        let rest = fields.iter().filter(|(name, _)| *name != "timestamp");
        Value::Object(rest.map(|(name, value)| (name.clone(), value.clone())).collect())
    }))
}

/// A call as a key: its arguments sorted, and all objects in them.
fn text_of(call: &FunctionCall) -> String {
    format!("{} {}", call.name, python::dump_object(&sorted(&call.arguments)))
}

fn sorted(object: &Object) -> Object {
    let mut sorted: Object = object.iter().map(|(name, value)| (name.clone(), sorted_value(value))).collect();
    sorted.sort_unstable_keys();
    sorted
}

fn sorted_value(value: &Value) -> Value {
    match value {
        Value::List(list) => Value::List(list.iter().map(sorted_value).collect()),
        Value::Object(object) => Value::Object(sorted(object)),
        plain => plain.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(arguments: &str) -> FunctionCall {
        FunctionCall { name: "f".to_owned(), arguments: serde_json::from_str(arguments).unwrap() }
    }

    fn answers(text: &str) -> Result<Answers, AnswersError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("api.json");
        std::fs::write(&path, text).unwrap();
        Answers::read(&path)
    }

    #[test]
    fn a_call_is_known_by_its_content_at_any_depth() {
        let answers = answers(
            r#"{"api_calls": [{"call": {"name": "f", "arguments": {"a": [{"x": 1, "y": 2}], "b": 1}}, "data": {"n": 5}},
                {"call": {"name": "f", "arguments": {}}, "data": null}],
                "judge_calls": [{"pred": {"name": "f", "arguments": {}}, "golden": {"name": "f", "arguments": {"b": 1, "a": 2}}, "is_equal": true}]}"#,
        );
        let answers = answers.unwrap();
        assert_eq!(answers.answer(&call(r#"{"b": 1, "a": [{"y": 2, "x": 1}]}"#)).unwrap().to_string(), "{\"n\":5}");
        assert_eq!((answers.answer(&call("{}")), answers.answer(&call(r#"{"b": 2}"#))), (None, None));
        assert_eq!(answers.judgement(&call("{}"), &call(r#"{"a": 2, "b": 1}"#)), Some(true));
        assert_eq!(answers.judgement(&call(r#"{"a": 2, "b": 1}"#), &call("{}")), None);
        let none = Answers::default();
        assert_eq!((none.answer(&call("{}")), none.judgement(&call("{}"), &call("{}"))), (None, None));
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        assert!(answers("{\"api_calls\": 5}").unwrap_err().to_string().contains("api.json`: invalid type"));
        assert!(Answers::read(Path::new("/no/such")).unwrap_err().to_string().starts_with("cannot read `/no/such`: "));
    }

    #[test]
    fn what_went_well_says_its_data_and_what_did_not_says_everything() {
        let of = |json: &str| data_of(&Value::read(json).unwrap()).map(|value| value.to_string());
        assert_eq!(of(r#"{"status": true, "timestamp": 5, "data": [1]}"#).unwrap(), "[1]");
        assert_eq!(of(r#"{"status": true, "timestamp": 5, "n": 1}"#).unwrap(), r#"{"status":true,"n":1}"#);
        assert_eq!(of(r#"{"status": false, "timestamp": 5}"#).unwrap(), r#"{"status":false,"timestamp":5}"#);
        assert_eq!((of("[1]").unwrap(), of("null")), ("[1]".to_owned(), None));
    }
}
