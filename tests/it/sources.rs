//! No row of a training file and no sample of a bench holds an identifier that stands nowhere before the call: every shipped
//! pipeline, every dialect.

use crate::made::{Made, made};
use fcgen::check::{Ground, Loader, Replay, Severity, lint, loads};
use fcgen::export::{Dialect, Options, Rule, export};
use fcgen::format::Bench;
use fcgen::record::Paradigm;
use std::path::Path;
use std::sync::Arc;

/// Shipped pipelines that make samples, each with settings for a small run.
const RUNS: [(&str, &[&str]); 7] = [
    ("hammer", &["limit=2"]),
    ("callnavi", &["limit=1"]),
    ("functionchat", &["limit=1"]),
    ("complexfunc", &["limit=1"]),
    ("confetti", &["limit=14"]),
    ("hammer", &["limit=1", "locale=ko"]),
    ("confetti", &["limit=14", "locale=ko"]),
];

const DIALECTS: [(Dialect, Loader); 7] = [
    (Dialect::Trl, Loader::Trl),
    (Dialect::TrlArrow, Loader::TrlArrow),
    (Dialect::Openai, Loader::Openai),
    (Dialect::Llamafactory, Loader::Llamafactory),
    (Dialect::LlamafactoryOpenai, Loader::LlamafactoryOpenai),
    (Dialect::Hermes, Loader::Hermes),
    (Dialect::Xlam, Loader::Xlam),
];

const SOURCES: &str = "identifiers stand before the call that uses them";

/// A folder with the samples of a run.
fn folder(made: &Made) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["samples.jsonl", "manifest.json"] {
        std::fs::write(folder.path().join(name), made.text(name)).unwrap();
    }
    folder
}

async fn runs() -> Vec<(String, Arc<Made>)> {
    let mut runs = Vec::new();
    for (pipeline, settings) in RUNS {
        runs.push((format!("{pipeline} {settings:?}"), made(pipeline, settings).await));
    }
    runs
}

/// Writes training files; gives how many rows were lost for want of a source, and how many of how many were found sound.
fn exported(run: &Path, dialect: Dialect, loader: Loader, paradigm: Paradigm) -> (u64, usize, usize) {
    let out = tempfile::tempdir().unwrap();
    let options = Options { to: dialect, paradigm, allow_template: true, ..Options::default() };
    let stats = export(&Bench::open(run).unwrap(), out.path(), &options).unwrap();
    let findings = loads(loader, &[out.path().join("train.jsonl")]).unwrap();
    let sound = findings.tallies().find(|(what, _)| *what == SOURCES).map(|(_, tally)| (tally.right, tally.of));
    let (right, of) = sound.unwrap_or_default();
    (stats.losses.get(&Rule::NoSource).map_or(0, |(rows, _)| *rows), right, of)
}

#[tokio::test]
async fn no_row_of_any_dialect_teaches_an_identifier_without_a_source() {
    for (run, made) in runs().await {
        let folder = folder(&made);
        let asking = DIALECTS.map(|(dialect, loader)| (dialect, loader, Paradigm::Ask));
        for (dialect, loader, paradigm) in asking.into_iter().chain([(Dialect::Trl, Loader::Trl, Paradigm::Snapshot)]) {
            let (lost, right, of) = exported(folder.path(), dialect, loader, paradigm);
            // ComplexFuncBench's requests want several turns, which xLAM has no place for.
            let is_empty = (dialect, run.starts_with("complexfunc")) == (Dialect::Xlam, true);
            assert!(lost == 0 && right == of && (of > 0 || is_empty), "{run} {loader:?} {lost} {right} of {of}");
        }
    }
}

#[tokio::test]
async fn no_sample_holds_an_identifier_without_a_source_or_a_value_without_an_origin() {
    for (run, made) in runs().await {
        let folder = folder(&made);
        let bench = Bench::open(folder.path()).unwrap();
        let locale = if run.contains("locale=ko") { "ko" } else { "en" };
        let ground = Ground::load(fcgen::assets(), locale).unwrap().of_bench(&bench).unwrap();
        let report = lint(&bench, &ground, &mut Replay::new(&ground).unwrap());
        let found: Vec<_> = report.findings.rules().filter(|(rule, ..)| ["source", "origin"].contains(rule)).collect();
        let first: Vec<&str> = found.iter().flat_map(|it| it.3).take(5).map(|it| it.message.as_str()).collect();
        assert!(found.is_empty(), "{run}: {first:?}");
        let tally = report.findings.tallies().find(|(what, _)| *what == SOURCES).unwrap().1;
        assert!(tally.of > 0 && tally.right == tally.of, "{run}");
        assert_eq!(found.iter().filter(|it| it.1 == Severity::Error).count(), 0);
    }
}

#[tokio::test]
async fn a_chain_of_a_conversation_is_taught_call_by_call_after_the_answers() {
    let run = made("confetti", &["limit=2"]).await;
    let folder = folder(&run);
    let out = tempfile::tempdir().unwrap();
    let options = Options { allow_template: true, ..Options::default() };
    let stats = export(&Bench::open(folder.path()).unwrap(), out.path(), &options).unwrap();
    let text = std::fs::read_to_string(out.path().join("train.jsonl")).unwrap();
    let mut chained = 0;
    for row in text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()) {
        let messages = row["messages"].as_array().unwrap();
        let calls = |message: &serde_json::Value| message["tool_calls"].as_array().map_or(0, Vec::len);
        assert!(messages.iter().all(|message| calls(message) <= 1), "one call a turn: {row}");
        chained += usize::from(messages.windows(2).any(|pair| pair[0]["role"] == "tool" && calls(&pair[1]) == 1));
    }
    let lost = stats.losses.get(&Rule::DialogueAct).map_or(0, |(rows, _)| *rows);
    assert!(chained > 0 && lost > 0, "{chained} {lost}");
}
