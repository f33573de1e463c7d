//! Training files of every suite: as their schemas say, teaching what they should, and read back whole.

#![expect(clippy::unwrap_used, reason = "a test stops at whatever it did not expect")]

use assert_cmd::Command;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tempfile::TempDir;

const PIPELINES: [&str; 5] = ["hammer", "callnavi", "functionchat", "complexfunc", "confetti"];

/// The runs, made once for all tests.
fn runs() -> &'static Path {
    static RUNS: OnceLock<TempDir> = OnceLock::new();
    let folder = RUNS.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        for pipeline in PIPELINES {
            must(folder.path(), &format!("pipeline {pipeline} --limit 1 --quiet --out {pipeline}"), "");
        }
        folder
    });
    folder.path()
}

fn run(folder: &Path, line: &str, input: &str) -> (bool, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fcgen"));
    let output = command.args(line.split(' ')).current_dir(folder).write_stdin(input.to_owned()).output().unwrap();
    let [told, said] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    (output.status.success(), told, said)
}

fn must(folder: &Path, line: &str, input: &str) -> String {
    let (is_ok, told, said) = run(folder, line, input);
    assert!(is_ok, "{line}: {said}");
    told
}

/// Exports a run and gives the folder.
fn export(pipeline: &str, flags: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    must(runs(), &format!("export {pipeline} --allow-template --out {} {flags}", out.display()), "");
    (folder, out)
}

fn rows(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_row_of_every_suite_is_as_its_schema_says() {
    for (name, flags) in [
        ("trl", "--to trl"),
        ("trl-arrow", "--to trl-arrow"),
        ("openai", "--to openai"),
        ("llamafactory", "--to llamafactory"),
        ("hermes", "--to hermes"),
        ("xlam", "--to xlam"),
        ("trl-dpo", "--to trl --objective dpo"),
        ("openai-dpo", "--to openai --objective dpo"),
        ("llamafactory-dpo", "--to llamafactory --objective dpo"),
        ("trl-rl", "--to trl --objective rl"),
    ] {
        let schema = serde_json::from_str(&must(runs(), &format!("schema export-{name}"), "")).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        for pipeline in PIPELINES {
            // Its requests want several turns, which xLAM has no place for.
            if (name, pipeline) == ("xlam", "complexfunc") {
                continue;
            }
            let (_folder, out) = export(pipeline, flags);
            let rows = rows(&out.join("train.jsonl"));
            assert!(!rows.is_empty(), "{pipeline} {name}");
            for row in rows {
                let fault = validator.iter_errors(&row).next().map(|fault| fault.to_string());
                assert_eq!(fault, None, "{pipeline} {name}: {row}");
            }
        }
    }
}

#[test]
fn what_is_taught_is_whole_and_no_scaffold() {
    for pipeline in PIPELINES {
        let (_folder, out) = export(pipeline, "--to trl");
        let mut refusals: BTreeMap<String, usize> = BTreeMap::new();
        for row in rows(&out.join("train.jsonl")) {
            let tool =
                |name: &Value| row["tools"].as_array().unwrap().iter().find(|it| it["function"]["name"] == *name);
            let learned = |message: &&Value| message["role"] == "assistant" && message["train"] != false;
            for message in row["messages"].as_array().unwrap().iter().filter(learned) {
                assert!(!message.to_string().contains("$$$") && message["content"] != "success", "{message}");
                for call in message["tool_calls"].as_array().into_iter().flatten() {
                    let (call, arguments) = (&call["function"], call["function"]["arguments"].as_object().unwrap());
                    let parameters = &tool(&call["name"]).unwrap()["function"]["parameters"];
                    let required = parameters["required"].as_array().into_iter().flatten();
                    assert!(required.into_iter().all(|name| arguments.contains_key(name.as_str().unwrap())), "{call}");
                    assert!(arguments.values().all(|value| value != ""), "{call}");
                }
            }
            if row["aim"] == "refusal" {
                let words = row["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap();
                *refusals.entry(words.to_owned()).or_default() += 1;
            }
        }
        let (most, all) = (refusals.values().max().copied().unwrap_or(0), refusals.values().sum::<usize>());
        assert!(most <= 1 || most * 20 <= all, "{pipeline}: {most} of {all}");
    }
}

#[test]
fn what_was_exported_is_read_back_whole() {
    for pipeline in PIPELINES {
        let wanted = std::fs::read_to_string(runs().join(pipeline).join("samples.jsonl")).unwrap().lines().count();
        for (dialect, flags) in [("trl", "--to trl"), ("trl", "--to trl-arrow"), ("openai", "--to openai")] {
            let (_folder, out) = export(pipeline, &format!("{flags} --keep-duplicates --paradigm ask"));
            let back = out.join("back.jsonl");
            must(runs(), &format!("import {} --from {dialect} --out {}", out.display(), back.display()), "");
            let lost = rows(&out.join("losses.jsonl")).iter().filter(|loss| loss["kept"] == false).count();
            assert_eq!(rows(&back).len() + lost, wanted, "{pipeline} {flags}");
            assert_eq!(lost, 0, "{pipeline} {flags}");
        }
    }
}

#[test]
fn parts_share_no_tool_and_equal_seeds_give_equal_bytes() {
    let (_one, out) = export("hammer", "--split 0.5 --rename 0.5 --weight locale:en=1.5");
    let (_two, again) = export("hammer", "--split 0.5 --rename 0.5 --weight locale:en=1.5");
    for name in ["train.jsonl", "test.jsonl", "README.md", "losses.jsonl"] {
        assert_eq!(std::fs::read(out.join(name)).unwrap(), std::fs::read(again.join(name)).unwrap(), "{name}");
    }
    let groups = |name: &str| -> BTreeSet<String> {
        rows(&out.join(name)).iter().map(|row| row["group"].as_str().unwrap().to_owned()).collect()
    };
    assert!(groups("train.jsonl").is_disjoint(&groups("test.jsonl")));
}

#[test]
fn rows_of_templates_want_to_be_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let (is_ok, _, said) = run(runs(), &format!("export hammer --out {}", folder.path().display()), "");
    assert!(!is_ok && said.contains("`--allow-template`"), "{said}");
}

#[test]
fn a_trainer_gets_a_reward_for_each_reply() {
    let (_folder, out) = export("hammer", "--to trl --objective rl");
    let row = rows(&out.join("train.jsonl")).into_iter().find(|row| row["aim"] == "call").unwrap();
    let right: Value = serde_json::from_str(row["ground_truth"].as_str().unwrap()).unwrap();
    let lines = [
        serde_json::json!({"id": row["id"], "tool_calls": right["calls"]}),
        serde_json::json!({"id": row["id"], "content": "I would rather not."}),
        serde_json::json!({"id": "nobody", "content": ""}),
    ];
    let told = must(runs(), "score hammer --stdin", &lines.map(|line| format!("{line}\n")).concat());
    let rewards: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((rewards.len(), &rewards[0]["reward"], &rewards[1]["reward"]), (3, &1.0.into(), &0.0.into()));
    assert_eq!((&rewards[0]["reason"], &rewards[2]["reason"]), (&"right".into(), &"unknown_id".into()));
}
