//! Why a world cannot be made, and what a call is answered with where it fails.

use fcgen_core::locale::FunctionPhrases;
use fcgen_core::record::{Object, Value};
use indexmap::IndexMap;

/// Why a domain's tables cannot be drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorldError {
    /// A `find` is to find one row, and there are more rows than values.
    #[error("domain `{domain}`: `{fields}` has too few values to distinguish {rows} rows of `{resource}`")]
    Crowded {
        /// The domain.
        domain: String,
        /// The resource.
        resource: String,
        /// The fields of the `find`.
        fields: String,
        /// Rows of the table.
        rows: usize,
    },
    /// A column cannot be computed.
    #[error("domain `{domain}`: column `{column}` of `{table}`: {detail}")]
    Column {
        /// The toolset.
        domain: String,
        /// The table.
        table: String,
        /// The column.
        column: String,
        /// What is wrong.
        detail: String,
    },
    /// The pack was not given the toolset's kinds.
    #[error("domain `{domain}`: unknown value kind `{kind}` in this locale")]
    Kind {
        /// The domain.
        domain: String,
        /// The kind.
        kind: String,
    },
}

/// Why a call has no result. [`CallFault::answer`] is what a real API would say.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CallFault {
    /// The domain has no such tool.
    #[error("unknown tool `{tool}`")]
    UnknownTool {
        /// The name that was called.
        tool: String,
    },
    /// A required parameter has no value.
    #[error("`{parameter}` is missing")]
    Missing {
        /// The parameter.
        parameter: String,
    },
    /// The tool has no such parameter.
    #[error("unknown parameter `{parameter}`")]
    UnknownParameter {
        /// The argument's name.
        parameter: String,
    },
    /// A value has another type than the schema says, or is not one of the listed ones, or no day.
    #[error("invalid value for `{parameter}`: expected {expected}, found {value}")]
    Invalid {
        /// The parameter.
        parameter: String,
        /// The type or format, or the listed values.
        expected: String,
        /// What was given.
        value: Value,
    },
    /// There is nothing with this identifier.
    #[error("no item found for `{parameter}`: `{id}`")]
    NotFound {
        /// The parameter.
        parameter: String,
        /// The identifier.
        id: String,
    },
    /// No row has these values.
    #[error("no matching row")]
    NoMatch,
    /// Several rows have these values, where one was looked for.
    #[error("{count} matching rows, expected one")]
    SeveralMatches {
        /// How many.
        count: usize,
    },
    /// The arguments do not go together, as the declaration says.
    #[error("`{parameter}` was rejected: `{error}`")]
    Refused {
        /// The parameter that is to blame.
        parameter: String,
        /// The name of the message.
        error: String,
    },
    /// Several things are wrong with the arguments.
    #[error("{}", .faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Several {
        /// What is wrong.
        faults: Vec<CallFault>,
    },
    /// A live server answered with an error of its own.
    #[error("the server returned an error: {answer}")]
    Told {
        /// What it said.
        answer: Value,
    },
    /// Nobody answered a live call.
    #[error("no answer: {detail}")]
    Silent {
        /// Why.
        detail: String,
    },
    /// The declaration has an expression that cannot be computed.
    #[error("invalid declaration: {detail}")]
    Broken {
        /// The expression, and what is wrong with it.
        detail: String,
    },
}

/// The parameter to blame, if there is one, and what to say.
pub(super) type Message = (Option<String>, String);

impl CallFault {
    /// The fault's word in an answer.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownTool { .. } => "unknown_function",
            Self::Missing { .. } => "missing_parameter",
            Self::UnknownParameter { .. } => "unknown_parameter",
            Self::Invalid { .. } => "invalid_parameter",
            Self::NotFound { .. } => "not_found",
            Self::NoMatch => "no_match",
            Self::SeveralMatches { .. } => "several_matches",
            Self::Refused { .. } => "refused",
            Self::Several { .. } => "invalid_parameters",
            Self::Told { .. } => "refused",
            Self::Silent { .. } => "unavailable",
            Self::Broken { .. } => "internal_error",
        }
    }

    /// The answer as real APIs give it: an object that tells the fault by a code, in no language.
    pub fn answer(&self) -> Value {
        let mut error = Object::from([("code".to_owned(), Value::from(self.code()))]);
        let mut add = |key: &str, value: Value| drop(error.insert(key.to_owned(), value));
        match self {
            Self::UnknownTool { tool } => add("function", tool.as_str().into()),
            Self::Missing { parameter } | Self::UnknownParameter { parameter } => {
                add("parameter", parameter.as_str().into());
            }
            Self::Invalid { parameter, expected, value } => {
                add("parameter", parameter.as_str().into());
                add("expected", expected.as_str().into());
                add("value", value.clone());
            }
            Self::NotFound { parameter, id } => {
                add("parameter", parameter.as_str().into());
                add("value", id.as_str().into());
            }
            Self::SeveralMatches { count } => add("count", i64::try_from(*count).unwrap_or(i64::MAX).into()),
            Self::Refused { parameter, error } => {
                add("parameter", parameter.as_str().into());
                add("reason", error.as_str().into());
            }
            Self::Several { faults } => add("errors", faults.iter().map(Self::answer).collect::<Vec<_>>().into()),
            Self::Told { answer } => return answer.clone(),
            Self::NoMatch | Self::Silent { .. } | Self::Broken { .. } => {}
        }
        Value::Object(Object::from([("error".to_owned(), Value::Object(error))]))
    }

    /// What is wrong in the words of a language; `errors` are those of the function itself.
    pub(super) fn messages(
        &self,
        phrases: &FunctionPhrases,
        errors: Option<&IndexMap<String, String>>,
    ) -> Vec<Message> {
        let about = |parameter: &String, text: String| vec![(Some(parameter.clone()), text)];
        match self {
            Self::Several { faults } => faults.iter().flat_map(|fault| fault.messages(phrases, errors)).collect(),
            Self::Missing { parameter } => about(parameter, phrases.missing.clone()),
            Self::UnknownParameter { parameter } => about(parameter, phrases.unknown.clone()),
            Self::Invalid { parameter, expected, .. } => about(parameter, expectation(expected, phrases)),
            Self::NotFound { parameter, id } => about(parameter, phrases.not_found.replace("{value}", &shortened(id))),
            Self::Refused { parameter, error } => {
                about(parameter, errors.and_then(|errors| errors.get(error)).unwrap_or(error).clone())
            }
            Self::UnknownTool { tool } => vec![(None, phrases.unknown_tool.replace("{value}", tool))],
            Self::Told { answer } => vec![(None, shortened(answer.as_str().unwrap_or(&answer.to_string())))],
            Self::NoMatch | Self::SeveralMatches { .. } | Self::Silent { .. } | Self::Broken { .. } => {
                vec![(None, phrases.broken.clone())]
            }
        }
    }
}

/// The words for what was expected: a type, a range, listed values, or a form.
fn expectation(expected: &str, phrases: &FunctionPhrases) -> String {
    if let Some((least, most)) = expected.split_once("..") {
        return phrases.range.replace("{least}", least).replace("{most}", most);
    }
    let pattern = match expected {
        "string" | "number" | "integer" | "boolean" | "array" | "object" => &phrases.type_name,
        listed if listed.contains('|') => &phrases.listed,
        _ => &phrases.format,
    };
    pattern.replace("{value}", &expected.replace('|', ", "))
}

/// A value that is too long to be read is shown by its beginning.
fn shortened(text: &str) -> String {
    let start: String = text.chars().take(40).collect();
    if start.len() == text.len() { start } else { start + "..." }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_an_answer_with_a_code() {
        let fault = CallFault::NotFound { parameter: "cardId".to_owned(), id: "K1".to_owned() };
        assert_eq!(fault.answer().to_string(), r#"{"error":{"code":"not_found","parameter":"cardId","value":"K1"}}"#);
        assert_eq!(fault.to_string(), "no item found for `cardId`: `K1`");
        assert_eq!(CallFault::NoMatch.answer().to_string(), r#"{"error":{"code":"no_match"}}"#);
        let several = CallFault::SeveralMatches { count: 2 };
        assert_eq!(several.answer().to_string(), r#"{"error":{"code":"several_matches","count":2}}"#);
    }

    #[test]
    fn what_was_wrong_with_an_argument_is_told() {
        let invalid = CallFault::Invalid { parameter: "day".to_owned(), expected: "date".to_owned(), value: 3.into() };
        assert_eq!(
            invalid.answer().to_string(),
            r#"{"error":{"code":"invalid_parameter","parameter":"day","expected":"date","value":3}}"#
        );
        assert_eq!(invalid.to_string(), "invalid value for `day`: expected date, found 3");
        let missing = CallFault::Missing { parameter: "day".to_owned() };
        assert_eq!(missing.answer().to_string(), r#"{"error":{"code":"missing_parameter","parameter":"day"}}"#);
    }

    #[test]
    fn several_faults_come_together() {
        let missing = |parameter: &str| CallFault::Missing { parameter: parameter.to_owned() };
        let several = CallFault::Several { faults: vec![missing("a"), missing("b")] };
        assert_eq!(several.to_string(), "`a` is missing; `b` is missing");
        assert!(
            several.answer().to_string().starts_with(r#"{"error":{"code":"invalid_parameters","errors":[{"error":"#)
        );
        let refused = CallFault::Refused { parameter: "day".to_owned(), error: "late".to_owned() };
        assert_eq!(refused.answer().to_string(), r#"{"error":{"code":"refused","parameter":"day","reason":"late"}}"#);
    }

    #[test]
    fn what_is_wrong_is_said_in_words() {
        let phrases = FunctionPhrases::load(crate::fixtures::assets(), "en").unwrap();
        let errors = IndexMap::from([("late".to_owned(), "Too late.".to_owned())]);
        let said = |fault: CallFault| fault.messages(&phrases, Some(&errors)).remove(0).1;
        let invalid = |expected: &str| CallFault::Invalid {
            parameter: "p".to_owned(),
            expected: expected.to_owned(),
            value: Value::Null,
        };
        assert_eq!(said(invalid("number")), "Expected a value of type number.");
        assert_eq!(said(invalid("a|b")), "Must be one of a, b.");
        assert_eq!(said(invalid("1..8")), "Must be from 1 to 8.");
        assert_eq!(said(invalid("HH:MM")), "Must be written like HH:MM.");
        let refused = |error: &str| CallFault::Refused { parameter: "p".to_owned(), error: error.to_owned() };
        assert_eq!((said(refused("late")), said(refused("x"))), ("Too late.".to_owned(), "x".to_owned()));
        let long = CallFault::NotFound { parameter: "p".to_owned(), id: "x".repeat(99) };
        assert_eq!(said(long).len(), 22 + 40 + 4);
        assert_eq!(said(CallFault::Broken { detail: "secret".to_owned() }), "Internal error.");
    }
}
