//! Toolsets: tools with what people say about them, joined by name from structure and locale text.

mod alike;
mod answers;
mod declared;
mod finding;
mod folder;
mod goal;
pub mod import;
mod lint;
mod list;
mod located;
mod mentions;
mod nearest;
pub(crate) mod resources;
mod scenarios;
mod thread;
mod write;

pub use answers::{Answers, Recorded, RecordedCall, Unanswered, after_change, call_key};
#[cfg(any(test, feature = "fixtures"))]
pub use declared::testing;
pub use declared::{
    Case, CaseField, Cases, Choice, Criterion, Declaration, Fold, Follows, Forking, Format, Function, Param, Pick,
    Quality, Tally, Wanted,
};
pub(crate) use declared::{Cell, Column, Expression, Node, Step, TableSpec, Values, from_cell, text_of, to_cell};
use fcgen_core::assets::Assets;
pub use finding::{Finding, Severity, Side};
pub use goal::{Feed, Goal, GoalCall, Vague};
pub use lint::{lint, take_spoilt};
pub use list::list_categories;
pub use located::{Location, Locations};
pub use mentions::{Names, each_description};
use nearest::nearest_name;
pub use resources::{
    Answer, Api, Content, Domain, Fault, Field, Formula, Matter, Operation, Resource, Saying, Shape, Slot,
};
pub use thread::{Fact, Thread, ThreadGoal};
pub use write::{unwritable, write_folder};

use fcgen_core::locale::{BundleText, FALLBACK, KindText, LocaleError, Pack};
use fcgen_core::record::{Phrases, Tool};
use indexmap::IndexMap;
use std::sync::Arc;

/// A set of tools in one locale.
#[derive(Debug, Clone, Default)]
pub struct Toolset {
    /// Its name: the folder's or the file's.
    pub name: String,
    /// Licence of its content.
    pub licence: String,
    /// The tools, by category and in declared order.
    pub tools: Vec<Arc<Tool>>,
    /// The path that each tool was loaded from, by the tool's name.
    pub origins: IndexMap<String, String>,
    /// The categories, by name.
    pub categories: IndexMap<String, Category>,
    /// What people say when they want a tool, by its name. It is kept apart from the tools, so that no reader sees it.
    pub phrases: IndexMap<String, Arc<Phrases>>,
    /// Value kinds that it brings along.
    pub kinds: IndexMap<String, KindText>,
    /// Values of several kinds that belong together.
    pub bundles: Vec<BundleText>,
    /// Groups of words that people use for one thing; a reader may know them, as it knows its language.
    pub topics: Vec<Vec<String>>,
    /// The domains that are declared by resource, by name; empty where tools are declared one by one.
    pub domains: IndexMap<String, Arc<Domain>>,
    /// The names that structures share over locales, of tools that a locale names otherwise.
    pub keys: IndexMap<String, String>,
    /// What people want that takes several calls, by name.
    pub goals: IndexMap<String, Arc<Goal>>,
    /// Requests that could be for either of two tools or goals.
    pub vague: Vec<Vague>,
    /// The situations that people are in; empty where nobody wrote any.
    pub threads: Vec<Arc<Thread>>,
    /// The tables and functions of a declared world; absent where there is none.
    pub world: Option<Arc<Declaration>>,
}

impl Toolset {
    /// The situation of this name.
    pub fn thread(&self, name: &str) -> Option<&Arc<Thread>> {
        self.threads.iter().find(|thread| thread.name == name)
    }

    /// What people say of a tool or a goal.
    pub fn said_of(&self, name: &str) -> Option<&Arc<Phrases>> {
        self.phrases.get(name).or_else(|| self.goals.get(name).map(|goal| &goal.phrases))
    }
}

/// A group of tools with one purpose.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Category {
    /// Its title, in the locale's language.
    pub title: String,
    /// The wanted functions: HammerBench's reference message.
    pub wanted: String,
}

/// Why a toolset could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum ToolsetError {
    /// Nothing is there.
    #[error("no toolset `{path}`: neither a built-in toolset, nor a folder, nor a JSON file")]
    Missing {
        /// What was asked for.
        path: String,
    },
    /// A file is not what it should be.
    #[error("{path}: {message}")]
    File {
        /// Which file.
        path: String,
        /// What is wrong, with the place.
        message: String,
    },
    /// The toolset has no text in the locale.
    #[error("toolset `{toolset}` has no text for locale `{locale}`; available: {known}")]
    Locale {
        /// The toolset.
        toolset: String,
        /// The locale asked for.
        locale: String,
        /// The locales that it has.
        known: String,
    },
    /// A declaration by resource does not fit together.
    #[error("{}", lines(.faults))]
    Faults {
        /// Everything that is wrong, file by file.
        faults: Vec<Fault>,
    },
    /// A value kind or pattern of the toolset is faulty.
    #[error(transparent)]
    Pack(#[from] LocaleError),
}

impl Toolset {
    /// Loads a toolset: the name of a shipped one, a folder of the same form, or a JSON list of OpenAI-shaped tools.
    pub fn load(assets: &Assets, path: &str, locale: &str) -> Result<Self, ToolsetError> {
        Self::load_part(assets, path, locale, "")
    }

    /// As [`Toolset::load`], with the English text where the toolset has none in the locale.
    pub fn load_or_english(assets: &Assets, path: &str, locale: &str) -> Result<Self, ToolsetError> {
        Self::load(assets, path, &Self::text_locale(assets, path, locale))
    }

    /// The locale whose text of a toolset is read where another is asked for: that one, or English in its place.
    fn text_locale(assets: &Assets, path: &str, locale: &str) -> String {
        let known = folder_of(assets, path).map(|folder| folder::locales(assets, &folder)).unwrap_or_default();
        let is_missing = !known.is_empty() && !known.iter().any(|code| code == locale);
        let english = known.into_iter().find(|code| is_missing && code == FALLBACK);
        english.unwrap_or_else(|| locale.to_owned())
    }

    /// How many of its tools have the very description that they have in English, and of how many; none where the
    /// locale is English or the toolset has no other text.
    pub fn english_tools(assets: &Assets, path: &str, locale: &str) -> Option<(usize, usize)> {
        folder_of(assets, path).filter(|_| locale != FALLBACK)?;
        let (own, english) =
            (Self::load_or_english(assets, path, locale).ok()?, Self::load(assets, path, FALLBACK).ok()?);
        let key = |tool: &Tool| own.key(&tool.name).to_owned();
        let is_english = |tool: &&Arc<Tool>| {
            let key = key(tool);
            english.tools.iter().any(|other| english.key(&other.name) == key && other.description == tool.description)
        };
        Some((own.tools.iter().filter(is_english).count(), own.tools.len()))
    }

    /// As [`Toolset::load`], without the domains none of whose tools' names begin with `prefix`: their files are not read,
    /// so that one domain can be looked over while others are being written.
    pub fn load_part(assets: &Assets, path: &str, locale: &str, prefix: &str) -> Result<Self, ToolsetError> {
        let mut toolset = Self::read(assets, path, locale, prefix)?;
        toolset.origins = toolset.tools.iter().map(|tool| (tool.name.clone(), path.to_owned())).collect();
        Ok(toolset)
    }

    fn read(assets: &Assets, path: &str, locale: &str, prefix: &str) -> Result<Self, ToolsetError> {
        if std::path::Path::new(path).extension().is_some_and(|extension| extension == "json") {
            let text = std::fs::read_to_string(path)
                .map_err(|error| ToolsetError::File { path: path.to_owned(), message: error.to_string() })?;
            return list::read(path, &text);
        }
        let folder = &folder_of(assets, path).ok_or_else(|| ToolsetError::Missing { path: path.to_owned() })?;
        let holds = |part: &str| !assets.list(&format!("{folder}/{part}")).is_empty();
        folder::check_locale(assets, folder, locale)?;
        if holds("tools") {
            return folder::read(assets, folder, locale);
        }
        if holds("world") {
            declared::read(assets, folder, locale)
        } else {
            resources::read(assets, folder, locale, prefix)
        }
    }

    /// The files with the texts of a toolset that a locale lacks; none of what is no folder.
    pub fn gaps(assets: &Assets, path: &str, locale: &str) -> Vec<String> {
        let Some(folder) = folder_of(assets, path) else { return Vec::new() };
        let files = |locale: &str| assets.list(&format!("{folder}/{locale}"));
        let known = folder::locales(assets, &folder).into_iter().max_by_key(|code| files(code).len());
        let (all, own) = (known.map(|code| files(&code)).unwrap_or_default(), files(locale));
        all.into_iter().filter(|file| !own.contains(file)).map(|file| format!("{folder}/{locale}/{file}")).collect()
    }

    /// Adds another toolset's content to this one; of two tools with one name the first stays.
    pub fn join(&mut self, other: Self) {
        self.name = format!("{}+{}", self.name, other.name);
        let new: Vec<Arc<Tool>> = other.tools.into_iter().filter(|tool| self.tool(&tool.name).is_none()).collect();
        self.tools.extend(new);
        for (name, path) in other.origins {
            self.origins.entry(name).or_insert(path);
        }
        self.categories.extend(other.categories);
        self.phrases.extend(other.phrases);
        self.kinds.extend(other.kinds);
        self.bundles.extend(other.bundles);
        self.topics.extend(other.topics);
        for (name, domain) in other.domains {
            self.domains.entry(name).or_insert(domain);
        }
        for (name, key) in other.keys {
            self.keys.entry(name).or_insert(key);
        }
        for (name, goal) in other.goals {
            self.goals.entry(name).or_insert(goal);
        }
        self.vague.extend(other.vague);
        self.world = self.world.take().or(other.world);
    }

    /// The locales that a folder has text in; none of what is no folder.
    pub fn locales(assets: &Assets, path: &str) -> Vec<String> {
        folder_of(assets, path).map(|folder| folder::locales(assets, &folder)).unwrap_or_default()
    }

    /// The tools for which nobody has written what people say: neither phrases, nor a world, nor a declaration by resource.
    pub fn unspoken(&self) -> Vec<&str> {
        let declared = |tool: &Tool| {
            self.world.as_ref().is_some_and(|world| world.functions.contains_key(&tool.name))
                || self.domains.contains_key(tool.category())
                || tool.name.split_once('.').is_some_and(|(domain, _)| self.domains.contains_key(domain))
        };
        let silent = self.tools.iter().filter(|tool| !self.phrases.contains_key(&tool.name) && !declared(tool));
        silent.map(|tool| tool.name.as_str()).collect()
    }

    /// The name of a tool that all locales share.
    pub fn key<'a>(&'a self, name: &'a str) -> &'a str {
        self.keys.get(name).map_or(name, String::as_str)
    }

    /// The tool of that name.
    pub fn tool(&self, name: &str) -> Option<&Arc<Tool>> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// Gives the pack the value kinds and the groups of words that the toolset brings along.
    pub fn extend(&self, pack: &mut Pack) -> Result<(), LocaleError> {
        pack.reading.add_topics(&self.topics);
        pack.add_kinds(&self.name, self.kinds.clone())?;
        pack.add_bundles(&self.name, &self.bundles)
    }
}

/// The folder of a toolset: the one that is named, or a shipped one.
fn folder_of(assets: &Assets, path: &str) -> Option<String> {
    let holds = |folder: &str, part: &str| !assets.list(&format!("{folder}/{part}")).is_empty();
    let is_toolset = |folder: &String| ["tools", "resources", "world"].into_iter().any(|part| holds(folder, part));
    [path.to_owned(), format!("toolsets/{path}")].into_iter().find(is_toolset)
}

/// Every fault on a line of its own.
fn lines(faults: &[Fault]) -> String {
    faults.iter().map(Fault::to_string).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use fcgen_core::locale::Drawn;
    use fcgen_core::record::Chance;

    #[test]
    fn a_shipped_toolset_is_found_by_its_name_and_a_folder_by_its_path() {
        let shipped = crate::fixtures::toolset("mobile", "en");
        let by_path = crate::fixtures::toolset("toolsets/mobile", "en");
        assert_eq!((shipped.tools.len(), &shipped.name), (by_path.tools.len(), &by_path.name));
        let missing = Toolset::load(crate::fixtures::assets(), "no_such_set", "en").unwrap_err().to_string();
        assert_eq!(missing, "no toolset `no_such_set`: neither a built-in toolset, nor a folder, nor a JSON file");
    }

    #[test]
    fn a_json_file_is_read_and_a_missing_one_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.json");
        std::fs::write(&path, r#"{"tools": [{"name": "ping"}]}"#).unwrap();
        let toolset = Toolset::load(crate::fixtures::assets(), path.to_str().unwrap(), "en").unwrap();
        assert_eq!((toolset.name.as_str(), toolset.tools.len(), toolset.phrases.len()), ("mine", 1, 0));
        assert!(
            Toolset::load(crate::fixtures::assets(), "no/such.json", "en")
                .unwrap_err()
                .to_string()
                .starts_with("no/such.json: ")
        );
    }

    #[test]
    fn two_toolsets_are_one() {
        let mut whole = Toolset::load(crate::fixtures::assets(), "tests/fixtures/toolsets/proof", "en").unwrap();
        let (tools, phrases) = (whole.tools.len(), whole.phrases.len());
        let other = Toolset { name: "other".to_owned(), tools: vec![Arc::default()], ..Toolset::default() };
        whole.join(other);
        assert_eq!((whole.name.as_str(), whole.tools.len(), whole.phrases.len()), ("proof+other", tools + 1, phrases));
        assert!(whole.tool("Navigation.MapNavigation.planRoute").is_some() && whole.tool("x").is_none());
    }

    #[test]
    fn a_tool_knows_where_it_was_loaded_from_and_comes_once() {
        let path = "tests/fixtures/toolsets/proof";
        let mut whole = Toolset::load(crate::fixtures::assets(), path, "en").unwrap();
        assert!(whole.origins.values().all(|origin| origin == path) && whole.origins.len() == whole.tools.len());
        let tools = whole.tools.len();
        let again = Toolset::load(crate::fixtures::assets(), "./tests/fixtures/toolsets/proof", "en").unwrap();
        whole.join(again);
        assert_eq!(whole.tools.len(), tools);
        assert!(whole.origins.values().all(|origin| origin == path), "the first stays");
    }

    #[test]
    fn a_toolset_brings_its_kinds_and_words_along() {
        let kind: KindText = toml::from_str("values = [\"the blue one\"]").unwrap();
        let toolset = Toolset {
            kinds: IndexMap::from([("lamp_name".to_owned(), kind)]),
            topics: vec![vec!["lamp".to_owned(), "light".to_owned()]],
            ..Toolset::default()
        };
        let mut pack = Pack::load(crate::fixtures::assets(), "en").unwrap();
        assert!(pack.draw("lamp_name", &mut Chance::of(&[b"x"])).is_none());
        toolset.extend(&mut pack).unwrap();
        let drawn = pack.draw("lamp_name", &mut Chance::of(&[b"x"])).unwrap();
        assert_eq!(drawn, Drawn { value: "the blue one".into(), surface: "the blue one".to_owned() });
        assert_eq!(pack.reading.meanings("lamp"), pack.reading.meanings("light"));
    }
}
