//! Scoring BFCL.

use super::arguments::{ScoreArguments, told};
use super::asked::Asked;
use super::items::{Items, Row, VerdictReader, rows};
use super::{Outcome, some_scored};
use crate::cli::exit::Complaint;
use crate::cli::talk::say;
use crate::cli::words::counted;
use fcgen::record::Verdict;
use fcgen::suite::bfcl::{Board, Gold, Options, Results, score, tables};

/// Scores every file of results, and makes the tables.
pub(super) fn run(
    asked: &Asked,
    arguments: &ScoreArguments,
    reader: Option<VerdictReader<'_>>,
) -> anyhow::Result<Outcome> {
    let options = options(arguments)?;
    let files = arguments.open(Results::open)?;
    let read = |bench| Gold::read(bench, arguments.locale.as_deref()).map_err(Complaint::from);
    let golds = asked.parts().iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let rows = rows(&files, Results::runs);
    let mut items = arguments.items(rows.len() > files.len())?.read_by(reader);
    let mut boards = Vec::new();
    for row in &rows {
        let mut board = Board::new(&row.name, options.profile);
        let gold = &golds[asked.place(row.file)];
        one(gold, row, &mut board, options, &mut items)?;
        tell(gold, row.predictions, &board);
        boards.push(board);
    }
    let found = items.finish()?;
    some_scored(boards.iter().map(|board| board.counts.scored))?;
    Ok(Outcome { tables: tables(&boards), notes: notes(options), found, ..Outcome::default() })
}

fn one(
    gold: &Gold,
    row: &Row<'_, Results>,
    board: &mut Board,
    options: Options,
    items: &mut Items<'_>,
) -> anyhow::Result<()> {
    let mut put = |verdict: &dyn Fn() -> Verdict| items.put_row(verdict(), row);
    score(gold, row.predictions, row.run, board, options, &mut put)?;
    Ok(())
}

fn tell(gold: &Gold, results: &Results, board: &Board) {
    let counts = &board.counts;
    let noted = [
        (counts.missing, "item", "without a prediction"),
        (counts.unknown, "prediction", "for items that are not there"),
        (counts.repeated, "prediction", "for items that have one already, left out"),
        (counts.transport, "item", "whose model could not be reached"),
        (counts.unscorable, "item", "that no prediction can be judged by"),
        (gold.elsewhere, "item", "of categories that are not judged here"),
    ];
    told(&board.name, counts.scored, results.path(), &counts.faults, &[], &noted);
    if !gold.broken.is_empty() {
        let first: Vec<String> = gold.broken.iter().take(8).map(|id| format!("`{id}`")).collect();
        say(format!("  {} without accepted answers: {}", counted(gold.broken.len(), "item"), first.join(", ")));
    }
}

fn options(arguments: &ScoreArguments) -> anyhow::Result<Options> {
    let missing = arguments.missing();
    Ok(Options { profile: arguments.bfcl_profile()?, missing, underscores: arguments.underscore_to_dot })
}

fn notes(options: Options) -> Vec<(&'static str, String)> {
    let underscores = if options.underscores { "on where results do not say" } else { "off where results do not say" };
    vec![
        ("profile", options.profile.version()),
        ("underscore_to_dot", underscores.to_owned()),
        ("intervals", "95 %, Wilson".to_owned()),
    ]
}
