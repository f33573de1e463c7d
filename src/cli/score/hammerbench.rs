//! Scoring `HammerBench`.

use super::arguments::{ParserFlag, ScoreArguments, told};
use super::asked::Asked;
use super::items::{Items, Row, VerdictReader, each_row, rows};
use super::{Outcome, some_scored};
use crate::cli::talk::say;
use crate::cli::words::{counted, thousands};
use fcgen::format::Predictions;
use fcgen::record::{Paradigm, SuiteId};
use fcgen::score::hammerbench::upstream::Parser;
use fcgen::suite::hammerbench::{Board, Judgements, Options, Profile, score, tables};

/// Scores every file of predictions, and makes the tables.
pub(super) fn run(
    asked: &Asked,
    arguments: &ScoreArguments,
    reader: Option<VerdictReader<'_>>,
) -> anyhow::Result<Outcome> {
    let options = options(arguments, asked.paradigm)?;
    let files = arguments.open(Predictions::open)?;
    let rows = rows(&files, Predictions::runs);
    let mut judgements = arguments.judge.recorded(SuiteId::HammerBench)?;
    let mut lost = 0;
    if arguments.judge.asks() {
        score_all(asked, &rows, &options, &mut judgements, None)?;
        lost = arguments.judge.ask(&mut judgements)?;
    }
    let mut items = arguments.items(rows.len() > files.len())?.read_by(reader);
    let boards = score_all(asked, &rows, &options, &mut judgements, Some(&mut items))?;
    let found = items.finish()?;
    for (row, board) in rows.iter().zip(&boards) {
        let counts = &board.counts;
        let noted = [
            (counts.missing, "sample", "without a prediction"),
            (counts.transport, "sample", "whose model could not be reached"),
            (counts.unscored, "sample", "that this suite does not score"),
            (counts.undecided, "sample", "that only a judge can decide (`--judge-model`, `--judgements`)"),
        ];
        let predictions = row.predictions;
        told(&board.name, counts.scored, predictions.path(), predictions.faults(), &counts.unreadable, &noted);
    }
    let waiting = judgements.take_open().len();
    if waiting > 0 {
        say(format!("{} without a judgement count as wrong", counted(waiting, "pair")));
    }
    some_scored(boards.iter().map(|board| board.counts.scored))?;
    Ok(Outcome {
        tables: tables(&boards),
        notes: notes(&options, &judgements),
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
    judgements: &mut Judgements,
    items: Option<&mut Items<'_>>,
) -> anyhow::Result<Vec<Board>> {
    each_row(rows, items, |row, put| {
        let mut board = Board::new(&row.name, options.profile);
        score(asked.bench(row.file), row.predictions, row.run, &mut board, options, judgements, put)?;
        Ok(board)
    })
}

fn options(arguments: &ScoreArguments, paradigm: Paradigm) -> anyhow::Result<Options> {
    Ok(Options {
        paradigm,
        profile: arguments.hammerbench_profile()?,
        parser: match arguments.parser {
            ParserFlag::Default => Parser::Default,
            ParserFlag::Ministral => Parser::Ministral,
            ParserFlag::Xlam => Parser::Xlam,
            ParserFlag::Toolace => Parser::Toolace,
        },
        missing: arguments.missing(),
        locale: arguments.locale.clone(),
        chinese_metric: arguments.zh_metric,
    })
}

fn notes(options: &Options, judgements: &Judgements) -> Vec<(&'static str, String)> {
    let intervals =
        "95 %; shares: Wilson; PR: normal; changes of PR, PHR, PMR: normal, paired; of success: Agresti-Min, paired";
    let mut notes = vec![("profile", options.profile.version().to_owned()), ("intervals", intervals.to_owned())];
    if options.profile == Profile::Strict {
        notes.insert(1, ("paradigm", options.paradigm.as_str().to_owned()));
    }
    if judgements.is_asked() {
        notes.push(("judgements", thousands(judgements.used())));
    }
    notes
}
