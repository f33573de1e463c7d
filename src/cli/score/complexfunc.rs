//! Scoring ComplexFuncBench.

use super::arguments::{MissingFlag, ScoreArguments, told};
use super::items::Items;
use crate::cli::exit::{Complaint, ENDPOINT, INPUT, OK};
use crate::cli::talk::{give, say};
use crate::cli::words::{counted, thousands};
use fcgen::format::Bench;
use fcgen::record::Object;
use fcgen::report::write;
use fcgen::suite::callnavi::{Question, Replies};
use fcgen::suite::complexfunc::{Board, Missing, Options, Recordings, score, tables};

/// What judges are asked.
const QUESTIONS: [Question; 3] = [Question::SameCall, Question::Complete, Question::Correct];
/// A judgement may show what else is to be judged; so often at most.
const ROUNDS: usize = 40;

/// Scores every file of predictions, and shows the tables.
pub(super) fn run(bench: &Bench, arguments: &ScoreArguments) -> anyhow::Result<u8> {
    let options = options(bench, arguments)?;
    let files = arguments.open(Recordings::open)?;
    let mut replies = arguments.judge.replies(&arguments.repair)?;
    let lost = ask(bench, &files, &options, arguments, &mut replies)?;
    let mut items = arguments.items()?;
    let boards = score_all(bench, &files, &options, &mut replies, items.as_mut())?;
    if let Some(items) = items {
        items.finish()?;
    }
    tell(&files, &boards);
    if replies.waiting() > 0 {
        say(format!("{} without an answer: not the same, and no points", counted(replies.waiting(), "question")));
    }
    if boards.iter().all(|board| board.counts.scored == 0) {
        let hint = "ids join them: does each line name a sample of this benchmark? `--locale` picks one of several";
        return Err(Complaint::new(INPUT, "nothing was scored").hint(hint).into());
    }
    give(write(&tables(&boards), &notes(&options, &replies), arguments.form())?)?;
    Ok(if lost > 0 { ENDPOINT } else { OK })
}

/// Asks the judge until nothing waits: what it says of a call decides what the model does next, and so what is asked.
fn ask(
    bench: &Bench,
    files: &[(String, Recordings)],
    options: &Options,
    arguments: &ScoreArguments,
    replies: &mut Replies,
) -> anyhow::Result<usize> {
    let mut lost = 0;
    let rounds = if arguments.judge.asks() { ROUNDS } else { 0 };
    for _ in 0..rounds {
        for question in QUESTIONS {
            replies.ask_for(question);
        }
        score_all(bench, files, options, replies, None)?;
        let open = replies.take_all();
        let waiting = open.len();
        lost = arguments.judge.answer_all(&open, replies)?;
        if lost == waiting {
            break;
        }
    }
    Ok(lost)
}

fn score_all(
    bench: &Bench,
    files: &[(String, Recordings)],
    options: &Options,
    replies: &mut Replies,
    mut items: Option<&mut Items>,
) -> anyhow::Result<Vec<Board>> {
    replies.again();
    let mut boards = Vec::new();
    let rows = files.iter().flat_map(|(name, predictions)| {
        let runs = predictions.runs();
        let several = runs.len() > 1;
        runs.into_iter()
            .map(move |run| (if several { format!("{name} #{run}") } else { name.clone() }, predictions, run))
    });
    for (name, predictions, run) in rows {
        let mut board = Board::new(&name, options.profile);
        let mut put = |line: Object| items.as_mut().map_or(Ok(()), |items| items.put(line, &name, files.len() > 1));
        score(bench, predictions, run, &mut board, options, replies, &mut put)
            .map_err(|error| Complaint::new(INPUT, error.to_string()))?;
        boards.push(board);
    }
    Ok(boards)
}

fn tell(files: &[(String, Recordings)], boards: &[Board]) {
    let of_run = files.iter().flat_map(|(_, it)| it.runs().into_iter().map(move |_| it));
    for (predictions, board) in of_run.zip(boards) {
        let counts = &board.counts;
        let noted = [
            (counts.missing, "sample", "without a prediction"),
            (counts.transport, "sample", "whose model could not be reached"),
            (counts.unscored, "sample", "that this suite does not score"),
            (counts.not_recorded, "sample", "that the authors' evaluator writes no result of"),
            (counts.crashed, "sample", "at which the authors' evaluator would break off"),
            (counts.unjudged, "answer", "that a judge said nothing usable about"),
        ];
        told(&board.name, counts.scored, predictions.path(), predictions.faults(), &counts.unreadable, &noted);
    }
}

fn options(bench: &Bench, arguments: &ScoreArguments) -> anyhow::Result<Options> {
    Ok(Options {
        profile: arguments.complexfunc_profile()?,
        settings: arguments.trajectories.settings(&bench.folder())?.into(),
        answers: arguments.trajectories.answers()?,
        judge: arguments.trajectories.judge(&bench.folder()),
        missing: match arguments.missing {
            MissingFlag::Fail => Missing::Fail,
            MissingFlag::Skip => Missing::Skip,
        },
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
