//! Runs of words that name one thing: `the budget review`, `six dumplings`.

use super::text::{Text, Word};
use crate::locale::{Meaning, Reading};

/// Neighbouring words that may name one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    /// The first word.
    pub(super) first: usize,
    /// The first word behind it.
    pub(super) end: usize,
    /// What stands before it.
    before: Before,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Determiner,
    Number,
    Action,
    Other,
}

impl Run {
    /// Whether the place says that it is a thing: an object, something counted, or the first word of all.
    pub(super) fn is_thing(self) -> bool {
        self.before != Before::Other
    }

    /// Whether a number counts it.
    pub(super) fn is_counted(self) -> bool {
        self.before == Before::Number
    }

    /// Whether it begins the text.
    pub(super) fn is_head(self) -> bool {
        self.before == Before::Nothing
    }
}

/// The runs of the last line.
pub(super) fn runs(text: &Text, reading: &Reading) -> Vec<Run> {
    let words = text.words();
    let line = words.iter().position(|word| word.span.start >= text.last_line()).unwrap_or(words.len());
    let mut runs = Vec::new();
    let mut index = line;
    while index < words.len() {
        let before = if index == line { Before::Nothing } else { before(text, index, reading) };
        let named = before == Before::Determiner;
        let end = (index..words.len())
            .take_while(|at| is_noun(text, *at, named, reading) && (*at == index || !parted(text, *at)))
            .last();
        match end {
            Some(last) => {
                runs.push(Run { first: index, end: last + 1, before });
                index = last + 1;
            }
            None => index += 1,
        }
    }
    runs
}

fn before(text: &Text, index: usize, reading: &Reading) -> Before {
    let word = &text.words()[index - 1];
    if parted(text, index) {
        Before::Other
    } else if reading.determiners.contains(&word.lower) {
        Before::Determiner
    } else if text.numbers().iter().any(|(span, _)| span.overlaps(word.span)) {
        Before::Number
    } else if is_action(word, reading) {
        Before::Action
    } else {
        Before::Other
    }
}

/// Whether a word can be part of a thing's name: no empty word, no cue, no number, and no action unless a determiner
/// stands before.
pub(super) fn is_noun(text: &Text, index: usize, named: bool, reading: &Reading) -> bool {
    let word = &text.words()[index];
    let digits = word.lower.chars().any(|letter| letter.is_ascii_digit());
    let number = text.numbers().iter().any(|(span, _)| span.overlaps(word.span));
    let empty = reading.is_empty_word(&word.lower) || reading.announces(&word.lower);
    !(empty || digits || number || !named && is_action(word, reading))
}

/// Whether something other than a space stands before a word.
pub(super) fn parted(text: &Text, index: usize) -> bool {
    let words = text.words();
    index > 0
        && text.lower()[words[index - 1].span.end..words[index].span.start].iter().any(|letter| !letter.is_whitespace())
}

fn is_action(word: &Word, reading: &Reading) -> bool {
    reading.meanings(&word.lower).iter().any(|meaning| matches!(meaning, Meaning::Action(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(query: &str) -> Vec<(String, bool)> {
        let language = crate::fixtures::language("en");
        let text = Text::of(query, true, &language);
        let runs = runs(&text, &Reading::load(crate::fixtures::assets(), "en").unwrap());
        let words = |run: &Run| {
            text.words()[run.first..run.end].iter().map(|word| word.lower.as_str()).collect::<Vec<_>>().join(" ")
        };
        runs.iter().map(|run| (words(run), run.is_thing())).collect()
    }

    #[test]
    fn a_thing_has_a_determiner_a_number_or_a_verb_before_it() {
        assert_eq!(
            said("order six dumplings from the corner shop"),
            [("dumplings".to_owned(), true), ("corner shop".to_owned(), true)]
        );
        assert_eq!(said("desk lamp at 60%"), [("desk lamp".to_owned(), true)]);
        assert_eq!(said("order pizza with olives"), [("pizza".to_owned(), true), ("olives".to_owned(), false)]);
    }

    #[test]
    fn an_action_behind_a_determiner_is_a_thing() {
        assert_eq!(said("move the budget review"), [("budget review".to_owned(), true)]);
    }
}
