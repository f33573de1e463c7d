//! What the stub counts.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// Counts of the chat requests so far.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StubStats {
    /// Requests that came.
    pub total: u64,
    /// Those that were answered with a whole completion.
    pub ok: u64,
    /// Those that failed without a whole answer.
    pub broken: u64,
    /// Answers by status.
    pub by_status: BTreeMap<u16, u64>,
    /// Most requests that were worked on at once.
    pub max_in_flight: u64,
    /// Requests whose body had come before.
    pub repeated: u64,
}

/// The counters, and what they are counted from.
#[derive(Default)]
pub(super) struct Counters {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    stats: StubStats,
    in_flight: u64,
    seen: BTreeSet<[u8; 32]>,
}

/// A request that is being worked on; it ends when dropped.
pub(super) struct InFlight<'a> {
    counters: &'a Counters,
    pub(super) ordinal: u64,
    /// How many there are with it.
    pub(super) crowd: u64,
}

impl Counters {
    pub(super) fn snapshot(&self) -> StubStats {
        self.with(|inner| inner.stats.clone())
    }

    pub(super) fn in_flight(&self) -> u64 {
        self.with(|inner| inner.in_flight)
    }

    /// Counts a request in.
    pub(super) fn enter(&self, body: &[u8]) -> InFlight<'_> {
        let hash = *blake3::hash(body).as_bytes();
        let (ordinal, crowd) = self.with(|inner| {
            inner.stats.repeated += u64::from(!inner.seen.insert(hash));
            inner.in_flight += 1;
            inner.stats.max_in_flight = inner.stats.max_in_flight.max(inner.in_flight);
            inner.stats.total += 1;
            (inner.stats.total - 1, inner.in_flight)
        });
        InFlight { counters: self, ordinal, crowd }
    }

    fn with<T>(&self, act: impl FnOnce(&mut Inner) -> T) -> T {
        act(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl InFlight<'_> {
    /// Counts an answer, or that there was none.
    pub(super) fn answered(&self, status: Option<u16>, whole_completion: bool) {
        self.counters.with(|inner| {
            inner.stats.ok += u64::from(whole_completion);
            match status {
                Some(status) => *inner.stats.by_status.entry(status).or_default() += 1,
                None => inner.stats.broken += 1,
            }
        });
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.counters.with(|inner| inner.in_flight -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_counted() {
        let counters = Counters::default();
        let (first, second) = (counters.enter(b"a"), counters.enter(b"b"));
        assert_eq!((first.crowd, second.crowd), (1, 2));
        first.answered(Some(200), true);
        second.answered(None, false);
        assert_eq!(counters.in_flight(), 2);
        drop((first, second));
        let third = counters.enter(b"a");
        third.answered(Some(429), false);
        let by_status = [(200, 1), (429, 1)].into();
        let expected = StubStats { total: 3, ok: 1, broken: 1, by_status, max_in_flight: 2, repeated: 1 };
        assert_eq!(counters.snapshot(), expected);
        assert_eq!(third.ordinal, 2);
    }
}
