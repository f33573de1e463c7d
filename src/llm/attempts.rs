//! One question to an endpoint: attempts until there is an answer or no hope of one.
//!
//! Each attempt passes the budget, the rate limits and the house's door, and each is booked.

use super::backoff;
use super::batch::Batches;
use super::budget::{Budget, Reservation, Spending};
use super::fault::{Consequence, Fault};
use super::interrupt::Interrupt;
use super::key::Key;
use super::limiter::Limiter;
use super::openai::Endpoint;
use super::request::{ChatError, Reply, Request, Usage};
use super::round::Outcome;
use super::tokens::Estimator;
use super::usage::{Event, Flying, UsageBook};
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
        backoff::wait(overloaded.map_or(base, |calm| base.min(calm.round_trip)), calm, key, attempts)
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
