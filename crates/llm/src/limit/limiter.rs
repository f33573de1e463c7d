//! How hard one endpoint may be asked: requests and tokens a minute, and requests in flight.
//!
//! The settings say how much is allowed at most; what the server says and does may make it less.
//! Whoever comes first goes first. Only the head of the queue waits for the limits, so a large request is not starved
//! by small ones, and nobody who has passed the rate limits piles up behind a full house.

use crate::attempts::Calm;
use crate::config::ModelConfig;
use crate::limit::retry_after::{WallClock, read_reset};
use crate::limit::window::{Outcome, Ticket, Window};
use governor::clock::Clock;
use governor::middleware::NoOpMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};
use reqwest::header::HeaderMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Mutex as Queue, Notify};
use tokio::time::{Instant, sleep, timeout_at};

type RequestLimiter = RateLimiter<NotKeyed, InMemoryState, TokioClock, NoOpMiddleware<Duration>>;

/// The limits of one endpoint.
#[derive(Debug)]
pub(crate) struct Limiter {
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
pub(crate) struct Permit<'a> {
    limiter: &'a Limiter,
    estimate: u64,
    ticket: Ticket,
    outcome: Outcome,
}

impl Limiter {
    /// The limits of the settings, and those that are heard of with the answers.
    pub(crate) fn new(config: &ModelConfig, allowances: Allowances) -> Self {
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
    pub(crate) async fn enter(&self, estimate: u64) -> Permit<'_> {
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
    pub(crate) fn calm(&self) -> Option<Calm> {
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
    pub(crate) fn settle(mut self, actual: u64, outcome: Outcome) {
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

// Tokens a minute.

/// Tokens that may be used now. It goes below nothing where a request took more than was thought: the next ones wait.
#[derive(Debug)]
pub(crate) struct Bucket {
    level: f64,
    capacity: f64,
    per_second: f64,
    filled: Instant,
}

impl Bucket {
    /// A bucket that is full.
    #[expect(clippy::cast_precision_loss, reason = "rates are far below 2^52")]
    pub(crate) fn new(per_minute: u64) -> Self {
        let per_second = per_minute as f64 / 60.0;
        // Ten seconds' worth at most goes out at once: a full minute's would be followed by a minute of refusals.
        let capacity = (per_second * 10.0).max(1.0);
        Self { level: capacity, capacity, per_second, filled: Instant::now() }
    }

    /// Takes the tokens, or says how long to wait before asking again.
    #[expect(clippy::cast_precision_loss, reason = "a request has far fewer than 2^52 tokens")]
    pub(crate) fn take(&mut self, tokens: u64) -> Option<Duration> {
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
    pub(crate) fn correct(&mut self, estimate: u64, actual: u64) {
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

// What a server says is left: `x-ratelimit-{limit,remaining,reset}-{requests,tokens}`, and the same words in
// Anthropic's order.
//
// The server saw at least what was sent before the request that it answers; whatever was sent since counts as used.

/// What one server said last, shared by who reads its headers and who waits for them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Allowances(Arc<Mutex<Kinds>>);

/// An answer, as far as it concerns what is left.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answer<'a> {
    pub(crate) headers: &'a HeaderMap,
    /// Whether the server did its work.
    pub(crate) success: bool,
    /// What had been taken when the request was sent.
    pub(crate) mark: Mark,
    /// The wall clock, for resets that are dates.
    pub(crate) clock: WallClock,
}

/// How many requests and tokens had been taken at some moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    requests: u64,
    tokens: u64,
}

#[derive(Debug, Default)]
struct Kinds {
    requests: Allowance,
    tokens: Allowance,
}

/// How much was taken of one kind in all, and what was said of it.
#[derive(Debug, Default)]
struct Allowance {
    taken: u64,
    told: Option<Told>,
    /// What had been taken when one request tried although nothing should have been left.
    tried: Option<u64>,
    /// Whether such a request was answered: then nothing that is said is believed.
    disproved: bool,
}

#[derive(Debug, Clone, Copy)]
struct Told {
    limit: Option<u64>,
    remaining: u64,
    reset: Duration,
    until: Instant,
    /// Whether the reset that was told is later still.
    early: bool,
    /// What had been taken when the request was sent that this was the answer to.
    mark: u64,
}

/// After so long one request tries, whatever was said: a reset that is wrong would else hold a run for ever.
const LONGEST_RESET: Duration = Duration::from_secs(60);
/// A reset at once would let who waits turn in circles.
const SHORTEST_RESET: Duration = Duration::from_millis(1);

impl Allowances {
    /// Takes one request of about `tokens`, or says when to ask again at the latest.
    pub(crate) fn take(&self, tokens: u64) -> Result<(), Instant> {
        let mut kinds = self.lock();
        kinds.requests.check(1)?;
        kinds.tokens.check(tokens)?;
        kinds.requests.take(1);
        kinds.tokens.take(tokens);
        Ok(())
    }

    /// What has been taken by now.
    pub(crate) fn mark(&self) -> Mark {
        let kinds = self.lock();
        Mark { requests: kinds.requests.taken, tokens: kinds.tokens.taken }
    }

    /// Takes in what an answer says.
    pub(crate) fn hear(&self, answer: Answer<'_>) {
        let mut kinds = self.lock();
        kinds.requests.hear(Told::read(answer, "requests"), answer.mark.requests, answer.success);
        kinds.tokens.hear(Told::read(answer, "tokens"), answer.mark.tokens, answer.success);
    }

    fn lock(&self) -> MutexGuard<'_, Kinds> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Allowance {
    /// A request that was sent earlier knows less than one that was sent later.
    fn hear(&mut self, told: Option<Told>, mark: u64, success: bool) {
        self.disproved |= success && self.tried.is_some_and(|tried| tried < mark);
        let Some(told) = told else { return };
        if self.told.is_none_or(|known| known.mark <= mark) {
            self.told = Some(Told { mark, ..told });
            self.tried = self.tried.filter(|tried| *tried >= mark);
        }
    }

    fn check(&self, amount: u64) -> Result<(), Instant> {
        let Some(told) = self.told.filter(|told| !self.disproved && Instant::now() < told.until) else { return Ok(()) };
        // What is larger than the whole passes when nothing is used.
        let amount = told.limit.map_or(amount, |limit| amount.min(limit));
        let since = self.taken.saturating_sub(told.mark);
        if amount <= told.remaining.saturating_sub(since) { Ok(()) } else { Err(told.until) }
    }

    fn take(&mut self, amount: u64) {
        let now = Instant::now();
        if let Some(told) = self.told.as_mut().filter(|told| told.until <= now) {
            told.renew(now, self.taken);
            self.tried = told.early.then_some(self.taken);
        }
        self.taken = self.taken.saturating_add(amount);
    }
}

impl Told {
    fn read(answer: Answer<'_>, kind: &str) -> Option<Self> {
        // Most servers say nothing, and that is soon seen.
        answer.headers.keys().find(|name| name.as_str().contains("ratelimit"))?;
        let text = |what: &str| {
            let header = answer.headers.get(format!("x-ratelimit-{what}-{kind}"));
            header
                .or_else(|| answer.headers.get(format!("anthropic-ratelimit-{kind}-{what}")))?
                .to_str()
                .ok()
                .map(str::trim)
        };
        let remaining = text("remaining")?.parse().ok()?;
        let told = read_reset(text("reset")?, answer.headers, answer.clock)?;
        let reset = told.clamp(SHORTEST_RESET, LONGEST_RESET);
        let limit = text("limit").and_then(|limit| limit.parse().ok());
        Some(Self { limit, remaining, reset, until: Instant::now() + reset, early: told > reset, mark: 0 })
    }

    /// After the reset all is there again; how much that is nobody knows where no limit was told. Before it, one
    /// request passes, and the next has to wait as long again.
    fn renew(&mut self, now: Instant, taken: u64) {
        let whole = if self.early { 0 } else { self.limit.unwrap_or(u64::MAX) };
        (self.remaining, self.until, self.mark) = (whole, now + self.reset, taken);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Usage;
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

#[cfg(test)]
mod bucket_tests {
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

#[cfg(test)]
mod allowances_tests {
    use super::*;
    use proptest::prelude::*;
    use reqwest::header::{HeaderName, HeaderValue};
    use tokio::time::advance;

    fn headers(kind: &str, limit: &str, remaining: &str, reset: &str) -> HeaderMap {
        let header = |what: &str, value: &str| {
            let name = HeaderName::from_bytes(format!("x-ratelimit-{what}-{kind}").as_bytes()).unwrap();
            (name, HeaderValue::from_str(value).unwrap())
        };
        [header("limit", limit), header("remaining", remaining), header("reset", reset)].into_iter().collect()
    }

    fn hear(allowances: &Allowances, headers: &HeaderMap, mark: Mark) {
        let clock = || std::time::UNIX_EPOCH;
        allowances.hear(Answer { headers, success: true, mark, clock });
    }

    fn refuse(allowances: &Allowances, headers: &HeaderMap) {
        let (mark, clock): (_, WallClock) = (allowances.mark(), || std::time::UNIX_EPOCH);
        allowances.hear(Answer { headers, success: false, mark, clock });
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_says_nothing_or_nonsense_limits_nothing() {
        let allowances = Allowances::default();
        hear(&allowances, &headers("tokens", "10", "few", "1s"), allowances.mark());
        hear(&allowances, &headers("requests", "10", "0", "soon"), allowances.mark());
        assert!((0..1000).all(|_| allowances.take(1000).is_ok()));
    }

    #[tokio::test(start_paused = true)]
    async fn requests_wait_for_the_reset_where_none_is_left() {
        let allowances = Allowances::default();
        hear(&allowances, &headers("requests", "2", "0", "3s"), allowances.mark());
        assert_eq!(allowances.take(1), Err(Instant::now() + Duration::from_secs(3)));
        advance(Duration::from_secs(3)).await;
        assert!(allowances.take(1).is_ok() && allowances.take(1).is_ok() && allowances.take(1).is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_sent_since_counts_as_used_and_later_requests_know_more() {
        let allowances = Allowances::default();
        let early = allowances.mark();
        assert!(allowances.take(60).is_ok());
        let late = allowances.mark();
        hear(&allowances, &headers("tokens", "200", "100", "6m0s"), early);
        assert!(allowances.take(40).is_ok() && allowances.take(1).is_err());
        hear(&allowances, &headers("tokens", "200", "100", "6m0s"), late);
        hear(&allowances, &headers("tokens", "200", "0", "6m0s"), early);
        assert!(allowances.take(60).is_ok() && allowances.take(1).is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_larger_than_all_passes_when_all_is_there() {
        let allowances = Allowances::default();
        hear(&allowances, &headers("tokens", "100", "99", "1s"), allowances.mark());
        assert!(allowances.take(500).is_err());
        advance(Duration::from_secs(1)).await;
        assert!(allowances.take(500).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn one_tries_each_minute_however_late_the_reset_and_is_refused() {
        let allowances = Allowances::default();
        for _ in 0..5 {
            refuse(&allowances, &headers("requests", "100", "0", "1d"));
            assert_eq!(allowances.take(1), Err(Instant::now() + LONGEST_RESET));
            advance(LONGEST_RESET).await;
            assert!(allowances.take(1).is_ok() && allowances.take(1).is_err());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_answered_although_nothing_is_left_ends_the_belief_in_what_is_said() {
        let allowances = Allowances::default();
        let zero = headers("requests", "100", "0", "1d");
        hear(&allowances, &zero, allowances.mark());
        advance(LONGEST_RESET).await;
        assert!(allowances.take(1).is_ok());
        hear(&allowances, &zero, allowances.mark());
        assert!((0..1000).all(|_| allowances.take(1).is_ok()));
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_sent_before_somebody_tried_disproves_nothing() {
        let allowances = Allowances::default();
        assert!(allowances.take(1).is_ok());
        let early = allowances.mark();
        hear(&allowances, &headers("requests", "100", "0", "1d"), early);
        advance(LONGEST_RESET).await;
        assert!(allowances.take(1).is_ok());
        hear(&allowances, &HeaderMap::new(), early);
        assert!(allowances.take(1).is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn the_words_in_the_other_order_and_dates_count_too() {
        let allowances = Allowances::default();
        let pairs = [("limit", "9"), ("remaining", "0"), ("reset", "1970-01-01T00:00:07Z")].map(|(what, value)| {
            let name = HeaderName::from_bytes(format!("anthropic-ratelimit-requests-{what}").as_bytes()).unwrap();
            (name, HeaderValue::from_static(value))
        });
        hear(&allowances, &pairs.into_iter().collect(), allowances.mark());
        assert_eq!(allowances.take(1), Err(Instant::now() + Duration::from_secs(7)));
    }

    #[tokio::test(start_paused = true)]
    async fn one_kind_says_nothing_of_the_other_and_keeps_what_it_was_told() {
        let allowances = Allowances::default();
        hear(&allowances, &headers("tokens", "100", "10", "9s"), allowances.mark());
        hear(&allowances, &headers("requests", "100", "50", "1s"), allowances.mark());
        hear(&allowances, &HeaderMap::new(), allowances.mark());
        assert!(allowances.take(10).is_ok() && allowances.take(10).is_err());
    }

    proptest! {
        #[test]
        fn no_header_can_do_harm(text in "[ -~]{0,30}", number in any::<u64>()) {
            let allowances = Allowances::default();
            hear(&allowances, &headers("tokens", &text, &number.to_string(), &format!("{number}s")), allowances.mark());
            hear(&allowances, &headers("requests", &number.to_string(), "1", &text), allowances.mark());
            allowances.take(number).unwrap_or_default();
        }
    }
}
