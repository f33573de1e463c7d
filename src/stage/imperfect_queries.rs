//! Lets a model write queries that leave required parameters out.
//!
//! Given selections, it writes what was selected; given tools, it draws the parameters itself.

use super::facts::{Content, NamedFile, StageConfig};
use crate::config::{Count, Factor, Located, Measure, count, measure};
use crate::record::RecordKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lets a model write queries that leave required parameters out.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImperfectQueriesConfig {
    /// Queries owed for each tool.
    #[serde(default = "count::<6>")]
    pub per_tool: Count,
    /// Share of extra candidates that may be drawn for each tool where candidates are rejected: 1 draws up to twice as many.
    #[serde(default = "measure::<100>")]
    pub spare: Measure,
    /// How often a reply that cannot be used is asked for, the first time included.
    #[serde(default = "count::<3>")]
    pub asks: Count,
    /// A table of personas, log lines or registers (.csv, .jsonl, .toml); a row enters each prompt and the provenance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeds: Option<Located>,
    /// How many accepted items the stage owes in all; `per_tool` of each tool where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub want: Option<Count>,
    /// Most parameters that one query mentions.
    #[serde(default = "count::<3>")]
    pub most: Count,
}

impl StageConfig for ImperfectQueriesConfig {
    fn kind(&self) -> &'static str {
        "imperfect_queries"
    }

    fn input(&self) -> &'static [RecordKind] {
        &[RecordKind::Tool, RecordKind::Selection]
    }

    fn output(&self) -> RecordKind {
        RecordKind::Query
    }

    fn role(&self) -> Option<&'static str> {
        Some("generator")
    }

    fn files(&self) -> Vec<NamedFile<'_>> {
        self.seeds.iter().map(|path| NamedFile { key: "seeds", path, content: Content::Table }).collect()
    }

    fn scale(&mut self, factor: Factor) {
        self.per_tool = self.per_tool.times(factor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::section::read_text;

    #[test]
    fn tools_and_selections_both_fit() {
        let config: ImperfectQueriesConfig = read_text("per_tool = 2").unwrap();
        assert_eq!(config.input(), [RecordKind::Tool, RecordKind::Selection]);
        assert_eq!((config.per_tool.get(), config.most.get()), (2, 3));
    }

    #[test]
    fn every_wrong_number_is_named() {
        let messages = read_text::<ImperfectQueriesConfig>("per_tool = \"three\"\nspare = -1\nasks = 0").unwrap_err();
        assert_eq!(messages.len(), 3);
    }
}
