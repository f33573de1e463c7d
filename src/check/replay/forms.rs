//! Right answers in other forms.

use super::super::entry::Entry;
use super::turn;
use crate::record::{FunctionCall, Object, PredictionTurn, Value};

/// The same answer in other words and forms, each with its kind.
pub(super) fn forms(entry: &Entry) -> Vec<(&'static str, PredictionTurn)> {
    let Some(call) = entry.call() else { return Vec::new() };
    let with = |arguments: Object| turn(&FunctionCall { name: call.name.clone(), arguments });
    let mapped = |change: fn(&Value) -> Option<Value>| -> Option<Object> {
        let is_changed = call.arguments.values().any(|value| change(value).is_some());
        let all =
            call.arguments.iter().map(|(name, value)| (name.clone(), change(value).unwrap_or_else(|| value.clone())));
        is_changed.then(|| all.collect())
    };
    let reversed = (call.arguments.len() > 1)
        .then(|| call.arguments.iter().rev().map(|(name, value)| (name.clone(), value.clone())).collect());
    let changed = [
        ("other capitals", mapped(capitals)),
        ("a final period", mapped(period)),
        ("numbers as text", mapped(text)),
        ("another order", reversed),
    ];
    let changed = changed.into_iter().filter_map(|(kind, arguments)| Some((kind, with(arguments?))));
    accepted(entry, call).map(|call| ("accepted values", turn(&call))).chain(changed).chain(replies(call)).collect()
}

/// The call with each value that the sample accepts besides.
fn accepted<'e>(entry: &'e Entry, call: &'e FunctionCall) -> impl Iterator<Item = FunctionCall> + 'e {
    entry.sample.acceptable.iter().flat_map(move |(name, values)| {
        values.iter().map(move |value| {
            let mut call = call.clone();
            call.arguments.insert(name.clone(), value.clone());
            call
        })
    })
}

/// The call as models hand it over.
fn replies(call: &FunctionCall) -> [(&'static str, PredictionTurn); 2] {
    let arguments = serde_json::to_string(&call.arguments).unwrap_or_default();
    let name = serde_json::to_string(&call.name).unwrap_or_default();
    let fenced = format!("```json\n{{\"name\": {name}, \"parameters\": {arguments}}}\n```");
    let native = PredictionTurn { tool_calls: vec![(call.name.clone(), arguments)], ..PredictionTurn::default() };
    [("in a fence", PredictionTurn { content: Some(fenced), ..PredictionTurn::default() }), ("a native call", native)]
}

fn capitals(value: &Value) -> Option<Value> {
    value.as_str().map(|text| Value::from(text.to_uppercase().as_str()))
}

fn period(value: &Value) -> Option<Value> {
    value
        .as_str()
        .filter(|text| text.ends_with(char::is_alphanumeric))
        .map(|text| Value::from(format!("{text}.").as_str()))
}

fn text(value: &Value) -> Option<Value> {
    value.as_number().map(|number| Value::from(number.as_str()))
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{entry, said, sample};
    use super::*;

    fn of(entry: &Entry) -> Vec<(&'static str, String)> {
        let text = |turn: PredictionTurn| turn.content.unwrap_or_else(|| format!("{:?}", turn.tool_calls));
        forms(entry).into_iter().map(|(kind, turn)| (kind, text(turn))).collect()
    }

    #[test]
    fn a_right_call_has_many_forms() {
        let mut sample = sample("a", "ST_Perfect");
        sample.acceptable.insert("to".to_owned(), vec![Value::from("Oporto")]);
        let call = |arguments: &str| format!(r#"{{"name":"A.B.book","arguments":{arguments}}}"#);
        let forms = of(&entry(sample));
        assert_eq!(
            forms[..5],
            [
                ("accepted values", call(r#"{"to":"Oporto","seats":2}"#)),
                ("other capitals", call(r#"{"to":"PORTO","seats":2}"#)),
                ("a final period", call(r#"{"to":"Porto.","seats":2}"#)),
                ("numbers as text", call(r#"{"to":"Porto","seats":"2"}"#)),
                ("another order", call(r#"{"seats":2,"to":"Porto"}"#)),
            ]
        );
        assert!(forms[5].1.starts_with("```json") && forms[6].1.starts_with("[(\"A.B.book\""));
    }

    #[test]
    fn what_has_nothing_to_change_has_fewer() {
        let kinds: Vec<&str> = of(&entry(said("a", "x", "y", "{}"))).into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds, ["in a fence", "a native call"]);
    }
}
