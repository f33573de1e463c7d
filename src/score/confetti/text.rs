//! How strings are scored.

use super::guard::Guard;
use super::overlap::{chrf, rouge_l, token_f1};
use crate::score::bfcl::normal;

/// What two strings are measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Nothing but the same string counts.
    Exact,
    /// Shared words.
    TokenF1,
    /// Shared words in order.
    RougeL,
    /// Shared runs of letters.
    Chrf,
}

/// A measure, and whether identifiers and numbers are guarded.
#[derive(Debug, Clone)]
pub struct StringScore {
    /// The measure.
    pub measure: Measure,
    /// The guard.
    pub guard: Option<Guard>,
}

impl StringScore {
    /// Its name in reports.
    pub fn name(&self) -> String {
        let measure = match self.measure {
            Measure::Exact => return "exact".to_owned(),
            Measure::TokenF1 => "token_f1",
            Measure::RougeL => "rouge_l",
            Measure::Chrf => "chrf",
        };
        if self.guard.is_some() { format!("guarded_{measure}") } else { measure.to_owned() }
    }

    /// How much of the gold a prediction says, from 0 to 1. What differs in spelling alone says all of it.
    pub fn of(&self, gold: &str, predicted: &str) -> f64 {
        if normal(gold) == normal(predicted) {
            return 1.0;
        }
        if self.guard.as_ref().is_some_and(|guard| !guard.allows(gold, predicted)) {
            return 0.0;
        }
        match self.measure {
            Measure::Exact => 0.0,
            Measure::TokenF1 => token_f1(gold, predicted),
            Measure::RougeL => rouge_l(gold, predicted),
            Measure::Chrf => chrf(gold, predicted),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(measure: Measure, is_guarded: bool) -> StringScore {
        StringScore { measure, guard: is_guarded.then(Guard::default) }
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "both are all or nothing")]
    fn spelling_does_not_count_and_the_guard_comes_before_the_measure() {
        for measure in [Measure::Exact, Measure::TokenF1, Measure::RougeL, Measure::Chrf] {
            assert_eq!(score(measure, true).of("New York", "new-york"), 1.0);
            assert_eq!(score(measure, true).of("VH825734", "VH825734 x"), 0.0);
        }
        assert!(score(Measure::TokenF1, false).of("VH825734", "VH825734 x") > 0.5);
        assert_eq!(score(Measure::Exact, false).of("a b", "a"), 0.0);
    }

    #[test]
    fn names_say_whether_there_is_a_guard() {
        let names = [(Measure::TokenF1, true), (Measure::Chrf, false), (Measure::RougeL, true), (Measure::Exact, true)];
        let names = names.map(|(measure, is_guarded)| score(measure, is_guarded).name());
        assert_eq!(names, ["guarded_token_f1", "chrf", "guarded_rouge_l", "exact"]);
    }
}
