//! An argument that comes from an earlier answer stands in it letter by letter, where its note points.

use super::super::super::entry::{Called, Entry};
use super::super::super::finding::Findings;
use super::Rule;
use crate::gate::pointed;
use crate::record::{Origin, Value};

/// Looks at each sample by itself.
pub(super) struct Origins;

impl Rule for Origins {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let (calls, steps) = (entry.calls(), entry.steps());
        for (at, called) in calls.iter().enumerate() {
            for (parameter, note) in called.notes.into_iter().flatten() {
                let Some(value) = called.call.arguments.get(parameter) else { continue };
                let fault = fault(&calls, &steps, at, value, &note.origin);
                if note.origin.answer().is_some() {
                    findings.tally("values from earlier answers are found in them", fault.is_none());
                }
                if let Some(fault) = fault {
                    findings.error("answer", entry, format!("call {at}: {}.{parameter} {fault}", called.call.name));
                }
            }
        }
    }
}

/// What is wrong with where a value is said to come from.
fn fault(calls: &[Called<'_>], steps: &[usize], at: usize, value: &Value, origin: &Origin) -> Option<String> {
    let (from, field) = origin.answer()?;
    // Calls of one step are made together: none knows what another is answered.
    let Some(earlier) = calls.get(from).filter(|_| steps[from] < steps[at]) else {
        return Some(format!("comes from the answer of call {from}, which is of no earlier step"));
    };
    let Some(found) = earlier.answer.and_then(|answer| pointed(answer, field)) else {
        return Some(format!("comes from `{field}` of the answer of call {from}, where nothing stands"));
    };
    let is_copied = matches!(origin, Origin::Derived { .. }) || holds(value, found);
    (!is_copied).then(|| format!("is {value}, and `{field}` of the answer of call {from} is {found}"))
}

/// Whether a value is what stands there, or is put together of it and of others: a set with commas between, a list.
fn holds(value: &Value, found: &Value) -> bool {
    match value {
        Value::List(list) => value == found || list.iter().any(|value| holds(value, found)),
        Value::Object(fields) => value == found || fields.values().any(|value| holds(value, found)),
        plain => {
            let (given, found) = (text(plain), text(found));
            given == found || given.split(',').any(|part| part.trim() == found)
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{complex, entry, step};
    use super::super::super::testing::found;
    use super::*;
    use crate::record::Sample;

    fn told(change: impl FnOnce(&mut Sample)) -> Vec<String> {
        let mut sample = complex();
        change(&mut sample);
        found(Origins, &[entry(sample)])
    }

    fn from(call: usize, field: &str) -> impl FnOnce(&mut Sample) {
        let origin = Origin::Answer { call, field: field.to_owned() };
        move |sample| step(sample, 1).notes[0]["town_id"].origin = origin
    }

    #[test]
    fn a_value_is_the_very_one_at_its_place() {
        assert_eq!(told(|_| {}), Vec::<String>::new());
        let other = told(|sample| drop(step(sample, 1).calls[0].arguments.insert("town_id".to_owned(), "T10".into())));
        assert_eq!(
            other,
            ["answer: call 1: Search_Inns.town_id is \"T10\", and `/data/0/id` of the answer of call 0 is \"T1\""]
        );
    }

    #[test]
    fn its_place_is_there_and_in_an_earlier_step() {
        let gone =
            "answer: call 1: Search_Inns.town_id comes from `/data/9/id` of the answer of call 0, where nothing stands";
        assert_eq!(told(from(0, "/data/9/id")), [gone]);
        let own = "answer: call 1: Search_Inns.town_id comes from the answer of call 1, which is of no earlier step";
        assert_eq!(told(from(1, "/data")), [own]);
        assert_eq!(told(from(7, "/data")).len(), 1);
    }

    #[test]
    fn sets_and_lists_are_put_together_and_what_is_derived_is_another_value() {
        let value = |json: &str| Value::read(json).unwrap();
        assert!(holds(&value("\"a::1,b::2\""), &"b::2".into()) && !holds(&value("\"a::1\""), &"a".into()));
        assert!(holds(&value(r#"[{"id": "X", "day": "d"}]"#), &"X".into()) && holds(&value("\"12\""), &12.into()));
        let derived = Origin::Derived { call: 0, field: "/data/0/id".to_owned() };
        assert_eq!(told(|sample| step(sample, 1).notes[0]["town_id"].origin = derived), Vec::<String>::new());
    }
}
