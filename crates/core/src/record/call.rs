//! Function calls and their arguments.

use super::request::constraint::Constraint;
use super::value::Object;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A call of one tool: its name and its arguments by parameter name.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct FunctionCall {
    /// The tool's name.
    pub name: String,
    /// The arguments; a parameter that was not mentioned is absent.
    pub arguments: Object,
}

/// Provenance of a gold argument's value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// It occurs verbatim in the text.
    #[default]
    Verbatim,
    /// It occurs in the text in another form: a numeral as a word, a date in another order.
    Normalised,
    /// It is one of the parameter's enum values (or a boolean), expressed in other words.
    Enum,
    /// It is derived from the text by a reference time or by arithmetic.
    Inferred,
    /// It comes from the answer of an earlier call.
    Answer {
        /// Ordinal of the answered call, from 0.
        call: usize,
        /// The field of the answer, as a JSON pointer.
        field: String,
    },
    /// It is derived by arithmetic from the answer of an earlier call: an hour after landing.
    Derived {
        /// Ordinal of the answered call, from 0.
        call: usize,
        /// The field of the answer, as a JSON pointer.
        field: String,
    },
    /// It is the declared default of the parameter.
    Default,
    /// The text expresses it freely, and any wording is correct: the gold value is a placeholder.
    Open,
    /// The text does not give it: the gold value is a placeholder.
    Missing,
}

impl Origin {
    /// The word by which files and tables call it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Verbatim => "verbatim",
            Self::Normalised => "normalised",
            Self::Enum => "enum",
            Self::Inferred => "inferred",
            Self::Answer { .. } => "answer",
            Self::Derived { .. } => "derived",
            Self::Default => "default",
            Self::Open => "open",
            Self::Missing => "missing",
        }
    }
}

/// Notes on one gold argument.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Argument {
    /// The words of the text that give it; absent if the text does not give it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface: Option<String>,
    /// Provenance of the value.
    pub origin: Origin,
    /// What it constrains, if classified (`ComplexFuncBench`, table 4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constraint: Option<Constraint>,
}

impl Origin {
    /// The earlier call that the value comes or follows from, and the field of its answer.
    pub fn answer(&self) -> Option<(usize, &str)> {
        match self {
            Self::Answer { call, field } | Self::Derived { call, field } => Some((*call, field)),
            _ => None,
        }
    }
}

/// Notes on the arguments of one gold call, by parameter name.
pub type ArgumentNotes = IndexMap<String, Argument>;

/// The words of a text that say each argument, by parameter: several where a list's elements are said apart.
pub type SaidWords = IndexMap<String, Vec<String>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_origin_is_written_by_its_name() {
        for json in [
            r#""verbatim""#,
            r#""normalised""#,
            r#""enum""#,
            r#""inferred""#,
            r#"{"answer":{"call":1,"field":"/id"}}"#,
            r#"{"derived":{"call":0,"field":"/at"}}"#,
            r#""default""#,
            r#""open""#,
            r#""missing""#,
        ] {
            let origin: Origin = serde_json::from_str(json).unwrap();
            assert_eq!(serde_json::to_string(&origin).unwrap(), json);
        }
        assert_eq!(Origin::default(), Origin::Verbatim);
    }

    #[test]
    fn a_call_keeps_the_order_and_the_numbers_of_its_arguments() {
        let text = r#"{"name":"f","arguments":{"z":1.50,"a":-0,"m":[1e5]}}"#;
        let call: FunctionCall = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&call).unwrap(), text);
        assert!(
            serde_json::from_str::<FunctionCall>(r#"{"name": "f"}"#).is_err(),
            "arguments may be empty, not absent"
        );
    }
}
