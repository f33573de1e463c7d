//! Everything that was found of one model.

use super::options::{Options, Rule};
use crate::bfcl::Tally;
use crate::confetti::metric::{Confusion, Validity};
use crate::score::Mean;
use indexmap::IndexMap;
use std::collections::{BTreeMap, BTreeSet};

/// Scores of chains, in whole and by slice.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Chains {
    /// All chains.
    pub all: Mean,
    /// By the number of their calls.
    pub by_length: BTreeMap<&'static str, Mean>,
    /// By the number of functions that are offered.
    pub by_functions: BTreeMap<&'static str, Mean>,
    /// By how often the user has spoken before.
    pub by_turns: BTreeMap<&'static str, Mean>,
    /// By the turn's place in its conversation.
    pub by_position: BTreeMap<&'static str, Mean>,
    /// By the complexity that its conversation was wanted to have.
    pub by_complexity: BTreeMap<String, Mean>,
    /// Chains that hang on a string which nobody has scored; they are not counted.
    pub unscored: u64,
}

/// Dialog acts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Acts {
    /// Turns that do something of what is wanted.
    pub matched: Tally,
    /// What was taken for what.
    pub confusion: Confusion,
    /// Labels that nobody knows, and how often they came.
    pub unknown: BTreeMap<String, u64>,
    /// Turns whose words nobody has classified; they are not counted.
    pub unclassified: u64,
    /// Wanted turns without a prediction.
    pub missing: u64,
}

/// What one model did.
#[derive(Debug, Clone, PartialEq)]
pub struct Board {
    /// What the table calls it.
    pub name: String,
    /// By which rules it was scored.
    pub rule: Rule,
    /// Calls that BFCL's checker takes.
    pub ast: Tally,
    /// What was wrong, by name.
    pub errors: BTreeMap<String, u64>,
    /// Scores of calls, by id.
    pub items: IndexMap<String, f64>,
    /// Calls with a string that nobody has scored.
    pub unscored: BTreeSet<String>,
    /// Scores of chains.
    pub chains: Chains,
    /// Dialog acts.
    pub acts: Acts,
    /// Arguments that were not made up.
    pub validity: Validity,
    /// Wanted calls without a prediction.
    pub missing: u64,
    /// Predictions for what is not there.
    pub unknown: u64,
    /// Items whose model could not be reached.
    pub unreachable: BTreeSet<String>,
    /// Lines that cannot be read: their places, and what is wrong.
    pub faults: Vec<(usize, String)>,
}

impl Board {
    /// Nothing found yet.
    pub fn new(name: &str, options: &Options) -> Self {
        Self {
            name: name.to_owned(),
            rule: options.rule(),
            ast: Tally::default(),
            errors: BTreeMap::new(),
            items: IndexMap::new(),
            unscored: BTreeSet::new(),
            chains: Chains::default(),
            acts: Acts::default(),
            validity: Validity::default(),
            missing: 0,
            unknown: 0,
            unreachable: BTreeSet::new(),
            faults: Vec::new(),
        }
    }

    /// The mean over calls.
    pub fn item_mean(&self) -> Mean {
        let mut mean = Mean::default();
        self.items.values().for_each(|score| mean.add(*score));
        mean
    }

    /// How many predictions and missing ones were judged.
    pub fn scored(&self) -> u64 {
        self.ast.of + self.acts.matched.of
    }
}

#[cfg(test)]
mod tests {
    use super::super::driver::tests::options;
    use super::*;
    use crate::bfcl::Profile;

    #[test]
    fn a_board_begins_with_nothing_but_its_rule() {
        let mut board = Board::new("m", &options(Profile::Upstream));
        assert_eq!((board.scored(), board.item_mean().estimate()), (0, None));
        assert_eq!(board.rule.string_score, "guarded_token_f1");
        board.items.insert("a".to_owned(), 0.5);
        board.items.insert("b".to_owned(), 1.0);
        assert_eq!(board.item_mean().estimate().map(|it| (it.n, it.value)), Some((2, 0.75)));
    }
}
