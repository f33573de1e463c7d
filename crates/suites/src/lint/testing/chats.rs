//! Samples of FunctionChat-Bench for tests: somebody wants boats.

use crate::lint::entry::{Entry, Thread};
use crate::lint::testing::place;
use crate::record::Sample;
use serde_json::{Value as Json, json};

/// The words by which everything is asked for and given.
const REQUEST: &str = "Find 2 boats at Hill pier";

fn tool(name: &str, description: &str, properties: &Json, required: &[&str]) -> Json {
    let parameters = json!({"type": "object", "properties": properties, "required": required});
    json!({"name": name, "description": description, "parameters": parameters})
}

fn tools(names: &[&str]) -> Vec<Json> {
    let pier = json!({"type": "string", "description": "The pier"});
    let boats = json!({"type": "integer", "description": "How many boats"});
    let boat = json!({"pier": pier, "boats": boats, "covered": {"type": "boolean", "description": "Covered or not"}});
    let of = |name: &&str| match *name {
        "find_boat" => tool(name, "Finds boats at a pier", &boat, &["pier", "boats"]),
        "find_barge" => tool(name, "Finds barges at a pier", &json!({}), &[]),
        "cook_rice" => tool(name, "Cooks rice for dinner", &json!({}), &[]),
        _ => tool(name, "Sings whatever song", &json!({}), &[]),
    };
    names.iter().map(of).collect()
}

fn sample(id: &str, data_type: &str, tools: &[Json], messages: &Json, expected: &Json, gold: &str) -> Sample {
    let facts = if gold.is_empty() { json!({}) } else { json!({"gold_text": gold}) };
    let candidates: Vec<&Json> = tools.iter().collect();
    serde_json::from_value(json!({
        "id": id, "suite": "functionchat", "data_type": data_type, "locale": "en", "group": "find_boat", "messages": messages,
        "candidates": candidates, "expected": expected, "licence": "CC0", "source": "test",
        "provenance": {"template": false, "draws": [], "facts": facts},
    }))
    .unwrap()
}

fn call() -> Json {
    json!({"name": "find_boat", "arguments": {"pier": "Hill", "boats": 2}})
}

/// A sound single call, with a list of two tools: `2_close`, `2_random`, or another data type.
pub fn single(id: &str, data_type: &str) -> Sample {
    let names: &[&str] =
        if data_type.ends_with("random") { &["cook_rice", "find_boat"] } else { &["find_barge", "find_boat"] };
    let names = if data_type == "exact" { &names[1..] } else { names };
    let messages = json!([{"role": "user", "content": REQUEST}]);
    sample(id, data_type, &tools(names), &messages, &json!({"call": call()}), "")
}

/// A sound call decision of a category.
pub fn decision(category: &str) -> Sample {
    let (words, expected, gold): (&str, Json, &str) = match category {
        "CALL" => (REQUEST, json!({"call": call()}), ""),
        "REJECT" => (REQUEST, json!("refusal"), "None of the tools can do that."),
        "SLOT-all" => ("Find boats", json!({"question": ["pier", "boats"]}), "Which pier, and how many boats?"),
        _ => ("Find boats at Hill pier", json!({"question": ["boats"]}), "How many boats?"),
    };
    let right = if category == "REJECT" { "sing" } else { "find_boat" };
    let messages = json!([{"role": "user", "content": words}]);
    sample(
        &format!("find_boat/{category}/0"),
        category,
        &tools(&["find_barge", right, "cook_rice"]),
        &messages,
        &expected,
        gold,
    )
}

/// A sound dialog of four turns: a question, a call, what it answered, and a request that nothing can serve.
pub fn dialog() -> Vec<Sample> {
    let (question, told, refusal) =
        ("Which pier, and how many?", "That comes to 1,200.", "None of the tools can sing.");
    let said = [
        json!({"role": "user", "content": "Find boats for me"}),
        json!({"role": "assistant", "content": question}),
        json!({"role": "user", "content": "2 boats at Hill pier"}),
        json!({"role": "assistant", "tool_calls": [call()]}),
        json!({"role": "tool", "content": "{\"price\": 1200}", "answers": 0}),
        json!({"role": "assistant", "content": told}),
        json!({"role": "user", "content": "Sing me to sleep"}),
    ];
    let turns = [
        ("slot", 1, json!({"question": ["pier", "boats"]}), question),
        ("call", 3, json!({"call": call()}), ""),
        ("completion", 5, json!({"answer": told}), ""),
        ("relevance", 7, json!("refusal"), refusal),
    ];
    let turn = |(at, (kind, length, expected, gold)): (usize, (&str, usize, Json, &str))| {
        let (tools, messages) = (tools(&["find_barge", "find_boat"]), json!(said[..length]));
        let mut sample = sample(&format!("dialog/{at}"), kind, &tools, &messages, &expected, gold);
        let tool = if kind == "relevance" { "" } else { "find_boat" };
        let snapshot = json!({"conversation": "d", "turn": at + 1, "turns": 4, "tool": tool});
        sample.snapshot = Some(serde_json::from_value(snapshot).unwrap());
        sample
    };
    turns.into_iter().enumerate().map(turn).collect()
}

/// Samples as the entries of one bench.
pub fn entries(samples: Vec<Sample>) -> Vec<Entry> {
    let mut thread = Thread::default();
    samples.into_iter().enumerate().map(|(at, sample)| thread.entry(place(at + 1), sample)).collect()
}
