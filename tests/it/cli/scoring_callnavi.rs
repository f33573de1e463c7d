//! `score` of questions that want calls in order.

use super::bench::Bench;
use fcgen::llm::stub::{Rule, Stub, StubOptions, StubReply};
use insta::assert_snapshot;

const APIS: &str = r#"[{"name": "getCard", "parameters": {"properties": {"customerId": {"type": "string"}}}},
    {"name": "getLimit", "parameters": {"properties": {"cardId": {"type": "string"}, "day": {"type": "string"}}}}]"#;

fn sample(id: &str, difficulty: &str, steps: &str) -> String {
    let provenance = serde_json::to_string(&fcgen::record::Provenance::default()).unwrap();
    let line = format!(
        r#"{{"id": "{id}", "suite": "callnavi", "data_type": "{difficulty}", "difficulty": "{difficulty}", "locale": "en",
        "messages": [{{"role": "user", "content": "What may card 7 still pay?"}}], "candidates": {APIS}, "expected": {{"steps": [{steps}]}},
        "group": "bank", "licence": "", "source": "", "provenance": {provenance}}}"#
    );
    line.replace('\n', "")
}

/// Three questions: one call, two calls, and a call that needs the answer of the first.
fn questions() -> Bench {
    let bench = Bench::new();
    let step = |name: &str, arguments: &str| {
        format!(r#"{{"calls": [{{"name": "{name}", "arguments": {arguments}}}], "answers": []}}"#)
    };
    let (card, limit) =
        (step("getCard", r#"{"customerId": "7"}"#), step("getLimit", r#"{"cardId": "7", "day": "Monday"}"#));
    let open = step("getLimit", r#"{"cardId": "$$$", "day": "Monday"}"#);
    let lines = [
        sample("q1", "easy", &card),
        sample("q2", "medium", &format!("{limit}, {card}")),
        sample("q3", "hard", &format!("{card}, {open}")),
    ];
    bench.write("bench/samples.jsonl", &lines.join("\n"));
    bench
}

fn said(id: &str, run: u32, task: &str, text: &str) -> String {
    let text = serde_json::Value::from(text);
    format!(
        r#"{{"id": "{id}", "run": {run}, "task": "{task}", "variant": "{task}-json-json", "turns": [{{"content": {text}}}]}}{}"#,
        '\n'
    )
}

const ONE: &str = "```json\n{\"API\": [\"getCard\"], \"parameters\": [{\"customerId\": \"7\"}]}\n```";
const SWAPPED: &str =
    r#"{"API": ["getCard", "getLimit"], "parameters": [{"customerId": "7"}, {"cardId": "7", "day": "Monday"}]}"#;
const TYPED: &str =
    "{'API': ['getCard', 'getLimit'], 'parameters': [{'customerId': 7}, {'cardId': 'x', 'day': 'Monday'}]}";

#[test]
fn calls_and_routes_have_figures_by_difficulty_and_every_fault_its_reason() {
    let bench = questions();
    let calls =
        [("q1", ONE), ("q2", SWAPPED), ("q3", TYPED)].map(|(id, text)| said(id, 0, "parameters", text)).concat();
    let routes =
        [("q1", "getCard"), ("q2", "['getLimit', 'getCard']")].map(|(id, text)| said(id, 0, "routing", text)).concat();
    bench.write("said.jsonl", &format!("{calls}{routes}"));
    assert_snapshot!(
        "routes_scored",
        bench.must("score bench --tables all --predictions said.jsonl --items items.jsonl").told()
    );
    assert_snapshot!("items_of_routes", bench.read("items.jsonl"));
    let paper = bench
        .must(
            "score bench --suite callnavi --tables all --predictions said.jsonl --profile upstream-paper --format csv",
        )
        .stdout;
    assert!(paper.lines().any(|line| line.starts_with("parameters,said,AST easy,value,0.0021929")), "{paper}");
}

#[test]
fn several_runs_and_files_stand_side_by_side() {
    let bench = questions();
    let runs = [ONE, ONE, "getCard(7)"]
        .iter()
        .zip(0..)
        .map(|(text, run)| said("q1", run, "parameters", text))
        .collect::<String>();
    bench.write("a/said.jsonl", &runs);
    bench.write("b/said.jsonl", &said("q1", 0, "parameters", ONE));
    let text = bench.must("score bench --tables all --predictions a/said.jsonl b/said.jsonl --format markdown").stdout;
    for part in ["| a/said #2 |", "| b/said |", "stability over several runs", "| a/said | Easy | 3 | 50.00%"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_repairer_and_a_judge_are_asked_once_and_their_words_are_kept() {
    let bench = questions();
    bench.write("said.jsonl", &(said("q1", 0, "parameters", "getCard(7)") + &said("q3", 0, "parameters", TYPED)));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mended = r#"{"API": ["getCard"], "parameters": [{"customerId": "7"}]}"#;
    let rule = Rule::handler(move |request| {
        let is_repair = request.body.to_string().contains("cannot be read");
        StubReply::text(if is_repair { mended } else { "[[0.750]]" })
    });
    let stub = runtime.block_on(Stub::start(StubOptions { rule, ..StubOptions::default() })).unwrap();
    let url = stub.base_url();
    let flags = format!("--judge-model j --judge-base-url {url} --repair-model r --repair-base-url {url}");
    let first = bench.must(&format!("score bench --tables all --predictions said.jsonl --format tsv {flags}"));
    assert!(
        first.stderr.contains("querying r about 1 answer") && first.stderr.contains("querying j about 2 answers"),
        "{}",
        first.stderr
    );
    let again =
        bench.must("score bench --tables all --predictions said.jsonl --format tsv --judgements judgements.jsonl");
    assert_eq!((again.stdout.as_str(), bench.read("judgements.jsonl").lines().count()), (first.stdout.as_str(), 3));
    let value = |row: &str| {
        first.stdout.lines().find(|line| line.starts_with(row)).unwrap().split('\t').nth(4).unwrap().to_owned()
    };
    assert_eq!(value("parameters\tsaid\trepaired"), "0.6666666666666666");
    assert_eq!(value("parameters\tsaid\tSyntax"), "0.3333333333333333");
    assert_eq!(value("judge\tsaid\tScore"), "0.5");
}

#[test]
fn files_of_the_authors_scripts_are_found_by_place() {
    let bench = questions();
    let truths = [("q1", "['getCard']"), ("q2", "['getLimit', 'getCard']"), ("q3", "['getCard', 'getLimit']")];
    let routes: Vec<String> =
        truths.iter().map(|(_, truth)| format!(r#"{{"predit": "{truth}", "ground_truth": "{truth}"}}"#)).collect();
    bench.write("results/bank_1_APIonly_m.json", &format!("[{}]", routes.join(", ")));
    let text = bench.must("score bench --tables all --predictions results --profile upstream --format csv").stdout;
    assert!(text.contains("routing,results,All,value,1,"), "{text}");
}

#[test]
fn what_cannot_be_scored_is_told() {
    let bench = questions();
    bench.write("said.jsonl", &said("q9", 0, "parameters", ONE));
    assert_snapshot!(
        "foreign_profile",
        bench.run("score bench --tables all --predictions said.jsonl --profile upstream-snapshot").told()
    );
    assert_snapshot!(
        "no_route_scored",
        bench.run("score bench --tables all --predictions said.jsonl --missing skip").told()
    );
    bench.write("other/samples.jsonl", &bench.read("bench/samples.jsonl").replace("\"callnavi\"", "\"bfcl\""));
    assert_snapshot!("foreign_suite", bench.run("score other --tables all --predictions said.jsonl").told());
}

#[test]
fn baselines_stand_beside_the_models() {
    let bench = questions();
    bench.write("said.jsonl", &said("q1", 0, "parameters", ONE));
    let table = |more: &str| {
        bench.must(&format!("score bench --tables all --predictions said.jsonl --format csv{more}")).stdout
    };
    let (alone, beside) = (table(""), table(" --baselines"));
    for name in ["lexical baseline", "shared-word picker"] {
        assert!(!alone.contains(name) && beside.contains(name), "{beside}");
    }
    assert!(beside.lines().any(|line| line.contains("said")), "{beside}");
}
