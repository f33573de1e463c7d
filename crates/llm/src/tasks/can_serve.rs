//! Can this tool serve this query (E.5)?

use super::{Common, TaskInfo};
use crate::record::Tool;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo =
    TaskInfo::once("can_serve", "CanServe").reply(include_str!("reply_schema/verdict.json"));

/// Can this tool serve this query?
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ServeVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The query.
    pub query: String,
    /// The tool.
    pub tool: Arc<Tool>,
}
