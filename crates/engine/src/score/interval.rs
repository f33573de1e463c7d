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

// How two measures of the same things go together.

/// Sums from which Pearson's correlation follows. They are kept around the first pair, so that little is lost where all numbers
/// lie close together.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Correlation {
    n: u64,
    first: [f64; 2],
    sums: [f64; 2],
    squares: [f64; 2],
    products: f64,
}

impl Correlation {
    /// Adds a pair; one that is not finite says nothing.
    pub fn add(&mut self, one: f64, other: f64) {
        if !one.is_finite() || !other.is_finite() {
            return;
        }
        if self.n == 0 {
            self.first = [one, other];
        }
        let pair = [one - self.first[0], other - self.first[1]];
        self.n += 1;
        for (at, number) in pair.into_iter().enumerate() {
            self.sums[at] += number;
            self.squares[at] += number * number;
        }
        self.products += pair[0] * pair[1];
    }

    /// The correlation with Fisher's interval. There is none of fewer than three pairs, nor where one side never changes.
    pub fn estimate(&self) -> Option<Estimate> {
        if self.n < 3 {
            return None;
        }
        let count = real(self.n);
        let spread = |at: usize| self.squares[at] - self.sums[at] * self.sums[at] / count;
        let (one, other) = (spread(0), spread(1));
        let least = 1e-12 * (self.squares[0] + self.squares[1]).max(1e-12);
        if one <= least || other <= least {
            return None;
        }
        let together = self.products - self.sums[0] * self.sums[1] / count;
        let value = (together / (one.sqrt() * other.sqrt())).clamp(-1.0, 1.0);
        let half = if self.n > 3 { Z / (count - 3.0).sqrt() } else { f64::INFINITY };
        let end = |by: f64| (value.clamp(-1.0 + 1e-15, 1.0 - 1e-15).atanh() + by).tanh();
        Some(Estimate { n: self.n, value, low: end(-half).min(value), high: end(half).max(value) })
    }
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

#[cfg(test)]
mod correlation_tests {
    use super::*;
    use proptest::prelude::*;

    fn of(pairs: &[(f64, f64)]) -> Option<Estimate> {
        let mut correlation = Correlation::default();
        for (one, other) in pairs {
            correlation.add(*one, *other);
        }
        correlation.estimate()
    }

    #[test]
    fn what_goes_together_is_one_and_what_goes_apart_is_minus_one() {
        let value = |pairs: &[(f64, f64)]| of(pairs).unwrap().value;
        assert!((value(&[(1.0, 2.0), (2.0, 4.0), (3.0, 6.0)]) - 1.0).abs() < 1e-12);
        assert!((value(&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]) + 1.0).abs() < 1e-12);
        let known = value(&[(43.0, 99.0), (21.0, 65.0), (25.0, 79.0), (42.0, 75.0), (57.0, 87.0), (59.0, 81.0)]);
        assert!((known - 0.529_808_901_890_174_5).abs() < 1e-12);
    }

    #[test]
    fn little_says_nothing() {
        assert_eq!((of(&[]), of(&[(1.0, 1.0), (2.0, 2.0)])), (None, None));
        assert_eq!(of(&[(1.0, 5.0), (2.0, 5.0), (3.0, 5.0)]), None);
        assert_eq!(of(&[(f64::NAN, 1.0), (1.0, 1.0), (2.0, 2.0), (f64::INFINITY, 3.0)]), None);
    }

    #[test]
    fn more_pairs_say_it_more_surely() {
        let pairs = [(0.0, 0.1), (1.0, 0.9), (0.0, 0.4), (1.0, 0.6), (0.0, 0.0)];
        let (few, many) = (of(&pairs).unwrap(), of(&pairs.repeat(20)).unwrap());
        assert!((few.value - many.value).abs() < 1e-9 && many.high - many.low < few.high - few.low);
        assert!(few.low < few.value && few.value < few.high && few.high <= 1.0);
    }

    proptest! {
        #[test]
        fn it_does_not_change_with_the_scale(pairs in prop::collection::vec((0.0..1.0_f64, 0.0..1.0_f64), 3..30), by in 0.5..9.0_f64) {
            let scaled: Vec<(f64, f64)> = pairs.iter().map(|(one, other)| (one * by + 100.0, other - 7.0)).collect();
            if let (Some(one), Some(other)) = (of(&pairs), of(&scaled)) {
                prop_assert!((one.value - other.value).abs() < 1e-6 && (-1.0..=1.0).contains(&one.value));
            }
        }
    }
}
