//! What no overlap makes up for: an identifier that is another, and a number that the gold does not have.

use super::overlap::words;
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// Tells texts that are right or wrong as a whole. Words for numbers come from a profile.
#[derive(Debug, Clone, Default)]
pub struct Guard {
    numbers: IndexMap<String, String>,
}

impl Guard {
    /// A guard that knows these words for numbers, each with its digits.
    pub fn new(numbers: IndexMap<String, String>) -> Self {
        Self { numbers }
    }

    /// Whether a prediction that is not the gold itself can be right in part: the gold is no identifier, and the prediction
    /// states no number that the gold lacks.
    pub fn allows(&self, gold: &str, predicted: &str) -> bool {
        !is_identifier(gold) && self.numbers(predicted).is_subset(&self.numbers(gold))
    }

    fn numbers(&self, text: &str) -> BTreeSet<String> {
        let words = words(text);
        let said = words.iter().map(|word| self.numbers.get(word).unwrap_or(word));
        let digits = |word: &String| -> Vec<String> {
            let runs = word.split(|letter: char| !letter.is_ascii_digit());
            runs.filter(|run| !run.is_empty()).map(str::to_owned).collect()
        };
        said.flat_map(digits).collect()
    }
}

/// An address, or one or two words with a digit and nothing but letters, digits and the signs of phone numbers.
fn is_identifier(text: &str) -> bool {
    let is_plain = |letter: char| letter == '_' || letter.is_alphanumeric() || "-.@+()# ".contains(letter);
    let is_short = text.split_whitespace().count() <= 2;
    text.contains('@') || (is_short && text.chars().any(char::is_numeric) && text.chars().all(is_plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard() -> Guard {
        Guard::new([("two".to_owned(), "2".to_owned())].into())
    }

    #[test]
    fn identifiers_are_right_as_a_whole_or_not_at_all() {
        for gold in ["VH825734", "a@b.com", "(555) 123-4567", "Room 5"] {
            assert!(!guard().allows(gold, gold), "{gold}");
        }
        assert!(guard().allows("delta refund policy", "refund policy") && guard().allows("5 large pizzas", "5 pizzas"));
    }

    #[test]
    fn a_number_that_the_gold_lacks_is_not_allowed() {
        assert!(!guard().allows("a table for two people", "a table for 3"));
        assert!(guard().allows("a table for two people", "a table for 2"));
        assert!(guard().allows("a table for 2 people", "a table"));
        assert!(!guard().allows("a table for people", "a table for Two"));
    }
}
