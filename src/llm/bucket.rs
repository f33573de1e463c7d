//! Tokens a minute.

use std::time::Duration;
use tokio::time::Instant;

/// Tokens that may be used now. It goes below nothing where a request took more than was thought: the next ones wait.
#[derive(Debug)]
pub(super) struct Bucket {
    level: f64,
    capacity: f64,
    per_second: f64,
    filled: Instant,
}

impl Bucket {
    /// A bucket that is full.
    #[expect(clippy::cast_precision_loss, reason = "rates are far below 2^52")]
    pub(super) fn new(per_minute: u64) -> Self {
        let per_second = per_minute as f64 / 60.0;
        // Ten seconds' worth at most goes out at once: a full minute's would be followed by a minute of refusals.
        let capacity = (per_second * 10.0).max(1.0);
        Self { level: capacity, capacity, per_second, filled: Instant::now() }
    }

    /// Takes the tokens, or says how long to wait before asking again.
    #[expect(clippy::cast_precision_loss, reason = "a request has far fewer than 2^52 tokens")]
    pub(super) fn take(&mut self, tokens: u64) -> Option<Duration> {
        self.fill();
        // A request larger than the bucket passes when it is full, and is paid off afterwards.
        let missing = (tokens as f64).min(self.capacity) - self.level;
        if missing <= 1e-6 {
            self.level -= tokens as f64;
            return None;
        }
        Some(Duration::from_secs_f64(missing / self.per_second) + Duration::from_millis(1))
    }

    /// Puts back what was estimated, and takes what was used.
    #[expect(clippy::cast_precision_loss, reason = "a request has far fewer than 2^52 tokens")]
    pub(super) fn correct(&mut self, estimate: u64, actual: u64) {
        self.fill();
        self.level = (self.level + estimate as f64 - actual as f64).min(self.capacity);
    }

    fn fill(&mut self) {
        let now = Instant::now();
        let passed = now.duration_since(self.filled).as_secs_f64();
        self.level = (self.level + passed * self.per_second).min(self.capacity);
        self.filled = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::advance;

    #[tokio::test(start_paused = true)]
    async fn ten_seconds_worth_at_once_and_then_by_the_second() {
        let mut bucket = Bucket::new(600);
        assert_eq!((bucket.take(60), bucket.take(40)), (None, None));
        assert_eq!(bucket.take(20), Some(Duration::from_millis(2001)));
        advance(Duration::from_secs(2)).await;
        assert_eq!(bucket.take(20), None);
    }

    #[tokio::test(start_paused = true)]
    async fn it_never_holds_more_than_ten_seconds_worth() {
        let mut bucket = Bucket::new(600);
        advance(Duration::from_secs(3600)).await;
        bucket.correct(500, 0);
        assert_eq!(bucket.take(100), None);
        assert!(bucket.take(1).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_larger_than_the_bucket_passes_when_it_is_full_and_is_paid_off() {
        let mut bucket = Bucket::new(600);
        assert_eq!(bucket.take(300), None);
        assert_eq!(bucket.take(300), Some(Duration::from_millis(30_001)));
    }

    #[tokio::test(start_paused = true)]
    async fn an_estimate_is_corrected_both_ways() {
        let mut bucket = Bucket::new(600);
        assert_eq!(bucket.take(100), None);
        bucket.correct(100, 20);
        assert_eq!(bucket.take(80), None);
        bucket.correct(0, 10);
        assert_eq!(bucket.take(10), Some(Duration::from_millis(2001)));
    }

    #[tokio::test(start_paused = true)]
    async fn the_least_rate_lets_one_through() {
        let mut bucket = Bucket::new(1);
        assert_eq!(bucket.take(1_000_000), None);
        assert!(bucket.take(1).is_some());
    }
}
