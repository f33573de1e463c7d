//! Scoring `HammerBench`.

use super::Outcome;
use super::arguments::{MissingFlag, ParserFlag, ScoreArguments, told};
use super::asked::Asked;
use super::items::{Items, Row, VerdictReader, rows};
use crate::cli::exit::{Complaint, INPUT};
use crate::cli::talk::say;
use crate::cli::words::{counted, thousands};
use fcgen::format::Predictions;
use fcgen::record::{Paradigm, SuiteId, Verdict};
use fcgen::score::hammerbench::upstream::Parser;
use fcgen::suite::hammerbench::{Board, Judgements, Missing, Options, Profile, score, tables};

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
    if boards.iter().all(|board| board.counts.scored == 0) {
        let hint = "ids join them: does each line name a sample of this benchmark? `--locale` picks one of several";
        return Err(Complaint::new(INPUT, "nothing was scored").hint(hint).into());
    }
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
    mut items: Option<&mut Items<'_>>,
) -> anyhow::Result<Vec<Board>> {
    let mut boards = Vec::new();
    for row in rows {
        let mut board = Board::new(&row.name, options.profile);
        let mut put = |it: &dyn Fn() -> Verdict| items.as_mut().map_or(Ok(()), |items| items.put_row(it(), row));
        score(asked.bench(row.file), row.predictions, row.run, &mut board, options, judgements, &mut put)
            .map_err(|error| Complaint::new(INPUT, error.to_string()))?;
        boards.push(board);
    }
    Ok(boards)
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
        missing: match arguments.missing {
            MissingFlag::Fail => Missing::Fail,
            MissingFlag::Skip => Missing::Skip,
        },
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
