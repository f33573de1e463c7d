//! Yields the tools of a toolset, in the run's locale.
//!
//! It never changes a tool: `normalise` does that.

use super::context::Context;
use super::facts::{Content, NamedFile, StageConfig};
use crate::config::Located;
use crate::record::RecordKind;
use crate::record::{Item, ItemId, Provenance, Record};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Yields the tools of a toolset, in the run's locale.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolsetConfig {
    /// A shipped toolset's name (`mobile`), a folder, or a `.json` list of tools in the OpenAI shape.
    pub path: Located,
    /// Only tools of these categories, by their whole name or its last part; `*` stands for any letters (`Navigation.*`).
    /// All where it is absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
}

impl StageConfig for ToolsetConfig {
    fn kind(&self) -> &'static str {
        "toolset"
    }

    fn input(&self) -> &'static [RecordKind] {
        &[]
    }

    fn output(&self) -> RecordKind {
        RecordKind::Tool
    }

    fn files(&self) -> Vec<NamedFile<'_>> {
        vec![NamedFile { key: "path", path: &self.path, content: Content::Toolset }]
    }
}

impl ToolsetConfig {
    /// The tools of the chosen categories, each the root of its items.
    pub(super) fn source(&self, context: &Context) -> Vec<Item> {
        let toolset = &context.shared.toolset;
        // A run knows the tools of all its toolsets together, so that each can stand among the others.
        let own = |name: &String| toolset.origins.get(name).is_none_or(|path| *path == *self.path);
        let tools = toolset.tools.iter();
        tools
            .filter(|tool| own(&tool.name) && self.chooses(tool.category()))
            .map(|tool| {
                let id = ItemId::root(&tool.name);
                Item { root: id.clone(), id, record: Record::Tool(tool.clone()), provenance: Provenance::default() }
            })
            .collect()
    }

    /// Whether a category is wanted: one of the patterns is its name or the last part of it, or none is given.
    fn chooses(&self, category: &str) -> bool {
        self.categories.is_empty() || self.categories.iter().any(|pattern| fits(pattern, category))
    }

    /// The patterns that none of the known categories is like.
    pub(crate) fn idle_patterns(&self, known: &[&str]) -> impl Iterator<Item = &str> {
        let idle = |pattern: &&String| !known.iter().any(|category| fits(pattern, category));
        self.categories.iter().filter(idle).map(String::as_str)
    }
}

fn fits(pattern: &str, category: &str) -> bool {
    let last = category.rsplit('.').next().unwrap_or(category);
    matches(pattern, category) || matches(pattern, last)
}

/// Whether a text is as the pattern says, in which `*` stands for any letters.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(left) = text.strip_prefix(head) else { return false };
    let mut ends = left.char_indices().map(|(place, _)| place).chain([left.len()]);
    ends.any(|place| left.get(place..).is_some_and(|tail| matches(rest, tail)))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{silent, with_shared};
    use super::*;
    use crate::config::section::read_text;
    use std::sync::Arc;

    #[test]
    fn a_toolset_is_a_source_of_tools() {
        let config: ToolsetConfig = read_text("path = \"mobile\"\ncategories = [\"A.*\"]").unwrap();
        assert!(config.input().is_empty());
        assert_eq!((config.output(), config.categories.len()), (RecordKind::Tool, 1));
        assert_eq!(config.files()[0].content, Content::Toolset);
    }

    #[test]
    fn it_needs_a_path() {
        assert_eq!(read_text::<ToolsetConfig>("").unwrap_err(), ["missing key `path` in the test"]);
    }

    fn names(settings: &str) -> Vec<String> {
        let config: ToolsetConfig = read_text(&format!("path = \"x\"\n{settings}")).unwrap();
        config.source(&silent()).into_iter().map(|item| item.id.to_string()).collect()
    }

    #[test]
    fn every_tool_is_the_root_of_its_items() {
        let config: ToolsetConfig = read_text("path = \"x\"").unwrap();
        let items = config.source(&silent());
        assert_eq!(items.len(), 12);
        for item in &items {
            let Record::Tool(tool) = &item.record else { panic!("no tool") };
            assert_eq!((item.id.as_str(), &item.root), (tool.name.as_str(), &item.id));
            assert_eq!(item.provenance, Provenance::default());
        }
    }

    #[test]
    fn a_stage_yields_the_tools_of_its_own_toolset_alone() {
        let config: ToolsetConfig = read_text("path = \"x\"").unwrap();
        let context = with_shared(silent(), |shared| {
            let mut toolset = (*shared.toolset).clone();
            let path = |place: usize| if place < 5 { "x" } else { "y" }.to_owned();
            let named = toolset.tools.iter().enumerate().map(|(place, tool)| (tool.name.clone(), path(place)));
            toolset.origins = named.collect();
            shared.toolset = Arc::new(toolset);
        });
        assert_eq!(config.source(&context).len(), 5);
    }

    #[test]
    fn categories_are_chosen_by_their_name_or_the_last_part_of_it() {
        assert_eq!(names("categories = [\"Travel.Trains\"]").len(), 3);
        assert_eq!(names("categories = [\"Travel.*\"]").len(), 6);
        assert_eq!(names("categories = [\"Lamps\", \"Notes\"]").len(), 6);
        assert_eq!(names("categories = [\"*Trains\"]").len(), 3);
        assert!(names("categories = [\"Garden\", \"Travel\", \"Trai\", \"amps\"]").is_empty());
    }
}
