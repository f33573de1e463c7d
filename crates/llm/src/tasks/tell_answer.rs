//! Tell a tool's answer (FunctionChat-Bench: completion).

use super::{Common, TaskInfo};
use crate::record::{FunctionCall, Phrases, Tool, Value};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo =
    TaskInfo::creative("tell_answer", "TellAnswer").reply(include_str!("reply_schema/plain_text.json"));

/// A tool's answer is to be told.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TellVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The tool.
    pub tool: Arc<Tool>,
    /// The dialogue so far, a line for each turn.
    pub history: String,
    /// The call.
    pub call: FunctionCall,
    /// Its answer.
    pub answer: Value,
    /// Fields of the answer that must be told.
    pub must_tell: Vec<String>,
    /// How assistants tell it; absent for tools that people bring along.
    pub phrases: Option<Arc<Phrases>>,
}
