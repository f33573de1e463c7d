//! Samples for tests.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use super::{ACTS, CALLS};
use crate::record::{Sample, SuiteId};
use serde_json::{Value as Json, json};

/// A call of the second turn of a conversation, with so many calls before it.
pub fn call_item(id: &str, before: usize) -> Sample {
    let call = json!({"name": "Travel_book_seats", "arguments": {"to": "Porto", "seats": before + 1}});
    item(id, CALLS, &json!({"call": call}), before)
}

/// The second turn of the same conversation, with its dialog acts.
pub fn act_item(id: &str, labels: &[&str]) -> Sample {
    item(id, ACTS, &json!({"acts": labels}), 1)
}

fn item(id: &str, data_type: &str, expected: &Json, before: usize) -> Sample {
    let call = |seats: usize| json!({"role": "assistant", "tool_calls": [{"name": "Travel_book_seats", "arguments": {"to": "Porto", "seats": seats}}]});
    let answer = |at: usize| json!({"role": "tool", "content": "{\"ok\":true}", "answers": at});
    let mut messages = vec![
        json!({"role": "system", "content": "It is 2026-05-04T09:00."}),
        json!({"role": "user", "content": "I want to go to Porto"}),
        json!({"role": "assistant", "content": "How many seats?"}),
        json!({"role": "user", "content": "One seat"}),
    ];
    messages.extend((0..before).flat_map(|at| [call(at + 1), answer(at)]));
    let tool = |name: &str| {
        json!({"name": name, "description": "d", "parameters": {"properties": {
            "to": {"type": "string"}, "seats": {"type": "integer"}, "class": {"type": "string", "default": "second"}}, "required": ["to", "seats"]}})
    };
    serde_json::from_value(json!({
        "id": id, "suite": SuiteId::Confetti.as_str(), "data_type": data_type, "locale": "en", "group": "talk/3", "expected": expected, "messages": messages,
        "reference_time": "2026-05-04T09:00", "snapshot": {"conversation": "talk/3", "turn": 2, "turns": 3, "tool": ""},
        "candidates": [tool("Travel_find_seats"), tool("Travel_book_seats"), tool("Mail_send_mail")],
        "licence": "CC0", "source": "test", "provenance": {"template": false, "draws": [], "facts": {
            "complexity": "OVERFILL", "observed": "OVERFILL,CONFIRMATION",
            "turn_calls": "[{\"name\":\"Travel_book_seats\",\"arguments\":{\"to\":\"Porto\",\"seats\":1}}]", "turn_text": "It's booked."}},
    }))
    .unwrap()
}
