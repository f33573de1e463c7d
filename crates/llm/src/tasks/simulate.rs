//! Answer a call in the place of an API.

use super::{Common, TaskInfo};
use crate::record::{FunctionCall, Tool, Value};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo = TaskInfo::once("simulate", "Simulate");

/// A call is to be answered in the place of an API.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SimulateVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The tool.
    pub tool: Arc<Tool>,
    /// JSON Schema of the answer, where the tool states it.
    pub returns: Option<serde_json::Value>,
    /// The calls before that this one hangs on, with their answers.
    pub earlier: Vec<AnsweredCall>,
    /// The call.
    pub call: FunctionCall,
}

/// A call with its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnsweredCall {
    /// The call.
    pub call: FunctionCall,
    /// The answer.
    pub answer: Value,
}
