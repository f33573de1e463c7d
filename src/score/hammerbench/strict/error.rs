//! The ways in which an answer fails.

use serde::Serialize;

/// Why an answer is not right. The first that applies is counted; others may apply as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// There is no prediction.
    NoPrediction,
    /// The model could not be reached; nothing was said.
    Transport,
    /// A call was meant and cannot be read.
    Unparsable,
    /// A call was wanted and there are words.
    NoCall,
    /// A call was wanted and the model refuses.
    Refused,
    /// One call was wanted and there are several.
    SeveralCalls,
    /// The model calls a tool and refuses as well.
    CallAndRefusal,
    /// The call is of a tool that was not shown.
    NotOffered,
    /// The call is of another tool that was shown.
    WrongFunction,
    /// A parameter that was said is not given.
    MissingParameter,
    /// A parameter is given that was not said.
    InventedParameter,
    /// A value is the one that was right earlier.
    StaleValue,
    /// A value is another one.
    WrongValue,
    /// No tool fits and the model calls one.
    CalledInsteadOfRefusal,
    /// No tool fits and the model says something else.
    NoRefusal,
    /// Required arguments are missing and the model calls a tool.
    CalledInsteadOfQuestion,
    /// Required arguments are missing and the model does not ask for them.
    NoQuestion,
}

impl ErrorClass {
    /// The name under which it is counted.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoPrediction => "no_prediction",
            Self::Transport => "transport",
            Self::Unparsable => "unparsable",
            Self::NoCall => "no_call",
            Self::Refused => "refused",
            Self::SeveralCalls => "several_calls",
            Self::CallAndRefusal => "call_and_refusal",
            Self::NotOffered => "not_offered",
            Self::WrongFunction => "wrong_function",
            Self::MissingParameter => "missing_parameter",
            Self::InventedParameter => "invented_parameter",
            Self::StaleValue => "stale_value",
            Self::WrongValue => "wrong_value",
            Self::CalledInsteadOfRefusal => "called_instead_of_refusal",
            Self::NoRefusal => "no_refusal",
            Self::CalledInsteadOfQuestion => "called_instead_of_question",
            Self::NoQuestion => "no_question",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_written_by_the_name_under_which_it_is_counted() {
        for class in [ErrorClass::NoPrediction, ErrorClass::StaleValue, ErrorClass::CalledInsteadOfRefusal] {
            assert_eq!(serde_json::to_value(class).unwrap(), class.as_str());
        }
    }
}
