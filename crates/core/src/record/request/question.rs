//! Questions that want one or several calls in order, where a call may need what an earlier one answered.

use super::super::call::{ArgumentNotes, FunctionCall, Origin};
use super::super::item::ItemId;
use super::super::sample::{Difficulty, Step};
use super::super::tool::Tool;
use super::super::value::Value;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What stands in a gold argument whose value the question does not settle (CallNavi).
pub const PLACEHOLDER: &str = "$$$";

/// A domain with its APIs: what the questions of the domain are about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Catalogue {
    /// The domain's name: the part of the tools' names before the dot.
    pub domain: String,
    /// The domain's title, in the locale's language.
    pub title: String,
    /// Its APIs, in declared order.
    pub tools: Vec<Arc<Tool>>,
}

/// What people say when they want an API of a domain that is declared by resource, as patterns.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ApiPhrases {
    /// Requests in the form that the locale's frames wrap; each says every required parameter.
    pub intents: Vec<String>,
    /// Noun phrases for what the API answers.
    pub phrases: Vec<String>,
}

/// How people refer to one thing, as patterns over `{id}`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReferPhrases {
    /// By its identifier.
    pub called: Vec<String>,
    /// Once it was mentioned.
    pub again: Vec<String>,
    /// Where an earlier call of the question made it.
    pub fresh: Vec<String>,
}

/// How a question says an argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Saying {
    /// The writer chooses the value and says it.
    Chosen,
    /// By the words that are given.
    Plain,
    /// By an identifier and no noun: its shape alone tells what it is.
    Bare,
    /// Another value is said first and taken back.
    Corrected {
        /// The value's words that are taken back.
        old: String,
    },
    /// In words from which the value follows by arithmetic.
    Transformed,
    /// In words of the writer's own.
    Open,
    /// Not by itself: the answer of an earlier call holds it, and the question says how to come by it.
    Answer {
        /// Ordinal of the call that answers, from 0.
        call: usize,
        /// The field of the answer, as a JSON pointer.
        field: String,
    },
    /// Not at all.
    Unsaid,
}

/// A question with the calls that it asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// How hard it is: `easy` is one call, `medium` several with everything given, `hard` needs an earlier answer.
    pub difficulty: Difficulty,
    /// The domain that it is about, with all its APIs.
    pub catalogue: Arc<Catalogue>,
    /// The words.
    pub text: String,
    /// The calls, in the order in which they are to be made.
    pub calls: Vec<PlannedCall>,
    /// Ordinals of the calls, in the order in which the words mention them.
    pub mentions: Vec<usize>,
    /// What makes it hard: `dependent`, `ambiguous`, `incomplete`, `conflicting`, `transformed`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Id of the question that this one is a variant of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<ItemId>,
}

/// One call of a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedCall {
    /// The tool.
    pub tool: Arc<Tool>,
    /// The gold call; [`PLACEHOLDER`] stands for what the question does not settle.
    pub call: FunctionCall,
    /// Where each argument comes from: the words, an earlier answer, or nowhere.
    pub notes: ArgumentNotes,
    /// What the call answers in the world that the question was planned in; `null` where there is none.
    #[serde(default)]
    pub answer: Value,
}

impl Question {
    /// The calls as the steps of a sample, one call in each.
    pub fn steps(&self) -> Vec<Step> {
        let step = |planned: &PlannedCall| Step {
            calls: vec![planned.call.clone()],
            answers: vec![planned.answer.clone()],
            notes: vec![planned.notes.clone()],
        };
        self.calls.iter().map(step).collect()
    }

    /// Whether some argument comes from the answer of an earlier call.
    pub fn is_chained(&self) -> bool {
        let fed = |planned: &PlannedCall| planned.notes.values().any(|it| matches!(it.origin, Origin::Answer { .. }));
        self.calls.iter().any(fed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(origin: &str) -> Question {
        let text = format!(
            r#"{{"difficulty": "hard", "catalogue": {{"domain": "bank", "title": "Banking", "tools": []}}, "text": "x", "mentions": [1, 0], "calls": [
                {{"tool": {{"name": "bank.a"}}, "call": {{"name": "a", "arguments": {{}}}}, "notes": {{}}, "answer": {{"id": "A1"}}}},
                {{"tool": {{"name": "bank.b"}}, "call": {{"name": "b", "arguments": {{"id": "$$$"}}}},
                  "notes": {{"id": {{"origin": {origin}}}}}}}]}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn what_comes_from_an_answer_makes_a_chain() {
        assert!(question(r#"{"answer": {"call": 0, "field": "/id"}}"#).is_chained());
        assert!(!question("\"open\"").is_chained());
    }

    #[test]
    fn each_call_is_a_step_with_its_answer_and_notes() {
        let steps = question("\"missing\"").steps();
        assert_eq!(steps.len(), 2);
        assert_eq!((steps[0].calls[0].name.as_str(), steps[1].answers[0].clone()), ("a", Value::Null));
        assert_eq!(steps[1].notes[0]["id"].origin, Origin::Missing);
        assert_eq!(steps[1].calls[0].arguments["id"].as_str(), Some(PLACEHOLDER));
    }
}
