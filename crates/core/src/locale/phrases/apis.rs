//! What the built-in model knows of API catalogues.

use indexmap::IndexMap;
use serde::Deserialize;

/// `locales/<code>/apis.toml`: the operations that are invented for every thing of a scenario.
#[derive(Debug, Clone, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct Apis {
    /// Things, where a scenario names none.
    pub things: Vec<String>,
    /// What can be done with a thing.
    #[serde(rename = "operation")]
    pub operations: Vec<ApiOperation>,
}

/// An operation. `{Thing}` and `{thing}` are the thing's name.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApiOperation {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Parameters, with their descriptions.
    pub takes: IndexMap<String, String>,
    /// Fields of the answer, with their descriptions.
    pub gives: IndexMap<String, String>,
}
