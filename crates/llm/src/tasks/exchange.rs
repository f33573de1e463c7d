//! Say something that wants no tool, and answer it (FunctionChat-Bench: relevance).

use super::{Common, TaskInfo};
use crate::locale::Topic;
use serde::{Deserialize, Serialize};

pub(super) const INFO: TaskInfo =
    TaskInfo::creative("exchange", "Exchange").reply(include_str!("reply_schema/exchanged.json"));

/// A person says something that wants no tool, and is answered.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ExchangeVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The dialogue so far, a line for each turn.
    pub history: String,
    /// What it is about.
    pub topic: Topic,
    /// The manner in which the person speaks: one of the pack's styles.
    pub style: String,
    /// What that manner is like, in words.
    pub manner: String,
}

/// The structured answer to [`super::Task::Exchange`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchanged {
    /// What the person says.
    pub user: String,
    /// What the assistant says to it; empty where the topic is the last answer once more.
    #[serde(default)]
    pub assistant: String,
}
