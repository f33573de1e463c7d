//! What every kind of stage says of itself before anything runs.

use super::{GenerateConfig, ToolsetConfig};
use crate::record::RecordKind;
use crate::settings::{Count, Located};
use crate::stage::gates::readings::Readings;

/// How much of a run a stage looks at before it hands anything on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// One item: the stage passes it on as soon as it is ready.
    Item,
    /// All items of one root tool, scanned in the order of their ids.
    Tool,
    /// Everything: such a stage runs in `merge` where a run is in shards.
    Run,
}

/// What a stage is, whatever else its settings say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StageMeta {
    /// The word in the file.
    pub kind: &'static str,
    /// The kinds of record that it takes; a source takes none.
    pub input: &'static [RecordKind],
    /// The kind of record that it yields.
    pub output: RecordKind,
    /// How much it looks at.
    pub scope: Scope,
    /// Whether it only keeps or rejects.
    pub is_gate: bool,
    /// The role that it asks if the file names no other; `None` where it asks no model.
    pub role: Option<&'static str>,
    /// Whether it computes long on what it is given, so that it had better not keep others waiting.
    pub computes: bool,
    /// Whether each of its draws is begun by a person of the table of people.
    pub speaks: bool,
}

impl StageMeta {
    /// A stage that works item by item and asks nobody.
    pub const fn of(kind: &'static str, input: &'static [RecordKind], output: RecordKind) -> Self {
        Self { kind, input, output, scope: Scope::Item, is_gate: false, role: None, computes: false, speaks: false }
    }

    /// A stage that takes nothing and yields what others work on.
    pub const fn source(kind: &'static str, output: RecordKind) -> Self {
        Self::of(kind, &[], output)
    }

    /// A stage that keeps or rejects: it yields what it takes.
    pub const fn gate(kind: &'static str, input: &'static [RecordKind]) -> Self {
        Self { is_gate: true, ..Self::of(kind, input, input[0]) }
    }

    /// The same, asking the model of a role.
    #[must_use]
    pub const fn asks(self, role: &'static str) -> Self {
        Self { role: Some(role), ..self }
    }

    /// The same, where a person of the table of people begins what it draws.
    #[must_use]
    pub const fn speaks(self) -> Self {
        Self { speaks: true, ..self }
    }

    /// The same, waiting for more than an item.
    #[must_use]
    pub const fn scope(self, scope: Scope) -> Self {
        Self { scope, ..self }
    }

    /// The same, computing long on an item.
    #[must_use]
    pub const fn computes(self) -> Self {
        Self { computes: true, ..self }
    }
}

/// What a stage's config says that others look at before a run: data, taken from its keys.
#[derive(Debug, Default)]
pub struct Settings<'c> {
    /// The files that it names.
    pub files: Vec<NamedFile<'c>>,
    /// Settings that do not go together: the key to point at, and what is wrong, with both keys named.
    pub conflicts: Vec<(&'static str, String)>,
    /// Which readings have to agree with a label; `None` where the stage reads nothing, or where that is not resolved yet.
    pub readings: Option<Readings>,
    /// The toolset that it yields.
    pub toolset: Option<&'c ToolsetConfig>,
    /// A shipped toolset whose categories it works through, without its tools.
    pub categories: Option<&'static str>,
    /// The prompt that it answers for rows, and what makes these.
    pub rows: Option<&'c GenerateConfig>,
    /// How many items it makes of each root, where an estimate of the run's cost may count on that.
    pub per_root: Option<Count>,
    /// How many accepted items are required in all, over all roots.
    pub total: Option<Count>,
}

impl<'c> Settings<'c> {
    /// The same with a file, if the config names one.
    #[must_use]
    pub fn file(mut self, key: &'static str, path: impl Into<Option<&'c Located>>, content: Content) -> Self {
        self.files.extend(path.into().map(|path| NamedFile { key, path, content }));
        self
    }
}

/// A file that a stage's config names.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NamedFile<'c> {
    /// The key that names it.
    pub key: &'static str,
    /// The path, as it was written.
    pub path: &'c Located,
    /// What is expected there.
    pub content: Content,
}

/// What is expected in a file that a stage's config names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// A toolset: a shipped one by name, a folder, or a JSON list of tools.
    Toolset,
    /// Categories with their wanted functions.
    Categories,
    /// A table: CSV, JSON lines or TOML.
    Table,
    /// A prompt.
    Prompt,
    /// A JSON Schema.
    Schema,
}

/// Data types with further ones behind them.
pub fn with(mut types: Vec<String>, further: &[&str]) -> Vec<String> {
    types.extend(further.iter().map(|&it| it.to_owned()));
    types
}
