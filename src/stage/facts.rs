//! What every kind of stage says of itself before anything runs.

use super::readings::Readings;
use crate::config::{Factor, Located};
use crate::record::RecordKind;

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
pub(super) fn with(mut types: Vec<String>, further: &[&str]) -> Vec<String> {
    types.extend(further.iter().map(|&it| it.to_owned()));
    types
}

/// A kind of stage, as far as its config tells.
pub trait StageConfig {
    /// The word in the file.
    fn kind(&self) -> &'static str;

    /// The kinds of record that it takes; a source takes none.
    fn input(&self) -> &'static [RecordKind];

    /// The kind of record that it yields.
    fn output(&self) -> RecordKind;

    /// How much it looks at.
    fn scope(&self) -> Scope {
        Scope::Item
    }

    /// Whether it only keeps or rejects.
    fn is_gate(&self) -> bool {
        false
    }

    /// The data types of the items that it hands on, given those of the items that come to it.
    fn data_types(&self, incoming: Vec<String>) -> Vec<String> {
        incoming
    }

    /// The fewest tools that its toolset must have, where it takes records of this kind.
    fn least_tools(&self, _input: RecordKind) -> usize {
        0
    }

    /// The role that it asks if the file names no other; `None` where it asks no model.
    fn role(&self) -> Option<&'static str> {
        None
    }

    /// The files that it names.
    fn files(&self) -> Vec<NamedFile<'_>> {
        Vec::new()
    }

    /// What a prompt that the config names can use, besides the columns of its rows.
    fn variables(&self) -> &'static [&'static str] {
        &[]
    }

    /// Settings that do not go together: the key to point at, and what is wrong, with both keys named.
    fn conflicts(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Whether it reckons long with what it is given, so that it had better not keep others waiting.
    fn computes(&self) -> bool {
        false
    }

    /// Takes the pipeline's factor on `per_tool`.
    fn scale(&mut self, _factor: Factor) {}

    /// Takes the pipeline's wish for the authors' templates.
    fn speak_as_the_paper(&mut self) {}

    /// Which readings have to agree with a label; `None` where the stage reads nothing, or where that is not resolved yet.
    fn readings(&self) -> Option<Readings> {
        None
    }

    /// Resolves which readings have to agree, where the file does not say, by whether the built-in model reads.
    fn resolve_readings(&mut self, _is_builtin: bool) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Plain;

    impl StageConfig for Plain {
        fn kind(&self) -> &'static str {
            "plain"
        }

        fn input(&self) -> &'static [RecordKind] {
            &[]
        }

        fn output(&self) -> RecordKind {
            RecordKind::Row
        }
    }

    #[test]
    fn a_stage_works_item_by_item_and_asks_nobody_unless_it_says_so() {
        let mut plain = Plain;
        plain.scale(Factor::default());
        plain.resolve_readings(true);
        assert_eq!((plain.scope(), plain.is_gate(), plain.role()), (Scope::Item, false, None));
        assert!(plain.files().is_empty() && plain.variables().is_empty() && plain.conflicts().is_empty());
        assert_eq!(plain.readings(), None);
    }
}
