//! The hand-made items that the gates are measured on are themselves well-formed; what is wrong with the faulty ones is
//! only what each says of itself.

use fcgen::record::{FunctionCall, Tool};
use serde::Deserialize;
use std::collections::BTreeSet;

/// One query with its label, and whether a gate should let it pass is told by the file that it is in.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) why: String,
    pub(crate) tool: Tool,
    pub(crate) others: Vec<Tool>,
    pub(crate) query: String,
    pub(crate) preset: Vec<String>,
    pub(crate) call: FunctionCall,
}

fn cases(name: &str) -> Vec<Case> {
    let text = std::fs::read_to_string(format!("tests/fixtures/gates/{name}.jsonl")).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

#[test]
fn every_line_is_a_case_and_no_two_are_the_same() {
    for (name, least) in [("faulty", 70), ("sound", 70)] {
        let text = std::fs::read_to_string(format!("tests/fixtures/gates/{name}.jsonl")).unwrap();
        let distinct: BTreeSet<&str> = text.lines().collect();
        assert_eq!((cases(name).len(), distinct.len()), (text.lines().count(), text.lines().count()), "{name}");
        assert!(distinct.len() >= least, "{name}: {}", distinct.len());
    }
}

#[test]
fn candidates_are_distinct_and_their_kinds_are_known() {
    let kinds: toml::Table = fcgen::assets().read("locales/en/kinds.toml").unwrap().parse().unwrap();
    for case in cases("faulty").iter().chain(&cases("sound")) {
        let tools: Vec<&Tool> = std::iter::once(&case.tool).chain(&case.others).collect();
        let names: BTreeSet<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!((names.len(), tools.len()), (5, 5), "{}: {}", case.why, case.query);
        for tool in tools {
            assert!(tool.kinds.values().all(|kind| kinds.contains_key(kind)), "{}: {:?}", tool.name, tool.kinds);
            assert!(tool.kinds.keys().all(|name| tool.parameters.properties.contains_key(name)), "{}", tool.name);
        }
        assert!(case.preset.iter().all(|name| case.tool.parameters.properties.contains_key(name)), "{}", case.query);
    }
}

#[test]
fn a_sound_case_calls_its_tool_with_what_was_chosen() {
    for case in cases("sound") {
        let given: Vec<&String> = case.call.arguments.keys().collect();
        assert_eq!(given, case.preset.iter().collect::<Vec<_>>(), "{}", case.query);
        assert_eq!(case.call.name, case.tool.name, "{}", case.query);
    }
}

#[test]
fn faults_are_of_many_kinds() {
    let faulty = cases("faulty");
    let kinds: BTreeSet<&str> = faulty.iter().filter_map(|case| case.why.split(':').next()).collect();
    assert!(kinds.len() >= 18, "{kinds:?}");
}
