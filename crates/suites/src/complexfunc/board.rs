//! Everything that was found of one run, by domain, and the figures of any part of it.

use super::profile::Profile;
use crate::Coverage;
use crate::complexfunc::metric::{Outcome, Status, Tally};
use crate::report::Figure;
use crate::score::{Estimate, Mean, wilson};
use std::collections::BTreeMap;

/// Sums over the samples of a domain.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sums {
    /// Samples.
    pub samples: u64,
    /// Samples in which all was called.
    pub successes: u64,
    /// Golden calls that were made.
    pub correct: u64,
    /// Golden calls.
    pub golden: u64,
    /// Steps that were passed.
    pub passed: u64,
    /// Steps.
    pub steps: u64,
    /// Calls that the model made.
    pub calls: u64,
    /// Those of them that repeat what was right.
    pub redundant: u64,
    /// Those of them beyond what was wanted.
    pub extra: u64,
    /// Calls with a wrong form, and those of them that were made up for.
    pub form: (u64, u64),
    /// Calls with a wrong content, and those of them that were made up for.
    pub content: (u64, u64),
    /// How many turns more than steps it took, where all was called.
    pub extra_turns: Mean,
    /// Whether the answer says all, from 0 to 2.
    pub complete: Mean,
    /// Whether the answer is right, from 0 to 2.
    pub right: Mean,
}

/// What was counted besides.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    /// How much was scored.
    pub coverage: Coverage,
    /// Samples that the authors' evaluator writes no result of.
    pub not_recorded: u64,
    /// Samples at which it breaks off.
    pub crashed: u64,
    /// Answers without words, which nobody judges.
    pub empty: u64,
    /// Answers that a judge said nothing usable about.
    pub unjudged: u64,
    /// What ended samples, by its name.
    pub ends: BTreeMap<String, u64>,
    /// All faults on the way, by their names.
    pub faults: BTreeMap<String, u64>,
    /// Turns by how their calls were found.
    pub ways: BTreeMap<String, u64>,
    /// Turns more than steps, where all was called: how often.
    pub extra_turns: BTreeMap<i64, u64>,
    /// Arguments of golden calls by their type: wrong at least once, and all.
    pub arguments: BTreeMap<String, (u64, u64)>,
}

/// What one model did in one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Board {
    /// What the table calls it.
    pub name: String,
    /// By which rules it was scored.
    pub profile: Profile,
    /// Sums by domain.
    pub domains: BTreeMap<String, Sums>,
    /// What was counted besides.
    pub counts: Counts,
}

impl Board {
    /// Nothing found yet.
    pub fn new(name: &str, profile: Profile) -> Self {
        Self { name: name.to_owned(), profile, domains: BTreeMap::new(), counts: Counts::default() }
    }

    /// The sums over all domains.
    pub fn all(&self) -> Sums {
        self.domains.values().fold(Sums::default(), |mut all, sums| {
            all.join(sums);
            all
        })
    }

    /// Counts what came of a sample.
    pub fn add(&mut self, domain: &str, outcome: &Outcome) {
        let sums = self.domains.entry(domain.to_owned()).or_default();
        sums.samples += 1;
        match outcome.status {
            Status::Recorded => sums.add(outcome),
            Status::NotRecorded => self.counts.not_recorded += 1,
            Status::Crash(_) => self.counts.crashed += 1,
        }
        self.counts.add(outcome);
    }
}

impl Counts {
    fn add(&mut self, outcome: &Outcome) {
        self.coverage.scored += 1;
        if outcome.status != Status::Recorded {
            return;
        }
        let mut count = |name: &str| *self.ends.entry(name.to_owned()).or_default() += 1;
        outcome.message.faults().iter().for_each(|fault| count(fault.error_type.as_str()));
        for (fault, number) in &outcome.tally.faults {
            *self.faults.entry(fault.as_str().to_owned()).or_default() += long(*number);
        }
        if outcome.is_success() {
            *self.extra_turns.entry(extra_turns(outcome)).or_default() += 1;
        }
        if let Some(judged) = outcome.assessment {
            self.empty += u64::from(judged.complete == -2);
            self.unjudged += u64::from(judged.complete == -1 || judged.correct == -1);
        }
    }
}

impl Sums {
    fn add(&mut self, outcome: &Outcome) {
        let (counts, tally) = (&outcome.counts, &outcome.tally);
        self.successes += u64::from(outcome.is_success());
        self.correct += long(counts.correct_call_num);
        self.golden += long(counts.total_call_num);
        self.passed += long(counts.success_turn_num);
        self.steps += long(counts.total_turn_num);
        self.add_tally(tally);
        if outcome.is_success() {
            self.extra_turns.add(f64::from(i32::try_from(extra_turns(outcome)).unwrap_or(i32::MAX)));
        }
        let judged = outcome.assessment.map(|it| [(&mut self.complete, it.complete), (&mut self.right, it.correct)]);
        for (mean, points) in judged.into_iter().flatten().filter(|(_, points)| *points >= 0) {
            mean.add(f64::from(points));
        }
    }

    fn add_tally(&mut self, tally: &Tally) {
        self.calls += long(tally.calls);
        self.redundant += long(tally.redundant_calls);
        self.extra += long(tally.extra_calls);
        self.form.0 += long(tally.format_errors);
        self.form.1 += long(tally.recovered_format_errors);
        self.content.0 += long(tally.value_errors);
        self.content.1 += long(tally.recovered_value_errors);
    }

    fn join(&mut self, other: &Self) {
        for (one, more) in [
            (&mut self.samples, other.samples),
            (&mut self.successes, other.successes),
            (&mut self.correct, other.correct),
            (&mut self.golden, other.golden),
            (&mut self.passed, other.passed),
            (&mut self.steps, other.steps),
            (&mut self.calls, other.calls),
            (&mut self.redundant, other.redundant),
            (&mut self.extra, other.extra),
            (&mut self.form.0, other.form.0),
            (&mut self.form.1, other.form.1),
            (&mut self.content.0, other.content.0),
            (&mut self.content.1, other.content.1),
        ] {
            *one += more;
        }
        self.extra_turns.join(&other.extra_turns);
        self.complete.join(&other.complete);
        self.right.join(&other.right);
    }

    /// The share of samples in which all was called; by the authors' rules of so many, whatever was run.
    pub fn success(&self, of: Option<u64>) -> Option<Figure> {
        share(self.successes, of.unwrap_or(self.samples))
    }

    /// The share of golden calls that were made. By the authors' rules repeats count, so that it may be more than all.
    pub fn call_accuracy(&self) -> Option<Figure> {
        share(self.correct, self.golden)
    }

    /// The share of steps that were passed.
    pub fn turn_accuracy(&self) -> Option<Figure> {
        share(self.passed, self.steps)
    }

    /// The share of the model's calls that were right for the first time.
    pub fn precision(&self) -> Option<Figure> {
        let wrong = self.redundant + self.extra + self.form.0 + self.content.0;
        share(self.calls.saturating_sub(wrong), self.calls)
    }
}

/// A mean as a figure.
pub(super) fn mean(mean: &Mean) -> Option<Figure> {
    mean.estimate().map(figure)
}

/// A share as a figure; what is more than all has no interval.
pub(super) fn share(part: u64, n: u64) -> Option<Figure> {
    if part > n && n > 0 {
        let value = real(part) / real(n);
        return Some(Figure { value, low: value, high: value, n });
    }
    wilson(part, n).map(figure)
}

fn figure(it: Estimate) -> Figure {
    Figure { value: it.value, low: it.low, high: it.high, n: it.n }
}

/// How many turns more than steps it took.
fn extra_turns(outcome: &Outcome) -> i64 {
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    number(outcome.counts.real_turn_num) - number(outcome.counts.total_turn_num)
}

fn long(count: usize) -> u64 {
    count as u64
}

#[expect(clippy::cast_precision_loss, reason = "counts are below 2^52")]
fn real(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::complexfunc::metric::{Assessment, Crash, ErrorType, Fault, Message};

    fn near(figure: Option<Figure>, value: f64) -> bool {
        figure.is_some_and(|figure| (figure.value - value).abs() < 1e-9)
    }

    pub(crate) fn outcome(success: bool, correct: usize, turns: usize) -> Outcome {
        let mut outcome = Outcome::default();
        if !success {
            outcome.message = Message::Fault(Fault::new(ErrorType::StopEarly, "Stop early."));
            outcome.tally.faults = [(ErrorType::StopEarly, 1), (ErrorType::ValueError, 2)].into();
        }
        let counts = &mut outcome.counts;
        (counts.correct_call_num, counts.total_call_num) = (correct, 4);
        (counts.success_turn_num, counts.total_turn_num, counts.real_turn_num) =
            (if success { 3 } else { 1 }, 3, turns);
        outcome.tally.calls = correct + 2;
        (outcome.tally.redundant_calls, outcome.tally.extra_calls) = (1, 1);
        (outcome.tally.format_errors, outcome.tally.recovered_format_errors) = (2, 1);
        outcome
    }

    pub(crate) fn board(name: &str, profile: Profile) -> Board {
        let mut board = Board::new(name, profile);
        let mut first = outcome(true, 4, 5);
        first.assessment = Some(Assessment { complete: 2, correct: 1 });
        board.add("Hotels", &first);
        board.add("Hotels", &outcome(false, 1, 2));
        board.add("Cross", &outcome(true, 4, 3));
        board
    }

    #[test]
    fn figures_are_of_samples_calls_and_steps() {
        let all = board("a", Profile::default()).all();
        assert!(near(all.success(None), 2.0 / 3.0) && near(all.success(Some(1000)), 0.002));
        assert!(near(all.call_accuracy(), 9.0 / 12.0) && near(all.turn_accuracy(), 7.0 / 9.0));
        assert!(near(all.precision(), 3.0 / 15.0) && near(mean(&all.extra_turns), 1.0));
        assert_eq!((all.form, all.redundant, all.extra), ((6, 3), 3, 3));
        assert!(near(mean(&all.complete), 2.0) && near(mean(&all.right), 1.0));
    }

    #[test]
    fn faults_are_counted_at_the_end_and_on_the_way() {
        let counts = board("a", Profile::default()).counts;
        assert_eq!((counts.ends["stop_early"], counts.faults["value_error"], counts.coverage.scored), (1, 2, 3));
        assert_eq!(counts.extra_turns.into_iter().collect::<Vec<_>>(), [(0, 1), (2, 1)]);
    }

    #[test]
    fn what_has_no_result_is_a_sample_and_nothing_more() {
        let mut board = Board::new("a", Profile::default());
        for status in [Status::NotRecorded, Status::Crash(Crash::Key)] {
            board.add("Hotels", &Outcome { status, ..outcome(false, 2, 2) });
        }
        let all = board.all();
        assert_eq!((all.samples, all.golden, board.counts.not_recorded, board.counts.crashed), (2, 0, 1, 1));
        assert_eq!((board.counts.coverage.scored, board.counts.ends.len()), (2, 0));
        assert_eq!((all.call_accuracy(), mean(&all.right)), (None, None));
    }

    #[test]
    fn empty_answers_and_lost_judgements_have_no_points() {
        let mut board = Board::new("a", Profile::default());
        for points in [-2, -1] {
            let assessment = Some(Assessment { complete: points, correct: points });
            board.add("Hotels", &Outcome { assessment, ..outcome(true, 4, 3) });
        }
        assert_eq!((board.counts.empty, board.counts.unjudged, mean(&board.all().complete)), (1, 1, None));
    }

    #[test]
    fn more_than_all_is_said_without_an_interval() {
        let figure = share(5, 4).unwrap();
        assert!(near(Some(figure), 1.25) && near(Some(Figure { value: figure.low, ..figure }), 1.25));
    }
}
