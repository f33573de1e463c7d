//! Name a pointer to an entity (E.6, second step).

use super::{Common, TaskInfo};
use serde::{Deserialize, Serialize};

pub(super) const INFO: TaskInfo =
    TaskInfo::creative("external_pointer", "ExternalPointer").reply(include_str!("reply_schema/plain_text.json"));

/// A pointer to an entity is to be named.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PointerVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The entity, in the locale's words.
    pub entity: String,
    /// What the parameter is about: its description.
    pub about: String,
    /// Where the entity is mentioned: mail, text message, note ...
    pub source: String,
    /// The value, which must not be said.
    pub value: String,
    /// The kind of the value, for the built-in model; no prompt is given it.
    #[serde(skip)]
    pub kind: String,
    /// The name of the tool, for the built-in model; no prompt is given it.
    #[serde(skip)]
    pub tool: String,
}
