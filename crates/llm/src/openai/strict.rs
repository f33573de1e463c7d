//! Whether a server that holds to a schema to the letter takes it: OpenAI's strict mode refuses a schema whose objects leave
//! anything open, and with it every request that brings it along.

use serde_json::{Map, Value};

/// Keywords that strict mode does not know.
const REFUSED: [&str; 9] =
    ["default", "allOf", "oneOf", "not", "if", "then", "else", "patternProperties", "dependentRequired"];

/// Whether a reply's schema is an object that strict mode takes.
pub fn is_strict(schema: &Value) -> bool {
    schema["type"] == "object" && is_closed(schema)
}

fn is_closed(schema: &Value) -> bool {
    let Value::Object(fields) = schema else { return false };
    let says_something = ["type", "anyOf", "$ref", "enum", "const"].iter().any(|key| fields.contains_key(*key));
    let parts = ["properties", "$defs"].iter().filter_map(|key| fields.get(*key)?.as_object()).flat_map(Map::values);
    let forms = fields.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    says_something
        && REFUSED.iter().all(|key| !fields.contains_key(*key))
        && (!is_of(schema, "object") || names_all(fields))
        && (!is_of(schema, "array") || fields.contains_key("items"))
        && parts.chain(forms).chain(fields.get("items")).all(is_closed)
}

/// Whether a schema has a type, alone or among others.
fn is_of(schema: &Value, kind: &str) -> bool {
    match &schema["type"] {
        Value::String(only) => only == kind,
        Value::Array(kinds) => kinds.iter().any(|one| one == kind),
        _ => false,
    }
}

/// Whether an object has exactly its named keys, and each of them.
fn names_all(fields: &Map<String, Value>) -> bool {
    let required = fields.get("required").and_then(Value::as_array);
    let is_required = |name: &String| required.is_some_and(|required| required.iter().any(|it| it == name.as_str()));
    let properties = fields.get("properties").and_then(Value::as_object);
    fields.get("additionalProperties") == Some(&Value::Bool(false))
        && properties.is_some_and(|properties| properties.keys().all(is_required))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// An object of one key.
    fn of(more: &Value) -> Value {
        json!({"type": "object", "properties": {"a": more}, "required": ["a"], "additionalProperties": false})
    }

    #[test]
    fn an_object_must_name_all_its_keys_and_no_others() {
        assert!(is_strict(&of(&json!({"type": "string"}))));
        assert!(is_strict(&of(&json!({"anyOf": [of(&json!({"enum": [1, 2]})), {"type": "null"}]}))));
        for key in ["required", "additionalProperties", "properties"] {
            let mut schema = of(&json!({"type": "string"}));
            schema.as_object_mut().unwrap().remove(key);
            assert!(!is_strict(&schema) && !is_strict(&of(&schema)), "{key}");
        }
    }

    #[test]
    fn what_strict_mode_does_not_know_is_found_at_any_depth() {
        let list = |items: &Value| of(&json!({"type": "array", "items": items}));
        assert!(is_strict(&list(&json!({"type": "string"}))));
        assert!(!is_strict(&list(&json!({"type": "string", "default": ""}))));
        assert!(!is_strict(&list(&json!({}))) && !is_strict(&of(&json!({"type": "array"}))));
        assert!(!is_strict(&of(&json!({"type": ["object", "null"]}))) && !is_strict(&json!({"type": "array"})));
        let mut schema = of(&json!({"$ref": "#/$defs/B"}));
        schema["$defs"] = json!({"B": {"type": "object"}});
        assert!(!is_strict(&schema));
    }
}
