//! `fcgen check` names the items of BFCL's own data that no prediction can satisfy, and no others.

use crate::shared::shared;
use fcgen::check::{Ground, Replay, lint};
use fcgen::format::Bench;
use indexmap::IndexMap;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// A part of BFCL's items, where it lies beside a checkout of this repository, or where the environment says.
fn items() -> Option<String> {
    fs::read_to_string(shared().join("vectors/bfcl/items-A.jsonl")).ok()
}

/// The items in BFCL's layout.
fn layout(folder: &Path, items: &str) {
    let mut files: IndexMap<String, [String; 2]> = IndexMap::new();
    for item in items.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let [questions, answers] = files.entry(item["category"].as_str().unwrap().to_owned()).or_default();
        let question =
            json!({"id": item["id"], "question": [[{"role": "user", "content": "x"}]], "function": item["function"]});
        writeln!(questions, "{question}").unwrap();
        if item["ground_truth"].is_array() {
            writeln!(answers, "{}", json!({"id": item["id"], "ground_truth": item["ground_truth"]})).unwrap();
        }
    }
    fs::create_dir_all(folder.join("possible_answer")).unwrap();
    for (category, [questions, answers]) in files {
        let name = format!("BFCL_v4_{category}.json");
        fs::write(folder.join(&name), questions).unwrap();
        if !answers.is_empty() {
            fs::write(folder.join("possible_answer").join(&name), answers).unwrap();
        }
    }
}

/// The ids that each rule tells of.
fn told(items: &str) -> IndexMap<&'static str, Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    layout(folder.path(), items);
    let (bench, ground) = (Bench::open(folder.path()).unwrap(), Ground::load(fcgen::assets(), "en").unwrap());
    let report = lint(&bench, &ground, &mut Replay::new(&ground).unwrap());
    let ids = |first: &[fcgen::check::Finding]| first.iter().map(|finding| finding.id.clone()).collect();
    report.findings.rules().map(|(rule, _, _, first)| (rule, ids(first))).collect()
}

#[test]
fn of_bfcls_own_items_the_impossible_ones_are_named() {
    let Some(items) = items() else { return };
    let told = told(&items);
    assert_eq!(told["satisfiable"], ["live_simple_112-68-0"]);
}

/// The five items that the whole data has, in their forms.
#[test]
fn the_five_forms_of_impossible_items_are_named() {
    let item = |id: &str, category: &str, properties: Value, required: &[&str], truth: Value| {
        let parameters = json!({"type": "dict", "properties": properties, "required": required});
        json!({"id": id, "category": category, "function": [{"name": "f", "parameters": parameters}], "ground_truth": [{"f": truth}]}).to_string()
    };
    let list = json!({"l": {"type": "array", "items": {"type": "string"}}});
    let text = json!({"s": {"type": "string"}, "t": {"type": "string"}});
    let lines = [
        item("live_simple_106-63-0", "live_simple", list.clone(), &["l"], json!({"l": [""]})),
        item("live_simple_112-68-0", "live_simple", list, &["l"], json!({"l": [""]})),
        item("live_multiple_507-149-4", "live_multiple", text.clone(), &["s"], json!({"t": ["x"]})),
        item("live_multiple_964-207-0", "live_multiple", text.clone(), &["s", "t"], json!({"s": ["x"]})),
        item("live_multiple_862-181-3", "live_multiple", text.clone(), &["s"], json!({"s": ["x"], "gone": [1]})),
        item("live_multiple_1-1-1", "live_multiple", text, &["s"], json!({"s": ["x"], "t": ["", "y"]})),
    ];
    let mut ids = told(&lines.join("\n"))["satisfiable"].clone();
    ids.sort();
    assert_eq!(
        ids,
        [
            "live_multiple_507-149-4",
            "live_multiple_862-181-3",
            "live_multiple_964-207-0",
            "live_simple_106-63-0",
            "live_simple_112-68-0"
        ]
    );
}
