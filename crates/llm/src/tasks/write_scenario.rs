//! Write down what a person wants, before a conversation is played (CONFETTI, section 3.1).

use super::{Common, TaskInfo};
use crate::record::Tool;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo =
    TaskInfo::creative("write_scenario", "WriteScenario").reply(include_str!("reply_schema/plain_text.json")).voiced();

/// What a person wants is to be written down, before a conversation is played.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ScenarioVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The complexity that the conversation must have, by the paper's name.
    pub complexity: String,
    /// Who the person is and the situation that they are in, where the toolset has one.
    pub situation: String,
    /// The tools that must be called.
    pub required: Vec<Arc<Tool>>,
    /// The tools that may be called.
    pub optional: Vec<Arc<Tool>>,
    /// What happens, where that is planned: what the person wants of each episode.
    pub wants: Vec<String>,
    /// What the person's words could also mean, and is not wanted.
    pub rivals: Vec<String>,
    /// The time at which it takes place.
    pub reference_time: String,
    /// The least number of turns of the person.
    pub minimum_turns: usize,
}
