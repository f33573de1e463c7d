//! How fast answers come.
//!
//! An answer that takes longer because more was asked or said is no sign of load. So three figures are kept, and
//! answers are slower only where all of them say so: the time of an answer, its time for each token of the reply, and
//! for each token in all. Logarithms are averaged, so that one answer that took a hundred times as long counts little.

use super::request::Usage;
use std::array::from_fn;
use std::time::Duration;

/// The three figures, as logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pace([f64; 3]);

/// Figures of many answers, of which the mean is wanted.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Paces {
    sum: [f64; 3],
    count: f64,
}

/// A mean of fewer answers says nothing.
const FEWEST: f64 = 8.0;

impl Pace {
    /// The figures of one answer.
    #[expect(clippy::cast_precision_loss, reason = "a reply has far fewer than 2^52 tokens")]
    pub(super) fn of(took: Duration, usage: Usage) -> Self {
        let seconds = took.as_secs_f64().max(1e-6);
        let total = usage.prompt.saturating_add(usage.completion);
        Self([1, usage.completion, total].map(|work| (seconds / work.max(1) as f64).ln()))
    }

    /// By how much it is slower, by the figure that says least of it: the logarithm of the ratio.
    pub(super) fn slower_than(self, other: Self) -> f64 {
        (0..3).map(|at| self.0[at] - other.0[at]).fold(f64::INFINITY, f64::min)
    }

    /// How long an answer takes.
    pub(super) fn round_trip(self) -> Duration {
        Duration::try_from_secs_f64(self.0[0].exp()).unwrap_or_default()
    }

    /// Moves towards another pace: soon where that is faster, slowly where it is slower.
    pub(super) fn follow(&mut self, other: Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += (theirs - *mine) * if theirs < *mine { 0.25 } else { 1.0 / 64.0 };
        }
    }
}

impl Paces {
    /// Adds an answer.
    pub(super) fn add(&mut self, pace: Pace) {
        self.sum = from_fn(|at| self.sum[at] + pace.0[at]);
        self.count += 1.0;
    }

    /// The mean, of however few.
    pub(super) fn rough_mean(&self) -> Option<Pace> {
        (self.count > 0.0).then(|| Pace(self.sum.map(|sum| sum / self.count)))
    }

    /// The mean, where there are enough for one.
    pub(super) fn mean(&self) -> Option<Pace> {
        self.rough_mean().filter(|_| self.count >= FEWEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(millis: u64, prompt: u64, completion: u64) -> Pace {
        Pace::of(Duration::from_millis(millis), Usage { prompt, completion })
    }

    fn mean(paces: impl IntoIterator<Item = Pace>) -> Option<Pace> {
        let mut all = Paces::default();
        paces.into_iter().for_each(|pace| all.add(pace));
        all.mean()
    }

    #[test]
    fn equal_work_that_takes_twice_as_long_is_slower() {
        let slower = pace(200, 10, 10).slower_than(pace(100, 10, 10));
        assert!((slower - 2_f64.ln()).abs() < 1e-9, "{slower}");
        assert!((pace(100, 10, 10).slower_than(pace(200, 10, 10)) + slower).abs() < 1e-9);
    }

    #[test]
    fn longer_replies_shorter_ones_and_longer_questions_are_not_slower() {
        let usual = pace(100, 100, 10);
        // Ten times the reply, a tenth of it in the same time, and ten times the question.
        for other in [pace(1000, 100, 100), pace(100, 100, 1), pace(900, 1000, 10)] {
            assert!(other.slower_than(usual) <= 0.0, "{other:?}");
        }
    }

    #[test]
    fn one_straggler_hardly_moves_the_mean_and_few_have_none() {
        let calm = mean([pace(50, 1, 1); 32]).unwrap();
        let with_straggler = mean([pace(50, 1, 1); 31].into_iter().chain([pace(5000, 1, 1)])).unwrap();
        assert!(with_straggler.slower_than(calm) < 0.2);
        assert_eq!((mean([pace(50, 1, 1); 7]), mean([])), (None, None));
        assert!(calm.round_trip().abs_diff(Duration::from_millis(50)) < Duration::from_micros(1));
    }

    #[test]
    fn what_is_usual_follows_what_is_faster_sooner() {
        let (mut down, mut up) = (pace(100, 1, 1), pace(100, 1, 1));
        for _ in 0..8 {
            down.follow(pace(50, 1, 1));
            up.follow(pace(200, 1, 1));
        }
        assert!(down.round_trip() < Duration::from_millis(55), "{down:?}");
        assert!(up.round_trip() < Duration::from_millis(110), "{up:?}");
    }

    #[test]
    fn an_answer_at_once_and_one_without_tokens_have_a_pace() {
        let nothing = Pace::of(Duration::ZERO, Usage::default());
        assert!(nothing.slower_than(pace(1, 1, 1)).is_finite() && nothing.round_trip() < Duration::from_millis(1));
        assert!(pace(u64::MAX, u64::MAX, u64::MAX).slower_than(nothing).is_finite());
    }
}
