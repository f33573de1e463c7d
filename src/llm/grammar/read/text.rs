//! A text prepared for reading: its letters, words, numbers and corrections.

use crate::locale::{Cutter, Language, numbers_in};
use crate::record::Value;
use std::ops::Range;
use std::sync::Arc;

/// A text prepared for reading: its letters, and the same in lower case, one for one.
pub(crate) struct Text {
    letters: Vec<char>,
    lower: Vec<char>,
    words: Vec<Word>,
    /// Whether words are set apart by spaces, so that a value must not end within a word.
    spaced: bool,
    /// The numbers that it says, in digits or in words.
    numbers: Vec<(Span, Value)>,
    /// The words that take earlier ones back: `no wait`.
    corrections: Vec<Span>,
    language: Option<Arc<Language>>,
    /// Where words begin and end, in a language that has its own way.
    cutter: Option<Arc<Cutter>>,
}

/// A stretch of a text, in letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// A word of a text, an apostrophe among its letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) span: Span,
    /// In lower case.
    pub(crate) lower: String,
}

impl Text {
    pub(crate) fn new(text: &str, spaced: bool) -> Self {
        let letters: Vec<char> = text.chars().collect();
        let lower: Vec<char> = letters.iter().map(|letter| letter.to_lowercase().next().unwrap_or(*letter)).collect();
        let words = words_of(&lower);
        Self {
            letters,
            lower,
            words,
            spaced,
            numbers: Vec::new(),
            corrections: Vec::new(),
            language: None,
            cutter: None,
        }
    }

    /// The same, with the numbers and corrections that the language sees in it.
    pub(crate) fn of(text: &str, spaced: bool, language: &Arc<Language>) -> Self {
        let letters = |range: Range<usize>| Span {
            start: text.get(..range.start).map_or(0, |before| before.chars().count()),
            end: text.get(..range.end).map_or(0, |before| before.chars().count()),
        };
        let numbers = numbers_in(text, language).into_iter().filter(|number| !number.ordinal);
        let numbers = numbers.map(|number| (letters(number.range), Value::Number(number.value))).collect();
        let corrections = language.corrections(text).into_iter().map(letters).collect();
        Self { numbers, corrections, language: Some(language.clone()), ..Self::new(text, spaced) }
    }

    /// The same, with words where the language has them.
    #[must_use]
    pub(crate) fn cut_by(mut self, cutter: &Arc<Cutter>) -> Self {
        let lower = &self.lower;
        let word = |range: Range<usize>| Word {
            span: Span { start: range.start, end: range.end },
            lower: lower[range].iter().collect(),
        };
        self.words = cutter.words(lower).into_iter().map(word).collect();
        self.cutter = Some(cutter.clone());
        self
    }

    pub(crate) fn letters(&self) -> &[char] {
        &self.letters
    }

    pub(crate) fn lower(&self) -> &[char] {
        &self.lower
    }

    pub(crate) fn words(&self) -> &[Word] {
        &self.words
    }

    pub(crate) fn language(&self) -> Option<&Language> {
        self.language.as_deref()
    }

    pub(crate) fn numbers(&self) -> &[(Span, Value)] {
        &self.numbers
    }

    /// Whether a stretch stands behind the last correction, while there is one.
    pub(crate) fn is_last_word(&self, span: Span) -> bool {
        self.corrections.last().is_some_and(|last| span.start >= last.end)
    }

    /// The words that take others back, in order.
    pub(crate) fn corrections(&self) -> &[Span] {
        &self.corrections
    }

    /// Whether a place is within words that take others back.
    pub(crate) fn takes_back(&self, at: usize) -> bool {
        self.corrections.iter().any(|span| (span.start..span.end).contains(&at))
    }

    /// Where the last line begins: what stands above it is not what the person asks.
    pub(crate) fn last_line(&self) -> usize {
        self.lower.iter().rposition(|letter| *letter == '\n').map_or(0, |at| at + 1)
    }

    /// A stretch as it is written.
    pub(crate) fn said(&self, span: Span) -> String {
        self.letters.get(span.start..span.end).unwrap_or_default().iter().collect()
    }

    /// What stands before a place, in lower case.
    pub(crate) fn before(&self, at: usize) -> String {
        self.lower.get(..at).unwrap_or_default().iter().collect()
    }

    /// What stands behind a place, in lower case.
    pub(crate) fn after(&self, at: usize) -> String {
        self.lower.get(at..).unwrap_or_default().iter().collect()
    }

    /// Whether words are set apart by spaces.
    pub(super) fn is_spaced(&self) -> bool {
        self.spaced
    }

    pub(super) fn starts_word(&self, at: usize) -> bool {
        if let Some(cutter) = &self.cutter {
            return cutter.starts(&self.lower, at);
        }
        !self.spaced || at == 0 || !self.lower[at - 1].is_alphanumeric()
    }

    pub(super) fn ends_word(&self, at: usize) -> bool {
        if let Some(cutter) = &self.cutter {
            return cutter.ends(&self.lower, at);
        }
        !self.spaced || at >= self.lower.len() || !self.lower[at].is_alphanumeric()
    }
}

impl Span {
    pub(crate) fn len(self) -> usize {
        self.end - self.start
    }

    pub(crate) fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }
}

fn words_of(lower: &[char]) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    for (at, letter) in lower.iter().enumerate() {
        if !letter.is_alphanumeric() && !matches!(letter, '\'' | '’') {
            continue;
        }
        match words.last_mut() {
            Some(last) if last.span.end == at => {
                last.span.end = at + 1;
                last.lower.push(*letter);
            }
            _ => words.push(Word { span: Span { start: at, end: at + 1 }, lower: letter.to_string() }),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_apostrophe_is_among_the_letters_of_a_word() {
        let text = Text::new("Don't start, Art", true);
        let words: Vec<&str> = text.words().iter().map(|word| word.lower.as_str()).collect();
        assert_eq!(words, ["don't", "start", "art"]);
        assert_eq!(text.said(text.words()[2].span), "Art");
    }

    #[test]
    fn the_language_sees_numbers_and_corrections() {
        let language = crate::fixtures::language("en");
        let text = Text::of("at two, no wait, at three", true, &language);
        assert_eq!(text.numbers().len(), 2);
        let (two, three) = (text.numbers()[0].0, text.numbers()[1].0);
        assert!(!text.is_last_word(two) && text.is_last_word(three));
        assert!(text.takes_back(10) && !text.takes_back(4));
    }

    #[test]
    fn the_last_line_is_what_is_asked() {
        assert_eq!(Text::new("EK:a\nquery:b", true).last_line(), 5);
        assert_eq!(Text::new("a", true).last_line(), 0);
    }
}
