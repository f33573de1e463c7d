//! CONFETTI on people's own tools: two roles behind an endpoint play the conversations, from a list of tools to samples.

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

/// The person: everything but how many, how many when asked, again after an error, then thanks.
fn person(task: &Json) -> String {
    let history = task["history"].as_str().unwrap();
    let text = match history.lines().last().unwrap_or_default() {
        "" => "I would like green cups",
        asked if asked.ends_with("like?") => "Three of them",
        failed if failed.ends_with("again?") => "Yes, please",
        _ => "Thanks a lot",
    };
    let owed = task["owed"].as_u64().unwrap();
    json!({"text": text, "ends": text.starts_with("Thanks") && owed <= 1}).to_string()
}

/// The assistant: asks how many, finds the cups, orders them; an identifier is invented at first.
fn agent(task: &Json) -> String {
    let messages = task["messages"].as_array().unwrap();
    let text = |message: &Json| message["content"].as_str().unwrap_or_default().to_owned();
    let answered = |word: &str| messages.iter().any(|it| it["role"] == "tool" && text(it).contains(word));
    let said = |word: &str| messages.iter().any(|it| it["role"] == "user" && text(it).contains(word));
    let last = messages.last().unwrap();
    let say = |text: &str, act: &str| json!({"action": {"text": text, "acts": [act]}}).to_string();
    let call = |name: &str, arguments: Json| json!({"action": {"name": name, "arguments": arguments}}).to_string();
    if last["role"] == "tool" && text(last).contains("error") {
        return say("That failed. Shall I try again?", "agent_seek_information");
    }
    match (answered("CUP-"), said("Three"), answered("ORD-")) {
        (_, _, true) if last["role"] == "tool" => say("They are ordered.", "agent_inform_user"),
        (_, _, true) => say("Any time!", "agent_other"),
        (_, false, _) => say("How many would you like?", "agent_seek_information"),
        (false, ..) => call("Tea_find_cups", json!({"colour": "green"})),
        (true, true, _) if task["common"]["fault"] == "" => {
            call("Tea_order_cup", json!({"cup_id": "CUP-0000", "count": 3}))
        }
        (true, true, _) => call("Tea_order_cup", json!({"cup_id": "CUP-4471", "count": 3})),
    }
}

fn model(request: &StubRequest) -> StubReply {
    let sent = &request.body["fcgen"];
    let name = sent["task"].as_str().unwrap();
    let task = &sent["variables"][name];
    StubReply::text(&match name {
        "write_scenario" => "Ann wants three green cups.".to_owned(),
        "review_scenario" | "judge_complexity" => "True".to_owned(),
        "play_user" => person(task),
        "play_agent" => agent(task),
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
    assert_eq!(ordered.arguments["count"].surface.as_deref(), Some("Three"));
    let manifest = std::fs::read_to_string(folder.path().join("out/manifest.json")).unwrap();
    assert!(manifest.contains("\"no_source\": 2"), "an invented identifier is asked for again: {manifest}");
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
    error: stage `scenarios`: toolset `mine` brings no words of what people want, and the built-in model, which plays `generator`, cannot think of any

    hint: name a model with `--base-url` and `--model`, or use a toolset that brings phrases, such as `assistant`
    ");
}
