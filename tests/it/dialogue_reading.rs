//! How many hand-made conversations the built-in reader reads into the call that they have come to.

use fcgen::llm::{CallVariables, Common, JudgeVariables, Request, Task, Variables};
use fcgen::locale::Pack;
use fcgen::model::Grammar;
use fcgen::record::{FunctionCall, Tool};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    kind: String,
    tools: Vec<Arc<Tool>>,
    history: String,
    call: Option<FunctionCall>,
}

fn cases() -> Vec<Case> {
    let path = std::env::var("DIALOGUES").unwrap_or_else(|_| "tests/fixtures/dialogues/en.jsonl".to_owned());
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn reply(grammar: &Grammar, task: Task, variables: Variables) -> String {
    let request = Request {
        task,
        stage: Arc::from("dialogues"),
        item: Arc::from("a"),
        draw: 0,
        system: None,
        user: String::new(),
        history: Vec::new(),
        variables: Arc::new(variables),
        schema: None,
        tools: Vec::new(),
        temperature: None,
    };
    grammar.reply(&request).text
}

/// Whether the reader finds the call of a case, and what it finds.
fn read(grammar: &Grammar, case: &Case) -> (bool, String) {
    let refusal = "none";
    let variables = CallVariables {
        common: Common::default(),
        query: case.history.clone(),
        tools: case.tools.clone(),
        example: None,
        refusal: refusal.to_owned(),
        reference_time: None,
    };
    let said = reply(grammar, Task::Call, Variables::Call(variables));
    let read = fcgen::text::read_call(&said, refusal).ok().map(|(answer, _)| answer);
    let same = match (&case.call, read) {
        (None, Some(fcgen::text::ReadAnswer::Refusal)) => true,
        (Some(call), Some(fcgen::text::ReadAnswer::Call(found))) if found.name == call.name => {
            let (common, query) = (Common::default(), String::new());
            let judge = JudgeVariables { common, query, label: call.arguments.clone(), output: found.arguments };
            reply(grammar, Task::JudgeCall, Variables::JudgeCall(judge)) == "True"
        }
        _ => false,
    };
    (same, said)
}

#[test]
fn a_conversation_is_read_into_its_call() {
    let grammar = Grammar::new(Arc::new(Pack::load(fcgen::assets(), "en").unwrap()), 7);
    let mut kinds: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    for case in cases() {
        let (same, said) = read(&grammar, &case);
        let counted = kinds.entry(case.kind.clone()).or_default();
        counted.1 += 1;
        counted.0 += u32::from(same);
        if !same {
            let wanted = serde_json::to_string(&case.call).unwrap();
            println!("{}\n{}\n  wanted {wanted}\n  read   {said}\n", case.kind, case.history);
        }
    }
    let (right, all) = kinds.values().fold((0, 0), |(right, all), (one, of)| (right + one, all + of));
    println!("{right} of {all} read; {kinds:?}");
    assert!(right * 10 >= all * 9, "{right} of {all}");
}
