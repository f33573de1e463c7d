//! Samples for tests.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

mod chats;

pub use chats::{decision, dialog, entries, single};

use crate::format::Place;
use crate::lint::entry::{Entry, Thread};
use crate::lint::finding::Findings;
use crate::lint::ground::Ground;
use crate::lint::{Context, Rule};
use crate::record::{Sample, Snapshot};
use serde_json::json;
use std::sync::{Arc, LazyLock};

/// A line of a samples file.
pub fn place(line: usize) -> Place {
    Place { file: "samples.jsonl".into(), line }
}

/// A sound single-turn sample: one wants two seats to Porto.
pub fn sample(id: &str, data_type: &str) -> Sample {
    said(id, data_type, "book 2 seats to Porto", r#"{"to": "Porto", "seats": 2}"#)
}

/// A sample with words and arguments of its own; five candidates, the second is right.
pub fn said(id: &str, data_type: &str, words: &str, arguments: &str) -> Sample {
    let arguments: serde_json::Value = serde_json::from_str(arguments).unwrap();
    let other = |name: &str, description: &str| json!({"name": name, "description": description});
    serde_json::from_value(json!({
        "id": id, "suite": "hammerbench", "data_type": data_type, "locale": "en", "group": "A.B.book",
        "messages": [{"role": "user", "content": words}],
        "candidates": [
            other("C.D.sing", "Sing a song"),
            {"name": "A.B.book", "description": "Book seats", "parameters": {"properties": {
                "to": {"type": "string", "description": "Where to"}, "seats": {"type": "integer", "description": "How many seats"},
                "class": {"type": "string", "enum": ["first", "second"]}}, "required": ["to", "seats", "class"]}},
            other("C.D.hum", "Hum a tune"), other("E.F.swim", "Swim a lap"), other("E.F.dive", "Dive deep"),
        ],
        "expected": {"call": {"name": "A.B.book", "arguments": arguments}},
        "licence": "CC0", "source": "test", "provenance": {"template": false, "draws": []},
    }))
    .unwrap()
}

/// A sound question of a difficulty: somebody's card is to be blocked (easy: found).
pub fn questions(difficulty: &str) -> Sample {
    let tool = |name: &str, parameter: &str, returns: &str| {
        json!({"name": name, "description": name, "returns": {"properties": {returns: {"type": "string"}}},
            "parameters": {"properties": {parameter: {"type": "string"}, "limit": {"type": "integer"}}, "required": [parameter]}})
    };
    let step = |name: &str, parameter: &str, value: &str, origin: serde_json::Value| {
        json!({"calls": [{"name": name, "arguments": {parameter: value}}], "answers": [{"cardId": "C9"}],
            "notes": [{parameter: {"surface": value, "origin": origin}}]})
    };
    let first = step("getCard", "customerId", "U7", json!("verbatim"));
    let (words, steps) = match difficulty {
        "easy" => ("Which card does U7 have?", json!([first])),
        "medium" => (
            "Which card does U7 have? And block C5.",
            json!([first, step("blockCard", "cardId", "C5", json!("verbatim"))]),
        ),
        _ => {
            let fed = step("blockCard", "cardId", "$$$", json!({"answer": {"call": 0, "field": "/cardId"}}));
            ("U7 lost the card, block it.", json!([first, fed]))
        }
    };
    serde_json::from_value(json!({
        "id": format!("bank.{difficulty}/0"), "suite": "callnavi", "data_type": difficulty, "difficulty": difficulty, "locale": "en",
        "group": "bank", "tags": ["domain:bank"], "messages": [{"role": "user", "content": words}],
        "candidates": [tool("getCard", "customerId", "cardId"), tool("blockCard", "cardId", "status"), tool("getRate", "currency", "rate")],
        "expected": {"steps": steps}, "licence": "CC0", "source": "test", "provenance": {"template": false, "draws": []},
    }))
    .unwrap()
}

/// What is known of the functions of [`complex`].
pub fn complex_ground() -> Arc<Ground> {
    let settings = r#"{"free_functions": ["Find_Town", "Locate_Town"], "free_removed_at_end": ["Find_Town"],
        "exact_match_values": {"Find_Town": [], "Search_Inns": ["town_id", "arrival", "departure"]}}"#;
    let functions = json!({"overlap": {"Find_Town": ["town"], "Locate_Town": ["town"]}, "constraints": {
        "Find_Town": {"query": "location"},
        "Search_Inns": {"town_id": "id", "arrival": "date", "departure": "date"}}});
    let ground = Ground::load(crate::fixtures::assets(), "en").unwrap();
    Arc::new(Ground {
        settings: Arc::new(serde_json::from_str(settings).unwrap()),
        functions: serde_json::from_value(functions).unwrap(),
        ..Ground::clone(&ground)
    })
}

/// A sound complex query of two steps: a town is looked up, then its inns.
pub fn complex() -> Sample {
    let tool = |name: &str, properties: serde_json::Value, required: &[&str]| json!({"name": name, "description": name, "parameters": {"type": "object", "properties": properties, "required": required}});
    let date = json!({"type": "string", "format": "date"});
    let search = json!({"town_id": {"type": "string"}, "arrival": date, "departure": date, "ages": {"type": "string"},
        "sort": {"type": "string", "enum": ["price", "stars"]}});
    let said = |words: &str, origin: &str, constraint: &str| json!({"surface": words, "origin": origin, "constraint": constraint});
    let day = |words: &str| said(words, "normalised", "date");
    serde_json::from_value(json!({
        "id": "inns/complex_queries/0", "suite": "complexfuncbench", "data_type": "Inns", "locale": "en", "group": "inns",
        "reference_time": "2024-10-13",
        "messages": [{"role": "user", "content": "Find inns in Millbrook from November 5, 2024 to November 8, 2024."}],
        "candidates": [tool("Find_Town", json!({"query": {"type": "string"}}), &["query"]),
            tool("Search_Inns", search, &["town_id", "arrival", "departure"])],
        "expected": {"steps": [
            {"calls": [{"name": "Find_Town", "arguments": {"query": "Millbrook"}}],
             "answers": [{"status": true, "data": [{"id": "T1", "name": "Millbrook"}]}],
             "notes": [{"query": said("Millbrook", "verbatim", "location")}]},
            {"calls": [{"name": "Search_Inns", "arguments": {"town_id": "T1", "arrival": "2024-11-05", "departure": "2024-11-08"}}],
             "answers": [{"status": true, "data": {"inns": [{"name": "The Red Fox"}], "count": 1}}],
             "notes": [{"town_id": {"origin": {"answer": {"call": 0, "field": "/data/0/id"}}, "constraint": "id"},
                 "arrival": day("November 5, 2024"), "departure": day("November 8, 2024")}]}]},
        "licence": "CC0", "source": "test",
        "provenance": {"template": false, "draws": [], "facts": {"final_answer": "There is The Red Fox."}},
    }))
    .unwrap()
}

/// The arguments of one of a question's calls.
pub fn arguments(sample: &mut Sample, at: usize) -> &mut crate::record::Object {
    &mut step(sample, at).calls[0].arguments
}

/// One of a question's steps.
pub fn step(sample: &mut Sample, at: usize) -> &mut crate::record::Step {
    let crate::record::Expected::Steps(steps) = &mut sample.expected else { panic!("no steps") };
    &mut steps[at]
}

/// A sample alone in its bench.
pub fn entry(sample: Sample) -> Entry {
    Thread::default().entry(place(1), sample)
}

/// A dialogue's snapshots by their arguments; a turn says its new values, and none is marked.
pub fn snapshots(conversation: &str, data_type: &str, labels: &[&str]) -> Vec<Entry> {
    let mut thread = Thread::default();
    let turns = u32::try_from(labels.len()).unwrap();
    let mut messages = Vec::new();
    let at = |(index, label): (usize, &&str)| {
        let mut sample = said(&format!("{conversation}/turn/{index}"), data_type, label, label);
        if index > 0 {
            messages.push(crate::record::Message::new(crate::record::Role::Assistant, format!("What else, {index}?")));
        }
        messages.append(&mut sample.messages);
        sample.messages.clone_from(&messages);
        sample.snapshot = Some(Snapshot {
            conversation: crate::record::ItemId::root(conversation),
            turn: u32::try_from(index + 1).unwrap(),
            turns,
            marked: Some(false),
            shared: None,
            tool: "A.B.book".to_owned(),
        });
        thread.entry(place(index + 1), sample)
    };
    labels.iter().enumerate().map(at).collect()
}

// What rules find.

/// What is known of a bench in a language.
pub fn context(locale: &str, is_authors: bool) -> Context {
    Context { ground: Ground::load(crate::fixtures::assets(), locale).unwrap(), is_authors }
}

/// What a rule says of some entries of an English bench of ours: each finding as `rule: message`.
pub fn found(rule: impl Rule, entries: &[Entry]) -> Vec<String> {
    static ENGLISH: LazyLock<Context> = LazyLock::new(|| context("en", false));
    found_in(&ENGLISH, rule, entries)
}

/// The same for another bench.
pub fn found_in(context: &Context, rule: impl Rule, entries: &[Entry]) -> Vec<String> {
    let all = findings(context, rule, entries);
    all.rules().flat_map(|(_, _, _, first)| first).map(|it| format!("{}: {}", it.rule, it.message)).collect()
}

/// All that a rule finds in some entries.
pub fn findings(context: &Context, mut rule: impl Rule, entries: &[Entry]) -> Findings {
    let mut findings = Findings::default();
    for entry in entries {
        rule.see(context, entry, &mut findings);
    }
    rule.end(context, &mut findings);
    findings
}
