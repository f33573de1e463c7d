//! The edit distance, many letters of a column at once: Myers' bit vectors, in Hyyrö's form for words side by side.

use std::collections::BTreeMap;

/// Letters of a column that one machine word holds.
const WORD: usize = 64;

/// How many code points must be put in, taken out or exchanged to make one text the other.
pub fn levenshtein(one: &str, other: &str) -> usize {
    if one == other {
        return 0;
    }
    if one.is_ascii() && other.is_ascii() {
        return distance(one.as_bytes(), other.as_bytes(), |short, long| {
            Pattern::of(short.iter().map(|byte| usize::from(*byte)), 128)
                .distance(long.iter().map(|byte| usize::from(*byte)))
        });
    }
    let letters = |text: &str| text.chars().collect::<Vec<char>>();
    distance(&letters(one), &letters(other), |short, long| {
        let mut numbers: BTreeMap<char, usize> = BTreeMap::new();
        for letter in short {
            let next = numbers.len();
            numbers.entry(*letter).or_insert(next);
        }
        // Letters that the shorter text does not have share a number.
        let number = |letter: &char| numbers.get(letter).copied().unwrap_or(numbers.len());
        Pattern::of(short.iter().map(number), numbers.len() + 1).distance(long.iter().map(number))
    })
}

/// What is equal at both ends costs nothing; the rest is measured, the shorter text first.
fn distance<T: PartialEq>(one: &[T], other: &[T], measure: impl Fn(&[T], &[T]) -> usize) -> usize {
    let before = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let (one, other) = (one.get(before..).unwrap_or_default(), other.get(before..).unwrap_or_default());
    let behind = one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count();
    let (one, other) =
        (one.get(..one.len() - behind).unwrap_or_default(), other.get(..other.len() - behind).unwrap_or_default());
    match (one.len(), other.len()) {
        (0, length) | (length, 0) => length,
        (short, long) if short <= long => measure(one, other),
        _ => measure(other, one),
    }
}

/// Where each letter, by its number, stands in the shorter text.
struct Pattern {
    length: usize,
    words: usize,
    places: Vec<u64>,
}

/// What changes from one row of a column to the next: bits of the rows that are one more, and one less, than the row above.
#[derive(Clone, Copy)]
struct Column {
    more: u64,
    less: u64,
}

/// What changes from one column to the next in the row below a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Carry {
    More,
    Same,
    Less,
}

impl Pattern {
    fn of(letters: impl ExactSizeIterator<Item = usize>, numbers: usize) -> Self {
        let (length, words) = (letters.len(), letters.len().div_ceil(WORD));
        let mut places = vec![0; numbers * words];
        for (at, letter) in letters.enumerate() {
            if let Some(word) = places.get_mut(letter * words + at / WORD) {
                *word |= 1 << (at % WORD);
            }
        }
        Self { length, words, places }
    }

    fn distance(&self, other: impl Iterator<Item = usize>) -> usize {
        let last = 1_u64 << ((self.length - 1) % WORD);
        let mut columns = vec![Column { more: u64::MAX, less: 0 }; self.words];
        let mut distance = self.length;
        for letter in other {
            let places = self.places.get(letter * self.words..).unwrap_or_default();
            let mut carry = Carry::More;
            for (at, (column, equal)) in columns.iter_mut().zip(places).enumerate() {
                let watched = if at + 1 == self.words { last } else { 1 << (WORD - 1) };
                carry = column.step(*equal, carry, watched);
            }
            match carry {
                Carry::More => distance += 1,
                Carry::Less => distance -= 1,
                Carry::Same => {}
            }
        }
        distance
    }
}

impl Column {
    /// Goes on to the next letter, and says what changes in the watched row.
    fn step(&mut self, equal: u64, carry: Carry, watched: u64) -> Carry {
        let is = |wanted: Carry| u64::from(carry == wanted);
        let across = equal | self.less;
        let equal = equal | is(Carry::Less);
        let down = ((equal & self.more).wrapping_add(self.more) ^ self.more) | equal;
        let (more, less) = (self.less | !(down | self.more), self.more & down);
        let out = if more & watched != 0 {
            Carry::More
        } else if less & watched != 0 {
            Carry::Less
        } else {
            Carry::Same
        };
        let (more, less) = ((more << 1) | is(Carry::More), (less << 1) | is(Carry::Less));
        self.more = less | !(across | more);
        self.less = more & across;
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn code_points_are_counted_and_not_bytes() {
        for (one, other, wanted) in [
            ("", "", 0),
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("ab", "ba", 2),
            ("서울역", "서울", 1),
            ("€😀é", "é", 2),
            ("cafe\u{301}", "caf\u{e9}", 2),
        ] {
            assert_eq!((levenshtein(one, other), levenshtein(other, one)), (wanted, wanted), "{one} {other}");
        }
    }

    #[test]
    fn long_texts_go_over_several_words() {
        let long = "abcdefghij".repeat(40);
        let other = format!("x{}y", long.replace("cd", "dc"));
        assert_eq!(levenshtein(&long, &other), strsim::levenshtein(&long, &other));
        assert_eq!(levenshtein(&"a".repeat(1000), &"b".repeat(700)), 1000);
    }

    proptest! {
        #[test]
        fn it_is_the_distance_that_everybody_computes(one in "[ab{}\":가]{0,200}", other in "[ab{}\":가]{0,200}") {
            prop_assert_eq!(levenshtein(&one, &other), strsim::levenshtein(&one, &other));
        }

        #[test]
        fn so_it_is_where_little_differs(text in "[a-e]{60,140}", at in 0_usize..60, put in "[a-e]{0,3}") {
            let (before, behind) = text.split_at(at);
            let other = format!("{before}{put}{}", &behind.chars().skip(1).collect::<String>());
            prop_assert_eq!(levenshtein(&text, &other), strsim::levenshtein(&text, &other));
        }
    }
}
