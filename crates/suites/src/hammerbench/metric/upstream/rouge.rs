//! ROUGE-L as Python's `rouge` 1.0.1 counts it: at "summary level", over sets of words.
//!
//! Sentences end at every period. Of each pair of sentences one longest common subsequence is rebuilt, and the words on
//! them are united; this union stands in the place of a length, and repeated words count once everywhere.

use crate::python::words;
use std::collections::BTreeMap;

/// How many steps back the rebuilding may take: each is a call, Python allows 1,000, and nine are under way before.
const DEEPEST: usize = 991;
/// Python would need gigabytes for a table of more cells, and no value of a call is so long.
const MOST_CELLS: usize = 1 << 24;
/// So many words are found faster by looking at each than by any order.
const FEW: usize = 32;

/// Computes F over and over in the same memory.
#[derive(Debug, Default)]
pub(super) struct SummaryRouge {
    reference: Sentences,
    hypothesis: Sentences,
    /// Which words lie on some common subsequence, by number.
    united: Vec<bool>,
    table: Vec<u16>,
}

/// Words as numbers, sentence after sentence.
#[derive(Debug, Default)]
struct Sentences {
    words: Vec<usize>,
    ends: Vec<usize>,
}

/// The words of both texts, each with a number.
#[derive(Default)]
struct Vocabulary<'t> {
    /// The beginnings of the first words, which tell most of them apart at once.
    beginnings: Vec<u64>,
    first: Vec<&'t str>,
    others: BTreeMap<&'t str, usize>,
}

impl SummaryRouge {
    /// F of two texts; 0 where Python gives up.
    pub(super) fn f(&mut self, reference: &str, hypothesis: &str) -> f64 {
        let mut vocabulary = Vocabulary::default();
        self.reference.fill(reference, &mut vocabulary);
        let m = vocabulary.len();
        self.hypothesis.fill(hypothesis, &mut vocabulary);
        if self.reference.ends.is_empty() || self.hypothesis.ends.is_empty() {
            return 0.0;
        }
        self.united.clear();
        self.united.resize(vocabulary.len(), false);
        let n = self.distinct_in_hypothesis();
        if let Some(common) = self.common_of_distinct(m, n) {
            return f_score(common, m, n);
        }
        match self.unite() {
            Some(()) => f_score(self.united.iter().filter(|is_in| **is_in).count(), m, n),
            None => 0.0,
        }
    }

    fn distinct_in_hypothesis(&mut self) -> usize {
        for word in &self.hypothesis.words {
            mark(&mut self.united, *word);
        }
        let count = self.united.iter().filter(|is_in| **is_in).count();
        self.united.fill(false);
        count
    }

    /// The number of common words where each text is one sentence of different words: then it is the length of a longest
    /// common subsequence, whichever is rebuilt, and what both begin and end with needs no table.
    fn common_of_distinct(&mut self, m: usize, n: usize) -> Option<usize> {
        let (mut reference, mut hypothesis) = (self.reference.words.as_slice(), self.hypothesis.words.as_slice());
        let is_plain = self.reference.ends.len() == 1 && self.hypothesis.ends.len() == 1;
        if !is_plain || (reference.len(), hypothesis.len()) != (m, n) || m + n > DEEPEST {
            return None;
        }
        let mut common = 0;
        while let (Some((one, rest)), Some((other, more))) = (reference.split_first(), hypothesis.split_first()) {
            if one != other {
                break;
            }
            (reference, hypothesis, common) = (rest, more, common + 1);
        }
        while let (Some((one, rest)), Some((other, more))) = (reference.split_last(), hypothesis.split_last()) {
            if one != other {
                break;
            }
            (reference, hypothesis, common) = (rest, more, common + 1);
        }
        if reference.is_empty() || hypothesis.is_empty() {
            return Some(common);
        }
        fill_table(&mut self.table, reference, hypothesis)?;
        Some(common + usize::from(*self.table.last()?))
    }

    fn unite(&mut self) -> Option<()> {
        for reference in self.reference.iter() {
            for hypothesis in self.hypothesis.iter() {
                fill_table(&mut self.table, reference, hypothesis)?;
                walk_back(&self.table, reference, hypothesis, &mut self.united)?;
            }
        }
        Some(())
    }
}

impl Sentences {
    fn fill<'t>(&mut self, text: &'t str, vocabulary: &mut Vocabulary<'t>) {
        self.words.clear();
        self.ends.clear();
        for sentence in text.split('.').filter(|sentence| !sentence.is_empty()) {
            let before = self.words.len();
            self.words.extend(words(sentence).map(|word| vocabulary.number(word)));
            if self.words.len() == before {
                // Nothing, split at single spaces, is one empty word.
                self.words.push(vocabulary.number(""));
            }
            self.ends.push(self.words.len());
        }
    }

    fn iter(&self) -> impl Iterator<Item = &[usize]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).filter_map(|(start, end)| self.words.get(start..*end))
    }
}

impl<'t> Vocabulary<'t> {
    fn len(&self) -> usize {
        self.first.len() + self.others.len()
    }

    fn number(&mut self, word: &'t str) -> usize {
        let beginning = beginning(word);
        for (number, known) in self.beginnings.iter().enumerate() {
            if *known == beginning && (word.len() < 8 || self.first.get(number) == Some(&word)) {
                return number;
            }
        }
        let next = self.len();
        if next < FEW {
            self.first.push(word);
            self.beginnings.push(beginning);
            return next;
        }
        *self.others.entry(word).or_insert(next)
    }
}

/// The first seven bytes of a word with its length: of words shorter than eight it is the whole.
fn beginning(word: &str) -> u64 {
    let mut bytes = [0; 8];
    for (place, byte) in bytes.iter_mut().zip(word.as_bytes().iter().take(7)) {
        *place = *byte;
    }
    if let Some(last) = bytes.last_mut() {
        *last = u8::try_from(word.len()).unwrap_or(u8::MAX);
    }
    u64::from_le_bytes(bytes)
}

/// Lengths of the longest common subsequences of all beginnings, row by row of the reference.
fn fill_table(table: &mut Vec<u16>, reference: &[usize], hypothesis: &[usize]) -> Option<()> {
    let width = hypothesis.len() + 1;
    let cells = (reference.len() + 1).checked_mul(width).filter(|cells| *cells <= MOST_CELLS)?;
    table.clear();
    table.resize(cells, 0);
    for (row, word) in reference.iter().enumerate() {
        let (above, below) = table.split_at_mut((row + 1) * width);
        let above = above.get(row * width..)?;
        let mut left = 0;
        for ((cell, pair), other) in below.iter_mut().skip(1).zip(above.windows(2)).zip(hypothesis) {
            left = if word == other { pair[0] + 1 } else { pair[1].max(left) };
            *cell = left;
        }
    }
    Some(())
}

/// Rebuilds one subsequence from its end and marks its words. Where both ways are equally long, it leaves out a word of
/// the hypothesis.
fn walk_back(table: &[u16], reference: &[usize], hypothesis: &[usize], united: &mut [bool]) -> Option<()> {
    let width = hypothesis.len() + 1;
    let length = |row: usize, column: usize| table.get(row * width + column).copied().unwrap_or(0);
    let (mut row, mut column, mut calls) = (reference.len(), hypothesis.len(), 1);
    while row > 0 && column > 0 {
        let (word, other) = (*reference.get(row - 1)?, *hypothesis.get(column - 1)?);
        if word == other {
            mark(united, word);
            row -= 1;
            column -= 1;
        } else if length(row - 1, column) > length(row, column - 1) {
            row -= 1;
        } else {
            column -= 1;
        }
        calls += 1;
    }
    (calls <= DEEPEST).then_some(())
}

fn mark(words: &mut [bool], word: usize) {
    if let Some(is_in) = words.get_mut(word) {
        *is_in = true;
    }
}

#[expect(clippy::cast_precision_loss, reason = "words are fewer than 2^52")]
fn f_score(common: usize, reference: usize, hypothesis: usize) -> f64 {
    let (precision, recall) = (common as f64 / hypothesis as f64, common as f64 / reference as f64);
    2.0 * ((precision * recall) / (precision + recall + 1e-8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn f(reference: &str, hypothesis: &str) -> f64 {
        SummaryRouge::default().f(reference, hypothesis)
    }

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-12
    }

    #[test]
    fn equal_texts_fall_just_short_of_one() {
        assert!(near(f("a b c", "a b c"), 0.999_999_995));
        assert!(near(f("x", "x x x"), 0.999_999_995));
        assert!(near(f("a.b.c", "a b c"), 0.999_999_995));
        assert!(near(f("a\u{a0}b", "a \u{3000} b"), 0.999_999_995));
    }

    #[test]
    fn seven_of_ten_words_fall_just_short_of_the_bound() {
        assert!(near(f("a b c d e f g h i j", "a b c d e f g x y z"), 0.699_999_995));
    }

    #[test]
    fn order_counts_within_a_sentence() {
        assert!(near(f("a b c", "c b a"), 0.333_333_328_333));
        assert!(near(f("a. . b", "a b"), 0.799_999_995_2));
        assert!(f("x", "y") < 1e-300);
    }

    #[test]
    fn nothing_and_too_much_are_nothing() {
        assert!(f("", "a") + f("a", "") + f("...", "...") < 1e-300);
        let long: Vec<String> = (0..990).map(|number| format!("w{number}")).collect();
        assert!(f(&long.join(" "), &long.join(" ")) > 0.9);
        let longer = format!("{} more", long.join(" "));
        assert!(f(&longer, &longer) < 1e-300);
        let huge = "a b ".repeat(10_000);
        assert!(f(&huge, &huge) < 1e-300);
    }

    #[test]
    fn many_words_have_numbers_too() {
        let many: Vec<String> = (0..100).map(|number| format!("w{number}")).collect();
        let half = many.iter().step_by(2).cloned().collect::<Vec<_>>().join(" ");
        assert!(near(f(&many.join(" "), &half), 2.0 * 0.5 / (1.5 + 1e-8)));
    }

    proptest! {
        #[test]
        fn it_is_a_share(one in "[a-d. ]{0,30}", other in "[a-d. ]{0,30}") {
            let mut rouge = SummaryRouge::default();
            let first = rouge.f(&one, &other);
            prop_assert!((0.0..1.0).contains(&first));
            prop_assert!(near(rouge.f(&one, &other), first), "the memory of the first count must not matter");
        }
    }

    proptest! {
        #[test]
        fn a_text_is_wholly_in_itself_and_not_at_all_in_another(text in "[a-d]{1,3}( [a-d]{1,3}){0,9}", other in "[w-z]{1,3}( [w-z]{1,3}){0,9}") {
            prop_assert!(near(f(&text, &text), 2.0 / (2.0 + 1e-8)));
            prop_assert!(f(&text, &other) < 1e-300);
        }

        #[test]
        fn what_is_added_only_takes_away(text in "[a-d]( [a-d]){0,6}", more in "[w-z]( [w-z]){0,6}") {
            let longer = format!("{text} {more}");
            prop_assert!(f(&text, &longer) < f(&text, &text));
            prop_assert!(near(f(&text, &longer), f(&longer, &text)));
        }
    }
}
