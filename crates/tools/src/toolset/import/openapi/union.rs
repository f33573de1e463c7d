//! Alternatives (`oneOf`, `anyOf`) as tools can have them: `null` becomes a type, lists of values are put together, and
//! what is left stands as `anyOf`.

use super::schema::merge;
use serde_json::{Map, Value as Json, json};

/// Adds alternatives to a schema; false where it has some already.
pub(crate) fn join(schema: &mut Map<String, Json>, parts: Vec<Map<String, Json>>) -> bool {
    let is_nothing = |part: &Map<String, Json>| part.get("type").is_some_and(|kind| kind == "null");
    let (nothing, given): (Vec<_>, Vec<_>) = parts.into_iter().partition(is_nothing);
    let mut parts: Vec<Map<String, Json>> = Vec::with_capacity(given.len());
    for part in given {
        if !part.is_empty() && !parts.contains(&part) {
            parts.push(part);
        }
    }
    let fits = match parts.len() {
        0 => true,
        1 => {
            merge(schema, parts.swap_remove(0));
            true
        }
        _ if parts.iter().all(|part| part.contains_key("enum")) && !schema.contains_key("enum") => {
            list(schema, &parts);
            true
        }
        _ if schema.contains_key("anyOf") => false,
        _ => {
            if !schema.contains_key("type") {
                schema.insert("type".to_owned(), kinds(&parts));
            }
            schema.insert("anyOf".to_owned(), parts.into_iter().map(Json::Object).collect());
            true
        }
    };
    if !nothing.is_empty() {
        allow_null(schema);
    }
    fits
}

/// Lists of values, put together.
fn list(schema: &mut Map<String, Json>, parts: &[Map<String, Json>]) {
    let mut values: Vec<Json> = Vec::new();
    for value in parts.iter().filter_map(|part| part.get("enum")?.as_array()).flatten() {
        if !values.contains(value) {
            values.push(value.clone());
        }
    }
    schema.entry("type").or_insert_with(|| kinds(parts));
    schema.insert("enum".to_owned(), values.into());
}

/// The types of alternatives: one where all are alike.
fn kinds(parts: &[Map<String, Json>]) -> Json {
    let mut kinds: Vec<Json> = Vec::new();
    for part in parts {
        let own = match part.get("type") {
            Some(Json::Array(own)) => own.clone(),
            Some(kind) => vec![kind.clone()],
            None => Vec::new(),
        };
        kinds.extend(own.into_iter().filter(|kind| !kinds.contains(kind)).collect::<Vec<_>>());
    }
    match kinds.len() {
        0 => json!("string"),
        1 => kinds.swap_remove(0),
        _ => Json::Array(kinds),
    }
}

fn allow_null(schema: &mut Map<String, Json>) {
    match schema.get_mut("type") {
        Some(Json::Array(kinds)) if !kinds.contains(&json!("null")) => kinds.push(json!("null")),
        Some(kind @ Json::String(_)) => *kind = json!([kind.clone(), "null"]),
        _ => {}
    }
}

/// The name of a value's type.
pub(crate) fn kind_of(value: &Json) -> Option<&'static str> {
    match value {
        Json::String(_) => Some("string"),
        Json::Bool(_) => Some("boolean"),
        Json::Number(number) => Some(if number.is_f64() { "number" } else { "integer" }),
        Json::Array(_) => Some("array"),
        Json::Object(_) => Some("object"),
        Json::Null => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "it is given what was just written")]
    fn joined(schema: Json, parts: Json) -> (Json, bool) {
        let map = |value: Json| value.as_object().cloned().unwrap_or_default();
        let mut schema = map(schema);
        let fits = join(&mut schema, parts.as_array().unwrap().iter().cloned().map(map).collect());
        (Json::Object(schema), fits)
    }

    #[test]
    fn null_is_a_type_and_one_alternative_is_none() {
        let (schema, _) =
            joined(json!({"description": "d"}), json!([{"type": "string", "format": "date"}, {"type": "null"}]));
        assert_eq!(schema, json!({"description": "d", "type": ["string", "null"], "format": "date"}));
        assert_eq!(joined(json!({}), json!([{"type": "string"}, {"type": "string"}])).0, json!({"type": "string"}));
        assert_eq!(joined(json!({}), json!([])).0, json!({}));
    }

    #[test]
    fn listed_values_are_put_together() {
        let parts = json!([{"type": "string", "enum": ["a", "b"]}, {"type": "string", "enum": ["b", "c"]}]);
        assert_eq!(joined(json!({}), parts).0, json!({"type": "string", "enum": ["a", "b", "c"]}));
    }

    #[test]
    fn other_alternatives_stand_with_all_their_types() {
        let parts = json!([{"type": "string"}, {"type": "array", "items": {"type": "string"}}]);
        let (schema, fits) = joined(json!({}), parts.clone());
        assert_eq!(
            (schema["type"].clone(), schema["anyOf"].clone(), fits),
            (json!(["string", "array"]), parts.clone(), true)
        );
        assert!(!joined(schema, parts).1, "of two sets of alternatives one is lost");
    }

    #[test]
    fn values_have_types() {
        let kinds = [json!("a"), json!(1), json!(1.5), json!(true), json!([]), json!({})].map(|value| kind_of(&value));
        assert_eq!(kinds, ["string", "integer", "number", "boolean", "array", "object"].map(Some));
        assert_eq!(kind_of(&Json::Null), None);
    }
}
