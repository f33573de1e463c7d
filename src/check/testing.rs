//! Samples for tests.

use super::entry::{Entry, Place, Thread};
use crate::record::{Sample, Snapshot};
use serde_json::json;

/// A line of a samples file.
pub(super) fn place(line: usize) -> Place {
    Place { file: "samples.jsonl".into(), line }
}

/// A sound single-turn sample: one wants two seats to Porto.
pub(super) fn sample(id: &str, data_type: &str) -> Sample {
    said(id, data_type, "book 2 seats to Porto", r#"{"to": "Porto", "seats": 2}"#)
}

/// A sample with words and arguments of its own; five candidates, the second is right.
pub(super) fn said(id: &str, data_type: &str, words: &str, arguments: &str) -> Sample {
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

/// A sample alone in its bench.
pub(super) fn entry(sample: Sample) -> Entry {
    Thread::default().entry(place(1), sample)
}

/// A dialogue's snapshots by their arguments; a turn says its new values, and none is marked.
pub(super) fn snapshots(conversation: &str, data_type: &str, labels: &[&str]) -> Vec<Entry> {
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
            marked: false,
            tool: "A.B.book".to_owned(),
        });
        thread.entry(place(index + 1), sample)
    };
    labels.iter().enumerate().map(at).collect()
}
