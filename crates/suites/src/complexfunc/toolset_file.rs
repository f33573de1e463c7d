//! `toolset.json`: what a benchmark's evaluator must know of its functions, as a declared world says it.

use crate::complexfunc::metric::{FreeByArgument, Settings};
use crate::record::{Constraint, Object, Tool, Value};
use crate::toolset::{Declaration, Function, Tally};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

use super::profile::own_settings;

/// What a toolset says of its functions besides what the evaluator needs; it stands in the same file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FunctionFacts {
    /// Groups of functions that overlap, by function: of one group no two are offered together.
    pub overlap: IndexMap<String, Vec<String>>,
    /// What parameters constrain, by function and parameter.
    pub constraints: IndexMap<String, IndexMap<String, Constraint>>,
    /// The fields of an answer that a request for it asks for, by function, as paths in the whole answer.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub goal_fields: IndexMap<String, Vec<String>>,
    /// What the lists of an answer come to, by function.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub tallies: IndexMap<String, Vec<Tally>>,
    /// The functions whose calls change something.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
}

/// The evaluator's settings for a declared world.
pub fn declared_settings(world: &Declaration) -> Settings {
    let named = |wanted: &dyn Fn(&Function) -> bool| -> Vec<String> {
        world.functions.values().filter(|function| wanted(function)).map(|function| function.name.clone()).collect()
    };
    let sets = set_valued(world);
    Settings {
        free_functions: named(&|function| function.free),
        free_removed_at_end: named(&|function| function.free && function.forgiven),
        free_by_argument: world.functions.values().find_map(free_by_argument),
        set_valued_parameter: sets.first().cloned(),
        set_valued_parameters: if sets.len() > 1 { sets } else { Vec::new() },
        exact_match_values: world.exact_parameters(),
    }
}

/// The same for tools of which nothing is declared: none is a lookup, and no value must be exact.
pub fn undeclared_settings(tools: &[Arc<Tool>]) -> Settings {
    let exact_match_values = tools.iter().map(|tool| (tool.name.clone(), Vec::new())).collect();
    Settings { exact_match_values, ..Settings::default() }
}

/// `toolset.json` as a whole.
pub fn toolset_file(settings: &Settings, facts: &FunctionFacts) -> Object {
    let object = |value: serde_json::Result<serde_json::Value>| {
        value.ok().and_then(|value| Value::from(value).as_object().cloned()).unwrap_or_default()
    };
    let mut file = object(serde_json::to_value(settings));
    file.extend(object(serde_json::to_value(facts)));
    file
}

impl FunctionFacts {
    /// What a declared world says.
    pub fn of(world: &Declaration) -> Self {
        let functions = || world.functions.values();
        let groups = functions().filter(|function| !function.overlap.is_empty());
        let of = |function: &Function| {
            let told = function.parameters.iter().filter_map(|(name, param)| Some((name.clone(), param.constraint?)));
            (function.name.clone(), told.collect::<IndexMap<_, _>>())
        };
        Self {
            overlap: groups.map(|function| (function.name.clone(), function.overlap.clone())).collect(),
            constraints: functions().map(of).filter(|(_, constraints)| !constraints.is_empty()).collect(),
            goal_fields: functions().map(goal_fields).filter(|(_, fields)| !fields.is_empty()).collect(),
            tallies: functions()
                .filter(|it| !it.tallies.is_empty())
                .map(|it| (it.name.clone(), it.tallies.values().cloned().collect()))
                .collect(),
            changes: functions().filter(|it| changes(it)).map(|function| function.name.clone()).collect(),
        }
    }

    /// What the benchmark in a folder says of its functions; nothing where it has no such file.
    pub fn beside(folder: &Path) -> Self {
        let text = own_settings(folder).and_then(|path| std::fs::read_to_string(path).ok());
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    /// The group in which two functions overlap.
    pub fn shared_group(&self, one: &str, other: &str) -> Option<&str> {
        let groups = |name: &str| self.overlap.get(name).map_or(&[][..], Vec::as_slice);
        let shared = groups(one).iter().find(|group| groups(other).contains(group));
        shared.filter(|_| one != other).map(String::as_str)
    }
}

/// The fields that a request for a function asks for, by their paths in the whole answer.
fn goal_fields(function: &Function) -> (String, Vec<String>) {
    let path = |field: &String| {
        let parts = function.data.split('/').filter(|part| !part.is_empty()).chain([field.as_str()]);
        parts.collect::<Vec<_>>().join(".")
    };
    (function.name.clone(), function.goal_fields.iter().map(path).collect())
}

fn changes(function: &Function) -> bool {
    function.writes || !function.changes().is_empty()
}

/// The names of parameters that are sets, those of the most functions first.
fn set_valued(world: &Declaration) -> Vec<String> {
    let mut counts: IndexMap<&str, usize> = IndexMap::new();
    for (name, _) in world.functions.values().flat_map(|it| &it.parameters).filter(|(_, param)| param.set) {
        *counts.entry(name).or_default() += 1;
    }
    counts.sort_by(|_, one, _, other| other.cmp(one));
    counts.into_keys().map(str::to_owned).collect()
}

/// The one argument that makes a call a lookup. The authors' evaluator breaks off where a golden call does not have it.
fn free_by_argument(function: &Function) -> Option<FreeByArgument> {
    let is_required = |name: &str| function.parameters.get(name).is_some_and(|param| param.required);
    let (argument, equals) = function.free_when.iter().next().filter(|_| function.free_when.len() == 1)?;
    is_required(argument).then(|| FreeByArgument {
        name: function.name.clone(),
        argument: argument.clone(),
        equals: equals.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complexfunc::settings_of;
    use crate::toolset::Toolset;

    fn world(path: &str) -> Arc<Declaration> {
        Toolset::load(crate::fixtures::assets(), path, "en").unwrap().world.unwrap()
    }

    #[test]
    fn a_declared_world_says_what_the_evaluator_must_know() {
        let settings = declared_settings(&world("tests/fixtures/toolsets/inn"));
        assert_eq!(settings.free_functions, ["Find_Town", "Locate_Town"]);
        assert_eq!(settings.free_removed_at_end, ["Find_Town"]);
        assert_eq!(
            (settings.set_valued_parameter.as_deref(), settings.set_valued_parameters.len()),
            (Some("filters"), 0)
        );
        assert_eq!(settings.exact_match_values["Search_Inns"], ["town_id", "arrival", "departure", "filters"]);
        // Its argument may be left out, and then nobody could tell.
        assert_eq!(settings.free_by_argument, None);
    }

    #[test]
    fn travel_is_told_in_the_authors_terms() {
        let settings = declared_settings(&world("travel"));
        let free = settings.free_by_argument.as_ref().unwrap();
        assert_eq!(
            (free.name.as_str(), free.argument.as_str(), free.equals.as_str()),
            ("Search_Hotels", "search_type", Some("hotel"))
        );
        assert_eq!(settings.set_valued_parameter.as_deref(), Some("categories_filter"));
        assert_eq!(settings.set_valued_parameters, ["categories_filter", "type_filters", "extra_ids"]);
        assert!(settings.free_functions.len() == settings.free_removed_at_end.len() + 1);
    }

    #[test]
    fn a_file_is_read_back_by_whoever_needs_a_part_of_it() {
        let world = world("travel");
        let (settings, facts) = (declared_settings(&world), FunctionFacts::of(&world));
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("benchmark")).unwrap();
        let text = serde_json::to_string_pretty(&toolset_file(&settings, &facts)).unwrap();
        std::fs::write(folder.path().join("benchmark/toolset.json"), text).unwrap();
        assert_eq!(settings_of(crate::fixtures::assets(), folder.path()).unwrap(), settings);
        assert_eq!(FunctionFacts::beside(folder.path()), facts);
        assert_eq!(facts.goal_fields["Get_Hotel_Payment_Options"], ["data.methods.*.name"]);
        assert!(facts.changes.contains(&"Book_Taxi".to_owned()) && !facts.changes.contains(&"Search_Taxi".to_owned()));
        assert!(facts.shared_group("Search_Hotel_Destination", "Location_To_Coordinates").is_some());
        assert_eq!(facts.shared_group("Search_Hotels", "Search_Hotels"), None);
        assert_eq!(FunctionFacts::beside(&folder.path().join("none")), FunctionFacts::default());
    }

    #[test]
    fn tools_of_which_nothing_is_declared_are_named_all_the_same() {
        let tool = Arc::new(Tool { name: "Find".to_owned(), ..Tool::default() });
        let settings = undeclared_settings(&[tool]);
        assert!(settings != Settings::default() && settings.exact_match_values["Find"].is_empty());
    }
}
