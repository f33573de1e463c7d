//! What flows between stages: an item with an id, a record and its provenance.

use super::call::{ArgumentNotes, FunctionCall};
use super::dialogue::Dialogue;
use super::provenance::Provenance;
use super::sample::{DataType, Sample};
use super::tool::Tool;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// A stable name of an item: parent id / stage name / ordinal. Free of locale and of what was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ItemId(String);

/// Something on its way through the pipeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// Its id.
    pub id: ItemId,
    /// The tool, scenario or row that it grew from; ordered scans and shards go by root.
    pub root: ItemId,
    /// What it is.
    pub record: Record,
    /// Where it comes from.
    pub provenance: Provenance,
}

/// The kinds of record that stages hand to one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecordKind {
    /// A tool.
    Tool,
    /// A tool and the parameters chosen for a query.
    Selection,
    /// A query with its gold call.
    Query,
    /// A scored item.
    Sample,
    /// A conversation.
    Dialogue,
    /// A row of the general `generate` stage.
    Row,
}

/// A record, typed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Record {
    /// A tool.
    Tool(Arc<Tool>),
    /// A tool and the parameters chosen for a query.
    Selection(Selection),
    /// A query with its gold call.
    Query(Box<Query>),
    /// A scored item.
    Sample(Box<Sample>),
    /// A conversation.
    Dialogue(Box<Dialogue>),
    /// A row of the general stage.
    Row(Row),
}

/// The parameters that a query is to mention.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Selection {
    /// The tool.
    pub tool: Arc<Tool>,
    /// Names of the chosen parameters, in declared order.
    pub parameters: Vec<String>,
}

/// What a person says, with the call that it asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Query {
    /// Which of a suite's data types it is.
    pub data_type: DataType,
    /// The tool that serves it.
    pub tool: Arc<Tool>,
    /// The words.
    pub text: String,
    /// External information that stands before the words (HammerBench's `EK:` text).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external: Option<String>,
    /// The parameter whose value the external text says in the words' place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<String>,
    /// The gold call.
    pub call: FunctionCall,
    /// The parameters that it was to mention.
    pub preset: Vec<String>,
    /// Surface form and origin of each argument.
    pub notes: ArgumentNotes,
    /// Id of the query that this one is a variant of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<ItemId>,
}

/// A row of the general stage: whatever the prompt's schema asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The fields.
    pub fields: super::value::Object,
}

/// A record that was dropped, with the reason.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reject {
    /// Id of the item.
    pub id: ItemId,
    /// The stage that dropped it.
    pub stage: String,
    /// The reason's short name, counted in the manifest: `missing_parameter`, `unparsable`, `transport` ...
    pub reason: String,
    /// What was found, for people.
    pub detail: String,
    /// The text concerned: the query, or the reply that could not be read.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

impl ItemId {
    /// A root's id.
    pub fn root(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The id of this item's `ordinal`-th child in `stage`.
    #[must_use]
    pub fn child(&self, stage: &str, ordinal: usize) -> Self {
        Self(format!("{}/{stage}/{ordinal}", self.0))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A key that sorts ids with their ordinals as numbers: `a/b/10` after `a/b/9`.
    pub fn sort_key(&self) -> String {
        self.0
            .split('/')
            .map(|part| part.parse::<u64>().map_or_else(|_| part.to_owned(), |ordinal| format!("{ordinal:010}")))
            .collect::<Vec<_>>()
            .join("/")
    }
}

impl fmt::Display for ItemId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Query {
    /// Everything that is said, in the form of HammerBench: external text before the words where there is some.
    pub fn said(&self) -> String {
        self.external
            .as_ref()
            .map_or_else(|| self.text.clone(), |external| format!("EK:{external}\nquery:{}", self.text))
    }
}

impl Record {
    /// The record's kind.
    pub fn kind(&self) -> RecordKind {
        match self {
            Self::Tool(_) => RecordKind::Tool,
            Self::Selection(_) => RecordKind::Selection,
            Self::Query(_) => RecordKind::Query,
            Self::Sample(_) => RecordKind::Sample,
            Self::Dialogue(_) => RecordKind::Dialogue,
            Self::Row(_) => RecordKind::Row,
        }
    }
}
