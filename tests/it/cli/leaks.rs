//! `fcgen check` on files to train on, and on a bench beside them.

use super::bench::Bench;
use insta::assert_snapshot;

const TOOLS: &str = r#"[{"type": "function", "function": {"name": "book", "description": "Books seats", "parameters": {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}}}]"#;

fn row(id: &str, words: &str, arguments: &str) -> String {
    let call = format!(
        r#"{{"id": "c00000001", "type": "function", "function": {{"name": "book", "arguments": {arguments}}}}}"#
    );
    format!(
        r#"{{"id": "{id}", "group": "{id}", "messages": [{{"role": "user", "content": "{words}"}}, {{"role": "assistant", "tool_calls": [{call}]}}], "tools": {TOOLS}}}"#
    )
}

const FAIR: &str = "get me two seats on the slow night train that leaves for Porto when the fair is over";

/// Training files with a fault of each kind.
fn trained() -> Bench {
    let bench = Bench::new();
    let canary = "fcgen-canary-00000000-0000-4000-8000-000000000000";
    let train = [
        row("a", FAIR, r#"{"to": "Porto"}"#),
        row("b", "to Lyon with the early bus", r#""{\"to\": \"Lyon\"}""#),
        row("c", "hello", r#"{"to": 7}"#).replace("\"tools\"", &format!("\"note\": \"{canary}\", \"tools\"")),
        "{\"messages\": []}".to_owned(),
    ];
    bench.write("export/train.jsonl", &train.join("\n"));
    bench.write("export/test.jsonl", &row("d", &FAIR.to_uppercase(), r#"{"to": "Porto"}"#));
    bench
}

#[test]
fn training_files_are_held_to_their_loader_and_parted_cleanly() {
    assert_snapshot!("training_checked", trained().run("check export --dialect trl").told());
}

#[test]
fn a_program_reads_the_same() {
    let ended = trained().run("check export --format json --show 1");
    let report: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((ended.code, report["loader"].as_str()), (11, Some("trl")));
    let rules: Vec<&str> =
        report["rules"].as_array().unwrap().iter().map(|rule| rule["rule"].as_str().unwrap()).collect();
    for rule in ["messages", "not_object", "mixed_types", "shared_text", "shared_tool", "canary"] {
        assert!(rules.contains(&rule), "{rule}: {rules:?}");
    }
}

#[test]
fn warnings_are_errors_where_that_is_wanted() {
    let bench = Bench::new();
    bench.write(
        "train.jsonl",
        &row("a", FAIR, r#"{"to": "Porto"}"#)
            .replace("\"name\": \"book\", \"arguments\"", "\"name\": \"brook\", \"arguments\""),
    );
    assert_eq!(bench.must("check train.jsonl").code, 0);
    assert_eq!(bench.run("check train.jsonl --strict").code, 11);
}

#[test]
fn a_bench_is_found_in_what_somebody_trains_on() {
    let bench = Bench::new();
    bench.must("pipeline hammer.toml --limit 2 --out run --quiet");
    let first: serde_json::Value =
        serde_json::from_str(bench.read("run/samples.jsonl").lines().next().unwrap()).unwrap();
    let words = first["messages"][0]["content"].as_str().unwrap();
    let canary = first["provenance"]["facts"]["canary"].as_str().unwrap();
    assert!(bench.read("run/benchmark/CANARY.txt").contains(canary));
    bench.write("corpus/a.jsonl", &format!("{{\"text\": \"nothing to see in these words of somebody else\"}}\n{{\"text\": {}}}\n{{\"text\": \"{canary}\"}}\n", serde_json::json!(format!("{words} {words}"))));
    let ended = bench.run("check run --against corpus --format json");
    let report: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let of = |rule: &str| {
        report["rules"].as_array().unwrap().iter().find(|it| it["rule"] == rule).cloned().unwrap_or_default()
    };
    assert!(of("contaminated")["findings"].as_array().unwrap().iter().any(|it| it["id"] == first["id"]), "{report:#}");
    assert_eq!((of("canary")["findings"][0]["line"].as_u64(), ended.code), (Some(3), 11));
    let known = bench.must("check run --against known --format json");
    assert!(known.stdout.contains("rows hold no item of a benchmark"), "{}", known.stdout);
}
