//! Tools as BFCL describes them: its own words for types, and elements that are always described.

use crate::record::{Parameter, Parameters, Tool, Value};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

/// Fields of a schema that hold one schema each.
const ONE: [&str; 3] = ["items", "additionalProperties", "not"];
/// Fields that hold a list of schemas.
const LIST: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];

/// A tool's description in BFCL's words.
pub fn function_of(tool: &Tool) -> Value {
    let parameters = in_bfcl(serde_json::to_value(&tool.parameters).unwrap_or_default());
    json!({"name": tool.name, "description": tool.description, "parameters": parameters}).into()
}

/// The parameters of a function that BFCL describes, in JSON Schema's words. What may be anything has no type; what is no
/// schema is left out.
pub(super) fn parameters_of(parameters: &Value) -> Parameters {
    let schema = in_json_schema(parameters.into());
    let properties = schema.get("properties").and_then(Json::as_object).into_iter().flatten();
    let required = schema.get("required").and_then(Json::as_array).into_iter().flatten();
    let parameter = |(name, schema): (&String, &Json)| Some((name.clone(), Parameter::deserialize(schema).ok()?));
    Parameters {
        properties: properties.filter_map(parameter).collect(),
        required: required.filter_map(|name| name.as_str().map(str::to_owned)).collect(),
        ..Parameters::default()
    }
}

/// A schema in BFCL's words at every depth.
fn in_bfcl(schema: Json) -> Json {
    let Json::Object(fields) = each_schema(schema, &in_bfcl) else { return json!({"type": "any"}) };
    let word = word(&fields);
    let mut made: Map<String, Json> = [("type".to_owned(), Json::from(word))].into_iter().collect();
    made.extend(fields.into_iter().filter(|(name, _)| name != "type"));
    if word == "array" && !made.get("items").is_some_and(Json::is_object) {
        made.insert("items".to_owned(), json!({"type": "any"}));
    }
    Json::Object(made)
}

/// BFCL's word for a schema's type; where it names none, what its other fields show.
fn word(fields: &Map<String, Json>) -> &'static str {
    let named = match fields.get("type") {
        Some(Json::String(name)) => Some(name.as_str()),
        Some(Json::Array(names)) => names.iter().filter_map(Json::as_str).find(|name| *name != "null"),
        _ => None,
    };
    match named {
        Some("string") => "string",
        Some("integer") => "integer",
        Some("number" | "float") => "float",
        Some("boolean") => "boolean",
        Some("array") => "array",
        Some("tuple") => "tuple",
        Some("object" | "dict") => "dict",
        Some(_) => "any",
        None if fields.contains_key("properties") => "dict",
        None if fields.contains_key("items") => "array",
        None => listed(fields).unwrap_or("any"),
    }
}

/// The word for the type of all listed values.
fn listed(fields: &Map<String, Json>) -> Option<&'static str> {
    let values = fields.get("enum")?.as_array()?;
    let is = |holds: fn(&Json) -> bool| !values.is_empty() && values.iter().all(holds);
    match () {
        () if is(Json::is_string) => Some("string"),
        () if is(|it| it.is_i64() || it.is_u64()) => Some("integer"),
        () if is(Json::is_number) => Some("float"),
        () if is(Json::is_boolean) => Some("boolean"),
        () => None,
    }
}

/// A schema in JSON Schema's words at every depth.
fn in_json_schema(schema: Json) -> Json {
    let mut fields = match each_schema(schema, &in_json_schema) {
        Json::Object(fields) => fields,
        other => return other,
    };
    match fields.get("type").and_then(Json::as_str) {
        Some("dict") => drop(fields.insert("type".to_owned(), "object".into())),
        Some("float") => drop(fields.insert("type".to_owned(), "number".into())),
        Some("tuple") => drop(fields.insert("type".to_owned(), "array".into())),
        Some("any") => drop(fields.shift_remove("type")),
        _ => {}
    }
    Json::Object(fields)
}

/// Changes the schemas that stand in a schema. A parameter may be called `type` or `items`: only a schema's own fields count.
fn each_schema(schema: Json, change: &dyn Fn(Json) -> Json) -> Json {
    let Json::Object(fields) = schema else { return schema };
    let changed = |(name, value): (String, Json)| {
        let value = match value {
            Json::Object(inner) if name == "properties" => {
                Json::Object(inner.into_iter().map(|(name, schema)| (name, change(schema))).collect())
            }
            Json::Object(_) if ONE.contains(&name.as_str()) => change(value),
            Json::Array(list) if LIST.contains(&name.as_str()) => list.into_iter().map(change).collect(),
            value => value,
        };
        (name, value)
    };
    Json::Object(fields.into_iter().map(changed).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(properties: &Json) -> Tool {
        let tool =
            json!({"name": "a.f", "description": "d", "parameters": {"properties": properties, "required": ["n"]}});
        serde_json::from_value(tool).unwrap()
    }

    fn described(properties: &Json) -> Json {
        let function = Json::from(&function_of(&tool(properties)));
        assert_eq!((&function["name"], &function["parameters"]["type"]), (&json!("a.f"), &json!("dict")));
        function["parameters"]["properties"].clone()
    }

    #[test]
    fn types_are_said_in_bfcls_words_at_every_depth() {
        let properties = json!({
            "n": {"type": "number", "minimum": 0},
            "o": {"type": ["object", "null"], "properties": {"type": {"type": "number"}, "items": {"type": "string"}}},
            "l": {"type": "array", "items": {"type": "array", "items": {"type": "object"}}},
        });
        assert_eq!(
            described(&properties),
            json!({
                "n": {"type": "float", "minimum": 0},
                "o": {"type": "dict", "properties": {"type": {"type": "float"}, "items": {"type": "string"}}},
                "l": {"type": "array", "items": {"type": "array", "items": {"type": "dict"}}},
            })
        );
    }

    #[test]
    fn elements_are_always_described_and_what_has_no_type_gets_one() {
        let properties = json!({
            "l": {"type": "array"}, "any": {}, "odd": {"type": "money"},
            "s": {"enum": ["a", "b"]}, "i": {"enum": [1, 2]}, "f": {"enum": [1, 2.5]}, "b": {"enum": [true]}, "m": {"enum": [1, "a"]},
            "d": {"properties": {"k": {"type": "integer"}}},
        });
        let described = described(&properties);
        assert_eq!(described["l"], json!({"type": "array", "items": {"type": "any"}}));
        let words: Vec<&str> =
            described.as_object().unwrap().values().map(|schema| schema["type"].as_str().unwrap()).collect();
        assert_eq!(words, ["array", "any", "any", "string", "integer", "float", "boolean", "any", "dict"]);
    }

    #[test]
    fn what_was_described_is_read_back() {
        let properties = json!({
            "n": {"type": "number", "description": "how much"},
            "description": {"type": "object", "properties": {"default": {"type": "number"}}},
            "l": {"type": "array", "items": {"type": "object"}},
        });
        let tool = tool(&properties);
        let function = function_of(&tool);
        let parameters = function.as_object().unwrap().get("parameters").unwrap();
        assert_eq!(parameters_of(parameters), tool.parameters);
        assert_eq!(parameters_of(&Value::Null), Parameters::default());
        let odd = Value::from(json!({"properties": {"a": {"type": "string"}, "b": 5, "c": {"description": 5}}}));
        assert_eq!(parameters_of(&odd).properties.keys().collect::<Vec<_>>(), ["a"]);
    }
}
