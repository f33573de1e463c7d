//! Candidate tools as the text of a prompt, in the forms that people hand their APIs to models in.
//!
//! Shown is what a model may know of a tool: name, description, parameters, what it returns. Value kinds and wordings
//! are not that.

use super::shape::{Brief, typed};
use crate::llm::write_yaml;
use crate::record::{Tool, Value};
use serde_json::{Value as Json, json};
use std::sync::Arc;

/// How candidate tools are written into a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CandidateForm {
    /// A JSON object on each line, types in the place of schemas.
    #[default]
    Json,
    /// The same as YAML.
    Yaml,
    /// A JSON object on each line, with whole JSON Schemas.
    JsonSchema,
    /// A function's signature on each line, with its description.
    Signature,
}

impl CandidateForm {
    /// The form in a word, for rows.
    pub fn word(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Yaml => "yaml",
            Self::JsonSchema => "json_schema",
            Self::Signature => "signature",
        }
    }
}

/// The tools as a text.
pub fn render(tools: &[Arc<Tool>], form: CandidateForm) -> String {
    let lines = |write: fn(&Tool) -> String| tools.iter().map(|tool| write(tool)).collect::<Vec<_>>().join("\n");
    match form {
        CandidateForm::Json => lines(|tool| brief(tool).to_string()),
        CandidateForm::Yaml => write_yaml(&Value::List(tools.iter().map(|tool| Value::from(brief(tool))).collect())),
        CandidateForm::JsonSchema => lines(|tool| whole(tool).to_string()),
        CandidateForm::Signature => lines(signature),
    }
}

fn brief(tool: &Tool) -> Json {
    let parameters = parameters(tool).into_iter().map(|(name, brief)| (name, brief.to_json())).collect();
    described(tool, &parameters, tool.returns.as_ref().map(|returns| Brief::of(returns).to_json()))
}

fn whole(tool: &Tool) -> Json {
    described(tool, &json!(tool.parameters), tool.returns.clone())
}

fn described(tool: &Tool, parameters: &Json, returns: Option<Json>) -> Json {
    let mut shown = json!({ "name": tool.name, "description": tool.description, "parameters": parameters });
    if let Some(returns) = returns {
        shown["returns"] = returns;
    }
    shown
}

/// `findTrip(from: string, to?: string) -> {tripId: string} # Finds a trip | from: where it starts`
fn signature(tool: &Tool) -> String {
    let parameters = parameters(tool);
    let returns = tool.returns.as_ref().map(|returns| format!(" -> {}", Brief::of(returns).to_type()));
    let said = parameters.iter().filter_map(|(name, brief)| Some(format!("{name}: {}", brief.description.as_ref()?)));
    let said = said.collect::<Vec<_>>().join("; ");
    let tail: Vec<&str> = [tool.description.as_str(), &said].into_iter().filter(|it| !it.is_empty()).collect();
    let head = format!("{}({}){}", tool.name, typed(&parameters), returns.unwrap_or_default());
    one_line(&if tail.is_empty() { head } else { format!("{head} # {}", tail.join(" | ")) })
}

fn parameters(tool: &Tool) -> Vec<(String, Brief)> {
    let optional = |name: &String| !tool.parameters.required.contains(name);
    let properties = tool.parameters.properties.iter();
    properties.map(|(name, it)| (name.clone(), Brief::of_parameter(it, optional(name)))).collect()
}

/// A text of several lines would look like several functions.
fn one_line(text: &str) -> String {
    text.split('\n').map(str::trim).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools() -> Vec<Arc<Tool>> {
        let text = r#"[
            {"name": "getAccount", "description": "Finds the account of a customer.", "kinds": {"customerID": "secret"},
             "parameters": {"type": "object", "properties": {"customerID": {"type": "string"}}, "required": ["customerID"]},
             "returns": {"type": "object", "properties": {"accountID": {"type": "string"}}}},
            {"name": "ship", "description": "Sends\na parcel.",
             "parameters": {"type": "object", "properties": {
                "parcel": {"type": "object", "properties": {"kg": {"type": "number"}, "sizes": {"type": "array", "items": {"type": "integer"}}}},
                "speed": {"type": "string", "enum": ["fast", "slow"], "description": "How soon"},
                "from": {"type": "string", "description": "Depot, such as DP####"}}, "required": ["parcel", "from"]}},
            {"name": "listDepots", "description": "", "returns": {"type": "array", "items": {"type": "string"}}}]"#;
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn json_has_types_where_nothing_else_is_known() {
        insta::assert_snapshot!(render(&tools(), CandidateForm::Json), @r#"
        {"name":"getAccount","description":"Finds the account of a customer.","parameters":{"customerID":"string"},"returns":{"accountID":"string"}}
        {"name":"ship","description":"Sends\na parcel.","parameters":{"parcel":{"kg":"number","sizes":["integer"]},"speed":{"type":"string","description":"How soon","enum":["fast","slow"],"optional":true},"from":{"type":"string","description":"Depot, such as DP####"}}}
        {"name":"listDepots","description":"","parameters":{},"returns":["string"]}
        "#);
    }

    #[test]
    fn yaml_says_the_same() {
        insta::assert_snapshot!(render(&tools(), CandidateForm::Yaml), @r#"
        - name: getAccount
          description: Finds the account of a customer.
          parameters:
            customerID: string
          returns:
            accountID: string
        - name: ship
          description: "Sends\na parcel."
          parameters:
            parcel:
              kg: number
              sizes:
                - integer
            speed:
              type: string
              description: How soon
              enum:
                - fast
                - slow
              optional: true
            from:
              type: string
              description: "Depot, such as DP####"
        - name: listDepots
          description: ""
          parameters: {}
          returns:
            - string
        "#);
    }

    #[test]
    fn schemas_are_whole() {
        insta::assert_snapshot!(render(&tools(), CandidateForm::JsonSchema), @r#"
        {"name":"getAccount","description":"Finds the account of a customer.","parameters":{"type":"object","properties":{"customerID":{"type":"string"}},"required":["customerID"]},"returns":{"type":"object","properties":{"accountID":{"type":"string"}}}}
        {"name":"ship","description":"Sends\na parcel.","parameters":{"type":"object","properties":{"parcel":{"type":"object","properties":{"kg":{"type":"number"},"sizes":{"type":"array","items":{"type":"integer"}}}},"speed":{"type":"string","enum":["fast","slow"],"description":"How soon"},"from":{"type":"string","description":"Depot, such as DP####"}},"required":["parcel","from"]}}
        {"name":"listDepots","description":"","parameters":{"type":"object","properties":{},"required":[]},"returns":{"type":"array","items":{"type":"string"}}}
        "#);
    }

    #[test]
    fn a_signature_is_one_line() {
        insta::assert_snapshot!(render(&tools(), CandidateForm::Signature), @r#"
        getAccount(customerID: string) -> {accountID: string} # Finds the account of a customer.
        ship(parcel: {kg: number, sizes: integer[]}, speed?: "fast" | "slow", from: string) # Sends a parcel. | speed: How soon; from: Depot, such as DP####
        listDepots() -> string[]
        "#);
    }

    #[test]
    fn kinds_are_never_shown_and_words_are_distinct() {
        let forms = [CandidateForm::Json, CandidateForm::Yaml, CandidateForm::JsonSchema, CandidateForm::Signature];
        assert!(forms.iter().all(|form| !render(&tools(), *form).contains("secret")));
        let words: std::collections::BTreeSet<&str> = forms.iter().map(|form| form.word()).collect();
        assert_eq!(words.len(), forms.len());
    }
}
