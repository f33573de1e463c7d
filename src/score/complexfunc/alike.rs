//! How alike two calls are, without weights.

use super::rules::Rules;
use crate::python;
use crate::record::{FunctionCall, Value};

/// How much another name is worth at most, and another value.
const NAME: f64 = 0.3;
const VALUE: f64 = 0.9;

/// By names and shared arguments.
pub(super) fn structured(rules: Rules, predicted: &FunctionCall, golden: &FunctionCall) -> f64 {
    let name = if predicted.name == golden.name { 1.0 } else { NAME * chrf(&predicted.name, &golden.name) };
    let shared: Vec<f64> = predicted
        .arguments
        .iter()
        .filter_map(|(name, given)| golden.arguments.get(name).map(|wanted| alike_values(rules, given, wanted)))
        .collect();
    let union = predicted.arguments.len() + golden.arguments.len() - shared.len();
    name + shared.iter().sum::<f64>() / real(union.max(1))
}

fn alike_values(rules: Rules, one: &Value, other: &Value) -> f64 {
    if rules.equal(one, other) {
        return 1.0;
    }
    let alike = match (one, other) {
        (Value::String(one), Value::String(other)) => chrf(&one.to_lowercase(), &other.to_lowercase()),
        _ => chrf(&python::dump(one), &python::dump(other)),
    };
    VALUE * alike
}

/// F1 of precision and recall, each the mean over runs of one, two and three letters as far as both texts have any.
pub(super) fn chrf(one: &str, other: &str) -> f64 {
    let letters = |text: &str| -> Vec<u64> { text.chars().filter(|it| !it.is_whitespace()).map(u64::from).collect() };
    let (one, other) = (letters(one), letters(other));
    let (mut precision, mut recall, mut orders) = (0.0, 0.0, 0_usize);
    for length in 1..=one.len().min(other.len()).min(3) {
        let (left, right) = (runs(&one, length), runs(&other, length));
        let shared = real(shared(&left, &right));
        precision += shared / real(left.len());
        recall += shared / real(right.len());
        orders += 1;
    }
    if orders == 0 || precision + recall == 0.0 {
        return 0.0;
    }
    2.0 * precision * recall / ((precision + recall) * real(orders))
}

/// The runs of a length, sorted. A letter has 21 bits, so that three have room in a word.
fn runs(letters: &[u64], length: usize) -> Vec<u64> {
    let mut runs: Vec<u64> =
        letters.windows(length).map(|run| run.iter().fold(0, |word, letter| word << 21 | letter)).collect();
    runs.sort_unstable();
    runs
}

/// How many elements two sorted lists share.
fn shared(one: &[u64], other: &[u64]) -> usize {
    let (mut left, mut right) = (one.iter().peekable(), other.iter().peekable());
    let mut shared = 0;
    while let (Some(one), Some(other)) = (left.peek(), right.peek()) {
        match one.cmp(other) {
            std::cmp::Ordering::Less => drop(left.next()),
            std::cmp::Ordering::Greater => drop(right.next()),
            std::cmp::Ordering::Equal => {
                shared += 1;
                left.next();
                right.next();
            }
        }
    }
    shared
}

#[expect(clippy::cast_precision_loss, reason = "no text has 2^52 letters")]
pub(super) fn real(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::super::golden::tests::call;
    use super::*;
    use proptest::prelude::*;

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-9
    }

    #[test]
    fn texts_are_alike_by_their_runs() {
        assert!(near(chrf("abc", "a b c"), 1.0) && near(chrf("abc", "xyz"), 0.0) && near(chrf("", ""), 0.0));
        // One letter of two is shared, and no run of two.
        assert!(near(chrf("ab", "ac"), 0.25));
        // Runs of three are not counted where one text has none.
        let recall = f64::midpoint(2.0 / 3.0, 0.5);
        assert!(near(chrf("ab", "abc"), 2.0 * recall / (1.0 + recall)));
    }

    #[test]
    fn calls_are_alike_by_name_and_shared_arguments() {
        let rules = Rules::default();
        let of = |one: &FunctionCall, other: &FunctionCall| structured(rules, one, other);
        let search = call("Search", r#"{"area": "a1", "day": "d", "n": 2}"#);
        assert!(near(of(&search, &search), 2.0));
        assert!(near(of(&call("Search", "{}"), &call("Search", "{}")), 1.0));
        assert!(near(of(&call("Search", r#"{"area": "A1", "n": 2.0}"#), &search), 1.0 + (0.9 + 1.0) / 3.0));
        assert!(near(of(&call("xyz", r#"{"n": 25}"#), &call("Search", r#"{"n": 2}"#)), 0.9 * chrf("25", "2")));
    }

    proptest! {
        #[test]
        fn likeness_goes_both_ways_and_lies_between_nothing_and_one(one in ".{0,12}", other in ".{0,12}") {
            let (there, back) = (chrf(&one, &other), chrf(&other, &one));
            prop_assert!(near(there, back) && (0.0..=1.0 + 1e-9).contains(&there));
            let has_letters = one.chars().any(|letter| !letter.is_whitespace());
            prop_assert!(!has_letters || near(chrf(&one, &one), 1.0));
        }
    }
}
