//! Words in a text: where they stand, and what stands before them.

use super::text::{Span, Text};
use crate::locale::Reading;

/// Whether a text ends in a cue, as words of its own; spaces, colons and opening quotes may follow it.
pub(super) fn ends_with(before: &str, cue: &str) -> bool {
    let before = before.trim_end_matches(|letter: char| letter.is_whitespace() || matches!(letter, ':' | '"' | '“'));
    before.strip_suffix(cue).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
}

/// Whether a cue announces a value: it stands right before it, or right behind it where a language has it so.
pub(super) fn announced(text: &Text, span: Span, cue: &str, reading: &Reading) -> bool {
    if reading.postpositions {
        let after = text.after(span.end);
        return after
            .trim_start()
            .strip_prefix(cue)
            .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric) || after.starts_with(cue));
    }
    let before = text.before(span.start);
    ends_with(&before, cue) || !text.is_spaced() && before.trim_end().ends_with(cue)
}

/// Where `words` (in lower case) stand in the text, at word boundaries.
pub(super) fn find_words(text: &Text, words: &str) -> Vec<Span> {
    let wanted: Vec<char> = words.chars().collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let lower = text.lower();
    let starts = |at: usize| !lower[at].is_alphanumeric() || text.starts_word(at);
    let ends = |at: usize| !lower[at - 1].is_alphanumeric() || text.ends_word(at);
    (0..lower.len().saturating_sub(wanted.len() - 1))
        .filter(|start| lower[*start..].starts_with(&wanted) && starts(*start) && ends(start + wanted.len()))
        .map(|start| Span { start, end: start + wanted.len() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_at_their_boundaries() {
        let text = Text::new("Don't start the art class, art", true);
        assert_eq!(find_words(&text, "art").len(), 2);
        assert!(find_words(&text, "").is_empty());
    }

    #[test]
    fn a_cue_is_a_word_of_its_own() {
        assert!(ends_with("a note saying: ", "saying"));
        assert!(!ends_with("essaying ", "saying"));
    }
}
