//! What a server says is left: `x-ratelimit-{limit,remaining,reset}-{requests,tokens}`, and the same words in
//! Anthropic's order.
//!
//! The server saw at least what was sent before the request that it answers; whatever was sent since counts as used.

use super::reset::read_reset;
use super::retry_after::WallClock;
use reqwest::header::HeaderMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// What one server said last, shared by who reads its headers and who waits for them.
#[derive(Debug, Clone, Default)]
pub(super) struct Allowances(Arc<Mutex<Kinds>>);

/// An answer, as far as it concerns what is left.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answer<'a> {
    pub(super) headers: &'a HeaderMap,
    /// Whether the server did its work.
    pub(super) success: bool,
    /// What had been taken when the request was sent.
    pub(super) mark: Mark,
    /// The wall clock, for resets that are dates.
    pub(super) clock: WallClock,
}

/// How many requests and tokens had been taken at some moment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
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
    pub(super) fn take(&self, tokens: u64) -> Result<(), Instant> {
        let mut kinds = self.lock();
        kinds.requests.check(1)?;
        kinds.tokens.check(tokens)?;
        kinds.requests.take(1);
        kinds.tokens.take(tokens);
        Ok(())
    }

    /// What has been taken by now.
    pub(super) fn mark(&self) -> Mark {
        let kinds = self.lock();
        Mark { requests: kinds.requests.taken, tokens: kinds.tokens.taken }
    }

    /// Takes in what an answer says.
    pub(super) fn hear(&self, answer: Answer<'_>) {
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
