//! Short names of long things, for sets that must stay small.

use crate::record::Chance;

/// A hash of some words; their boundaries count.
pub(super) fn hash(words: &[&str]) -> u64 {
    let bytes: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
    Chance::of(&bytes).bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries_count() {
        assert_eq!(hash(&["a", "b"]), hash(&["a", "b"]));
        assert_ne!(hash(&["ab", ""]), hash(&["a", "b"]));
    }
}
