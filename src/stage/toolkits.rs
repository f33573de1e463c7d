//! Lets a model make a toolkit for each category, from the functions that are wanted in it.
//!
//! Names come as the model gives them: `normalise` puts them in order.

use super::facts::{Content, NamedFile, StageConfig};
use crate::config::{Count, Located, count};
use crate::record::RecordKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lets a model make a toolkit for each category, from the functions that are wanted in it.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolkitsConfig {
    /// A TOML file of categories with their wanted functions; the shipped ones of `mobile` where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub categories: Option<Located>,
    /// Least tools of a category; a toolkit with fewer is asked for again.
    #[serde(default = "count::<5>")]
    pub per_category: Count,
    /// How often a reply that cannot be used is asked for, the first time included.
    #[serde(default = "count::<3>")]
    pub asks: Count,
}

impl StageConfig for ToolkitsConfig {
    fn kind(&self) -> &'static str {
        "toolkits"
    }

    fn input(&self) -> &'static [RecordKind] {
        &[]
    }

    fn output(&self) -> RecordKind {
        RecordKind::Tool
    }

    fn role(&self) -> Option<&'static str> {
        Some("generator")
    }

    fn files(&self) -> Vec<NamedFile<'_>> {
        let named = |path| NamedFile { key: "categories", path, content: Content::Categories };
        self.categories.iter().map(named).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::section::read_text;

    #[test]
    fn toolkits_need_nothing_but_a_model() {
        let config: ToolkitsConfig = read_text("").unwrap();
        assert_eq!((config.per_category.get(), config.asks.get()), (5, 3));
        assert_eq!((config.role(), config.output()), (Some("generator"), RecordKind::Tool));
        assert!(config.input().is_empty() && config.files().is_empty());
    }

    #[test]
    fn own_categories_are_a_file() {
        let config: ToolkitsConfig = read_text("categories = \"mine.toml\"").unwrap();
        assert_eq!(config.files()[0].path.as_str(), "mine.toml");
    }
}
