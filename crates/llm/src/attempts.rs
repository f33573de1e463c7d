//! One question to an endpoint: attempts until there is an answer or no hope of one.
//!
//! Each attempt passes the budget, the rate limits and the house's door, and each is booked.

use super::batch::Batches;
use super::fault::{Consequence, Fault};
use super::interrupt::Interrupt;
use super::key::Key;
use super::openai::Endpoint;
use super::request::{ChatError, Reply, Request, Usage};
use super::tokens::Estimator;
use super::usage::{Event, Flying, UsageBook};
use crate::limit::budget::{Budget, Reservation, Spending};
use crate::limit::limiter::Limiter;
use crate::limit::window::Outcome;
use std::sync::Arc;
use std::time::Duration;

/// So often a request is sent with its schema before it is sent without.
const TRIES_WITH_SCHEMA: u32 = 2;

/// An endpoint with its limits and what is shared with the rest of the run.
pub(super) struct Line {
    pub(super) endpoint: Arc<Endpoint>,
    /// The way by which questions go together, where they do.
    pub(super) batches: Option<Batches>,
    pub(super) limiter: Limiter,
    pub(super) estimator: Estimator,
    pub(super) budget: Arc<Budget>,
    pub(super) usage: Arc<UsageBook>,
    /// Thrown when nothing more shall be sent.
    pub(super) closing: Interrupt,
}

impl Line {
    /// Asks until there is a reply, or a reason why there is none.
    pub(super) async fn ask(&self, key: &Key, request: &Request) -> Result<Reply, ChatError> {
        let has_schema = request.schema.is_some();
        let structured = || has_schema && self.endpoint.structured(request.task, request.schema.as_deref());
        let mut with_format = structured();
        let (mut attempts, mut refusals) = (0, 0);
        loop {
            let is_tempered = self.endpoint.has_own_temperatures();
            let answer = match self.batches_for(request) {
                Some(batches) => {
                    // Seldom taken, and larger than all the rest.
                    Box::pin(self.attempt_in_batch(batches, key, request, with_format, attempts > 0)).await?
                }
                None => self.attempt(request, with_format, attempts > 0).await?,
            };
            attempts += 1;
            let fault = match answer {
                Ok(reply) => {
                    // Only now: the request might have been refused for another reason.
                    if refusals > 0 && !with_format {
                        self.endpoint.drop_schema(request);
                    }
                    return Ok(reply);
                }
                Err(fault) => fault,
            };
            match fault.consequence(&self.endpoint.circumstances()) {
                Consequence::Refused { status }
                    if is_tempered && self.endpoint.drops_temperature(status, fault.words()) => {}
                Consequence::Refused { status } if with_format && self.endpoint.may_drop_schema(status) => {
                    refusals += 1;
                    // One refusal may be chance. Another question may have shown meanwhile that it is none.
                    with_format = refusals < TRIES_WITH_SCHEMA && structured();
                }
                consequence => Box::pin(self.follow(consequence, &fault, key, attempts)).await?,
            }
        }
    }

    /// Waits where another attempt is worth it; else says why not.
    async fn follow(&self, consequence: Consequence, fault: &Fault, key: &Key, attempts: u32) -> Result<(), ChatError> {
        let config = self.endpoint.config();
        match consequence {
            Consequence::Again { .. } if attempts > config.retries => {
                Err(fault.exhausted(&config.model, attempts, self.endpoint.circumstances().answered_before))
            }
            Consequence::Again { wait } => {
                let wait = wait.unwrap_or_default() + self.backoff(fault, key, attempts);
                self.unless_closing(tokio::time::sleep(wait)).await
            }
            Consequence::Refused { status } => {
                Err(ChatError::Refused { model: config.model.clone(), status, detail: fault.words().to_owned() })
            }
            Consequence::Stop { hint } => Err(ChatError::Endpoint { detail: self.place(fault), hint }),
        }
    }

    /// Our own part of the wait. Who is not there cannot be calm, however well it answered before.
    fn backoff(&self, fault: &Fault, key: &Key, attempts: u32) -> Duration {
        let calm = self.limiter.calm().filter(|_| !matches!(fault, Fault::Unreachable { .. }));
        let base = self.endpoint.config().backoff.0;
        // Where a crowd is refused, the window keeps the load down, and nobody need wait for half a second.
        let overloaded = calm.filter(|_| fault.is_overload());
        wait(overloaded.map_or(base, |calm| base.min(calm.round_trip)), calm, key, attempts)
    }

    async fn attempt(
        &self,
        request: &Request,
        with_format: bool,
        repeated: bool,
    ) -> Result<Result<Reply, Fault>, ChatError> {
        let guess = self.estimator.guess(request);
        // What is needed before the request is sent takes no room while it is in flight.
        let admission = Box::pin(async {
            let reservation = self.budget.reserve(self.spending(guess)).await?;
            Ok::<_, ChatError>((reservation, self.limiter.enter(guess.prompt + guess.completion).await))
        });
        let (reservation, permit) = self.unless_closing(admission).await??;
        self.count(request, Event::Attempt { repeated });
        let sent = Sent::new(self, request, guess, reservation);
        let mut answer = self.endpoint.send(request, with_format).await;
        let used = self.used(request, guess, &mut answer);
        permit.settle(used.prompt + used.completion, outcome(&answer));
        sent.settle(used);
        Ok(answer)
    }

    /// Waits for what must come before a request is sent; whoever still waits when the end comes has cost nothing.
    pub(super) async fn unless_closing<T>(&self, wait: impl Future<Output = T>) -> Result<T, ChatError> {
        tokio::select! {
            biased;
            () = self.closing.wait() => Err(ChatError::Interrupted),
            waited = wait => Ok(waited),
        }
    }

    /// What the attempt took. Where a server may have worked for nothing it is taken for what was guessed.
    pub(super) fn used(&self, request: &Request, guess: Usage, answer: &mut Result<Reply, Fault>) -> Usage {
        match answer {
            Ok(reply) => {
                reply.usage = self.estimator.learn(request, reply);
                reply.usage
            }
            Err(fault) if fault.may_have_cost() => guess,
            Err(_) => Usage::default(),
        }
    }

    pub(super) fn spending(&self, usage: Usage) -> Spending {
        Spending { cost: self.endpoint.config().price.of(usage), tokens: usage.prompt + usage.completion }
    }

    pub(super) fn count(&self, request: &Request, event: Event) {
        self.usage.count(&request.stage, &self.endpoint.config().model, event);
    }

    fn place(&self, fault: &Fault) -> String {
        let config = self.endpoint.config();
        format!("`{}` at `{}`: {fault}", config.model, config.base_url)
    }
}

/// An attempt that was sent. Where nobody waits for its answer any longer, it is booked as it was guessed: the server
/// charges for it all the same.
struct Sent<'a> {
    line: &'a Line,
    request: &'a Request,
    guess: Usage,
    reservation: Option<Reservation<'a>>,
    _flying: Flying<'a>,
}

impl<'a> Sent<'a> {
    fn new(line: &'a Line, request: &'a Request, guess: Usage, mut reservation: Reservation<'a>) -> Self {
        reservation.sent();
        Self { line, request, guess, reservation: Some(reservation), _flying: line.usage.fly() }
    }

    fn settle(mut self, used: Usage) {
        self.book(used);
    }

    fn book(&mut self, used: Usage) {
        let Some(reservation) = self.reservation.take() else { return };
        // First of all: what is read in between must not miss it.
        self.line.count(self.request, Event::Tokens(used, self.line.endpoint.config().price));
        reservation.settle(self.line.spending(used));
    }
}

impl Drop for Sent<'_> {
    fn drop(&mut self) {
        self.book(self.guess);
    }
}

/// What an answer tells of the server's load.
fn outcome(answer: &Result<Reply, Fault>) -> Outcome {
    match answer {
        Ok(reply) => Outcome::Answered(reply.usage),
        Err(fault) if fault.is_overload() => Outcome::Refused { wait: fault.wait() },
        Err(_) => Outcome::Unknown,
    }
}

// How long to wait before trying again.
//
// Where a server answers most requests, a failure is chance, and whoever meets it comes back within about the time that
// an answer takes: the window keeps the load down, and a longer wait would only leave the end of a run to a few. Waits
// double where most requests fail, and where a question has failed oftener than chance explains.

/// No single wait of our own is longer.
const LONGEST: Duration = Duration::from_secs(30);

/// Failures in a row are no chance where they are rarer than this.
const RARE: f64 = 1e-3;

/// A server that answers most requests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Calm {
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
    use crate::testing::request;

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
