//! One piece many times over: what nests must not fill the stack, and what is long must not take more than its length.

use super::odd::NESTS;
use std::time::Duration;

/// The length of a normal test.
const USUAL: usize = 4 << 10;
/// Eight times the length may take so many times as long: caches, and a logarithm.
const STEEP: u32 = 20;
/// The scheduler's clock counts in such steps.
const STEP: Duration = Duration::from_millis(4);

/// How long this thread has computed; nothing where the system does not tell. Other programs do not disturb it.
pub(crate) fn computed() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = told.split(' ').next().and_then(|number| number.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

/// Gives every piece, repeated, open and closed; the pieces that take more than their length, where time is told.
pub(crate) fn climb(words: &[&str], longest: usize, timed: bool, mut take: impl FnMut(&[u8]) -> bool) -> Vec<String> {
    let pieces = words.iter().map(|word| (*word, "")).chain(NESTS.iter().copied());
    let mut steep = Vec::new();
    for (open, close) in pieces.filter(|(open, _)| !open.is_empty()) {
        for close in if close.is_empty() { vec![""] } else { vec!["", close] } {
            let rung = |length: usize| {
                let times = length / (open.len() + close.len());
                format!("{}{}", open.repeat(times), close.repeat(times))
            };
            if !timed {
                take(rung(USUAL.min(longest)).as_bytes());
                continue;
            }
            let mut spent = |length: usize| {
                let input = rung(length);
                let begun = computed();
                take(input.as_bytes());
                computed().saturating_sub(begun)
            };
            let (short, long) = (spent(longest / 8), spent(longest));
            if long > short.max(STEP) * STEEP {
                steep.push(format!("{open:?} {close:?}: {short:.1?}, and {long:.1?} for eight times the length"));
            }
        }
    }
    steep
}
