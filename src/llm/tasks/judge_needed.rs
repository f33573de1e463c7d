//! Is a call needed for what a request asks (`ComplexFuncBench`, correction)?

use super::{Common, TaskInfo};
use crate::record::{FunctionCall, Value};
use serde::{Deserialize, Serialize};

pub(super) const INFO: TaskInfo =
    TaskInfo::once("judge_needed", "JudgeNeeded").reply(include_str!("reply_schema/verdict.json"));

/// Is a call needed for what a request asks?
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct NeededVariables {
    /// What every prompt is given.
    pub common: Common,
    /// What the person said.
    pub query: String,
    /// All calls, in their order.
    pub calls: Vec<FunctionCall>,
    /// The one in question.
    pub call: FunctionCall,
    /// What it answered.
    pub answer: Value,
    /// What the person was told in the end.
    pub said: String,
}
