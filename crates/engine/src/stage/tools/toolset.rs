//! Yields the tools of a toolset, in the run's locale.
//!
//! It never changes a tool: `normalise` does that.

use crate::record::{Catalogue, Item, ItemId, Provenance, Record, RecordKind, Tool};
use crate::settings::Located;
use crate::stage::context::Context;
use crate::stage::facts::{Content, Settings, StageMeta};
use crate::stage::source::Source;
use crate::stage::work::Stage;
use crate::toolset::Toolset;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Yields the tools of a toolset in the run's locale.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolsetConfig {
    /// Name of a built-in toolset (`mobile`), a folder, or a `.json` list of tools in the OpenAI format.
    pub path: Located,
    /// Only tools of these categories, by full name or last part; `*` matches any characters (`Navigation.*`). Default:
    /// all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
    /// What a source item is: one tool, or one domain with all its tools.
    #[serde(default)]
    pub by: Grouping,
    /// With `by = "domain"`: whether to yield all domains together as well, under the name `cross`.
    #[serde(default)]
    pub cross: bool,
}

/// What a source item of a toolset is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Grouping {
    /// One tool.
    #[default]
    Tool,
    /// One domain (the part of the tools' names before the first dot) with all its tools.
    Domain,
}

impl Stage for ToolsetConfig {
    fn meta(&self) -> StageMeta {
        let output = match self.by {
            Grouping::Tool => RecordKind::Tool,
            Grouping::Domain => RecordKind::Catalogue,
        };
        StageMeta::source("toolset", output)
    }

    fn settings(&self) -> Settings<'_> {
        let it = Settings { toolset: Some(self), ..Settings::default() };
        it.file("path", &self.path, Content::Toolset)
    }

    fn toolset_path(&mut self) -> Option<&mut Located> {
        Some(&mut self.path)
    }

    fn roots(&self, context: &Context) -> Source {
        Source::Items(self.source(context))
    }
}

impl ToolsetConfig {
    /// The tools of the chosen categories, or their domains, each the root of its items.
    pub fn source(&self, context: &Context) -> Vec<Item> {
        let toolset = context.toolset();
        // A run knows the tools of all its toolsets together, so that each can stand among the others.
        let own = |name: &String| toolset.origins.get(name).is_none_or(|path| *path == *self.path);
        let tools = toolset.tools.iter().filter(|tool| own(&tool.name) && self.chooses(category(toolset, tool)));
        match self.by {
            Grouping::Tool => tools.map(|tool| root(toolset.key(&tool.name), Record::Tool(tool.clone()))).collect(),
            Grouping::Domain => domains(toolset, tools, self.cross),
        }
    }

    /// Whether a category is wanted: one of the patterns is its name or the last part of it, or none is given.
    fn chooses(&self, category: &str) -> bool {
        self.categories.is_empty() || self.categories.iter().any(|pattern| fits(pattern, category))
    }

    /// The patterns that none of the known categories is like.
    pub fn idle_patterns(&self, known: &[&str]) -> impl Iterator<Item = &str> {
        let idle = |pattern: &&String| !known.iter().any(|category| fits(pattern, category));
        self.categories.iter().filter(idle).map(String::as_str)
    }
}

/// The name under which all domains of a toolset stand together.
pub const CROSS: &str = "cross";

/// The category of a tool: the first parts of its name, or the file that declares one with a bare name.
fn category<'a>(toolset: &'a Toolset, tool: &'a Tool) -> &'a str {
    let declared = || toolset.world.as_ref()?.functions.get(&tool.name).map(|function| function.domain.as_str());
    if tool.category().is_empty() { declared().unwrap_or_default() } else { tool.category() }
}

fn root(name: &str, record: Record) -> Item {
    let id = ItemId::root(name);
    Item { root: id.clone(), id, record, provenance: Provenance::default() }
}

fn domains<'t>(toolset: &Toolset, tools: impl Iterator<Item = &'t Arc<Tool>>, cross: bool) -> Vec<Item> {
    let mut domains: IndexMap<&str, Vec<Arc<Tool>>> = IndexMap::new();
    for tool in tools {
        let declared = toolset.world.as_ref().and_then(|world| world.functions.get(&tool.name));
        let own = || tool.name.split_once('.').map_or(toolset.name.as_str(), |(domain, _)| domain);
        domains.entry(declared.map_or_else(own, |it| it.domain.as_str())).or_default().push(tool.clone());
    }
    // Of one domain alone there is nothing to cross.
    if cross && domains.len() > 1 {
        let all: Vec<Arc<Tool>> = domains.values().flatten().cloned().collect();
        domains.insert(CROSS, all);
    }
    let own = |name: &str| toolset.categories.get(name).map_or_else(|| name.to_owned(), |it| it.title.clone());
    // All together have no name of their own that anybody would know.
    let all: Vec<String> = domains.keys().filter(|name| **name != CROSS).map(|name| own(name)).collect();
    let title = |name: &str| if name == CROSS { all.join(" / ") } else { own(name) };
    let item = |(domain, tools): (&str, Vec<Arc<Tool>>)| {
        let catalogue = Catalogue { domain: domain.to_owned(), title: title(domain), tools };
        root(domain, Record::Catalogue(Arc::new(catalogue)))
    };
    domains.into_iter().map(item).collect()
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
    use super::*;
    use crate::settings::section::read_text;
    use crate::stage::testing::{silent, with_shared};

    #[test]
    fn a_toolset_is_a_source_of_tools() {
        let config: ToolsetConfig = read_text("path = \"mobile\"\ncategories = [\"A.*\"]").unwrap();
        assert_eq!(config.categories.len(), 1);
        assert_eq!(config.settings().files[0].content, Content::Toolset);
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
    fn a_domain_is_a_root_with_all_its_tools() {
        let config: ToolsetConfig = read_text("path = \"x\"\nby = \"domain\"").unwrap();
        assert_eq!(config.output(), RecordKind::Catalogue);
        let items = config.source(&silent());
        let tools = items.iter().map(|item| {
            let Record::Catalogue(catalogue) = &item.record else { panic!("no catalogue") };
            assert!(catalogue.tools.iter().all(|tool| tool.name.starts_with(&catalogue.domain)));
            assert_eq!((item.id.as_str(), &item.root), (catalogue.domain.as_str(), &item.id));
            catalogue.tools.len()
        });
        assert_eq!((items.len() > 1, tools.sum::<usize>()), (true, 12));
        let some: ToolsetConfig = read_text("path = \"x\"\nby = \"domain\"\ncategories = [\"Travel.*\"]").unwrap();
        assert_eq!(some.source(&silent()).len(), 1);
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
