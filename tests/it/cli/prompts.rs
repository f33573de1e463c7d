//! `--prompts DIR`: prompts of other people, sent to the letter, recorded with predictions and shown with figures.

use super::bench::Bench;
use fcgen::llm::stub::{Rule, Stub, StubOptions, StubReply, StubRequest};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::runtime::Runtime;

/// A server that keeps what it is asked and always says the same.
struct Server {
    stub: Stub,
    heard: Arc<Mutex<Vec<Value>>>,
    _runtime: Runtime,
}

impl Server {
    fn saying(text: &'static str) -> Self {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let keep = heard.clone();
        let rule = Rule::handler(move |request: &StubRequest| {
            keep.lock().unwrap().push(request.body.clone());
            StubReply::text(text)
        });
        let runtime = Runtime::new().unwrap();
        let stub = runtime.block_on(Stub::start(StubOptions { rule, ..StubOptions::default() })).unwrap();
        Self { stub, heard, _runtime: runtime }
    }

    fn messages(&self) -> Vec<Value> {
        self.heard.lock().unwrap().drain(..).map(|body| body["messages"].clone()).collect()
    }

    fn predict(&self, more: &str) -> String {
        let line = format!("predict run --model m --base-url {} --out said.jsonl {more}", self.stub.base_url());
        line.trim_end().to_owned()
    }

    fn score(&self, more: &str) -> String {
        let url = self.stub.base_url();
        let line = format!("score run --predictions said.jsonl --judge-model j --judge-base-url {url} {more}");
        line.trim_end().to_owned()
    }
}

const CALL: &str = "```json\n{\"name\": \"Travel.Cabs.bookCab\", \"parameters\": {\"place\": \"the 4th pier\"}}\n```";

/// One request, whose tool takes a place.
fn cabs() -> Bench {
    let parameters = json!({"type": "object", "properties": {"place": {"type": "string", "description": "Where to"}}, "required": ["place"]});
    let sample = json!({
        "id": "a", "suite": "hammerbench", "data_type": "ST_Perfect", "locale": "en", "group": "g", "licence": "CC0", "source": "test",
        "messages": [{"role": "user", "content": "A cab to \"Pier 4\", {{ please }}"}],
        "candidates": [{"name": "Travel.Cabs.bookCab", "description": "Books a cab", "parameters": parameters}],
        "expected": {"call": {"name": "Travel.Cabs.bookCab", "arguments": {"place": "Pier 4"}}},
        "provenance": {"template": true, "draws": []},
    });
    let bench = Bench::new();
    bench.write("run/samples.jsonl", &(sample.to_string() + "\n"));
    let prompt = "For people.\n=== system\n  Tools:\n{% for tool in tools %}\n{{ tool | python_json(indent=1) }}{% endfor %}\n\n=== user\n> {{ dialogue }}\n\n";
    bench.write("theirs/hammerbench/predict.md", prompt);
    let judge = "=== user\nSame? {{ label | python_json }} / {{ output | python_json }} \n=== end\n";
    bench.write("theirs/hammerbench/judge_call.md", judge);
    bench
}

#[test]
fn they_are_sent_to_the_letter_recorded_and_shown() {
    let (bench, server) = (cabs(), Server::saying(CALL));
    let told = bench.must(&server.predict("--prompts theirs"));
    let tool = "{\n \"name\": \"Travel.Cabs.bookCab\",\n \"description\": \"Books a cab\",\n \"parameters\": {\n  \"type\": \"object\",\n  \"properties\": {\n   \"place\": {\n    \"type\": \"string\",\n    \"description\": \"Where to\"\n   }\n  },\n  \"required\": [\n   \"place\"\n  ]\n }\n}";
    assert_eq!(
        server.messages(),
        [json!([
            {"role": "system", "content": format!("  Tools:\n\n{tool}\n")},
            {"role": "user", "content": "> user:A cab to \"Pier 4\", {{ please }}\n\n"},
        ])]
    );
    assert!(!told.stderr.contains("fcgen's own prompt"), "{}", told.stderr);
    let meta: Value = serde_json::from_str(&bench.read("said.meta.json")).unwrap();
    assert_eq!(
        (&meta["mode"], &meta["prompts"]["name"]),
        (&json!("prompt"), &json!("theirs/hammerbench: judge_call.md, predict.md"))
    );
    assert_eq!(meta["prompts"]["hash"].as_str().unwrap().len(), 16);

    let judge = Server::saying("True");
    let scored = bench.must(&judge.score("--prompts theirs"));
    let asked = "Same? {\"place\": \"Pier 4\"} / {\"place\": \"the 4th pier\"} ";
    assert_eq!(judge.messages(), [json!([{"role": "user", "content": asked}])]);
    let hash = meta["prompts"]["hash"].as_str().unwrap();
    for note in ["prompts", "prompts of the judge"] {
        let note = format!("{note}: theirs/hammerbench: judge_call.md, predict.md ({hash})");
        assert!(scored.stdout.contains(&note), "{note}: {}", scored.stdout);
    }
    bench.must(&judge.score("--prompts theirs"));
    assert_eq!(judge.messages(), Vec::<Value>::new(), "what was judged by the same prompts is known");
    bench.must("report run --html page.html --no-audit --predictions said.jsonl");
    assert!(bench.read("page.html").contains("theirs/hammerbench: judge_call.md"));
}

#[test]
fn judgements_by_other_prompts_are_not_the_same() {
    let (bench, server) = (cabs(), Server::saying(CALL));
    bench.must(&server.predict(""));
    let judge = Server::saying("True");
    bench.must(&judge.score("--prompts theirs"));
    let own = bench.must(&judge.score(""));
    assert_eq!(judge.messages().len(), 2, "our own prompt asks anew");
    assert!(
        own.stdout.contains("prompts: fcgen's own") && own.stdout.contains("prompts of the judge: fcgen's own"),
        "{}",
        own.stdout
    );
}

#[test]
fn what_a_folder_lacks_is_ours_and_is_said() {
    let (bench, server) = (cabs(), Server::saying(CALL));
    let told = bench.must(&server.predict("--prompts theirs --mode tools"));
    assert!(
        told.stderr.contains("note: theirs/hammerbench has no `predict_tools.md`: the built-in prompt is used"),
        "{}",
        told.stderr
    );
    let refused = bench.run(&server.predict("--mode tools"));
    assert!(
        refused.code == 2 && refused.stderr.contains("was made with the prompts `theirs/hammerbench: "),
        "{}",
        refused.stderr
    );
}

#[test]
fn what_cannot_be_used_is_told_before_anything_is_asked() {
    let (bench, server) = (cabs(), Server::saying(CALL));
    for (folder, told) in [
        ("nowhere", "error: nowhere/hammerbench: No such file or directory"),
        ("wrong", "error: wrong/hammerbench: `pedict.md` is not a prompt of `hammerbench`; expected `predict`"),
        ("unknown", "unknown/hammerbench/predict.md:3: undefined value: `quary` is undefined"),
    ] {
        bench.write("wrong/hammerbench/pedict.md", "x");
        bench.write("unknown/hammerbench/predict.md", "=== user\n\n{{ quary }}");
        let ended = bench.run(&server.predict(&format!("--prompts {folder}")));
        assert!(ended.code == 11 && ended.stderr.contains(told), "{}: {}", ended.code, ended.stderr);
    }
    let alone = bench.run("predict run --prompts theirs");
    assert!(alone.code == 2 && alone.stderr.contains("--model"), "{}", alone.stderr);
    assert_eq!(server.messages(), Vec::<Value>::new());
}

#[test]
fn suites_whose_authors_hand_tools_over_natively_are_asked_so() {
    let (bench, server) = (cabs(), Server::saying("Where to?"));
    let sample = bench.read("run/samples.jsonl").replace("hammerbench", "functionchat").replace("ST_Perfect", "exact");
    bench.write("run/samples.jsonl", &sample);
    bench.write("theirs/functionchat/functionchat_system.md", "=== system\n Be kind. \n=== end\n");
    bench.must(&server.predict("--prompts theirs"));
    let said = json!({"role": "user", "content": "A cab to \"Pier 4\", {{ please }}"});
    assert_eq!(server.messages(), [json!([{"role": "system", "content": " Be kind. "}, said])]);
    let meta: Value = serde_json::from_str(&bench.read("said.meta.json")).unwrap();
    assert_eq!(meta["mode"], "tools");
}
