//! What models make of a gold answer: wrong in one way, or the same in another form.

use super::super::variants::changed;
use super::{said, value};
use crate::lint::entry::Entry;
use crate::record::{FunctionCall, Object, PLACEHOLDER, PredictionTurn, Value};
use crate::suite::callnavi::layout::Gold;

/// The wrong answers that can be made of a gold one, each with its kind.
pub(super) fn mutants(entry: &Entry, gold: &Gold) -> Vec<(&'static str, PredictionTurn)> {
    let all = [
        ("wrong API", other_api(entry, gold)),
        ("missing call", left_out(gold)),
        ("extra call", one_more(gold)),
        ("calls reordered", turned(gold)),
        ("missing parameter", missing(gold)),
        ("wrong parameter name", renamed(gold)),
        ("extra parameter", added(gold)),
        ("wrong value", with_value(gold, changed)),
        ("unresolved value", with_value(gold, |_| PLACEHOLDER.into())),
    ];
    all.into_iter().filter_map(|(kind, gold)| Some((kind, said(&value(&gold?).to_string())))).collect()
}

fn other_api(entry: &Entry, gold: &Gold) -> Option<Gold> {
    let name = gold.api.first()?;
    let other = entry.sample.candidates.iter().find(|tool| tool.name != *name)?;
    let mut gold = gold.clone();
    gold.api.first_mut()?.clone_from(&other.name);
    Some(gold)
}

fn left_out(gold: &Gold) -> Option<Gold> {
    let mut gold = gold.clone();
    gold.api.pop();
    gold.parameters.pop();
    (!gold.api.is_empty()).then_some(gold)
}

fn one_more(gold: &Gold) -> Option<Gold> {
    let mut gold = gold.clone();
    gold.api.push(gold.api.first()?.clone());
    gold.parameters.push(Object::new());
    Some(gold)
}

fn turned(gold: &Gold) -> Option<Gold> {
    let mut turned = gold.clone();
    turned.api.reverse();
    turned.parameters.reverse();
    (turned.api != gold.api).then_some(turned)
}

fn missing(gold: &Gold) -> Option<Gold> {
    let mut gold = gold.clone();
    gold.parameters.iter_mut().find(|given| !given.is_empty())?.pop();
    Some(gold)
}

fn renamed(gold: &Gold) -> Option<Gold> {
    let mut gold = gold.clone();
    let given = gold.parameters.iter_mut().find(|given| !given.is_empty())?;
    let (name, value) = given.pop()?;
    given.insert(format!("{name}Value"), value);
    Some(gold)
}

fn added(gold: &Gold) -> Option<Gold> {
    let mut gold = gold.clone();
    gold.parameters.first_mut()?.insert("more".to_owned(), Value::from(1));
    Some(gold)
}

/// The first value that the question settles is another one.
fn with_value(gold: &Gold, other: fn(&Value) -> Value) -> Option<Gold> {
    let mut gold = gold.clone();
    let is_free = |value: &Value| {
        value.as_str() == Some(PLACEHOLDER) || value.as_object().is_some_and(indexmap::IndexMap::is_empty)
    };
    let value = gold.parameters.iter_mut().flat_map(Object::values_mut).find(|value| !is_free(value))?;
    *value = other(value);
    Some(gold)
}

/// The same answer in other forms.
pub(super) fn forms(entry: &Entry, gold: &Gold) -> Vec<(&'static str, PredictionTurn)> {
    let mut forms: Vec<(&'static str, PredictionTurn)> =
        texts(entry.said().words, &value(gold)).into_iter().map(|(kind, text)| (kind, said(&text))).collect();
    let arguments = |call: FunctionCall| (call.name, Value::Object(call.arguments).to_string());
    let tool_calls = gold.calls().map(arguments).collect();
    forms.push(("native calls", PredictionTurn { tool_calls, ..PredictionTurn::default() }));
    forms
}

fn texts(words: &str, truth: &Value) -> Vec<(&'static str, String)> {
    let plain = truth.to_string();
    let indented = serde_json::to_string_pretty(truth).unwrap_or_default();
    // Where a text holds a quotation mark there is no easy way to write it in the other ones.
    let python = (!plain.contains(['\\', '\''])).then(|| plain.replace('"', "'"));
    let fenced = format!("```json\n{indented}\n```");
    let turned = turned_keys(truth).to_string();
    let among_words = format!("{words}\n{plain}\n{words}");
    let bare = bare_object(truth).map(|bare| bare.to_string());
    let all = [
        ("indented", Some(indented)),
        ("fenced", Some(fenced)),
        ("Python quotes", python),
        ("keys reordered", Some(turned)),
        ("surrounded by text", Some(among_words)),
        ("single object for one call", bare),
        ("surrounding whitespace", Some(format!("\n {plain} \n"))),
    ];
    all.into_iter().filter_map(|(kind, form)| Some((kind, form?))).collect()
}

/// The paper's form where there is one call: its parameters without a list around them.
fn bare_object(truth: &Value) -> Option<Value> {
    let Value::Object(mut fields) = truth.clone() else { return None };
    let [only] = fields.get("parameters")?.as_list()? else { return None };
    let only = only.clone();
    fields.insert("parameters".to_owned(), only);
    Some(Value::Object(fields))
}

fn turned_keys(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            Value::Object(fields.iter().rev().map(|(name, value)| (name.clone(), turned_keys(value))).collect())
        }
        Value::List(list) => Value::List(list.iter().map(turned_keys).collect()),
        plain => plain.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{arguments, entry, questions};

    fn of(difficulty: &str) -> Vec<(&'static str, String)> {
        let entry = entry(questions(difficulty));
        let mutants = mutants(&entry, &Gold::of(&entry.sample).unwrap());
        mutants.into_iter().map(|(kind, turn)| (kind, turn.content.unwrap())).collect()
    }

    #[test]
    fn one_call_can_be_wrong_in_many_ways() {
        let wrong = |api: &str, parameters: &str| format!(r#"{{"API":[{api}],"parameters":[{parameters}]}}"#);
        assert_eq!(
            of("easy"),
            [
                ("wrong API", wrong(r#""blockCard""#, r#"{"customerId":"U7"}"#)),
                ("extra call", wrong(r#""getCard","getCard""#, r#"{"customerId":"U7"},{}"#)),
                ("missing parameter", wrong(r#""getCard""#, "{}")),
                ("wrong parameter name", wrong(r#""getCard""#, r#"{"customerIdValue":"U7"}"#)),
                ("extra parameter", wrong(r#""getCard""#, r#"{"customerId":"U7","more":1}"#)),
                ("wrong value", wrong(r#""getCard""#, r#"{"customerId":"U7 2"}"#)),
                ("unresolved value", wrong(r#""getCard""#, r#"{"customerId":"$$$"}"#)),
            ]
        );
    }

    #[test]
    fn a_chain_can_lose_calls_and_their_order() {
        let kinds: Vec<&str> = of("hard").into_iter().map(|(kind, _)| kind).collect();
        assert!(kinds.contains(&"missing call") && kinds.contains(&"calls reordered"), "{kinds:?}");
    }

    #[test]
    fn what_is_left_open_is_not_made_wrong() {
        let mut sample = questions("easy");
        arguments(&mut sample, 0).insert("customerId".to_owned(), PLACEHOLDER.into());
        let entry = entry(sample);
        let kinds = mutants(&entry, &Gold::of(&entry.sample).unwrap());
        assert!(!kinds.iter().any(|(kind, _)| kind.contains("value")), "{kinds:?}");
    }

    #[test]
    fn forms_say_the_same() {
        let truth = Value::read(r#"{"API":["f"],"parameters":[{"a":"x","b":2}]}"#).unwrap();
        let forms = texts("Say f.", &truth);
        assert_eq!(forms.len(), 7);
        assert_eq!(forms[2].1, "{'API':['f'],'parameters':[{'a':'x','b':2}]}");
        assert_eq!(forms[3].1, r#"{"parameters":[{"b":2,"a":"x"}],"API":["f"]}"#);
        let quoted = Value::read(r#"{"API":[],"parameters":[{"a":"it's"}]}"#).unwrap();
        assert!(!texts("", &quoted).iter().any(|(kind, _)| kind.contains("Python")));
        assert_eq!(forms[5].1, r#"{"API":["f"],"parameters":{"a":"x","b":2}}"#);
        let native = super::forms(&entry(questions("easy")), &serde_json::from_str(&truth.to_string()).unwrap())
            .pop()
            .unwrap()
            .1;
        assert_eq!(native.tool_calls, [("f".to_owned(), r#"{"a":"x","b":2}"#.to_owned())]);
    }
}
