//! Which questions are certainly new, so that only those that may be in the journal cost a look at the disk.
//!
//! It is a Bloom filter of one size: with a million replies one new question in 500 is looked up in vain, with six
//! million one in three, and never is one taken for new whose reply was seen.

use crate::llm::key::Key;
use std::sync::atomic::{AtomicU64, Ordering};

/// Words of 64 bits: 2 MiB in all.
const WORDS: usize = 1 << 18;
/// Bits that are set for each key.
const BITS: usize = 4;

/// The keys that were seen.
pub(super) struct Known {
    words: Box<[AtomicU64]>,
}

impl Known {
    /// Nothing is known.
    pub(super) fn new() -> Self {
        Self { words: (0..WORDS).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Remembers a key.
    pub(super) fn add(&self, key: &Key) {
        for (word, bit) in places(key) {
            self.words[word].fetch_or(bit, Ordering::Relaxed);
        }
    }

    /// Whether the key may have been added; where it was, it says so always.
    pub(super) fn may_have(&self, key: &Key) -> bool {
        places(key).all(|(word, bit)| self.words[word].load(Ordering::Relaxed) & bit != 0)
    }
}

/// Words and bits of a key. It is a hash already, so that any part of it is as good as another.
fn places(key: &Key) -> impl Iterator<Item = (usize, u64)> {
    let (parts, _) = key.as_bytes().as_chunks::<4>();
    parts.iter().take(BITS).map(|part| {
        let number = u32::from_le_bytes(*part);
        (number as usize / 64 % WORDS, 1 << (number % 64))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u64) -> Key {
        Key::from_bytes(*blake3::hash(&number.to_le_bytes()).as_bytes())
    }

    #[test]
    fn what_was_added_is_known_and_next_to_nothing_else() {
        let known = Known::new();
        (0..100_000).for_each(|number| known.add(&key(number)));
        assert!((0..100_000).all(|number| known.may_have(&key(number))));
        let mistaken = (100_000..200_000).filter(|number| known.may_have(&key(*number))).count();
        assert!(mistaken < 20, "{mistaken}");
    }

    #[test]
    fn at_first_everything_is_new() {
        assert!((0..100).all(|number| !Known::new().may_have(&key(number))));
    }

    #[test]
    fn all_words_are_used() {
        let words: std::collections::BTreeSet<usize> =
            (0..10_000).flat_map(|it| places(&key(it)).collect::<Vec<_>>()).map(|it| it.0).collect();
        assert!(words.len() > 36_800 && words.last() < Some(&WORDS), "{}", words.len());
        let bits = (0..10_000).flat_map(|it| places(&key(it)).collect::<Vec<_>>()).fold(0, |all, (_, bit)| all | bit);
        assert_eq!(bits, u64::MAX);
    }
}
