//! Verdicts on FunctionChat-Bench's vectors: predictions with recorded judges, their totals, and odd cases made by hand.

use super::board::Board;
use super::driver::{Options, score};
use super::grounds::Grounds;
use super::profile::{Profile, load_words};
use super::totals::{of_set, totals};
use crate::VectorError;
use crate::assets::Assets;
use crate::format::{Bench, FileError, Predictions, PredictionsError};
use crate::functionchat::layout::{Acceptable, ChatFile, FILES, Mode};
use crate::functionchat::metric::strict::{Gold, Judgement, Same, judge_call, read_reply};
use crate::functionchat::metric::upstream::{self, Read, Rule};
use crate::functionchat::metric::{Arguments, Called, Heard};
use crate::llm::Prompts;
use crate::record::{FunctionCall, Object, Tool, Value, Verdict};
use crate::replies::Replies;
use crate::vectors::read;
use std::path::Path;

/// The locale of the authors' data.
const LOCALE: &str = "ko";
/// Odd cases, which belong to every set.
const EDGES: &str = "edge-cases.json";

/// Who is handed the lines.
type Give<'g> = &'g mut dyn FnMut(Object);

/// Judges a set by the authors' rules: a line for each item, each section of the totals, and each odd case.
pub fn verdicts(assets: &Assets, folder: &Path, set: &str, give: Give<'_>) -> Result<(), VectorError> {
    let path = folder.join(format!("predictions-{set}.jsonl"));
    let predictions = Predictions::open(&path).map_err(|error| match error {
        PredictionsError::Io { path, source } => FileError::Io { path, source }.into(),
        error @ PredictionsError::Format { .. } => broken(&path, &error),
    })?;
    let files = ChatFile::below(folder);
    if files.is_empty() {
        read(&folder.join("data").join(FILES[0]))?;
    }
    let bench = Bench::of(files);
    let judges = folder.join(format!("judge-{set}.jsonl"));
    let mut replies = Replies::new(Prompts::shipped(assets));
    replies.read(&judges).map_err(FileError::io(&judges))?;
    let options = Options { profile: Profile::Upstream, ..Options::default() };
    let mut board = Board::new(set, Profile::Upstream);
    let mut item = |verdict: &dyn Fn() -> Verdict| {
        let Verdict { sample, mut line, .. } = verdict();
        line.shift_insert(0, "key".to_owned(), sample.into());
        give(line);
        Ok(())
    };
    score(&bench, &predictions, 0, &mut board, &options, &mut replies, &mut item)
        .map_err(|error| broken(&path, &error))?;
    sections(&board, "", give);
    let mut alone = Board::new(set, Profile::Upstream);
    score(&bench, &predictions, 0, &mut alone, &options, &mut Replies::new(Prompts::shipped(assets)), &mut |_| Ok(()))
        .map_err(|error| broken(&path, &error))?;
    sections(&alone, "rule_only/", give);
    edges(assets, &folder.join(EDGES), give)
}

/// The sections of the totals, and what else is in them.
fn sections(board: &Board, prefix: &str, give: Give<'_>) {
    for (set, tallied) in &board.sets {
        let mut line = keyed(&format!("{prefix}{}_score", set.as_str()));
        line.extend(of_set(board.profile, *set, tallied));
        give(line);
    }
    if !prefix.is_empty() {
        return;
    }
    let mut totals = totals(board);
    let mut line = keyed("judge_calls");
    line.extend(totals.shift_remove("judge_calls").map(|calls| ("judge_calls".to_owned(), calls)));
    give(line);
    let people = totals.shift_remove("human_vs_pipeline");
    for (set, figures) in people.as_ref().and_then(Value::as_object).into_iter().flatten() {
        let mut line = keyed(&format!("human_vs_pipeline/{set}"));
        line.extend(figures.as_object().cloned().unwrap_or_default());
        give(line);
    }
}

/// Odd cases: what the authors' program makes of them, and what is sound.
fn edges(assets: &Assets, path: &Path, give: Give<'_>) -> Result<(), VectorError> {
    if !path.is_file() {
        return Ok(());
    }
    let text = read(path)?;
    let whole = Value::read_lenient(&text).map_err(|error| broken(path, &error))?.0;
    let list = |name: &str| whole.as_object().and_then(|it| it.get(name)?.as_list()).unwrap_or_default().to_vec();
    let words = load_words(assets)?;
    for (at, case) in list("rule").iter().filter_map(Value::as_object).enumerate() {
        let mut line = keyed(&format!("rule/{at}"));
        let (authors, ours) = rule(case, &words);
        line.extend(
            [("case", text_of(case, "case").into()), ("upstream_rule", authors.into()), ("strict_rule", ours.into())]
                .map(owned),
        );
        give(line);
    }
    let grounds = Grounds::new(assets).of(LOCALE).map_err(|error| broken(path, &error))?;
    for (at, case) in list("verdict").iter().filter_map(Value::as_object).enumerate() {
        let reply = text_of(case, "reply");
        let (authors, raw) = match words.read(reply) {
            Read::Pass => ("pass", "pass".to_owned()),
            Read::Fail => ("fail", "fail".to_owned()),
            Read::Unparsed(lines) => ("unparsed", lines),
        };
        let ours = read_reply(reply, &grounds.verdicts).map_or("unparsed", Judgement::as_str);
        let mut line = keyed(&format!("verdict/{at}"));
        line.extend([("upstream", authors.into()), ("upstream_raw", raw.into()), ("sound", ours.into())].map(owned));
        give(line);
    }
    Ok(())
}

/// An odd case by both rules; the types of the tool are those of the right values.
fn rule(case: &Object, words: &upstream::Words) -> (String, String) {
    let gold = Value::read_lenient(text_of(case, "ground_truth_arguments")).map(|it| it.0).unwrap_or_default();
    let call = FunctionCall { name: "f".to_owned(), arguments: gold.as_object().cloned().unwrap_or_default() };
    let called =
        Called { name: "f".to_owned(), arguments: Arguments::Text(text_of(case, "predicted_arguments").to_owned()) };
    let calls = if text_of(case, "case") == "no call" { Vec::new() } else { vec![called] };
    let heard = Heard { content: None, calls };
    let given = case.get("acceptable_arguments").cloned().unwrap_or_default();
    let authors = match upstream::judge(&call, &given, &heard, words) {
        Rule::Pass => "pass".to_owned(),
        Rule::Fail | Rule::NotApplicable => "to_judge".to_owned(),
        Rule::Crash(crash) => format!("crash:{}", crash.as_str()),
    };
    let (acceptable, tool) = (Acceptable::read(&given), typed(&call.arguments));
    let is_only = acceptable.mode == Some(Mode::OnlyGold);
    let gold = Gold {
        call: &call,
        acceptable: &acceptable.values,
        is_only,
        tool: Some(&tool),
        same: Same::default(),
        takes_empty: false,
    };
    let ruled = judge_call(gold, &heard);
    let ours = if ruled.reason.as_str() == "judge" {
        "to_judge".to_owned()
    } else {
        format!("{} ({})", ruled.outcome.as_str(), ruled.reason.as_str())
    };
    (authors, ours)
}

/// A tool that takes values of these types.
fn typed(gold: &Object) -> Tool {
    let kind = |value: &Value| match value {
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_integer_text() => "integer",
        Value::Number(_) => "number",
        Value::List(_) => "array",
        Value::Object(_) => "object",
        Value::String(_) | Value::Null => "string",
    };
    let mut tool = Tool { name: "f".to_owned(), ..Tool::default() };
    for (name, value) in gold {
        let parameter = crate::record::Parameter { kind: Some(kind(value).into()), ..Default::default() };
        tool.parameters.properties.insert(name.clone(), parameter);
    }
    tool
}

fn keyed(key: &str) -> Object {
    [("key".to_owned(), Value::from(key))].into()
}

fn owned((name, value): (&str, Value)) -> (String, Value) {
    (name.to_owned(), value)
}

fn text_of<'o>(object: &'o Object, name: &str) -> &'o str {
    object.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn broken(path: &Path, error: &dyn std::fmt::Display) -> VectorError {
    VectorError::line(path, 1, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECISION: &str = r#"{"serial_num": 1, "category": "CALL", "input_messages": [{"role": "user", "content": "배"}], "input_tools": [], "type_of_output": "call", "ground_truth": {"role": "assistant", "content": null, "tool_calls": [{"id": "random_id", "type": "function", "function": {"name": "f", "arguments": "{\"a\": 3}"}}]}, "acceptable_arguments": null}"#;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join("functionchat").join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    fn lines(folder: &tempfile::TempDir) -> Result<Vec<String>, VectorError> {
        let mut lines = Vec::new();
        crate::verdicts(crate::fixtures::assets(), "functionchat", folder.path(), "A", &mut |line| {
            lines.push(Value::from(line).to_string());
        })?;
        Ok(lines)
    }

    fn files<'f>(message: &'f str, judge: &'f str) -> [(&'static str, &'f str); 4] {
        let edges = r#"{"rule": [{"case": "no call", "ground_truth_arguments": "{\"a\": [1]}", "predicted_arguments": "{}", "acceptable_arguments": null}], "verdict": [{"reply": "불합격"}]}"#;
        [
            ("data/FunctionChat-CallDecision.jsonl", DECISION),
            ("predictions-A.jsonl", message),
            ("judge-A.jsonl", judge),
            ("edge-cases.json", edges),
        ]
    }

    #[test]
    fn items_totals_and_odd_cases_have_their_lines() {
        let message = r#"{"id": "calldecision/1", "kind": "text", "message": {"role": "assistant", "content": "x"}}"#;
        let judge = r#"{"id": "calldecision/1", "human": "fail", "reply": "불합격"}"#;
        insta::assert_snapshot!(lines(&folder(&files(message, judge))).unwrap().join("\n"));
    }

    #[test]
    fn every_file_of_a_set_must_be_there() {
        let told = |names: &[&str]| {
            let there: Vec<(&str, &str)> = files("", "").into_iter().filter(|(name, _)| names.contains(name)).collect();
            lines(&folder(&there)).unwrap_err().to_string()
        };
        assert!(told(&[]).contains("cannot read"), "{}", told(&[]));
        assert!(told(&["predictions-A.jsonl"]).contains("FunctionChat-Singlecall.jsonl"));
        let data = ["predictions-A.jsonl", "data/FunctionChat-CallDecision.jsonl"];
        assert!(told(&data).contains("judge-A.jsonl"), "{}", told(&data));
    }
}
