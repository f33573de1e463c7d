//! How large a crowd in flight is good for a server: all that are allowed, until refusals or slowness tell otherwise.
//!
//! It grows by steps while answers come. Where refusals or slowness rise, a smaller crowd is an experiment of one
//! round: where it helps, it stays and may become smaller still; where it does not, the server refuses by chance or has
//! become slow for other reasons, the old size comes back, and what was seen counts as usual. Where most are refused
//! there is no experiment: the crowd is halved each round, down to one.

use super::pace::Pace;
use super::round::{Outcome, Round, Ticket};
use std::mem::take;
use std::time::Duration;

/// The size, and what it was learned from.
#[derive(Debug)]
pub(super) struct Crowd {
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
const HALF: f64 = 0.5;
const AFTER_SLOWNESS: f64 = 0.7;
/// Answers are slow where they take twice as long as usual, so many rounds in a row: one round may open connections.
const SLOW: f64 = std::f64::consts::LN_2;
const PATIENCE: u32 = 4;
/// A smaller crowd stays only where the server does no less in all.
const NO_LESS: f64 = 0.9;

impl Crowd {
    #[expect(clippy::cast_precision_loss, reason = "nobody has 2^52 requests in flight")]
    pub(super) fn new(most: usize) -> Self {
        let (most, round) = (most.max(1), Round::new(0, most));
        let (most, limit) = (most as f64, most as f64);
        Self { most, limit, round, chance: 0.0, usual: None, slow_rounds: 0, trial: None, storm: false }
    }

    /// How many may be in flight: one at least.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the limit is between 1 and `most`")]
    pub(super) fn room(&self) -> usize {
        self.limit as usize
    }

    /// Sees how many there are with one that has come in.
    pub(super) fn see(&mut self, crowd: usize) {
        self.round.see(crowd);
    }

    /// Learns from the end of a request, of which so many have been sent by now.
    pub(super) fn learn(&mut self, ticket: &Ticket, outcome: Outcome, sent: u64) {
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
    pub(super) fn round_trip(&self) -> Option<Duration> {
        self.usual.or_else(|| self.round.paces().rough_mean()).map(Pace::round_trip)
    }

    /// Whether most requests are refused.
    pub(super) fn is_storm(&self) -> bool {
        self.storm || self.round.is_storm()
    }

    fn judge(&mut self, round: &Round) {
        self.storm = round.is_storm();
        if self.storm {
            self.trial = None;
            self.shrink(round, HALF);
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
            let factor = ((1.0 - share) / (1.0 - self.chance) - 0.05).clamp(HALF, 0.9);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::request::Usage;
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
