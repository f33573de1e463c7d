//! The JSON Schema of an answer, made of the candidates: which names there are, and which parameters each takes.
//!
//! A schema cannot say that the first object belongs to the first name; that is left to the model.

use crate::record::{PLACEHOLDER, Tool};
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

/// Types that a server's grammar knows; whatever else a toolset calls a type is left open.
const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "array", "object", "null"];

/// The schema of calls to these tools. Every value may be the placeholder.
pub(super) fn answer_schema(tools: &[Arc<Tool>]) -> Json {
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let mut shapes: Vec<Json> = Vec::new();
    for shape in tools.iter().map(|tool| fields(&json!(tool.parameters))) {
        // Tools that take the same have one schema for it.
        if !shapes.contains(&shape) {
            shapes.push(shape);
        }
    }
    object(&json!({
        "API": { "type": "array", "items": { "type": "string", "enum": names } },
        "parameters": { "type": "array", "items": { "anyOf": shapes } },
    }))
}

/// An object that has all of these fields and no others.
fn object(fields: &Json) -> Json {
    let required: Vec<String> = fields.as_object().map(|fields| fields.keys().cloned().collect()).unwrap_or_default();
    json!({ "type": "object", "properties": fields, "required": required, "additionalProperties": false })
}

/// An object's own fields.
fn fields(schema: &Json) -> Json {
    let properties = schema.get("properties").and_then(Json::as_object).cloned().unwrap_or_default();
    let properties: Map<String, Json> =
        properties.iter().map(|(name, it)| (name.clone(), or_placeholder(it))).collect();
    let mut object = object(&properties.into());
    if let Some(required) = schema.get("required").filter(|it| it.is_array()) {
        object["required"] = required.clone();
    }
    object
}

/// A value, or what stands for it.
fn or_placeholder(schema: &Json) -> Json {
    let value = value(schema);
    if value == json!({ "type": "string" }) {
        return value;
    }
    json!({ "anyOf": [value, { "type": "string", "enum": [PLACEHOLDER] }] })
}

fn value(schema: &Json) -> Json {
    if let Some(values) = schema.get("enum").filter(|values| values.as_array().is_some_and(|it| !it.is_empty())) {
        return json!({ "enum": values });
    }
    if schema.get("properties").and_then(Json::as_object).is_some_and(|it| !it.is_empty()) {
        return fields(schema);
    }
    match schema.get("type").and_then(Json::as_str).filter(|name| TYPES.contains(name)) {
        Some("array") => json!({ "type": "array", "items": schema.get("items").map_or_else(|| json!({}), value) }),
        Some(name) => json!({ "type": name }),
        None => json!({}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools() -> Vec<Arc<Tool>> {
        let text = r#"[
            {"name": "getA", "parameters": {"properties": {"id": {"type": "string", "description": "AC1"}}, "required": ["id"]}},
            {"name": "getB", "parameters": {"properties": {"id": {"type": "string"}}, "required": ["id"]}},
            {"name": "ship", "parameters": {"properties": {
                "size": {"type": "object", "properties": {"kg": {"type": "float"}, "tags": {"type": "array", "items": {"type": "string"}}}},
                "speed": {"type": "string", "enum": ["fast"]}, "count": {"type": "integer"}}, "required": ["count"]}}]"#;
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn names_and_parameters_come_from_the_candidates() {
        insta::assert_snapshot!(answer_schema(&tools()), @r#"{"type":"object","properties":{"API":{"type":"array","items":{"type":"string","enum":["getA","getB","ship"]}},"parameters":{"type":"array","items":{"anyOf":[{"type":"object","properties":{"id":{"type":"string"}},"required":["id"],"additionalProperties":false},{"type":"object","properties":{"size":{"anyOf":[{"type":"object","properties":{"kg":{"anyOf":[{},{"type":"string","enum":["$$$"]}]},"tags":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"string","enum":["$$$"]}]}},"required":["kg","tags"],"additionalProperties":false},{"type":"string","enum":["$$$"]}]},"speed":{"anyOf":[{"enum":["fast"]},{"type":"string","enum":["$$$"]}]},"count":{"anyOf":[{"type":"integer"},{"type":"string","enum":["$$$"]}]}},"required":["count"],"additionalProperties":false}]}}},"required":["API","parameters"],"additionalProperties":false}"#);
    }

    #[test]
    fn right_answers_pass_and_others_do_not() {
        let schema = answer_schema(&tools());
        let passes = |answer: Json| jsonschema::is_valid(&schema, &answer);
        let size = json!({"kg": 1.5, "tags": ["x"]});
        assert!(passes(json!({"API": ["getA", "ship"], "parameters": [{"id": "1"}, {"count": 2, "size": size}]})));
        assert!(passes(json!({"API": ["ship"], "parameters": [{"count": "$$$", "size": "$$$", "speed": "$$$"}]})));
        assert!(!passes(json!({"API": ["getC"], "parameters": []})));
        assert!(!passes(json!({"API": ["getA"], "parameters": [{"name": "1"}]})));
        assert!(!passes(json!({"API": ["ship"], "parameters": [{"count": "2"}]})));
        assert!(!passes(json!({"API": ["ship"]})));
    }
}
