//! Scoring ComplexFuncBench.

use crate::cli::console::talk::say;
use crate::cli::console::words::{counted, thousands};
use crate::cli::score::Outcome;
use crate::cli::score::arguments::{ScoreArguments, told};
use crate::cli::score::asked::Asked;
use crate::cli::score::drive::{Scorer, drive};
use crate::cli::score::items::{Row, VerdictReader, rows};
use crate::cli::score::likeness::Embedder;
use fcgen::format::Bench;
use fcgen::record::SuiteId;
use fcgen::suite::complexfunc::{Board, Helpers, Options, Recordings, score, tables};
use fcgen::suite::{Question, Replies, ScoreError, VerdictSink};

/// What judges are asked.
const QUESTIONS: [Question; 3] = [Question::SameCall, Question::Complete, Question::Correct];
/// A judgement may show what else is to be judged; so often at most.
const ROUNDS: usize = 80;

struct ComplexFunc<'a> {
    asked: &'a Asked,
    arguments: &'a ScoreArguments,
    options: Options,
    helpers: Helpers,
    /// The model that makes vectors.
    embedder: Option<Embedder>,
    lost: usize,
}

/// Scores every file of predictions, and makes the tables.
pub(crate) fn run(
    bench: &Bench,
    asked: &Asked,
    arguments: &ScoreArguments,
    reader: Option<VerdictReader<'_>>,
) -> anyhow::Result<Outcome> {
    let options = options(bench, arguments)?;
    let files = arguments.open(Recordings::open)?;
    let rows = rows(&files, Recordings::runs);
    let embedder = arguments.trajectories.embedder()?;
    let mut helpers = Helpers::from(arguments.judge.replies(&arguments.repair, SuiteId::ComplexFuncBench)?);
    for question in QUESTIONS.into_iter().filter(|_| arguments.judge.asks()) {
        helpers.replies.ask_for(question);
    }
    let scorer = ComplexFunc { asked, arguments, options, helpers, embedder, lost: 0 };
    drive(scorer, &rows, rows.len() > files.len(), arguments, reader)
}

impl Scorer for ComplexFunc<'_> {
    type Said = Recordings;
    type Board = Board;

    fn score(&mut self, row: &Row<'_, Recordings>, sink: VerdictSink<'_>) -> Result<Board, ScoreError> {
        let mut board = Board::new(&row.name, self.options.profile);
        let bench = self.asked.bench(row.file);
        score(bench, row.predictions, row.run, &mut board, &self.options, &mut self.helpers, sink)?;
        Ok(board)
    }

    fn begin(&mut self) {
        self.helpers.again();
    }

    fn has_round(&mut self, round: usize) -> bool {
        round < ROUNDS && (self.arguments.judge.asks() || self.embedder.is_some())
    }

    /// Asks the judge, and the model that makes vectors, until nothing waits: what is said of a call decides what comes
    /// next, and so what is asked.
    fn ask(&mut self, _: usize) -> anyhow::Result<bool> {
        // What waits while calls are not alike is asked by a guess, and may never be needed: vectors go first.
        if self.embedder.as_ref().map_or(Ok(false), |embedder| embedder.embed(&mut self.helpers.embedded))? {
            return Ok(true);
        }
        let judge = &self.arguments.judge;
        let open = if judge.asks() { self.helpers.replies.take_all() } else { Vec::new() };
        self.lost = judge.answer_all(&open, &mut self.helpers.replies)?;
        Ok(self.lost < open.len())
    }

    fn scored(board: &Board) -> u64 {
        board.counts.coverage.scored
    }

    fn tell(&self, row: &Row<'_, Recordings>, board: &Board) {
        let counts = &board.counts;
        let noted = [
            (counts.not_recorded, "sample", "that the authors' evaluator writes no result of"),
            (counts.crashed, "sample", "at which the authors' evaluator would break off"),
            (counts.unjudged, "answer", "that a judge said nothing usable about"),
        ];
        let predictions = row.predictions;
        told(&board.name, &counts.coverage, predictions.path(), predictions.faults(), &noted);
    }

    fn outcome(&self, _: &[Row<'_, Recordings>], boards: &[Board]) -> anyhow::Result<Outcome> {
        if self.helpers.waiting() > 0 {
            let waiting = counted(self.helpers.waiting(), "question");
            say(format!("{waiting} without an answer: not the same, and no points"));
        }
        Ok(Outcome {
            tables: tables(boards),
            notes: notes(&self.options, &self.helpers.replies),
            lost: self.lost,
            unscored: boards.iter().map(|board| board.counts.coverage.unscored).sum(),
            ..Outcome::default()
        })
    }
}

fn options(bench: &Bench, arguments: &ScoreArguments) -> anyhow::Result<Options> {
    Ok(Options {
        profile: arguments.complexfunc_profile()?,
        settings: arguments.trajectories.settings(&bench.folder())?.into(),
        answers: arguments.trajectories.answers()?,
        judge: arguments.trajectories.judge(&bench.folder()),
        missing: arguments.missing(),
        locale: arguments.locale.clone(),
        traces: arguments.trajectories.traces(),
    })
}

fn notes(options: &Options, replies: &Replies) -> Vec<(&'static str, String)> {
    let intervals = "95 %; shares: Wilson, as if calls and turns were independent; means: normal";
    let mut notes = vec![("profile", options.profile.version()), ("intervals", intervals.to_owned())];
    for (name, question) in [("judgements of calls", Question::SameCall), ("judgements of answers", Question::Correct)]
    {
        if replies.is_asked(question) {
            notes.push((name, thousands(replies.used(question))));
        }
    }
    notes
}
