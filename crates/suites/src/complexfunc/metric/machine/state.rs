//! The machine that goes through a trajectory: it says what it needs next, is told, and ends in an outcome. It does no
//! I/O, so that the same machine plays with a model and looks at what a model did long ago.

use crate::complexfunc::metric::golden::Golden;
use crate::complexfunc::metric::open::Open;
use crate::complexfunc::metric::outcome::{Assessment, Errors, Observation, Outcome};
use crate::complexfunc::metric::round::{Miss, Round};
use crate::complexfunc::metric::rules::Similarity;
use crate::complexfunc::metric::turn::{Gather, Turn};
use crate::record::{FunctionCall, Value};
use std::borrow::Cow;

/// What the machine needs next.
#[derive(Debug, PartialEq)]
pub enum Need<'m> {
    /// The model's next turn.
    Turn,
    /// What the API answers to a call; a fault is no answer.
    Answer(&'m FunctionCall),
    /// Whether a judge takes a predicted call (the first) for a golden one.
    Judgement(&'m FunctionCall, &'m FunctionCall),
    /// How alike each of these predicted calls (the first) is to each of these golden ones.
    Similarity(Vec<&'m FunctionCall>, Vec<&'m FunctionCall>),
    /// What a judge says of the answer in words.
    Assessment(&'m str),
    /// Nothing: it is over.
    Nothing,
}

/// What the machine is told.
#[derive(Debug)]
pub enum Told<'g> {
    /// The model's turn; absent where it said nothing.
    Turn(Option<Turn>),
    /// The API's answer: the data alone where it went well. Absent where the call failed.
    Answer(Option<Cow<'g, Value>>),
    /// Whether both calls say the same.
    Judgement(bool),
    /// A row for each predicted call.
    Similarity(Vec<f64>),
    /// The judge's scores; absent where nobody judges.
    Assessment(Option<Assessment>),
}

/// A turn with calls that was gone through.
#[derive(Debug, Clone, PartialEq)]
pub struct Exchange {
    /// The calls, arguments sorted.
    pub calls: Vec<FunctionCall>,
    /// What the model was told of each; empty where it ended with this turn.
    pub observations: Vec<Observation>,
}

/// Goes through one trajectory.
#[derive(Debug)]
pub struct Machine<'g> {
    pub golden: &'g Golden,
    pub similarity: Similarity,
    pub traces: bool,
    pub open: Open,
    pub phase: Phase<'g>,
    pub exchanges: Vec<Exchange>,
    /// What the model said last, if that was words.
    pub last_words: Option<String>,
    /// The faults of the last turn with calls.
    pub errors: Errors,
    pub correct: usize,
    /// Golden calls that were made.
    pub covered: Vec<bool>,
    pub missed: Vec<(usize, Miss)>,
    pub outcome: Outcome,
}

/// What it waits for.
#[derive(Debug)]
pub enum Phase<'g> {
    Turn,
    Gather(Round<'g>, Gather<'g>),
    Similarity(Round<'g>),
    FirstAnswer(Round<'g>),
    SecondAnswer(Round<'g>),
    Judgement(Round<'g>),
    Assessment,
    Over,
}

impl<'g> Machine<'g> {
    /// A machine at the beginning of a sample.
    pub fn new(golden: &'g Golden, similarity: Similarity) -> Self {
        let (open, opened) = Open::new(golden);
        let mut machine = Self {
            golden,
            similarity,
            traces: false,
            open,
            phase: Phase::Turn,
            exchanges: Vec::new(),
            last_words: None,
            errors: Errors::List(Vec::new()),
            correct: 0,
            covered: vec![false; golden.call_count()],
            missed: Vec::new(),
            outcome: Outcome::default(),
        };
        if let Err(crash) = opened {
            machine.crash(crash);
        }
        machine
    }

    /// The same, keeping what happens in each turn.
    #[must_use]
    pub fn traced(mut self) -> Self {
        self.traces = true;
        self
    }

    /// What it needs next.
    pub fn need(&self) -> Need<'_> {
        match &self.phase {
            Phase::Turn => Need::Turn,
            Phase::Over => Need::Nothing,
            Phase::Assessment => Need::Assessment(self.last_words.as_deref().unwrap_or_default()),
            Phase::Similarity(round) => Need::Similarity(
                round.mapping.left.iter().map(|at| &round.predicted[*at]).collect(),
                round.mapping.left_golden.iter().map(|ordinal| self.golden.call(*ordinal)).collect(),
            ),
            Phase::Gather(round, gather) => {
                gather.call(self.golden, &round.predicted).map_or(Need::Nothing, Need::Answer)
            }
            Phase::FirstAnswer(round) => round.pair().map_or(Need::Nothing, |pair| Need::Answer(round.call(pair))),
            Phase::SecondAnswer(round) => {
                round.pair().map_or(Need::Nothing, |pair| Need::Answer(self.golden.call(pair.golden)))
            }
            Phase::Judgement(round) => round
                .pair()
                .map_or(Need::Nothing, |pair| Need::Judgement(round.call(pair), self.golden.call(pair.golden))),
        }
    }

    /// Takes in what it needed; what it does not need it does not hear.
    pub fn tell(&mut self, told: Told<'g>) {
        match (std::mem::replace(&mut self.phase, Phase::Over), told) {
            (Phase::Turn, Told::Turn(turn)) => self.hear(turn.unwrap_or_default()),
            (Phase::Gather(round, mut gather), Told::Answer(answer)) => {
                gather.tell(answer);
                self.gather(round, gather);
            }
            (Phase::Similarity(round), Told::Similarity(matrix)) => self.assign(round, matrix),
            (Phase::FirstAnswer(round), Told::Answer(answer)) => self.first_answer(round, answer),
            (Phase::SecondAnswer(round), Told::Answer(answer)) => self.second_answer(round, answer.as_deref()),
            (Phase::Judgement(round), Told::Judgement(is_equal)) => self.judged(round, is_equal),
            (Phase::Assessment, Told::Assessment(assessment)) => self.outcome.assessment = assessment,
            (phase, _) => self.phase = phase,
        }
    }

    /// What was called so far, turn by turn.
    pub fn exchanges(&self) -> &[Exchange] {
        &self.exchanges
    }

    /// What came of it, once it needs nothing more.
    pub fn into_outcome(mut self) -> Outcome {
        self.outcome.observations =
            self.exchanges.into_iter().map(|it| it.observations).filter(|it| !it.is_empty()).collect();
        self.outcome
    }
}
