//! The calls that a value holds, if it has the form that was asked for.

use super::read::API;
use crate::record::{Object, Value};

const PARAMETERS: &str = "parameters";

/// Calls in order, names and arguments apart.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Shape {
    /// The names.
    pub names: Vec<String>,
    /// The arguments of each.
    pub parameters: Vec<Object>,
    /// Keys beside the two that were asked for.
    pub extra: Vec<String>,
}

impl Shape {
    /// Reads a value; the error says what is wrong with its form. An object may stand for a list of one, and an empty list for
    /// calls without parameters.
    pub(super) fn of(value: Value) -> Result<Self, String> {
        let Value::Object(mut object) = value else { return Err("it is a list and not an object".to_owned()) };
        let names = names(object.shift_remove(API))?;
        let given = object.shift_remove(PARAMETERS).ok_or_else(|| format!("there is no `{PARAMETERS}`"))?;
        let parameters = parameters(given, names.len())?;
        Ok(Self { names, parameters, extra: object.into_keys().collect() })
    }
}

fn names(value: Option<Value>) -> Result<Vec<String>, String> {
    let wrong = || format!("`{API}` is no list of names");
    let list = match value {
        None => return Err(format!("there is no `{API}`")),
        Some(Value::List(list)) => list,
        Some(_) => return Err(wrong()),
    };
    let name = |value: Value| match value {
        Value::String(name) => Ok(name),
        _ => Err(wrong()),
    };
    list.into_iter().map(name).collect()
}

fn parameters(value: Value, calls: usize) -> Result<Vec<Object>, String> {
    let list = match value {
        Value::Object(object) if calls == 1 => return Ok(vec![object]),
        Value::List(list) if list.is_empty() => return Ok(vec![Object::new(); calls]),
        Value::List(list) => list,
        other => return Err(format!("`{PARAMETERS}` is {} and no list of objects", other.type_name())),
    };
    let object = |value: Value| match value {
        Value::Object(object) => Ok(object),
        other => Err(format!("an element of `{PARAMETERS}` is {} and no object", other.type_name())),
    };
    let objects: Vec<Object> = list.into_iter().map(object).collect::<Result<_, _>>()?;
    if objects.len() == calls {
        return Ok(objects);
    }
    Err(format!("it names {calls} calls and has {} objects of parameters", objects.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(json: &str) -> Result<(String, String), String> {
        let shape = Shape::of(Value::read(json).unwrap())?;
        let parameters = Value::List(shape.parameters.into_iter().map(Value::Object).collect());
        Ok((format!("{} {}", shape.names.join(","), shape.extra.join(",")), parameters.to_string()))
    }

    #[test]
    fn calls_are_names_and_objects() {
        for (json, names, parameters) in [
            (r#"{"API": ["f", "g"], "parameters": [{"a": 1}, {}]}"#, "f,g ", r#"[{"a":1},{}]"#),
            (r#"{"note": 1, "parameters": {"a": 1}, "API": ["f"]}"#, "f note", r#"[{"a":1}]"#),
            (r#"{"API": ["f", "g"], "parameters": []}"#, "f,g ", "[{},{}]"),
            (r#"{"API": [], "parameters": []}"#, " ", "[]"),
        ] {
            assert_eq!(shape(json), Ok((names.to_owned(), parameters.to_owned())), "{json}");
        }
    }

    #[test]
    fn another_form_is_told() {
        for (json, problem) in [
            ("[]", "it is a list and not an object"),
            ("{}", "there is no `API`"),
            (r#"{"API": "f", "parameters": []}"#, "`API` is no list of names"),
            (r#"{"API": [1], "parameters": []}"#, "`API` is no list of names"),
            (r#"{"API": ["f"]}"#, "there is no `parameters`"),
            (r#"{"API": ["f"], "parameters": null}"#, "`parameters` is null and no list of objects"),
            (r#"{"API": ["f", "g"], "parameters": {"a": 1}}"#, "`parameters` is object and no list of objects"),
            (r#"{"API": ["f"], "parameters": [null]}"#, "an element of `parameters` is null and no object"),
            (r#"{"API": ["f"], "parameters": [{}, {}]}"#, "it names 1 calls and has 2 objects of parameters"),
        ] {
            assert_eq!(shape(json), Err(problem.to_owned()), "{json}");
        }
    }
}
