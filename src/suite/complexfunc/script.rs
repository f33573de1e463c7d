//! What stands in for the world: scripted turns, and tables of answers and judgements.

use crate::record::{BorrowedObject, BorrowedValue, FunctionCall, Object, Value, ValueError};
use crate::score::complexfunc::{Assessment, Machine, Oracle, SaidArguments, SaidCall, Settings, Turn};
use crate::score::python;
use crate::suite::VectorError;
use crate::suite::vectors::read;
use indexmap::IndexMap;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::borrow::Cow;
use std::path::Path;

/// The evaluator's settings, and how a judge would judge what stands in no table.
#[derive(Debug, Default)]
pub(super) struct Toolset {
    pub(super) settings: Settings,
    judge: JudgeRule,
}

/// A stand-in for a judge.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct JudgeRule {
    item_synonyms: IndexMap<String, String>,
    query_suffix_ignored: Option<String>,
    otherwise: bool,
}

/// Recorded answers and judgements, by the text of the calls.
#[derive(Debug, Default)]
pub(super) struct Tables {
    answers: IndexMap<String, Value>,
    judgements: IndexMap<(String, String), bool>,
}

/// A trajectory as it is scripted.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) id: String,
    pub(super) sample_id: String,
    pub(super) behaviour: String,
    turns: Vec<Turn>,
    assessment: Option<Assessment>,
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

impl Toolset {
    pub(super) fn read(path: &Path) -> Result<Self, VectorError> {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Judge {
            judge: JudgeRule,
        }
        let text = read(path)?;
        Ok(Self { settings: parse(path, &text)?, judge: parse::<Judge>(path, &text)?.judge })
    }
}

impl Tables {
    pub(super) fn read(path: &Path) -> Result<Self, VectorError> {
        let recorded: Recorded = parse(path, &read(path)?)?;
        let answers = recorded.api_calls.into_iter().map(|it| (text_of(&it.call), it.data));
        let judgements =
            recorded.judge_calls.into_iter().map(|it| ((text_of(&it.pred), text_of(&it.golden)), it.is_equal));
        Ok(Self { answers: answers.collect(), judgements: judgements.collect() })
    }
}

impl JudgeRule {
    /// Names and keys must be the same, and each value that differs a listed synonym or one with an ending that says
    /// nothing.
    fn is_equal(&self, predicted: &FunctionCall, golden: &FunctionCall) -> bool {
        if predicted.name != golden.name || predicted.arguments.len() != golden.arguments.len() {
            return self.otherwise;
        }
        let is_known = |(name, given): (&String, &Value)| {
            let Some(wanted) = golden.arguments.get(name) else { return self.otherwise };
            python::equals(&given.into(), &wanted.into()) || self.is_said_otherwise(name, given, wanted)
        };
        predicted.arguments.iter().all(is_known)
    }

    fn is_said_otherwise(&self, name: &str, given: &Value, wanted: &Value) -> bool {
        let Some((given, wanted)) = given.as_str().zip(wanted.as_str()) else { return self.otherwise };
        match name {
            "item" => self.item_synonyms.get(wanted).is_some_and(|synonym| synonym == given),
            "query" => self
                .query_suffix_ignored
                .as_ref()
                .is_some_and(|ending| given.strip_suffix(ending.as_str()) == Some(wanted)),
            _ => self.otherwise,
        }
    }
}

impl Script {
    /// Reads a line.
    pub(super) fn read(line: &str) -> Result<Self, ValueError> {
        let mut fields =
            BorrowedObject::read_fields(line, &["id", "sample_id", "behaviour", "turns", "response_judge"])?;
        let mut text = |name: &str| fields.take(name).and_then(|it| it.as_str().map(str::to_owned)).unwrap_or_default();
        let (id, sample_id, behaviour) = (text("id"), text("sample_id"), text("behaviour"));
        let turns = match fields.take("turns") {
            Some(BorrowedValue::List(turns)) => {
                turns.into_iter().filter_map(BorrowedValue::into_object).map(turn).collect()
            }
            _ => Vec::new(),
        };
        let judged = fields.take("response_judge").and_then(BorrowedValue::into_object);
        Ok(Self { id, sample_id, behaviour, turns, assessment: judged.as_ref().and_then(assessment) })
    }

    /// Somebody who plays it.
    pub(super) fn oracle<'s>(&'s self, toolset: &'s Toolset, tables: &'s Tables) -> Player<'s> {
        Player { turns: self.turns.iter(), assessment: self.assessment, toolset, tables }
    }
}

fn turn(mut fields: BorrowedObject<'_>) -> Turn {
    let raw = fields.take("function_call_raw");
    let calls = raw.or_else(|| fields.take("function_call")).and_then(|calls| match calls {
        BorrowedValue::List(calls) => {
            Some(calls.into_iter().filter_map(BorrowedValue::into_object).map(call).collect())
        }
        _ => None,
    });
    let said = fields.take("content").or_else(|| fields.take("thought"));
    Turn { text: said.and_then(|it| it.as_str().map(str::to_owned)), calls }
}

fn call(mut fields: BorrowedObject<'_>) -> SaidCall {
    let name = fields.take("name").and_then(|it| it.as_str().map(str::to_owned)).unwrap_or_default();
    let arguments = match fields.take("arguments") {
        None => SaidArguments::Absent,
        Some(BorrowedValue::String(text)) => SaidArguments::Text(text.into_owned()),
        Some(value) => SaidArguments::Read(value.into()),
    };
    SaidCall { name, arguments }
}

fn assessment(judged: &BorrowedObject<'_>) -> Option<Assessment> {
    let score = |name: &str| match judged.get(name)? {
        BorrowedValue::Number(text) => text.parse().ok(),
        _ => None,
    };
    Some(Assessment { complete: score("complete")?, correct: score("correct")? })
}

/// Plays a script by the tables.
pub(super) struct Player<'s> {
    turns: std::slice::Iter<'s, Turn>,
    assessment: Option<Assessment>,
    toolset: &'s Toolset,
    tables: &'s Tables,
}

impl<'g> Oracle<'g> for Player<'g> {
    fn turn(&mut self) -> Option<Turn> {
        self.turns.next().cloned()
    }

    fn answer(&mut self, call: &FunctionCall) -> Option<Cow<'g, Value>> {
        self.tables.answers.get(&text_of(call)).filter(|answer| !answer.is_null()).map(Cow::Borrowed)
    }

    fn is_equal(&mut self, _: &Machine<'g>, predicted: &FunctionCall, golden: &FunctionCall) -> bool {
        let pair = (text_of(predicted), text_of(golden));
        let known = self.tables.judgements.get(&pair).copied();
        known.unwrap_or_else(|| self.toolset.judge.is_equal(predicted, golden))
    }

    fn assess(&mut self, _: &str) -> Option<Assessment> {
        self.assessment
    }
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

fn parse<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, VectorError> {
    serde_json::from_str(text).map_err(|error| VectorError::Line {
        path: path.to_owned(),
        line: error.line(),
        problem: error.to_string(),
    })
}
