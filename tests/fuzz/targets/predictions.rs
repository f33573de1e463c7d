//! Lines of predictions, and of samples.

use super::super::chance::Chance;
use super::super::drive::{Target, text};
use super::super::mutate::LONGEST;
use super::super::write;
use super::{came, texts};
use fcgen::format::{Predictions, Said};
use fcgen::record::{Prediction, Sample};
use fcgen::suite::bfcl::layout as bfcl;
use fcgen::suite::complexfunc::layout::Trajectory;
use fcgen::suite::hammerbench::layout::LogLine;

const LINES: &[&str] = &[
    r#"{"id": "t/0", "run": 1, "task": "call", "variant": "tools", "turns": [{"content": "hi", "tool_calls": [["f", "{\"a\": 1}"]], "reasoning": "hm", "routing": {"passed": ["f"], "invented": ["g"]}}], "finish_reason": "stop", "usage": [3, 5]}"#,
    r#"{"id": "t/0", "turns": [], "error": "HTTP 429"}"#,
    r#"{"id": "Based_0_1", "input": "", "predict": "hi", "label": {"name": "f", "arguments": {"a": 1.50}}}"#,
    r#"{"key": 7, "predict": {"name": "f", "arguments": {}}}"#,
    r#"{"id": "simple_python_0", "result": "[f(a=1)]", "mode": "fc", "underscore_to_dot": true}"#,
    r#"{"id": "c-1", "pid": "p", "result": [{"f": "{\"a\": 1}"}], "labels": ["inform", "ask"]}"#,
    r#"{"id": "Car-Rental-0", "gen_convs": [{"role": "assistant", "content": "x"}, {"role": "assistant", "function_call": [{"name": "f", "arguments": {"a": 1}}]}, {"role": "observation", "content": "{}"}], "message": {"error_type": "success", "content": "Success."}}"#,
    r#"{"id": "a", "question": "judge_call", "hash": "00", "draw": 1, "reply": "yes", "model": "m"}"#,
    r#"[{"id": "a", "predict": "one"}, 5, {"id": "b", "turns": [{"content": "two"}]}]"#,
];

const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\"id\": ",
    "\"run\": ",
    "\"turns\": ",
    "\"content\": ",
    "\"tool_calls\": ",
    "\"error\": ",
    "\"predict\": ",
    "\"result\": ",
    "\"gen_convs\": ",
    "\"message\": ",
    "\"role\": ",
    "\"assistant\"",
    "\"usage\": ",
    "\"calls\": ",
    "\"labels\": ",
    "\"mode\": ",
    "\"key\": ",
    "null",
    "true",
    "\n",
    "\"function_call\": ",
    "[\"f\", \"{}\"]",
];

fn line(chance: &mut Chance) -> String {
    let mut value = |depth| write::json(chance, depth);
    let (id, run, turn, calls, result, usage) = (value(0), value(0), value(3), value(3), value(4), value(1));
    match chance.below(5) {
        0 => format!(r#"{{"id": {id}, "predict": {result}, "run": {run}}}"#),
        1 => format!(r#"{{"id": {id}, "result": {result}, "pid": {run}, "labels": {usage}}}"#),
        2 => format!(
            r#"{{"id": "a", "gen_convs": [{turn}, {{"role": "assistant", "function_call": {calls}}}], "message": {usage}}}"#
        ),
        3 => format!(
            r#"{{"id": "a", "run": {run}, "turns": [{{"content": {id}, "tool_calls": {calls}}}, {turn}], "usage": {usage}}}"#
        ),
        _ => format!(
            r#"{{"id": "a", "run": 0, "turns": [{{"content": "x", "tool_calls": [["f", {id}]]}}], "usage": {usage}}}"#
        ),
    }
}

#[test]
fn prediction_lines() {
    let target =
        Target { name: "predictions", seeds: texts(LINES), words: WORDS, make: line, longest: LONGEST, usual: 300 };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("predictions.jsonl");
    target.drive(text(|input| {
        if let Ok(prediction) = serde_json::from_str::<Prediction>(input) {
            let again: Prediction = serde_json::from_str(&serde_json::to_string(&prediction).unwrap()).unwrap();
            assert_eq!(again, prediction);
        }
        let (said, log) = (Said::read(input), LogLine::read(input));
        let turn = said.as_ref().ok().and_then(Said::turn).is_some();
        let (result, trajectory) = (bfcl::ResultLine::read(input), Trajectory::read(input));
        let kind = |said: &Said| match said {
            Said::Turn(_) => "turn".to_owned(),
            Said::Read(_) => "value".to_owned(),
            Said::Failed(_) => "failed".to_owned(),
        };
        format!(
            "{} {turn} {} {:?} {} {}",
            came(&said, kind),
            log.is_ok(),
            result.as_ref().map(Option::is_some),
            came(&trajectory, |_| "ok".to_owned()),
            opened(&path, input),
        )
    }));
}

/// The whole file: what can be found is found, and every fault has its line.
fn opened(path: &std::path::Path, input: &str) -> String {
    std::fs::write(path, input).unwrap();
    let predictions = match Predictions::open(path) {
        Ok(predictions) => predictions,
        Err(fault) => return fault.to_string(),
    };
    let places = input.lines().count().max(input.matches(',').count() + 2);
    assert!(predictions.faults().iter().all(|(place, _)| (1..=places).contains(place)), "{:?}", predictions.faults());
    let found = predictions.runs().into_iter().filter_map(|run| predictions.find("a", run)?.ok()).count();
    format!("{} {} {}", predictions.len().min(3), predictions.faults().len().min(3), found.min(2))
}

#[test]
fn sample_lines() {
    let seeds = texts(&[SAMPLE, STEPS]);
    let words = &[
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\"id\": ",
        "\"messages\": ",
        "\"candidates\": ",
        "\"expected\": ",
        "\"call\": ",
        "\"steps\": ",
        "\"arguments\": ",
        "\"parameters\": ",
        "\"properties\": ",
        "\"required\": ",
        "\"review\": ",
        "\"snapshot\": ",
        "\"refusal\"",
        "\"acceptable\": ",
        "\"provenance\": ",
        "\"facts\": ",
        "null",
        "\"role\": ",
        "\"tool\"",
        "\"enum\": ",
    ];
    let make = |chance: &mut Chance| SAMPLE.replace("\"refusal\"", &write::json(chance, 4));
    Target { name: "samples", seeds, words, make, longest: LONGEST, usual: 300 }.drive(text(|input| {
        let read = serde_json::from_str::<Sample>(input);
        if let Ok(sample) = &read {
            let again: Sample = serde_json::from_str(&serde_json::to_string(sample).unwrap()).unwrap();
            assert_eq!(&again, sample);
            let _ = (sample.shown(), sample.query());
        }
        came(&read, |sample| format!("{} {}", sample.suite, sample.messages.len().min(3)))
    }));
}

const SAMPLE: &str = r#"{"id": "t/0", "suite": "hammerbench", "data_type": "ST_Perfect", "locale": "en", "reference_time": "2024-05-07T09:00:00", "messages": [{"role": "user", "content": "wake me at 8"}], "candidates": [{"name": "Clock.setAlarm", "description": "Sets an alarm", "parameters": {"type": "object", "properties": {"time": {"type": "string", "description": "When", "enum": ["8", "9"]}, "n": {"type": "integer", "minimum": 0}}, "required": ["time"]}}], "expected": "refusal", "acceptable": {"time": ["8", 8.0]}, "group": "t", "review": {}, "licence": "MIT", "source": "here", "provenance": {"template": false, "draws": []}}"#;

const STEPS: &str = r#"{"id": "c/1", "suite": "callnavi", "data_type": "hard", "locale": "ko", "messages": [{"role": "user", "content": "배"}, {"role": "assistant", "calls": [{"name": "f", "arguments": {"a": 1.50}}]}, {"role": "tool", "content": "{}"}], "candidates": [], "expected": {"steps": [{"calls": [{"name": "f", "arguments": {"a": [1, {"b": null}]}}], "answers": [{"x": 1}]}]}, "arguments": {"a": {"surface": "one", "origin": "verbatim"}}, "difficulty": "hard", "tags": ["x"], "mentions": [0], "group": "c", "base": "c/0", "snapshot": {"conversation": "c", "turn": 1, "turns": 2, "tool": "f"}, "label": {"name": "f", "arguments": {}}, "authors_candidates": ["f"], "review": {}, "licence": "", "source": "", "provenance": {"template": true, "draws": [], "parents": ["p"], "tier": "neither", "facts": {"k": "v"}}}"#;
