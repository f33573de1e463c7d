//! Answer such a question (E.7, answer).

use super::{Common, PlannedValue, TaskInfo};
use crate::record::{Object, SlotPhrases, Tool};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo = TaskInfo::creative("slot_answer", "SlotAnswer").voiced();

/// A question is to be answered, with the argument that the answer gives.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AnswerVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The tool.
    pub tool: Arc<Tool>,
    /// The dialogue up to the question, a line for each turn.
    pub history: String,
    /// The question.
    pub question: String,
    /// What is known by now.
    pub known: Object,
    /// The parameter that is asked for.
    pub parameter: String,
    /// What else the question asks for, so that a bare value would not tell which of them it is.
    #[serde(default)]
    pub among: Vec<String>,
    /// What the person has said to the question already, where it asks for several things; empty else.
    #[serde(default)]
    pub so_far: String,
    /// The manner in which the person speaks: one of the pack's styles.
    pub style: String,
    /// What that manner is like, in words.
    pub manner: String,
    /// What people say about the parameter; absent for tools that people bring along.
    pub phrases: Option<SlotPhrases>,
    /// In a conversation, the values that are settled by what the person knows; the answer then has no opener. Absent
    /// elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<Vec<PlannedValue>>,
}
