//! The same, with the parameters of every call (CallNavi).

use super::{Common, TaskInfo};
use crate::record::Tool;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo = TaskInfo::once("route_calls", "RouteCalls");

/// The same, with the parameters of every call.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RouteCallsVariables {
    /// What every prompt is given.
    pub common: Common,
    /// What the person said.
    pub query: String,
    /// The APIs to choose from.
    pub tools: Vec<Arc<Tool>>,
    /// The same as the prompt shows them; empty where they go as native tools, and for the built-in model.
    pub candidates: String,
    /// The format of the answer.
    pub answer: CallsFormat,
    /// What stands for a value that the question does not give.
    pub placeholder: String,
    /// Where the last call is asked for first: 0 then, and from 1 on the round that completes it. Else all is asked for
    /// at once.
    pub round: Option<u32>,
    /// What a model writes behind an answer that is complete, where there are rounds.
    pub stop: String,
}

/// The format in which calls are written as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallsFormat {
    /// A JSON object.
    #[default]
    Json,
    /// A YAML document.
    Yaml,
}
