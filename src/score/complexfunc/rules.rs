//! By which rules a trajectory is judged.

use super::settings::Settings;
use crate::python;
use crate::record::{BorrowedValue, Value};
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

#[cfg(test)]
mod tests {
    use super::super::settings::tests::settings;
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
