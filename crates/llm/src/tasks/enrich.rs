//! Complete what is said of a tool.

use super::{Common, TaskInfo};
use crate::record::Tool;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo =
    TaskInfo::creative("enrich", "Enrich").reply(include_str!("reply_schema/enriched_tool.json"));

/// A tool wants descriptions, and words that people use for it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct EnrichVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The language of what is shown, by its own name.
    pub from: String,
    /// The tool as it is.
    pub tool: Arc<Tool>,
    /// The parameters for which values are wanted.
    pub values: Vec<String>,
}

/// The structured answer to [`super::Task::Enrich`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnrichedTool {
    /// What the tool does.
    pub description: String,
    /// Requests, as patterns.
    pub intents: Vec<String>,
    /// All of its parameters.
    pub parameters: Vec<EnrichedParameter>,
}

/// What is said of one parameter.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnrichedParameter {
    /// Its name.
    pub name: String,
    /// What it means.
    pub description: String,
    /// A noun phrase for it.
    pub label: String,
    /// Questions for it.
    pub questions: Vec<String>,
    /// Clauses that say its value, or that it is true.
    pub clauses: Vec<String>,
    /// Clauses that say that it is false.
    #[serde(default)]
    pub negations: Vec<String>,
    /// How its listed values are said.
    #[serde(default)]
    pub wordings: Vec<EnrichedWording>,
    /// Values that look real, where they were asked for.
    #[serde(default)]
    pub values: Vec<String>,
}

/// How one listed value is said.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnrichedWording {
    /// The value, letter by letter.
    pub value: String,
    /// Ways to say it.
    pub said: Vec<String>,
}
