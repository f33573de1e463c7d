//! The demo: what a real model said, played back, and what the gates made of it.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn it_runs_without_a_network_and_shows_what_was_kept_and_what_was_not() {
    played("en");
    let rejects = played("ko");
    assert!(rejects.iter().any(|reject| reject["stage"] == "slot_filling"), "dialogues were written, and none held");
}

/// Plays what was recorded in a locale; gives the rejects.
fn played(locale: &str) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_fcgen"));
    command.args(["pipeline", "demo", "--quiet", "--locale", locale]);
    let output = command.current_dir(folder.path()).env_remove("OPENAI_API_KEY").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let run = folder.path().join(format!("output/demo-{locale}"));

    let manifest: Value = serde_json::from_slice(&std::fs::read(run.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["models"]["generator"]["model"], "qwen2.5-coder-1.5b-instruct");
    assert_eq!(manifest["template"], false, "a real model's words are no templates");

    let samples = lines(&run.join("samples.jsonl"));
    assert!(samples.iter().any(|sample| sample["data_type"] == "ST_Perfect"));

    let rejects = lines(&run.join("rejects.jsonl"));
    let drawn = samples.iter().filter(|sample| sample["data_type"].as_str().unwrap().starts_with("ST_")).count();
    let stages = ["perfect_queries", "imperfect_queries", "parameters", "script", "consistency", "near_duplicates"];
    let told = rejects.iter().filter(|reject| stages.contains(&reject["stage"].as_str().unwrap())).count();
    assert_eq!(drawn + told, 9, "what was drawn is delivered or told");
    let banks = std::fs::read_dir(run.join("banks").join(locale)).unwrap().count();
    assert_eq!(banks, 1, "the tool has its bank");

    // Every question that a stage asks was asked of the model then: nothing is missing from the record.
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for reject in &rejects {
        *reasons.entry(reject["reason"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    assert!(!reasons.contains_key("unscripted"), "{reasons:?}");
    assert!(reasons.contains_key("inconsistent") && reasons.len() >= 3, "{reasons:?}");
    rejects
}
