//! Whether values and gold calls obey the JSON Schema of their tool (2020-12, formats asserted).

use super::call::FunctionCall;
use super::item::Record;
use super::request::question::PLACEHOLDER;
use super::sample::{Expected, Sample};
use super::tool::{Parameter, Tool};
use super::value::Value;
use jsonschema::Validator;
use regex::Regex;
use serde_json::Value as Json;
use std::sync::{Arc, LazyLock};

/// Keywords that describe a value and constrain nothing.
const ANNOTATIONS: [&str; 9] =
    ["default", "example", "examples", "title", "$comment", "deprecated", "readOnly", "writeOnly", "nullable"];

/// How a value breaks its parameter's schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// It is none of the listed values.
    #[error("{0} is not listed")]
    Unlisted(String),
    /// It is of none of the declared types.
    #[error("{value} is no {expected}")]
    Type {
        /// The value, as JSON.
        value: String,
        /// The declared type.
        expected: String,
    },
    /// It breaks another keyword, here or within: what was expected, with the path.
    #[error("{0}")]
    Keyword(String),
}

impl Parameter {
    /// Checks a value against the schema: the list of values, the types, and every other keyword (pattern, range,
    /// lengths, format, elements, fields). An empty text says nothing and is no value; what is left open within a value
    /// (`$$$`) is of any form.
    pub fn check(&self, value: &Value) -> Result<(), Violation> {
        if let Some(values) = &self.values {
            if !values.iter().any(|listed| Value::from(listed.clone()).equals(value)) {
                return Err(Violation::Unlisted(value.to_string()));
            }
        } else if !self.type_names().any(|kind| is_of_type(kind, value)) {
            return Err(Violation::Type { value: value.to_string(), expected: self.type_name().to_owned() });
        }
        self.check_keywords(value)
    }

    /// The keywords beside type and list. A schema that is not JSON Schema judges nothing.
    fn check_keywords(&self, value: &Value) -> Result<(), Violation> {
        let is_annotation = |key: &String| ANNOTATIONS.contains(&key.as_str()) || key.starts_with("x-");
        // Compiling a schema takes longer than comparing with it, and most have no such keyword.
        if self.more.keys().all(is_annotation) {
            return Ok(());
        }
        let Ok(validator) = self.validator() else { return Ok(()) };
        let instance = Json::from(value);
        let Some(fault) = validator.iter_errors(&instance).find(|fault| !is_open(fault.instance())) else {
            return Ok(());
        };
        let path = fault.instance_path().as_str();
        Err(Violation::Keyword(if path.is_empty() { fault.to_string() } else { format!("{fault} at `{path}`") }))
    }

    /// The compiled schema, or why it is not JSON Schema.
    pub fn validator(&self) -> Result<Validator, String> {
        let schema = serde_json::to_value(self).map_err(|error| error.to_string())?;
        let options = jsonschema::draft202012::options()
            .should_validate_formats(true)
            .with_format("time", |text: &str| TIME.as_ref().is_none_or(|time| time.is_match(text)));
        options.build(&schema).map_err(|error| error.to_string())
    }
}

impl Tool {
    /// The first way in which a call of it breaks its schema, with the place. A partial call may lack what is required.
    pub fn violation(&self, call: &FunctionCall, is_partial: bool) -> Option<String> {
        let lacks = |name: &&String| !call.arguments.contains_key(*name);
        let missing = self.parameters.required.iter().find(lacks).filter(|_| !is_partial);
        let missing = missing.map(|name| format!("`{name}` is required and not given"));
        let wrong = || {
            let mut given = call.arguments.iter().filter(|(_, value)| value.as_str() != Some(PLACEHOLDER));
            given.find_map(|(name, value)| match self.parameters.properties.get(name) {
                Some(parameter) => parameter.check(value).err().map(|violation| format!("`{name}`: {violation}")),
                None => Some(format!("`{name}` is not declared")),
            })
        };
        missing.or_else(wrong)
    }
}

impl Sample {
    /// The first way in which a gold call breaks the schema of its tool as the sample shows it. Where calls may be
    /// partial (HammerBench's snapshots), one may lack what is required.
    pub fn gold_violation(&self, is_partial: bool) -> Option<String> {
        let calls: Vec<&FunctionCall> = match &self.expected {
            Expected::Call(call) => vec![call],
            Expected::Steps(steps) => steps.iter().flat_map(|step| &step.calls).collect(),
            _ => Vec::new(),
        };
        first_violation(&self.candidates, calls, is_partial)
    }
}

impl Record {
    /// The same of a sample, or of the calls of a whole dialogue, each of which is a snapshot.
    pub fn gold_violation(&self, is_partial: bool) -> Option<String> {
        match self {
            Self::Sample(sample) => sample.gold_violation(is_partial),
            Self::Dialogue(dialogue) => {
                let calls = dialogue.turns.iter().filter_map(|turn| turn.call.as_ref());
                first_violation(&dialogue.frame.candidates, calls, true)
            }
            _ => None,
        }
    }
}

fn first_violation<'c>(
    tools: &[Arc<Tool>],
    calls: impl IntoIterator<Item = &'c FunctionCall>,
    is_partial: bool,
) -> Option<String> {
    calls.into_iter().find_map(|call| {
        let tool = tools.iter().find(|tool| tool.name == call.name)?;
        Some(format!("{}: {}", call.name, tool.violation(call, is_partial)?))
    })
}

/// A time of day as RFC 3339 has it; most APIs take the local one, so that its offset may be left out.
static TIME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)?$").ok()
});

fn is_of_type(kind: &str, value: &Value) -> bool {
    match kind {
        "string" => value.as_str().is_some_and(|text| !text.trim().is_empty()),
        "integer" => value.as_number().is_some_and(|number| number.as_f64().fract() == 0.0),
        "number" | "float" => value.as_number().is_some(),
        "boolean" => value.as_bool().is_some(),
        "array" => value.as_list().is_some(),
        "object" => value.as_object().is_some(),
        _ => true,
    }
}

/// Whether a placeholder stands in it.
fn is_open(instance: &Json) -> bool {
    match instance {
        Json::String(text) => text == PLACEHOLDER,
        Json::Array(list) => list.iter().any(is_open),
        Json::Object(fields) => fields.values().any(is_open),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn violation(schema: Json, value: Json) -> Option<String> {
        let parameter: Parameter = serde_json::from_value(schema).unwrap();
        parameter.check(&Value::from(value)).err().map(|violation| violation.to_string())
    }

    #[test]
    fn every_keyword_is_asserted() {
        for (schema, good, bad) in [
            (json!({"type": "string", "pattern": "^[A-Z]{2}-\\d+$"}), json!("AB-7"), json!("AB7")),
            (json!({"type": "string", "maxLength": 2}), json!("DE"), json!("Germany")),
            (json!({"type": "string", "format": "date"}), json!("2026-02-28"), json!("2026-02-30")),
            (json!({"type": "string", "format": "time"}), json!("09:30:00"), json!("9:30")),
            (json!({"type": "string", "format": "time"}), json!("09:30:00+09:00"), json!("25:30:00Z")),
            (json!({"type": "string", "format": "email"}), json!("a@b.example"), json!("a at b")),
            (json!({"type": "number", "maximum": 70}), json!(70), json!(89.3)),
            (json!({"type": "number", "multipleOf": 0.5}), json!(1.5), json!(1.3)),
            (json!({"type": "array", "minItems": 1, "items": {"type": "object"}}), json!([{}]), json!(["a"])),
            (json!({"type": "array", "uniqueItems": true}), json!([1, 2]), json!([1, 1])),
            (
                json!({"type": "object", "properties": {"kg": {"type": "number", "minimum": 1}}, "required": ["kg"]}),
                json!({"kg": 2}),
                json!({"kg": 0}),
            ),
            (
                json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false}),
                json!({"a": 1}),
                json!({"b": 1}),
            ),
            (json!({"type": ["integer", "string"], "minimum": 3, "minLength": 2}), json!("ab"), json!(2)),
            (json!({"type": "string", "enum": ["a", "b"]}), json!("a"), json!("c")),
            (json!({"type": "integer"}), json!(3.0), json!(3.5)),
        ] {
            assert_eq!(violation(schema.clone(), good), None, "{schema}");
            assert!(violation(schema.clone(), bad).is_some(), "{schema}");
        }
    }

    #[test]
    fn a_violation_has_its_path() {
        let schema = json!({"type": "object", "properties": {"parcels": {"type": "array", "items": {"type": "object",
            "properties": {"kg": {"type": "number", "maximum": 70}}}}}});
        let found = violation(schema, json!({"parcels": [{"kg": 3}, {"kg": 89.5}]})).unwrap();
        assert_eq!(found, "89.5 is greater than the maximum of 70 at `/parcels/1/kg`");
    }

    #[test]
    fn what_is_left_open_is_of_any_form() {
        let schema = json!({"type": "object", "properties": {"on": {"type": "string", "format": "date"}}});
        assert_eq!(violation(schema.clone(), json!({"on": "$$$"})), None);
        assert!(violation(schema, json!({"on": "soon"})).is_some());
    }

    #[test]
    fn a_schema_that_is_none_judges_nothing() {
        let schema = json!({"type": "array", "items": {"type": "float"}});
        assert_eq!(violation(schema.clone(), json!([1])), None);
        assert!(serde_json::from_value::<Parameter>(schema).unwrap().validator().is_err());
    }

    #[test]
    fn a_call_obeys_its_tool_whole_unless_it_is_partial() {
        let tool: Tool = serde_json::from_value(json!({"name": "send", "parameters": {"required": ["to", "kg"],
            "properties": {"to": {"type": "string", "maxLength": 2}, "kg": {"type": "number"}}}}))
        .unwrap();
        let violation = |arguments: Json, is_partial: bool| {
            let arguments = serde_json::from_value(arguments).unwrap();
            tool.violation(&FunctionCall { name: "send".to_owned(), arguments }, is_partial)
        };
        assert_eq!(violation(json!({"to": "DE", "kg": 2}), false), None);
        assert_eq!(violation(json!({"to": "DE"}), true), None);
        assert_eq!(violation(json!({"to": "$$$", "kg": "$$$"}), false), None);
        assert_eq!(violation(json!({"to": "DE"}), false).unwrap(), "`kg` is required and not given");
        assert_eq!(violation(json!({"by": "sea"}), true).unwrap(), "`by` is not declared");
        assert_eq!(violation(json!({"kg": "2"}), true).unwrap(), "`kg`: \"2\" is no number");
        let long = violation(json!({"to": "Germany"}), true).unwrap();
        assert_eq!(long, "`to`: \"Germany\" is longer than 2 characters");
    }
}
