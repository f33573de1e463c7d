//! How many are right, by difficulty.

use crate::report::Figure;
use crate::score::wilson_around;

/// A row of questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Those of one difficulty: easy, medium, hard.
    Difficulty(usize),
    /// All of them.
    All,
}

/// How many of the questions of each difficulty are right. Questions without a difficulty count among all alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    right: [u64; 3],
    of: [u64; 3],
    all: (u64, u64),
}

impl Level {
    /// The difficulties, and all.
    pub const EACH: [Self; 4] = [Self::Difficulty(0), Self::Difficulty(1), Self::Difficulty(2), Self::All];
    /// Their names.
    pub const NAMES: [&str; 4] = ["Easy", "Medium", "Hard", "All"];
}

impl Tally {
    /// Counts a question of a difficulty.
    pub fn add(&mut self, difficulty: Option<usize>, is_right: bool) {
        self.all.1 += 1;
        self.all.0 += u64::from(is_right);
        let place = difficulty.and_then(|at| Some((self.right.get_mut(at)?, self.of.get_mut(at)?)));
        if let Some((right, of)) = place {
            *right += u64::from(is_right);
            *of += 1;
        }
    }

    /// How many are right, and of how many.
    pub fn counts(&self, level: Level) -> (u64, u64) {
        match level {
            Level::Difficulty(at) => (self.right.get(at).copied().unwrap_or(0), self.of.get(at).copied().unwrap_or(0)),
            Level::All => self.all,
        }
    }

    /// The share that is right. Over a number from elsewhere it may be more than everything, and has no interval.
    pub fn share(&self, level: Level, denominator: Option<u64>) -> Option<Figure> {
        let (right, of) = self.counts(level);
        if of == 0 {
            return None;
        }
        let n = denominator.unwrap_or(of);
        let value = real(right) / real(n);
        if n != of {
            return Some(Figure { value, low: value, high: value, n });
        }
        wilson_around(value, n).map(|it| Figure { value: it.value, low: it.low, high: it.high, n: it.n })
    }

    /// The plain mean of the three difficulties; none where one of them is absent.
    pub fn macro_average(&self, denominators: impl Fn(Level) -> Option<u64>) -> Option<Figure> {
        let share = |level: &Level| self.share(*level, denominators(*level));
        let parts: Vec<Figure> = Level::EACH.iter().take(3).map(share).collect::<Option<_>>()?;
        let mean = |of: fn(&Figure) -> f64| parts.iter().map(of).sum::<f64>() / 3.0;
        let half = |of: fn(&Figure) -> f64| parts.iter().map(|it| of(it).powi(2)).sum::<f64>().sqrt() / 3.0;
        let value = mean(|it| it.value);
        let (below, above) = (half(|it| it.value - it.low), half(|it| it.high - it.value));
        Some(Figure { value, low: value - below, high: value + above, n: parts.iter().map(|it| it.n).sum() })
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are below 2^52")]
pub(super) fn real(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tally(counts: [(u64, u64); 3]) -> Tally {
        let mut tally = Tally::default();
        for (at, (right, of)) in counts.into_iter().enumerate() {
            (0..of).for_each(|number| tally.add(Some(at), number < right));
        }
        tally
    }

    #[test]
    fn the_authors_numbers_make_more_than_everything() {
        let tally = tally([(456, 456), (187, 187), (86, 86)]);
        let paper = |level| super::super::Profile::UpstreamPaper.denominator(level);
        let shown = |level: Level| format!("{:.4}", tally.share(level, paper(level)).unwrap().value);
        assert_eq!(Level::EACH.map(shown), ["1.0000", "0.9947", "1.0118", "1.0000"]);
        assert!((tally.macro_average(paper).unwrap().value - 1.002_148_518_982_061).abs() < 1e-12);
        assert!((tally.macro_average(|_| None).unwrap().value - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_question_without_a_difficulty_counts_among_all() {
        let mut tally = tally([(1, 2), (0, 0), (0, 0)]);
        tally.add(None, true);
        tally.add(Some(9), false);
        assert_eq!(Level::EACH.map(|level| tally.counts(level)), [(1, 2), (0, 0), (0, 0), (2, 4)]);
        assert_eq!((tally.share(Level::Difficulty(1), None), tally.macro_average(|_| None)), (None, None));
    }

    proptest! {
        #[test]
        fn shares_lie_within_their_intervals(counts in prop::collection::vec((0_u64..20, 1_u64..20), 3)) {
            let counts: [(u64, u64); 3] = [counts[0], counts[1], counts[2]].map(|(right, of)| (right.min(of), of));
            let tally = tally(counts);
            for level in Level::EACH {
                let it = tally.share(level, None).unwrap();
                prop_assert!(it.low <= it.value + 1e-12 && it.value <= it.high + 1e-12);
            }
            let it = tally.macro_average(|_| None).unwrap();
            prop_assert!(it.low <= it.value + 1e-12 && it.value <= it.high + 1e-12 && it.n == tally.counts(Level::All).1);
        }
    }
}
