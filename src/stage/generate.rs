//! The general stage: a prompt of one's own, a JSON Schema for the answer, and rows in and out.
//!
//! It is for what nobody has built yet; nothing is known of its rows but the schema.

use super::facts::{Content, NamedFile, StageConfig};
use crate::config::{Count, Located, count};
use crate::record::RecordKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lets a model answer a prompt for every row of a table, for rows of the stage before it, or a number of times.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GenerateConfig {
    /// The prompt: a template that may use the columns of its row, `row`, `locale` and `ordinal`.
    pub prompt: Located,
    /// JSON Schema that an answer must keep to; without it an answer is one field, `text`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Located>,
    /// The input rows (.csv, .jsonl, .toml); without `table` and `count` the rows of the stage before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<Located>,
    /// How many answers are wanted for each row of the table, or in all where there is no table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<Count>,
    /// How often a reply that cannot be used is asked for, the first time included.
    #[serde(default = "count::<3>")]
    pub asks: Count,
}

impl GenerateConfig {
    /// Whether it makes its rows itself.
    pub fn is_source(&self) -> bool {
        self.table.is_some() || self.count.is_some()
    }
}

impl StageConfig for GenerateConfig {
    fn kind(&self) -> &'static str {
        "generate"
    }

    fn input(&self) -> &'static [RecordKind] {
        if self.is_source() { &[] } else { &[RecordKind::Row] }
    }

    fn output(&self) -> RecordKind {
        RecordKind::Row
    }

    fn role(&self) -> Option<&'static str> {
        Some("generator")
    }

    fn files(&self) -> Vec<NamedFile<'_>> {
        let named = |key, path, content| NamedFile { key, path, content };
        let schema = self.schema.iter().map(|path| named("schema", path, Content::Schema));
        let table = self.table.iter().map(|path| named("table", path, Content::Table));
        std::iter::once(named("prompt", &self.prompt, Content::Prompt)).chain(schema).chain(table).collect()
    }

    fn variables(&self) -> &'static [&'static str] {
        &["row", "locale", "ordinal"]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::section::read_text;

    #[test]
    fn rows_come_from_a_table_a_count_or_the_stage_before() {
        let read = |more: &str| read_text::<GenerateConfig>(&format!("prompt = \"p.md\"\n{more}")).unwrap();
        assert!(read("table = \"t.csv\"").input().is_empty());
        assert!(read("count = 3").is_source());
        assert_eq!(read("").input(), [RecordKind::Row]);
        assert_eq!(read("").output(), RecordKind::Row);
    }

    #[test]
    fn every_file_is_named_with_its_key() {
        let config: GenerateConfig = read_text("prompt = \"p\"\nschema = \"s\"\ntable = \"t.csv\"").unwrap();
        let keys: Vec<&str> = config.files().iter().map(|file| file.key).collect();
        assert_eq!(keys, ["prompt", "schema", "table"]);
        assert_eq!((config.role(), config.asks.get()), (Some("generator"), 3));
    }

    #[test]
    fn a_prompt_is_needed() {
        assert_eq!(read_text::<GenerateConfig>("count = 1").unwrap_err(), ["missing key `prompt` in the test"]);
    }
}
