//! Backward inference: when it is over, and what comes of it.

use crate::llm::Reply;
use crate::text::without_thought;

/// What a model writes behind an answer from which nothing is missing.
pub(super) const STOP: &str = "<!stop>";

/// Whether nothing more is to be asked after these replies. The first question wants a single call and knows no mark.
pub(super) fn is_over(said: &[Reply], rounds: u32) -> bool {
    let asked = said.len().saturating_sub(1);
    asked >= rounds as usize || asked > 0 && said.last().is_some_and(|reply| is_complete(&reply.text))
}

/// The last answer, without the mark; a reply of nothing but the mark leaves the one before it as it is.
pub(super) fn conclusion(said: &[Reply]) -> Option<String> {
    said.iter().rev().map(|reply| without_mark(&reply.text)).find(|text| has_answer(text))
}

fn is_complete(text: &str) -> bool {
    mark(without_thought(text)).is_some()
}

/// A text of brackets alone, as of an empty fence, answers nothing.
fn has_answer(text: &str) -> bool {
    without_thought(text).chars().any(char::is_alphanumeric)
}

/// A text without the marks in it.
fn without_mark(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some((before, after)) = mark(rest) {
        kept.push_str(before);
        rest = after;
    }
    kept.push_str(rest);
    if kept.len() == text.len() { kept } else { kept.trim_end().to_owned() }
}

/// What stands before the first mark, and what behind it; capitals make no difference.
fn mark(text: &str) -> Option<(&str, &str)> {
    // ASCII letters have one byte, whatever their case, so that places are the same in both texts.
    let at = text.to_ascii_lowercase().find(STOP)?;
    let (before, rest) = text.split_at_checked(at)?;
    Some((before, rest.split_at_checked(STOP.len())?.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(texts: &[&str]) -> Vec<Reply> {
        texts.iter().map(|text| Reply { text: (*text).to_owned(), ..Reply::default() }).collect()
    }

    #[test]
    fn the_mark_or_the_last_round_ends_it() {
        for (texts, rounds, over) in [
            (&[][..], 5, false),
            (&["a"], 5, false),
            (&["a <!stop>"], 5, false),
            (&["a", "b"], 5, false),
            (&["a", "b <!STOP>"], 5, true),
            (&["a", "<think>no <!stop> yet</think>b"], 5, false),
            (&["a", "b", "c"], 2, true),
        ] {
            assert_eq!(is_over(&said(texts), rounds), over, "{texts:?}");
        }
    }

    #[test]
    fn the_last_answer_is_kept_without_its_mark() {
        let conclude = |texts: &[&str]| conclusion(&said(texts));
        assert_eq!(conclude(&["a", "{\"b\": \"한\"}\n<!stop>\n"]).as_deref(), Some("{\"b\": \"한\"}"));
        assert_eq!(conclude(&["a", "```json\n{b}\n<!Stop>```"]).as_deref(), Some("```json\n{b}\n```"));
        assert_eq!(conclude(&["a", "b\n"]).as_deref(), Some("b\n"), "what has no mark stays as it is");
        assert_eq!(conclude(&["a", "b", "<!stop>"]).as_deref(), Some("b"));
        assert_eq!(conclude(&["a", "```\n```<!stop>"]).as_deref(), Some("a"));
        assert_eq!((conclude(&[]), conclude(&["", "<!stop>"])), (None, None));
    }
}
