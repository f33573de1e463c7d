//! Decline what no tool serves (FunctionChat-Bench: relevance).

use super::{Common, TaskInfo};
use serde::{Deserialize, Serialize};

pub(super) const INFO: TaskInfo =
    TaskInfo::creative("decline", "Decline").reply(include_str!("reply_schema/plain_text.json"));

/// A request that no tool serves is to be declined.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DeclineVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The dialogue so far, a line for each turn; the request is the last one.
    pub history: String,
    /// The request.
    pub query: String,
    /// What is declined, for the built-in model; no prompt is given it.
    #[serde(skip)]
    pub title: String,
}
