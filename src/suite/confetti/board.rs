//! Everything that was found of one model.

use super::gold::Gold;
use crate::score::Mean;
use crate::score::confetti::{Confusion, chain_length, functions_offered, user_turns};
use crate::suite::bfcl::{Missing, Profile, Tally};
use indexmap::IndexMap;
use std::collections::BTreeMap;

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
}

/// What one model did.
#[derive(Debug, Clone, PartialEq)]
pub struct Board {
    /// What the table calls it.
    pub name: String,
    /// By which rules calls were checked.
    pub profile: Profile,
    /// Calls that BFCL's checker takes.
    pub ast: Tally,
    /// What was wrong, by name.
    pub errors: BTreeMap<String, u64>,
    /// Scores of calls, by id.
    pub items: IndexMap<String, f64>,
    /// Scores of chains.
    pub chains: Chains,
    /// Dialog acts.
    pub acts: Acts,
    /// Wanted calls without a prediction.
    pub missing: u64,
    /// Predictions for what is not there.
    pub unknown: u64,
    /// Items whose model could not be reached.
    pub transport: u64,
    /// Lines that cannot be read: their places, and what is wrong.
    pub faults: Vec<(usize, String)>,
}

impl Board {
    /// Nothing found yet.
    pub fn new(name: &str, profile: Profile) -> Self {
        Self {
            name: name.to_owned(),
            profile,
            ast: Tally::default(),
            errors: BTreeMap::new(),
            items: IndexMap::new(),
            chains: Chains::default(),
            acts: Acts::default(),
            missing: 0,
            unknown: 0,
            transport: 0,
            faults: Vec::new(),
        }
    }

    /// The mean over calls that were predicted.
    pub fn item_mean(&self) -> Mean {
        let mut mean = Mean::default();
        self.items.values().for_each(|score| mean.add(*score));
        mean
    }

    /// Puts calls together to chains: a chain is worth the product of its calls, and a call without a prediction nothing.
    pub fn close(&mut self, gold: &Gold, missing: Missing) {
        for ((_, turn), ids) in gold.chains() {
            let scores: Vec<Option<f64>> = ids.iter().map(|id| self.items.get(*id).copied()).collect();
            let absent = scores.iter().filter(|score| score.is_none()).count();
            self.missing += absent as u64;
            if absent == ids.len() && missing == Missing::Skip {
                continue;
            }
            let score = scores.iter().map(|score| score.unwrap_or_default()).product();
            let Some(first) = ids.first().and_then(|id| gold.calls.get(*id)) else { continue };
            self.chains.all.add(score);
            let length = Some(chain_length(ids.len()));
            let slices = [
                (&mut self.chains.by_length, length),
                (&mut self.chains.by_functions, functions_offered(first.offered)),
                (&mut self.chains.by_turns, user_turns(first.user_turns)),
                (&mut self.chains.by_position, user_turns(usize::try_from(*turn).unwrap_or_default())),
            ];
            for (slice, name) in slices {
                if let Some(name) = name {
                    slice.entry(name).or_default().add(score);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::gold::tests::write;
    use super::*;
    use crate::format::Bench;

    fn closed(items: &[(&str, f64)], missing: Missing) -> Board {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path());
        let gold = Gold::read(&Bench::open(folder.path()).unwrap(), None, false).unwrap();
        let mut board = Board::new("m", Profile::Upstream);
        board.items = items.iter().map(|(id, score)| (format!("conversationsclean_{id}"), *score)).collect();
        board.close(&gold, missing);
        board
    }

    fn value(mean: &Mean) -> Option<(u64, f64)> {
        mean.estimate().map(|estimate| (estimate.n, estimate.value))
    }

    #[test]
    fn a_chain_is_the_product_of_its_calls() {
        let board = closed(&[("0", 0.5), ("1", 0.5), ("2", 0.5)], Missing::Fail);
        assert_eq!(value(&board.chains.all), Some((2, 0.375)));
        assert_eq!(value(&board.chains.by_length["2"]), Some((1, 0.25)));
        assert_eq!((value(&board.item_mean()), board.missing), (Some((3, 0.5)), 0));
        assert!(board.chains.by_functions.is_empty());
    }

    #[test]
    fn what_is_missing_is_nothing_or_left_out() {
        assert_eq!(value(&closed(&[("0", 1.0)], Missing::Fail).chains.all), Some((2, 0.5)));
        assert_eq!(value(&closed(&[("0", 1.0)], Missing::Skip).chains.all), Some((1, 1.0)));
        assert_eq!(value(&closed(&[("1", 1.0)], Missing::Skip).chains.all), Some((1, 0.0)));
        assert_eq!(closed(&[("1", 1.0)], Missing::Skip).missing, 2);
    }
}
