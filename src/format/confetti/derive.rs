//! Descriptions of functions, inferred from the answers alone: the file that has the real ones is not always at hand.

use crate::record::{Object, Value};
use indexmap::IndexMap;

/// What is known of a function from its calls.
#[derive(Default)]
struct Known {
    calls: usize,
    parameters: IndexMap<String, (usize, &'static str)>,
}

/// Describes every function that is called: a parameter has the type of its first value, and is required if no call is
/// without it. Each answer is an object of one function with the accepted values of its arguments.
pub fn derived<'v>(answers: impl Iterator<Item = &'v Value>) -> IndexMap<String, Value> {
    let mut functions: IndexMap<String, Known> = IndexMap::new();
    for (name, arguments) in answers.filter_map(|answer| answer.as_object()?.first()) {
        let known = functions.entry(name.clone()).or_default();
        known.calls += 1;
        for (parameter, accepted) in arguments.as_object().into_iter().flatten() {
            let kind = accepted.as_list().and_then(<[_]>::first).map_or("any", kind);
            known.parameters.entry(parameter.clone()).or_insert((0, kind)).0 += 1;
        }
    }
    functions.into_iter().map(|(name, known)| (name.clone(), description(&name, &known))).collect()
}

fn description(name: &str, known: &Known) -> Value {
    let parameter =
        |(name, (_, kind)): (&String, &(usize, &str))| (name.clone(), object([("type", Value::from(*kind))]));
    let properties: Object = known.parameters.iter().map(parameter).collect();
    let required = known.parameters.iter().filter(|(_, (calls, _))| *calls == known.calls);
    let required = Value::List(required.map(|(name, _)| name.as_str().into()).collect());
    let entries = [("type", Value::from("dict")), ("properties", Value::Object(properties)), ("required", required)];
    object([("name", name.into()), ("description", "".into()), ("parameters", object(entries))])
}

fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Object(entries.map(|(name, value)| (name.to_owned(), value)).into())
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "any",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_integer_text() => "integer",
        Value::Number(_) => "float",
        Value::String(_) => "string",
        Value::List(_) => "array",
        Value::Object(_) => "dict",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_those_of_values_and_what_is_always_there_is_required() {
        let answers =
            [r#"{"f": {"a": ["x"], "b": [1.5]}}"#, r#"{"f": {"a": ["y"], "c": [2], "d": [{}]}}"#, r#"{"g": {}}"#];
        let answers = answers.map(|text| Value::read(text).unwrap());
        let functions = derived(answers.iter());
        assert_eq!(
            functions["f"].to_string(),
            r#"{"name":"f","description":"","parameters":{"type":"dict","properties":{"a":{"type":"string"},"b":{"type":"float"},"c":{"type":"integer"},"d":{"type":"dict"}},"required":["a"]}}"#
        );
        assert_eq!(functions.len(), 2);
    }
}
