//! Rewrite the query with the pointer in the value's place (E.6, fourth step).

use super::{Common, TaskInfo};
use crate::record::{Object, Tool};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo =
    TaskInfo::creative("external_query", "ExternalQuery").reply(include_str!("reply_schema/plain_text.json")).voiced();

/// The query is to be rewritten with the pointer in the value's place.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RewriteVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The tool.
    pub tool: Arc<Tool>,
    /// The query as it was, with the value in it.
    pub query: String,
    /// The gold arguments.
    pub label: Object,
    /// The parameter whose value is hidden.
    pub parameter: String,
    /// How the query says that value.
    pub surface: String,
    /// The pointer.
    pub pointer: String,
}
