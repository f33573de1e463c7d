//! Why a world cannot be made, and what a call is answered with where it fails.

use crate::record::{Object, Value};

/// Why a domain's tables cannot be drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorldError {
    /// A `find` is to find one row, and there are more rows than values.
    #[error("domain `{domain}`: `{fields}` takes too few values to tell {rows} rows of `{resource}` apart")]
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
    /// The pack was not given the toolset's kinds.
    #[error("domain `{domain}`: the locale has no value kind `{kind}`")]
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
    #[error("there is no tool `{tool}`")]
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
    #[error("there is no parameter `{parameter}`")]
    UnknownParameter {
        /// The argument's name.
        parameter: String,
    },
    /// A value has another type than the schema says, or is not one of the listed ones, or no day.
    #[error("`{parameter}` is no {expected}: {value}")]
    Invalid {
        /// The parameter.
        parameter: String,
        /// The type or format, or the listed values.
        expected: String,
        /// What was given.
        value: Value,
    },
    /// There is nothing with this identifier.
    #[error("`{parameter}` names nothing: `{id}`")]
    NotFound {
        /// The parameter.
        parameter: String,
        /// The identifier.
        id: String,
    },
    /// No row has these values.
    #[error("no row has these values")]
    NoMatch,
    /// Several rows have these values, where one was looked for.
    #[error("{count} rows have these values")]
    SeveralMatches {
        /// How many.
        count: usize,
    },
}

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
            Self::NoMatch => {}
        }
        Value::Object(Object::from([("error".to_owned(), Value::Object(error))]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_an_answer_with_a_code() {
        let fault = CallFault::NotFound { parameter: "cardId".to_owned(), id: "K1".to_owned() };
        assert_eq!(fault.answer().to_string(), r#"{"error":{"code":"not_found","parameter":"cardId","value":"K1"}}"#);
        assert_eq!(fault.to_string(), "`cardId` names nothing: `K1`");
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
        assert_eq!(invalid.to_string(), "`day` is no date: 3");
        let missing = CallFault::Missing { parameter: "day".to_owned() };
        assert_eq!(missing.answer().to_string(), r#"{"error":{"code":"missing_parameter","parameter":"day"}}"#);
    }
}
