//! What the evaluator knows of a set of APIs besides their schemas.

use crate::record::{FunctionCall, Object, Value};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// The evaluator's settings for a set of APIs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Lookups: a model may call them at any time, or not at all.
    pub free_functions: Vec<String>,
    /// Those of them that may be left open at the end.
    pub free_removed_at_end: Vec<String>,
    /// A call that counts as a lookup by the value of one of its arguments.
    pub free_by_argument: Option<FreeByArgument>,
    /// The parameter whose value is a set, written with commas.
    pub set_valued_parameter: Option<String>,
    /// All such parameters, where there are several; the authors' evaluator knows of one alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set_valued_parameters: Vec<String>,
    /// By function, the parameters whose values must be exactly the right ones.
    pub exact_match_values: IndexMap<String, Vec<String>>,
}

/// A call that is a lookup if one of its arguments has this value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FreeByArgument {
    /// The function.
    pub name: String,
    /// The argument.
    pub argument: String,
    /// Its value.
    pub equals: Value,
}

/// What is known of a call that may be free by its argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ByArgument {
    /// It is not.
    No,
    /// It is.
    Yes,
    /// The argument that tells is absent.
    Untold,
}

impl Settings {
    /// Whether a function is a lookup.
    pub(super) fn is_lookup(&self, name: &str) -> bool {
        self.free_functions.iter().any(|other| other == name)
    }

    /// Whether an open call of a function is forgiven at the end.
    pub(super) fn is_forgiven(&self, name: &str) -> bool {
        self.free_removed_at_end.iter().any(|other| other == name)
    }

    /// Whether a call is a lookup by the value of an argument.
    pub(super) fn by_argument(&self, name: &str, arguments: &Object) -> ByArgument {
        let Some(rule) = self.free_by_argument.as_ref().filter(|rule| rule.name == name) else { return ByArgument::No };
        match arguments.get(&rule.argument) {
            None => ByArgument::Untold,
            Some(value) if value.equals(&rule.equals) => ByArgument::Yes,
            Some(_) => ByArgument::No,
        }
    }

    /// Whether a parameter's value is a set; by our own rules it may be one of several such parameters.
    pub(super) fn is_set(&self, parameter: &str, is_strict: bool) -> bool {
        let is_listed = || self.set_valued_parameters.iter().any(|other| other == parameter);
        self.set_valued_parameter.as_deref() == Some(parameter) || is_strict && is_listed()
    }

    /// Whether a golden call may be left out without harm: its function is a forgiven lookup, or its arguments make it one.
    pub fn may_be_left_out(&self, call: &FunctionCall) -> bool {
        self.is_forgiven(&call.name) || self.by_argument(&call.name, &call.arguments) == ByArgument::Yes
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn settings() -> Settings {
        let text = r#"{
            "free_functions": ["Find_Place", "Find_Town"],
            "free_removed_at_end": ["Find_Town"],
            "free_by_argument": {"name": "Search", "argument": "kind", "equals": "inn"},
            "set_valued_parameter": "tags",
            "exact_match_values": {"Find_Place": [], "Find_Town": [], "Search": ["day", "tags"], "Detail": ["token"], "Quote": []},
            "judge": {"otherwise": false}}"#;
        serde_json::from_str(text).unwrap()
    }

    fn by_argument(arguments: &str) -> ByArgument {
        settings().by_argument("Search", &serde_json::from_str(arguments).unwrap())
    }

    #[test]
    fn lookups_are_known_by_name() {
        let settings = settings();
        assert!(settings.is_lookup("Find_Place") && !settings.is_lookup("Search"));
        assert!(settings.is_forgiven("Find_Town") && !settings.is_forgiven("Find_Place"));
        assert!(settings.is_set("tags", false) && !settings.is_set("day", true));
        assert!(!Settings::default().is_set("tags", true));
        let several = Settings { set_valued_parameters: vec!["day".to_owned()], ..settings };
        assert!(several.is_set("day", true) && !several.is_set("day", false) && several.is_set("tags", true));
    }

    #[test]
    fn a_call_may_be_a_lookup_by_an_argument_that_must_be_there_to_tell() {
        assert_eq!(by_argument(r#"{"kind": "inn"}"#), ByArgument::Yes);
        assert_eq!(by_argument(r#"{"kind": "town"}"#), ByArgument::No);
        assert_eq!(by_argument("{}"), ByArgument::Untold);
        assert_eq!(settings().by_argument("Detail", &Object::new()), ByArgument::No);
        assert_eq!(Settings::default().by_argument("Search", &Object::new()), ByArgument::No);
    }

    #[test]
    fn a_forgiven_lookup_may_be_left_out_and_so_may_one_by_its_argument() {
        let may = |json: &str| settings().may_be_left_out(&serde_json::from_str(json).unwrap());
        assert!(may(r#"{"name": "Find_Town", "arguments": {}}"#));
        assert!(may(r#"{"name": "Search", "arguments": {"kind": "inn"}}"#));
        assert!(!may(r#"{"name": "Search", "arguments": {}}"#) && !may(r#"{"name": "Find_Place", "arguments": {}}"#));
    }

    #[test]
    fn settings_may_say_nothing_and_are_written_as_they_are_read() {
        assert_eq!(serde_json::from_str::<Settings>("{}").unwrap(), Settings::default());
        let text = serde_json::to_string(&settings()).unwrap();
        assert_eq!(serde_json::from_str::<Settings>(&text).unwrap(), settings());
    }
}
