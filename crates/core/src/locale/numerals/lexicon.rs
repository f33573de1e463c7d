//! A language's numeral words, put in order for looking up.

use super::decimal::Decimal;
use super::table::{NativeWords, NumeralWords};
use crate::locale::meaning::surface::fold;
use std::collections::BTreeMap;

/// Words by their first letter, the longest first.
#[derive(Debug, Clone)]
pub(in crate::locale) struct Lexicon<T> {
    by_first: BTreeMap<char, Vec<(Vec<char>, T)>>,
}

/// A language's numerals, ready for use.
#[derive(Debug, Clone)]
pub(in crate::locale) struct Numerals {
    pub(super) words: NumeralWords,
    pub(super) parts: Lexicon<Part>,
    pub(super) fractions: Lexicon<Decimal>,
    pub(in crate::locale) counters: Lexicon<()>,
    pub(super) short_counters: Lexicon<()>,
    pub(super) halves: Lexicon<()>,
    pub(super) clock: Lexicon<()>,
    pub(super) point_never: Lexicon<()>,
    pub(super) particles: Lexicon<()>,
    pub(super) never: Lexicon<()>,
    pub(super) negative: Lexicon<()>,
    pub(super) suffixes: Lexicon<()>,
    pub(super) glue: Vec<Vec<char>>,
}

/// What a word does in a numeral.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// A number below twenty.
    Unit(i128),
    /// A whole ten.
    Ten(i128),
    /// A native Korean number below ten; it is followed by no scale. `bound`: only before a counter.
    Native { value: i128, bound: bool },
    /// A native Korean ten.
    NativeTen { value: i128, bound: bool },
    /// What multiplies the number before it.
    Scale(i128),
    /// A place in an order; it ends the numeral.
    Ordinal(i128),
    /// A decimal point.
    Point,
}

impl<T> Default for Lexicon<T> {
    fn default() -> Self {
        Self { by_first: BTreeMap::new() }
    }
}

impl<T> Lexicon<T> {
    pub(in crate::locale) fn new<S: AsRef<str>>(words: impl IntoIterator<Item = (S, T)>) -> Self {
        let mut by_first: BTreeMap<char, Vec<(Vec<char>, T)>> = BTreeMap::new();
        for (word, meaning) in words {
            let word = fold(word.as_ref());
            if let Some(first) = word.first() {
                by_first.entry(*first).or_default().push((word, meaning));
            }
        }
        for words in by_first.values_mut() {
            words.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
        }
        Self { by_first }
    }

    /// The words that stand at a place, the longest first, with their lengths.
    pub(in crate::locale) fn all_at<'a>(
        &'a self,
        chars: &'a [char],
        at: usize,
    ) -> impl Iterator<Item = (usize, &'a T)> + 'a {
        let rest = chars.get(at..).unwrap_or_default();
        let words = rest.first().and_then(|first| self.by_first.get(first)).map(Vec::as_slice).unwrap_or_default();
        words.iter().filter(move |(word, _)| rest.starts_with(word)).map(|(word, meaning)| (word.len(), meaning))
    }

    /// The longest word that stands at a place, with its length.
    pub(in crate::locale) fn at<'a>(&'a self, chars: &'a [char], at: usize) -> Option<(usize, &'a T)> {
        self.all_at(chars, at).next()
    }

    pub(in crate::locale) fn is_empty(&self) -> bool {
        self.by_first.is_empty()
    }
}

impl Numerals {
    pub(in crate::locale) fn new(words: NumeralWords) -> Self {
        let list = |words: &[String]| Lexicon::new(words.iter().map(|word| (word, ())));
        let fractions = words.fractions.iter().filter_map(|entry| Some((&entry.word, Decimal::read(&entry.value)?)));
        Self {
            parts: Lexicon::new(parts(&words)),
            fractions: Lexicon::new(fractions),
            counters: list(&words.counters),
            short_counters: list(if words.short_counters.is_empty() { &words.counters } else { &words.short_counters }),
            halves: list(&words.half_after),
            clock: list(&words.clock),
            point_never: list(&words.point_never),
            particles: list(&words.particles),
            never: list(&words.never),
            negative: list(&words.negative),
            suffixes: list(&words.ordinal_suffixes),
            // Glue is matched as it is: its spaces count.
            glue: words.glue.iter().map(|glue| glue.chars().collect()).collect(),
            words,
        }
    }
}

fn parts(words: &NumeralWords) -> Vec<(String, Part)> {
    let mut parts = Vec::new();
    let mut add = |word: &str, part: Part| parts.push((word.to_owned(), part));
    for (value, word) in (0..).zip(&words.ones) {
        add(word, Part::Unit(value));
    }
    for (value, word) in (2..).zip(&words.tens) {
        add(word, Part::Ten(value * 10));
    }
    for scale in &words.scales {
        add(&scale.word, Part::Scale(scale.size.into()));
    }
    for (value, word) in (1..).zip(&words.ordinals) {
        add(word, Part::Ordinal(value));
    }
    words.more.iter().for_each(|(word, value)| add(word, Part::Unit((*value).into())));
    words.more_scales.iter().for_each(|(word, size)| add(word, Part::Scale((*size).into())));
    words.more_ordinals.iter().for_each(|(word, value)| add(word, Part::Ordinal((*value).into())));
    words.point.iter().for_each(|word| add(word, Part::Point));
    if let Some(native) = &words.native {
        parts.extend(native_parts(native));
    }
    parts
}

fn native_parts(native: &NativeWords) -> Vec<(String, Part)> {
    let mut parts: Vec<(String, Part)> = Vec::new();
    for (value, word) in (0..).zip(&native.ones).skip(1) {
        parts.push((word.clone(), Part::Native { value, bound: false }));
    }
    for (ten, word) in (1..).zip(&native.tens) {
        // `열` also begins the verb "to open".
        parts.push((word.clone(), Part::NativeTen { value: ten * 10, bound: word.chars().count() == 1 }));
    }
    let attributive = native.attributive.iter().filter_map(|(value, word)| Some((word, value.parse().ok()?)));
    for (word, value) in attributive.chain(native.more.iter().map(|(word, value)| (word, i128::from(*value)))) {
        let bound = true;
        parts.push((
            word.clone(),
            if value < 10 { Part::Native { value, bound } } else { Part::NativeTen { value, bound } },
        ));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::numerals::table::tests::words;

    #[test]
    fn the_longest_word_comes_first() {
        let lexicon = Lexicon::new([("시", 1), ("시간", 2), ("Ｓｉ", 3)]);
        let chars: Vec<char> = "두 시간 si".chars().collect();
        assert_eq!(lexicon.at(&chars, 2), Some((2, &2)));
        assert_eq!(lexicon.all_at(&chars, 2).map(|(length, _)| length).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(lexicon.at(&chars, 5), Some((2, &3)));
        assert_eq!(lexicon.at(&chars, 99), None);
        assert!(!lexicon.is_empty() && Lexicon::<()>::new([("", ())]).is_empty());
    }

    #[test]
    fn every_word_of_a_language_has_its_part() {
        let numerals = Numerals::new(words("ko"));
        let part = |word: &str| numerals.parts.at(&word.chars().collect::<Vec<_>>(), 0).map(|(_, part)| *part);
        assert_eq!(part("칠"), Some(Part::Unit(7)));
        assert_eq!(part("네"), Some(Part::Native { value: 4, bound: true }));
        assert_eq!(part("스물"), Some(Part::NativeTen { value: 20, bound: false }));
        assert_eq!(part("스무"), Some(Part::NativeTen { value: 20, bound: true }));
        assert_eq!(part("억"), Some(Part::Scale(100_000_000)));
    }
}
