//! Shares over many verdicts.

use super::verdict::{Verdict, Wanted};
use crate::score::{Estimate, Mean, wilson};

/// What counts of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outcome {
    /// Whether a refusal is right.
    pub wants_refusal: bool,
    /// Whether a question for missing arguments is right.
    pub wants_question: bool,
    /// Whether the whole is right.
    pub right: bool,
    /// Whether the name is right.
    pub func_ok: bool,
    /// Whether a parameter is invented.
    pub invented: bool,
    /// Whether a parameter is missing.
    pub missing: bool,
}

/// Sums over conversations; a single request is a conversation of one turn.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sums {
    snapshots: u64,
    right: u64,
    /// Snapshots that want a call.
    calls: u64,
    right_names: u64,
    with_invented: u64,
    with_missing: u64,
    with_other: u64,
    /// Snapshots that want a refusal.
    refusals: u64,
    right_refusals: u64,
    /// Snapshots that want a question.
    questions: u64,
    right_questions: u64,
    conversations: u64,
    progress: Mean,
    successes: u64,
}

impl Outcome {
    /// What counts of a verdict.
    pub fn of(wanted: Wanted<'_>, verdict: &Verdict) -> Self {
        Self {
            wants_refusal: matches!(wanted, Wanted::Refusal),
            wants_question: matches!(wanted, Wanted::Question(_)),
            right: verdict.right,
            func_ok: verdict.func_ok,
            invented: verdict.hallucinated > 0,
            missing: verdict.missing > 0,
        }
    }
}

impl Sums {
    /// Adds a conversation's snapshots, in the order of turns. A conversation without any is none.
    pub fn add(&mut self, turns: impl IntoIterator<Item = Outcome>) {
        let (mut count, mut first_wrong) = (0_u32, None);
        for turn in turns {
            if !turn.right && first_wrong.is_none() {
                first_wrong = Some(count);
            }
            count += 1;
            self.add_turn(turn);
        }
        if count == 0 {
            return;
        }
        self.conversations += 1;
        self.successes += u64::from(first_wrong.is_none());
        self.progress.add(f64::from(first_wrong.unwrap_or(count)) / f64::from(count));
    }

    fn add_turn(&mut self, turn: Outcome) {
        self.snapshots += 1;
        self.right += u64::from(turn.right);
        if turn.wants_refusal {
            self.refusals += 1;
            self.right_refusals += u64::from(turn.right);
            return;
        }
        if turn.wants_question {
            self.questions += 1;
            self.right_questions += u64::from(turn.right);
            return;
        }
        self.calls += 1;
        self.right_names += u64::from(turn.func_ok);
        self.with_invented += u64::from(turn.func_ok && turn.invented);
        self.with_missing += u64::from(turn.func_ok && turn.missing);
        self.with_other += u64::from(turn.func_ok && !turn.invented && !turn.missing && !turn.right);
    }

    /// Share of snapshots that are right as a whole (Acc).
    pub fn acc(&self) -> Option<Estimate> {
        wilson(self.right, self.snapshots)
    }

    /// Share of right names where a call is wanted, on every turn (Func. Acc).
    pub fn func_acc(&self) -> Option<Estimate> {
        wilson(self.right_names, self.calls)
    }

    /// Share with an invented parameter, among calls of the right tool (PHR).
    pub fn phr(&self) -> Option<Estimate> {
        wilson(self.with_invented, self.right_names)
    }

    /// Share with a missing parameter, among calls of the right tool (PMR).
    pub fn pmr(&self) -> Option<Estimate> {
        wilson(self.with_missing, self.right_names)
    }

    /// Share with right parameters and a wrong value, among calls of the right tool.
    pub fn other_errors(&self) -> Option<Estimate> {
        wilson(self.with_other, self.right_names)
    }

    /// Share of right refusals where one is wanted (irrelevance, intent shift).
    pub fn refusals(&self) -> Option<Estimate> {
        wilson(self.right_refusals, self.refusals)
    }

    /// Share of right questions where arguments are missing.
    pub fn questions(&self) -> Option<Estimate> {
        wilson(self.right_questions, self.questions)
    }

    /// How far conversations go right, on average (PR).
    pub fn pr(&self) -> Option<Estimate> {
        self.progress.estimate()
    }

    /// Share of conversations that go right from end to end (SR).
    pub fn sr(&self) -> Option<Estimate> {
        wilson(self.successes, self.conversations)
    }

    /// Conversations, and snapshots in them.
    pub fn counts(&self) -> (u64, u64) {
        (self.conversations, self.snapshots)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIGHT: Outcome = Outcome {
        wants_refusal: false,
        wants_question: false,
        right: true,
        func_ok: true,
        invented: false,
        missing: false,
    };
    const RENAMED: Outcome = Outcome { right: false, func_ok: false, ..RIGHT };

    fn value(estimate: Option<Estimate>) -> String {
        estimate.map_or_else(|| "-".to_owned(), |it| format!("{:.3} of {}", it.value, it.n))
    }

    #[test]
    fn names_count_on_every_turn() {
        let mut sums = Sums::default();
        sums.add([RIGHT, RENAMED, RIGHT, RIGHT]);
        assert_eq!((value(sums.func_acc()), value(sums.acc())), ("0.750 of 4".to_owned(), "0.750 of 4".to_owned()));
        assert_eq!((value(sums.pr()), value(sums.sr())), ("0.250 of 1".to_owned(), "0.000 of 1".to_owned()));
    }

    #[test]
    fn rates_of_parameters_are_among_right_names() {
        let mut sums = Sums::default();
        let wrong = Outcome { right: false, ..RIGHT };
        sums.add([
            Outcome { invented: true, ..wrong },
            Outcome { missing: true, invented: true, ..wrong },
            wrong,
            RIGHT,
        ]);
        sums.add([Outcome { missing: true, ..RENAMED }]);
        assert_eq!(
            [sums.phr(), sums.pmr(), sums.other_errors()].map(value),
            ["0.500 of 4", "0.250 of 4", "0.250 of 4"].map(str::to_owned)
        );
    }

    #[test]
    fn refusals_are_counted_apart() {
        let refusal = Outcome { wants_refusal: true, func_ok: false, ..RIGHT };
        let mut sums = Sums::default();
        sums.add([RIGHT, refusal]);
        sums.add([Outcome { right: false, ..refusal }]);
        assert_eq!(
            (value(sums.refusals()), value(sums.func_acc())),
            ("0.500 of 2".to_owned(), "1.000 of 1".to_owned())
        );
        assert_eq!((value(sums.sr()), sums.counts()), ("0.500 of 2".to_owned(), (2, 3)));
    }

    #[test]
    fn questions_are_counted_apart_from_calls() {
        let question = Outcome { wants_question: true, func_ok: false, ..RIGHT };
        let mut sums = Sums::default();
        sums.add([question, RIGHT]);
        sums.add([Outcome { right: false, ..question }]);
        assert_eq!(
            (value(sums.questions()), value(sums.func_acc()), value(sums.acc())),
            ("0.500 of 2".to_owned(), "1.000 of 1".to_owned(), "0.667 of 3".to_owned())
        );
    }

    #[test]
    fn nothing_has_no_figures() {
        let mut sums = Sums::default();
        sums.add([]);
        assert_eq!((sums.acc(), sums.pr(), sums.counts()), (None, None, (0, 0)));
    }
}
