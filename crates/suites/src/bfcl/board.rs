//! Everything that was found of one model, by category, and the means that BFCL has of them.

use super::driver::Profile;
use crate::Coverage;
use crate::bfcl::metric::Category;
use std::collections::BTreeMap;

/// How many of how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// How many are right.
    pub right: u64,
    /// Of how many.
    pub of: u64,
}

impl Tally {
    /// Adds one.
    pub fn add(&mut self, is_right: bool) {
        self.right += u64::from(is_right);
        self.of += 1;
    }

    /// The share; nothing of nothing.
    #[expect(clippy::cast_precision_loss, reason = "counts are below 2^52")]
    pub fn share(self) -> Option<f64> {
        (self.of > 0).then(|| self.right as f64 / self.of as f64)
    }
}

/// What was counted besides.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    /// How much was scored.
    pub coverage: Coverage,
    /// Predictions for items that are not there.
    pub unknown: u64,
    /// Further predictions for an item that has one, which were left out.
    pub repeated: u64,
    /// Items that no prediction can be judged by.
    pub unscorable: u64,
    /// Lines that cannot be read: their places, and what is wrong.
    pub faults: Vec<(usize, String)>,
    /// Errors by their names, and those at which upstream breaks off.
    pub errors: BTreeMap<String, u64>,
    /// What stood around calls and was taken away.
    pub wrappers: BTreeMap<&'static str, u64>,
}

/// What one model did.
#[derive(Debug, Clone, PartialEq)]
pub struct Board {
    /// What the table calls it.
    pub name: String,
    /// By which rules it was scored.
    pub profile: Profile,
    /// What was right, by category.
    pub categories: BTreeMap<Category, Tally>,
    /// Where no call is wanted: what is right when a call that cannot be read counts as none, and when it does not.
    pub abstentions: BTreeMap<Category, [Tally; 2]>,
    /// What was counted besides.
    pub counts: Counts,
}

/// Python's part of the categories of one turn that BFCL wrote itself.
const OWN: [Category; 4] = [Category::SimplePython, Category::Multiple, Category::Parallel, Category::ParallelMultiple];
/// Those that people asked live.
const LIVE: [Category; 4] =
    [Category::LiveSimple, Category::LiveMultiple, Category::LiveParallel, Category::LiveParallelMultiple];
/// Those in which no call is wanted.
const IRRELEVANCE: [Category; 2] = [Category::Irrelevance, Category::LiveIrrelevance];

impl Board {
    /// Nothing found yet.
    pub fn new(name: &str, profile: Profile) -> Self {
        let (categories, abstentions) = (BTreeMap::new(), BTreeMap::new());
        Self { name: name.to_owned(), profile, categories, abstentions, counts: Counts::default() }
    }

    fn all_of(&self, categories: &[Category]) -> Option<Vec<Tally>> {
        categories.iter().map(|category| self.categories.get(category).copied().filter(|tally| tally.of > 0)).collect()
    }

    /// The mean of Python's own categories, each with the same weight. BFCL's also has Java and JavaScript in its first part,
    /// which nobody judges here.
    pub fn own_python(&self) -> Option<f64> {
        mean(&self.all_of(&OWN)?)
    }

    /// The share of all live questions together.
    pub fn live(&self) -> Option<Tally> {
        let tallies = self.all_of(&LIVE)?;
        Some(tallies.iter().fold(Tally::default(), |sum, it| Tally { right: sum.right + it.right, of: sum.of + it.of }))
    }

    /// The mean of both categories in which no call is wanted.
    pub fn irrelevance(&self) -> Option<f64> {
        mean(&self.all_of(&IRRELEVANCE)?)
    }
}

#[expect(clippy::cast_precision_loss, reason = "there are four categories at most")]
fn mean(tallies: &[Tally]) -> Option<f64> {
    let shares: Option<Vec<f64>> = tallies.iter().map(|tally| tally.share()).collect();
    shares.map(|shares| shares.iter().sum::<f64>() / shares.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(tallies: &[(Category, u64, u64)]) -> Board {
        let mut board = Board::new("m", Profile::Upstream);
        board.categories =
            tallies.iter().map(|(category, right, of)| (*category, Tally { right: *right, of: *of })).collect();
        board
    }

    #[test]
    fn own_categories_weigh_the_same_and_live_ones_by_their_items() {
        let all = board(&[
            (Category::SimplePython, 1, 2),
            (Category::Multiple, 4, 4),
            (Category::Parallel, 0, 9),
            (Category::ParallelMultiple, 1, 2),
            (Category::LiveSimple, 1, 1),
            (Category::LiveMultiple, 1, 5),
            (Category::LiveParallel, 1, 1),
            (Category::LiveParallelMultiple, 1, 1),
        ]);
        assert_eq!(all.own_python(), Some(0.5));
        assert_eq!(all.live(), Some(Tally { right: 4, of: 8 }));
        assert_eq!(all.irrelevance(), None);
    }

    #[test]
    fn a_mean_needs_all_of_its_categories() {
        let some =
            board(&[(Category::SimplePython, 1, 2), (Category::Irrelevance, 1, 2), (Category::LiveIrrelevance, 2, 2)]);
        assert_eq!((some.own_python(), some.live(), some.irrelevance()), (None, None, Some(0.75)));
    }
}
