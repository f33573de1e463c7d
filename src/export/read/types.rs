//! Tools as other people write them: types with Python's names, flat maps of parameters, wrapped or bare.

use super::super::loss::Rule;
use crate::record::{Object, Tool, Value};
use std::sync::Arc;

/// The JSON types by the names that Python and others have for them; lists and maps by their beginnings.
const TYPES: [(&str, &str); 21] = [
    ("string", "string"),
    ("str", "string"),
    ("integer", "integer"),
    ("int", "integer"),
    ("long", "integer"),
    ("number", "number"),
    ("float", "number"),
    ("double", "number"),
    ("boolean", "boolean"),
    ("bool", "boolean"),
    ("array", "array"),
    ("list", "array"),
    ("tuple", "array"),
    ("set", "array"),
    ("sequence", "array"),
    ("object", "object"),
    ("dict", "object"),
    ("mapping", "object"),
    ("hashmap", "object"),
    ("any", ""),
    ("null", "null"),
];

/// A tool; what of its types cannot be said in JSON Schema goes to `lost`.
pub(super) fn tool_of(value: &Value, lost: &mut Vec<(Rule, String)>) -> Result<Arc<Tool>, String> {
    let bare = value.as_object().and_then(|tool| tool.get("function")).unwrap_or(value);
    let mut tool = bare.as_object().ok_or("a tool is not an object")?.clone();
    let name = tool.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let schema = tool.get("parameters").and_then(Value::as_object).cloned().unwrap_or_default();
    let schema =
        if schema.get("properties").is_some_and(|it| it.as_object().is_some()) { schema } else { flat(&schema) };
    tool.insert("parameters".to_owned(), Value::Object(typed(&schema, &name, lost)));
    let read = serde_json::from_str::<Tool>(&Value::Object(tool).to_string());
    read.map(Arc::new).map_err(|error| format!("a tool could not be parsed: {error}"))
}

/// A map of parameters as a schema: what is not said to be optional is required.
fn flat(parameters: &Object) -> Object {
    let is_schema = parameters.get("type").is_some_and(|it| it.as_str().is_some());
    let entries = parameters.iter().filter(|(name, it)| it.as_object().is_some() && !(is_schema && *name == "type"));
    let mut required = Vec::new();
    let mut properties = Object::new();
    for (name, parameter) in entries {
        let mut parameter = parameter.as_object().cloned().unwrap_or_default();
        let kind = parameter.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        if let Some((kind, _)) = kind.split_once(", optional") {
            parameter.insert("type".to_owned(), kind.trim().into());
        } else if parameter.get("default").is_none() {
            required.push(Value::from(name.as_str()));
        }
        properties.insert(name.clone(), Value::Object(parameter));
    }
    [("type", Value::from("object")), ("properties", properties.into()), ("required", Value::List(required))]
        .map(|(name, value)| (name.to_owned(), value))
        .into()
}

/// A schema with the types of JSON Schema.
fn typed(schema: &Object, place: &str, lost: &mut Vec<(Rule, String)>) -> Object {
    let mut out = Object::new();
    for (key, value) in schema {
        let value = match (key.as_str(), value) {
            ("type", Value::String(kind)) => match json_type(kind) {
                Some("") => continue,
                Some(known) => known.into(),
                None => {
                    lost.push((Rule::Types, format!("`{place}`: unknown type `{kind}`, read as a string")));
                    "string".into()
                }
            },
            ("properties", Value::Object(all)) => {
                let one = |(name, it): (&String, &Value)| (name.clone(), inner(it, &format!("{place}.{name}"), lost));
                Value::Object(all.iter().map(one).collect())
            }
            ("items", it) => inner(it, place, lost),
            (_, other) => other.clone(),
        };
        out.insert(key.clone(), value);
    }
    out
}

fn inner(value: &Value, place: &str, lost: &mut Vec<(Rule, String)>) -> Value {
    value.as_object().map_or_else(|| value.clone(), |schema| Value::Object(typed(schema, place, lost)))
}

/// The JSON type; what may be anything has the empty one.
fn json_type(kind: &str) -> Option<&'static str> {
    let plain = kind.trim().to_lowercase();
    let inner = plain.strip_prefix("optional[").and_then(|rest| rest.strip_suffix(']')).unwrap_or(&plain);
    let word: String = inner.chars().take_while(char::is_ascii_alphanumeric).collect();
    let ends = inner.chars().nth(word.chars().count()).is_none_or(|letter| letter == '[' || letter == ',');
    TYPES.iter().find(|(name, _)| ends && *name == word).map(|(_, known)| *known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> (Arc<Tool>, Vec<(Rule, String)>) {
        let mut lost = Vec::new();
        (tool_of(&Value::read(json).unwrap(), &mut lost).unwrap(), lost)
    }

    #[test]
    fn flat_maps_become_schemas() {
        let (tool, lost) = read(
            r#"{"name": "f", "parameters": {"a": {"type": "List[int]"}, "b": {"type": "str, optional"}, "type": {"type": "float", "default": 1}}}"#,
        );
        let kinds: Vec<&str> = tool.parameters.properties.values().map(crate::record::Parameter::type_name).collect();
        assert_eq!(
            (kinds, tool.parameters.required.clone(), lost.len()),
            (vec!["array", "string", "number"], vec!["a".to_owned()], 0)
        );
    }

    #[test]
    fn types_are_those_of_json_schema_at_any_depth() {
        let (tool, lost) = read(
            r#"{"function": {"name": "f", "parameters": {"type": "dict", "properties": {"a": {"type": "list", "items": {"type": "dict", "properties": {"b": {"type": "Callable[[int], str]"}}}}}}}}"#,
        );
        assert_eq!(tool.parameters.kind, "object");
        assert_eq!(tool.parameters.properties["a"].more["items"]["type"], "object");
        assert_eq!(lost, [(Rule::Types, "`f.a.b`: unknown type `Callable[[int], str]`, read as a string".to_owned())]);
    }

    #[test]
    fn what_is_no_tool_is_told() {
        assert!(tool_of(&Value::from(1_i64), &mut Vec::new()).unwrap_err().contains("not an object"));
        assert!(tool_of(&Value::read("{}").unwrap(), &mut Vec::new()).unwrap_err().contains("could not be parsed"));
        assert_eq!(json_type("Optional[int]"), Some("integer"));
        assert_eq!((json_type("Union[int, str]"), json_type("any")), (None, Some("")));
    }
}
