//! What a run may spend.
//!
//! An attempt reserves what it will probably cost before it is made, so that many calls at once do not overshoot.

use crate::request::ChatError;
use std::sync::{Mutex, PoisonError};
use tokio::sync::Notify;

/// The bounds of a run's spending, shared by all its models.
#[derive(Debug, Default)]
pub struct Budget {
    max_cost: Option<f64>,
    max_tokens: Option<u64>,
    ledger: Mutex<Ledger>,
    released: Notify,
}

/// Dollars and tokens of one attempt, or of a whole run.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Spending {
    /// Dollars.
    pub cost: f64,
    /// Tokens, prompts and replies together.
    pub tokens: u64,
}

#[derive(Debug, Default)]
struct Ledger {
    spent: Spending,
    reserved: Spending,
    /// What of it was sent, and may be charged whatever becomes of the answer.
    in_flight: Spending,
}

/// A part of the budget that is set aside for one attempt. Dropped unsettled, it goes back whole where nothing was sent;
/// what was sent is taken for spent.
#[derive(Debug)]
pub(crate) struct Reservation<'a> {
    budget: &'a Budget,
    estimate: Spending,
    sent: bool,
}

impl Budget {
    /// A budget in dollars, in tokens, in both, or without bounds.
    pub fn new(max_cost: Option<f64>, max_tokens: Option<u64>) -> Self {
        Self { max_cost, max_tokens, ..Self::default() }
    }

    /// What was spent so far, by earlier processes of the run as well.
    pub fn spent(&self) -> Spending {
        self.with_ledger(|ledger| ledger.spent)
    }

    /// Counts what earlier processes of the run have spent.
    pub(crate) fn follow(&self, earlier: Spending) {
        self.with_ledger(|ledger| ledger.spent = ledger.spent.plus(earlier));
    }

    /// What was sent and may be charged, as it was estimated.
    pub(crate) fn in_flight(&self) -> Spending {
        self.with_ledger(|ledger| ledger.in_flight)
    }

    /// Sets `estimate` aside. Where only what others have set aside stands in the way, it waits for them.
    pub(crate) async fn reserve(&self, estimate: Spending) -> Result<Reservation<'_>, ChatError> {
        loop {
            let released = self.released.notified();
            tokio::pin!(released);
            // Registered before the look, or a release in between would be missed.
            released.as_mut().enable();
            if let Some(answer) = self.try_reserve(estimate) {
                return answer;
            }
            released.await;
        }
    }

    fn try_reserve(&self, estimate: Spending) -> Option<Result<Reservation<'_>, ChatError>> {
        self.with_ledger(|ledger| {
            let alone = ledger.spent.plus(estimate);
            if let Some(detail) = self.broken_bound(alone, ledger.spent) {
                return Some(Err(ChatError::Budget { detail }));
            }
            if self.broken_bound(alone.plus(ledger.reserved), ledger.spent).is_some() {
                return None;
            }
            ledger.reserved = ledger.reserved.plus(estimate);
            Some(Ok(Reservation { budget: self, estimate, sent: false }))
        })
    }

    fn broken_bound(&self, wanted: Spending, spent: Spending) -> Option<String> {
        if let Some(bound) = self.max_cost.filter(|bound| wanted.cost > *bound) {
            return Some(format!("${:.4} of ${bound:.4} spent; the next call may exceed the budget", spent.cost));
        }
        let bound = self.max_tokens.filter(|bound| wanted.tokens > *bound)?;
        Some(format!("{} of {bound} tokens spent; the next call may exceed the budget", spent.tokens))
    }

    fn with_ledger<T>(&self, act: impl FnOnce(&mut Ledger) -> T) -> T {
        act(&mut self.ledger.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Reservation<'_> {
    /// Notes that the attempt is sent now.
    pub(crate) fn sent(&mut self) {
        self.sent = true;
        self.budget.with_ledger(|ledger| ledger.in_flight = ledger.in_flight.plus(self.estimate));
    }

    /// Books what the attempt did cost.
    pub(crate) fn settle(mut self, actual: Spending) {
        self.end(actual);
    }

    fn end(&mut self, actual: Spending) {
        let sent = std::mem::take(&mut self.sent);
        self.budget.with_ledger(|ledger| {
            ledger.spent = ledger.spent.plus(actual);
            if sent {
                ledger.in_flight = ledger.in_flight.minus(self.estimate);
            }
        });
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        if self.sent {
            self.end(self.estimate);
        }
        self.budget.with_ledger(|ledger| ledger.reserved = ledger.reserved.minus(self.estimate));
        self.budget.released.notify_waiters();
    }
}

impl Spending {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self { cost: self.cost + other.cost, tokens: self.tokens + other.tokens }
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        // Sums of floats taken apart again leave dust, which must not count as a debt.
        Self { cost: (self.cost - other.cost).max(0.0), tokens: self.tokens.saturating_sub(other.tokens) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;
    use insta::assert_snapshot;

    fn tokens(tokens: u64) -> Spending {
        Spending { cost: 0.0, tokens }
    }

    #[tokio::test]
    async fn without_bounds_everything_passes() {
        let budget = Budget::default();
        let reservation = budget.reserve(Spending { cost: 1e9, tokens: u64::MAX / 2 }).await.unwrap();
        reservation.settle(tokens(7));
        assert_eq!(budget.spent(), tokens(7));
    }

    #[tokio::test]
    async fn a_call_that_cannot_be_paid_is_refused_with_the_sums() {
        let budget = Budget::new(Some(0.5), None);
        budget.reserve(Spending { cost: 0.1, tokens: 1 }).await.unwrap().settle(Spending { cost: 0.45, tokens: 1 });
        let error = budget.reserve(Spending { cost: 0.1, tokens: 1 }).await.unwrap_err();
        assert_snapshot!(error, @"the budget is spent: $0.4500 of $0.5000 spent; the next call may exceed the budget");
        let error = Budget::new(None, Some(10)).reserve(tokens(11)).await.unwrap_err();
        assert_snapshot!(error, @"the budget is spent: 0 of 10 tokens spent; the next call may exceed the budget");
    }

    #[tokio::test]
    async fn a_call_waits_for_what_others_have_set_aside() {
        let budget = Budget::new(None, Some(100));
        let first = budget.reserve(tokens(60)).await.unwrap();
        let mut second = std::pin::pin!(budget.reserve(tokens(60)));
        assert!(second.as_mut().now_or_never().is_none());
        first.settle(tokens(10));
        second.await.unwrap().settle(tokens(20));
        assert_eq!(budget.spent(), tokens(30));
    }

    #[tokio::test]
    async fn a_call_that_waited_in_vain_is_refused() {
        let budget = Budget::new(None, Some(100));
        let first = budget.reserve(tokens(60)).await.unwrap();
        let mut second = std::pin::pin!(budget.reserve(tokens(60)));
        assert!(second.as_mut().now_or_never().is_none());
        first.settle(tokens(60));
        assert!(second.await.is_err());
    }

    #[tokio::test]
    async fn many_at_once_do_not_overshoot() {
        let budget = Budget::new(None, Some(100));
        let call = async || match budget.reserve(tokens(9)).await {
            Ok(reservation) => {
                tokio::task::yield_now().await;
                reservation.settle(tokens(8));
                true
            }
            Err(_) => false,
        };
        let answers = futures::future::join_all((0..50).map(|_| call())).await;
        assert_eq!((answers.iter().filter(|paid| **paid).count(), budget.spent()), (12, tokens(96)));
    }

    #[tokio::test]
    async fn what_is_dropped_unsettled_goes_back() {
        let budget = Budget::new(None, Some(100));
        drop(budget.reserve(tokens(100)).await.unwrap());
        assert!(budget.reserve(tokens(100)).await.is_ok());
    }

    #[tokio::test]
    async fn what_was_sent_and_left_behind_is_taken_for_spent() {
        let budget = Budget::new(None, Some(100));
        let mut reservation = budget.reserve(tokens(60)).await.unwrap();
        reservation.sent();
        assert_eq!((budget.in_flight(), budget.spent()), (tokens(60), tokens(0)));
        drop(reservation);
        assert_eq!((budget.in_flight(), budget.spent()), (tokens(0), tokens(60)));
        assert!(budget.reserve(tokens(60)).await.is_err());
    }

    #[tokio::test]
    async fn either_bound_stops_and_the_one_in_dollars_is_told_first() {
        let budget = Budget::new(Some(1.0), Some(10));
        assert!(budget.reserve(Spending { cost: 0.5, tokens: 11 }).await.unwrap_err().to_string().contains("tokens"));
        assert!(budget.reserve(Spending { cost: 1.5, tokens: 11 }).await.unwrap_err().to_string().contains("$1.0000"));
        assert!(budget.reserve(Spending { cost: 1.0, tokens: 10 }).await.is_ok(), "a bound may be reached");
    }

    #[tokio::test]
    async fn what_cost_more_than_was_thought_is_booked_all_the_same() {
        let budget = Budget::new(None, Some(10));
        budget.reserve(tokens(10)).await.unwrap().settle(tokens(25));
        assert_eq!(budget.spent(), tokens(25));
        assert_snapshot!(budget.reserve(tokens(0)).await.unwrap_err(), @"the budget is spent: 25 of 10 tokens spent; the next call may exceed the budget");
    }
}
