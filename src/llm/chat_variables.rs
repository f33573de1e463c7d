//! What prompts are given where an assistant talks with a person beside calls (FunctionChat-Bench).

use super::Common;
use crate::locale::Topic;
use crate::record::{FunctionCall, Phrases, SlotPhrases, Tool, Value};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Everything that is missing is to be asked for at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MissingVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The tool.
    pub tool: Arc<Tool>,
    /// The dialogue so far, a line for each turn.
    pub history: String,
    /// What is missing, in declared order.
    pub missing: Vec<Missing>,
}

/// A parameter that is missing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Missing {
    /// Its name.
    pub parameter: String,
    /// What it is about: its description.
    pub about: String,
    /// What people say about it; absent for tools that people bring along.
    pub phrases: Option<SlotPhrases>,
}

/// A tool's answer is to be told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TellVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The tool.
    pub tool: Arc<Tool>,
    /// The dialogue so far, a line for each turn.
    pub history: String,
    /// The call.
    pub call: FunctionCall,
    /// Its answer.
    pub answer: Value,
    /// Fields of the answer that must be told.
    pub must_tell: Vec<String>,
    /// How assistants tell it; absent for tools that people bring along.
    pub phrases: Option<Arc<Phrases>>,
}

/// A request that no tool serves is to be declined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclineVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The dialogue so far, a line for each turn; the request is the last one.
    pub history: String,
    /// The request.
    pub query: String,
}

/// A person says something that wants no tool, and is answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
