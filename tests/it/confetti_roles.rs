//! CONFETTI on people's own tools: a model behind an endpoint plans conversations and writes them, from a list of tools to samples.

use fcgen::llm::stub::{Rule, Stub, StubOptions, StubReply, StubRequest};
use fcgen::record::{Expected, Origin, Role, Sample};
use serde_json::{Value as Json, json};
use std::path::Path;
use std::process::{Command, Output};

/// Two tools of one group, the second of which wants what the first answers.
const TOOLS: &str = r#"[
  {"type": "function", "function": {"name": "Tea_find_cups", "description": "Finds cups.", "parameters": {"type": "object",
    "properties": {"colour": {"type": "string"}}, "required": ["colour"]}}},
  {"type": "function", "function": {"name": "Tea_order_cup", "description": "Orders a cup.", "parameters": {"type": "object",
    "properties": {"cup_id": {"type": "string"}, "count": {"type": "integer"}}, "required": ["cup_id", "count"]}}}
]"#;

const PIPELINE: &str = r#"
[pipeline]
name = "mine"
format = "confetti"
[model.generator]
provider = "grammar"
send_task = true
[[stage]]
kind = "toolset"
path = "assistant"
[[stage]]
kind = "scenarios"
offered = [{ from = 3, to = 9, count = 2 }]
thanks = 0
[stage.complexities]
underfill = 1
exception_in_execution = 1
[[stage]]
kind = "scenario_review"
[[stage]]
kind = "conversations"
[[stage]]
kind = "complexities"
wanted_only = true
[[stage]]
kind = "turn_items"
"#;

/// A plan: the person leaves out how many, and the cup's identifier comes from the first answer. At first the plan has an
/// identifier of its own, which nobody said.
fn plan(task: &Json) -> String {
    let act = |act: &str, function: Json, says: Json, about: Json| json!({"act": act, "function": function, "wish": null, "says": says, "about": about});
    let plain = |name: &str| act(name, Json::Null, json!([]), json!([]));
    let colour = json!([{"parameter": "colour", "value": "green", "words": "green"}]);
    let count = json!([{"parameter": "count", "value": 3, "words": "three"}]);
    let find = json!({"name": "Tea_find_cups", "arguments": {"colour": "green"}, "answers": [], "fails": false});
    let order = |fails: bool| {
        let known = task["common"]["fault"] != "";
        let invented = if known { Json::Null } else { "CUP-0000".into() };
        let answers = json!([{"parameter": "cup_id", "call": 1, "field": "cup_id"}]);
        json!({"name": "Tea_order_cup", "arguments": {"cup_id": invented, "count": 3}, "answers": if known { answers } else { json!([]) }, "fails": fails})
    };
    let fails = task["complexity"] == "EXCEPTION_IN_EXECUTION";
    let turn = |person: Json, calls: Json, assistant: Json| json!({"person": [person], "calls": calls, "assistant": [assistant]});
    let mut turns = vec![
        turn(act("request", "Tea_find_cups".into(), colour, json!([])), json!([find]), plain("tell")),
        turn(
            act("request", "Tea_order_cup".into(), json!([]), json!(["count"])),
            json!([]),
            act("ask", "Tea_order_cup".into(), json!([]), json!(["count"])),
        ),
        turn(
            act("answer", "Tea_order_cup".into(), count, json!([])),
            json!([order(fails)]),
            plain(if fails { "report" } else { "tell" }),
        ),
    ];
    if fails {
        turns.push(turn(plain("retry"), json!([order(false)]), plain("tell")));
    }
    while turns.len() < usize::try_from(task["minimum_turns"].as_u64().unwrap()).unwrap() {
        turns.push(turn(plain("thank"), json!([]), plain("thank")));
    }
    json!({"turns": turns}).to_string()
}

/// The lines of a plan, each with the words of its values; of all lines the first has none at first.
fn lines_of(task: &Json) -> String {
    let repair: Vec<&Json> = task["repair"].as_array().unwrap().iter().map(|line| &line["n"]).collect();
    let steps = task["steps"].as_array().unwrap().iter().filter(|step| step["n"] != 0);
    let steps = steps.filter(|step| repair.is_empty() || repair.contains(&&step["n"]));
    let line = |step: &Json| {
        let says: Vec<&Json> =
            step["acts"].as_array().unwrap().iter().flat_map(|act| act["says"].as_array().unwrap()).collect();
        let said: serde_json::Map<String, Json> =
            says.iter().map(|said| (said["key"].as_str().unwrap().to_owned(), said["words"].clone())).collect();
        let words: Vec<&str> = says.iter().filter_map(|said| said["words"].as_str()).collect();
        let text = if words.is_empty() || (step["n"] == 1 && repair.is_empty()) {
            "Well, that is it.".to_owned()
        } else {
            format!("Well, {} it is.", words.join(", "))
        };
        json!({"n": step["n"], "text": text, "said": said})
    };
    json!({"sensible": true, "lines": steps.map(line).collect::<Vec<_>>()}).to_string()
}

fn model(request: &StubRequest) -> StubReply {
    let sent = &request.body["fcgen"];
    let name = sent["task"].as_str().unwrap();
    let task = &sent["variables"][name];
    StubReply::text(&match name {
        "write_scenario" => "Ann wants three green cups.".to_owned(),
        "review_scenario" | "judge_complexity" => "True".to_owned(),
        "plan_conversation" => plan(task),
        "write_conversation" => lines_of(task),
        "simulate" if task["tool"]["name"] == "Tea_find_cups" => json!({"cups": [{"cup_id": "CUP-4471"}]}).to_string(),
        "simulate" => json!({"order": "ORD-8812"}).to_string(),
        other => panic!("{other} was asked"),
    })
}

fn fcgen(folder: &Path, more: &[&str]) -> Output {
    std::fs::write(folder.join("mine.json"), TOOLS).unwrap();
    std::fs::write(folder.join("mine.toml"), PIPELINE).unwrap();
    let line = ["pipeline", "mine.toml", "--toolset", "mine.json", "--quiet", "--out", "out"];
    Command::new(env!("CARGO_BIN_EXE_fcgen")).current_dir(folder).args(line).args(more).output().unwrap()
}

fn lines<T: serde::de::DeserializeOwned>(path: &Path) -> Vec<T> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The samples of a run behind an endpoint, and what was rejected on the way.
fn made(folder: &Path) -> (Vec<Sample>, Vec<Json>) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let rule = Rule::handler(model);
    let stub = runtime.block_on(Stub::start(StubOptions { rule, ..StubOptions::default() })).unwrap();
    let output = fcgen(folder, &["--base-url", &stub.base_url(), "--model", "stub"]);
    runtime.block_on(stub.stop());
    let rejects = lines(&folder.join("out/rejects.jsonl"));
    assert!(output.status.success(), "{rejects:?}\n{}", String::from_utf8_lossy(&output.stderr));
    (lines(&folder.join("out/samples.jsonl")), rejects)
}

#[test]
fn a_list_of_tools_becomes_conversations_and_their_items() {
    let folder = tempfile::tempdir().unwrap();
    let (samples, rejects) = made(folder.path());
    assert_eq!(rejects, Vec::<Json>::new());
    let calls: Vec<&Sample> = samples.iter().filter(|it| matches!(it.expected, Expected::Call(_))).collect();
    let of = |complexity: &str| {
        let own = calls.iter().filter(|it| it.provenance.facts["complexity"] == complexity);
        own.filter_map(|it| match &it.expected {
            Expected::Call(call) => Some(call.name.as_str()),
            _ => None,
        })
        .collect::<Vec<_>>()
    };
    assert_eq!(of("UNDERFILL"), ["Tea_find_cups", "Tea_order_cup"]);
    let failing = of("EXCEPTION_IN_EXECUTION");
    assert_eq!(failing.len(), 3, "one call is made again: {failing:?}");
    for sample in &calls {
        let found = sample.messages.iter().filter(|it| it.role == Role::Tool).count();
        let calls = sample.messages.iter().filter(|it| !it.tool_calls.is_empty()).count();
        assert!(found == calls && sample.candidates.len() == 2 && !sample.provenance.template);
    }
    let ordered = calls.iter().find(|it| it.arguments.contains_key("cup_id")).unwrap();
    assert!(matches!(&ordered.arguments["cup_id"].origin, Origin::Answer { field, .. } if field == "/cups/0/cup_id"));
    assert_eq!(ordered.arguments["count"].surface.as_deref(), Some("three"));
    let manifest = std::fs::read_to_string(folder.path().join("out/manifest.json")).unwrap();
    assert!(manifest.contains("\"no_source\": 2"), "a plan with an invented identifier is asked for again: {manifest}");
    assert!(
        manifest.contains("\"value_not_in_query\": 2"),
        "a faulty line is written again, and nothing else: {manifest}"
    );
}

#[test]
fn errors_stand_in_the_conversation_and_the_same_call_is_answered_alike() {
    let folder = tempfile::tempdir().unwrap();
    let (samples, _) = made(folder.path());
    let failed = |it: &&Sample| it.provenance.facts["complexity"] == "EXCEPTION_IN_EXECUTION";
    let longest = samples.iter().filter(failed).max_by_key(|it| it.messages.len()).unwrap();
    let answers: Vec<&str> =
        longest.messages.iter().filter(|it| it.role == Role::Tool).filter_map(|it| it.content.as_deref()).collect();
    let errors: Vec<Json> =
        answers.iter().filter(|it| it.contains("error")).map(|it| serde_json::from_str(it).unwrap()).collect();
    assert_eq!(errors.len(), 1, "{answers:?}");
    assert!(errors[0]["error"]["code"].is_number() && errors[0]["error"]["message"].is_string());
    assert!(longest.messages[0].content.as_ref().unwrap().contains("2026-01-0"), "the time is told");
}

#[test]
fn the_built_in_model_says_that_it_cannot() {
    let folder = tempfile::tempdir().unwrap();
    let output = fcgen(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(11));
    insta::assert_snapshot!(String::from_utf8_lossy(&output.stderr), @"
    error: stage `scenarios`: toolset `mine` has no phrases for user requests, and the built-in model in role `generator` cannot write any

    hint: set a model with `--base-url` and `--model`, or use a toolset with phrases, such as `assistant`
    ");
}
