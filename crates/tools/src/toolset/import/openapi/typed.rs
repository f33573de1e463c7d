//! Types as other lists spell them (`dict`, `str, optional`, `List[int]`), as JSON Schema spells them.

use super::super::losses::Losses;
use super::reference::Found;
use super::schema::{self, Side};
use serde_json::{Map, Value as Json, json};

/// How deep a written type may nest.
const DEEPEST: usize = 8;

/// The schema of a tool's parameters as validators understand it: types in the usual spelling, and what `$ref`s name in their
/// place.
pub(in crate::toolset) fn plain_schema(stated: &Json) -> Json {
    let schema = parameters(stated);
    if !schema.to_string().contains("\"$ref\"") {
        return schema;
    }
    let found = Found { value: &schema, place: String::new() };
    Json::Object(schema::take(&schema, &found, Side::Sent, &mut Losses::default()))
}

/// The schema of a list's parameters: JSON Schema in whatever spelling, or xLAM's flat form of names with their types.
pub(crate) fn parameters(stated: &Json) -> Json {
    let Some(fields) = stated.as_object() else { return json!({"type": "object", "properties": {}}) };
    let is_flat = !fields.contains_key("properties")
        && !fields.contains_key("$ref")
        && !fields.contains_key("allOf")
        && fields.values().all(|field| field.get("type").or_else(|| field.get("description")).is_some())
        && !fields.is_empty();
    if is_flat { flat(fields) } else { Json::Object(usual(fields.clone(), 0)) }
}

/// `{"city": {"type": "str, optional", "description": "...", "default": "..."}}`
fn flat(fields: &Map<String, Json>) -> Json {
    let mut required = Vec::new();
    let mut properties = Map::new();
    for (name, field) in fields {
        let text = field.get("type").and_then(Json::as_str).unwrap_or("string");
        let is_optional =
            text.to_lowercase().contains("optional") || field.get("default").is_some_and(|it| !it.is_null());
        let own: Map<String, Json> =
            field.as_object().into_iter().flatten().map(|(key, value)| (key.clone(), value.clone())).collect();
        let mut schema = usual(own, 0);
        if field.get("required").and_then(Json::as_bool).unwrap_or(!is_optional) {
            required.push(json!(name));
        }
        // An empty default is xLAM's way to say that there is none.
        if schema.get("default").is_some_and(|it| it.is_null() || *it == json!("")) {
            schema.shift_remove("default");
        }
        schema.shift_remove("required");
        properties.insert(name.clone(), Json::Object(schema));
    }
    json!({"type": "object", "properties": properties, "required": required})
}

/// A schema with its types in the usual spelling, all the way down.
fn usual(mut schema: Map<String, Json>, depth: usize) -> Map<String, Json> {
    if let Some(text) = schema.get("type").and_then(Json::as_str).map(str::to_owned) {
        schema.shift_remove("type");
        let mut written = type_of(&text, 0);
        // What the schema says itself holds; a written type only adds to it.
        written.extend(schema);
        schema = written;
    }
    if depth > 32 {
        return schema;
    }
    for key in ["items", "additionalProperties"] {
        if let Some(Json::Object(inner)) = schema.get_mut(key) {
            *inner = usual(std::mem::take(inner), depth + 1);
        }
    }
    let needed = own_flags(&mut schema);
    if !needed.is_empty() {
        let required = schema.entry("required").or_insert_with(|| json!([]));
        let new: Vec<Json> =
            needed.into_iter().filter(|name| !required.as_array().is_some_and(|it| it.contains(name))).collect();
        required.as_array_mut().into_iter().for_each(|required| required.extend(new.iter().cloned()));
    }
    for key in ["properties", "$defs", "definitions"] {
        for inner in schema.get_mut(key).and_then(Json::as_object_mut).into_iter().flat_map(Map::values_mut) {
            if let Json::Object(inner) = inner {
                *inner = usual(std::mem::take(inner), depth + 1);
            }
        }
    }
    schema
}

/// Takes out `"required": true` of properties, which JSON Schema does not know; the names of those that have it.
fn own_flags(schema: &mut Map<String, Json>) -> Vec<Json> {
    let properties = schema.get_mut("properties").and_then(Json::as_object_mut).into_iter().flatten();
    let flagged = properties.filter_map(|(name, property)| {
        let fields = property.as_object_mut().filter(|fields| fields.get("required").is_some_and(Json::is_boolean))?;
        (fields.shift_remove("required") == Some(json!(true))).then(|| json!(name))
    });
    flagged.collect()
}

/// A written type as a schema.
fn type_of(text: &str, depth: usize) -> Map<String, Json> {
    let text = text.split(", optional").next().unwrap_or(text).trim().trim_end_matches("(optional)").trim();
    let (head, inner) = match text.split_once('[') {
        Some((head, rest)) => (head.trim(), rest.strip_suffix(']').unwrap_or(rest)),
        None => (text, ""),
    };
    let kind = match head.to_lowercase().as_str() {
        "str" | "string" | "char" | "any" | "callable" | "date" | "datetime" | "bytes" => "string",
        "int" | "integer" | "long" | "byte" | "short" => "integer",
        "float" | "double" | "number" | "decimal" => "number",
        "bool" | "boolean" => "boolean",
        "list" | "array" | "arraylist" | "tuple" | "set" | "sequence" | "iterable" => "array",
        "dict" | "object" | "hashmap" | "map" | "mapping" => "object",
        "optional" | "union" if depth < DEEPEST => return type_of(inner.split(',').next().unwrap_or(inner), depth + 1),
        "null" | "none" => "null",
        _ => "string",
    };
    let mut schema = Map::from_iter([("type".to_owned(), json!(kind))]);
    if kind == "array" && depth < DEEPEST {
        let of = inner.split([',', '.']).next().unwrap_or(inner).trim();
        let items =
            if of.is_empty() { Map::new() } else { type_of(if inner.contains('[') { inner } else { of }, depth + 1) };
        if !items.is_empty() {
            schema.insert("items".to_owned(), Json::Object(items));
        }
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_types_become_schemas() {
        for (text, schema) in [
            ("str, optional", json!({"type": "string"})),
            ("dict", json!({"type": "object"})),
            ("tuple", json!({"type": "array"})),
            ("List[int]", json!({"type": "array", "items": {"type": "integer"}})),
            ("List[List[float]]", json!({"type": "array", "items": {"type": "array", "items": {"type": "number"}}})),
            ("Optional[bool]", json!({"type": "boolean"})),
            ("Union[int, str]", json!({"type": "integer"})),
            ("Tuple[int, ...]", json!({"type": "array", "items": {"type": "integer"}})),
            ("any", json!({"type": "string"})),
            ("whatever", json!({"type": "string"})),
        ] {
            assert_eq!(Json::Object(type_of(text, 0)), schema, "{text}");
        }
        assert!(!type_of(&"Optional[".repeat(1000), 0).is_empty());
    }

    #[test]
    fn flat_parameters_become_a_schema() {
        let stated = json!({"city": {"type": "str", "description": "City"}, "days": {"type": "int, optional", "default": 3}, "note": {"type": "str", "default": ""}});
        assert_eq!(
            parameters(&stated),
            json!({"type": "object", "properties": {"city": {"type": "string", "description": "City"}, "days": {"type": "integer", "default": 3},
                "note": {"type": "string"}}, "required": ["city"]})
        );
    }

    #[test]
    fn schemas_are_respelt_all_the_way_down() {
        let stated = json!({"type": "dict", "properties": {"a": {"type": "dict", "properties": {"b": {"type": "float"}}}, "c": {"type": "array", "items": {"type": "tuple"}}}, "required": ["a"]});
        assert_eq!(
            parameters(&stated),
            json!({"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "number"}}}, "c": {"type": "array", "items": {"type": "array"}}}, "required": ["a"]})
        );
        assert_eq!(parameters(&Json::Null), json!({"type": "object", "properties": {}}));
        assert_eq!(parameters(&json!({})), json!({}));
    }
}
