//! Simulate the message that holds the entity (E.6, third step).

use super::{Common, TaskInfo};
use serde::{Deserialize, Serialize};

pub(super) const INFO: TaskInfo =
    TaskInfo::creative("external_message", "ExternalMessage").reply(include_str!("reply_schema/plain_text.json"));

/// The message that holds the entity is to be simulated.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MessageVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The entity, in the locale's words.
    pub entity: String,
    /// What the parameter is about: its description.
    pub about: String,
    /// Where it is mentioned: mail, text message, note ...
    pub source: String,
    /// How a person refers to it, from the step before: the message is to fit.
    pub pointer: String,
    /// The value, which must be said as it stands.
    pub value: String,
    /// Values that must not be said.
    pub forbidden: Vec<String>,
    /// The kind of the value, for the built-in model; no prompt is given it.
    #[serde(skip)]
    pub kind: String,
}
