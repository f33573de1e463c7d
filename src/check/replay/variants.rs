//! What a scorer must pass and what it must not: right answers in other forms, and wrong ones that are near.

use super::turn;
use crate::lint::entry::Entry;
use crate::lint::hash::hash;
use crate::locale::Folded;
use crate::record::{FunctionCall, Number, Object, Parameter, PredictionTurn, Value};
use std::collections::BTreeMap;

// Right answers in other forms.

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
        ("different capitalization", mapped(capitals)),
        ("trailing period", mapped(period)),
        ("numbers as strings", mapped(text)),
        ("different order", reversed),
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
    [("fenced", PredictionTurn { content: Some(fenced), ..PredictionTurn::default() }), ("native call", native)]
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

// Wrong calls made from the right one, each wrong in one way.

/// Values that were seen of each parameter, one each; memory grows with the parameters of the bench.
#[derive(Default)]
pub(super) struct Pool(BTreeMap<u64, Value>);

impl Pool {
    /// Remembers the values of a right call.
    pub(super) fn learn(&mut self, entry: &Entry) {
        let Some(call) = entry.call() else { return };
        for (name, value) in &call.arguments {
            self.0.insert(hash(&[&call.name, name]), value.clone());
        }
    }

    /// A value of the same parameter that is another one.
    fn other(&self, call: &FunctionCall, name: &str, value: &Value, parameter: Option<&Parameter>) -> Value {
        let listed = parameter.and_then(|parameter| parameter.values.as_ref()).into_iter().flatten();
        let listed = listed.map(|listed| Value::from(listed.clone())).find(|listed| !is_same(listed, value));
        let seen = self.0.get(&hash(&[&call.name, name])).filter(|seen| !is_same(seen, value)).cloned();
        listed.or(seen).unwrap_or_else(|| changed(value))
    }
}

/// The wrong calls that can be made of an entry's right one, each with its kind.
pub(super) fn mutants(entry: &Entry, pool: &Pool) -> Vec<(&'static str, FunctionCall)> {
    let Some(call) = entry.call() else { return Vec::new() };
    let with = |arguments: Object| FunctionCall { name: call.name.clone(), arguments };
    let other = entry.sample.candidates.iter().find(|tool| tool.name != call.name);
    let renamed = other.map(|tool| FunctionCall { name: tool.name.clone(), arguments: call.arguments.clone() });
    let given: Vec<&String> =
        call.arguments.iter().filter(|(_, value)| is_given(value)).map(|(name, _)| name).collect();
    let chosen = given.get(place(entry, given.len())).copied();
    let dropped = chosen.map(|name| {
        let kept = call.arguments.iter().filter(|(other, _)| *other != name);
        with(kept.map(|(name, value)| (name.clone(), value.clone())).collect())
    });
    let put = |name: &str, value: Value| {
        let mut arguments = call.arguments.clone();
        arguments.insert(name.to_owned(), value);
        with(arguments)
    };
    let parameter = |name: &str| entry.tool().and_then(|tool| tool.parameters.properties.get(name));
    let changed = chosen.map(|name| put(name, pool.other(call, name, &call.arguments[name], parameter(name))));
    let stale = stale(entry, call).map(|(name, value)| put(name, value));
    let all = [
        ("wrong tool", renamed),
        ("parameter removed", dropped),
        ("parameter added", Some(added(entry, call, pool))),
        ("value changed", changed),
        ("value from an earlier turn", stale),
    ];
    all.into_iter().filter_map(|(kind, call)| Some((kind, call?))).collect()
}

/// A declared parameter that was not said, else one that nobody declared.
fn added(entry: &Entry, call: &FunctionCall, pool: &Pool) -> FunctionCall {
    let declared = entry.tool().into_iter().flat_map(|tool| &tool.parameters.properties);
    let left = declared.into_iter().find(|(name, _)| !call.arguments.contains_key(*name));
    let name = left.map_or("extra", |(name, _)| name.as_str());
    let value = pool.0.get(&hash(&[&call.name, name])).filter(|value| is_given(value)).cloned();
    let mut arguments = call.arguments.clone();
    arguments.insert(name.to_owned(), value.unwrap_or_else(|| Value::from(1)));
    FunctionCall { name: call.name.clone(), arguments }
}

/// A value that was right before this turn and is not any more.
fn stale<'e>(entry: &'e Entry, call: &'e FunctionCall) -> Option<(&'e str, Value)> {
    let before = entry.before.as_ref()?;
    let mut old = before
        .iter()
        .filter(|(name, value)| is_given(value) && call.arguments.get(*name).is_some_and(|now| !is_same(now, value)));
    old.next().map(|(name, value)| (name.as_str(), value.clone()))
}

/// Which of several arguments is taken; it depends on the sample alone.
fn place(entry: &Entry, of: usize) -> usize {
    let count = u64::try_from(of).unwrap_or(u64::MAX).max(1);
    usize::try_from(hash(&["place", entry.sample.id.as_str()]) % count).unwrap_or_default()
}

/// Another value of the same type.
pub(super) fn changed(value: &Value) -> Value {
    match value {
        Value::Bool(bool) => Value::from(!bool),
        Value::Number(number) => Value::from(number.as_f64().trunc() + 1.0),
        Value::String(text) => Value::from(format!("{text} 2").as_str()),
        Value::List(list) => Value::List(list.iter().cloned().chain([Value::from(1)]).collect()),
        Value::Object(object) => {
            Value::Object(object.clone().into_iter().chain([("extra".to_owned(), Value::from(1))]).collect())
        }
        Value::Null => Value::from(1),
    }
}

/// `null` and the empty text stand for what was not said.
fn is_given(value: &Value) -> bool {
    !value.is_null() && value.as_str() != Some("")
}

/// Whether nobody would call the values different.
fn is_same(one: &Value, other: &Value) -> bool {
    let letters = |text: &str| Folded::new(text).text().chars().filter(|it| it.is_alphanumeric()).collect::<String>();
    let quantity = |value: &Value| value.as_number().map(Number::as_f64);
    match (one.as_str(), other.as_str()) {
        (Some(one), Some(other)) => letters(one) == letters(other),
        _ => one.equals(other) || quantity(one).is_some_and(|number| quantity(other) == Some(number)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{entry, said, sample};

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
                ("different capitalization", call(r#"{"to":"PORTO","seats":2}"#)),
                ("trailing period", call(r#"{"to":"Porto.","seats":2}"#)),
                ("numbers as strings", call(r#"{"to":"Porto","seats":"2"}"#)),
                ("different order", call(r#"{"seats":2,"to":"Porto"}"#)),
            ]
        );
        assert!(forms[5].1.starts_with("```json") && forms[6].1.starts_with("[(\"A.B.book\""));
    }

    #[test]
    fn what_has_nothing_to_change_has_fewer() {
        let kinds: Vec<&str> = of(&entry(said("a", "x", "y", "{}"))).into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds, ["fenced", "native call"]);
    }
}

#[cfg(test)]
mod mutants_tests {
    use super::*;
    use crate::lint::testing::{entry, said, sample, snapshots};

    fn made(entry: &Entry) -> Vec<(&'static str, String)> {
        let made = mutants(entry, &Pool::default());
        made.into_iter().map(|(kind, call)| (kind, serde_json::to_string(&call).unwrap())).collect()
    }

    #[test]
    fn each_mutant_differs_from_the_right_call_in_its_own_way() {
        let entry = entry(said("a", "ST_Perfect", "to Porto", r#"{"to": "Porto"}"#));
        let call = |name: &str, arguments: &str| format!(r#"{{"name":"{name}","arguments":{arguments}}}"#);
        assert_eq!(
            made(&entry),
            [
                ("wrong tool", call("C.D.sing", r#"{"to":"Porto"}"#)),
                ("parameter removed", call("A.B.book", "{}")),
                ("parameter added", call("A.B.book", r#"{"to":"Porto","seats":1}"#)),
                ("value changed", call("A.B.book", r#"{"to":"Porto 2"}"#)),
            ]
        );
    }

    #[test]
    fn a_value_of_before_is_one_that_was_right() {
        let turns = snapshots("m/0", "mSv", &[r#"{"to": "Porto"}"#, r#"{"to": "Lyon"}"#]);
        let stale = made(&turns[1]).pop().unwrap();
        assert_eq!(
            stale,
            ("value from an earlier turn", r#"{"name":"A.B.book","arguments":{"to":"Porto"}}"#.to_owned())
        );
    }

    #[test]
    fn values_of_other_items_are_taken_where_they_differ() {
        let mut pool = Pool::default();
        pool.learn(&entry(said("a", "x", "y", r#"{"to": "Porto", "seats": 2}"#)));
        let call = FunctionCall { name: "A.B.book".to_owned(), arguments: Object::new() };
        assert_eq!(pool.other(&call, "to", &Value::from("Lyon"), None), Value::from("Porto"));
        assert_eq!(pool.other(&call, "to", &Value::from("porto."), None), Value::from("porto. 2"));
        let tool = entry(sample("b", "x")).tool().unwrap().clone();
        let listed = tool.parameters.properties.get("class");
        assert_eq!(pool.other(&call, "class", &Value::from("first"), listed), Value::from("second"));
        for (value, other) in [("true", "false"), ("2", "3"), ("[]", "[1]"), ("{}", r#"{"extra":1}"#), ("null", "1")] {
            let changed = changed(&Value::read(value).unwrap());
            assert!(changed.equals(&Value::read(other).unwrap()), "{value}");
        }
    }

    #[test]
    fn a_refusal_has_none() {
        let mut twin = entry(sample("a", "ir_ST_Perfect"));
        twin.sample.expected = crate::record::Expected::Refusal;
        assert!(made(&twin).is_empty());
    }
}
