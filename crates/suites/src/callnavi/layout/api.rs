//! An API as the authors declare it, and its schema.

use super::declared::Declared;
use super::folder::bare;
use crate::record::{Parameter, Parameters, Tool};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

/// `Dataset/APIs/<domain>.json`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ApiFile {
    /// The APIs of the domain.
    pub api_ports: Vec<Api>,
}

/// One API.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Api {
    /// Its name, unique within the domain.
    pub name: String,
    /// What it takes.
    #[serde(default)]
    pub parameters: Declared,
    /// What it does.
    #[serde(default)]
    pub description: String,
    /// What it answers with.
    #[serde(rename = "returnParameter", default)]
    pub returns: Declared,
}

/// One API of `Dataset/APISchema/<domain>.json`, which is a list of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ApiSchema {
    /// Its name.
    pub name: String,
    /// The JSON Schema of what it takes.
    pub parameters: ParameterSchema,
    /// What it does.
    #[serde(default)]
    pub description: String,
    /// What it answers with, always with types.
    #[serde(rename = "returnParameter", default)]
    pub returns: Declared,
}

/// A JSON Schema. The authors' are inferred by a machine: every leaf is a `string`, and a list of names has lost its names.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ParameterSchema {
    /// The version of JSON Schema.
    #[serde(rename = "$schema", default)]
    pub version: String,
    /// `object`; `array` in `telecommunications`.
    #[serde(rename = "type", default)]
    pub kind: String,
    /// The parameters; absent where there are none.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub properties: IndexMap<String, Parameter>,
    /// Names of the parameters that a call must give, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<String>,
    /// What stands in a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<Json>,
}

/// The version that the authors name.
const VERSION: &str = "http://json-schema.org/schema#";

impl Api {
    /// A tool of a domain in the authors' words.
    pub fn of(tool: &Tool, domain: &str) -> Self {
        Self {
            name: bare(&tool.name, domain).to_owned(),
            parameters: Declared::of(&tool.parameters.properties),
            description: tool.description.clone(),
            returns: returns(tool),
        }
    }

    /// The API as a tool, with what is known of its types. The schema tells more where it speaks of the same types.
    pub fn tool(&self, schema: Option<&ApiSchema>) -> Tool {
        let mut properties = self.parameters.parameters();
        let schema = schema.map(|schema| &schema.parameters).filter(|schema| knows(schema, &properties));
        let mut required: Vec<String> = properties.keys().cloned().collect();
        if let Some(schema) = schema {
            required.retain(|name| schema.required.contains(name));
            for (name, parameter) in &mut properties {
                schema.properties.get(name).into_iter().for_each(|more| enrich(parameter, more));
            }
        }
        Tool {
            name: self.name.clone(),
            description: self.description.clone(),
            parameters: Parameters { properties, required, ..Parameters::default() },
            returns: Some(json!({"type": "object", "properties": self.returns.parameters()})),
            ..Tool::default()
        }
    }
}

impl ApiSchema {
    /// The schema of a tool of a domain: with its types, its listed values, and what a call must give.
    pub fn of(tool: &Tool, domain: &str) -> Self {
        let Parameters { properties, required, .. } = &tool.parameters;
        let mut required = required.clone();
        required.sort();
        Self {
            name: bare(&tool.name, domain).to_owned(),
            parameters: ParameterSchema {
                version: VERSION.to_owned(),
                kind: "object".to_owned(),
                properties: properties.clone(),
                required,
                items: None,
            },
            description: tool.description.clone(),
            returns: returns(tool),
        }
    }
}

/// What a tool declares of its answer: the types of its fields.
fn returns(tool: &Tool) -> Declared {
    let schema = tool.returns.as_ref();
    let fields = schema.and_then(|schema| schema.get("properties")).cloned();
    let fields = fields.and_then(|fields| serde_json::from_value::<IndexMap<String, Parameter>>(fields).ok());
    Declared::of(&fields.unwrap_or_default())
}

/// Whether a schema speaks of these parameters.
fn knows(schema: &ParameterSchema, properties: &IndexMap<String, Parameter>) -> bool {
    schema.properties.len() == properties.len() && properties.keys().all(|name| schema.properties.contains_key(name))
}

/// Adds what the schema says of a parameter, unless it takes it for something else.
fn enrich(parameter: &mut Parameter, more: &Parameter) {
    if parameter.kind.is_none() || parameter.type_name() != more.type_name() {
        return;
    }
    parameter.values = parameter.values.take().or_else(|| more.values.clone());
    parameter.description = more.description.clone().or(parameter.description.take());
    for (key, value) in &more.more {
        parameter.more.entry(key).or_insert_with(|| value.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::super::declared::tests::{any_declared, any_parameter};
    use super::*;
    use proptest::prelude::*;

    /// A tool of the domain `bank` whose types the authors' words can say.
    fn any_tool() -> impl Strategy<Value = Tool> {
        let parameters = prop::collection::btree_map("[a-z]{1,5}", (any_parameter(), any::<bool>()), 0..5);
        ("[a-z]{1,6}", ".{0,9}", parameters, prop::collection::btree_map("[a-z]{1,4}", any_parameter(), 0..3)).prop_map(
            |(name, description, parameters, returns)| Tool {
                name: format!("bank.{name}"),
                description,
                parameters: Parameters {
                    required: parameters.iter().filter(|(_, it)| it.1).map(|(name, _)| name.clone()).collect(),
                    properties: parameters.into_iter().map(|(name, it)| (name, it.0)).collect(),
                    ..Parameters::default()
                },
                returns: Some(json!({"type": "object", "properties": returns})),
                ..Tool::default()
            },
        )
    }

    proptest! {
        #[test]
        fn a_tool_is_the_same_when_it_comes_back(tool in any_tool()) {
            let (api, schema) = (Api::of(&tool, "bank"), ApiSchema::of(&tool, "bank"));
            let api: Api = serde_json::from_str(&serde_json::to_string(&api).unwrap()).unwrap();
            let schema: ApiSchema = serde_json::from_str(&serde_json::to_string(&schema).unwrap()).unwrap();
            let back = api.tool(Some(&schema));
            prop_assert_eq!(format!("bank.{}", back.name), tool.name);
            prop_assert_eq!(back.parameters, tool.parameters);
            prop_assert_eq!(back.returns, tool.returns);
        }

        #[test]
        fn an_api_is_written_as_it_was_read(name in ".{0,8}", parameters in any_declared(), returns in any_declared()) {
            let api = Api { name, parameters, description: "d".to_owned(), returns };
            let text = serde_json::to_string(&api).unwrap();
            prop_assert_eq!(serde_json::from_str::<Api>(&text).unwrap(), api);
        }
    }

    const TOOL: &str = r#"{"name": "bank.openAccount", "description": "Opens an account",
        "parameters": {"properties": {"type": {"type": "string", "enum": ["checking", "savings"]}, "amount": {"type": "number", "minimum": 1},
        "note": {"type": "string"}}, "required": ["type", "amount"]}, "returns": {"type": "object", "properties": {"accountId": {"type": "string"}}}}"#;

    #[test]
    fn keys_stand_in_the_authors_order() {
        let tool: Tool = serde_json::from_str(TOOL).unwrap();
        assert_eq!(
            serde_json::to_string(&Api::of(&tool, "bank")).unwrap(),
            r#"{"name":"openAccount","parameters":{"type":"checking/savings","amount":"number","note":"string"},"description":"Opens an account","returnParameter":{"accountId":"string"}}"#
        );
        assert_eq!(
            serde_json::to_string(&ApiSchema::of(&tool, "bank")).unwrap(),
            r#"{"name":"openAccount","parameters":{"$schema":"http://json-schema.org/schema#","type":"object","properties":{"type":{"type":"string","enum":["checking","savings"]},"amount":{"type":"number","minimum":1},"note":{"type":"string"}},"required":["amount","type"]},"description":"Opens an account","returnParameter":{"accountId":"string"}}"#
        );
    }

    #[test]
    fn a_schema_that_knows_nothing_changes_nothing() {
        let api = |parameters: &str| -> Api {
            serde_json::from_str(&format!(r#"{{"name": "f", "parameters": {parameters}}}"#)).unwrap()
        };
        let schema = |parameters: &str| -> ApiSchema {
            serde_json::from_str(&format!(r#"{{"name": "f", "parameters": {parameters}, "description": ""}}"#)).unwrap()
        };
        let names = api(r#"["a", "b"]"#);
        let lost = schema(r#"{"$schema": "x", "type": "array", "items": {"type": "string"}}"#);
        assert_eq!(names.tool(Some(&lost)), names.tool(None));
        assert_eq!(names.tool(None).parameters.required, ["a", "b"]);
        let typed = api(r#"{"n": "number"}"#);
        let untyped =
            schema(r#"{"type": "object", "properties": {"n": {"type": "string", "enum": ["x"]}}, "required": ["n"]}"#);
        assert_eq!(typed.tool(Some(&untyped)), typed.tool(None), "a number is no string");
    }

    #[test]
    fn an_api_may_be_no_more_than_a_name() {
        let api: Api = serde_json::from_str(r#"{"name": "ping"}"#).unwrap();
        assert_eq!((api.parameters.clone(), api.tool(None).parameters.required.len()), (Declared::none(), 0));
    }
}
