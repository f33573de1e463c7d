//! Invent APIs for a domain (CallNavi section 4).

use super::{Common, TaskInfo};
use serde::{Deserialize, Serialize};

pub(super) const INFO: TaskInfo =
    TaskInfo::creative("write_apis", "WriteApis").reply(include_str!("reply_schema/draft_tools.json"));

/// APIs of a domain are wanted.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ApisVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The domain's title.
    pub title: String,
    /// What the domain is about.
    pub scenario: String,
    /// The things that it is about, with commas between; empty where the writer is to find them.
    pub things: String,
    /// How many are wanted now.
    pub count: usize,
    /// Names of those that are there.
    pub known: Vec<String>,
}
