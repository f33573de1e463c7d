//! `fcgen check` on a folder in FunctionChat-Bench's layout.

use super::scoring_functionchat::theirs;
use insta::assert_snapshot;
use serde_json::Value as Json;

#[test]
fn a_folder_of_chats_is_looked_over_line_by_line() {
    let bench = theirs();
    let ended = bench.run("check theirs");
    assert_eq!(ended.code, 11);
    assert_snapshot!("chats_checked", ended.told());
}

#[test]
fn one_file_is_a_bench_too() {
    let bench = theirs();
    let ended = bench.must("check theirs/data/FunctionChat-Dialog.jsonl");
    assert!(ended.stderr.contains("1 sample, 0 errors, 0 warnings"), "{}", ended.stderr);
}

#[test]
fn an_audit_of_chats_has_figures_of_its_own() {
    let bench = theirs();
    let ended = bench.run("check theirs --audit --reference theirs --format json");
    let report: Json = serde_json::from_str(&ended.stdout).unwrap();
    let rows = report["rows"].as_array().unwrap();
    for (figure, slice) in [
        ("replay", "call, authors' rule"),
        ("wrong mutants", "words instead of a call"),
        ("equal forms", "different order"),
        ("wordings", "most frequent refusal"),
        ("decisions given away", "turns of dialogs"),
    ] {
        let row = rows.iter().find(|row| row["figure"] == figure && row["slice"] == slice);
        let is_there = row.is_some_and(|row| row["own"]["n"].as_u64() > Some(0));
        // A single kind of turn gives nothing away.
        assert_eq!(is_there, figure != "decisions given away", "{figure} {slice}");
    }
}
