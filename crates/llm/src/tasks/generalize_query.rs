//! Say a request with other values (`ComplexFuncBench`, figure 9).

use super::coarse_queries::Existing;
use super::{Common, TaskInfo};
use serde::{Deserialize, Serialize};

pub(super) const INFO: TaskInfo =
    TaskInfo::creative("generalize_query", "GeneralizeQuery").reply(include_str!("reply_schema/varied_request.json"));

/// A variant of a request is wanted: the same sentences with other values.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct GeneralizeVariables {
    /// What every prompt is given.
    pub common: Common,
    /// What the person said.
    pub query: String,
    /// The words that may be replaced.
    pub replaceable: Vec<String>,
    /// The words that must stay.
    pub kept: Vec<String>,
    /// The fewest pieces to be replaced; all that may be can be.
    pub pieces: usize,
    /// Names of what exists, by place and kind.
    pub existing: Vec<Existing>,
    /// Variants that there are.
    pub known: Vec<String>,
    /// The day on which everything happens; empty where nobody says.
    pub today: String,
}
