//! Scoring FunctionChat-Bench.

use super::arguments::{ScoreArguments, told};
use super::asked::Asked;
use super::items::{Items, Row, VerdictReader, each_row, rows};
use super::{Outcome, some_scored};
use crate::cli::exit::{Complaint, INPUT};
use crate::cli::talk::say;
use crate::cli::words::{counted, thousands};
use fcgen::format::{Bench, Predictions};
use fcgen::record::{SuiteId, Value};
use fcgen::suite::callnavi::Replies;
use fcgen::suite::functionchat::{Board, Options, QUESTIONS, Review, odd_dialog_turns, score, tables, totals};
use std::path::Path;

/// Scores every file of predictions, and makes the tables.
pub(super) fn run(
    bench: &Bench,
    asked: &Asked,
    arguments: &ScoreArguments,
    reader: Option<VerdictReader<'_>>,
) -> anyhow::Result<Outcome> {
    let mut options = options(arguments)?;
    let files = arguments.open(Predictions::open)?;
    let rows = rows(&files, |predictions| {
        let runs = predictions.runs();
        // A file without a line still misses every sample.
        if runs.is_empty() { vec![0] } else { runs }
    });
    let mut replies = arguments.judge.replies(&arguments.repair, SuiteId::FunctionChat)?;
    let mut lost = 0;
    if arguments.judge.asks() {
        for question in QUESTIONS {
            replies.ask_for(question);
        }
        score_all(asked, &rows, &options, &mut replies, None)?;
        let open = replies.take_all();
        lost = arguments.judge.answer_all(&open, &mut replies)?;
    }
    options.keeps_rows = arguments.chats.sheet().is_some();
    let mut items = arguments.items(rows.len() > files.len())?.read_by(reader);
    let boards = score_all(asked, &rows, &options, &mut replies, Some(&mut items))?;
    let found = items.finish()?;
    tell(&rows, &boards);
    some_scored(boards.iter().map(|board| board.counts.scored))?;
    put_files(&boards, arguments)?;
    Ok(Outcome {
        tables: tables(&boards),
        notes: notes(bench, &options, &boards)?,
        lost,
        found,
        unscored: boards.iter().map(|board| board.counts.unscored).sum(),
        ..Outcome::default()
    })
}

fn score_all(
    asked: &Asked,
    rows: &[Row<'_, Predictions>],
    options: &Options,
    replies: &mut Replies,
    items: Option<&mut Items<'_>>,
) -> anyhow::Result<Vec<Board>> {
    replies.again();
    each_row(rows, items, |row, put| {
        let mut board = Board::new(&row.name, options.profile);
        score(asked.bench(row.file), row.predictions, row.run, &mut board, options, replies, put)?;
        Ok(board)
    })
}

/// The sheet for people, and the totals for programs.
fn put_files(boards: &[Board], arguments: &ScoreArguments) -> anyhow::Result<()> {
    if let Some(path) = arguments.chats.sheet() {
        let rows = boards.iter().flat_map(|board| board.rows.iter().map(|row| (board.name.as_str(), row)));
        let count = Review::write(path, rows).map_err(Complaint::from)?;
        say(format!(
            "{} to look at in {}; fill in the column `human` and give it back with `--review`",
            counted(count, "verdict"),
            path.display()
        ));
    }
    if let Some(path) = arguments.chats.totals() {
        let all: Vec<Value> = boards.iter().map(|board| Value::Object(totals(board))).collect();
        let [one] = all.as_slice() else { return put_totals(path, &Value::List(all)) };
        put_totals(path, one)?;
    }
    Ok(())
}

fn put_totals(path: &Path, totals: &Value) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(totals)? + "\n";
    let cannot = |error| Complaint::new(INPUT, format!("cannot write `{}`: {error}", path.display()));
    Ok(std::fs::write(path, text).map_err(cannot)?)
}

fn tell(rows: &[Row<'_, Predictions>], boards: &[Board]) {
    for (row, board) in rows.iter().zip(boards) {
        let counts = &board.counts;
        let unjudged: u64 = board.unjudged.values().sum();
        let noted = [
            (counts.missing, "sample", "without a prediction"),
            (counts.transport, "sample", "whose model could not be reached"),
            (counts.unscored, "sample", "that this suite does not score"),
            (counts.aborted, "answer", "at which the authors' program would break off"),
            (board.judged().unparsed, "verdict", "that cannot be read"),
            (unjudged, "turn", "that only a judge could decide (`--judge-model`, `--judgements`)"),
        ];
        let predictions = row.predictions;
        told(&board.name, counts.scored, predictions.path(), predictions.faults(), &counts.unreadable, &noted);
    }
}

fn options(arguments: &ScoreArguments) -> anyhow::Result<Options> {
    let chats = &arguments.chats;
    Ok(Options {
        profile: arguments.functionchat_profile()?,
        missing: arguments.missing(),
        locale: arguments.locale.clone(),
        scope: chats.scope(),
        votes: chats.votes(),
        same: chats.same(),
        takes_empty: chats.takes_empty(),
        review: chats.review()?,
        keeps_rows: false,
    })
}

fn notes(bench: &Bench, options: &Options, boards: &[Board]) -> anyhow::Result<Vec<(&'static str, String)>> {
    let intervals = "95 %, Wilson, as if turns were independent; of means from those of their parts";
    let mut notes = vec![("profile", options.profile.version().to_owned()), ("intervals", intervals.to_owned())];
    if boards.iter().any(|board| board.has_judge) {
        let replies = boards.iter().map(|board| board.judged().replies).sum();
        let votes = if options.votes > 1 { format!(", {} votes for each turn", options.votes) } else { String::new() };
        notes.push(("replies of judges", format!("{}{votes}", thousands(replies))));
    }
    if let Some((turns, divisor)) = odd_dialog_turns(boards) {
        notes.push((
            "dialogs",
            format!(
                "the authors' rules divide by {divisor} turns; here are {turns}, so that \"Micro\" is no share of them"
            ),
        ));
    }
    if let Bench::Functionchat(files) = bench {
        let hash = |file: &fcgen::format::functionchat::ChatFile| {
            let hash = file.sha256().map_err(Complaint::input)?;
            Ok(format!("{} {hash}", file.path.file_name().unwrap_or_default().to_string_lossy()))
        };
        let hashes = files.iter().map(hash).collect::<Result<Vec<_>, Complaint>>()?;
        notes.push(("sha256", hashes.join(", ")));
    }
    Ok(notes)
}
