//! Does a conversation have a complexity that no rule can prove (CONFETTI, Table 1)?

use super::{Common, TaskInfo};
use crate::record::{Complexity, Object, Tool};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo =
    TaskInfo::once("judge_complexity", "JudgeComplexity").reply(include_str!("reply_schema/verdict.json"));

/// Does a conversation have a complexity that no rule can prove?
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ComplexityVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The complexity.
    pub complexity: Complexity,
    /// The conversation up to the agent's turn, a line for each turn.
    pub history: String,
    /// What the person says in the turn.
    pub said: String,
    /// What the agent says in the turn.
    pub reply: String,
    /// What is called in the turn, or where nothing is, in the next: the tools.
    pub called: Vec<Arc<Tool>>,
    /// The arguments of those calls.
    pub arguments: Vec<Object>,
    /// The tools that are offered.
    pub tools: Vec<Arc<Tool>>,
}
