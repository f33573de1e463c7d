//! What our rules say of a turn, and why.

/// Whether a turn is right, as far as rules can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It is right.
    Pass,
    /// It is wrong.
    Fail,
    /// A judge must say.
    Undecided,
}

/// Why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// Nobody asked the model, or its answer is lost.
    NoPrediction,
    /// The model could not be reached.
    Transport,
    /// A call was wanted and there is none.
    NoCall,
    /// One call was wanted and there are several.
    ExtraCall,
    /// Another function is called.
    WrongFunction,
    /// The arguments are no JSON object.
    BadArguments,
    /// A parameter is missing, or nobody asked for it.
    Key,
    /// A value is not of its parameter's type.
    Type,
    /// All is as it should be.
    Equal,
    /// A number or a truth is another one.
    Value,
    /// No other wording is right, and it is another one.
    OnlyGroundTruth,
    /// No call is wanted and there is one.
    ToolCallInTextTurn,
    /// Nothing is said.
    Empty,
    /// No letter is of the locale's script.
    WrongScript,
    /// Only a judge can tell.
    Judge,
}

/// What a rule says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruled {
    /// Whether it is right.
    pub outcome: Outcome,
    /// Why.
    pub reason: Reason,
    /// The same in words; empty where there is no more to say.
    pub detail: String,
}

impl Outcome {
    /// The word in a verdict.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Undecided => "undecided",
        }
    }
}

impl Reason {
    /// The word in a verdict.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoPrediction => "no_prediction",
            Self::Transport => "transport",
            Self::NoCall => "no_call",
            Self::ExtraCall => "extra_call",
            Self::WrongFunction => "wrong_function",
            Self::BadArguments => "bad_arguments",
            Self::Key => "key",
            Self::Type => "type",
            Self::Equal => "equal",
            Self::Value => "value",
            Self::OnlyGroundTruth => "only_ground_truth",
            Self::ToolCallInTextTurn => "tool_call_in_text_turn",
            Self::Empty => "empty",
            Self::WrongScript => "wrong_script",
            Self::Judge => "judge",
        }
    }
}

impl Ruled {
    /// It is right.
    pub fn pass() -> Self {
        Self { outcome: Outcome::Pass, reason: Reason::Equal, detail: String::new() }
    }

    /// It is wrong.
    pub fn fail(reason: Reason, detail: impl Into<String>) -> Self {
        Self { outcome: Outcome::Fail, reason, detail: detail.into() }
    }

    /// A judge must say.
    pub fn undecided() -> Self {
        Self { outcome: Outcome::Undecided, reason: Reason::Judge, detail: String::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_undecided_is_for_the_judge() {
        for ruled in [Ruled::pass(), Ruled::fail(Reason::Key, "x"), Ruled::undecided()] {
            assert_eq!(ruled.outcome == Outcome::Undecided, ruled.reason == Reason::Judge);
        }
        assert_eq!(
            [Outcome::Pass, Outcome::Fail, Outcome::Undecided].map(Outcome::as_str),
            ["pass", "fail", "undecided"]
        );
        assert_eq!((Reason::OnlyGroundTruth.as_str(), Reason::Judge.as_str()), ("only_ground_truth", "judge"));
    }
}
