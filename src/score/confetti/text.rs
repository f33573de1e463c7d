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
    /// How alike a model's vectors of them are.
    Embedding,
    /// What a server says that people run themselves.
    Http,
    /// What a judge says.
    Judge,
}

impl Measure {
    /// Whether others must be asked.
    pub fn is_asked(self) -> bool {
        matches!(self, Self::Embedding | Self::Http | Self::Judge)
    }
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
            Measure::Embedding => "embedding",
            Measure::Http => "http",
            Measure::Judge => "judge",
        };
        if self.guard.is_some() { format!("guarded_{measure}") } else { measure.to_owned() }
    }

    /// How much of the gold a prediction says, from 0 to 1. What differs in spelling alone says all of it, and nothing says
    /// nothing. None where others must be asked.
    pub fn of(&self, gold: &str, predicted: &str) -> Option<f64> {
        if normal(gold) == normal(predicted) {
            return Some(1.0);
        }
        if predicted.trim().is_empty() || self.guard.as_ref().is_some_and(|guard| !guard.allows(gold, predicted)) {
            return Some(0.0);
        }
        match self.measure {
            Measure::Exact => Some(0.0),
            Measure::TokenF1 => Some(token_f1(gold, predicted)),
            Measure::RougeL => Some(rouge_l(gold, predicted)),
            Measure::Chrf => Some(chrf(gold, predicted)),
            Measure::Embedding | Measure::Http | Measure::Judge => None,
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
    fn spelling_does_not_count_and_the_guard_comes_before_the_measure() {
        for measure in [Measure::Exact, Measure::TokenF1, Measure::RougeL, Measure::Chrf] {
            assert_eq!(score(measure, true).of("New York", "new-york"), Some(1.0));
            assert_eq!(score(measure, true).of("VH825734", "VH825734 x"), Some(0.0));
        }
        assert!(score(Measure::TokenF1, false).of("VH825734", "VH825734 x").unwrap() > 0.5);
        assert_eq!(score(Measure::Exact, false).of("a b", "a"), Some(0.0));
    }

    #[test]
    fn others_are_asked_only_where_nothing_else_decides() {
        for measure in [Measure::Embedding, Measure::Http, Measure::Judge] {
            let guarded = score(measure, true);
            assert_eq!(
                ["red-hotel", " ", "hotel 5", "a red inn"].map(|claim| guarded.of("Red hotel", claim)),
                [Some(1.0), Some(0.0), Some(0.0), None]
            );
            assert!(measure.is_asked() && score(measure, false).of("red hotel", "hotel 5").is_none());
        }
        assert!(![Measure::Exact, Measure::TokenF1, Measure::RougeL, Measure::Chrf].iter().any(|it| it.is_asked()));
    }

    #[test]
    fn names_say_whether_there_is_a_guard() {
        let names = [
            (Measure::TokenF1, true),
            (Measure::Chrf, false),
            (Measure::RougeL, true),
            (Measure::Exact, true),
            (Measure::Http, false),
            (Measure::Embedding, true),
            (Measure::Judge, false),
        ];
        let names = names.map(|(measure, is_guarded)| score(measure, is_guarded).name());
        assert_eq!(
            names,
            ["guarded_token_f1", "chrf", "guarded_rouge_l", "exact", "http", "guarded_embedding", "judge"]
        );
    }
}
