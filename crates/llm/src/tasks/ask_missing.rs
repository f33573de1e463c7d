//! Ask for everything that is missing at once (FunctionChat-Bench: slot).

use super::{Common, TaskInfo};
use crate::record::{SlotPhrases, Tool};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo =
    TaskInfo::creative("ask_missing", "AskMissing").reply(include_str!("reply_schema/plain_text.json"));

/// Everything that is missing is to be asked for at once.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MissingVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The tool.
    pub tool: Arc<Tool>,
    /// The dialogue so far, a line for each turn.
    pub history: String,
    /// What is missing, in declared order.
    pub missing: Vec<Missing>,
}

/// A parameter that is missing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Missing {
    /// Its name.
    pub parameter: String,
    /// What it is about: its description.
    pub about: String,
    /// What people say about it; absent for tools that people bring along.
    pub phrases: Option<SlotPhrases>,
}
