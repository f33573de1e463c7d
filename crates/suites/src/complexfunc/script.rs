//! What stands in for the world: scripted turns, and tables of answers and judgements.

use super::answers::Answers;
use crate::VectorError;
use crate::complexfunc::metric::{Assessment, Machine, Oracle, SaidArguments, SaidCall, Settings, Turn};
use crate::python;
use crate::record::{BorrowedObject, BorrowedValue, FunctionCall, Value, ValueError};
use crate::vectors::read;
use indexmap::IndexMap;
use serde::Deserialize;
use std::borrow::Cow;
use std::path::Path;

/// The evaluator's settings, and how a judge would judge what stands in no table.
#[derive(Debug, Default)]
pub(super) struct Toolset {
    pub settings: Settings,
    judge: JudgeRule,
}

/// A stand-in for a judge: calls are the same by listed synonyms, and by an ending that says nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct JudgeRule {
    item_synonyms: IndexMap<String, String>,
    query_suffix_ignored: Option<String>,
    otherwise: bool,
}

/// A trajectory as it is scripted.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub id: String,
    pub sample_id: String,
    pub behaviour: String,
    pub turns: Vec<Turn>,
    pub assessment: Option<Assessment>,
}

impl Toolset {
    pub(super) fn read(path: &Path) -> Result<Self, VectorError> {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Judge {
            judge: JudgeRule,
        }
        let text = read(path)?;
        let fault = |error: serde_json::Error| VectorError::line(path, error.line(), error);
        let judge: Judge = serde_json::from_str(&text).map_err(fault)?;
        Ok(Self { settings: serde_json::from_str(&text).map_err(fault)?, judge: judge.judge })
    }
}

impl JudgeRule {
    /// The rule that stands in a file of settings; nothing where there is none, or no such file.
    pub fn beside(path: &Path) -> Option<Self> {
        #[derive(Deserialize)]
        struct Judge {
            judge: Option<JudgeRule>,
        }
        let text = std::fs::read_to_string(path).ok()?;
        serde_json::from_str::<Judge>(&text).ok()?.judge
    }

    /// Names and keys must be the same, and each value that differs a listed synonym or one with an ending that says
    /// nothing.
    pub(super) fn is_equal(&self, predicted: &FunctionCall, golden: &FunctionCall) -> bool {
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
    pub(super) fn oracle<'s>(&'s self, toolset: &'s Toolset, answers: &'s Answers) -> Player<'s> {
        Player { turns: self.turns.iter(), assessment: self.assessment, toolset, answers }
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
    Turn { text: said.and_then(|it| it.as_str().map(str::to_owned)), calls, lost: None }
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
    answers: &'s Answers,
}

impl<'g> Oracle<'g> for Player<'g> {
    fn turn(&mut self) -> Option<Turn> {
        self.turns.next().cloned()
    }

    fn answer(&mut self, call: &FunctionCall) -> Option<Cow<'g, Value>> {
        self.answers.answer(call).map(Cow::Borrowed)
    }

    fn is_equal(&mut self, _: &Machine<'g>, predicted: &FunctionCall, golden: &FunctionCall) -> bool {
        self.answers.judgement(predicted, golden).unwrap_or_else(|| self.toolset.judge.is_equal(predicted, golden))
    }

    fn assess(&mut self, _: &str) -> Option<Assessment> {
        self.assessment
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, arguments: &str) -> FunctionCall {
        FunctionCall { name: name.to_owned(), arguments: serde_json::from_str(arguments).unwrap() }
    }

    fn toolset() -> Toolset {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("toolset.json");
        let text = r#"{"free_functions": ["f"], "judge": {"item_synonyms": {"fan": "desk fan"}, "query_suffix_ignored": ", Northland"}}"#;
        std::fs::write(&path, text).unwrap();
        Toolset::read(&path).unwrap()
    }

    #[test]
    fn a_judge_by_rule_knows_synonyms_and_endings_that_say_nothing() {
        let toolset = toolset();
        let same = |one: &str, other: &str| toolset.judge.is_equal(&call("f", one), &call("f", other));
        assert!(same(r#"{"item": "desk fan", "n": 1.0}"#, r#"{"n": 1, "item": "fan"}"#));
        assert!(same(r#"{"query": "Hill, Northland"}"#, r#"{"query": "Hill"}"#));
        assert!(
            !same(r#"{"item": "fan"}"#, r#"{"item": "desk fan"}"#)
                && !same(r#"{"query": "Hill"}"#, r#"{"query": "Hill, Northland"}"#)
        );
        assert!(
            !same(r#"{"n": 1}"#, r#"{"n": 2}"#) && !same(r#"{"n": 1}"#, r#"{"m": 1}"#) && !same("{}", r#"{"n": 1}"#)
        );
        assert!(!toolset.judge.is_equal(&call("g", "{}"), &call("f", "{}")));
        assert_eq!(toolset.settings.free_functions, ["f"]);
        assert_eq!(JudgeRule::beside(Path::new("/no/such")), None);
    }

    #[test]
    fn turns_are_calls_raw_calls_or_words() {
        let script = Script::read(
            r#"{"id": "a#b", "sample_id": "a", "behaviour": "b", "turns": [
                {"function_call": [{"name": "f", "arguments": {"n": 1}}, {"name": "g"}], "thought": "So"},
                {"function_call_raw": [{"name": "f", "arguments": "{"}]}, {"content": ""}], "response_judge": {"complete": 2, "correct": 1}}"#,
        )
        .unwrap();
        assert_eq!((script.id.as_str(), script.sample_id.as_str(), script.behaviour.as_str()), ("a#b", "a", "b"));
        let shown: Vec<String> = script.turns.iter().map(|turn| format!("{turn:?}")).collect();
        insta::assert_snapshot!(shown.join("\n"), @r#"
        Turn { text: Some("So"), calls: Some([SaidCall { name: "f", arguments: Read(Object({"n": Number(Number("1"))})) }, SaidCall { name: "g", arguments: Absent }]), lost: None }
        Turn { text: None, calls: Some([SaidCall { name: "f", arguments: Text("{") }]), lost: None }
        Turn { text: Some(""), calls: None, lost: None }
        "#);
        let (toolset, answers) = (toolset(), Answers::default());
        let mut player = script.oracle(&toolset, &answers);
        assert_eq!(
            (player.turn().is_some(), player.answer(&call("f", "{}")), player.assess("x")),
            (true, None, Some(Assessment { complete: 2, correct: 1 }))
        );
    }

    #[test]
    fn what_is_missing_is_missing() {
        let script = Script::read("{}").unwrap();
        assert!(script.turns.is_empty() && script.assessment.is_none() && script.id.is_empty());
        assert!(Script::read("[").is_err());
        assert!(Toolset::read(Path::new("/no/such")).is_err());
    }
}
