//! Stages: the trait, what all kinds share, and the kinds that several suites use, a file for each.
//!
//! A new kind is a file with its config (here, or in the `stage` folder of the suite that it is for), a line in the list of
//! all kinds, and a folder of prompts if it asks a model. The word in the file, the file's name and the word in logs are
//! the same.

pub mod banks;
pub mod candidates;
pub mod context;
pub mod domains;
pub mod facts;
pub mod gates;
pub mod generate;
pub mod localize;
pub mod nearness;
pub mod outcome;
pub mod simulate;
pub mod source;
pub mod targets;
#[cfg(any(test, feature = "fixtures"))]
pub mod testing;
pub mod tools;
pub mod work;
pub mod writing;

pub use crate::stage::gates::consistency::KIND as CONSISTENCY;
pub use crate::stage::gates::every_gate::judge_query;
pub use crate::stage::gates::readings::Readings;
pub use crate::stage::tools::toolset::{Grouping, ToolsetConfig};
pub use crate::stage::writing::people::People;
pub use crate::stage::writing::telling::{goal_faults, tell_faults, tell_preview};
pub use banks::{Bank, Banks, Keep};
pub use context::{Context, Counts, Question, Said, Shared};
pub use domains::Domains;
pub use facts::{Content, NamedFile, Scope, Settings, StageMeta};
pub use generate::GenerateConfig;
pub use outcome::{Fault, Outcome};
pub use source::{Rows, Source};
pub use work::{Quota, Scan, Stage, ToJson, Work};

use crate::settings::{Problem, Section};
use schemars::{JsonSchema, Schema, schema_for};
use serde::de::DeserializeOwned;

/// Reads a stage's table and notes what is wrong with it.
type Reader = fn(Section<'_>, &mut Vec<Problem>) -> Option<Box<dyn Stage>>;

/// A kind of stage: its word in the file, and how its table is described and read.
pub struct StageKind {
    /// The word in the file.
    pub kind: &'static str,
    /// The JSON Schema of its config.
    pub schema: fn() -> Schema,
    read: Reader,
}

impl StageKind {
    /// The kind whose config is a `T`.
    pub const fn of<T: Stage + DeserializeOwned + JsonSchema + 'static>(kind: &'static str) -> Self {
        Self {
            kind,
            schema: || schema_for!(T),
            read: |section, problems| Some(Box::new(section.salvage::<T>(problems)?)),
        }
    }

    /// Reads the config of such a stage, without the keys that have faults; `None` where too little is left.
    pub fn read(&self, section: Section<'_>, problems: &mut Vec<Problem>) -> Option<Box<dyn Stage>> {
        (self.read)(section, problems)
    }
}
