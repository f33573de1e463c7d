//! Which item of an answer is meant, and which others could be taken for it.

use crate::record::{FunctionCall, Number, Value};
use crate::toolset::{Criterion, Pick};
use std::cmp::Ordering;

/// The item that is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::stage) struct Picked {
    /// JSON pointer to it in the whole answer.
    pub(in crate::stage) item: String,
    /// JSON pointers to others that meet the same description.
    pub(in crate::stage) rivals: Vec<String>,
}

/// The item that a pick means in an answer; of several that fit, the first. `said` is the text by which it is named.
pub(in crate::stage) fn picked(
    answer: &Value,
    pick: &Pick,
    call: &FunctionCall,
    said: Option<&Value>,
) -> Option<Picked> {
    let items = items(answer, &pick.item);
    let fitting: Vec<String> = match &pick.by {
        Criterion::First => items.first().map(|(pointer, _)| pointer.clone()).into_iter().collect(),
        Criterion::Least(field) => extreme(&items, field, Ordering::Less),
        Criterion::Most(field) => extreme(&items, field, Ordering::Greater),
        Criterion::Named(field) => with(&items, |item| at(item, field).is_some_and(|it| Some(it) == said)),
        Criterion::Asked { fields, argument } => {
            let asked = call.arguments.get(argument)?;
            with(&items, |item| fields.iter().any(|field| at(item, field).is_some_and(|it| same_text(it, asked))))
        }
    };
    let mut fitting = fitting.into_iter();
    let item = fitting.next()?;
    Some(Picked { item, rivals: fitting.collect() })
}

/// Whether an item loses against the one that a pick means in an answer: nobody could take it for that one.
pub(in crate::stage) fn beaten(
    answer: &Value,
    pick: &Pick,
    call: &FunctionCall,
    (item, said): (&Value, Option<&Value>),
) -> bool {
    let best = picked(answer, pick, call, said).and_then(|found| at(answer, &found.item));
    let number = |item: &Value, field: &str| at(item, field).and_then(Value::as_number).map(Number::as_f64);
    match &pick.by {
        Criterion::First => true,
        Criterion::Least(field) => number(item, field) > best.and_then(|best| number(best, field)),
        Criterion::Most(field) => {
            number(item, field).is_some() && number(item, field) < best.and_then(|best| number(best, field))
        }
        Criterion::Named(field) => at(item, field) != said,
        Criterion::Asked { fields, argument } => {
            let asked = call.arguments.get(argument);
            fields.iter().all(|field| asked.is_none_or(|asked| at(item, field).is_none_or(|it| !same_text(it, asked))))
        }
    }
}

/// The items of an answer at a pointer in which `0` stands for each of a list, with their own pointers.
pub(in crate::stage) fn items<'v>(answer: &'v Value, pointer: &str) -> Vec<(String, &'v Value)> {
    let mut found = vec![(String::new(), answer)];
    for part in pointer.split('/').skip(1) {
        found = found
            .into_iter()
            .flat_map(|(place, value)| match value {
                Value::List(list) if part == "0" => {
                    list.iter().enumerate().map(|(at, it)| (format!("{place}/{at}"), it)).collect::<Vec<_>>()
                }
                Value::Object(object) => {
                    object.get(part).map(|it| (format!("{place}/{part}"), it)).into_iter().collect()
                }
                _ => Vec::new(),
            })
            .collect();
    }
    found
}

/// What stands at a pointer within a value.
pub(in crate::stage) fn at<'v>(value: &'v Value, pointer: &str) -> Option<&'v Value> {
    crate::gate::pointed(value, pointer)
}

fn with(items: &[(String, &Value)], fits: impl Fn(&Value) -> bool) -> Vec<String> {
    items.iter().filter(|(_, item)| fits(item)).map(|(pointer, _)| pointer.clone()).collect()
}

/// All items with the extreme number of a field; one that has no number is none.
fn extreme(items: &[(String, &Value)], field: &str, wanted: Ordering) -> Vec<String> {
    let number =
        |item: &Value| at(item, field).and_then(Value::as_number).and_then(|it| it.as_str().parse::<f64>().ok());
    let mut best: Option<f64> = None;
    for found in items.iter().filter_map(|(_, item)| number(item)) {
        if best.is_none_or(|best| found.total_cmp(&best) == wanted) {
            best = Some(found);
        }
    }
    with(items, |item| best.is_some() && number(item) == best)
}

fn same_text(one: &Value, other: &Value) -> bool {
    match (one.as_str(), other.as_str()) {
        (Some(one), Some(other)) => one.trim().to_lowercase() == other.trim().to_lowercase(),
        _ => one.equals(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer() -> Value {
        Value::read(
            r#"{"data": {"inns": [{"name": "Fox", "at": {"price": 9.5}}, {"name": "Owl", "at": {"price": 7}},
                {"name": "Elk", "at": {"price": 7.0}}, {"name": "Owl", "at": {}}]}}"#,
        )
        .unwrap()
    }

    fn found(by: Criterion, said: &str) -> Option<Picked> {
        let pick = Pick { item: "/data/inns/0".to_owned(), by };
        let call: FunctionCall = serde_json::from_str(r#"{"name": "f", "arguments": {"query": " fox"}}"#).unwrap();
        picked(&answer(), &pick, &call, Some(&Value::from(said)))
    }

    fn place(item: &str, rivals: &[&str]) -> Picked {
        let pointer = |it: &str| format!("/data/inns/{it}");
        Picked { item: pointer(item), rivals: rivals.iter().map(|it| pointer(it)).collect() }
    }

    #[test]
    fn the_extreme_is_a_number_and_its_equals_are_rivals() {
        assert_eq!(found(Criterion::Least("/at/price".to_owned()), ""), Some(place("1", &["2"])));
        assert_eq!(found(Criterion::Most("/at/price".to_owned()), ""), Some(place("0", &[])));
        assert_eq!(found(Criterion::Most("/at/none".to_owned()), ""), None);
    }

    #[test]
    fn a_name_is_said_or_asked_for() {
        assert_eq!(found(Criterion::Named("/name".to_owned()), "Owl"), Some(place("1", &["3"])));
        assert_eq!(found(Criterion::Named("/name".to_owned()), "Bee"), None);
        let asked =
            |argument: &str| Criterion::Asked { fields: vec!["/name".to_owned()], argument: argument.to_owned() };
        assert_eq!(found(asked("query"), ""), Some(place("0", &[])));
        assert_eq!(found(asked("town"), ""), None);
        assert_eq!(found(Criterion::First, ""), Some(place("0", &[])));
    }

    #[test]
    fn nested_lists_are_taken_together() {
        let nested = Value::read(r#"{"a": [{"b": [1, 2]}, {"c": 0}, {"b": [3]}]}"#).unwrap();
        let pointers: Vec<String> = items(&nested, "/a/0/b/0").into_iter().map(|it| it.0).collect();
        assert_eq!(pointers, ["/a/0/b/0", "/a/0/b/1", "/a/2/b/0"]);
        assert!(items(&nested, "/a/0/x/0").is_empty());
    }
}
