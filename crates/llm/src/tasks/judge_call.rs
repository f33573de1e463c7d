//! Do two calls say the same (E.4)?

use super::{Common, TaskInfo};
use crate::record::Object;
use serde::{Deserialize, Serialize};

pub(super) const INFO: TaskInfo =
    TaskInfo::once("judge_call", "JudgeCall").reply(include_str!("reply_schema/verdict.json"));

/// Two calls are to be compared.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct JudgeVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The query.
    pub query: String,
    /// The gold arguments.
    pub label: Object,
    /// The predicted arguments.
    pub output: Object,
}
