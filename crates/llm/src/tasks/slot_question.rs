//! Ask for a missing parameter (E.7, question).

use super::{Common, TaskInfo};
use crate::record::{Object, SlotPhrases, Tool};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo =
    TaskInfo::creative("slot_question", "SlotQuestion").reply(include_str!("reply_schema/plain_text.json"));

/// A question for a missing parameter is to be asked.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct QuestionVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The tool.
    pub tool: Arc<Tool>,
    /// The dialogue so far, a line for each turn.
    pub history: String,
    /// What is known by now.
    pub known: Object,
    /// The parameter that is missing.
    pub parameter: String,
    /// What that parameter is about: its description.
    pub about: String,
    /// Questions that people know for it; absent for tools that people bring along.
    pub phrases: Option<SlotPhrases>,
}
