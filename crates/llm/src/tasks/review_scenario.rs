//! Is such a scenario sound (CONFETTI, section 3.1)?

use super::{ScenarioVariables, TaskInfo};
use serde::{Deserialize, Serialize};

pub(super) const INFO: TaskInfo =
    TaskInfo::once("review_scenario", "ReviewScenario").reply(include_str!("reply_schema/verdict.json"));

/// A scenario is to be looked over.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ReviewVariables {
    /// The same as its writer was given.
    #[serde(flatten)]
    pub asked: ScenarioVariables,
    /// What was written.
    pub goals: String,
}
