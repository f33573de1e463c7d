//! One round of requests: as many as may be in flight, sent one after another, and how they ended.
//!
//! What counts is the share of those that were sent. The share of what has come back would overrate refusals, which
//! come back before the answers do.

use super::pace::{Pace, Paces};
use super::request::Usage;
use std::time::Duration;
use tokio::time::Instant;

/// A request in flight.
#[derive(Debug)]
pub(super) struct Ticket {
    /// Its number among all requests, from 1.
    pub(super) ordinal: u64,
    pub(super) start: Instant,
    /// Whether there was a crowd; else its answer does not say that more could come in.
    pub(super) full: bool,
}

/// How a request ended, as far as the load of the server goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The server did its work.
    Answered(Usage),
    /// The server has too much to do, and may have named a wait.
    Refused { wait: Option<Duration> },
    /// It says nothing of the load.
    Unknown,
}

/// The requests after a certain one, up to a number of them.
#[derive(Debug, Default)]
pub(super) struct Round {
    after: u64,
    length: u64,
    ended: u64,
    refused: u64,
    peak: usize,
    paces: Paces,
}

/// A share of fewer requests would be mostly chance.
const SHORTEST: usize = 32;

impl Ticket {
    /// Lets its time begin only now, after whatever else it had to wait for.
    pub(super) fn sent(&mut self) {
        self.start = Instant::now();
    }
}

impl Round {
    /// The round of those that come after so many requests, in a house with so much room.
    pub(super) fn new(after: u64, room: usize) -> Self {
        Self { after, length: room.max(SHORTEST) as u64, ..Self::default() }
    }

    /// Sees how many there are with one that has come in.
    pub(super) fn see(&mut self, crowd: usize) {
        self.peak = self.peak.max(crowd);
    }

    /// Counts a request that has ended, if it is of this round.
    pub(super) fn count(&mut self, ticket: &Ticket, outcome: Outcome) {
        if ticket.ordinal <= self.after || ticket.ordinal > self.after + self.length {
            return;
        }
        self.ended += 1;
        match outcome {
            Outcome::Answered(usage) => self.paces.add(Pace::of(ticket.start.elapsed(), usage)),
            Outcome::Refused { .. } => self.refused += 1,
            Outcome::Unknown => {}
        }
    }

    /// Whether more than half were refused, whatever comes of the others.
    pub(super) fn is_storm(&self) -> bool {
        self.refused * 2 > self.length
    }

    /// Whether it is over. It does not wait for stragglers when as many again have been sent.
    pub(super) fn is_over(&self, sent: u64) -> bool {
        self.is_storm() || self.ended >= self.length || sent >= self.after + self.length * 2
    }

    /// How many requests it has, and the share of them that was refused.
    #[expect(clippy::cast_precision_loss, reason = "nobody has 2^52 requests in flight")]
    pub(super) fn refusals(&self) -> (f64, f64) {
        let length = self.length.max(1) as f64;
        (length, self.refused as f64 / length)
    }

    /// How many were in flight at most.
    #[expect(clippy::cast_precision_loss, reason = "nobody has 2^52 requests in flight")]
    pub(super) fn peak(&self) -> f64 {
        self.peak.max(1) as f64
    }

    /// How fast its answers came.
    pub(super) fn paces(&self) -> &Paces {
        &self.paces
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::advance;

    fn ticket(ordinal: u64) -> Ticket {
        Ticket { ordinal, start: Instant::now(), full: true }
    }

    #[tokio::test(start_paused = true)]
    async fn only_its_own_requests_count() {
        let mut round = Round::new(100, 40);
        for ordinal in [1, 100, 101, 140, 141] {
            round.count(&ticket(ordinal), Outcome::Refused { wait: None });
        }
        assert_eq!(round.refusals(), (40.0, 2.0 / 40.0));
    }

    #[test]
    fn the_largest_crowd_is_its_peak() {
        let mut round = Round::new(0, 40);
        for crowd in [7, 30, 12] {
            round.see(crowd);
        }
        assert!((round.peak() - 30.0).abs() < 1e-9 && Round::default().peak() > 0.9);
    }

    #[tokio::test(start_paused = true)]
    async fn it_ends_with_its_requests_or_when_as_many_again_were_sent() {
        let mut round = Round::new(0, 1);
        for ordinal in 1..=31 {
            round.count(&ticket(ordinal), Outcome::Unknown);
        }
        assert!(!round.is_over(63) && round.is_over(64));
        round.count(&ticket(32), Outcome::Unknown);
        assert!(round.is_over(32));
    }

    #[tokio::test(start_paused = true)]
    async fn refusals_that_come_first_are_no_storm_until_they_are_the_most() {
        let mut round = Round::new(0, 40);
        for ordinal in 1..=20 {
            round.count(&ticket(ordinal), Outcome::Refused { wait: None });
        }
        assert!(!round.is_storm() && !round.is_over(40));
        round.count(&ticket(21), Outcome::Refused { wait: None });
        assert!(round.is_storm() && round.is_over(40));
    }

    #[tokio::test(start_paused = true)]
    async fn time_begins_when_a_request_is_sent() {
        let (mut round, mut first) = (Round::new(0, 1), ticket(1));
        advance(Duration::from_secs(9)).await;
        first.sent();
        advance(Duration::from_millis(50)).await;
        round.count(&first, Outcome::Answered(Usage::default()));
        let round_trip = round.paces().rough_mean().unwrap().round_trip();
        assert!(round_trip.abs_diff(Duration::from_millis(50)) < Duration::from_micros(1));
    }
}
