//! Requests in flight, and whether there is room for another.
//!
//! A request that is refused at once keeps its place for as long as an answer takes. Else a full server, which refuses
//! much faster than it answers, would be sent most of the requests by the few places that are too many. Where the server
//! names a wait, the place is kept for that: one refusal slows the endpoint by one place, and a burst stops it.

use super::backoff::Calm;
use super::crowd::Crowd;
use super::round::{Outcome, Ticket};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;
use tokio::time::Instant;

/// Requests in flight, and how many there may be.
#[derive(Debug)]
pub(super) struct Window {
    crowd: Crowd,
    in_flight: usize,
    sent: u64,
    /// The share of requests that bring no answer, of late.
    failing: f64,
    /// When the places are free that refused requests have kept; the earliest first.
    kept: BinaryHeap<Reverse<Instant>>,
}

/// No place is kept longer for as long as a server answers most requests: what it refuses then is chance.
const LONGEST_KEPT: Duration = Duration::from_secs(10);
/// The last so many requests count most for the share of those that fail.
const OF_LATE: f64 = 32.0;
/// Where more fail, a server is not calm.
const HALF: f64 = 0.5;

impl Window {
    /// An empty house with room for so many at most.
    pub(super) fn new(most: usize) -> Self {
        Self { crowd: Crowd::new(most), in_flight: 0, sent: 0, failing: 0.0, kept: BinaryHeap::new() }
    }

    /// Lets a request in where there is room; in an empty house there always is.
    pub(super) fn enter(&mut self) -> Option<Ticket> {
        let (now, room) = (Instant::now(), self.crowd.room());
        while self.opens().is_some_and(|at| at <= now) {
            self.kept.pop();
        }
        if self.in_flight + self.kept.len() >= room {
            return None;
        }
        (self.in_flight, self.sent) = (self.in_flight + 1, self.sent + 1);
        let crowd = self.in_flight + self.kept.len();
        self.crowd.see(crowd);
        Some(Ticket { ordinal: self.sent, start: now, full: crowd * 2 >= room })
    }

    /// When the next place is free that nobody has to leave.
    pub(super) fn opens(&self) -> Option<Instant> {
        self.kept.peek().map(|Reverse(at)| *at)
    }

    /// Lets a request out, and learns from how it ended.
    pub(super) fn leave(&mut self, ticket: &Ticket, outcome: Outcome) {
        self.in_flight = self.in_flight.saturating_sub(1);
        let failed = if matches!(outcome, Outcome::Answered(_)) { 0.0 } else { 1.0 };
        self.failing += (failed - self.failing) / OF_LATE;
        self.crowd.learn(ticket, outcome, self.sent);
        if let Outcome::Refused { wait } = outcome {
            self.keep_place(ticket, wait.unwrap_or_default());
        }
    }

    /// What is known of the server, as long as it answers most requests.
    pub(super) fn calm(&self) -> Option<Calm> {
        let is_calm = self.failing < HALF && !self.crowd.is_storm();
        self.crowd.round_trip().filter(|_| is_calm).map(|round_trip| Calm::new(round_trip, self.failing))
    }

    fn keep_place(&mut self, ticket: &Ticket, wait: Duration) {
        let now = Instant::now();
        let round_trip = self.crowd.round_trip().unwrap_or_default().min(LONGEST_KEPT);
        let asked = if self.calm().is_some() { wait.min(LONGEST_KEPT) } else { wait };
        let until = (ticket.start + round_trip).max(now + asked);
        if until > now {
            self.kept.push(Reverse(until));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::request::Usage;
    use proptest::prelude::*;
    use std::collections::VecDeque;
    use tokio::time::{advance, sleep_until};

    const REFUSED: Outcome = Outcome::Refused { wait: None };
    const ANSWERED: Outcome = Outcome::Answered(Usage { prompt: 10, completion: 10 });

    fn fill(window: &mut Window) -> Vec<Ticket> {
        std::iter::from_fn(|| window.enter()).collect()
    }

    /// Lets everybody out after so long.
    async fn round(window: &mut Window, millis: u64, outcome: Outcome) -> usize {
        let tickets = fill(window);
        advance(Duration::from_millis(millis)).await;
        for ticket in &tickets {
            window.leave(ticket, outcome);
        }
        tickets.len()
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_enter_than_there_is_room_for() {
        let mut window = Window::new(3);
        let tickets = fill(&mut window);
        assert_eq!(tickets.iter().map(|ticket| ticket.ordinal).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(tickets.iter().map(|ticket| ticket.full).collect::<Vec<_>>(), [false, true, true]);
        window.leave(&tickets[0], Outcome::Unknown);
        assert_eq!(fill(&mut window).len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_refused_at_once_keeps_the_place_for_as_long_as_an_answer_takes() {
        let mut window = Window::new(32);
        round(&mut window, 100, ANSWERED).await;
        let tickets = fill(&mut window);
        advance(Duration::from_millis(10)).await;
        window.leave(&tickets[0], REFUSED);
        window.leave(&tickets[1], ANSWERED);
        assert_eq!(fill(&mut window).len(), 1, "only who was answered has made room");
        let opens = window.opens().unwrap();
        assert!(opens.duration_since(Instant::now()).abs_diff(Duration::from_millis(90)) < Duration::from_millis(1));
        advance(Duration::from_millis(91)).await;
        assert_eq!(fill(&mut window).len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_refusal_that_took_as_long_as_an_answer_keeps_no_place() {
        let mut window = Window::new(32);
        round(&mut window, 100, ANSWERED).await;
        let tickets = fill(&mut window);
        advance(Duration::from_millis(100)).await;
        window.leave(&tickets[0], REFUSED);
        assert_eq!((window.opens(), fill(&mut window).len()), (None, 1));
    }

    #[tokio::test(start_paused = true)]
    async fn no_place_is_kept_for_long() {
        let mut window = Window::new(1);
        round(&mut window, 3_600_000, ANSWERED).await;
        let ticket = window.enter().unwrap();
        window.leave(&ticket, REFUSED);
        assert_eq!(window.opens(), Some(Instant::now() + LONGEST_KEPT));
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_that_is_asked_for_holds_one_place_and_a_burst_holds_all() {
        let wait = Some(Duration::from_secs(2));
        let mut window = Window::new(8);
        round(&mut window, 100, ANSWERED).await;
        let tickets = fill(&mut window);
        window.leave(&tickets[0], Outcome::Refused { wait });
        tickets[1..].iter().for_each(|ticket| window.leave(ticket, ANSWERED));
        let tickets = fill(&mut window);
        assert_eq!(tickets.len(), 7);
        for ticket in &tickets {
            window.leave(ticket, Outcome::Refused { wait });
        }
        assert_eq!(fill(&mut window).len(), 0);
        advance(Duration::from_millis(1999)).await;
        assert_eq!(fill(&mut window).len(), 0);
        advance(Duration::from_millis(1)).await;
        assert!(!fill(&mut window).is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_long_wait_holds_a_place_whole_only_where_most_are_refused() {
        let wait = Some(Duration::from_secs(60));
        let mut window = Window::new(32);
        round(&mut window, 100, ANSWERED).await;
        let ticket = window.enter().unwrap();
        window.leave(&ticket, Outcome::Refused { wait });
        assert_eq!(window.opens(), Some(Instant::now() + LONGEST_KEPT));
        advance(LONGEST_KEPT).await;
        while window.calm().is_some() {
            round(&mut window, 100, REFUSED).await;
        }
        advance(LONGEST_KEPT).await;
        let ticket = window.enter().unwrap();
        window.leave(&ticket, Outcome::Refused { wait });
        assert_eq!(window.opens(), Some(Instant::now() + Duration::from_secs(60)));
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_never_answered_has_no_round_trip_and_in_a_storm_there_is_no_calm() {
        let mut window = Window::new(32);
        assert_eq!(window.calm(), None);
        round(&mut window, 100, ANSWERED).await;
        let calm = window.calm().unwrap();
        assert!(calm.round_trip.abs_diff(Duration::from_millis(100)) < Duration::from_millis(1));
        round(&mut window, 100, REFUSED).await;
        assert_eq!(window.calm(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn where_most_requests_break_there_is_no_calm_until_most_are_answered() {
        let mut window = Window::new(8);
        round(&mut window, 100, ANSWERED).await;
        let mut broken = 0;
        while window.calm().is_some() {
            broken += round(&mut window, 100, Outcome::Unknown).await;
        }
        assert!((16..=40).contains(&broken), "{broken}");
        for _ in 0..3 {
            round(&mut window, 100, ANSWERED).await;
        }
        assert!(window.calm().is_some_and(|calm| calm.by_chance > 1));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn whatever_happens_everybody_comes_to_try(most in 1..40_usize, ends in prop::collection::vec((0..3_u8, 0..300_u64), 1..300)) {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
            runtime.block_on(async {
                let (mut window, mut inside) = (Window::new(most), VecDeque::new());
                for (end, millis) in ends {
                    let ticket = loop {
                        if let Some(ticket) = window.enter() {
                            break ticket;
                        }
                        match (inside.pop_front(), window.opens()) {
                            (Some((ticket, outcome)), _) => window.leave(&ticket, outcome),
                            (None, Some(at)) => sleep_until(at).await,
                            (None, None) => panic!("an empty house is closed"),
                        }
                    };
                    inside.push_back((ticket, [ANSWERED, REFUSED, Outcome::Unknown][usize::from(end)]));
                    assert!(window.in_flight == inside.len() && inside.len() <= most);
                    advance(Duration::from_millis(millis)).await;
                }
            });
        }
    }
}
