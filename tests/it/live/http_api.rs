//! An HTTP API that `OpenAPI` describes, from its description to requests that were executed: a server of our own answers.

use super::bench::{Bench, KEY, holding, requests};
use super::nursery::{self, Nursery};
use fcgen::llm::stub::{Rule, Stub, StubOptions, StubReply};
use fcgen::llm::{Reply, ToolCallText};
use serde_json::Value as Json;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder with the nursery imported, and explored at a server that lives on.
fn explored() -> (Bench, Nursery) {
    let (bench, nursery) = (Bench::new(), Nursery::open());
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/openapi/nursery.yaml");
    bench.must(&["toolset", "import", "--openapi", file.to_str().unwrap(), "--out", "nursery"]);
    let key = ["--api-key-env", "SERVER_KEY"];
    bench.must(&[&["toolset", "explore", "nursery", "--base-url", &nursery.url][..], &key].concat());
    fs::write(bench.path("nursery.toml"), requests("nursery")).unwrap();
    (bench, nursery)
}

/// What a run needs to ask the server itself.
fn live(nursery: &Nursery) -> [String; 2] {
    [format!("world.nursery.server={}", nursery.url), "world.nursery.api_key_env=SERVER_KEY".to_owned()]
}

#[test]
fn exploration_reads_with_the_key_and_changes_nothing() {
    let (bench, nursery) = explored();
    let anchors = bench.json("nursery/anchors.json");
    let codes = anchors["anchors"]["plants_get.code"]["values"].as_array().unwrap();
    assert!(codes.len() >= 4 && codes.iter().all(|code| nursery::has(code.as_str().unwrap())), "{anchors}");
    let heard = nursery.heard();
    assert!(heard.len() >= 5 && heard.iter().all(|line| line.starts_with("GET /v2/")), "{heard:?}");
    assert_eq!(nursery.refused(), 0, "every call brought the key in its header");
    assert_eq!(holding(bench.folder.path(), KEY), Vec::<PathBuf>::new());
}

#[test]
fn requests_are_executed_recorded_and_made_again_without_the_server() {
    let (bench, nursery) = explored();
    fs::remove_file(bench.path("nursery/recording.jsonl")).unwrap();
    let before = nursery.heard().len();
    bench.pipeline("nursery.toml", "one", &live(&nursery).each_ref().map(String::as_str));
    assert!(nursery.heard().len() > before, "the server itself was asked");
    let samples = bench.samples("one");
    assert!(samples.len() >= 3, "{}", bench.read("one/rejects.jsonl"));
    for sample in &samples {
        let text = sample["messages"][0]["content"].as_str().unwrap();
        let codes = text.split(|it: char| !it.is_alphanumeric() && it != '-').filter(|word| word.starts_with("PL-"));
        assert!(codes.into_iter().all(nursery::has), "a plant that does not exist: {text}");
    }
    assert!(bench.must(&["check", "one"]).contains("0 errors, 0 warnings"));
    drop(nursery);
    bench.pipeline("nursery.toml", "two", &["world.nursery.replay=one/recording.db"]);
    assert_eq!(bench.written("one"), bench.written("two"));
    assert_eq!(holding(bench.folder.path(), KEY), Vec::<PathBuf>::new());
}

/// A model that makes the calls of each sample, step by step.
fn player(samples: Vec<Json>) -> Rule {
    Rule::handler(move |request| {
        let said = request.body["messages"].as_array().unwrap();
        let turns = said.iter().filter(|message| message["role"] == "assistant").count();
        let is_this = |sample: &&Json| sample["messages"][0]["content"] == said[0]["content"];
        let steps = &samples.iter().find(is_this).unwrap()["expected"]["steps"];
        let calls = steps[turns]["calls"].as_array().into_iter().flatten();
        let call = |call: &Json| ToolCallText {
            name: call["name"].as_str().unwrap().to_owned(),
            arguments: call["arguments"].to_string(),
        };
        let tool_calls: Vec<ToolCallText> = calls.map(call).collect();
        let text = if tool_calls.is_empty() { "Done." } else { "" };
        StubReply::Reply(Reply { text: text.to_owned(), tool_calls, ..Reply::default() })
    })
}

#[test]
fn a_model_plays_on_the_recorded_answers_and_is_scored() {
    let (bench, nursery) = explored();
    bench.pipeline("nursery.toml", "one", &live(&nursery).each_ref().map(String::as_str));
    drop(nursery);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let options = StubOptions { rule: player(bench.samples("one")), ..StubOptions::default() };
    let model = runtime.block_on(Stub::start(options)).unwrap();
    bench.must(&["predict", "one", "--quiet", "--mode", "tools", "--model", "m", "--base-url", &model.base_url()]);
    let table = bench.must(&["score", "one", "--predictions", "predictions.jsonl", "--format", "csv"]);
    assert!(table.contains("overall,predictions,Success,value,1,"), "{table}");
}

#[test]
fn a_server_that_is_not_named_is_not_asked() {
    let (bench, nursery) = explored();
    let heard = nursery.heard().len();
    bench.must(&["pipeline", "nursery.toml", "--check", "--set", &live(&nursery)[0]]);
    bench.pipeline("nursery.toml", "one", &[]);
    assert_eq!(nursery.heard().len(), heard, "the recorded answers of the exploration are the world");
}
