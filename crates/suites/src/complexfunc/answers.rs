//! Recorded answers of APIs, and judgements of pairs of calls.

use super::script::Script;
use crate::complexfunc::layout::Trajectory;
use crate::complexfunc::metric::{ErrorType, Fault, SaidArguments, SaidCall, Turn};
use crate::format::{FileError, Predictions, PredictionsError};
use crate::python;
use crate::record::{BorrowedObject, FunctionCall, Object, PredictionTurn, Value};
use crate::score::extract::{Reading, read_text};
use indexmap::IndexMap;
use serde::Deserialize;
use std::path::Path;

/// What APIs answered and judges said, by the content of the calls.
#[derive(Debug, Default)]
pub struct Answers {
    answers: IndexMap<String, Value>,
    judgements: IndexMap<(String, String), bool>,
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
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let text = std::fs::read_to_string(path).map_err(FileError::io(path))?;
        let fault = |error: serde_json::Error| FileError::line(path, error.line(), error);
        let recorded: Recorded = serde_json::from_str(&text).map_err(fault)?;
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

// A file of trajectories: predictions and result lines, one for each sample and run, or scripted trajectories, of which a
// sample may have many.

/// What is recorded in a file.
#[derive(Debug)]
pub struct Recordings {
    predictions: Predictions,
    /// Scripts by the sample that they play, where the file holds scripts.
    scripts: Option<IndexMap<String, Vec<Script>>>,
}

/// What is recorded of a sample.
#[derive(Debug)]
pub(super) enum Recording<'r> {
    /// What a model said.
    Said(Trajectory),
    /// What a script says.
    Script(&'r Script),
    /// A line that cannot be read, because of this.
    Unreadable(String),
}

impl Recordings {
    /// Opens a file. A line that cannot be read is kept as a fault and stops nothing.
    pub fn open(path: &Path) -> Result<Self, PredictionsError> {
        let predictions = Predictions::open(path)?;
        let text = std::fs::read_to_string(predictions.path()).unwrap_or_default();
        let mut scripts: IndexMap<String, Vec<Script>> = IndexMap::new();
        if !text.lines().find(|line| !line.trim().is_empty()).is_some_and(is_script) {
            return Ok(Self { predictions, scripts: None });
        }
        for script in text.lines().filter_map(|line| Script::read(line).ok()) {
            scripts.entry(script.sample_id.clone()).or_default().push(script);
        }
        Ok(Self { predictions, scripts: Some(scripts) })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.predictions.path()
    }

    /// Lines that could not be read: their places and what is wrong.
    pub fn faults(&self) -> &[(usize, String)] {
        self.predictions.faults()
    }

    /// The runs that occur, in order.
    pub fn runs(&self) -> Vec<u32> {
        self.predictions.runs()
    }

    /// Whether a sample may have many trajectories, or none.
    pub(super) fn is_scripted(&self) -> bool {
        self.scripts.is_some()
    }

    /// What is recorded of a sample in a run.
    pub(super) fn of(&self, id: &str, run: u32) -> Vec<Recording<'_>> {
        if let Some(scripts) = &self.scripts {
            return scripts.get(id).into_iter().flatten().map(Recording::Script).collect();
        }
        let line = self.predictions.line(id, run).map(|line| line.and_then(|line| Trajectory::read(&line)));
        line.map(|read| read.map_or_else(Recording::Unreadable, Recording::Said)).into_iter().collect()
    }
}

/// Whether a line is a script: it says which sample it plays, and how.
fn is_script(line: &str) -> bool {
    BorrowedObject::read_fields(line, &["sample_id", "behaviour"]).is_ok_and(|fields| fields.len() == 2)
}

// What a recorded turn says: native calls, or calls and words that are read from its text.

/// The variant of predictions whose calls stand in the text.
const PROMPT: &str = "prompt";

/// A turn, and by which way its calls were found; nothing where it has none.
pub type Spoken = (Turn, Option<String>);

/// What a turn says. Calls are looked for in its text if that is wanted and there are no native ones.
pub fn turn_of(turn: &PredictionTurn, reads_text: bool) -> Spoken {
    if !turn.tool_calls.is_empty() {
        let call = |(name, arguments): &(String, String)| SaidCall {
            name: name.clone(),
            arguments: SaidArguments::Text(arguments.clone()),
        };
        let calls = turn.tool_calls.iter().map(call).collect();
        let text = turn.content.clone();
        return (Turn { text, calls: Some(calls), lost: None }, Some("native".to_owned()));
    }
    let Some(text) = turn.content.as_deref() else { return (Turn::default(), None) };
    match read_text(text) {
        Reading::Calls(calls, way) if reads_text && !calls.is_empty() => (Turn::calls(calls), Some(way.to_string())),
        _ => (Turn::words(text), None),
    }
}

/// The turns of a trajectory. What its runner ended it by stands for the turn that it did not keep.
pub fn turns_of(trajectory: &Trajectory, is_strict: bool) -> Vec<Spoken> {
    let Trajectory::Said { turns, variant, end } = trajectory else { return Vec::new() };
    let reads_text = is_strict || variant.as_deref().is_some_and(|variant| variant.starts_with(PROMPT));
    let lost = end.as_ref().and_then(|(name, content)| {
        let kept = [ErrorType::DecodeError, ErrorType::NameError, ErrorType::FuncHallucination];
        let error_type = kept.into_iter().find(|it| it.as_str() == name)?;
        Some((Turn { lost: Some(Fault::new(error_type, content)), ..Turn::default() }, None))
    });
    turns.iter().map(|turn| turn_of(turn, reads_text)).chain(lost).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(arguments: &str) -> FunctionCall {
        FunctionCall { name: "f".to_owned(), arguments: serde_json::from_str(arguments).unwrap() }
    }

    fn answers(text: &str) -> Result<Answers, FileError> {
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
        assert!(answers("{\"api_calls\": 5}").unwrap_err().to_string().contains("api.json`, line 1: invalid type"));
        assert!(Answers::read(Path::new("/no/such")).unwrap_err().to_string().starts_with("cannot read `/no/such`"));
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

#[cfg(test)]
mod recordings_tests {
    use super::*;

    fn open(text: &str) -> Recordings {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.jsonl");
        std::fs::write(&path, text).unwrap();
        Recordings::open(&path).unwrap()
    }

    fn shown(recordings: &Recordings, id: &str) -> String {
        let word = |recorded: Recording<'_>| match recorded {
            Recording::Said(_) => "said".to_owned(),
            Recording::Script(script) => script.id.clone(),
            Recording::Unreadable(problem) => problem,
        };
        recordings.of(id, 0).into_iter().map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_sample_has_one_prediction_in_a_run() {
        let it = open("{\"id\": \"a\", \"turns\": []}\n{\"id\": \"b\"}\noops\n");
        assert_eq!((shown(&it, "a"), shown(&it, "c"), it.is_scripted()), ("said".to_owned(), String::new(), false));
        assert_eq!(shown(&it, "b"), "missing `turns` (or `gen_convs`)");
        assert_eq!((it.runs(), it.faults().len(), it.path().ends_with("x.jsonl")), (vec![0], 1, true));
        assert!(it.of("a", 1).is_empty() && Recordings::open(Path::new("/no/such")).is_err());
    }

    #[test]
    fn and_as_many_scripts_as_there_are() {
        let line =
            |id: &str| format!("{{\"id\": \"{id}\", \"sample_id\": \"a\", \"behaviour\": \"x\", \"turns\": []}}\n");
        let it = open(&format!("\n{}{}", line("a#1"), line("a#2")));
        assert_eq!((shown(&it, "a"), shown(&it, "b"), it.is_scripted()), ("a#1 a#2".to_owned(), String::new(), true));
    }
}

#[cfg(test)]
mod spoken_tests {
    use super::*;

    const CALL: &str = r#"{"name": "f", "arguments": {"a": 1}}"#;

    fn turn(content: Option<&str>, calls: &[(&str, &str)]) -> PredictionTurn {
        let calls = calls.iter().map(|(name, arguments)| ((*name).to_owned(), (*arguments).to_owned()));
        PredictionTurn { content: content.map(str::to_owned), tool_calls: calls.collect(), ..PredictionTurn::default() }
    }

    fn shown((turn, way): Spoken) -> String {
        let calls = turn.calls.map(|calls| calls.iter().map(|call| call.name.clone()).collect::<Vec<_>>());
        format!("{:?} {:?} {:?}", turn.text, calls.map(|calls| calls.join(",")), way)
    }

    #[test]
    fn native_calls_go_before_the_text_beside_them() {
        assert_eq!(shown(turn_of(&turn(Some("So"), &[("g", "{")]), true)), r#"Some("So") Some("g") Some("native")"#);
    }

    #[test]
    fn calls_in_a_text_are_found_where_they_are_looked_for() {
        let text = turn(Some(CALL), &[]);
        assert_eq!(shown(turn_of(&text, true)), r#"None Some("f") Some("whole_object")"#);
        assert!(shown(turn_of(&text, false)).starts_with("Some(\"{"));
        for words in ["At noon.", "[]", "{oops", ""] {
            assert_eq!(shown(turn_of(&turn(Some(words), &[]), true)), format!("Some({words:?}) None None"));
        }
        assert_eq!(shown(turn_of(&turn(None, &[]), true)), "None None None");
    }

    #[test]
    fn the_variant_tells_whether_the_authors_rules_look_for_calls() {
        let said = |variant: Option<&str>| Trajectory::Said {
            turns: vec![turn(Some(CALL), &[])],
            variant: variant.map(str::to_owned),
            end: None,
        };
        let is_call = |trajectory, is_strict| turns_of(&trajectory, is_strict)[0].0.calls.is_some();
        assert!(
            is_call(said(None), true) && is_call(said(Some("prompt")), false) && !is_call(said(Some("tools")), false)
        );
        assert!(turns_of(&Trajectory::Failed(String::new()), true).is_empty());
    }

    #[test]
    fn a_turn_that_was_not_kept_is_known_by_its_end() {
        let ended = |name: &str| Trajectory::Said {
            turns: Vec::new(),
            variant: None,
            end: Some((name.to_owned(), "x".to_owned())),
        };
        let turns = turns_of(&ended("func_hallucination"), false);
        assert_eq!(turns[0].0.lost, Some(Fault::new(ErrorType::FuncHallucination, "x")));
        assert!(turns_of(&ended("stop_early"), false).is_empty());
    }
}
