//! Scoring CONFETTI.

use super::arguments::{MissingFlag, ScoreArguments, told};
use crate::cli::exit::{Complaint, INPUT, OK, USAGE};
use crate::cli::talk::give;
use clap::{Args, ValueEnum};
use fcgen::format::Bench;
use fcgen::record::Object;
use fcgen::report::write;
use fcgen::score::confetti::Combine;
use fcgen::suite::bfcl::{Missing, Profile, Results};
use fcgen::suite::confetti::{Board, Gold, Options, score, string_score, tables};

/// Flags of CONFETTI.
#[derive(Debug, Args)]
pub(crate) struct ConfettiArguments {
    /// CONFETTI: how strings are scored: exact, `token_f1`, `rouge_l`, chrf, and the last three after `guarded_`
    #[arg(long, value_name = "S", default_value = "guarded_token_f1")]
    string_score: String,
    /// CONFETTI: how the scores of a call's strings become one
    #[arg(long, value_name = "HOW", default_value = "product")]
    combine: CombineFlag,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CombineFlag {
    /// All must be right
    Product,
    /// Never comparable with published figures
    Mean,
}

/// Scores every file of results, and shows the tables.
pub(super) fn run(bench: &Bench, arguments: &ScoreArguments) -> anyhow::Result<u8> {
    let options = options(arguments)?;
    let files = arguments.open(Results::open)?;
    let repaired = options.profile == Profile::Strict;
    let gold = Gold::read(bench, arguments.locale.as_deref(), repaired).map_err(Complaint::from)?;
    let mut items = arguments.items()?;
    let mut boards = Vec::new();
    for (name, results) in &files {
        let mut board = Board::new(name, options.profile);
        let mut put = |line: Object| items.as_mut().map_or(Ok(()), |items| items.put(line, name, files.len() > 1));
        score(&gold, results, &mut board, &options, &mut put)?;
        tell(&gold, results, &board);
        boards.push(board);
    }
    if let Some(items) = items {
        items.finish()?;
    }
    if boards.iter().all(|board| board.ast.of + board.acts.matched.of == 0) {
        let hint = "ids join them: does each line name an item of this benchmark?";
        return Err(Complaint::new(INPUT, "nothing was scored").hint(hint).into());
    }
    give(write(&tables(&boards), &notes(&options), arguments.form())?)?;
    Ok(OK)
}

fn tell(gold: &Gold, results: &Results, board: &Board) {
    let noted = [
        (board.missing, "call", "without a prediction"),
        (board.unknown, "prediction", "for items that are not there"),
        (board.transport, "item", "whose model could not be reached"),
        (board.acts.unclassified, "turn", "whose dialog acts nobody has named"),
        (gold.unscored, "sample", "that this suite does not score"),
    ];
    told(&board.name, board.ast.of + board.acts.matched.of, results.path(), &board.faults, &[], &noted);
}

fn options(arguments: &ScoreArguments) -> anyhow::Result<Options> {
    let own = &arguments.confetti;
    let string_score = string_score(&own.string_score).map_err(|error| Complaint::new(USAGE, error.to_string()))?;
    let combine = match own.combine {
        CombineFlag::Product => Combine::Product,
        CombineFlag::Mean => Combine::Mean,
    };
    let missing = match arguments.missing {
        MissingFlag::Fail => Missing::Fail,
        MissingFlag::Skip => Missing::Skip,
    };
    Ok(Options { profile: arguments.bfcl_profile()?, string_score, combine, missing })
}

fn notes(options: &Options) -> Vec<(&'static str, String)> {
    let combine = if options.combine == Combine::Product { "product" } else { "mean" };
    vec![
        ("calls", options.profile.version()),
        ("chains", format!("confetti, version 1: product over calls; {combine} over strings")),
        ("string_score", options.string_score.name()),
        ("intervals", "95 %; shares: Wilson; means: normal".to_owned()),
    ]
}
