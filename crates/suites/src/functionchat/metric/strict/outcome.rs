//! What our rules say of a turn, and why.

use crate::functionchat::metric::Heard;
use unicode_normalization::UnicodeNormalization;

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

// A turn that should only say something.

/// The right words.
#[derive(Clone, Copy)]
pub struct GoldWords<'g> {
    /// As they stand in the benchmark.
    pub text: &'g str,
    /// Whether a letter is of the locale's script.
    pub is_own: &'g dyn Fn(char) -> bool,
}

/// Judges what was said where no call is wanted.
pub fn judge_words(gold: GoldWords<'_>, heard: &Heard) -> Ruled {
    if let Some(call) = heard.calls.first() {
        return Ruled::fail(Reason::ToolCallInTextTurn, format!("it calls `{}`", call.name));
    }
    let said = heard.content.as_deref().unwrap_or_default();
    if said.trim().is_empty() {
        return Ruled::fail(Reason::Empty, "");
    }
    if !said.nfc().any(gold.is_own) {
        return Ruled::fail(Reason::WrongScript, "no letter is of the script that it should be in");
    }
    if said == gold.text { Ruled::pass() } else { Ruled::undecided() }
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

#[cfg(test)]
mod words_tests {
    use super::*;
    use crate::functionchat::metric::{Arguments, Called};

    fn reason(content: Option<&str>, calls: usize) -> Reason {
        let is_own = |letter: char| ('\u{ac00}'..='\u{d7a3}').contains(&letter);
        let call = Called { name: "f".to_owned(), arguments: Arguments::Text("{}".to_owned()) };
        let heard = Heard { content: content.map(str::to_owned), calls: vec![call; calls] };
        judge_words(GoldWords { text: "네, 됐습니다.", is_own: &is_own }, &heard).reason
    }

    #[test]
    fn what_can_be_told_without_a_judge_is_told() {
        assert_eq!(reason(Some("네, 됐습니다."), 0), Reason::Equal);
        assert_eq!(reason(Some("네."), 0), Reason::Judge);
        assert_eq!(reason(Some("네, 됐습니다."), 1), Reason::ToolCallInTextTurn);
        assert_eq!((reason(Some(" \n"), 0), reason(None, 0)), (Reason::Empty, Reason::Empty));
        assert_eq!(reason(Some("Sure, 42."), 0), Reason::WrongScript);
        // Letters may come in parts.
        assert_eq!(reason(Some("\u{1102}\u{1166}."), 0), Reason::Judge);
    }
}
