//! How two measures of the same things go together.

use super::interval::Estimate;

/// Half the width of Fisher's interval, times the root of the number of pairs.
const Z: f64 = 1.959_963_984_540_054;

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

#[expect(clippy::cast_precision_loss, reason = "counts are below 2^52")]
fn real(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
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
