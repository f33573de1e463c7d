//! Requests in flight, and whether there is room for another.
//!
//! A request that is refused at once keeps its place for as long as an answer takes. Else a full server, which refuses
//! much faster than it answers, would be sent most of the requests by the few places that are too many. Where the server
//! names a wait, the place is kept for that: one refusal slows the endpoint by one place, and a burst stops it.

use crate::attempts::Calm;
use crate::request::Usage;
use std::array::from_fn;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::mem::take;
use std::time::Duration;
use tokio::time::Instant;

/// Requests in flight, and how many there may be.
#[derive(Debug)]
pub(crate) struct Window {
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
    pub(crate) fn new(most: usize) -> Self {
        Self { crowd: Crowd::new(most), in_flight: 0, sent: 0, failing: 0.0, kept: BinaryHeap::new() }
    }

    /// Lets a request in where there is room; in an empty house there always is.
    pub(crate) fn enter(&mut self) -> Option<Ticket> {
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
    pub(crate) fn opens(&self) -> Option<Instant> {
        self.kept.peek().map(|Reverse(at)| *at)
    }

    /// Lets a request out, and learns from how it ended.
    pub(crate) fn leave(&mut self, ticket: &Ticket, outcome: Outcome) {
        self.in_flight = self.in_flight.saturating_sub(1);
        let failed = if matches!(outcome, Outcome::Answered(_)) { 0.0 } else { 1.0 };
        self.failing += (failed - self.failing) / OF_LATE;
        self.crowd.learn(ticket, outcome, self.sent);
        if let Outcome::Refused { wait } = outcome {
            self.keep_place(ticket, wait.unwrap_or_default());
        }
    }

    /// What is known of the server, as long as it answers most requests.
    pub(crate) fn calm(&self) -> Option<Calm> {
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

// How large a crowd in flight is good for a server: all that are allowed, until refusals or slowness tell otherwise.
//
// It grows by steps while answers come. Where refusals or slowness rise, a smaller crowd is an experiment of one
// round: where it helps, it stays and may become smaller still; where it does not, the server refuses by chance or has
// become slow for other reasons, the old size comes back, and what was seen counts as usual. Where most are refused
// there is no experiment: the crowd is halved each round, down to one.

/// The size, and what it was learned from.
#[derive(Debug)]
pub(crate) struct Crowd {
    most: f64,
    limit: f64,
    round: Round,
    /// The share of refusals that a smaller crowd did not lower.
    chance: f64,
    usual: Option<Pace>,
    slow_rounds: u32,
    trial: Option<Trial>,
    storm: bool,
}

/// A round with a smaller crowd, and what it is to make better.
#[derive(Debug)]
struct Trial {
    limit: f64,
    peak: f64,
    ill: Ill,
}

#[derive(Debug, Clone, Copy)]
enum Ill {
    Refusals(f64),
    Slowness(Pace),
}

/// So many rounds without refusals lead from one request in flight to all.
const STEPS: f64 = 32.0;
/// Where most are refused; and where answers have become slow.
const HALVED: f64 = 0.5;
const AFTER_SLOWNESS: f64 = 0.7;
/// Answers are slow where they take twice as long as usual, so many rounds in a row: one round may open connections.
const SLOW: f64 = std::f64::consts::LN_2;
const PATIENCE: u32 = 4;
/// A smaller crowd stays only where the server does no less in all.
const NO_LESS: f64 = 0.9;

impl Crowd {
    #[expect(clippy::cast_precision_loss, reason = "nobody has 2^52 requests in flight")]
    pub(crate) fn new(most: usize) -> Self {
        let (most, round) = (most.max(1), Round::new(0, most));
        let (most, limit) = (most as f64, most as f64);
        Self { most, limit, round, chance: 0.0, usual: None, slow_rounds: 0, trial: None, storm: false }
    }

    /// How many may be in flight: one at least.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the limit is between 1 and `most`")]
    pub(crate) fn room(&self) -> usize {
        self.limit as usize
    }

    /// Sees how many there are with one that has come in.
    pub(crate) fn see(&mut self, crowd: usize) {
        self.round.see(crowd);
    }

    /// Learns from the end of a request, of which so many have been sent by now.
    pub(crate) fn learn(&mut self, ticket: &Ticket, outcome: Outcome, sent: u64) {
        self.round.count(ticket, outcome);
        if matches!(outcome, Outcome::Answered(_)) && ticket.full && self.trial.is_none() {
            self.limit = (self.limit + (self.most / STEPS).max(1.0) / self.limit).min(self.most);
        }
        if self.round.is_over(sent) {
            let round = take(&mut self.round);
            self.judge(&round);
            self.round = Round::new(sent, self.room());
        }
    }

    /// How long an answer takes, where one has come.
    pub(crate) fn round_trip(&self) -> Option<Duration> {
        self.usual.or_else(|| self.round.paces().rough_mean()).map(Pace::round_trip)
    }

    /// Whether most requests are refused.
    pub(crate) fn is_storm(&self) -> bool {
        self.storm || self.round.is_storm()
    }

    fn judge(&mut self, round: &Round) {
        self.storm = round.is_storm();
        if self.storm {
            self.trial = None;
            self.shrink(round, HALVED);
        } else {
            match self.trial.take() {
                Some(trial) => self.conclude(&trial, round),
                None => self.look(round),
            }
        }
    }

    /// Looks for what a smaller crowd might make better.
    fn look(&mut self, round: &Round) {
        let slow = self.notice_pace(round);
        let (count, share) = round.refusals();
        if share > self.chance + margin(self.chance, count) {
            // What is answered is what the server can do, and a little less leaves it room to breathe.
            let factor = ((1.0 - share) / (1.0 - self.chance) - 0.05).clamp(HALVED, 0.9);
            self.begin(round, factor, Ill::Refusals(share));
        } else {
            self.chance = self.chance.min(self.chance + (share - self.chance) / 8.0);
            if let Some(pace) = slow.filter(|_| self.slow_rounds >= PATIENCE) {
                self.begin(round, AFTER_SLOWNESS, Ill::Slowness(pace));
            }
        }
    }

    /// The pace, where it is slow.
    fn notice_pace(&mut self, round: &Round) -> Option<Pace> {
        let pace = round.paces().mean()?;
        let usual = self.usual.get_or_insert(pace);
        if pace.slower_than(*usual) > SLOW {
            self.slow_rounds += 1;
            return Some(pace);
        }
        usual.follow(pace);
        self.slow_rounds = 0;
        None
    }

    fn begin(&mut self, round: &Round, factor: f64, ill: Ill) {
        if self.limit >= 2.0 {
            self.trial = Some(Trial { limit: self.limit, peak: round.peak(), ill });
            self.shrink(round, factor);
        }
    }

    fn conclude(&mut self, trial: &Trial, round: &Round) {
        let (_, share) = round.refusals();
        match trial.ill {
            Ill::Refusals(before) if share * 2.0 >= before + self.chance => {
                (self.limit, self.chance) = (trial.limit, share);
            }
            Ill::Slowness(before) if !helped(trial, before, round) => {
                (self.limit, self.usual, self.slow_rounds) = (trial.limit, round.paces().mean().or(self.usual), 0);
            }
            _ => self.look(round),
        }
    }

    /// A house that was not full is smaller by what was in it.
    fn shrink(&mut self, round: &Round, factor: f64) {
        self.limit = (round.peak().min(self.limit) * factor).max(1.0);
    }
}

/// Whether the smaller crowd was served so much faster that the server did no less in all.
fn helped(trial: &Trial, before: Pace, round: &Round) -> bool {
    let ideal = (trial.peak / round.peak()).ln();
    let faster = round.paces().mean().map_or(0.0, |pace| before.slower_than(pace));
    // Without a smaller crowd there was no experiment.
    ideal > 0.0 && faster >= ideal * NO_LESS
}

/// By how much a share may differ from what it is in the long run, among so many.
fn margin(chance: f64, count: f64) -> f64 {
    let deviation = (chance.max(0.05) * (1.0 - chance) / count).sqrt();
    (2.5 * deviation).max(0.05)
}

// One round of requests: as many as may be in flight, sent one after another, and how they ended.
//
// What counts is the share of those that were sent. The share of what has come back would overrate refusals, which
// come back before the answers do.

/// A request in flight.
#[derive(Debug)]
pub(crate) struct Ticket {
    /// Its number among all requests, from 1.
    pub(crate) ordinal: u64,
    pub(crate) start: Instant,
    /// Whether there was a crowd; else its answer does not say that more could come in.
    pub(crate) full: bool,
}

/// How a request ended, as far as the load of the server goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The server did its work.
    Answered(Usage),
    /// The server has too much to do, and may have named a wait.
    Refused { wait: Option<Duration> },
    /// It says nothing of the load.
    Unknown,
}

/// The requests after a certain one, up to a number of them.
#[derive(Debug, Default)]
pub(crate) struct Round {
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
    pub(crate) fn sent(&mut self) {
        self.start = Instant::now();
    }
}

impl Round {
    /// The round of those that come after so many requests, in a house with so much room.
    pub(crate) fn new(after: u64, room: usize) -> Self {
        Self { after, length: room.max(SHORTEST) as u64, ..Self::default() }
    }

    /// Sees how many there are with one that has come in.
    pub(crate) fn see(&mut self, crowd: usize) {
        self.peak = self.peak.max(crowd);
    }

    /// Counts a request that has ended, if it is of this round.
    pub(crate) fn count(&mut self, ticket: &Ticket, outcome: Outcome) {
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
    pub(crate) fn is_storm(&self) -> bool {
        self.refused * 2 > self.length
    }

    /// Whether it is over. It does not wait for stragglers when as many again have been sent.
    pub(crate) fn is_over(&self, sent: u64) -> bool {
        self.is_storm() || self.ended >= self.length || sent >= self.after + self.length * 2
    }

    /// How many requests it has, and the share of them that was refused.
    #[expect(clippy::cast_precision_loss, reason = "nobody has 2^52 requests in flight")]
    pub(crate) fn refusals(&self) -> (f64, f64) {
        let length = self.length.max(1) as f64;
        (length, self.refused as f64 / length)
    }

    /// How many were in flight at most.
    #[expect(clippy::cast_precision_loss, reason = "nobody has 2^52 requests in flight")]
    pub(crate) fn peak(&self) -> f64 {
        self.peak.max(1) as f64
    }

    /// How fast its answers came.
    pub(crate) fn paces(&self) -> &Paces {
        &self.paces
    }
}

// How fast answers come.
//
// An answer that takes longer because more was asked or said is no sign of load. So three figures are kept, and
// answers are slower only where all of them say so: the time of an answer, its time for each token of the reply, and
// for each token in all. Logarithms are averaged, so that one answer that took a hundred times as long counts little.

/// The three figures, as logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pace([f64; 3]);

/// Figures of many answers, of which the mean is wanted.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Paces {
    sum: [f64; 3],
    count: f64,
}

/// A mean of fewer answers says nothing.
const FEWEST: f64 = 8.0;

impl Pace {
    /// The figures of one answer.
    #[expect(clippy::cast_precision_loss, reason = "a reply has far fewer than 2^52 tokens")]
    pub(crate) fn of(took: Duration, usage: Usage) -> Self {
        let seconds = took.as_secs_f64().max(1e-6);
        let total = usage.prompt.saturating_add(usage.completion);
        Self([1, usage.completion, total].map(|work| (seconds / work.max(1) as f64).ln()))
    }

    /// By how much it is slower, by the figure that says least of it: the logarithm of the ratio.
    pub(crate) fn slower_than(self, other: Self) -> f64 {
        (0..3).map(|at| self.0[at] - other.0[at]).fold(f64::INFINITY, f64::min)
    }

    /// How long an answer takes.
    pub(crate) fn round_trip(self) -> Duration {
        Duration::try_from_secs_f64(self.0[0].exp()).unwrap_or_default()
    }

    /// Moves towards another pace: soon where that is faster, slowly where it is slower.
    pub(crate) fn follow(&mut self, other: Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += (theirs - *mine) * if theirs < *mine { 0.25 } else { 1.0 / 64.0 };
        }
    }
}

impl Paces {
    /// Adds an answer.
    pub(crate) fn add(&mut self, pace: Pace) {
        self.sum = from_fn(|at| self.sum[at] + pace.0[at]);
        self.count += 1.0;
    }

    /// The mean, of however few.
    pub(crate) fn rough_mean(&self) -> Option<Pace> {
        (self.count > 0.0).then(|| Pace(self.sum.map(|sum| sum / self.count)))
    }

    /// The mean, where there are enough for one.
    pub(crate) fn mean(&self) -> Option<Pace> {
        self.rough_mean().filter(|_| self.count >= FEWEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Usage;
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

#[cfg(test)]
mod crowd_tests {
    use super::*;
    use crate::request::Usage;
    use proptest::prelude::*;
    use tokio::time::{Instant, advance};

    const REFUSED: Outcome = Outcome::Refused { wait: None };
    const ANSWERED: Outcome = Outcome::Answered(Usage { prompt: 10, completion: 10 });

    /// A crowd, and how many it has sent so far.
    struct Bench {
        crowd: Crowd,
        sent: u64,
    }

    impl Bench {
        fn new(most: usize) -> Self {
            Self { crowd: Crowd::new(most), sent: 0 }
        }

        /// A full house of which each leaves after so long with this outcome; how many there were.
        async fn round(&mut self, millis: u64, outcome: impl Fn(usize) -> Outcome) -> usize {
            let size = self.crowd.room();
            let tickets: Vec<Ticket> = (0..size).map(|at| self.ticket(at)).collect();
            advance(Duration::from_millis(millis)).await;
            for (at, ticket) in tickets.iter().enumerate() {
                self.crowd.learn(ticket, outcome(at), self.sent);
            }
            size
        }

        fn ticket(&mut self, at: usize) -> Ticket {
            self.sent += 1;
            self.crowd.see(at + 1);
            Ticket { ordinal: self.sent, start: Instant::now(), full: true }
        }

        /// The sizes of rounds of which so many are served, and the others refused.
        async fn rounds(&mut self, capacity: usize, count: usize) -> Vec<usize> {
            let mut sizes = Vec::new();
            for _ in 0..count {
                sizes.push(self.round(100, |at| if at < capacity { ANSWERED } else { REFUSED }).await);
            }
            sizes
        }

        /// The sizes of rounds whose answers take as long as this says of the size.
        async fn paced(&mut self, count: usize, millis: impl Fn(usize) -> u64) -> Vec<usize> {
            let mut sizes = Vec::new();
            for _ in 0..count {
                let size = self.crowd.room();
                sizes.push(self.round(millis(size), |_| ANSWERED).await);
            }
            sizes
        }
    }

    fn by_chance(at: usize) -> Outcome {
        if at * 7 % 10 < 3 { REFUSED } else { ANSWERED }
    }

    #[tokio::test(start_paused = true)]
    async fn where_all_are_refused_it_is_halved_down_to_one() {
        let mut bench = Bench::new(256);
        let sizes = bench.rounds(0, 400).await;
        assert!(sizes.windows(2).all(|pair| pair[1] <= pair[0] && pair[1] * 2 >= pair[0]), "{sizes:?}");
        assert_eq!(sizes.last(), Some(&1));
        assert!(bench.crowd.is_storm());
    }

    #[tokio::test(start_paused = true)]
    async fn after_the_storm_it_grows_back_by_steps() {
        let mut bench = Bench::new(64);
        bench.rounds(0, 400).await;
        let sizes = bench.rounds(64, 100).await;
        assert_eq!(sizes.last(), Some(&64), "{sizes:?}");
        assert!(sizes.windows(2).all(|pair| pair[1].saturating_sub(pair[0]) <= 3), "{sizes:?}");
        assert!(!bench.crowd.is_storm());
    }

    #[tokio::test(start_paused = true)]
    async fn it_settles_near_what_the_server_can_do() {
        let mut bench = Bench::new(256);
        bench.rounds(64, 10).await;
        let sizes = bench.rounds(64, 200).await;
        assert!(sizes.iter().all(|size| (40..=84).contains(size)), "{sizes:?}");
        let refused: usize = sizes.iter().map(|size| size.saturating_sub(64)).sum();
        assert!(refused * 10 < sizes.iter().sum(), "{refused} of {sizes:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn refusals_by_chance_cost_one_experiment() {
        let mut bench = Bench::new(256);
        let mut sizes = Vec::new();
        for _ in 0..60 {
            sizes.push(bench.round(50, by_chance).await);
        }
        assert!(sizes.iter().filter(|size| **size < 256).count() <= 3, "{sizes:?}");
        assert!((bench.crowd.chance - 0.3).abs() < 0.05, "{}", bench.crowd.chance);
    }

    #[tokio::test(start_paused = true)]
    async fn load_is_seen_behind_refusals_by_chance() {
        let mut bench = Bench::new(256);
        let mut sizes = Vec::new();
        for _ in 0..200 {
            sizes.push(bench.round(50, |at| if at < 100 { by_chance(at) } else { REFUSED }).await);
        }
        assert!(sizes[100..].iter().all(|size| (60..200).contains(size)), "{sizes:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn answers_that_are_slow_under_load_make_it_smaller() {
        let mut bench = Bench::new(128);
        bench.paced(20, |_| 100).await;
        let sizes = bench.paced(40, |size| if size > 60 { 100 * size as u64 / 30 } else { 100 }).await;
        assert!(sizes[8..].iter().all(|size| *size < 110), "{sizes:?}");
        assert!(sizes.iter().any(|size| *size <= 62), "{sizes:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_has_become_slow_by_itself_is_usual_after_one_experiment() {
        let mut bench = Bench::new(128);
        bench.paced(20, |_| 100).await;
        let sizes = bench.paced(60, |_| 500).await;
        assert!(sizes.iter().filter(|size| **size < 128).count() <= 3, "{sizes:?}");
        assert_eq!(sizes.last(), Some(&128));
    }

    #[tokio::test(start_paused = true)]
    async fn one_slow_round_and_longer_replies_change_nothing() {
        let mut bench = Bench::new(128);
        bench.paced(20, |_| 100).await;
        bench.paced(3, |_| 900).await;
        bench.paced(5, |_| 100).await;
        for tokens in [10, 100, 1000, 10] {
            for _ in 0..6 {
                let usage = Usage { prompt: 10, completion: tokens };
                assert_eq!(bench.round(10 * tokens, |_| Outcome::Answered(usage)).await, 128);
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_house_that_is_not_full_says_nothing_of_more() {
        let mut bench = Bench::new(64);
        bench.crowd.limit = 10.0;
        for _ in 0..100 {
            let ticket = Ticket { full: false, ..bench.ticket(0) };
            bench.crowd.learn(&ticket, ANSWERED, bench.sent);
        }
        assert_eq!(bench.crowd.room(), 10);
    }

    proptest! {
        #[test]
        fn it_stays_between_one_and_all_and_grows_back(most in 1..50_usize, ends in prop::collection::vec((0..4_u8, 0..3_u64), 0..200)) {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
            let sizes = runtime.block_on(async {
                let mut bench = Bench::new(most);
                for (end, seconds) in ends {
                    let mixed = |at: usize| [ANSWERED, REFUSED, Outcome::Unknown][(at + usize::from(end)) % 3];
                    let outcome = |at: usize| if end == 3 { mixed(at) } else { mixed(0) };
                    let size = bench.round(seconds * 1000, outcome).await;
                    assert!((1..=most).contains(&size));
                }
                bench.rounds(most, 300).await
            });
            prop_assert_eq!(sizes.last(), Some(&most), "{:?}", sizes);
        }
    }
}

#[cfg(test)]
mod round_tests {
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

#[cfg(test)]
mod pace_tests {
    use super::*;

    fn pace(millis: u64, prompt: u64, completion: u64) -> Pace {
        Pace::of(Duration::from_millis(millis), Usage { prompt, completion })
    }

    fn mean(paces: impl IntoIterator<Item = Pace>) -> Option<Pace> {
        let mut all = Paces::default();
        paces.into_iter().for_each(|pace| all.add(pace));
        all.mean()
    }

    #[test]
    fn equal_work_that_takes_twice_as_long_is_slower() {
        let slower = pace(200, 10, 10).slower_than(pace(100, 10, 10));
        assert!((slower - 2_f64.ln()).abs() < 1e-9, "{slower}");
        assert!((pace(100, 10, 10).slower_than(pace(200, 10, 10)) + slower).abs() < 1e-9);
    }

    #[test]
    fn longer_replies_shorter_ones_and_longer_questions_are_not_slower() {
        let usual = pace(100, 100, 10);
        // Ten times the reply, a tenth of it in the same time, and ten times the question.
        for other in [pace(1000, 100, 100), pace(100, 100, 1), pace(900, 1000, 10)] {
            assert!(other.slower_than(usual) <= 0.0, "{other:?}");
        }
    }

    #[test]
    fn one_straggler_hardly_moves_the_mean_and_few_have_none() {
        let calm = mean([pace(50, 1, 1); 32]).unwrap();
        let with_straggler = mean([pace(50, 1, 1); 31].into_iter().chain([pace(5000, 1, 1)])).unwrap();
        assert!(with_straggler.slower_than(calm) < 0.2);
        assert_eq!((mean([pace(50, 1, 1); 7]), mean([])), (None, None));
        assert!(calm.round_trip().abs_diff(Duration::from_millis(50)) < Duration::from_micros(1));
    }

    #[test]
    fn what_is_usual_follows_what_is_faster_sooner() {
        let (mut down, mut up) = (pace(100, 1, 1), pace(100, 1, 1));
        for _ in 0..8 {
            down.follow(pace(50, 1, 1));
            up.follow(pace(200, 1, 1));
        }
        assert!(down.round_trip() < Duration::from_millis(55), "{down:?}");
        assert!(up.round_trip() < Duration::from_millis(110), "{up:?}");
    }

    #[test]
    fn an_answer_at_once_and_one_without_tokens_have_a_pace() {
        let nothing = Pace::of(Duration::ZERO, Usage::default());
        assert!(nothing.slower_than(pace(1, 1, 1)).is_finite() && nothing.round_trip() < Duration::from_millis(1));
        assert!(pace(u64::MAX, u64::MAX, u64::MAX).slower_than(nothing).is_finite());
    }
}
