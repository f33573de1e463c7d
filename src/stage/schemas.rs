//! JSON Schemas of answers, drawn up for one question: a server that holds to them cannot name what does not exist.

use crate::llm::{AskedArgument, AskedCall};
use crate::record::{PLACEHOLDER, Saying, Tool};
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

/// A written query: exactly the wanted parameters, each with the type that the tool declares.
pub(super) fn written(tool: &Tool, preset: &[String]) -> Arc<Json> {
    let mut arguments = arguments(tool, |name| preset.iter().any(|wanted| wanted == name));
    arguments["required"] = Json::from(preset.to_vec());
    Arc::new(object(&[("parameters", arguments), ("query", json!({"type": "string"}))]))
}

/// A choice of `count` parameters of the tool.
pub(super) fn selected(tool: &Tool, count: usize) -> Arc<Json> {
    let names: Vec<&String> = tool.parameters.properties.keys().collect();
    Arc::new(object(&[
        ("thoughts", json!({"type": "string"})),
        (
            "parameters",
            json!({"type": "array", "items": {"type": "string", "enum": names}, "minItems": count, "maxItems": count}),
        ),
    ]))
}

/// A call of the tool with declared arguments, or the sentence that refuses in the place of its name.
pub(super) fn call(tool: &Tool, refusal: &str) -> Arc<Json> {
    let name = json!({"type": "string", "enum": [tool.name, refusal]});
    Arc::new(object(&[("name", name), ("parameters", arguments(tool, |_| true))]))
}

/// A call of one of the tools, or words with what is done by them.
pub(super) fn action(tools: &[Arc<Tool>], acts: &[String]) -> Arc<Json> {
    let call = |tool: &Arc<Tool>| {
        let mut arguments = arguments(tool, |_| true);
        arguments["required"] = Json::from(tool.parameters.required.clone());
        object(&[("name", json!({"const": tool.name})), ("arguments", arguments)])
    };
    let acts = json!({"type": "array", "items": {"type": "string", "enum": acts}, "minItems": 1});
    let say = object(&[("text", json!({"type": "string"})), ("acts", acts)]);
    let either: Vec<Json> = tools.iter().map(call).chain([say]).collect();
    Arc::new(object(&[("action", json!({"anyOf": either}))]))
}

/// A query alone.
pub(super) fn query() -> Arc<Json> {
    Arc::new(object(&[("query", json!({"type": "string"}))]))
}

/// A question with the arguments of each call: the planned values alone, and a placeholder where none is settled.
pub(super) fn asked(calls: &[AskedCall]) -> Arc<Json> {
    let arguments: Vec<Json> = calls.iter().map(asked_arguments).collect();
    let count = calls.len();
    let number = json!({"type": "integer", "minimum": 1, "maximum": count});
    Arc::new(object(&[
        ("parameters", json!({"type": "array", "prefixItems": arguments, "minItems": count, "maxItems": count})),
        ("mentions", json!({"type": "array", "items": number, "minItems": count, "maxItems": count})),
        ("question", json!({"type": "string"})),
    ]))
}

fn asked_arguments(call: &AskedCall) -> Json {
    let value = |name: &str, argument: &AskedArgument| match &argument.saying {
        Saying::Open | Saying::Unsaid | Saying::Answer { .. } => json!({"const": PLACEHOLDER}),
        Saying::Chosen => arguments(&call.tool, |it| it == name)["properties"][name].clone(),
        _ => json!({"const": argument.value}),
    };
    let properties: Map<String, Json> =
        call.arguments.iter().map(|(name, argument)| (name.clone(), value(name, argument))).collect();
    let required: Vec<&String> = call.arguments.keys().collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// The arguments of a tool, none of them required.
fn arguments(tool: &Tool, wanted: impl Fn(&str) -> bool) -> Json {
    let parameters = tool.parameters.properties.iter().filter(|(name, _)| wanted(name));
    let properties: Map<String, Json> = parameters
        .map(|(name, parameter)| {
            let mut schema = Map::from_iter([("type".to_owned(), Json::from(parameter.type_name()))]);
            if let Some(values) = &parameter.values {
                schema.insert("enum".to_owned(), Json::from(values.clone()));
            }
            (name.clone(), Json::Object(schema))
        })
        .collect();
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

/// An object of exactly these fields.
fn object<const N: usize>(fields: &[(&str, Json); N]) -> Json {
    let required: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let properties: Map<String, Json> =
        fields.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool() -> Tool {
        serde_json::from_str(
            r#"{"name": "a.b.c", "parameters": {"properties": {"city": {"type": "string"}, "n": {"type": "integer"},
                "mode": {"type": "string", "enum": ["x", "y"]}}}}"#,
        )
        .unwrap()
    }

    fn accepts(schema: &Json, answer: &str) -> bool {
        jsonschema::validator_for(schema).unwrap().is_valid(&serde_json::from_str(answer).unwrap())
    }

    #[test]
    fn a_written_query_names_the_wanted_parameters_and_no_others() {
        let schema = written(&tool(), &["city".to_owned(), "mode".to_owned()]);
        assert!(accepts(&schema, r#"{"parameters": {"city": "Porto", "mode": "x"}, "query": "q"}"#));
        assert!(!accepts(&schema, r#"{"parameters": {"city": "Porto"}, "query": "q"}"#));
        assert!(!accepts(&schema, r#"{"parameters": {"city": "Porto", "mode": "z"}, "query": "q"}"#));
        assert!(!accepts(&schema, r#"{"parameters": {"city": "Porto", "mode": "x", "n": 1}, "query": "q"}"#));
    }

    #[test]
    fn a_choice_has_the_wanted_number_of_declared_names() {
        let schema = selected(&tool(), 2);
        assert!(accepts(&schema, r#"{"thoughts": "t", "parameters": ["city", "n"]}"#));
        assert!(!accepts(&schema, r#"{"thoughts": "t", "parameters": ["city"]}"#));
        assert!(!accepts(&schema, r#"{"thoughts": "t", "parameters": ["city", "town"]}"#));
    }

    #[test]
    fn a_call_names_an_offered_tool_or_refuses() {
        let schema = call(&tool(), "Sorry, none.");
        assert!(accepts(&schema, r#"{"name": "a.b.c", "parameters": {"city": "Porto"}}"#));
        assert!(accepts(&schema, r#"{"name": "Sorry, none.", "parameters": {}}"#));
        assert!(!accepts(&schema, r#"{"name": "else", "parameters": {}}"#));
        assert!(!accepts(&schema, r#"{"name": "a.b.c", "parameters": {"town": "Porto"}}"#));
    }
}
