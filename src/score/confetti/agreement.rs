//! How well a classifier finds the dialog acts that people found.

use super::acts::{Act, acts_match};
use crate::score::{Estimate, wilson};
use std::collections::{BTreeMap, BTreeSet};

/// How often an act was found, and how often it was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hits {
    /// It was there and was found.
    pub both: u64,
    /// It was found.
    pub found: u64,
    /// It was there.
    pub there: u64,
}

/// What a classifier found in texts whose acts are known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Agreement {
    /// By act.
    pub acts: BTreeMap<Act, Hits>,
    /// Texts.
    pub texts: u64,
    /// Texts of whose acts it found one at least.
    pub matched: u64,
    /// Texts that got no answer.
    pub unanswered: u64,
    /// Labels that nobody knows, and how often they came.
    pub unknown: BTreeMap<String, u64>,
}

impl Agreement {
    /// Adds a text.
    pub fn add(&mut self, there: &BTreeSet<Act>, found: &BTreeSet<Act>) {
        self.texts += 1;
        self.matched += u64::from(acts_match(there, found));
        for act in there | found {
            let hits = self.acts.entry(act).or_default();
            hits.both += u64::from(there.contains(&act) && found.contains(&act));
            hits.found += u64::from(found.contains(&act));
            hits.there += u64::from(there.contains(&act));
        }
    }

    /// All acts together.
    pub fn all(&self) -> Hits {
        self.acts.values().fold(Hits::default(), |sum, it| Hits {
            both: sum.both + it.both,
            found: sum.found + it.found,
            there: sum.there + it.there,
        })
    }

    /// How often at least one act was found that was there: the paper's single-label accuracy.
    pub fn accuracy(&self) -> Option<Estimate> {
        wilson(self.matched, self.texts)
    }
}

impl Hits {
    /// The share of what was found that was there.
    pub fn precision(self) -> Option<Estimate> {
        wilson(self.both, self.found)
    }

    /// The share of what was there that was found.
    pub fn recall(self) -> Option<Estimate> {
        wilson(self.both, self.there)
    }

    /// Their harmonic mean; its interval is that of both ends.
    pub fn f1(self) -> Option<Estimate> {
        let (precision, recall) = (self.precision()?, self.recall()?);
        let mean = |one: f64, other: f64| if one + other > 0.0 { 2.0 * one * other / (one + other) } else { 0.0 };
        Some(Estimate {
            n: self.there,
            value: mean(precision.value, recall.value),
            low: mean(precision.low, recall.low),
            high: mean(precision.high, recall.high),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::acts::read_acts;
    use super::*;
    use proptest::prelude::*;

    fn acts(text: &str) -> BTreeSet<Act> {
        read_acts(text).0
    }

    #[test]
    fn what_was_there_and_what_was_found_are_counted_act_by_act() {
        let mut agreement = Agreement::default();
        agreement.add(&acts("agent_inform_user"), &acts("agent_inform_user,agent_seek_information"));
        agreement.add(&acts("agent_other,agent_inform_user"), &acts("agent_inform_user"));
        agreement.add(&acts("agent_other"), &acts(""));
        assert_eq!(agreement.all(), Hits { both: 2, found: 3, there: 4 });
        assert_eq!(agreement.acts[&Act::Seek], Hits { both: 0, found: 1, there: 0 });
        let value = |estimate: Option<Estimate>| estimate.map(|it| (it.value * 1000.0).round());
        let all = agreement.all();
        assert_eq!([all.precision(), all.recall(), all.f1()].map(value), [Some(667.0), Some(500.0), Some(571.0)]);
        assert_eq!((value(agreement.accuracy()), agreement.acts[&Act::Seek].f1()), (Some(667.0), None));
    }

    #[test]
    fn of_nothing_there_is_nothing() {
        let none = Agreement::default();
        assert_eq!((none.accuracy(), none.all().precision(), none.all().f1()), (None, None, None));
    }

    proptest! {
        #[test]
        fn the_mean_lies_between_both_and_within_its_interval(both in 1_u64..50, found in 0_u64..50, there in 0_u64..50) {
            let hits = Hits { both, found: both + found, there: both + there };
            let (precision, recall, f1) = (hits.precision().unwrap(), hits.recall().unwrap(), hits.f1().unwrap());
            prop_assert!(f1.value >= precision.value.min(recall.value) - 1e-12);
            prop_assert!(f1.value <= precision.value.max(recall.value) + 1e-12);
            prop_assert!(f1.low <= f1.value + 1e-12 && f1.value <= f1.high + 1e-12);
        }
    }
}
