//! Several models on the same items: differences of their figures, pair by pair, with intervals from resampling.
//!
//! Of an item its marks are kept for each model. Items that belong together (one tool, one conversation) are drawn together,
//! or the intervals would be too narrow. An item without a prediction has a verdict that is wrong, as it has in the figures;
//! where it is left out of these (`--missing skip`), it is not compared.

use super::interval::{Estimate, wilson};
use crate::record::{Chance, Mark, Marks, Verdict};
use std::collections::BTreeMap;

/// How often is resampled.
pub const RESAMPLES: usize = 2_000;
/// Groups are put together beyond this number: that widens no interval, and bounds the time.
const GROUPS: usize = 5_000;

/// Verdicts of models on items.
#[derive(Debug, Clone, Default)]
pub struct Paired {
    models: Vec<String>,
    items: BTreeMap<u64, Vec<Marks>>,
}

/// A figure of one model beside the first one's.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The model.
    pub model: String,
    /// The figure: how often this mark is right.
    pub figure: Mark,
    /// The share of the first model, over the items that both have.
    pub first: Estimate,
    /// What the other model's share is more than the first one's.
    pub change: Estimate,
}

impl Paired {
    /// Adds a verdict on an item; a second one of the same model on the same item does not count.
    pub fn add(&mut self, verdict: &Verdict) {
        let model = verdict.model();
        let known = self.models.iter().position(|name| *name == model);
        let at = known.unwrap_or_else(|| {
            self.models.push(model);
            self.models.len() - 1
        });
        let row = self.items.entry(key(&verdict.sample)).or_default();
        row.resize(row.len().max(at + 1), Marks::default());
        if let Some(slot) = row.get_mut(at).filter(|slot| slot.is_empty()) {
            *slot = verdict.marks;
        }
    }

    /// The models, in the order in which they came.
    pub fn models(&self) -> &[String] {
        &self.models
    }

    /// Every figure of every other model beside the first one's. `group` tells by an item's key ([`Paired::key`]) what it
    /// belongs to; one of which it knows nothing stands for itself.
    pub fn differences(&self, group: &BTreeMap<u64, u64>, seed: u64) -> Vec<Difference> {
        let pairs: Vec<(usize, Mark)> =
            (1..self.models.len()).flat_map(|model| Mark::ALL.map(|figure| (model, figure))).collect();
        let groups = self.groups(group, &pairs);
        let totals: Vec<Sum> = (0..pairs.len()).map(|at| groups.iter().map(|sums| sums[at]).sum()).collect();
        let mut drawn = vec![Vec::with_capacity(RESAMPLES); pairs.len()];
        for draw in 0..RESAMPLES {
            let mut chance = Chance::new(seed, "score.paired", "", u32::try_from(draw).unwrap_or_default());
            let mut sums = vec![Sum::default(); pairs.len()];
            for _ in 0..groups.len() {
                let Some(group) = chance.pick(&groups) else { break };
                sums.iter_mut().zip(group).for_each(|(sum, of)| *sum = sum.and(*of));
            }
            drawn.iter_mut().zip(&sums).for_each(|(values, sum)| values.extend(sum.difference()));
        }
        let told = |((model, figure), (total, mut values)): ((usize, Mark), (Sum, Vec<f64>))| {
            let first = wilson(total.first, total.n)?;
            values.sort_by(f64::total_cmp);
            let [low, high] = [25, 975].map(|of| values.get(values.len() * of / 1000).or(values.last()).copied());
            let change = Estimate { n: total.n, value: total.difference()?, low: low?, high: high? };
            Some(Difference { model: self.models.get(model)?.clone(), figure, first, change })
        };
        pairs.iter().copied().zip(totals.into_iter().zip(drawn)).filter_map(told).collect()
    }

    /// The key of an item's id.
    pub fn key(id: &str) -> u64 {
        key(id)
    }

    /// For each group the sums of each pair.
    fn groups(&self, group: &BTreeMap<u64, u64>, pairs: &[(usize, Mark)]) -> Vec<Vec<Sum>> {
        let mut groups: BTreeMap<u64, Vec<Sum>> = BTreeMap::new();
        let count = self
            .items
            .keys()
            .map(|item| group.get(item).unwrap_or(item))
            .collect::<std::collections::BTreeSet<_>>()
            .len();
        let most = if count > GROUPS { GROUPS as u64 } else { u64::MAX };
        for (item, row) in &self.items {
            let sums = groups
                .entry(group.get(item).unwrap_or(item) % most)
                .or_insert_with(|| vec![Sum::default(); pairs.len()]);
            for ((model, figure), sum) in pairs.iter().zip(sums) {
                if let (Some(one), Some(other)) = (row.first(), row.get(*model)) {
                    *sum = sum.and(Sum::of(one.get(*figure), other.get(*figure)));
                }
            }
        }
        groups.into_values().collect()
    }
}

/// Items that two models have a verdict on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Sum {
    n: u64,
    first: u64,
    second: u64,
}

impl Sum {
    fn of(one: Option<bool>, other: Option<bool>) -> Self {
        let both = one.zip(other).map(|(first, second)| Self { n: 1, first: first.into(), second: second.into() });
        both.unwrap_or_default()
    }

    fn and(self, other: Self) -> Self {
        Self { n: self.n + other.n, first: self.first + other.first, second: self.second + other.second }
    }

    #[expect(clippy::cast_precision_loss, reason = "counts are below 2^52")]
    fn difference(self) -> Option<f64> {
        (self.n > 0).then(|| (self.second as f64 - self.first as f64) / self.n as f64)
    }
}

impl std::iter::Sum for Sum {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Self::and)
    }
}

fn key(id: &str) -> u64 {
    Chance::of(&[id.as_bytes()]).bits()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn verdict(model: &str, id: &str, marks: &[(Mark, bool)]) -> Verdict {
        let verdict =
            Verdict { predictions: model.to_owned(), ..Verdict::new(id, None, crate::record::Object::default()) };
        marks.iter().fold(verdict, |verdict, (mark, right)| verdict.marked(*mark, *right))
    }

    /// Two models on some items, by what each of them has right.
    fn paired(verdicts: &[(bool, bool)]) -> Paired {
        let mut paired = Paired::default();
        for (at, (one, other)) in verdicts.iter().enumerate() {
            paired.add(&verdict("a", &format!("i{at}"), &[(Mark::Right, *one)]));
            paired.add(&verdict("b", &format!("i{at}"), &[(Mark::Right, *other)]));
        }
        paired
    }

    #[test]
    fn the_difference_is_that_of_the_shares_over_common_items() {
        let mut it = paired(&[(true, true), (true, false), (false, false), (true, false)]);
        it.add(&verdict("a", "alone", &[(Mark::Right, true)]));
        let found = it.differences(&BTreeMap::new(), 7);
        let [one] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((one.model.as_str(), one.figure, one.change.n), ("b", Mark::Right, 4));
        assert!((one.first.value - 0.75).abs() < 1e-9 && (one.change.value + 0.5).abs() < 1e-9);
        assert!(one.change.low >= -1.0 && one.change.high <= 0.0 && one.change.low < one.change.high);
    }

    #[test]
    fn the_same_seed_gives_the_same_interval() {
        let it = paired(&(0..60).map(|at| (at % 3 == 0, at % 4 == 0)).collect::<Vec<_>>());
        assert_eq!(it.differences(&BTreeMap::new(), 7), it.differences(&BTreeMap::new(), 7));
        assert!((8..16).any(|seed| it.differences(&BTreeMap::new(), seed) != it.differences(&BTreeMap::new(), 7)));
    }

    #[test]
    fn items_that_belong_together_make_the_interval_wider() {
        let it = paired(&(0..200).map(|at| (at / 20 % 2 == 0, true)).collect::<Vec<_>>());
        let groups: BTreeMap<u64, u64> = (0..200_u64).map(|at| (Paired::key(&format!("i{at}")), at / 20)).collect();
        let width = |groups: &BTreeMap<u64, u64>| {
            it.differences(groups, 7).first().map(|it| it.change.high - it.change.low).unwrap()
        };
        assert!(width(&groups) > 2.0 * width(&BTreeMap::new()));
    }

    #[test]
    fn the_interval_is_near_that_of_the_normal_distribution() {
        let verdicts: Vec<(bool, bool)> = (0..400).map(|at| (at % 10 < 5, at % 10 < 4 || at % 10 == 9)).collect();
        let found = paired(&verdicts).differences(&BTreeMap::new(), 7);
        // One of ten is right with one model alone, another one with the other: the variance of a difference is 0.2.
        let half = 1.96 * (0.2_f64 / 400.0).sqrt();
        assert!((found[0].change.high - half).abs() < 0.01 && (found[0].change.low + half).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn each_mark_that_two_models_have_is_a_figure() {
        let mut it = Paired::default();
        for model in ["a", "b"] {
            it.add(&verdict(model, "x", &[(Mark::Pass, true), (Mark::Ast, true), (Mark::Routing, false)]));
            it.add(&verdict(model, "y", &[(Mark::Success, false)]));
        }
        let names: Vec<&str> = it.differences(&BTreeMap::new(), 7).iter().map(|it| it.figure.title()).collect();
        assert_eq!(names, ["AST", "Routing", "Success", "Pass"]);
        assert_eq!((it.models().len(), Paired::default().differences(&BTreeMap::new(), 7).len()), (2, 0));
    }

    proptest! {
        #[test]
        fn exchanging_the_models_turns_the_sign(verdicts in prop::collection::vec(any::<(bool, bool)>(), 1..40)) {
            let there = paired(&verdicts).differences(&BTreeMap::new(), 7);
            let back = paired(&verdicts.iter().map(|(one, other)| (*other, *one)).collect::<Vec<_>>()).differences(&BTreeMap::new(), 7);
            prop_assert!((there[0].change.value + back[0].change.value).abs() < 1e-9);
            prop_assert!(there[0].change.low <= there[0].change.value + 1e-9 && there[0].change.value <= there[0].change.high + 1e-9);
        }
    }
}
