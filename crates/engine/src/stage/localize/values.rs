//! The values of a sample's arguments: which are said in the language, and which are the same in every one.

use super::words::{Texts, each_call};
use crate::locale::{Language, twins};
use crate::record::{Expected, Role, Sample, Tool, Value};
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// The values that stand in the texts.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Values {
    /// Those that a translator gives anew.
    pub said: BTreeSet<String>,
    /// Those that stay letter by letter: listed values, codes, and what tools answered.
    pub fixed: BTreeSet<String>,
}

/// Finds the texts among the samples' arguments that stand in what is said.
pub(super) fn values_of(samples: &[Sample], texts: &Texts) -> Values {
    let mut values = Values::default();
    for sample in samples {
        let answers = answers(sample);
        let tools = sample.candidates.clone();
        each_call(&mut sample.clone(), &mut |call| {
            let tool = tools.iter().find(|tool| tool.name == call.name);
            for (name, value) in &call.arguments {
                let free = tool.is_none_or(|tool| is_free(tool, name));
                each_leaf(value, &mut |leaf| {
                    if !texts.values().any(|text| text.contains(leaf)) || !leaf.chars().any(char::is_alphanumeric) {
                        return;
                    }
                    let said = free && is_words(leaf) && !answers.iter().any(|answer| answer.contains(leaf));
                    if said { &mut values.said } else { &mut values.fixed }.insert(leaf.to_owned());
                });
            }
        });
    }
    // What must stay in one place stays everywhere.
    values.said.retain(|value| !values.fixed.contains(value));
    values
}

/// Puts new values in the places of the old ones, in every call; other forms of a value are forms of the new one.
pub(super) fn renew(sample: &mut Sample, new: &IndexMap<String, String>, language: &Language) {
    let tools = sample.candidates.clone();
    let gold = |sample: &Sample| match &sample.expected {
        Expected::Call(call) => call.arguments.clone(),
        _ => IndexMap::new(),
    };
    let before = gold(sample);
    each_call(sample, &mut |call| {
        let tool = tools.iter().find(|tool| tool.name == call.name);
        for (name, value) in &mut call.arguments {
            if tool.is_none_or(|tool| is_free(tool, name)) {
                *value = renewed(value, new);
            }
        }
    });
    for (name, value) in gold(sample) {
        if before.get(&name) != Some(&value) && sample.acceptable.contains_key(&name) {
            let forms = value.as_str().map(|text| twins(text, language)).unwrap_or_default();
            sample.acceptable.insert(name, forms.into_iter().map(Value::from).collect());
        }
    }
}

/// Whether people may say any words for it.
fn is_free(tool: &Tool, name: &str) -> bool {
    let parameter = tool.parameters.properties.get(name);
    parameter.is_none_or(|it| it.values.is_none() && !it.more.contains_key("format"))
}

/// Words, not a code: no digit or sign stands in a single word of it.
fn is_words(text: &str) -> bool {
    let code = |letter: char| letter.is_numeric() || "@_/\\#".contains(letter);
    text.chars().any(char::is_alphabetic) && (text.contains(' ') || !text.chars().any(code))
}

/// What tools answered.
fn answers(sample: &Sample) -> Vec<String> {
    let told = sample.messages.iter().filter(|message| message.role == Role::Tool);
    let told = told.filter_map(|message| message.content.clone());
    let steps = if let Expected::Steps(steps) = &sample.expected { steps.as_slice() } else { &[] };
    told.chain(steps.iter().flat_map(|step| &step.answers).map(Value::to_string)).collect()
}

fn each_leaf(value: &Value, see: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => see(text),
        Value::List(values) => values.iter().for_each(|value| each_leaf(value, see)),
        Value::Object(values) => values.values().for_each(|value| each_leaf(value, see)),
        _ => (),
    }
}

fn renewed(value: &Value, new: &IndexMap<String, String>) -> Value {
    match value {
        Value::String(text) => Value::from(new.get(text.as_str()).map_or(text.as_str(), String::as_str)),
        Value::List(values) => Value::List(values.iter().map(|value| renewed(value, new)).collect()),
        Value::Object(values) => {
            Value::Object(values.iter().map(|(key, value)| (key.clone(), renewed(value, new))).collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::texts_of;
    use super::*;
    use crate::record::{FunctionCall, Message};
    use crate::stage::testing::sample_of;

    fn values(sample: &Sample) -> (Vec<String>, Vec<String>) {
        let found = values_of(std::slice::from_ref(sample), &texts_of(std::slice::from_ref(sample)).unwrap());
        (found.said.into_iter().collect(), found.fixed.into_iter().collect())
    }

    #[test]
    fn words_are_given_anew_and_codes_stay() {
        let sample = sample_of("a train to Porto, code A12", r#"{"to": "Porto", "from": "A12", "seats": 2}"#);
        assert_eq!(values(&sample), (vec!["Porto".to_owned()], vec!["A12".to_owned()]));
    }

    #[test]
    fn what_is_not_said_is_no_translators_matter() {
        assert_eq!(values(&sample_of("a train", r#"{"to": "Porto"}"#)), (Vec::new(), Vec::new()));
    }

    #[test]
    fn what_a_tool_answered_stays() {
        let mut sample = sample_of("a train to Porto", r#"{"to": "Porto"}"#);
        sample.messages.insert(0, Message::new(Role::Tool, r#"{"city": "Porto"}"#));
        assert_eq!(values(&sample), (Vec::new(), vec!["Porto".to_owned()]));
    }

    #[test]
    fn new_values_come_into_every_call() {
        let mut sample = sample_of("a train to Porto", r#"{"to": ["Porto"], "from": {"city": "Porto"}, "seats": 2}"#);
        sample.label = Some(FunctionCall { name: "other".to_owned(), ..FunctionCall::default() });
        let new = IndexMap::from([("Porto".to_owned(), "포르투".to_owned())]);
        renew(&mut sample, &new, &Language::load(crate::fixtures::assets(), "ko").unwrap());
        let text = serde_json::to_string(&sample.expected).unwrap();
        assert!(text.contains(r#"{"to":["포르투"],"from":{"city":"포르투"},"seats":2}"#), "{text}");
    }

    #[test]
    fn other_forms_are_those_of_the_new_value() {
        let mut sample = sample_of("a train to Porto", r#"{"to": "Porto", "seats": "two"}"#);
        let old = || vec![Value::from("old")];
        sample.acceptable = IndexMap::from([("to".to_owned(), old()), ("seats".to_owned(), old())]);
        let new = IndexMap::from([("Porto".to_owned(), "포르투".to_owned())]);
        renew(&mut sample, &new, &Language::load(crate::fixtures::assets(), "ko").unwrap());
        assert!(!sample.acceptable["to"].contains(&Value::from("old")));
        assert_eq!(sample.acceptable["seats"], old());
    }
}
