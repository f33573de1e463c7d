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
    /// Nothing that is said can be read.
    Unparsable,
    /// What is said can be read, and has not the form that was asked for.
    Format,
    /// An API is named that is not among the candidates.
    InventedApi,
    /// A call that is wanted is not made.
    MissingStep,
    /// A call is made that nobody wants.
    ExtraStep,
    /// The calls are the right ones, in another order.
    Order,
    /// A parameter that is wanted is not given.
    MissingParameter,
    /// A parameter is given that nobody wants.
    ExtraParameter,
    /// A value is left open that the question gives.
    PlaceholderForValue,
    /// A value is of another type.
    WrongType,
    /// A value is another one.
    WrongValue,
}

impl ErrorClass {
    /// All of them, the gravest first.
    pub const ALL: [Self; 13] = [
        Self::NoPrediction,
        Self::Transport,
        Self::Unparsable,
        Self::Format,
        Self::InventedApi,
        Self::MissingStep,
        Self::ExtraStep,
        Self::Order,
        Self::MissingParameter,
        Self::ExtraParameter,
        Self::PlaceholderForValue,
        Self::WrongType,
        Self::WrongValue,
    ];

    /// The name under which it is counted.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoPrediction => "no_prediction",
            Self::Transport => "transport",
            Self::Unparsable => "unparsable",
            Self::Format => "format",
            Self::InventedApi => "invented_api",
            Self::MissingStep => "missing_step",
            Self::ExtraStep => "extra_step",
            Self::Order => "order",
            Self::MissingParameter => "missing_parameter",
            Self::ExtraParameter => "extra_parameter",
            Self::PlaceholderForValue => "placeholder_for_value",
            Self::WrongType => "wrong_type",
            Self::WrongValue => "wrong_value",
        }
    }

    /// Whether it is a name that is there or not: what the structure of an answer is judged by.
    pub fn is_structural(self) -> bool {
        matches!(self, Self::Format | Self::MissingParameter | Self::ExtraParameter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_written_by_the_name_under_which_it_is_counted_and_stands_in_its_place() {
        for class in ErrorClass::ALL {
            assert_eq!(serde_json::to_value(class).unwrap(), class.as_str());
        }
        assert!(ErrorClass::ALL.is_sorted());
    }
}
