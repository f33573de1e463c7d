//! Fills a row for the general stage: values by the schema's fields, since the built-in model cannot read a prompt.

use super::Grammar;
use super::arguments::{draw_argument, guess_kind};
use crate::record::{Chance, Object, Parameter, Tool};
use serde_json::{Map, Value as Json};

impl Grammar {
    /// A JSON object with a value for every property of `schema`; without a schema, the row comes back as it is.
    pub(super) fn row_text(&self, fields: &Object, schema: Option<&Json>, chance: &mut Chance) -> String {
        let Some(properties) = schema.and_then(|schema| schema.get("properties")).and_then(Json::as_object) else {
            return serde_json::to_string(fields).unwrap_or_default();
        };
        let mut row = Map::new();
        for (name, schema) in properties {
            row.insert(name.clone(), self.field(name, schema, chance));
        }
        Json::Object(row).to_string()
    }

    pub(super) fn field(&self, name: &str, schema: &Json, chance: &mut Chance) -> Json {
        let parameter: Parameter = serde_json::from_value(schema.clone()).unwrap_or_default();
        match parameter.type_name() {
            "array" => {
                let item = schema.get("items").cloned().unwrap_or_default();
                Json::Array(vec![self.field(name, &item, chance)])
            }
            "object" => {
                let inner = schema.get("properties").and_then(Json::as_object).into_iter().flatten();
                Json::Object(inner.map(|(name, schema)| (name.clone(), self.field(name, schema, chance))).collect())
            }
            _ => {
                let mut tool = Tool::default();
                tool.kinds.insert(name.to_owned(), guess_kind(&self.pack, name, &parameter));
                Json::from(&draw_argument(&self.pack, &tool, name, &parameter, chance).value)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_property_gets_a_value_of_its_type() {
        let schema: Json = serde_json::from_str(
            r#"{"properties": {"city": {"type": "string"}, "guests": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}}}}"#,
        )
        .unwrap();
        let grammar = Grammar::new(crate::fixtures::pack("en"), 7);
        let text = grammar.row_text(&Object::new(), Some(&schema), &mut Chance::of(&[b"row"]));
        let row: Json = serde_json::from_str(&text).unwrap();
        assert!(row["city"].is_string() && row["guests"].is_i64() && row["tags"][0].is_string(), "{text}");
    }
}
