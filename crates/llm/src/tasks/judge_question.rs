//! Does a question ask for these calls (CallNavi section 4, quality control)?

use super::{Common, TaskInfo};
use crate::record::{FunctionCall, Tool};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo =
    TaskInfo::once("judge_question", "JudgeQuestion").reply(include_str!("reply_schema/verdict.json"));

/// Does a question ask for these calls, in this order?
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct JudgeQuestionVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The question.
    pub question: String,
    /// The calls, in their order.
    pub calls: Vec<JudgedCall>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgedCall {
    /// The tool.
    pub tool: Arc<Tool>,
    /// The call.
    pub call: FunctionCall,
}
