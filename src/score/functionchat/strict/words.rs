//! A turn that should only say something.

use super::outcome::{Reason, Ruled};
use crate::score::functionchat::Heard;
use unicode_normalization::UnicodeNormalization;

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
    use crate::score::functionchat::{Arguments, Called};

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
