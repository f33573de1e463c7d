//! Scoring CONFETTI.

use crate::cli::console::exit::{Complaint, USAGE};
use crate::cli::console::words::thousands;
use crate::cli::flags::judge::JudgeArguments;
use crate::cli::score::Outcome;
use crate::cli::score::arguments::{ScoreArguments, told};
use crate::cli::score::asked::Asked;
use crate::cli::score::drive::{Scorer, drive};
use crate::cli::score::items::{Row, VerdictReader, rows};
use crate::cli::score::likeness::{Scorer as StringScorer, StringArguments};
use clap::{Args, ValueEnum};
use fcgen::record::{SuiteId, Value};
use fcgen::suite::bfcl::{Profile, Results};
use fcgen::suite::confetti::metric::{Combine, Measure};
use fcgen::suite::confetti::{Board, Gold, Helpers, Options, Reference, reference, score, summary, tables};
use fcgen::suite::{Coverage, Question, Replies, ScoreError, VerdictSink};

/// Flags of CONFETTI.
#[derive(Debug, Args)]
pub(crate) struct ConfettiArguments {
    #[command(flatten)]
    strings: StringArguments,
    /// How the string scores of a call are combined
    #[arg(help_heading = "CONFETTI", long, value_name = "HOW", default_value = "product")]
    combine: CombineFlag,
    /// Have the judge look for invented arguments, in predictions and in expected calls
    #[arg(help_heading = "CONFETTI", long)]
    validity: bool,
    /// Measure the dialog-act judge on the reference replies of the data
    #[arg(help_heading = "CONFETTI", long)]
    classify_gold: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CombineFlag {
    /// Product of the scores: all must be right
    Product,
    /// Mean of the scores; not comparable with published results
    Mean,
}

struct Confetti<'a> {
    asked: &'a Asked,
    /// What is right in each part of the benchmark that was asked.
    golds: Vec<Gold>,
    options: Options,
    helpers: Helpers,
    /// Who scores strings where neither the rules nor a judge do.
    strings: Option<StringScorer>,
    /// The part that the first file was asked, whose references are measured.
    first: Option<usize>,
    reference: Reference,
}

/// Scores every file of results, and makes the tables.
pub(crate) fn run(
    asked: &Asked,
    arguments: &ScoreArguments,
    reader: Option<VerdictReader<'_>>,
) -> anyhow::Result<Outcome> {
    let options = options(arguments)?;
    let files = arguments.open(Results::open)?;
    let repaired = options.profile == Profile::Strict;
    let read = |bench| Gold::read(bench, arguments.locale.as_deref(), repaired).map_err(Complaint::from);
    let golds = asked.parts().iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let rows = rows(&files, Results::runs);
    let (judge, measure) = (&arguments.judge, options.string_score.measure);
    let strings = arguments.confetti.strings.scorer(measure, &arguments.trajectories)?;
    let mut helpers = Helpers::from(judge.replies(&arguments.repair, SuiteId::Confetti)?);
    let wanted = [
        (Question::DialogActs, judge.judges()),
        (Question::Validity, options.validity),
        (Question::TextScore, measure == Measure::Judge),
    ];
    for (question, _) in wanted.into_iter().filter(|(_, is_wanted)| *is_wanted) {
        helpers.replies.ask_for(question);
    }
    let first = rows.first().map(|row| asked.place(row.file));
    let reference = Reference::default();
    let scorer = Confetti { asked, golds, options, helpers, strings, first, reference };
    drive(scorer, &rows, rows.len() > files.len(), arguments, reader)
}

impl Scorer for Confetti<'_> {
    type Said = Results;
    type Board = Board;

    fn score(&mut self, row: &Row<'_, Results>, sink: VerdictSink<'_>) -> Result<Board, ScoreError> {
        let mut board = Board::new(&row.name, &self.options);
        let gold = &self.golds[self.asked.place(row.file)];
        score(gold, row.predictions, row.run, &mut board, &self.options, &mut self.helpers, sink)?;
        Ok(board)
    }

    fn replies(&mut self) -> Option<&mut Replies> {
        Some(&mut self.helpers.replies)
    }

    fn begin(&mut self) {
        self.helpers.again();
    }

    fn end(&mut self) {
        let gold = self.first.map(|first| &self.golds[first]);
        self.reference = gold.map(|gold| reference(gold, &self.options, &mut self.helpers)).unwrap_or_default();
    }

    fn has_round(&mut self, round: usize, judge: &JudgeArguments) -> bool {
        round == 0 && (judge.asks() || self.strings.is_some())
    }

    fn ask(&mut self, _: usize, judge: &JudgeArguments) -> anyhow::Result<usize> {
        if let Some(strings) = &self.strings {
            strings.fill(&mut self.helpers)?;
        }
        judge.answer_all(&mut self.helpers.replies)
    }

    fn scored(board: &Board) -> u64 {
        board.scored() + board.acts.unclassified
    }

    fn tell(&self, row: &Row<'_, Results>, board: &Board) {
        let noted = [
            (board.missing, "call", "without a prediction"),
            (board.acts.missing, "turn", "without a prediction"),
            (board.unknown, "prediction", "for unknown items"),
            (board.unreachable.len() as u64, "item", "with a failed request"),
            (board.unscored.len() as u64, "call", "with an unscored string"),
            (board.acts.unclassified, "turn", "without judged dialog acts (`--judge-model`, `--judgements`)"),
            (board.acts.unknown.values().sum(), "label", "outside the dialog acts"),
            (board.validity.unjudged, "argument", "without a judgement"),
            (self.golds[self.asked.place(row.file)].unscored, "sample", "not scored by this suite"),
        ];
        let coverage = Coverage { scored: board.scored(), ..Coverage::default() };
        told(&board.name, &coverage, row.predictions.path(), &board.faults, &noted);
    }

    fn outcome(&self, rows: &[Row<'_, Results>], boards: &[Board]) -> anyhow::Result<Outcome> {
        Ok(Outcome {
            tables: tables(boards, &self.reference),
            notes: notes(&self.options, &self.helpers.replies),
            further: vec![("summary", summaries(boards, &self.reference)?)],
            unscored: rows.iter().map(|row| self.golds[self.asked.place(row.file)].unscored).sum(),
            ..Outcome::default()
        })
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
            .hint("set one with `--judge-model` and `--judge-base-url`, or use cached judgements with `--judgements`")
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
