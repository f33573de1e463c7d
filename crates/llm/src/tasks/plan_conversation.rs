//! Plan a conversation of which nobody planned what happens: who does what, line by line, and what is called (CONFETTI).

use super::write_conversation::SpeechAct;
use super::{Common, TaskInfo};
use crate::record::{Object, Tool, Value};
use crate::text::{Unparsable, read_object};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo = TaskInfo::creative("plan_conversation", "PlanConversation");

/// A conversation is to be planned.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PlanVariables {
    /// What every prompt is given.
    pub common: Common,
    /// What the person wants and why, in words.
    pub scenario: String,
    /// The complexity that it must have, by the paper's name.
    pub complexity: String,
    /// The time that days and hours are counted from, in ISO 8601.
    pub reference_time: String,
    /// The functions that are offered.
    pub tools: Vec<Arc<Tool>>,
    /// Those that must be called.
    pub required: Vec<String>,
    /// The fewest turns of the person.
    pub minimum_turns: usize,
}

/// The structured answer to [`super::Task::PlanConversation`].
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ConversationPlan {
    /// Its turns, in order.
    pub turns: Vec<PlannedTurn>,
}

/// What the person's line does, what is called then, and what the assistant's line does.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PlannedTurn {
    /// What the person's line does.
    pub person: Vec<TurnAct>,
    /// The calls, in order.
    #[serde(default)]
    pub calls: Vec<PlannedCall>,
    /// What the assistant's line does.
    pub assistant: Vec<TurnAct>,
}

/// What a line does, or a part of it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TurnAct {
    /// What it does.
    pub act: SpeechAct,
    /// The function that it is about, where it is about one.
    #[serde(default)]
    pub function: Option<String>,
    /// What the person wants by it.
    #[serde(default)]
    pub wish: Option<String>,
    /// The values that it says.
    #[serde(default)]
    pub says: Vec<SaidValue>,
    /// Parameters that it leaves out or asks for; what words could mean, where they could mean either of two things.
    #[serde(default)]
    pub about: Vec<String>,
}

/// A value that a line says.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SaidValue {
    /// The parameter that takes it.
    pub parameter: String,
    /// The value, as the call has it.
    pub value: Value,
    /// Words that people say for it.
    pub words: String,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PlannedCall {
    /// The function.
    pub name: String,
    /// The arguments, without those that earlier answers hold; null is none.
    pub arguments: Object,
    /// Arguments that earlier answers hold.
    #[serde(default)]
    pub answers: Vec<FromAnswer>,
    /// Whether it fails.
    #[serde(default)]
    pub fails: bool,
}

/// An argument that an earlier answer holds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FromAnswer {
    /// The parameter.
    pub parameter: String,
    /// The number of the call, from 1 for the first of the conversation.
    pub call: usize,
    /// The field of its answer: a path (`flights.0.id`), or a name that stands somewhere in it.
    pub field: String,
}

/// The plan of an answer.
pub fn read_plan(text: &str) -> Result<ConversationPlan, Unparsable> {
    let object = Value::from(read_object(text)?.0).to_string();
    serde_json::from_str(&object)
        .map_err(|error| Unparsable::new("no_plan", format!("the plan has another shape: {error}")))
}

impl FromAnswer {
    /// The value in an answer.
    pub fn find<'v>(&self, answer: &'v Value) -> Option<&'v Value> {
        answer.at_path(&self.field).or_else(|| named(answer, self.field.rsplit('.').next()?))
    }
}

/// The first field of a name, wherever it stands.
fn named<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    match value {
        Value::Object(fields) => fields.get(name).or_else(|| fields.values().find_map(|it| named(it, name))),
        Value::List(items) => items.iter().find_map(|it| named(it, name)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_read_and_its_arguments_found_in_answers() {
        let text = r#"{"turns": [{"person": [{"act": "request", "function": "order", "says": [{"parameter": "n", "value": 3, "words": "three"}]}],
            "calls": [{"name": "order", "arguments": {"n": 3}, "answers": [{"parameter": "id", "call": 1, "field": "cups.0.id"}]}],
            "assistant": [{"act": "tell"}]}]}"#;
        let plan = read_plan(text).unwrap();
        let call = &plan.turns[0].calls[0];
        let found = |answer: &str| call.answers[0].find(&Value::read(answer).unwrap()).map(Value::to_string);
        assert_eq!(found(r#"{"cups": [{"id": "A"}]}"#).as_deref(), Some("\"A\""));
        assert_eq!(found(r#"{"found": {"id": "B"}}"#).as_deref(), Some("\"B\""), "by its name");
        assert_eq!((found("{}"), call.fails), (None, false));
        assert_eq!(read_plan("{}").unwrap_err().reason, "no_plan");
    }
}
