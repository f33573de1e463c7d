//! The right answer of a sample as BFCL lists it: for each parameter the values that are accepted, `""` where it may be left
//! out.

use super::export::function_of;
use super::import::{FUNCTIONS_FACT, TRUTH_FACT};
use crate::record::{Expected, FunctionCall, Number, Object, Sample, Value};
use indexmap::IndexMap;

/// The functions that a sample offers, in BFCL's words: those that it was made of, or its tools.
pub fn functions_of(sample: &Sample) -> Value {
    fact(sample, FUNCTIONS_FACT)
        .unwrap_or_else(|| Value::List(sample.candidates.iter().map(|tool| function_of(tool)).collect()))
}

/// The accepted answers of a sample: those that it was made of, or its call, or the parallel calls of its only step. Nothing
/// where something else is right.
pub fn truth_of(sample: &Sample) -> Option<Value> {
    if let Some(truth) = fact(sample, TRUTH_FACT) {
        return Some(truth);
    }
    let functions = functions_of(sample);
    let nothing_else = IndexMap::new();
    let (calls, acceptable) = match &sample.expected {
        Expected::Call(call) => (std::slice::from_ref(call), &sample.acceptable),
        Expected::Steps(steps) => match steps.as_slice() {
            [only] if !only.calls.is_empty() => (only.calls.as_slice(), &nothing_else),
            _ => return None,
        },
        _ => return None,
    };
    let answer = |call: &FunctionCall| answer(call, &Declared::of(&functions, &call.name), acceptable);
    Some(Value::List(calls.iter().map(answer).collect()))
}

fn fact(sample: &Sample, name: &str) -> Option<Value> {
    Some(Value::read_lenient(sample.provenance.facts.get(name)?).ok()?.0)
}

/// What is known of a function's parameters.
#[derive(Default)]
struct Declared<'f> {
    properties: Option<&'f Object>,
    required: Vec<&'f str>,
}

impl<'f> Declared<'f> {
    fn of(functions: &'f Value, name: &str) -> Self {
        let is_it = |function: &&Value| field(function, "name").and_then(Value::as_str) == Some(name);
        let Some(function) = functions.as_list().and_then(|list| list.iter().find(is_it)) else {
            return Self::default();
        };
        let parameters = field(function, "parameters");
        let required = parameters.and_then(|it| field(it, "required")).and_then(Value::as_list).unwrap_or_default();
        Self {
            properties: parameters.and_then(|it| field(it, "properties")).and_then(Value::as_object),
            required: required.iter().filter_map(Value::as_str).collect(),
        }
    }

    fn schema(&self, name: &str) -> Option<&'f Value> {
        self.properties.and_then(|properties| properties.get(name))
    }

    fn is_optional(&self, name: &str) -> bool {
        self.schema(name).is_some() && !self.required.contains(&name)
    }
}

fn field<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    value.as_object()?.get(name)
}

fn answer(call: &FunctionCall, declared: &Declared<'_>, acceptable: &IndexMap<String, Vec<Value>>) -> Value {
    let others = |name: &str| acceptable.get(name).map(Vec::as_slice).unwrap_or_default();
    let said = call.arguments.iter().map(|(name, value)| {
        let values = std::iter::once(value).chain(others(name));
        (name.clone(), accepted(values, name, declared))
    });
    // What the gold leaves out may be said all the same, if it is the default.
    let unsaid = declared.properties.into_iter().flatten().filter_map(|(name, schema)| {
        let is_unsaid = declared.is_optional(name) && !call.arguments.contains_key(name);
        let default = field(schema, "default").filter(|value| !value.is_null());
        let values: Vec<&Value> = others(name).iter().chain(default).collect();
        let marker = Value::from("");
        (is_unsaid && !values.is_empty())
            .then(|| (name.clone(), accepted(std::iter::once(&marker).chain(values), name, declared)))
    });
    Value::Object([(call.name.clone(), Value::Object(said.chain(unsaid).collect()))].into())
}

/// Accepted values, each once. The marker stands for an omission, so that only what is optional has it; a value that is the
/// default may be left out too.
fn accepted<'v>(values: impl Iterator<Item = &'v Value>, name: &str, declared: &Declared<'_>) -> Value {
    let (schema, is_optional) = (declared.schema(name), declared.is_optional(name));
    let mut list: Vec<Value> = Vec::new();
    let mut add = |value: Value| {
        if !list.iter().any(|known| known.equals(&value)) {
            list.push(value);
        }
    };
    let default = schema.and_then(|schema| field(schema, "default"));
    let mut may_be_left_out = false;
    for value in values {
        may_be_left_out |= default.is_some_and(|default| default.equals(value)) && is_optional;
        if is_optional || value.as_str() != Some("") {
            add(formed(value, schema));
        }
    }
    if may_be_left_out {
        add("".into());
    }
    Value::List(list)
}

fn word(schema: Option<&Value>) -> &str {
    schema.and_then(|schema| field(schema, "type")).and_then(Value::as_str).unwrap_or("any")
}

/// A value as answers give it: a dictionary has a list of accepted values at each key, also where it stands in a list.
fn formed(value: &Value, schema: Option<&Value>) -> Value {
    match (word(schema), value) {
        ("dict", Value::Object(object)) => {
            let leaf = |(key, value): (&String, &Value)| {
                (key.clone(), Value::List(vec![literal(value, property(schema, key))]))
            };
            Value::Object(object.iter().map(leaf).collect())
        }
        ("array" | "tuple", Value::List(list)) => {
            let items = schema.and_then(|schema| field(schema, "items"));
            let element =
                |value: &Value| if word(items) == "dict" { formed(value, items) } else { literal(value, items) };
            Value::List(list.iter().map(element).collect())
        }
        _ => literal(value, schema),
    }
}

/// A value as it is, but that a whole number for a fraction is written as one: upstream tells them apart within lists.
fn literal(value: &Value, schema: Option<&Value>) -> Value {
    match (word(schema), value) {
        ("float", Value::Number(number)) if number.is_integer_text() => {
            Number::parse(&format!("{number}.0")).map_or_else(|| value.clone(), Value::Number)
        }
        (_, Value::List(list)) => {
            let items = schema.and_then(|schema| field(schema, "items"));
            Value::List(list.iter().map(|value| literal(value, items)).collect())
        }
        (_, Value::Object(object)) => {
            let entry = |(key, value): (&String, &Value)| (key.clone(), literal(value, property(schema, key)));
            Value::Object(object.iter().map(entry).collect())
        }
        _ => value.clone(),
    }
}

fn property<'s>(schema: Option<&'s Value>, key: &str) -> Option<&'s Value> {
    field(field(schema?, "properties")?, key)
}

#[cfg(test)]
mod tests {
    use super::super::testing::sample;
    use super::*;
    use serde_json::json;

    fn truth(properties: serde_json::Value, required: &[&str], arguments: serde_json::Value) -> String {
        with(properties, required, arguments, json!({}))
    }

    #[expect(clippy::needless_pass_by_value, reason = "tests write values where they are wanted")]
    fn with(
        properties: serde_json::Value,
        required: &[&str],
        arguments: serde_json::Value,
        acceptable: serde_json::Value,
    ) -> String {
        let call = json!({"call": {"name": "a.f", "arguments": arguments}});
        let mut sample = sample("t/0", call, json!({"properties": properties, "required": required}));
        sample.acceptable = serde_json::from_value(acceptable).unwrap();
        truth_of(&sample).unwrap().to_string()
    }

    #[test]
    fn every_value_is_a_list_of_accepted_ones() {
        let properties = json!({"s": {"type": "string"}, "l": {"type": "array", "items": {"type": "integer"}}});
        let arguments = json!({"s": "x", "l": [4, 5]});
        assert_eq!(
            with(properties, &["s", "l"], arguments, json!({"s": ["y", "x"]})),
            r#"[{"a.f":{"s":["x","y"],"l":[[4,5]]}}]"#
        );
    }

    #[test]
    fn dictionaries_have_lists_at_their_keys_and_deeper_ones_none() {
        let dict = json!({"type": "object", "properties": {"n": {"type": "number"}, "in": {"type": "object"}}});
        let properties = json!({"d": dict, "l": {"type": "array", "items": dict}});
        let value = json!({"n": 2, "in": {"k": 1}, "tags": ["a"]});
        let formed = r#"{"n":[2.0],"in":[{"k":1}],"tags":[["a"]]}"#;
        assert_eq!(
            truth(properties, &[], json!({"d": value, "l": [value]})),
            format!(r#"[{{"a.f":{{"d":[{formed}],"l":[[{formed}]]}}}}]"#)
        );
    }

    #[test]
    fn fractions_are_written_as_such_at_every_depth() {
        let properties = json!({"n": {"type": "number"}, "l": {"type": "array", "items": {"type": "number"}}, "i": {"type": "integer"}});
        assert_eq!(
            truth(properties, &[], json!({"n": 5, "l": [2.5, 1], "i": 1})),
            r#"[{"a.f":{"n":[5.0],"l":[[2.5,1.0]],"i":[1]}}]"#
        );
    }

    #[test]
    fn only_what_is_optional_may_be_left_out() {
        let properties = json!({"s": {"type": "integer", "default": 1}, "o": {"type": "integer", "default": 1}, "p": {"type": "string", "default": "x"}, "q": {"type": "string"}});
        let acceptable = json!({"s": [""], "q": ["z"]});
        assert_eq!(
            with(properties, &["s"], json!({"s": 1, "o": 1}), acceptable),
            r#"[{"a.f":{"s":[1],"o":[1,""],"p":["","x"],"q":["","z"]}}]"#
        );
    }

    #[test]
    fn parallel_calls_have_an_answer_each_and_other_things_none() {
        let call = |n: i64| json!({"name": "a.f", "arguments": {"n": n}});
        let steps = |steps: serde_json::Value| truth_of(&sample("t/0", json!({"steps": steps}), json!({})));
        let step = json!({"calls": [call(1), call(2)], "answers": []});
        assert_eq!(steps(json!([step])).unwrap().to_string(), r#"[{"a.f":{"n":[1]}},{"a.f":{"n":[2]}}]"#);
        assert_eq!((steps(json!([step, step])), steps(json!([]))), (None, None));
        assert_eq!(truth_of(&sample("t/0", json!("refusal"), json!({}))), None);
    }

    #[test]
    fn what_a_sample_was_made_of_is_given_back() {
        let mut sample = sample("t/0", json!("refusal"), json!({}));
        sample.provenance.facts.insert(TRUTH_FACT.to_owned(), r#"[{"f": {"a": [1]}}]"#.to_owned());
        sample.provenance.facts.insert(FUNCTIONS_FACT.to_owned(), r#"[{"name": "f"}]"#.to_owned());
        assert_eq!(truth_of(&sample).unwrap().to_string(), r#"[{"f":{"a":[1]}}]"#);
        assert_eq!(functions_of(&sample).to_string(), r#"[{"name":"f"}]"#);
    }
}
