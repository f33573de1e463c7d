//! How much several outputs to one question agree: the paper's two measures, of which its scripts have neither.

use super::levenshtein::levenshtein;
use super::verdict::cleaned;
use std::collections::BTreeMap;

/// The measures of one question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stability {
    /// By votes.
    pub election: f64,
    /// The same of outputs without marks, space and capitals.
    pub election_cleaned: f64,
    /// By edit distance from the first output.
    pub levenshtein: f64,
    /// The same of outputs without marks, space and capitals.
    pub levenshtein_cleaned: f64,
}

impl Stability {
    /// Of the outputs of several runs in their order; fewer than two say nothing.
    pub fn of(outputs: &[&str]) -> Option<Self> {
        if outputs.len() < 2 {
            return None;
        }
        let clean: Vec<String> = outputs.iter().map(|output| cleaned(output)).collect();
        let clean: Vec<&str> = clean.iter().map(String::as_str).collect();
        Some(Self {
            election: election(outputs),
            election_cleaned: election(&clean),
            levenshtein: likeness(outputs),
            levenshtein_cleaned: likeness(&clean),
        })
    }
}

/// By how many votes the most frequent output leads: 1 where all agree, 0 where the first two are equally frequent.
pub fn election(outputs: &[&str]) -> f64 {
    let mut votes: BTreeMap<&str, u32> = BTreeMap::new();
    for output in outputs {
        *votes.entry(output).or_default() += 1;
    }
    let mut votes: Vec<u32> = votes.into_values().collect();
    votes.sort_unstable_by(|one, other| other.cmp(one));
    let place = |at: usize| votes.get(at).copied().unwrap_or_default();
    let (first, second, all) = (place(0), place(1), votes.iter().sum::<u32>());
    if all == second { 0.0 } else { f64::from(first - second) / f64::from(all - second) }
}

/// How alike the later outputs are to the first one, on average.
fn likeness(outputs: &[&str]) -> f64 {
    let Some((first, later)) = outputs.split_first() else { return 1.0 };
    let count = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    let length = first.chars().count();
    let alike = |output: &&str| match length.max(output.chars().count()) {
        0 => 1.0,
        longest => 1.0 - count(levenshtein(first, output)) / count(longest),
    };
    later.iter().map(alike).sum::<f64>() / count(later.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn votes(outputs: &str) -> f64 {
        let outputs: Vec<String> = outputs.chars().map(String::from).collect();
        election(&outputs.iter().map(String::as_str).collect::<Vec<_>>())
    }

    #[test]
    fn the_papers_examples() {
        let third = 1.0 / 3.0;
        for (outputs, wanted) in [
            ("AAAAA", 1.0),
            ("AABBC", 0.0),
            ("AABCD", 0.25),
            ("AAABB", third),
            ("AAABC", 0.5),
            ("AAAAB", 0.75),
            ("ABCDE", 0.0),
            ("A", 1.0),
            ("", 0.0),
        ] {
            assert!((votes(outputs) - wanted).abs() < 1e-15, "{outputs}: {}", votes(outputs));
        }
    }

    #[test]
    fn marks_and_capitals_are_no_instability_once_they_are_gone() {
        let it = Stability::of(&["[\"getX\"]", "['GETX']", "getX"]).unwrap();
        assert_eq!((it.election, it.election_cleaned, it.levenshtein_cleaned), (0.0, 1.0, 1.0));
        assert!(it.levenshtein < 1.0);
        assert!((Stability::of(&["", ""]).unwrap().levenshtein - 1.0).abs() < 1e-15);
        assert_eq!((Stability::of(&["a"]), Stability::of(&[])), (None, None));
    }

    #[test]
    fn outputs_are_compared_with_the_first_one() {
        let it = Stability::of(&["abcd", "abce", "wxyz"]).unwrap();
        assert!((it.levenshtein - 0.375).abs() < 1e-15);
    }

    proptest! {
        #[test]
        fn both_measures_lie_between_0_and_1_and_agreement_is_1(outputs in prop::collection::vec("[ab']{0,4}", 2..6)) {
            let outputs: Vec<&str> = outputs.iter().map(String::as_str).collect();
            let it = Stability::of(&outputs).unwrap();
            for measure in [it.election, it.election_cleaned, it.levenshtein, it.levenshtein_cleaned] {
                prop_assert!((0.0..=1.0).contains(&measure));
            }
            let same = Stability::of(&vec![outputs[0]; outputs.len()]).unwrap();
            prop_assert_eq!((same.election, same.levenshtein), (1.0, 1.0));
        }
    }
}
