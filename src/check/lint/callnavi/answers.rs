//! What is left open says why: an earlier call answers it, any wording is right, or nobody gives it.

use super::super::super::entry::{Called, Entry};
use super::super::super::finding::Findings;
use super::Rule;
use crate::record::{ArgumentNotes, FunctionCall, Origin, PLACEHOLDER, Value};
use serde_json::Value as Json;

/// Looks at each question by itself.
pub(super) struct Answers;

impl Rule for Answers {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let calls = entry.calls();
        for (at, called) in calls.iter().enumerate() {
            let Some(notes) = called.notes else { continue };
            for name in notes.keys().filter(|name| !called.call.arguments.contains_key(*name)) {
                let message = format!("there is a note on `{name}`, which call {at} does not give");
                findings.error("note", entry, message);
            }
            for (name, value) in &called.call.arguments {
                if let Some(fault) = placeholder(called.call, name, value, notes) {
                    findings.error("placeholder", entry, fault);
                }
                fed(entry, &calls, (at, name), notes, findings);
            }
        }
    }
}

/// Looks at a value that an earlier answer gives.
fn fed(entry: &Entry, calls: &[Called<'_>], (at, name): (usize, &str), notes: &ArgumentNotes, findings: &mut Findings) {
    let Some(Origin::Answer { call, field }) = notes.get(name).map(|note| &note.origin) else { return };
    let fault = source(entry, calls, at, *call, field);
    findings.tally("values from earlier answers are found in them", fault.is_none());
    if let Some(fault) = fault {
        findings.error("answer", entry, format!("{}.{name} {fault}", calls[at].call.name));
    }
}

/// Whether a value and its note agree on it being left open.
fn placeholder(call: &FunctionCall, name: &str, value: &Value, notes: &ArgumentNotes) -> Option<String> {
    let is_open = value.as_str() == Some(PLACEHOLDER);
    let place = format!("{}.{name}", call.name);
    match notes.get(name).map(|note| &note.origin) {
        None if is_open => Some(format!("{place} is `{PLACEHOLDER}`, and no note says why")),
        Some(Origin::Answer { .. } | Origin::Open | Origin::Missing) if !is_open => {
            let shown = serde_json::to_string(value).unwrap_or_default();
            Some(format!(
                "{place} is {shown}, and its note says that the question leaves it open; expected `{PLACEHOLDER}`"
            ))
        }
        Some(Origin::Answer { .. } | Origin::Open | Origin::Missing) | None => None,
        Some(_) if is_open => Some(format!("{place} is `{PLACEHOLDER}`, and its note says that the question gives it")),
        Some(_) => None,
    }
}

/// What is wrong with the answer that a value is said to come from.
fn source(entry: &Entry, calls: &[Called<'_>], at: usize, from: usize, field: &str) -> Option<String> {
    let Some(earlier) = calls.get(from).filter(|_| from < at) else {
        return Some(format!("comes from the answer of call {from}, which is not before call {at}"));
    };
    match earlier.answer {
        Some(answer) if !answer.is_null() => pointed(answer, field).is_none().then(|| {
            let shown = serde_json::to_string(answer).unwrap_or_default();
            format!("comes from `{field}` of the answer of call {from}, which is {shown}")
        }),
        // No world answered: the API's declaration must do.
        _ => declares(entry, &earlier.call.name, field).is_some_and(|is_there| !is_there).then(|| {
            format!(
                "comes from `{field}` of the answer of call {from}, and `{}` declares no such field",
                earlier.call.name
            )
        }),
    }
}

/// The value that a JSON pointer points at; `null` is none.
fn pointed<'v>(value: &'v Value, pointer: &str) -> Option<&'v Value> {
    let parts = pointer.strip_prefix('/')?.split('/').map(|part| part.replace("~1", "/").replace("~0", "~"));
    let step = |value: &'v Value, part: String| match value {
        Value::Object(fields) => fields.get(&part),
        Value::List(list) => list.get(part.parse::<usize>().ok()?),
        _ => None,
    };
    parts.into_iter().try_fold(value, step).filter(|found| !found.is_null())
}

/// Whether an API declares a field of its answer; none where it declares none at all.
fn declares(entry: &Entry, name: &str, pointer: &str) -> Option<bool> {
    let fields = entry.candidate(name)?.returns.as_ref()?.get("properties").and_then(Json::as_object)?;
    let first = pointer.strip_prefix('/').and_then(|rest| rest.split('/').next())?;
    (!fields.is_empty()).then(|| fields.contains_key(first))
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{arguments, entry, questions, step};
    use super::super::super::testing::found;
    use super::*;
    use crate::record::{Argument, Sample};

    /// A hard question whose second call takes its value from somewhere else.
    fn fed(call: usize, field: &str, answer: &str) -> Sample {
        let mut sample = questions("hard");
        step(&mut sample, 0).answers = vec![Value::read(answer).unwrap()];
        step(&mut sample, 1).notes[0]["cardId"].origin = Origin::Answer { call, field: field.to_owned() };
        sample
    }

    fn of(sample: Sample) -> Vec<String> {
        found(Answers, &[entry(sample)])
    }

    #[test]
    fn an_earlier_answer_holds_the_field() {
        let nested = r#"{"cards": [{"id": "C1"}, {"id": null}], "a/b": 1}"#;
        for field in ["/cards/0/id", "/a~1b"] {
            assert_eq!(of(fed(0, field, nested)), Vec::<String>::new(), "{field}");
        }
        for field in ["/cards/1/id", "/cards/2", "/cards/x", "/card", "cards", "/a~1b/c"] {
            let found = of(fed(0, field, nested));
            assert!(
                found.len() == 1 && found[0].starts_with("answer: blockCard.cardId comes from `"),
                "{field}: {found:?}"
            );
        }
        assert_eq!(
            of(fed(1, "/cardId", "{}")),
            ["answer: blockCard.cardId comes from the answer of call 1, which is not before call 1"]
        );
    }

    #[test]
    fn without_a_world_the_declaration_must_do() {
        assert_eq!(of(fed(0, "/cardId", "null")), Vec::<String>::new());
        assert!(of(fed(0, "/status", "null"))[0].ends_with("and `getCard` declares no such field"));
        let mut undeclared = fed(0, "/status", "null");
        std::sync::Arc::make_mut(&mut undeclared.candidates[0]).returns = None;
        assert_eq!(of(undeclared), Vec::<String>::new());
    }

    #[test]
    fn a_placeholder_and_its_note_agree() {
        let mut open = questions("easy");
        arguments(&mut open, 0).insert("customerId".to_owned(), PLACEHOLDER.into());
        assert_eq!(
            of(open.clone()),
            ["placeholder: getCard.customerId is `$$$`, and its note says that the question gives it"]
        );
        step(&mut open, 0).notes[0].clear();
        assert_eq!(of(open.clone()), ["placeholder: getCard.customerId is `$$$`, and no note says why"]);
        step(&mut open, 0).notes[0]
            .insert("customerId".to_owned(), Argument { surface: None, origin: Origin::Open, ..Argument::default() });
        assert_eq!(of(open.clone()), Vec::<String>::new());
        arguments(&mut open, 0).insert("customerId".to_owned(), "U7".into());
        assert!(of(open)[0].ends_with("says that the question leaves it open; expected `$$$`"));
    }

    #[test]
    fn notes_belong_to_given_arguments() {
        let mut noted = questions("easy");
        step(&mut noted, 0).notes[0].insert("why".to_owned(), Argument::default());
        assert_eq!(of(noted.clone()), ["note: there is a note on `why`, which call 0 does not give"]);
        step(&mut noted, 0).notes.clear();
        assert_eq!(of(noted), Vec::<String>::new(), "nothing was written down");
    }
}
