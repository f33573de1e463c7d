//! What comes of a trajectory.

use std::collections::BTreeMap;

/// Why a call is wrong, or a sample ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErrorType {
    /// Another function should have been called.
    FuncError,
    /// An argument is missing.
    ParamMissing,
    /// An argument has another value.
    ValueError,
    /// An argument was invented.
    ParamHallucination,
    /// The model answered before all was called.
    StopEarly,
    /// It went on calling after all was done.
    FuncHallucination,
    /// What it said cannot be read.
    DecodeError,
    /// It named a function that is not in the list.
    NameError,
    /// It said nothing.
    UnknownError,
    /// It called more often than it may.
    ExceedMaxTurns,
}

/// A fault with its explanation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub error_type: ErrorType,
    /// The same in words.
    pub content: String,
}

/// How it ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Message {
    /// All was called.
    #[default]
    Success,
    /// By a fault.
    Fault(Fault),
    /// By the faults of the last turn.
    Faults(Vec<Fault>),
    /// By a text, which the authors' evaluator writes where its API gave nothing.
    Text(String),
}

/// What breaks the authors' evaluator off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crash {
    /// It comes to a case that it does not know.
    NotImplemented,
    /// It takes one thing for another.
    Attribute,
    /// It looks for something that is not there.
    Key,
}

/// Whether there is a result at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Status {
    /// There is.
    #[default]
    Recorded,
    /// The authors' evaluator writes none.
    NotRecorded,
    /// It broke off.
    Crash(Crash),
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Steps that were passed.
    pub success_turn_num: usize,
    /// Steps there are.
    pub total_turn_num: usize,
    /// Calls that were right.
    pub correct_call_num: usize,
    /// Calls there are.
    pub total_call_num: usize,
    /// Turns with calls.
    pub real_turn_num: usize,
}

/// What a judge says of the answer in words: 0 to 2 each, -1 where no judgement came about, -2 for an empty answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Assessment {
    /// Whether it answers all that was asked.
    pub complete: i8,
    /// Whether it says what the APIs answered.
    pub correct: i8,
}

/// What the model is told of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Observation {
    /// The answer of this golden call.
    Golden(usize),
    /// What is wrong with its form.
    FormatError(String),
    /// That something is wrong.
    GenericError,
}

/// How a call was found to be equal to a golden one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Name and arguments are the same.
    Rule,
    /// The API answers the same.
    Response,
    /// A judge says so.
    Judge,
}

/// The faults of a turn, as the authors' evaluator holds them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Errors {
    /// As a list.
    List(Vec<Fault>),
    /// As a text that replaced it.
    Text(String),
}

/// How calls that were left over were matched.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Assignment {
    /// How alike they are; a row for each predicted call.
    pub similarity: Vec<Vec<f64>>,
    /// Rows of the pairs, ordinals among the predicted calls that were left over.
    pub rows: Vec<usize>,
    /// Columns of the pairs, ordinals among the golden calls that were left over.
    pub columns: Vec<usize>,
}

/// What happened in a turn with calls. Golden calls are named by their ordinals in the sample.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trace {
    /// The golden calls that were open.
    pub golden_before: Vec<usize>,
    /// How calls that were left over were matched, where any were.
    pub assignment: Option<Assignment>,
    /// Predicted calls with their golden ones, in the order in which they were compared; absent where it broke off before.
    pub mapping: Option<Vec<(usize, usize)>>,
    /// How equal ones were found to be equal.
    pub how: Vec<How>,
    /// What came of it, unless it broke off.
    pub end: Option<TraceEnd>,
}

/// What came of a turn with calls.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceEnd {
    /// How many golden calls were open after those were dropped that had been called before.
    pub golden_size: usize,
    /// Predicted calls that were right.
    pub success: Vec<usize>,
    /// Predicted calls with a wrong form.
    pub format_errors: BTreeMap<usize, String>,
    /// Calls with a wrong content.
    pub value_errors: Errors,
}

/// What our own profile counts beside coverage. The authors' evaluator counts none of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally {
    /// Calls that the model made.
    pub calls: usize,
    /// Calls that repeat one that was right before.
    pub redundant_calls: usize,
    /// Calls beyond those that were wanted.
    pub extra_calls: usize,
    /// Calls with a wrong form.
    pub format_errors: usize,
    /// Those of them whose golden call was made later on.
    pub recovered_format_errors: usize,
    /// Calls with a wrong content.
    pub value_errors: usize,
    /// Those of them whose golden call was made later on.
    pub recovered_value_errors: usize,
    /// Arguments of golden calls that were wrong or missing at least once: the call's ordinal and the parameter.
    pub wrong_arguments: Vec<(usize, String)>,
    /// All faults on the way, whether they ended it or not.
    pub faults: BTreeMap<ErrorType, usize>,
}

/// What comes of a trajectory.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// Whether there is a result.
    pub status: Status,
    /// How it ended.
    pub message: Message,
    /// What was counted.
    pub counts: Counts,
    /// What a judge says of the answer.
    pub assessment: Option<Assessment>,
    /// What the model was told, turn by turn and call by call.
    pub observations: Vec<Vec<Observation>>,
    /// What happened in each turn, where that was asked for.
    pub steps: Vec<Trace>,
    /// What is counted besides.
    pub tally: Tally,
}

impl ErrorType {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FuncError => "func_error",
            Self::ParamMissing => "param_missing",
            Self::ValueError => "value_error",
            Self::ParamHallucination => "param_hallucination",
            Self::StopEarly => "stop_early",
            Self::FuncHallucination => "func_hallucination",
            Self::DecodeError => "decode_error",
            Self::NameError => "name_error",
            Self::UnknownError => "unknown_error",
            Self::ExceedMaxTurns => "exceed_max_turns",
        }
    }
}

impl Fault {
    /// A fault in words.
    pub fn new(error_type: ErrorType, content: impl Into<String>) -> Self {
        Self { error_type, content: content.into() }
    }
}

impl Crash {
    /// The name of the exception.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotImplemented => "NotImplementedError",
            Self::Attribute => "AttributeError",
            Self::Key => "KeyError",
        }
    }
}

impl How {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Response => "response",
            Self::Judge => "llm",
        }
    }
}

impl Errors {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::List(faults) => faults.is_empty(),
            Self::Text(text) => text.is_empty(),
        }
    }
}

impl From<Errors> for Message {
    fn from(errors: Errors) -> Self {
        match errors {
            Errors::List(faults) => Self::Faults(faults),
            Errors::Text(text) => Self::Text(text),
        }
    }
}

impl Message {
    /// The faults in it.
    pub fn faults(&self) -> &[Fault] {
        match self {
            Self::Fault(fault) => std::slice::from_ref(fault),
            Self::Faults(faults) => faults,
            Self::Success | Self::Text(_) => &[],
        }
    }
}

impl Outcome {
    /// Whether all was called.
    pub fn is_success(&self) -> bool {
        self.status == Status::Recorded && self.message == Message::Success
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_become_the_message_as_they_are() {
        let fault = Fault::new(ErrorType::ValueError, "x");
        let list = Errors::List(vec![fault.clone()]);
        assert!(!list.is_empty() && Errors::List(Vec::new()).is_empty() && !Errors::Text("y".to_owned()).is_empty());
        assert_eq!(Message::from(list).faults(), std::slice::from_ref(&fault));
        assert_eq!(Message::from(Errors::Text("y".to_owned())).faults(), []);
        assert_eq!(Message::Fault(fault.clone()).faults(), [fault]);
    }

    #[test]
    fn names_are_the_authors() {
        let names = [
            ErrorType::FuncError,
            ErrorType::ParamMissing,
            ErrorType::ValueError,
            ErrorType::ParamHallucination,
            ErrorType::StopEarly,
            ErrorType::FuncHallucination,
            ErrorType::DecodeError,
            ErrorType::NameError,
            ErrorType::UnknownError,
            ErrorType::ExceedMaxTurns,
        ]
        .map(ErrorType::as_str);
        assert_eq!(
            names.join(" "),
            "func_error param_missing value_error param_hallucination stop_early func_hallucination decode_error name_error unknown_error exceed_max_turns"
        );
        assert_eq!([How::Rule, How::Response, How::Judge].map(How::as_str), ["rule", "response", "llm"]);
        assert_eq!(
            [Crash::NotImplemented, Crash::Attribute, Crash::Key].map(Crash::as_str),
            ["NotImplementedError", "AttributeError", "KeyError"]
        );
    }
}
