//! The JSON Schema of a pipeline file, for editors that complete and check as people type.

use super::declared::COMMON_KEYS;
use super::pipeline::PipelineConfig;
use crate::live::WorldConfig;
use crate::llm::ModelConfig;
use crate::suite::STAGES;
use schemars::schema_for;
use serde_json::{Map, Value, json};

/// The JSON Schema of a whole pipeline file.
pub fn pipeline_schema() -> Value {
    let mut definitions = Map::new();
    let pipeline = part(schema_for!(PipelineConfig).to_value(), &mut definitions);
    let model = part(schema_for!(ModelConfig).to_value(), &mut definitions);
    let world = part(schema_for!(WorldConfig).to_value(), &mut definitions);
    let stages: Vec<Value> =
        STAGES.iter().map(|it| stage(it.kind, part((it.schema)().to_value(), &mut definitions))).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "fcgen pipeline",
        "type": "object",
        "properties": {
            "pipeline": pipeline,
            "model": {
                "description": "The model of a role: `generator`, `checker`, `judge`, or a role that a stage refers to.",
                "type": "object",
                "additionalProperties": model,
            },
            "world": {
                "description": "The server of a live toolset: one table per toolset, by its name.",
                "type": "object",
                "additionalProperties": world,
            },
            "stage": { "type": "array", "minItems": 1, "items": { "oneOf": stages } },
        },
        "required": ["stage"],
        "additionalProperties": false,
        "$defs": definitions,
    })
}

/// A part of the whole: what it defines moves to the whole's own definitions.
fn part(mut schema: Value, definitions: &mut Map<String, Value>) -> Value {
    if let Some(object) = schema.as_object_mut() {
        object.shift_remove("$schema");
        object.shift_remove("title");
        if let Some(Value::Object(own)) = object.shift_remove("$defs") {
            definitions.extend(own);
        }
    }
    schema
}

/// A kind's schema with the keys that all kinds share.
fn stage(kind: &str, mut schema: Value) -> Value {
    let mut properties = Map::new();
    properties.extend(COMMON_KEYS.iter().map(|key| ((*key).to_owned(), common(key, kind))));
    let Some(object) = schema.as_object_mut() else { return schema };
    if let Some(Value::Object(own)) = object.shift_remove("properties") {
        properties.extend(own);
    }
    let mut required = vec![json!("kind")];
    if let Some(Value::Array(own)) = object.shift_remove("required") {
        required.extend(own);
    }
    object.insert("title".to_owned(), json!(kind));
    object.insert("properties".to_owned(), Value::Object(properties));
    object.insert("required".to_owned(), Value::Array(required));
    schema
}

fn common(key: &str, kind: &str) -> Value {
    match key {
        "kind" => json!({ "description": "The kind of stage.", "const": kind }),
        "from" => json!({
            "description": "Names of the stages to read from; default: the previous stage.",
            "type": "array", "items": { "type": "string" }, "minItems": 1,
        }),
        "model" => json!({
            "description": "The role of the model to use, for stages that use a model: a `[model.ROLE]` table.",
            "type": "string",
        }),
        _ => json!({
            "description": "Unique name of the stage, part of every id; default: its kind.",
            "type": "string",
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOUND: &str = "[pipeline]\nseed = 7\n[model.judge]\nprovider = \"openai\"\nprice = { input = 1 }\n\
                         [[stage]]\nkind = \"toolset\"\nname = \"a\"\npath = \"mobile\"\n\
                         [[stage]]\nkind = \"consistency\"\nfrom = [\"a\"]\naccept = \"both\"";

    fn accepts(text: &str) -> bool {
        let instance: Value = toml::from_str(text).unwrap();
        jsonschema::validator_for(&pipeline_schema()).unwrap().is_valid(&instance)
    }

    #[test]
    fn a_sound_file_is_accepted() {
        assert!(accepts(SOUND));
    }

    #[test]
    fn slips_are_refused() {
        for (right, wrong) in [
            ("path", "pth"),
            ("\"both\"", "\"all\""),
            ("toolset", "tolset"),
            ("[pipeline]", "[pipe]"),
            ("seed = 7", "seed = -7"),
        ] {
            assert!(!accepts(&SOUND.replace(right, wrong)), "{wrong}");
        }
    }

    #[test]
    fn the_checked_in_schema_is_current() {
        let current = serde_json::to_string_pretty(&pipeline_schema()).unwrap() + "\n";
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/pipelines/schema.json");
        let stored = std::fs::read_to_string(path).unwrap_or_default();
        let way_out = "run `cargo run -- schema pipeline > pipelines/schema.json`";
        assert!(stored == current, "pipelines/schema.json is stale: {way_out}");
    }
}
