//! `score` of calls in conversations and of what agents say, by rules, by servers of people's own, and by judges.

use super::bench::Bench;
use fcgen::llm::stub::{FaultPlan, Rule, Stub, StubFault, StubOptions, StubReply, StubRequest};
use insta::assert_snapshot;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// A sample of a conversation of one turn, in which a hotel is found and booked.
fn sample(id: &str, data_type: &str, said: &[Value], expected: &Value, facts: &Value) -> String {
    let system = json!({"role": "system", "content": "It is 2025-03-01."});
    let asked = json!({"role": "user", "content": "A hotel near the old harbour, please"});
    let messages: Vec<&Value> = [&system, &asked].into_iter().chain(said).collect();
    let tool = |name: &str, parameter: &str| {
        let parameters =
            json!({"type": "object", "properties": {parameter: {"type": "string"}}, "required": [parameter]});
        json!({"name": name, "description": name, "parameters": parameters})
    };
    let sample = json!({
        "id": id, "suite": "confetti", "data_type": data_type, "locale": "en", "group": "c", "licence": "CC0", "source": "test",
        "reference_time": "2025-03-01", "messages": messages, "expected": expected,
        "candidates": [tool("Hotels_find", "place"), tool("Hotels_book", "id"), tool("Cabs_book", "place")],
        "snapshot": {"conversation": "c", "turn": 1, "turns": 1, "tool": ""},
        "provenance": {"template": true, "draws": [], "facts": facts},
    });
    sample.to_string() + "\n"
}

/// Two calls of one chain, and the turn that they belong to.
pub(crate) fn hotels() -> Bench {
    let find = json!({"name": "Hotels_find", "arguments": {"place": "near the old harbour"}});
    let book = json!({"name": "Hotels_book", "arguments": {"id": "H17"}});
    let complexity = json!({"complexity": "OVERFILL", "observed": "OVERFILL"});
    let found = [
        json!({"role": "assistant", "tool_calls": [find]}),
        json!({"role": "tool", "answers": 0, "content": "{\"id\": \"H17\"}"}),
    ];
    let turn =
        json!({"complexity": "OVERFILL", "turn_calls": json!([find, book]).to_string(), "turn_text": "It is booked."});
    let acts = json!({"acts": ["agent_function_calling", "agent_inform_user"]});
    let bench = Bench::new();
    let samples = [
        sample("c/0", "conversationsclean", &[], &json!({ "call": find }), &complexity),
        sample("c/1", "conversationsclean", &found, &json!({ "call": book }), &complexity),
        sample("c/r0", "dialogacts", &[], &acts, &turn),
    ];
    bench.write("run/samples.jsonl", &samples.concat());
    let said = |id: &str, turn: &Value| json!({"id": id, "variant": "tools", "turns": [turn]}).to_string() + "\n";
    let lines = [
        said("c/0", &json!({"tool_calls": [["Hotels_find", "{\"place\": \"the old pier\"}"]]})),
        said("c/1", &json!({"tool_calls": [["Hotels_book", "{\"id\": \"h-17\"}"]]})),
        said("c/r0", &json!({"content": "Which dates?"})),
    ];
    bench.write("said.jsonl", &lines.concat());
    bench
}

pub(crate) const LINE: &str = "score run --tables all --predictions said.jsonl";

fn start(options: StubOptions) -> (Stub, Runtime) {
    let runtime = Runtime::new().unwrap();
    let stub = runtime.block_on(Stub::start(options)).unwrap();
    (stub, runtime)
}

/// A judge that says what it is asked for, or nothing usable about arguments.
fn judge(lists: &'static str) -> (Stub, Runtime) {
    let rule = Rule::handler(move |request: &StubRequest| {
        let system = request.body["messages"][0]["content"].as_str().unwrap_or_default();
        let reply = if system.contains("hallucinated_parameters") {
            if request.last_message().contains("the old pier") { lists } else { r#"{"hallucinated_parameters": [[]]}"# }
        } else if system.contains("agent_seek_information") {
            if request.last_message().contains("Which dates?") {
                "agent_seek_information"
            } else {
                "Agent_Inform_User, agent_other"
            }
        } else {
            r#"{"score": 0.25}"#
        };
        StubReply::text(reply)
    });
    start(StubOptions { rule, ..StubOptions::default() })
}

fn summary(bench: &Bench, more: &str) -> Value {
    let ended = bench.must(&format!("{LINE} --format json {more}"));
    let all: Value = serde_json::from_str(&ended.stdout).unwrap();
    all["summary"].clone()
}

#[test]
fn the_rules_alone_score_calls_and_chains() {
    let bench = hotels();
    assert_snapshot!("confetti_scored", bench.must(&format!("{LINE} --items items.jsonl")).told());
    assert_snapshot!("items_of_confetti", bench.read("items.jsonl"));
    let found = summary(&bench, "--missing fail");
    assert_eq!(
        (&found["chains"], &found["string_score"], &found["combine"]),
        (&json!(1), &json!("guarded_token_f1"), &json!("product"))
    );
    let soft = found["ast_soft"].as_f64().unwrap();
    assert!((soft - 4.0 / 7.0).abs() < 1e-12 && found["by_chain_length"]["2"][0] == 1, "{found}");
    assert_eq!(found["by_complexity"]["OVERFILL"][1], found["ast_soft"]);
    let other = summary(&bench, "--string-score chrf --combine mean --missing skip");
    assert_eq!(
        (&other["string_score"], &other["combine"], &other["missing_rule"]),
        (&json!("chrf"), &json!("mean"), &json!("skip"))
    );
}

#[test]
fn a_server_of_peoples_own_scores_strings_once() {
    let bench = hotels();
    let (stub, runtime) = start(StubOptions::default());
    let line =
        format!("--string-score http --string-score-url {}/pairs --string-score-cache scores.db", stub.base_url());
    let found = summary(&bench, &line);
    let soft = found["ast_soft"].as_f64().unwrap();
    assert!((soft - 2.0 / 3.0).abs() < 1e-12 && found["string_score"] == "http", "{found}");
    assert_eq!(stub.stats().total, 1, "one pair: the id differs in spelling alone");
    runtime.block_on(stub.stop());
    assert_eq!(summary(&bench, &line), found);
}

#[test]
fn a_server_that_gives_no_scores_ends_it_without_a_figure() {
    let bench = hotels();
    for body in [r#"{"scores": []}"#, r#"{"scores": [NaN]}"#, r#"{"scores": [1.5]}"#] {
        let faults = FaultPlan::always(StubFault::json(200, body));
        let (stub, _runtime) = start(StubOptions { faults, ..StubOptions::default() });
        let ended = bench.run(&format!("{LINE} --string-score http --string-score-url {}/pairs", stub.base_url()));
        assert_eq!((ended.code, ended.stdout.as_str()), (12, ""), "{body}");
        assert!(ended.stderr.contains("no scores from `"), "{}", ended.stderr);
    }
    let down = bench.run(&format!("{LINE} --string-score http --string-score-url http://127.0.0.1:9/score"));
    assert!(down.code == 12 && down.stderr.contains("strings cannot be scored"), "{}", down.stderr);
}

#[test]
fn vectors_say_how_alike_strings_are_and_are_kept() {
    let bench = hotels();
    let (stub, runtime) = start(StubOptions::default());
    let line = format!("--string-score embedding --embedding-model e --embedding-base-url {}", stub.base_url());
    let found = summary(&bench, &line);
    let soft = found["ast_soft"].as_f64().unwrap();
    assert!((0.3..1.0).contains(&soft) && found["string_score"] == "embedding", "{found}");
    runtime.block_on(stub.stop());
    assert_eq!(summary(&bench, &line), found);
}

#[test]
fn a_judge_looks_at_strings_arguments_and_words_and_is_asked_once() {
    let bench = hotels();
    let (stub, _runtime) = judge(r#"{"rationale": "x", "hallucinated_parameters": [["place"]]}"#);
    let line = format!("{LINE} --validity --classify-gold --string-score judge");
    let first = bench.must(&format!("{line} --judge-model j --judge-base-url {}", stub.base_url()));
    assert_snapshot!("confetti_judged", first.told());
    let asked = stub.stats().total;
    let again = bench.must(&format!("{line} --judgements judgements.jsonl"));
    assert_eq!((again.stdout.as_str(), stub.stats().total), (first.stdout.as_str(), asked));
    // A string; both calls, of the model and of the gold; what the model and what the agent said.
    assert_eq!((asked, bench.read("judgements.jsonl").lines().count()), (7, 7));
}

#[test]
fn a_judge_that_lists_what_no_call_has_is_asked_again_and_then_unjudged() {
    let bench = hotels();
    let (stub, _runtime) = judge(r#"{"hallucinated_parameters": [["city"]]}"#);
    let found = summary(&bench, &format!("--validity --judge-model j --judge-base-url {}", stub.base_url()));
    assert_eq!((&found["parameter_validity"], &found["unjudged_parameters"]), (&json!([1, 1.0]), &json!(1)));
    assert_eq!(found["gold_parameter_validity"], json!([2, 1.0]));
    assert_eq!(
        (&found["dialog_acts"], stub.stats().total),
        (&json!([1, 0.0]), 6),
        "four questions of arguments, one of them twice, and one of words"
    );
}

#[test]
fn what_does_not_go_together_is_told() {
    let bench = hotels();
    for (more, told) in [
        ("--validity", "`--validity` needs a judge"),
        ("--classify-gold", "`--classify-gold` needs a judge"),
        ("--string-score judge", "`--string-score judge` needs a judge"),
        ("--string-score http", "`--string-score http` needs a server"),
        ("--string-score embedding", "`--string-score embedding` needs an embedding model"),
        ("--string-score-url http://a/b", "`--string-score-url` requires `--string-score http`"),
        ("--string-score bleu", "unknown string score `bleu`"),
    ] {
        let ended = bench.run(&format!("{LINE} {more}"));
        assert!(ended.code == 2 && ended.stderr.contains(told), "{more}: {}", ended.stderr);
    }
}
