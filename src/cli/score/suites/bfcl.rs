//! Scoring BFCL.

use crate::cli::console::exit::Complaint;
use crate::cli::console::talk::say;
use crate::cli::console::words::counted;
use crate::cli::score::Outcome;
use crate::cli::score::arguments::{ScoreArguments, told};
use crate::cli::score::asked::Asked;
use crate::cli::score::drive::{Scorer, drive};
use crate::cli::score::items::{Row, VerdictReader, rows};
use fcgen::suite::bfcl::{Board, Gold, Options, Results, score, tables};
use fcgen::suite::{ScoreError, VerdictSink};

struct Bfcl<'a> {
    asked: &'a Asked,
    /// What is right in each part of the benchmark that was asked.
    golds: Vec<Gold>,
    options: Options,
}

/// Scores every file of results, and makes the tables.
pub(crate) fn run(
    asked: &Asked,
    arguments: &ScoreArguments,
    reader: Option<VerdictReader<'_>>,
) -> anyhow::Result<Outcome> {
    let options = options(arguments)?;
    let files = arguments.open(Results::open)?;
    let read = |bench| Gold::read(bench, arguments.locale.as_deref()).map_err(Complaint::from);
    let golds = asked.parts().iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let rows = rows(&files, Results::runs);
    drive(Bfcl { asked, golds, options }, &rows, rows.len() > files.len(), arguments, reader)
}

impl Scorer for Bfcl<'_> {
    type Said = Results;
    type Board = Board;

    fn score(&mut self, row: &Row<'_, Results>, sink: VerdictSink<'_>) -> Result<Board, ScoreError> {
        let mut board = Board::new(&row.name, self.options.profile);
        let gold = &self.golds[self.asked.place(row.file)];
        score(gold, row.predictions, row.run, &mut board, self.options, sink)?;
        Ok(board)
    }

    fn scored(board: &Board) -> u64 {
        board.counts.coverage.scored
    }

    fn tell(&self, row: &Row<'_, Results>, board: &Board) {
        let (gold, counts) = (&self.golds[self.asked.place(row.file)], &board.counts);
        let noted = [
            (counts.unknown, "prediction", "for unknown items"),
            (counts.repeated, "prediction", "for items that already have one, ignored"),
            (counts.unscorable, "item", "that cannot be scored"),
            (gold.elsewhere, "item", "in categories that are not scored here"),
        ];
        told(&board.name, &counts.coverage, row.predictions.path(), &counts.faults, &noted);
        if !gold.broken.is_empty() {
            let first: Vec<String> = gold.broken.iter().take(8).map(|id| format!("`{id}`")).collect();
            say(format!("  {} without accepted answers: {}", counted(gold.broken.len(), "item"), first.join(", ")));
        }
    }

    fn outcome(&self, _: &[Row<'_, Results>], boards: &[Board]) -> anyhow::Result<Outcome> {
        Ok(Outcome { tables: tables(boards), notes: notes(self.options), ..Outcome::default() })
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
