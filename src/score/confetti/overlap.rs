//! How much two texts share: words, words in order, runs of letters.

use std::collections::BTreeMap;

/// How long runs of letters are at most.
const ORDER: usize = 6;
/// How much more recall weighs than precision, squared.
const FACTOR: f64 = 4.0;

/// The words of a text: runs of letters, digits and underscores, in small letters.
pub(super) fn words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// F1 of the words of two texts, as often as they stand there.
pub fn token_f1(gold: &str, predicted: &str) -> f64 {
    let (gold, predicted) = (words(gold), words(predicted));
    harmonic(2 * shared(&counts(&gold), &counts(&predicted)), gold.len() + predicted.len())
}

/// F1 of the longest sequence of words that both have.
pub fn rouge_l(gold: &str, predicted: &str) -> f64 {
    let (gold, predicted) = (words(gold), words(predicted));
    let mut row = vec![0; predicted.len() + 1];
    for word in &gold {
        let mut before = 0;
        for (at, other) in predicted.iter().enumerate() {
            let above = row.get(at + 1).copied().unwrap_or_default();
            let left = row.get(at).copied().unwrap_or_default();
            let longest = if word == other { before + 1 } else { above.max(left) };
            before = above;
            if let Some(place) = row.get_mut(at + 1) {
                *place = longest;
            }
        }
    }
    harmonic(2 * row.last().copied().unwrap_or_default(), gold.len() + predicted.len())
}

/// The score of runs of one to six letters without space, recall weighing twice as much as precision, in small letters.
pub fn chrf(gold: &str, predicted: &str) -> f64 {
    let letters = |text: &str| -> Vec<char> { text.to_lowercase().chars().filter(|it| !it.is_whitespace()).collect() };
    let (gold, predicted) = (letters(gold), letters(predicted));
    let (mut precision, mut recall, mut orders) = (0.0, 0.0, 0.0);
    for length in 1..=ORDER {
        let (of_gold, of_predicted) = (counts(gold.windows(length)), counts(predicted.windows(length)));
        let (golden, said) = (of_gold.values().sum::<usize>(), of_predicted.values().sum::<usize>());
        if golden > 0 && said > 0 {
            let common = real(shared(&of_gold, &of_predicted));
            precision += common / real(said);
            recall += common / real(golden);
            orders += 1.0;
        }
    }
    if orders == 0.0 || precision + recall == 0.0 {
        return 0.0;
    }
    let (precision, recall) = (precision / orders, recall / orders);
    (1.0 + FACTOR) * precision * recall / (FACTOR * precision + recall)
}

fn counts<T: Ord>(parts: impl IntoIterator<Item = T>) -> BTreeMap<T, usize> {
    let mut counts = BTreeMap::new();
    for part in parts {
        *counts.entry(part).or_default() += 1;
    }
    counts
}

fn shared<T: Ord>(one: &BTreeMap<T, usize>, other: &BTreeMap<T, usize>) -> usize {
    one.iter().map(|(part, count)| other.get(part).copied().unwrap_or_default().min(*count)).sum()
}

fn harmonic(part: usize, of: usize) -> f64 {
    if part == 0 { 0.0 } else { real(part) / real(of) }
}

#[expect(clippy::cast_precision_loss, reason = "texts are far shorter than 2^52 letters")]
fn real(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shares_are_those_of_the_definition() {
        assert!((token_f1("delta refund policy", "refund policy of Delta") - 6.0 / 7.0).abs() < 1e-12);
        assert!((rouge_l("delta refund policy", "refund policy of Delta") - 4.0 / 7.0).abs() < 1e-12);
        assert!((chrf("delta refund policy", "refund policy of Delta") - 0.7893).abs() < 5e-5);
        assert_eq!((token_f1("a", "b"), rouge_l("", ""), chrf("", "a"), token_f1("-", "-")), (0.0, 0.0, 0.0, 0.0));
    }

    #[test]
    fn words_count_as_often_as_they_stand_there() {
        assert!((token_f1("a a b", "a b b") - 4.0 / 6.0).abs() < 1e-12);
        assert!((rouge_l("a b c", "c b a") - 2.0 / 6.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn all_shares_are_between_nothing_and_all_and_all_of_the_same(one in "[a-d ]{0,20}", other in "[a-d ]{0,20}") {
            for score in [token_f1, rouge_l, chrf] {
                let value = score(&one, &other);
                prop_assert!((0.0..=1.0 + 1e-12).contains(&value), "{}", value);
                let same = score(&one, &one);
                prop_assert!(one.trim().is_empty() || (same - 1.0).abs() < 1e-12);
            }
            prop_assert!(rouge_l(&one, &other) <= token_f1(&one, &other) + 1e-12);
        }
    }
}
