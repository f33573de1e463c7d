//! Shares and differences with their 95 % intervals.

use serde::Serialize;

/// How many standard deviations hold 95 % of a normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// A figure with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// Of how many.
    pub n: u64,
    /// The figure.
    pub value: f64,
    /// The interval's lower end.
    pub low: f64,
    /// The interval's upper end.
    pub high: f64,
}

/// Sums from which a mean follows.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Mean {
    n: u64,
    sum: f64,
    squares: f64,
}

/// Pairs of yes-or-no outcomes, counted by how they differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pairs {
    n: u64,
    only_first: u64,
    only_second: u64,
}

/// A share of yes-or-no outcomes with Wilson's interval; nothing of nothing.
pub fn wilson(part: u64, n: u64) -> Option<Estimate> {
    wilson_around(real(part) / real(n), n)
}

/// The same around a share that somebody else computed.
pub fn wilson_around(share: f64, n: u64) -> Option<Estimate> {
    if n == 0 {
        return None;
    }
    let count = real(n);
    let scale = 1.0 + Z * Z / count;
    let centre = (share + Z * Z / (2.0 * count)) / scale;
    let half = Z / scale * (share * (1.0 - share) / count + Z * Z / (4.0 * count * count)).sqrt();
    Some(Estimate { n, value: share, low: (centre - half).max(0.0), high: (centre + half).min(1.0) })
}

impl Mean {
    /// Adds a number.
    pub fn add(&mut self, number: f64) {
        self.n += 1;
        self.sum += number;
        self.squares += number * number;
    }

    /// Adds what another one has.
    pub fn join(&mut self, other: &Self) {
        self.n += other.n;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// The mean with the normal interval of means; nothing of nothing.
    pub fn estimate(&self) -> Option<Estimate> {
        if self.n == 0 {
            return None;
        }
        let count = real(self.n);
        let value = self.sum / count;
        let variance = if self.n == 1 { 0.0 } else { (self.squares - self.sum * value).max(0.0) / (count - 1.0) };
        let half = Z * (variance / count).sqrt();
        Some(Estimate { n: self.n, value, low: value - half, high: value + half })
    }
}

impl Pairs {
    /// Adds a pair.
    pub fn add(&mut self, first: bool, second: bool) {
        self.n += 1;
        self.only_first += u64::from(first && !second);
        self.only_second += u64::from(second && !first);
    }

    /// The second share minus the first, with the interval of Agresti and Min: Wald's for paired shares (as in `McNemar`'s
    /// test) after half an outcome is added to each of the four counts. Nothing of nothing.
    pub fn difference(&self) -> Option<Estimate> {
        if self.n == 0 {
            return None;
        }
        let (count, more, less) = (real(self.n) + 2.0, real(self.only_second) + 0.5, real(self.only_first) + 0.5);
        let centre = (more - less) / count;
        let half = Z * ((more + less - (more - less).powi(2) / count).max(0.0)).sqrt() / count;
        let value = (real(self.only_second) - real(self.only_first)) / real(self.n);
        Some(Estimate { n: self.n, value, low: (centre - half).max(-1.0), high: (centre + half).min(1.0) })
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are below 2^52")]
fn real(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-4
    }

    #[test]
    fn means_are_joined_as_if_all_numbers_were_added_to_one() {
        let of = |numbers: &[f64]| {
            let mut mean = Mean::default();
            for number in numbers {
                mean.add(*number);
            }
            mean
        };
        let mut joined = of(&[1.0, 2.0]);
        joined.join(&of(&[4.0]));
        assert_eq!(joined, of(&[1.0, 2.0, 4.0]));
    }

    #[test]
    fn wilsons_interval_of_known_cases() {
        let half = wilson(5, 10).unwrap();
        assert!(near(half.low, 0.2366) && near(half.high, 0.7634));
        let none = wilson(0, 20).unwrap();
        assert!(near(none.low, 0.0) && near(none.high, 0.1611));
        assert_eq!(wilson(0, 0), None);
    }

    #[test]
    fn a_mean_has_the_interval_of_its_spread() {
        let mut mean = Mean::default();
        assert_eq!(mean.estimate(), None);
        for number in [0.0, 0.5, 1.0, 0.5] {
            mean.add(number);
        }
        let it = mean.estimate().unwrap();
        assert!(near(it.value, 0.5) && near(it.high - it.value, Z * (0.5_f64 / 3.0 / 4.0).sqrt()));
    }

    #[test]
    fn paired_outcomes_differ_by_those_that_differ() {
        let mut pairs = Pairs::default();
        for (first, second) in [(true, true), (true, false), (true, false), (false, true), (false, false)] {
            pairs.add(first, second);
        }
        let it = pairs.difference().unwrap();
        assert!(near(it.value, -0.2) && it.low < it.value && it.value < it.high);
        assert_eq!(Pairs::default().difference(), None);
    }

    proptest! {
        #[test]
        fn an_interval_holds_its_figure(n in 1_u64..500, part in 0_u64..500) {
            let it = wilson(part.min(n), n).unwrap();
            prop_assert!(0.0 <= it.low && it.low <= it.value + 1e-12 && it.value <= it.high + 1e-12 && it.high <= 1.0);
        }
    }

    #[test]
    fn equal_numbers_have_no_spread_and_one_has_none_either() {
        for count in [1, 7] {
            let mut mean = Mean::default();
            (0..count).for_each(|_| mean.add(0.25));
            let it = mean.estimate().unwrap();
            assert_eq!(it.n, count);
            assert!([it.value, it.low, it.high].iter().all(|end| (end - 0.25).abs() < 1e-9), "{it:?}");
        }
    }

    /// Outcomes of two systems on the same samples.
    fn pairs(outcomes: &[(bool, bool)]) -> Pairs {
        let mut pairs = Pairs::default();
        for (first, second) in outcomes {
            pairs.add(*first, *second);
        }
        pairs
    }

    proptest! {
            #[test]
            fn what_fails_is_what_does_not_pass(n in 1_u64..500, part in 0_u64..500) {
                let (passed, failed) = (wilson(part.min(n), n).unwrap(), wilson(n - part.min(n), n).unwrap());
                prop_assert!((passed.low + failed.high - 1.0).abs() < 1e-9 && (passed.high + failed.low - 1.0).abs() < 1e-9);
            }

            #[test]
            fn the_same_share_of_more_is_known_better(n in 1_u64..300, part in 0_u64..300, times in 2_u64..9) {
                let (few, many) = (wilson(part.min(n), n).unwrap(), wilson(part.min(n) * times, n * times).unwrap());
                prop_assert!(many.high - many.low < few.high - few.low);
            }

            #[test]
            fn a_difference_is_held_by_its_interval_and_turns_round_with_the_pair(outcomes in prop::collection::vec(any::<(bool, bool)>(), 1..60)) {
                let it = pairs(&outcomes).difference().unwrap();
                prop_assert!(-1.0 <= it.low && it.low <= it.value + 1e-12 && it.value <= it.high + 1e-12 && it.high <= 1.0, "{it:?}");
                let turned: Vec<(bool, bool)> = outcomes.iter().map(|(first, second)| (*second, *first)).collect();
                let other = pairs(&turned).difference().unwrap();
                prop_assert!((it.value + other.value).abs() < 1e-12 && (it.low + other.high).abs() < 1e-12);
            }

            #[test]
            fn a_mean_lies_among_its_numbers(numbers in prop::collection::vec(0.0..1.0_f64, 1..40)) {
                let mut mean = Mean::default();
                for number in &numbers {
    mean.add(*number);
    }
                let it = mean.estimate().unwrap();
                let (least, most) = numbers.iter().fold((1.0_f64, 0.0_f64), |(least, most), it| (least.min(*it), most.max(*it)));
                prop_assert!(least - 1e-9 <= it.value && it.value <= most + 1e-9 && it.low <= it.value && it.value <= it.high);
            }
        }
}
