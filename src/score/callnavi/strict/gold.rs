//! What is right to a question.

use crate::record::{ArgumentNotes, Expected, FunctionCall, Origin, PLACEHOLDER, Sample, Step, Tool, Value};
use indexmap::IndexMap;
use std::sync::Arc;

/// The right calls in order, and what they are chosen from.
#[derive(Debug, Clone)]
pub struct Gold<'s> {
    /// The calls.
    pub calls: Vec<GoldCall<'s>>,
    /// The candidates.
    pub tools: &'s [Arc<Tool>],
    /// Further values that are as right, by parameter.
    pub acceptable: &'s IndexMap<String, Vec<Value>>,
}

/// A right call.
#[derive(Debug, Clone, Copy)]
pub struct GoldCall<'s> {
    /// The call.
    pub call: &'s FunctionCall,
    /// Where its arguments come from, where that is known.
    pub notes: Option<&'s ArgumentNotes>,
}

impl<'s> Gold<'s> {
    /// The gold of a sample; none where the right answer is no call.
    pub fn of(sample: &'s Sample) -> Option<Self> {
        let calls = match &sample.expected {
            Expected::Steps(steps) => {
                let call = |(call, notes)| GoldCall { call, notes };
                let notes = |step: &'s Step| step.notes.iter().map(Some).chain(std::iter::repeat(None));
                steps.iter().flat_map(|step| step.calls.iter().zip(notes(step))).map(call).collect()
            }
            Expected::Call(call) => vec![GoldCall { call, notes: Some(&sample.arguments) }],
            _ => return None,
        };
        Some(Self { calls, tools: &sample.candidates, acceptable: &sample.acceptable })
    }

    /// Names of the right calls, in order.
    pub fn names(&self) -> impl Iterator<Item = &'s str> {
        self.calls.iter().map(|gold| gold.call.name.as_str())
    }

    /// A candidate by its name.
    pub fn tool(&self, name: &str) -> Option<&'s Tool> {
        self.tools.iter().find(|tool| tool.name == name).map(|tool| &**tool)
    }
}

impl GoldCall<'_> {
    /// Whether nobody can know an argument's value from the question.
    pub(super) fn is_free(&self, name: &str) -> bool {
        let origin = self.notes.and_then(|notes| notes.get(name)).map(|argument| &argument.origin);
        matches!(origin, Some(Origin::Answer { .. } | Origin::Open | Origin::Missing))
    }
}

/// Whether a value stands for any.
pub(super) fn is_placeholder(value: &Value) -> bool {
    value.as_str() == Some(PLACEHOLDER)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use serde_json::json;

    /// A sample with these steps, whose candidates are `getX` (texts `a` and `b`, a number `n`, an object `o`) and others.
    pub(crate) fn sample(calls: &[(&str, &str)]) -> Sample {
        let parameter = |kind: &str| json!({"type": kind});
        let object = json!({"type": "object", "properties": {"k": parameter("string"), "y": parameter("integer")}});
        let tool = |name: &str| {
            let properties = json!({"a": parameter("string"), "b": parameter("string"), "n": parameter("number"), "o": object, "any": {}});
            json!({"name": name, "parameters": {"properties": properties}})
        };
        let step = |(name, arguments): &(&str, &str)| {
            let arguments = Value::read(arguments).unwrap().as_object().unwrap().clone();
            let call = FunctionCall { name: (*name).to_owned(), arguments };
            Step { calls: vec![call], answers: Vec::new(), notes: Vec::new() }
        };
        let candidates = ["getX", "getY", "getZ"].map(tool);
        let sample: Sample = serde_json::from_value(json!({
            "id": "q", "suite": "callnavi", "data_type": "easy", "locale": "en", "messages": [],
            "candidates": candidates, "expected": "refusal", "difficulty": "easy",
            "group": "bank", "licence": "", "source": "", "provenance": crate::record::Provenance::default(),
        }))
        .unwrap();
        Sample { expected: Expected::Steps(calls.iter().map(step).collect()), ..sample }
    }

    #[test]
    fn steps_are_calls_in_order() {
        let sample = sample(&[("getX", r#"{"a": "1"}"#), ("getY", "{}")]);
        let gold = Gold::of(&sample).unwrap();
        assert_eq!(gold.names().collect::<Vec<_>>(), ["getX", "getY"]);
        assert!(gold.tool("getZ").is_some() && gold.tool("getQ").is_none() && gold.calls[0].notes.is_none());
    }

    #[test]
    fn notes_say_what_nobody_can_know() {
        let mut sample = sample(&[("getX", r#"{"a": "7", "b": "8", "n": 1}"#)]);
        let Expected::Steps(steps) = &mut sample.expected else { panic!("steps") };
        let notes = r#"{"a": {"origin": {"answer": {"call": 0, "field": "/id"}}}, "b": {"origin": "verbatim"}}"#;
        steps[0].notes = vec![serde_json::from_str(notes).unwrap()];
        let gold = Gold::of(&sample).unwrap();
        assert_eq!(["a", "b", "n"].map(|name| gold.calls[0].is_free(name)), [true, false, false]);
    }

    #[test]
    fn a_refusal_is_no_gold_of_calls_and_one_call_is() {
        let refusal = Sample { expected: Expected::Refusal, ..sample(&[]) };
        assert!(Gold::of(&refusal).is_none());
        let call = FunctionCall { name: "getX".to_owned(), ..FunctionCall::default() };
        let one = Sample { expected: Expected::Call(call), ..sample(&[]) };
        assert_eq!(Gold::of(&one).unwrap().names().collect::<Vec<_>>(), ["getX"]);
    }
}
