//! Samples for the tests of this module.

use crate::record::Sample;
use serde_json::{Value, json};
use std::path::PathBuf;

/// A single turn: a cab is wanted, and two tools are at hand.
pub fn sample(id: &str) -> Sample {
    serde_json::from_value(value(id, &json!([{"role": "user", "content": "A cab to Pier 4"}]))).unwrap()
}

/// The same as a line of a file.
pub fn sample_line(id: &str) -> String {
    serde_json::to_string(&sample(id)).unwrap()
}

/// A question about a bank's tools; whatever is secret of it begins with that word.
pub fn question(id: &str) -> Sample {
    let text = json!([{"role": "user", "content": "Which is my latest card? My number is CU77; then freeze it."}]);
    let field = |about: &str| json!({"type": "string", "description": about});
    let tool = |name: &str, about: &str, parameter: &str, shape: &str| {
        let properties = json!({parameter: field(shape)});
        let parameters = json!({"type": "object", "properties": properties, "required": [parameter]});
        let returns = json!({"type": "object", "properties": {"cardId": {"type": "string"}}});
        let kinds = json!({parameter: "secret_kind"});
        json!({"name": name, "description": about, "parameters": parameters, "returns": returns, "kinds": kinds})
    };
    let call = |name: &str, value: &str| json!({"name": name, "arguments": {"secretParameter": value}});
    let steps = [call("secretCall", "secret_value"), call("secretOther", "secret_id")]
        .map(|call| json!({"calls": [call], "answers": [{"cardId": "secret_answer"}]}));
    let mut sample = value(id, &text);
    sample["suite"] = json!("callnavi");
    sample["data_type"] = json!("hard");
    sample["tags"] = json!(["secret_tag"]);
    sample["expected"] = json!({"steps": steps});
    sample["candidates"] = json!([
        tool("getCard", "Returns a customer's latest card", "customerId", "The customer's identifier, such as CU##"),
        tool("freezeCard", "Blocks a card", "cardId", "The card's identifier, such as CA####"),
        {"name": "listOffers", "description": "Lists what is on offer"},
    ]);
    serde_json::from_value(sample).unwrap()
}

/// Two steps of one call each: a port is found, and then its boat.
pub fn steps_sample(id: &str) -> Sample {
    let mut sample = value(id, &json!([{"role": "user", "content": "When does a boat leave Hill?"}]));
    let tool = |name: &str, parameter: &str| {
        let properties = json!({parameter: {"type": "string"}});
        json!({"name": name, "description": "", "parameters": {"type": "object", "properties": properties, "required": [parameter]}})
    };
    let step = |name: &str, arguments: &Value, data: &Value| json!({"calls": [{"name": name, "arguments": arguments}], "answers": [{"status": true, "data": data}]});
    let steps = [
        step("Find_Port", &json!({"query": "Hill"}), &json!({"id": "H1"})),
        step("Get_Boat", &json!({"port": "H1"}), &json!({"leaves": "12:00"})),
    ];
    sample["suite"] = json!("complexfuncbench");
    sample["candidates"] = json!([tool("Find_Port", "query"), tool("Get_Boat", "port")]);
    sample["expected"] = json!({"steps": steps});
    serde_json::from_value(sample).unwrap()
}

/// A call of CONFETTI's in a chain of two, from 0: a port is found, and then its boat. Whatever nobody may be shown has
/// `secret` in it.
pub fn call_item(at: usize) -> Sample {
    let mut sample = turn_item(&format!("b_{at}"), "conversationsclean", at);
    let call = [("Find_Port", "query", "Hill"), ("Get_Boat", "port", "H1")][at];
    sample["expected"] = json!({"call": {"name": call.0, "arguments": {call.1: call.2}}});
    sample["acceptable"] = json!({call.1: ["a secret value"]});
    serde_json::from_value(sample).unwrap()
}

/// What the agent says after both.
pub fn act_item() -> Sample {
    let mut sample = turn_item("r_0", "dialogacts", 2);
    sample["expected"] = json!({"acts": ["agent_inform_user_secret"]});
    sample["provenance"]["facts"] = json!({"turn_calls": "[secret]", "turn_text": "secret", "complexity": "SECRET"});
    serde_json::from_value(sample).unwrap()
}

fn turn_item(id: &str, data_type: &str, calls: usize) -> Value {
    let call = |name: &str, parameter: &str, value: &str| json!({"role": "assistant", "tool_calls": [{"name": name, "arguments": {parameter: value}}]});
    let answer = |ordinal: usize, text: &str| json!({"role": "tool", "content": text, "answers": ordinal});
    let said = [
        json!({"role": "system", "content": "It is noon."}),
        json!({"role": "user", "content": "When does a boat leave Hill?"}),
        call("Find_Port", "query", "Hill"),
        answer(0, "{\"id\":\"H1\"}"),
        call("Get_Boat", "port", "H1"),
        answer(1, "{\"leaves\":\"12:00\"}"),
    ];
    let mut sample = serde_json::to_value(steps_sample(id)).unwrap();
    sample["suite"] = json!("confetti");
    sample["data_type"] = json!(data_type);
    sample["messages"] = Value::Array(said[..2 + 2 * calls].to_vec());
    sample["candidates"][0]["kinds"] = json!({"query": "secret_kind"});
    sample["tags"] = json!(["secret"]);
    sample["reference_time"] = json!("2026-03-04T12:00:00");
    sample["snapshot"] = json!({"conversation": "b", "turn": 1, "turns": 1, "tool": ""});
    sample
}

/// The two snapshots of a conversation.
pub fn conversation() -> [Sample; 2] {
    let said = json!([
        {"role": "user", "content": "A cab, please"},
        {"role": "assistant", "content": "Where to?"},
        {"role": "user", "content": "Pier 4"},
    ]);
    [1, 2].map(|turn: usize| {
        let messages = Value::Array(said.as_array().unwrap()[..turn * 2 - 1].to_vec());
        let mut value = value(&format!("c/turn/{}", turn - 1), &messages);
        value["snapshot"] = json!({"conversation": "c", "turn": turn, "turns": 2, "tool": "Travel.Cabs.bookCab"});
        serde_json::from_value(value).unwrap()
    })
}

/// A folder with a file of samples in it.
pub fn file(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("samples.jsonl");
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

fn value(id: &str, messages: &Value) -> Value {
    let tool = |name: &str, about: &str| {
        let place = json!({"type": "string", "description": "Where to"});
        json!({"name": name, "description": about, "parameters": {"type": "object", "properties": {"place": place}}})
    };
    json!({
        "id": id, "suite": "hammerbench", "data_type": "ST_Perfect", "locale": "en", "messages": messages,
        "candidates": [tool("Travel.Cabs.bookCab", "Books a cab"), tool("Travel.Cabs.cancelCab", "Cancels a cab")],
        "expected": {"call": {"name": "Travel.Cabs.bookCab", "arguments": {"place": "Pier 4"}}},
        "group": "g", "licence": "CC0", "source": "test", "provenance": {"template": true, "draws": []},
    })
}
