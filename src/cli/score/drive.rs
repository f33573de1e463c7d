//! The one loop over files of predictions, their runs, and the rounds in which judges are asked.

use super::Outcome;
use super::arguments::ScoreArguments;
use super::items::{Items, Row, VerdictReader};
use super::some_scored;
use crate::cli::console::exit::Complaint;
use crate::cli::flags::judge::JudgeArguments;
use fcgen::record::Verdict;
use fcgen::suite::{Replies, ScoreError, VerdictSink};

/// How a suite scores files of predictions.
pub(super) trait Scorer {
    /// What a file is read into.
    type Said;
    /// What is found in a row.
    type Board;

    /// Scores a row.
    fn score(&mut self, row: &Row<'_, Self::Said>, sink: VerdictSink<'_>) -> Result<Self::Board, ScoreError>;

    /// What judges said; none for a suite that asks nobody.
    fn replies(&mut self) -> Option<&mut Replies> {
        None
    }

    /// Begins a pass over all rows: open questions and counts of an earlier pass are dropped.
    fn begin(&mut self) {
        self.replies().into_iter().for_each(Replies::again);
    }

    /// Ends such a pass.
    fn end(&mut self) {}

    /// Whether there is another round: a pass over all rows that collects questions, and the asking.
    fn has_round(&mut self, round: usize, judge: &JudgeArguments) -> bool {
        round == 0 && judge.asks() && self.replies().is_some()
    }

    /// Asks the questions of a round; how many have no answer by then.
    fn ask(&mut self, _round: usize, judge: &JudgeArguments) -> anyhow::Result<usize> {
        self.replies().map_or(Ok(0), |replies| judge.answer_all(replies))
    }

    /// How many items of a row were scored.
    fn scored(board: &Self::Board) -> u64;

    /// Says what people should know of a row besides its figures.
    fn tell(&self, row: &Row<'_, Self::Said>, board: &Self::Board);

    /// The tables and what goes with them.
    fn outcome(&self, rows: &[Row<'_, Self::Said>], boards: &[Self::Board]) -> anyhow::Result<Outcome>;
}

/// Asks in rounds, scores every row, writes the verdicts, and makes the tables.
pub(super) fn drive<S: Scorer>(
    mut scorer: S,
    rows: &[Row<'_, S::Said>],
    has_several_runs: bool,
    arguments: &ScoreArguments,
    reader: Option<VerdictReader<'_>>,
) -> anyhow::Result<Outcome> {
    let (mut round, mut lost) = (0, 0);
    while scorer.has_round(round, &arguments.judge) {
        pass(&mut scorer, rows, None)?;
        lost = scorer.ask(round, &arguments.judge)?;
        round += 1;
    }
    let mut items = arguments.items(has_several_runs)?.read_by(reader);
    let boards = pass(&mut scorer, rows, Some(&mut items))?;
    let found = items.finish()?;
    rows.iter().zip(&boards).for_each(|(row, board)| scorer.tell(row, board));
    some_scored(boards.iter().map(S::scored))?;
    Ok(Outcome { lost, found, ..scorer.outcome(rows, &boards)? })
}

fn pass<S: Scorer>(
    scorer: &mut S,
    rows: &[Row<'_, S::Said>],
    mut items: Option<&mut Items<'_>>,
) -> anyhow::Result<Vec<S::Board>> {
    scorer.begin();
    let mut of_row = |row| {
        let mut put = |it: &dyn Fn() -> Verdict| items.as_mut().map_or(Ok(()), |items| items.put_row(it(), row));
        scorer.score(row, &mut put).map_err(|error| Complaint::input(error).into())
    };
    let boards = rows.iter().map(&mut of_row).collect::<anyhow::Result<_>>()?;
    scorer.end();
    Ok(boards)
}
