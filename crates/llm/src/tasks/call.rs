//! Read a query: which call does it ask for (appendix D)?

use super::{Common, TaskInfo};
use crate::record::{FunctionCall, Tool};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo = TaskInfo::once("call", "Call");

/// A query is to be read: which call does it ask for?
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CallVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The dialogue as text: what the person said (and, in dialogues, what was answered).
    pub query: String,
    /// The tools to choose from.
    pub tools: Vec<Arc<Tool>>,
    /// Another query of the same tool with its call, for one-shot reading.
    pub example: Option<CallExample>,
    /// The sentence that refuses.
    pub refusal: String,
    /// The time that days and hours are counted from, in ISO 8601, where the values have a form of their own.
    #[serde(default)]
    pub reference_time: Option<String>,
}

/// A query with its call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallExample {
    /// The query.
    pub query: String,
    /// Its call.
    pub call: FunctionCall,
}
