//! A few lines of a long file, spread over all of it and over what is in it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// Most lines of a file that are looked at.
const FAR: usize = 50_000;

/// About `most` lines at equal distances in a file that has `total` of them.
pub(crate) fn some_lines(path: &Path, total: usize, most: usize) -> io::Result<Vec<String>> {
    let step = (total.min(FAR) / most.max(1)).max(1);
    BufReader::new(File::open(path)?).lines().take(FAR).step_by(step).collect()
}

/// The first `most` lines that hold a word.
pub(crate) fn lines_with(path: &Path, word: &str, most: usize) -> io::Result<Vec<String>> {
    let lines = BufReader::new(File::open(path)?).lines().take(FAR);
    lines.filter(|line| line.as_ref().map_or(true, |line| line.contains(word))).take(most).collect()
}

/// Positions of `count` of the kinds: every kind in turn, at equal distances within each.
pub(crate) fn spread(kinds: &[String], count: usize) -> Vec<usize> {
    let mut by_kind: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (position, kind) in kinds.iter().enumerate() {
        by_kind.entry(kind).or_default().push(position);
    }
    let mut shares = vec![0; by_kind.len()];
    let mut left = count.min(kinds.len());
    while left > 0 {
        for (share, positions) in shares.iter_mut().zip(by_kind.values()) {
            let fits = left > 0 && *share < positions.len();
            *share += usize::from(fits);
            left -= usize::from(fits);
        }
    }
    let all = by_kind.len();
    let chosen = by_kind.values().zip(shares).enumerate().flat_map(|(kind, (positions, share))| {
        let count = positions.len();
        // Each kind begins elsewhere: variants of one item lie at the same place of their kinds.
        (0..share).map(move |index| positions[(count * index / share + count * kind / all) % count])
    });
    chosen.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kinds(text: &str) -> Vec<String> {
        text.chars().map(String::from).collect()
    }

    #[test]
    fn every_kind_has_its_turn() {
        assert_eq!(spread(&kinds("aaaabbbb"), 4), [0, 2, 6, 4]);
        assert_eq!(spread(&kinds("aab"), 5), [0, 1, 2]);
        assert_eq!(spread(&kinds("abcdef"), 2), [0, 1]);
        assert!(spread(&[], 5).is_empty());
    }

    #[test]
    fn lines_are_taken_at_equal_distances() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        std::fs::write(&path, "0\n1\n2\n3\n4\n5\n6\n7\n").unwrap();
        assert_eq!(some_lines(&path, 8, 4).unwrap(), ["0", "2", "4", "6"]);
        assert_eq!(some_lines(&path, 8, 100).unwrap().len(), 8);
        assert_eq!(lines_with(&path, "3", 4).unwrap(), ["3"]);
        assert!(some_lines(&folder.path().join("none"), 8, 4).is_err());
    }

    #[test]
    fn a_word_is_looked_for_up_to_as_many_lines_as_are_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        std::fs::write(&path, "ab\nb\na\nba\n").unwrap();
        assert_eq!(lines_with(&path, "a", 2).unwrap(), ["ab", "a"]);
        assert_eq!(lines_with(&path, "x", 2).unwrap(), [""; 0]);
        std::fs::write(&path, [b'a', b'\n', 0xff, b'\n']).unwrap();
        assert!(lines_with(&path, "a", 9).is_err(), "a line that cannot be read is not passed over");
    }

    proptest! {
        #[test]
        fn positions_are_distinct_and_no_kind_is_left_out_for_another(text in "[a-d]{0,30}", count in 0_usize..12) {
            let kinds = kinds(&text);
            let mut positions = spread(&kinds, count);
            prop_assert_eq!(positions.len(), count.min(kinds.len()));
            let chosen = |kind: &str, positions: &[usize]| positions.iter().filter(|at| kinds[**at] == kind).count();
            for (one, other) in [("a", "b"), ("b", "a"), ("a", "d"), ("d", "c")] {
                let all: Vec<usize> = (0..kinds.len()).collect();
                let left = chosen(one, &all) > chosen(one, &positions);
                prop_assert!(!left || chosen(one, &positions) + 1 >= chosen(other, &positions));
            }
            positions.sort_unstable();
            positions.dedup();
            prop_assert_eq!(positions.len(), count.min(kinds.len()));
        }
    }
}
