//! How long to wait before trying again.
//!
//! Where a server answers most requests, a failure is chance, and whoever meets it comes back within about the time that
//! an answer takes: the window keeps the load down, and a longer wait would only leave the end of a run to a few. Waits
//! double where most requests fail, and where a question has failed oftener than chance explains.

use super::key::Key;
use std::time::Duration;

/// No single wait of our own is longer.
const LONGEST: Duration = Duration::from_secs(30);

/// Failures in a row are no chance where they are rarer than this.
const RARE: f64 = 1e-3;

/// A server that answers most requests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Calm {
    /// How long an answer takes.
    pub(super) round_trip: Duration,
    /// So many failures of one question in a row are chance; one at least.
    pub(super) by_chance: u32,
}

impl Calm {
    /// A server whose answers take so long, and that fails for this share of requests.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies between 1 and 9")]
    pub(super) fn new(round_trip: Duration, failing: f64) -> Self {
        Self { round_trip, by_chance: (RARE.ln() / failing.clamp(RARE, 0.5).ln()).max(1.0) as u32 }
    }
}

/// The wait after so many attempts of a question. `base` is where doubling begins when the server is not calm, or is
/// `calm` and fails for this question all the same.
pub(super) fn wait(base: Duration, calm: Option<Calm>, key: &Key, attempts: u32) -> Duration {
    let Some(calm) = calm else { return full_jitter(base, key, attempts, attempts) };
    match attempts.checked_sub(calm.by_chance) {
        Some(more) if more > 0 => full_jitter(base, key, attempts, more),
        _ => full_jitter(base.min(calm.round_trip), key, attempts, 1),
    }
}

/// A random part of a wait that has doubled so many times but one, so that many who failed together do not return together.
///
/// The randomness is a hash of the question and the attempt: it differs between questions and repeats between runs.
fn full_jitter(base: Duration, key: &Key, attempt: u32, times: u32) -> Duration {
    let doubled = base.saturating_mul(2_u32.saturating_pow(times.saturating_sub(1)));
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

    const BASE: Duration = Duration::from_millis(500);
    const ROUND_TRIP: Duration = Duration::from_millis(50);

    fn key(item: &str) -> Key {
        Key::of_question(&request(item, 0))
    }

    #[test]
    fn the_same_attempt_waits_the_same_and_others_do_not() {
        let wait = |item: &str, attempt| wait(Duration::from_secs(1), None, &key(item), attempt);
        assert_eq!(wait("a", 1), wait("a", 1));
        assert_ne!(wait("a", 1), wait("b", 1));
    }

    #[test]
    fn waits_grow_and_stay_below_the_longest() {
        for attempt in 1..100 {
            let wait = wait(BASE, None, &key("a"), attempt);
            let bound = BASE.saturating_mul(2_u32.saturating_pow(attempt - 1)).min(LONGEST);
            assert!(wait <= bound, "{attempt}");
        }
    }

    #[test]
    fn what_is_chance_waits_for_a_round_trip_and_what_is_more_doubles_from_there() {
        let calm = Calm { round_trip: ROUND_TRIP, by_chance: 3 };
        let longest = |attempts| (0..200).map(|item| wait(BASE, Some(calm), &key(&item.to_string()), attempts)).max();
        for attempts in 1..=3 {
            let longest = longest(attempts).unwrap();
            assert!(longest <= ROUND_TRIP && longest > ROUND_TRIP.mul_f64(0.9), "{attempts}: {longest:?}");
        }
        assert!(longest(4).unwrap() <= BASE && longest(4).unwrap() > BASE.mul_f64(0.9));
        assert!(longest(6).unwrap() <= BASE * 4 && longest(6).unwrap() > BASE * 3);
    }

    #[test]
    fn who_wants_short_waits_has_them() {
        let calm = Calm::new(Duration::from_secs(60), 0.3);
        assert!((1..=5).all(|attempts| wait(BASE, Some(calm), &key("a"), attempts) <= BASE));
    }

    #[test]
    fn the_more_fail_the_more_failures_are_chance() {
        let by_chance = [0.0, 0.01, 0.15, 0.3, 0.5, 1.0].map(|failing| Calm::new(ROUND_TRIP, failing).by_chance);
        assert_eq!(by_chance, [1, 1, 3, 5, 9, 9]);
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
        assert_eq!(wait(Duration::ZERO, None, &key("a"), 9), Duration::ZERO);
        assert!(wait(Duration::MAX, None, &key("a"), u32::MAX) <= LONGEST);
        assert!(wait(Duration::from_secs(1), None, &key("a"), 0) <= Duration::from_secs(1));
        let calm = Some(Calm::new(Duration::MAX, f64::NAN));
        assert!(wait(Duration::MAX, calm, &key("a"), u32::MAX) <= LONGEST);
    }
}
