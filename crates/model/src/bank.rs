//! Fills banks, and writes the requests that a model is asked for several at once.

use super::Grammar;
use super::write::Written;
use crate::llm::{BankVariables, PlannedValue, RequestPlan, WriteVariables};
use crate::locale::Drawn;
use crate::record::{Chance, Object, Parameter, Tool, Value};
use crate::values::arguments::draw_argument;
use serde_json::{Value as Json, json};

/// How often more values are drawn than are wanted, since many come twice.
const TRIES: usize = 4;

impl Grammar {
    /// A bank whose values are drawn by kind; of situations and of what people mention it knows nothing.
    pub(super) fn bank_text(&self, variables: &BankVariables, chance: &mut Chance) -> String {
        let tool = &variables.tool;
        let values = |name: &String, parameter: &Parameter, chance: &mut Chance| -> Json {
            let entry = |drawn: &Drawn| {
                let said: Vec<&String> = Some(&drawn.surface).filter(|it| !it.is_empty()).into_iter().collect();
                json!({"value": drawn.value, "said": said})
            };
            self.bank_values(tool, name, parameter, variables.values, chance).iter().map(entry).collect()
        };
        let parameters: serde_json::Map<String, Json> = tool
            .parameters
            .properties
            .iter()
            .map(|(name, parameter)| (name.clone(), values(name, parameter, chance)))
            .collect();
        json!({"parameters": parameters, "bundles": [], "situations": [], "mentioned": [], "changes": [], "optional": {}})
            .to_string()
    }

    fn bank_values(
        &self,
        tool: &Tool,
        name: &str,
        parameter: &Parameter,
        wanted: usize,
        chance: &mut Chance,
    ) -> Vec<Drawn> {
        let mut values: Vec<Drawn> = Vec::new();
        for _ in 0..wanted * TRIES {
            if values.len() == wanted {
                break;
            }
            let drawn = draw_argument(&self.pack, tool, name, parameter, chance);
            if !drawn.value.is_null() && values.iter().all(|it| it.value != drawn.value) {
                values.push(drawn);
            }
        }
        values
    }

    /// All requests of an answer, each by its plan.
    pub(super) fn requests_text(&self, variables: &WriteVariables, chance: &mut Chance) -> String {
        let request = |plan: &RequestPlan| {
            let style = self.pack.styles.iter().find(|style| style.description == plan.manner);
            let alone = WriteVariables {
                must_include: plan.says.iter().map(|it| it.name.clone()).collect(),
                style: style.map(|style| style.name.clone()).unwrap_or_default(),
                seed: plan.seed.clone(),
                implied: plan.implied,
                ..variables.clone()
            };
            let Written { arguments, query } = self.write_planned(&alone, plan, chance);
            json!({"arguments": arguments, "said": said(plan, &arguments), "query": query, "sensible": true})
        };
        json!({"requests": variables.requests.iter().map(request).collect::<Vec<_>>()}).to_string()
    }
}

/// How the plan's values are said.
fn said(plan: &RequestPlan, arguments: &Object) -> serde_json::Map<String, Json> {
    let words = |it: &PlannedValue| {
        let given = it.value.as_ref().filter(|value| arguments.get(&it.name) == Some(value))?;
        let words = it.said.first().cloned().or_else(|| given.as_str().map(str::to_owned))?;
        Some((it.name.clone(), Json::from(words)))
    };
    plan.says.iter().filter_map(words).collect()
}

/// The plan's value in the place of one that was drawn.
pub(super) fn planned(plan: &RequestPlan, name: &str) -> Option<Drawn> {
    settled(&plan.says, name)
}

/// The value that is settled for a parameter.
pub(super) fn settled(says: &[PlannedValue], name: &str) -> Option<Drawn> {
    let planned = says.iter().find(|it| it.name == name)?;
    Some(given(planned.value.clone()?, &planned.said))
}

/// A value that is given, in the first of the words that people have for it.
pub(super) fn given(value: Value, said: &[String]) -> Drawn {
    let text = match &value {
        Value::Bool(_) => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let surface = said.first().cloned().filter(|_| value.as_bool().is_none()).unwrap_or(text);
    Drawn { value, surface }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::tasks::{read_bank, read_request};
    use std::sync::Arc;

    fn tool() -> Arc<Tool> {
        let text = r#"{"name": "Travel.Trains.book", "description": "Book a train.", "kinds": {"to": "city"}, "parameters": {"properties": {
            "to": {"type": "string"}, "class": {"type": "string", "enum": ["first", "second"]}, "quiet": {"type": "boolean"}}}}"#;
        Arc::new(serde_json::from_str(text).unwrap())
    }

    fn grammar() -> Grammar {
        Grammar::new(crate::fixtures::pack("en"), 7)
    }

    #[test]
    fn a_bank_has_each_value_once() {
        let variables = BankVariables { tool: tool(), values: 12, situations: 3, ..BankVariables::default() };
        let text = grammar().bank_text(&variables, &mut Chance::of(&[b"bank"]));
        let bank = read_bank(&text).unwrap().0;
        let counts = |name: &str| bank["parameters"].as_object().unwrap()[name].as_list().unwrap().len();
        assert_eq!((counts("to"), counts("class"), counts("quiet")), (12, 2, 2));
    }

    #[test]
    fn each_request_says_the_values_of_its_plan() {
        let says = |name: &str, value: Value, said: &str| PlannedValue {
            name: name.to_owned(),
            value: Some(value),
            said: Some(said.to_owned()).filter(|said| !said.is_empty()).into_iter().collect(),
        };
        let plans = vec![
            RequestPlan { says: vec![says("to", "Faro".into(), "")], ..RequestPlan::default() },
            RequestPlan {
                says: vec![says("to", "Braga".into(), ""), says("class", "second".into(), "standard class")],
                ..RequestPlan::default()
            },
        ];
        let variables = WriteVariables { tool: tool(), requests: plans, ..WriteVariables::default() };
        let text = grammar().requests_text(&variables, &mut Chance::of(&[b"requests"]));
        let (first, second) = (read_request(&text, 0).unwrap().0, read_request(&text, 1).unwrap().0);
        assert!(first.query.contains("Faro") && first.said["to"] == ["Faro"], "{first:?}");
        assert!(second.query.contains("Braga") && second.query.contains("standard class"), "{second:?}");
        assert_eq!(second.parameters["class"].as_str(), Some("second"));
    }
}
