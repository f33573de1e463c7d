//! Dialogues whose variants a model puts into words, as it would any other text.

use super::batches::answer_files;
use super::bench::Bench;
use super::server::Server;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_run_by_files_has_few_waves() {
    let bench = Bench::new();
    let set = ["provider=openai", "model=m", "send_task=true", "batch_dir=batches"];
    let set = set.map(|it| format!(" --set model.generator.{it}")).concat();
    let line = format!("pipeline hammer --quiet --limit 1 --out run{set}");
    let mut waves = 0;
    while waves < 30 {
        let ended = bench.run(&line);
        if ended.code != 15 {
            break;
        }
        answer_files(&bench);
        waves += 1;
    }
    assert!(bench.read("run/samples.jsonl").contains("SO_case2"), "it came to its end");
    // Banks, requests, two readings, other tools, dialogues, their reading, variants, their reading: nine. The built-in model
    // over HTTP has a line or two written once more, a judge decide, and another tool shown.
    assert!(waves <= 13, "{waves}");
}

#[test]
fn all_variants_of_a_dialogue_are_written_in_one_request() {
    let (server, _) = Server::builtin(0, Duration::ZERO);
    let bench = Bench::new();
    let ended = bench.run(&server.line("--limit 6 --out run"));
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let samples = lines(&bench.read("run/samples.jsonl"));
    let mut types: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for sample in samples.iter().filter(|sample| sample["snapshot"].is_object()) {
        let conversation = sample["snapshot"]["conversation"].as_str().unwrap();
        types.entry(sample["data_type"].as_str().unwrap()).or_default().insert(conversation);
        let messages = sample["messages"].as_array().unwrap();
        assert!(messages.iter().all(|message| message["content"] != ""), "{sample}");
        assert_ne!(sample["provenance"]["template"], true, "no template wrote anything: {sample}");
    }
    let found: Vec<&str> = types.keys().copied().collect();
    assert_eq!(found, ["Based", "External", "IS", "SO_case1", "SO_case2", "mQmA", "mQsA", "mSv", "sQmA"]);
    // What a run costs, counted in requests: a base dialogue with its variants, and any other sample.
    let manifest: Value = serde_json::from_str(&bench.read("run/manifest.json")).unwrap();
    let usage = manifest["usage"].as_array().unwrap();
    let dialogue_stages = ["slot_filling", "dialogue_consistency", "write_variants", "variant_consistency"];
    let (dialogue, single): (Vec<&Value>, Vec<&Value>) =
        usage.iter().partition(|stage| dialogue_stages.contains(&stage["stage"].as_str().unwrap()));
    let requests = |stages: &[&Value]| stages.iter().map(|stage| stage["attempts"].as_u64().unwrap()).sum::<u64>();
    let singles = samples.iter().filter(|sample| !sample["snapshot"].is_object()).count() as u64;
    assert!(requests(&dialogue) <= 8 * types["Based"].len() as u64, "{dialogue:?}");
    assert!(2 * requests(&single) <= 9 * singles, "{single:?}");
}
