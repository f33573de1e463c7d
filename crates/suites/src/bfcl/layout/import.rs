//! BFCL's questions as fcgen's samples.

use super::entry::Entry;
use super::export::parameters_of;
use crate::record::{Expected, FunctionCall, ItemId, Object, Provenance, Sample, Step, SuiteId, Tool, Value};
use indexmap::IndexMap;
use std::sync::Arc;

/// Where a sample keeps the functions as BFCL describes them, for its checker goes by its own words for types.
pub const FUNCTIONS_FACT: &str = "bfcl_function";
/// Where a sample keeps all accepted answers: those of several calls have no other place.
pub const TRUTH_FACT: &str = "bfcl_ground_truth";

impl Entry {
    /// The question as a sample. Types are said in JSON Schema's words, and the first of the accepted values is the right one.
    pub fn into_sample(self, category: &str, locale: &str) -> Sample {
        let mut provenance = Provenance::default();
        let facts = [(FUNCTIONS_FACT, &self.functions), (TRUTH_FACT, &self.answers)];
        let facts = facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.as_ref()?.to_string())));
        provenance.facts.extend(facts);
        let truth = self.answers.as_ref().and_then(Value::as_list).unwrap_or_default();
        let calls: Vec<FunctionCall> = truth.iter().filter_map(call).collect();
        Sample {
            group: self.id.clone(),
            locale: locale.to_owned(),
            messages: self.messages,
            candidates: self.functions.as_ref().map(tools).unwrap_or_default(),
            acceptable: if let [only] = truth { acceptable(only) } else { IndexMap::new() },
            licence: "Apache-2.0".to_owned(),
            source: "BFCL's layout".to_owned(),
            provenance,
            ..Sample::new(ItemId::root(self.id), SuiteId::Bfcl, category, expected(category, calls))
        }
    }
}

fn expected(category: &str, mut calls: Vec<FunctionCall>) -> Expected {
    match calls.pop() {
        Some(call) if calls.is_empty() => Expected::Call(call),
        Some(last) => {
            calls.push(last);
            Expected::Steps(vec![Step { calls, answers: Vec::new(), notes: Vec::new() }])
        }
        None if category.ends_with("irrelevance") => Expected::Refusal,
        None => Expected::Steps(Vec::new()),
    }
}

/// The call of the first accepted values; what may be left out first is left out.
fn call(truth: &Value) -> Option<FunctionCall> {
    let (name, arguments) = truth.as_object()?.first()?;
    let first = |(name, accepted): (&String, &Value)| {
        let value = accepted.as_list()?.first().filter(|value| value.as_str() != Some(""))?;
        Some((name.clone(), plain(value)))
    };
    Some(FunctionCall { name: name.clone(), arguments: arguments.as_object()?.iter().filter_map(first).collect() })
}

/// A value without the lists of accepted values that dictionaries have at their keys.
fn plain(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let first = |(name, leaf): (&String, &Value)| {
                let value = leaf.as_list().map_or(Some(leaf), <[_]>::first)?;
                (value.as_str() != Some("")).then(|| (name.clone(), value.clone()))
            };
            Value::Object(object.iter().filter_map(first).collect::<Object>())
        }
        Value::List(list) => Value::List(list.iter().map(plain).collect()),
        value => value.clone(),
    }
}

fn acceptable(truth: &Value) -> IndexMap<String, Vec<Value>> {
    let arguments = truth.as_object().and_then(|object| object.first()?.1.as_object());
    let others = |(name, accepted): (&String, &Value)| {
        let others: Vec<Value> = accepted.as_list()?.iter().skip(1).map(plain).collect();
        (!others.is_empty()).then(|| (name.clone(), others))
    };
    arguments.into_iter().flatten().filter_map(others).collect()
}

fn tools(functions: &Value) -> Vec<Arc<Tool>> {
    let list = functions.as_list().unwrap_or(std::slice::from_ref(functions));
    list.iter().filter_map(tool).map(Arc::new).collect()
}

fn tool(function: &Value) -> Option<Tool> {
    let text = |name: &str| function.as_object()?.get(name)?.as_str().map(str::to_owned);
    let parameters = function.as_object()?.get("parameters").map(parameters_of).unwrap_or_default();
    Some(Tool {
        name: text("name")?,
        description: text("description").unwrap_or_default(),
        parameters,
        ..Tool::default()
    })
}

#[cfg(test)]
mod tests {
    use super::super::BfclFile;
    use super::super::files::tests::folder;
    use super::*;

    fn samples(at: usize) -> Vec<Sample> {
        crate::format::samples_of(vec![BfclFile::below(folder().path()).remove(at)]).unwrap()
    }

    #[test]
    fn the_first_accepted_values_make_the_call_and_the_others_are_acceptable() {
        let samples = samples(1);
        let Expected::Call(call) = &samples[0].expected else { panic!("a call") };
        assert_eq!(Value::Object(call.arguments.clone()).to_string(), r#"{"a":1,"b":"y"}"#);
        let Expected::Call(call) = &samples[1].expected else { panic!("a call") };
        assert_eq!(Value::Object(call.arguments.clone()).to_string(), r#"{"a":1.5}"#);
        assert_eq!(samples[1].acceptable["a"].len(), 1);
        assert_eq!(samples[1].provenance.facts[TRUTH_FACT], r#"[{"f":{"a":[1.5,2],"b":["","x"]}}]"#);
    }

    #[test]
    fn types_are_said_in_the_words_of_json_schema() {
        let sample = &samples(0)[0];
        let tool = &sample.candidates[0];
        assert_eq!(tool.parameters.properties["a"].kind, Some(serde_json::Value::from("number")));
        assert_eq!(
            (tool.parameters.required.as_slice(), &sample.expected),
            (["a".to_owned()].as_slice(), &Expected::Refusal)
        );
    }

    #[test]
    fn several_calls_are_one_step_and_dictionaries_lose_their_lists() {
        let line = r#"{"id": "parallel_0", "question": "x", "function": {"name": "f"}, "ground_truth": [{"f": {"d": [{"k": [1, 2], "l": [""]}]}}, {"g": {}}]}"#;
        let sample = Entry::read(line).unwrap().into_sample("parallel", "en");
        let Expected::Steps(steps) = &sample.expected else { panic!("steps") };
        assert_eq!(Value::Object(steps[0].calls[0].arguments.clone()).to_string(), r#"{"d":{"k":1}}"#);
        assert_eq!((steps[0].calls.len(), sample.candidates.len(), sample.acceptable.len()), (2, 1, 0));
    }
}
