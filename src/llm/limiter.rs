//! How hard one endpoint may be asked: requests and tokens a minute, and requests in flight.
//!
//! The settings say how much is allowed at most; what the server says and does may make it less.
//! Whoever comes first goes first. Only the head of the queue waits for the limits, so a large request is not starved
//! by small ones, and nobody who has passed the rate limits piles up behind a full house.

use super::allowances::Allowances;
use super::backoff::Calm;
use super::bucket::Bucket;
use super::config::ModelConfig;
use super::round::{Outcome, Ticket};
use super::window::Window;
use governor::clock::Clock;
use governor::middleware::NoOpMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};
use std::num::NonZeroU32;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Mutex as Queue, Notify};
use tokio::time::{Instant, sleep, timeout_at};

type RequestLimiter = RateLimiter<NotKeyed, InMemoryState, TokioClock, NoOpMiddleware<Duration>>;

/// The limits of one endpoint.
#[derive(Debug)]
pub(super) struct Limiter {
    queue: Queue<()>,
    window: Mutex<Window>,
    allowances: Allowances,
    /// Told to the head of the queue whenever a request has ended.
    left: Notify,
    requests: Option<(RequestLimiter, TokioClock)>,
    tokens: Option<Mutex<Bucket>>,
}

/// The right to have one request in flight; it ends when dropped.
#[derive(Debug)]
pub(super) struct Permit<'a> {
    limiter: &'a Limiter,
    estimate: u64,
    ticket: Ticket,
    outcome: Outcome,
}

impl Limiter {
    /// The limits of the settings, and those that are heard of with the answers.
    pub(super) fn new(config: &ModelConfig, allowances: Allowances) -> Self {
        let clock = TokioClock { start: Instant::now() };
        let requests = config.requests_per_minute.and_then(NonZeroU32::new).map(|rate| {
            (RateLimiter::direct_with_clock(Quota::per_minute(rate).allow_burst(burst(rate.get())), clock), clock)
        });
        Self {
            queue: Queue::new(()),
            window: Mutex::new(Window::new(config.concurrency)),
            allowances,
            left: Notify::new(),
            requests,
            tokens: config.tokens_per_minute.map(|rate| Mutex::new(Bucket::new(rate))),
        }
    }

    /// Waits until a request of about `estimate` tokens may be sent.
    pub(super) async fn enter(&self, estimate: u64) -> Permit<'_> {
        let _head = self.queue.lock().await;
        // Whoever gives up while it waits for the rest drops the permit, and with it the place.
        let mut permit =
            Permit { limiter: self, estimate, ticket: self.pass_window().await, outcome: Outcome::Unknown };
        self.pass_requests().await;
        self.pass_tokens(estimate).await;
        self.pass_allowances(estimate).await;
        permit.ticket.sent();
        permit
    }

    /// What is known of the server, as long as it answers most requests.
    pub(super) fn calm(&self) -> Option<Calm> {
        lock(&self.window).calm()
    }

    async fn pass_window(&self) -> Ticket {
        loop {
            let (ticket, opens) = {
                let mut window = lock(&self.window);
                (window.enter(), window.opens())
            };
            match (ticket, opens) {
                (Some(ticket), _) => return ticket,
                (None, Some(at)) => timeout_at(at, self.left.notified()).await.unwrap_or_default(),
                (None, None) => self.left.notified().await,
            }
        }
    }

    async fn pass_requests(&self) {
        let Some((limiter, clock)) = &self.requests else { return };
        while let Err(refused) = limiter.check() {
            sleep(refused.wait_time_from(clock.now())).await;
        }
    }

    async fn pass_tokens(&self, estimate: u64) {
        let Some(bucket) = &self.tokens else { return };
        loop {
            let wait = lock(bucket).take(estimate);
            let Some(wait) = wait else { return };
            sleep(wait).await;
        }
    }

    async fn pass_allowances(&self, estimate: u64) {
        while let Err(until) = self.allowances.take(estimate) {
            // An answer may bring better news before the time is over.
            timeout_at(until, self.left.notified()).await.unwrap_or_default();
        }
    }
}

impl Permit<'_> {
    /// Corrects the estimate by what the request did take, and says how it ended.
    pub(super) fn settle(mut self, actual: u64, outcome: Outcome) {
        if let Some(bucket) = &self.limiter.tokens {
            lock(bucket).correct(self.estimate, actual);
        }
        self.outcome = outcome;
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        lock(&self.limiter.window).leave(&self.ticket, self.outcome);
        // Only the head of the queue waits; where there is none, the next one finds the news.
        self.limiter.left.notify_one();
    }
}

/// A second's worth, because a whole minute's quota at once is what servers punish.
fn burst(per_minute: u32) -> NonZeroU32 {
    NonZeroU32::new(per_minute / 60).unwrap_or(NonZeroU32::MIN)
}

/// tokio's clock, so that tests can turn it.
#[derive(Debug, Clone, Copy)]
struct TokioClock {
    start: Instant,
}

impl Clock for TokioClock {
    type Instant = Duration;

    fn now(&self) -> Duration {
        self.start.elapsed()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::request::Usage;
    use futures::future::join_all;
    use proptest::prelude::*;

    const ANSWERED: Outcome = Outcome::Answered(Usage { prompt: 1, completion: 1 });

    fn limiter(change: impl FnOnce(&mut ModelConfig)) -> Limiter {
        let mut config = ModelConfig::default();
        change(&mut config);
        Limiter::new(&config, Allowances::default())
    }

    /// Sends `count` requests of `tokens` at once and gives the second at which each was let in.
    async fn entries(limiter: &Limiter, count: usize, tokens: u64) -> Vec<u64> {
        let start = Instant::now();
        let enter = async || {
            drop(limiter.enter(tokens).await);
            start.elapsed().as_secs()
        };
        join_all((0..count).map(|_| enter())).await
    }

    #[tokio::test(start_paused = true)]
    async fn requests_a_minute_are_spread_over_the_minute() {
        let limiter = limiter(|config| config.requests_per_minute = Some(60));
        assert_eq!(entries(&limiter, 6, 1).await, [0, 1, 2, 3, 4, 5]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_second_s_worth_may_go_out_at_once() {
        let limiter = limiter(|config| config.requests_per_minute = Some(180));
        assert_eq!(entries(&limiter, 6, 1).await, [0, 0, 0, 0, 0, 1]);
        assert_eq!(entries(&limiter, 4, 1).await.last(), Some(&1));
    }

    #[tokio::test(start_paused = true)]
    async fn tokens_a_minute_hold_and_come_in_order() {
        let limiter = limiter(|config| config.tokens_per_minute = Some(600));
        // 100 are there at once; then ten a second.
        assert_eq!(entries(&limiter, 4, 50).await, [0, 0, 5, 10]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_larger_than_the_bucket_passes_and_is_paid_off() {
        let limiter = limiter(|config| config.tokens_per_minute = Some(600));
        assert_eq!(entries(&limiter, 2, 300).await, [0, 30]);
    }

    #[tokio::test(start_paused = true)]
    async fn all_limits_hold_at_once() {
        let limiter = limiter(|config| {
            (config.requests_per_minute, config.tokens_per_minute) = (Some(60), Some(600));
        });
        // A second for the second request; by then the bucket is empty, and each further one takes five and a half.
        assert_eq!(entries(&limiter, 4, 55).await, [0, 1, 6, 12]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_large_request_is_not_starved_by_small_ones() {
        let limiter = limiter(|config| config.tokens_per_minute = Some(600));
        drop(limiter.enter(100).await);
        let start = Instant::now();
        let large = async {
            drop(limiter.enter(100).await);
            start.elapsed().as_secs()
        };
        let (second, _) = tokio::join!(large, entries(&limiter, 50, 5));
        assert_eq!(second, 10);
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_not_used_is_given_back() {
        let limiter = limiter(|config| config.tokens_per_minute = Some(600));
        limiter.enter(100).await.settle(10, ANSWERED);
        assert_eq!(entries(&limiter, 1, 90).await, [0]);
        limiter.enter(0).await.settle(100, ANSWERED);
        assert_eq!(entries(&limiter, 1, 10).await, [11]);
    }

    /// How long a thousand requests of half a second take, 64 at a time, where `fails` says how one ends and how long it
    /// then waits.
    async fn thousand(fails: impl Fn(u32, u32) -> Option<(Outcome, u64)>) -> f64 {
        let limiter = limiter(|config| config.concurrency = 64);
        let start = Instant::now();
        let ask = async |number: u32| {
            for attempt in 0.. {
                let permit = limiter.enter(1).await;
                let Some((outcome, wait)) = fails(number, attempt) else {
                    sleep(Duration::from_millis(500)).await;
                    return permit.settle(1, ANSWERED);
                };
                permit.settle(0, outcome);
                sleep(Duration::from_millis(wait)).await;
            }
        };
        join_all((0..1000).map(ask)).await;
        start.elapsed().as_secs_f64()
    }

    #[tokio::test(start_paused = true)]
    async fn waits_that_few_are_asked_for_hold_few_places() {
        let fails = |number: u32, attempt: u32| {
            let hash = blake3::hash(&[number.to_le_bytes(), attempt.to_le_bytes()].concat());
            let refused = Outcome::Refused { wait: Some(Duration::from_secs(1)) };
            match hash.as_bytes()[0] {
                0..26 => Some((refused, 1000)),
                26..38 => Some((Outcome::Unknown, 250)),
                _ => None,
            }
        };
        let (calm, rough) = (thousand(|_, _| None).await, thousand(fails).await);
        assert!(rough <= calm * 2.0, "{rough} seconds, {calm} without faults");
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_are_in_flight_than_allowed() {
        let limiter = limiter(|config| config.concurrency = 2);
        let start = Instant::now();
        let call = async || {
            let _permit = limiter.enter(1).await;
            sleep(Duration::from_secs(3)).await;
            start.elapsed().as_secs()
        };
        assert_eq!(join_all((0..5).map(|_| call())).await, [3, 3, 6, 6, 9]);
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_gives_up_in_the_queue_holds_nobody_up() {
        let limiter = limiter(|config| config.requests_per_minute = Some(1));
        drop(limiter.enter(1).await);
        let head = tokio::time::timeout(Duration::from_secs(30), limiter.enter(1));
        assert!(head.await.is_err());
        assert_eq!(entries(&limiter, 1, 1).await, [30]);
    }

    /// Runs on a clock that goes on only while everybody waits.
    fn on_a_paused_clock<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(work)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn no_span_of_time_sees_more_tokens_than_its_share(sizes in prop::collection::vec(0..120_u64, 1..20)) {
            let seconds = on_a_paused_clock(async {
                let limiter = limiter(|config| config.tokens_per_minute = Some(600));
                let start = Instant::now();
                let enter = async |size: &u64| {
                    drop(limiter.enter(*size).await);
                    start.elapsed().as_secs()
                };
                join_all(sizes.iter().map(enter)).await
            });
            prop_assert!(seconds.is_sorted(), "who came first goes first: {seconds:?}");
            for (at, second) in seconds.iter().enumerate() {
                // A hundred at once, ten a second; the last one may be larger than what is there, and is paid off later.
                let before: u64 = sizes[..at].iter().sum();
                prop_assert!(before <= 100 + 10 * (second + 1), "{sizes:?} at {seconds:?}");
            }
        }

        #[test]
        fn no_minute_sees_more_requests_than_it_may(rate in 1..400_u32, count in 1..40_usize) {
            let seconds = on_a_paused_clock(async {
                entries(&limiter(|config| config.requests_per_minute = Some(rate)), count, 1).await
            });
            let at_once = (rate / 60).max(1) as usize;
            let later = count.saturating_sub(at_once) as u64;
            prop_assert!(seconds.is_sorted() && *seconds.last().unwrap() >= later * 60 / u64::from(rate), "{seconds:?}");
            prop_assert!(*seconds.last().unwrap() <= later * 60 / u64::from(rate) + 1, "nobody waits for nothing: {seconds:?}");
        }
    }
}
