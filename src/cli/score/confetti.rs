//! Scoring CONFETTI.

use super::arguments::{ScoreArguments, told};
use super::asked::Asked;
use super::items::{self, Items, Row, VerdictReader};
use super::likeness::StringArguments;
use super::{Outcome, some_scored};
use crate::cli::exit::{Complaint, USAGE};
use crate::cli::words::thousands;
use clap::{Args, ValueEnum};
use fcgen::record::{SuiteId, Value, Verdict};
use fcgen::score::confetti::{Combine, Measure};
use fcgen::suite::bfcl::{Profile, Results};
use fcgen::suite::callnavi::{Question, Replies};
use fcgen::suite::confetti::{Board, Gold, Helpers, Options, Reference, reference, score, summary, tables};

/// Flags of CONFETTI.
#[derive(Debug, Args)]
pub(crate) struct ConfettiArguments {
    #[command(flatten)]
    strings: StringArguments,
    /// How the scores of a call's strings become one
    #[arg(help_heading = "CONFETTI", long, value_name = "HOW", default_value = "product")]
    combine: CombineFlag,
    /// Have the judge look for arguments that were made up, in predictions and in the gold
    #[arg(help_heading = "CONFETTI", long)]
    validity: bool,
    /// Measure the judge that classifies dialog acts by what the agents of the data say
    #[arg(help_heading = "CONFETTI", long)]
    classify_gold: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CombineFlag {
    /// All must be right
    Product,
    /// Never comparable with published figures
    Mean,
}

/// The runs of the files of results, each with what is right of the items that it was asked.
type Rows<'f> = [(Row<'f, Results>, &'f Gold)];

/// Scores every file of results, and makes the tables.
pub(super) fn run(
    asked: &Asked,
    arguments: &ScoreArguments,
    reader: Option<VerdictReader<'_>>,
) -> anyhow::Result<Outcome> {
    let options = options(arguments)?;
    let files = arguments.open(Results::open)?;
    let repaired = options.profile == Profile::Strict;
    let read = |bench| Gold::read(bench, arguments.locale.as_deref(), repaired).map_err(Complaint::from);
    let golds = asked.parts().iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let mut rows: Vec<(Row<'_, Results>, &Gold)> = Vec::new();
    for row in items::rows(&files, Results::runs) {
        let gold = &golds[asked.place(row.file)];
        rows.push((row, gold));
    }
    let mut helpers = Helpers::from(arguments.judge.replies(&arguments.repair, SuiteId::Confetti)?);
    let lost = ask(&rows, &options, arguments, &mut helpers)?;
    let mut items = arguments.items(rows.len() > files.len())?.read_by(reader);
    let (boards, reference) = score_all(&rows, &options, &mut helpers, Some(&mut items))?;
    let found = items.finish()?;
    tell(&rows, &boards);
    some_scored(boards.iter().map(|board| board.scored() + board.acts.unclassified))?;
    let notes = notes(&options, &helpers.replies);
    let unscored = rows.iter().map(|(_, gold)| gold.unscored).sum();
    let further = vec![("summary", summaries(&boards, &reference)?)];
    Ok(Outcome { tables: tables(&boards, &reference), notes, further, lost, found, unscored, ..Outcome::default() })
}

/// Asks whoever is wanted about all that the rules leave open; the number of questions to the judge that got no answer.
fn ask(rows: &Rows<'_>, options: &Options, arguments: &ScoreArguments, helpers: &mut Helpers) -> anyhow::Result<usize> {
    let (judge, measure) = (&arguments.judge, options.string_score.measure);
    let scorer = arguments.confetti.strings.scorer(measure, &arguments.trajectories)?;
    let wanted = [
        (Question::DialogActs, judge.judges()),
        (Question::Validity, options.validity),
        (Question::TextScore, measure == Measure::Judge),
    ];
    for (question, _) in wanted.into_iter().filter(|(_, is_wanted)| *is_wanted) {
        helpers.replies.ask_for(question);
    }
    if !judge.asks() && scorer.is_none() {
        return Ok(0);
    }
    score_all(rows, options, helpers, None)?;
    if let Some(scorer) = scorer {
        scorer.fill(helpers)?;
    }
    let open = if judge.asks() { helpers.replies.take_all() } else { Vec::new() };
    judge.answer_all(&open, &mut helpers.replies)
}

fn score_all(
    rows: &Rows<'_>,
    options: &Options,
    helpers: &mut Helpers,
    mut items: Option<&mut Items<'_>>,
) -> anyhow::Result<(Vec<Board>, Reference)> {
    helpers.again();
    let mut boards = Vec::new();
    for (row, gold) in rows {
        let mut board = Board::new(&row.name, options);
        let mut put = |it: &dyn Fn() -> Verdict| items.as_mut().map_or(Ok(()), |items| items.put_row(it(), row));
        score(gold, row.predictions, row.run, &mut board, options, helpers, &mut put)?;
        boards.push(board);
    }
    let reference = rows.first().map(|(_, gold)| reference(gold, options, helpers)).unwrap_or_default();
    Ok((boards, reference))
}

fn tell(rows: &Rows<'_>, boards: &[Board]) {
    for ((row, gold), board) in rows.iter().zip(boards) {
        let noted = [
            (board.missing, "call", "without a prediction"),
            (board.acts.missing, "turn", "without a prediction"),
            (board.unknown, "prediction", "for items that are not there"),
            (board.unreachable.len() as u64, "item", "whose model could not be reached"),
            (board.unscored.len() as u64, "call", "with a string that nobody has scored"),
            (board.acts.unclassified, "turn", "whose dialog acts nobody has named (`--judge-model`, `--judgements`)"),
            (board.acts.unknown.values().sum(), "label", "that is no dialog act"),
            (board.validity.unjudged, "argument", "that nobody has judged"),
            (gold.unscored, "sample", "that this suite does not score"),
        ];
        told(&board.name, board.scored(), row.predictions.path(), &board.faults, &[], &noted);
    }
}

fn options(arguments: &ScoreArguments) -> anyhow::Result<Options> {
    let own = &arguments.confetti;
    let string_score = own.strings.score()?;
    let judged = [
        (own.validity, "--validity"),
        (own.classify_gold, "--classify-gold"),
        (string_score.measure == Measure::Judge, "--string-score judge"),
    ];
    if let Some((_, flag)) = judged.into_iter().find(|(is_wanted, _)| *is_wanted && !arguments.judge.judges()) {
        let complaint = Complaint::new(USAGE, format!("`{flag}` needs a judge"));
        return Err(complaint
            .hint("name it with `--judge-model` and `--judge-base-url`, or what it said with `--judgements`")
            .into());
    }
    let combine = match own.combine {
        CombineFlag::Product => Combine::Product,
        CombineFlag::Mean => Combine::Mean,
    };
    let missing = arguments.missing();
    let (validity, classifies_gold) = (own.validity, own.classify_gold);
    Ok(Options { profile: arguments.bfcl_profile()?, string_score, combine, missing, validity, classifies_gold })
}

fn notes(options: &Options, replies: &Replies) -> Vec<(&'static str, String)> {
    let mut notes = options.rule().notes();
    let intervals =
        "95 %; shares: Wilson, as if items were independent; means: normal; F1: from both ends of its parts";
    notes.push(("intervals", intervals.to_owned()));
    for (name, question) in [
        ("judgements of strings", Question::TextScore),
        ("judgements of arguments", Question::Validity),
        ("judgements of dialog acts", Question::DialogActs),
    ] {
        if replies.is_asked(question) {
            notes.push((name, thousands(replies.used(question))));
        }
    }
    notes
}

/// One object, or a list of several.
fn summaries(boards: &[Board], reference: &Reference) -> anyhow::Result<serde_json::Value> {
    let mut all: Vec<Value> = boards.iter().map(|board| Value::Object(summary(board, reference))).collect();
    let shown = if all.len() == 1 { all.remove(0) } else { Value::List(all) };
    Ok(serde_json::to_value(shown)?)
}
