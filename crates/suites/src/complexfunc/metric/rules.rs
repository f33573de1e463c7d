//! By which rules a trajectory is judged.

use crate::python;
use crate::record::{BorrowedValue, FunctionCall, Object, Value};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Whose runner the authors' evaluator stands in for: they differ in how calls are decoded, and in some ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// An endpoint that speaks OpenAI's protocol.
    #[default]
    Gpt,
    /// Qwen's.
    Qwen,
    /// Claude's.
    Claude,
}

/// How our own profile is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strict {
    /// So many turns with calls, and no more.
    pub max_turns: usize,
    /// Whether a turn of nothing but wrong values ends the sample, as it does for the authors.
    pub ends_when_all_wrong: bool,
}

/// By which rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rules {
    /// The authors' evaluator with its faults.
    Upstream(Dialect),
    /// Ours.
    Strict(Strict),
}

/// How calls that are left over on both sides are likened to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Similarity {
    /// By their names and shared arguments.
    #[default]
    Structured,
    /// By their runs of three letters, hashed to 256 places.
    Trigram256,
    /// By somebody else, who is asked.
    Embedding,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Gpt, Self::Qwen, Self::Claude];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gpt => "gpt",
            Self::Qwen => "qwen",
            Self::Claude => "claude",
        }
    }
}

impl Default for Strict {
    fn default() -> Self {
        Self { max_turns: 30, ends_when_all_wrong: false }
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self::Strict(Strict::default())
    }
}

impl Rules {
    /// Our own settings, where these are our rules.
    pub(super) fn strict(self) -> Option<Strict> {
        match self {
            Self::Strict(strict) => Some(strict),
            Self::Upstream(_) => None,
        }
    }

    /// The name of the runner whose rules these are; ours are `strict`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Upstream(dialect) => dialect.as_str(),
            Self::Strict(_) => "strict",
        }
    }

    /// Whether these are our own rules.
    pub fn is_strict(self) -> bool {
        self.strict().is_some()
    }

    /// Whether this dialect's runner is meant; never by our own rules.
    pub(super) fn is(self, dialect: Dialect) -> bool {
        self == Self::Upstream(dialect)
    }

    /// Whether two values are equal: by quantity, or as Python has it, to whom `True` is 1.
    pub(super) fn equal(self, one: &Value, other: &Value) -> bool {
        match (one, other) {
            (Value::String(one), Value::String(other)) => one == other,
            (Value::Number(one), Value::Number(other)) if one == other => one.as_str() != "NaN",
            _ if self.is_strict() => one.equals(other),
            _ => python::equals(&BorrowedValue::from(one), &BorrowedValue::from(other)),
        }
    }

    /// Whether two values of a parameter are equal; the names in a set may come in any order.
    pub(super) fn equal_argument(self, settings: &Settings, parameter: &str, one: &Value, other: &Value) -> bool {
        self.equal(one, other) || settings.is_set(parameter, self.is_strict()) && is_same_set(one, other)
    }
}

fn is_same_set(one: &Value, other: &Value) -> bool {
    let names =
        |value: &Value| value.as_str().map(|text| text.split(',').map(python::trim).map(str::to_owned).collect());
    let (one, other): (Option<BTreeSet<String>>, Option<BTreeSet<String>>) = (names(one), names(other));
    one.is_some() && one == other
}

// What the evaluator knows of a set of APIs besides their schemas.

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
mod rules_tests {
    use super::super::rules::tests::settings;
    use super::*;

    const UPSTREAM: Rules = Rules::Upstream(Dialect::Gpt);

    fn equal(rules: Rules, one: &str, other: &str) -> bool {
        rules.equal(&Value::read_lenient(one).unwrap().0, &Value::read_lenient(other).unwrap().0)
    }

    #[test]
    fn to_python_true_is_one_and_to_us_it_is_not() {
        let strict = Rules::default();
        for (one, other) in [("true", "1"), ("0.0", "false")] {
            assert!(equal(UPSTREAM, one, other) && !equal(strict, one, other), "{one} {other}");
        }
        for (one, other) in [("2", "2.0"), ("\"a\"", "\"a\""), (r#"{"a": [1], "b": 2}"#, r#"{"b": 2.0, "a": [1]}"#)] {
            assert!(equal(UPSTREAM, one, other) && equal(strict, one, other), "{one} {other}");
        }
        for (one, other) in [("NaN", "NaN"), ("1", "\"1\""), ("null", "false"), ("\"a\"", "\"A\"")] {
            assert!(!equal(UPSTREAM, one, other) && !equal(strict, one, other), "{one} {other}");
        }
    }

    #[test]
    fn the_names_of_a_set_may_come_in_any_order() {
        let equal = |parameter: &str, one: &str, other: &str| {
            UPSTREAM.equal_argument(&settings(), parameter, &one.into(), &other.into())
        };
        assert!(equal("tags", "a, b,c", "c,a ,b,a") && !equal("tags", "a,b", "a") && !equal("day", "a,b", "b,a"));
        assert!(!UPSTREAM.equal_argument(&settings(), "tags", &Value::Null, &"".into()));
    }

    #[test]
    fn a_dialect_is_of_the_authors_rules_alone() {
        assert!(UPSTREAM.is(Dialect::Gpt) && !UPSTREAM.is(Dialect::Qwen) && !UPSTREAM.is_strict());
        assert!(Dialect::ALL.iter().all(|dialect| !Rules::default().is(*dialect)));
        assert_eq!(Dialect::ALL.map(Dialect::as_str), ["gpt", "qwen", "claude"]);
        assert_eq!((UPSTREAM.name(), Rules::default().name()), ("gpt", "strict"));
        assert_eq!(Rules::default().strict(), Some(Strict { max_turns: 30, ends_when_all_wrong: false }));
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
