//! How long to wait before trying again.

use super::key::Key;
use std::time::Duration;

/// No single wait of our own is longer.
const LONGEST: Duration = Duration::from_secs(30);

/// A random part of a wait that doubles with each attempt, so that many who failed together do not return together.
///
/// The randomness is a hash of the question and the attempt: it differs between questions and repeats between runs.
pub(super) fn full_jitter(base: Duration, key: &Key, attempt: u32) -> Duration {
    let doubled = base.saturating_mul(2_u32.saturating_pow(attempt.saturating_sub(1)));
    doubled.min(LONGEST).mul_f64(fraction(key, attempt))
}

fn fraction(key: &Key, attempt: u32) -> f64 {
    let hash = blake3::Hasher::new().update(key.as_bytes()).update(&attempt.to_le_bytes()).finalize();
    let [first, second, third, fourth, ..] = *hash.as_bytes();
    f64::from(u32::from_le_bytes([first, second, third, fourth])) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::testing::request;

    fn key(item: &str) -> Key {
        Key::of_question(&request(item, 0))
    }

    #[test]
    fn the_same_attempt_waits_the_same_and_others_do_not() {
        let wait = |item: &str, attempt| full_jitter(Duration::from_secs(1), &key(item), attempt);
        assert_eq!(wait("a", 1), wait("a", 1));
        assert_ne!(wait("a", 1), wait("b", 1));
    }

    #[test]
    fn waits_grow_and_stay_below_the_longest() {
        for attempt in 1..100 {
            let wait = full_jitter(Duration::from_millis(500), &key("a"), attempt);
            let bound = Duration::from_millis(500).saturating_mul(2_u32.saturating_pow(attempt - 1)).min(LONGEST);
            assert!(wait <= bound, "{attempt}");
        }
    }

    #[test]
    fn fractions_fill_the_whole_range() {
        let fractions: Vec<f64> = (0..1000).map(|attempt| fraction(&key("a"), attempt)).collect();
        let mean = fractions.iter().sum::<f64>() / 1000.0;
        assert!((0.45..0.55).contains(&mean), "{mean}");
        assert!(fractions.iter().any(|part| *part < 0.05) && fractions.iter().any(|part| *part > 0.95));
    }

    #[test]
    fn no_attempt_and_no_base_is_too_large_and_none_too_small() {
        assert_eq!(full_jitter(Duration::ZERO, &key("a"), 9), Duration::ZERO);
        assert!(full_jitter(Duration::MAX, &key("a"), u32::MAX) <= LONGEST);
        assert!(full_jitter(Duration::from_secs(1), &key("a"), 0) <= Duration::from_secs(1));
    }
}
