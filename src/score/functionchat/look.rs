//! What a turn looks like from outside: a call, a question, a refusal, or other words.

use super::Heard;
use crate::score::Refusals;

/// What a model decides to do, or should.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decision {
    /// To call.
    Call,
    /// To ask.
    Ask,
    /// To decline, or to answer without any tool.
    Decline,
    /// To tell what a tool answered.
    Tell,
    /// Nothing is said.
    Nothing,
}

/// Marks by which words are known for what they are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Look {
    /// How a locale refuses.
    pub refusals: Refusals,
}

impl Decision {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Ask => "ask",
            Self::Decline => "decline",
            Self::Tell => "tell",
            Self::Nothing => "nothing",
        }
    }
}

impl Look {
    /// Whether a text asks: a question mark ends one of its sentences.
    pub fn asks(text: &str) -> bool {
        text.contains(['?', '\u{ff1f}'])
    }

    /// What a turn looks like. Words of a turn that is right are what they should be, and whatever neither asks nor refuses
    /// tells something.
    pub fn decision(&self, heard: &Heard, wanted: Decision, is_right: bool) -> Decision {
        let text = heard.content.as_deref().unwrap_or_default();
        match () {
            () if !heard.calls.is_empty() => Decision::Call,
            () if is_right => wanted,
            () if heard.is_silent() => Decision::Nothing,
            () if self.refusals.in_words(text).is_some() => Decision::Decline,
            () if Self::asks(text) => Decision::Ask,
            () => Decision::Tell,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::functionchat::{Arguments, Called};
    use crate::score::refusal::tests::refusals;

    fn decision(text: &str, calls: usize, is_right: bool) -> Decision {
        let call = Called { name: "f".to_owned(), arguments: Arguments::Text("{}".to_owned()) };
        let heard = Heard { content: Some(text.to_owned()), calls: vec![call; calls] };
        Look { refusals: refusals(&["en", "ko"]) }.decision(&heard, Decision::Decline, is_right)
    }

    #[test]
    fn words_are_known_by_their_marks() {
        assert_eq!(decision("어느 도시인가요？", 0, false), Decision::Ask);
        assert_eq!(
            decision("죄송하지만 요청에 맞는 도구가 없습니다. 다른 것은 어떠세요?", 0, false),
            Decision::Decline
        );
        assert_eq!(decision("배는 정오에 떠납니다.", 0, false), Decision::Tell);
        assert_eq!(decision(" ", 0, false), Decision::Nothing);
        assert_eq!((decision("x?", 1, true), decision("x?", 0, true)), (Decision::Call, Decision::Decline));
    }

    #[test]
    fn decisions_have_names() {
        let all = [Decision::Call, Decision::Ask, Decision::Decline, Decision::Tell, Decision::Nothing];
        assert_eq!(all.map(Decision::as_str), ["call", "ask", "decline", "tell", "nothing"]);
    }
}
