//! Answers a call in the place of an API: by the schema of what the function returns.

use super::Grammar;
use crate::llm::SimulateVariables;
use crate::record::Chance;
use serde_json::{Map, Value as Json};

/// Most elements of a list.
const ELEMENTS: usize = 3;

impl Grammar {
    /// JSON of the form that the function returns; fields that are called as an argument say what the argument said.
    pub(super) fn simulate_text(&self, variables: &SimulateVariables, chance: &mut Chance) -> String {
        let arguments = Json::Object(
            variables.call.arguments.iter().map(|(name, value)| (name.clone(), Json::from(value))).collect(),
        );
        match &variables.returns {
            Some(schema) => self.by_schema("", schema, &arguments, chance).to_string(),
            None => arguments.to_string(),
        }
    }

    fn by_schema(&self, name: &str, schema: &Json, arguments: &Json, chance: &mut Chance) -> Json {
        let properties = schema.get("properties").and_then(Json::as_object);
        if let Some(properties) = properties {
            let field =
                |(name, schema): (&String, &Json)| (name.clone(), self.by_schema(name, schema, arguments, chance));
            return Json::Object(properties.iter().map(field).collect::<Map<String, Json>>());
        }
        if let Some(items) = schema.get("items") {
            let count = 1 + chance.below(ELEMENTS);
            return Json::Array((0..count).map(|_| self.by_schema(name, items, &Json::Null, chance)).collect());
        }
        let echoed = arguments.get(name).filter(|value| has_type(value, schema));
        echoed.cloned().unwrap_or_else(|| self.field(name, schema, chance))
    }
}

/// Whether a value is of the type that a schema names, if it names one.
fn has_type(value: &Json, schema: &Json) -> bool {
    match schema.get("type").and_then(Json::as_str) {
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::Common;

    use crate::record::{FunctionCall, Tool};
    use std::sync::Arc;

    fn answer(returns: Option<&str>, arguments: &str, word: &str) -> Json {
        let returns: Option<Json> = returns.map(|schema| serde_json::from_str(schema).unwrap());
        let call = FunctionCall { name: "f".to_owned(), arguments: serde_json::from_str(arguments).unwrap() };
        let (common, tool) = (Common::default(), Arc::new(Tool::default()));
        let variables = SimulateVariables { common, tool, returns, earlier: Vec::new(), call };
        let grammar = Grammar::new(crate::fixtures::pack("en"), 7);
        let text = grammar.simulate_text(&variables, &mut Chance::of(&[word.as_bytes()]));
        serde_json::from_str(&text).unwrap()
    }

    const SCHEMA: &str = r#"{"type": "object", "properties": {"city": {"type": "string"}, "count": {"type": "integer"},
        "found": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}, "open": {"type": "boolean"}}}}}}"#;

    #[test]
    fn an_answer_keeps_to_the_schema_and_to_the_arguments() {
        let schema: Json = serde_json::from_str(SCHEMA).unwrap();
        for word in ["a", "b", "c", "d"] {
            let answer = answer(Some(SCHEMA), r#"{"city": "Porto", "count": "three"}"#, word);
            assert!(jsonschema::is_valid(&schema, &answer), "{answer}");
            assert_eq!(answer["city"], "Porto");
            assert!((1..=ELEMENTS).contains(&answer["found"].as_array().unwrap().len()));
        }
    }

    #[test]
    fn without_a_schema_the_arguments_come_back() {
        assert_eq!(answer(None, r#"{"a": 1}"#, "x"), serde_json::json!({"a": 1}));
        assert!(answer(Some(r#"{"type": "array", "items": {"type": "number"}}"#), "{}", "x").is_array());
    }
}
