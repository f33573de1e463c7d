//! Lessons for tests.

use super::drive::export;
use super::{Options, Stats};
use crate::export::lessons::lesson::{Aim, Learn, Lesson, Turn};
use crate::format::Bench;
use crate::record::{FunctionCall, Object, Paradigm, Reject, Role, Sample, Value};
use serde_json::json;

pub(super) fn object(text: &str) -> Object {
    Value::read(text).unwrap().as_object().unwrap().clone()
}

pub(super) fn call(name: &str, arguments: &str) -> FunctionCall {
    FunctionCall { name: name.to_owned(), arguments: object(arguments) }
}

/// A sample of one request, with two tools.
#[expect(clippy::needless_pass_by_value, reason = "tests write values where they are wanted")]
pub(super) fn sample(expected: serde_json::Value) -> Sample {
    serde_json::from_value(json!({
        "id": "Rail.book/ask/0", "suite": "hammerbench", "data_type": "ST_Perfect", "locale": "en", "group": "Rail.book",
        "messages": [{"role": "user", "content": "a train to Porto"}],
        "candidates": [
            {"name": "Rail.book", "description": "Books a train", "parameters": {"type": "object", "properties": {
                "to": {"type": "string", "description": "The station"}, "seats": {"type": "integer", "description": "How many"}
            }, "required": ["to"]}},
            {"name": "Rail.cancel", "description": "Cancels", "parameters": {"type": "object", "properties": {}, "required": []}},
        ],
        "expected": expected, "licence": "CC0-1.0", "source": "test",
        "provenance": {"template": false, "draws": [{"stage": "ask", "model": "m", "prompt": "p", "draw": 0}]},
    }))
    .unwrap()
}

/// A lesson whose target is one turn.
pub(super) fn lesson(aim: &str) -> Lesson {
    let sample = sample(json!("refusal"));
    let (last, aim) = match aim {
        "question" => (Turn::said(Role::Assistant, "Where to?"), Aim::Question),
        "refusal" => (Turn::said(Role::Assistant, "No tool fits."), Aim::Refusal),
        "answer" => (Turn::said(Role::Assistant, "At noon."), Aim::Answer),
        _ => (Turn::called(vec![call("Rail.book", r#"{"to":"Porto"}"#)]), Aim::Call),
    };
    let asked = if aim == Aim::Question { vec!["to".to_owned()] } else { Vec::new() };
    let tools = sample.candidates.clone();
    let turns = vec![Turn::said(Role::User, "a train to Porto"), last];
    Lesson { turns, target: 1, aim, asked, paradigm: Paradigm::Ask, tools, sample }
}

/// A lesson of two parallel calls, their answers and a last word.
pub(super) fn parallel() -> Lesson {
    let mut lesson = lesson("call");
    let two = [r#"{"to":"Porto","seats":2}"#, r#"{"to":"Faro"}"#].map(|it| call("Rail.book", it));
    lesson.turns.truncate(1);
    lesson.turns.push(Turn { reasoning: Some("two trains".to_owned()), ..Turn::called(two.to_vec()) });
    lesson.turns.push(Turn::answered(0, r#"{"to":"Porto","price":10.50}"#));
    lesson.turns.push(Turn::answered(1, "sold out"));
    lesson.turns.push(Turn::said(Role::Assistant, "Both are booked."));
    lesson
}

/// The same after a turn that nobody should learn.
pub(super) fn masked() -> Lesson {
    let mut lesson = lesson("call");
    let wrong = Turn { learn: Learn::Wrong, ..Turn::called(vec![call("Rail.cancel", "{}")]) };
    lesson.turns.splice(
        1..1,
        [
            wrong,
            Turn::answered(0, r#"{"error":"no"}"#),
            Turn::said(Role::Assistant, "Again?"),
            Turn::said(Role::User, "yes"),
        ],
    );
    lesson.target = 5;
    lesson
}

/// What an export of samples and rejects writes: its figures, its rows, its losses.
pub(super) fn written(samples: &[Sample], rejects: &[Reject], options: Options) -> (Stats, Vec<Object>, Vec<Object>) {
    let folder = tempfile::tempdir().unwrap();
    let lines = |name: &str, lines: Vec<String>| {
        let path = folder.path().join(name);
        std::fs::write(&path, lines.concat()).unwrap();
        path
    };
    let line = |it: String| format!("{it}\n");
    let bench = lines("samples.jsonl", samples.iter().map(|it| line(serde_json::to_string(it).unwrap())).collect());
    let path = lines("rejects.jsonl", rejects.iter().map(|it| line(serde_json::to_string(it).unwrap())).collect());
    let options = Options { rejects: Some(path), defects: 0, ..options };
    let out = folder.path().join("out");
    let stats = export(&Bench::open(&bench).unwrap(), &out, &options).unwrap();
    let rows = |name: &str| {
        let text = std::fs::read_to_string(out.join(name)).unwrap();
        text.lines().map(|line| Value::read(line).unwrap().as_object().unwrap().clone()).collect()
    };
    (stats, rows("train.jsonl"), rows("losses.jsonl"))
}

/// A sample of one call.
pub(super) fn gold() -> Sample {
    sample(json!({"call": {"name": "Rail.book", "arguments": {"to": "Porto"}}}))
}
