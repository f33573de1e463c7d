//! Scoring ComplexFuncBench.

use super::arguments::{ScoreArguments, told};
use super::asked::Asked;
use super::items::{Items, Row, VerdictReader, each_row, rows};
use super::likeness::Embedder;
use super::{Outcome, some_scored};
use crate::cli::judge::JudgeArguments;
use crate::cli::talk::say;
use crate::cli::words::{counted, thousands};
use fcgen::format::Bench;
use fcgen::record::SuiteId;
use fcgen::suite::callnavi::{Question, Replies};
use fcgen::suite::complexfunc::{Board, Helpers, Options, Recordings, score, tables};

/// What judges are asked.
const QUESTIONS: [Question; 3] = [Question::SameCall, Question::Complete, Question::Correct];
/// A judgement may show what else is to be judged; so often at most.
const ROUNDS: usize = 80;

/// Scores every file of predictions, and makes the tables.
pub(super) fn run(
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
    let lost = ask(asked, &rows, &options, (&arguments.judge, embedder.as_ref()), &mut helpers)?;
    let mut items = arguments.items(rows.len() > files.len())?.read_by(reader);
    let boards = score_all(asked, &rows, &options, &mut helpers, Some(&mut items))?;
    let found = items.finish()?;
    tell(&rows, &boards);
    if helpers.waiting() > 0 {
        say(format!("{} without an answer: not the same, and no points", counted(helpers.waiting(), "question")));
    }
    some_scored(boards.iter().map(|board| board.counts.scored))?;
    Ok(Outcome {
        tables: tables(&boards),
        notes: notes(&options, &helpers.replies),
        lost,
        found,
        unscored: boards.iter().map(|board| board.counts.unscored).sum(),
        ..Outcome::default()
    })
}

/// Asks the judge, and the model that makes vectors, until nothing waits: what is said of a call decides what comes next,
/// and so what is asked. The number of questions that got no answer.
fn ask(
    asked: &Asked,
    rows: &[Row<'_, Recordings>],
    options: &Options,
    (judge, embedder): (&JudgeArguments, Option<&Embedder>),
    helpers: &mut Helpers,
) -> anyhow::Result<usize> {
    let mut lost = 0;
    let rounds = if judge.asks() || embedder.is_some() { ROUNDS } else { 0 };
    for question in QUESTIONS.into_iter().filter(|_| judge.asks()) {
        helpers.replies.ask_for(question);
    }
    for _ in 0..rounds {
        score_all(asked, rows, options, helpers, None)?;
        // What waits while calls are not alike is asked by a guess, and may never be needed: vectors go first.
        if embedder.map_or(Ok(false), |embedder| embedder.embed(&mut helpers.embedded))? {
            continue;
        }
        let open = if judge.asks() { helpers.replies.take_all() } else { Vec::new() };
        lost = judge.answer_all(&open, &mut helpers.replies)?;
        if lost == open.len() {
            break;
        }
    }
    Ok(lost)
}

fn score_all(
    asked: &Asked,
    rows: &[Row<'_, Recordings>],
    options: &Options,
    helpers: &mut Helpers,
    items: Option<&mut Items<'_>>,
) -> anyhow::Result<Vec<Board>> {
    helpers.again();
    each_row(rows, items, |row, put| {
        let mut board = Board::new(&row.name, options.profile);
        score(asked.bench(row.file), row.predictions, row.run, &mut board, options, helpers, put)?;
        Ok(board)
    })
}

fn tell(rows: &[Row<'_, Recordings>], boards: &[Board]) {
    for (row, board) in rows.iter().zip(boards) {
        let counts = &board.counts;
        let noted = [
            (counts.missing, "sample", "without a prediction"),
            (counts.transport, "sample", "whose model could not be reached"),
            (counts.unscored, "sample", "that this suite does not score"),
            (counts.not_recorded, "sample", "that the authors' evaluator writes no result of"),
            (counts.crashed, "sample", "at which the authors' evaluator would break off"),
            (counts.unjudged, "answer", "that a judge said nothing usable about"),
        ];
        let predictions = row.predictions;
        told(&board.name, counts.scored, predictions.path(), predictions.faults(), &counts.unreadable, &noted);
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
