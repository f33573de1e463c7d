//! Training files of every suite: as their schemas say, teaching what they should, and read back whole.

use crate::made::restored;
use assert_cmd::Command;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tempfile::TempDir;

/// What trainers read, by the name of schema and loader, and the flags that make it.
const LESSONS: [(&str, &str); 7] = [
    ("trl", "--to trl"),
    ("trl-arrow", "--to trl-arrow"),
    ("openai", "--to openai"),
    ("llamafactory", "--to llamafactory"),
    ("llamafactory-openai", "--to llamafactory --dialect openai"),
    ("hermes", "--to hermes"),
    ("xlam", "--to xlam"),
];

const PIPELINES: [&str; 5] = ["hammer", "callnavi", "functionchat", "complexfunc", "confetti"];

/// The runs, made once for all tests.
fn runs() -> &'static Path {
    static RUNS: OnceLock<TempDir> = OnceLock::new();
    let folder = RUNS.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        for pipeline in PIPELINES {
            // Requests in a single turn are rare in conversations.
            let limit = if pipeline == "confetti" { 14 } else { 1 };
            must(folder.path(), &format!("pipeline {pipeline} --limit {limit} --quiet --out {pipeline}"), "");
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
    let others = [
        ("trl-dpo", "--to trl --objective dpo"),
        ("openai-dpo", "--to openai --objective dpo"),
        ("llamafactory-dpo", "--to llamafactory --objective dpo"),
        ("trl-rl", "--to trl --objective rl"),
    ];
    for (name, flags) in LESSONS.into_iter().chain(others) {
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
    let done = done();
    assert!(done.len() > 50 && done.contains("success"));
    for pipeline in PIPELINES {
        let (_folder, out) = export(pipeline, "--to trl");
        let mut refusals: BTreeMap<String, usize> = BTreeMap::new();
        for row in rows(&out.join("train.jsonl")) {
            let tool =
                |name: &Value| row["tools"].as_array().unwrap().iter().find(|it| it["function"]["name"] == *name);
            let learned = |message: &&Value| message["role"] == "assistant" && message["train"] != false;
            let messages = row["messages"].as_array().unwrap();
            if row["aim"] == "question" {
                let asked = messages.last().unwrap()["content"].as_str().unwrap();
                assert!(!done.contains(asked), "{row}");
            }
            // Only what a tool has just answered is learned to be done.
            for pair in messages.windows(2).filter(|pair| learned(&&pair[1]) && pair[0]["role"] != "tool") {
                assert!(pair[1]["content"].as_str().is_none_or(|text| !done.contains(text)), "{row}");
            }
            for message in messages.iter().filter(learned) {
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

/// What assistants of all locales say where a thing is done.
fn done() -> BTreeSet<String> {
    let locales = Path::new(env!("CARGO_MANIFEST_DIR")).join("locales");
    let mut texts = BTreeSet::new();
    for locale in ["en", "ko", "zh", "ja"] {
        let text = std::fs::read_to_string(locales.join(locale).join("dialogue.toml")).unwrap();
        let phrases: toml::Table = text.parse().unwrap();
        texts.extend(phrases["done"].as_array().unwrap().iter().map(|it| it.as_str().unwrap().to_owned()));
        texts.insert(phrases["paper"]["done"].as_str().unwrap().to_owned());
    }
    texts
}

/// The replies that rows train, each as what stands before it and its words and calls: how many, and how many differ.
fn trained(rows: &[Value]) -> (usize, usize) {
    let (mut count, mut distinct) = (0, BTreeSet::new());
    for row in rows {
        let messages = row["messages"].as_array().unwrap();
        for (at, message) in messages.iter().enumerate() {
            if message["role"] == "assistant" && message["train"] != false {
                let bare = |message: &Value| {
                    [&message["role"], &message["content"], &message["tool_calls"]].map(Value::to_string)
                };
                count += 1;
                distinct.insert(messages[..=at].iter().map(bare).collect::<Vec<_>>());
            }
        }
    }
    (count, distinct.len())
}

#[test]
fn every_reply_is_trained_once_and_every_message_has_content() {
    for (pipeline, flags) in
        PIPELINES.into_iter().flat_map(|it| [(it, "--to trl"), (it, "--to llamafactory --dialect openai")])
    {
        let (_folder, out) = export(pipeline, flags);
        let rows = rows(&out.join("train.jsonl"));
        let (count, distinct) = trained(&rows);
        assert!(count == distinct && count >= rows.len(), "{pipeline} {flags}: {count} of {distinct}");
        for row in &rows {
            let messages = row["messages"].as_array().unwrap();
            assert!(messages.iter().all(|message| message["content"].is_string()), "{row}");
            if flags == "--to trl" {
                let parts = [&row["prompt"], &row["completion"]].map(|part| part.as_array().unwrap().clone());
                assert_eq!(&parts.concat(), messages);
                assert!(parts[0].iter().all(|message| message["role"] != "assistant" || message["train"] == false));
            }
        }
        let card = std::fs::read_to_string(out.join("README.md")).unwrap();
        assert!(card.contains(&format!("Assistant turns trained / distinct: {count} / {distinct};")), "{card}");
    }
    let (_folder, out) = export("hammer", "--to trl --mix all --train-history");
    let (count, distinct) = trained(&rows(&out.join("train.jsonl")));
    assert!(count > distinct, "{count} of {distinct}");
}

#[test]
fn the_default_mix_calls_in_two_thirds_and_more_and_says_what_it_left_out() {
    let aims = |flags: &str| {
        let (_folder, out) = export("hammer", flags);
        let mut aims: BTreeMap<String, usize> = BTreeMap::new();
        for row in rows(&out.join("train.jsonl")) {
            *aims.entry(row["aim"].as_str().unwrap().to_owned()).or_default() += 1;
        }
        let left_out = rows(&out.join("losses.jsonl")).iter().filter(|loss| loss["rule"] == "share").count();
        (aims, left_out)
    };
    let ((mixed, left_out), (all, none)) = (aims("--to trl"), aims("--to trl --mix all"));
    assert!(left_out > 0 && none == 0 && mixed["call"] * 100 / mixed.values().sum::<usize>() >= 65, "{mixed:?}");
    assert!(all["question"] > mixed["question"] && all["refusal"] > mixed["refusal"], "{all:?}");
}

#[test]
fn blank_lines_are_no_rows_and_a_broken_import_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let row = r#"{"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Hello."}]}"#;
    std::fs::write(folder.path().join("rows.jsonl"), format!("{row}\n\n{row}\n")).unwrap();
    must(folder.path(), "import rows.jsonl --from openai --out back.jsonl", "");
    assert_eq!(rows(&folder.path().join("back.jsonl")).len(), 2);
    std::fs::write(folder.path().join("rows.jsonl"), format!("{row}\n\n{{\n")).unwrap();
    let (is_ok, _, said) = run(folder.path(), "import rows.jsonl --from openai --out other.jsonl", "");
    assert!(!is_ok && said.contains("line 3"), "{said}");
    let names: BTreeSet<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(names, BTreeSet::from(["back.jsonl", "rows.jsonl"].map(str::to_owned)));
}

/// What a row teaches, as the turns of a prediction.
fn taught(row: &Value) -> Vec<Value> {
    let messages = row["messages"].as_array().unwrap();
    let turn = |message: &Value| {
        let calls = message["tool_calls"].as_array().into_iter().flatten().map(|call| {
            let function = &call["function"];
            serde_json::json!([function["name"], function["arguments"].to_string()])
        });
        serde_json::json!({"content": message["content"], "tool_calls": calls.collect::<Vec<_>>()})
    };
    // Only these two have several steps in a target; what they call before it stands in no history.
    let begin = messages.iter().rposition(|message| message["role"] == "user").unwrap();
    let said = messages[begin..].iter().filter(|message| message["role"] == "assistant").map(turn);
    match row["suite"].as_str().unwrap() {
        "complexfuncbench" => said.collect(),
        // All calls of a question are one answer.
        "callnavi" => {
            let turns: Vec<Value> = said.collect();
            let calls: Vec<Value> =
                turns.iter().flat_map(|turn| turn["tool_calls"].as_array().unwrap()).cloned().collect();
            vec![serde_json::json!({"content": turns[0]["content"], "tool_calls": calls})]
        }
        _ => vec![turn(messages.last().unwrap())],
    }
}

/// Targets of a run given back to `score` in their own paradigm, and to `score --stdin`: how many items have a verdict, and
/// how many are right.
fn given_back(run: &str, paradigm: &str) -> (usize, usize) {
    let (folder, out) = export(run, &format!("--to trl --mix all --keep-duplicates --paradigm {paradigm}"));
    let rows = rows(&out.join("train.jsonl"));
    let mut said: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for row in &rows {
        // The calls of a chain may be rows of their own.
        said.entry(row["id"].as_str().unwrap()).or_default().extend(taught(row));
    }
    let line = |(id, turns): (&&str, &Vec<Value>)| serde_json::json!({"id": id, "turns": turns}).to_string() + "\n";
    let (predictions, failures) = (folder.path().join("said.jsonl"), folder.path().join("failures.jsonl"));
    std::fs::write(&predictions, said.iter().map(line).collect::<String>()).unwrap();
    let is_hammerbench = rows[0]["suite"] == "hammerbench";
    let flag = if is_hammerbench { format!(" --paradigm {paradigm}") } else { String::new() };
    let (predictions, path) = (predictions.display(), failures.display());
    let line = format!("score {run} --missing skip --predictions {predictions} --failures {path} --format json{flag}");
    let scored: Value = serde_json::from_str(&must(runs(), &line, "")).unwrap();
    let decided = scored["headline"][0]["right"]["n"].as_u64().map_or(0, |n| usize::try_from(n).unwrap());
    let wrong = self::rows(&failures);
    assert!(wrong.is_empty(), "{run} {paradigm}: {} of {decided}: {}", wrong.len(), wrong[0]);
    if is_hammerbench {
        assert_eq!(decided, said.len(), "{run} {paradigm}");
        let line = |row: &Value| {
            let row = serde_json::json!({"id": row["id"], "paradigm": row["paradigm"], "turns": taught(row)});
            row.to_string() + "\n"
        };
        let rewards = must(runs(), &format!("score {run} --stdin"), &rows.iter().map(line).collect::<String>());
        assert_eq!(rewards.matches("\"reward\":1.0").count(), rows.len(), "{run} {paradigm}");
    }
    (decided, rows.len())
}

#[test]
fn every_target_is_right_where_it_is_given_back_in_its_own_paradigm() {
    must(runs(), "pipeline hammer --limit 2 --locale ko --quiet --out hammer-ko", "");
    must(runs(), "pipeline callnavi --limit 1 --locale ko --quiet --out callnavi-ko", "");
    must(runs(), "pipeline confetti --limit 1 --locale ko --quiet --out confetti-ko", "");
    must(runs(), "pipeline functionchat --limit 2 --locale en --quiet --out functionchat-en", "");
    for run in PIPELINES.into_iter().chain(["hammer-ko", "callnavi-ko", "confetti-ko", "functionchat-en"]) {
        let paradigms: &[&str] = if run.starts_with("hammer") { &["ask", "snapshot"] } else { &["ask"] };
        for paradigm in paradigms {
            let (decided, rows) = given_back(run, paradigm);
            assert!(decided > 0 && rows > 0, "{run} {paradigm}: {decided} of {rows}");
        }
    }
}

#[test]
fn what_was_exported_is_read_back_whole() {
    for pipeline in PIPELINES {
        let wanted = restored(&std::fs::read_to_string(runs().join(pipeline).join("samples.jsonl")).unwrap()).len();
        for (dialect, flags) in [("trl", "--to trl"), ("trl", "--to trl-arrow"), ("openai", "--to openai")] {
            let (_folder, out) = export(pipeline, &format!("{flags} --mix all --keep-duplicates --paradigm ask"));
            let back = out.join("back.jsonl");
            must(runs(), &format!("import {} --from {dialect} --out {}", out.display(), back.display()), "");
            let losses = rows(&out.join("losses.jsonl"));
            let lost: Vec<&Value> = losses.iter().filter(|loss| loss["kept"] == false).collect();
            assert_eq!(rows(&back).len() + lost.len(), wanted, "{pipeline} {flags}");
            // Turns of CONFETTI that call are scored by their acts; their calls are rows of their own.
            let is_act = |loss: &&Value| loss["rule"] == "dialogue_act";
            assert!(
                lost.iter().all(is_act) && lost.is_empty() != (pipeline == "confetti"),
                "{pipeline} {flags} {lost:?}"
            );
        }
    }
}

#[test]
fn what_others_read_is_read_back_whole_as_well() {
    for (dialect, flags) in [
        ("llamafactory", "--to llamafactory"),
        ("hermes", "--to hermes"),
        ("xlam", "--to xlam"),
        ("trl", "--to llamafactory-openai"),
    ] {
        for pipeline in PIPELINES.into_iter().filter(|pipeline| (dialect, *pipeline) != ("xlam", "complexfunc")) {
            let (_folder, out) =
                export(pipeline, &format!("{flags} --mix all --train-history --keep-duplicates --reasoning drop"));
            let back = out.join("back.jsonl");
            must(runs(), &format!("import {} --from {dialect} --out {}", out.display(), back.display()), "");
            let (theirs, ours) = (rows(&out.join("train.jsonl")), rows(&back));
            assert_eq!(theirs.len(), ours.len(), "{pipeline} {flags}");
            assert!(!back.with_extension("losses.jsonl").exists(), "{pipeline} {flags}");
            // What a model is asked and what is right are those of the same export for TRL.
            let (_folder, other) =
                export(pipeline, "--to trl --mix all --train-history --keep-duplicates --reasoning drop");
            let same = other.join("back.jsonl");
            must(runs(), &format!("import {} --from trl --out {}", other.display(), same.display()), "");
            let wanted: BTreeMap<String, Value> =
                rows(&same).into_iter().map(|row| (row["id"].as_str().unwrap().to_owned(), row)).collect();
            for row in &ours {
                let wanted = &wanted[row["id"].as_str().unwrap()];
                if dialect != "xlam" {
                    assert_eq!(
                        (&row["messages"], &row["candidates"]),
                        (&wanted["messages"], &wanted["candidates"]),
                        "{pipeline} {flags}"
                    );
                }
                if dialect != "xlam" || row["expected"].get("answer").is_none() {
                    assert_eq!(row["expected"], wanted["expected"], "{pipeline} {flags}: {}", row["id"]);
                }
            }
        }
    }
}

#[test]
fn every_export_passes_the_rules_of_its_loader() {
    for (dialect, flags) in LESSONS {
        for pipeline in PIPELINES.into_iter().filter(|pipeline| (dialect, *pipeline) != ("xlam", "complexfunc")) {
            let (_folder, out) = export(pipeline, flags);
            let told = must(runs(), &format!("check {} --dialect {dialect} --format json", out.display()), "");
            let report: Value = serde_json::from_str(&told).unwrap();
            assert_eq!(report["loader"], dialect);
            let kept = &report["tallies"]["rows are kept by the loader"];
            assert!(kept["of"].as_u64() > Some(0) && kept["of"] == kept["right"], "{pipeline} {dialect}: {report:#}");
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
    let (_folder, plain) = export("hammer", "--split 0.5");
    let told = must(runs(), &format!("check {} --format json", plain.display()), "");
    let report: Value = serde_json::from_str(&told).unwrap();
    let rules: Vec<&str> =
        report["rules"].as_array().unwrap().iter().filter_map(|rule| rule["rule"].as_str()).collect();
    assert!(!rules.iter().any(|rule| rule.starts_with("shared_")), "{rules:?}");
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

#[test]
fn rows_whose_tools_go_by_other_names_are_rewarded_by_what_they_say_is_right() {
    for flags in ["--to openai", "--to trl --rename", "--to trl --safe-names"] {
        let (_folder, out) = export("hammer", &format!("{flags} --objective rl"));
        let mut lines = Vec::new();
        for row in rows(&out.join("train.jsonl")) {
            let truth = &row["ground_truth"];
            let right = truth.as_str().map_or_else(|| truth.clone(), |text| serde_json::from_str(text).unwrap());
            if right["aim"] == "call" {
                let line = serde_json::json!({"id": row["id"], "ground_truth": truth, "tool_calls": right["calls"]});
                lines.push(format!("{line}\n"));
            }
        }
        let told = must(runs(), "score hammer --stdin", &lines.concat());
        assert!(
            told.lines().count() > 10 && told.lines().all(|line| line.contains(r#""reward":1.0"#)),
            "{flags}: {told}"
        );
    }
}
