//! Scoring FunctionChat-Bench.

use crate::cli::console::exit::{Complaint, INPUT};
use crate::cli::console::talk::say;
use crate::cli::console::words::{counted, thousands};
use crate::cli::score::Outcome;
use crate::cli::score::arguments::{ScoreArguments, told};
use crate::cli::score::asked::Asked;
use crate::cli::score::drive::{Scorer, drive};
use crate::cli::score::items::{Row, VerdictReader, rows};
use clap::{Args, ValueEnum};
use fcgen::format::{Bench, Predictions};
use fcgen::record::{SuiteId, Value};
use fcgen::suite::functionchat::layout::ChatFile;
use fcgen::suite::functionchat::metric::strict::Same;
use fcgen::suite::functionchat::{
    Board, Options, QUESTIONS, Review, ReviewError, Scope, odd_dialog_turns, score, tables, totals,
};
use fcgen::suite::{Replies, ScoreError, VerdictSink};
use std::path::{Path, PathBuf};

/// Flags of FunctionChat-Bench.
#[derive(Debug, Args)]
pub(crate) struct ChatArguments {
    /// Turns that the judge decides
    #[arg(help_heading = "FunctionChat-Bench", long = "judge", value_name = "WHICH", default_value = "undecided")]
    judge_scope: ScopeFlag,
    /// Judge votes per turn; the majority wins
    #[arg(help_heading = "FunctionChat-Bench", long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=99))]
    votes: u32,
    /// Write a review sheet (TSV) with a column for a human pass or fail beside each verdict
    #[arg(help_heading = "FunctionChat-Bench", long, value_name = "FILE")]
    review_sheet: Option<PathBuf>,
    /// Completed review sheet: false passes and fails are counted, and the score is adjusted
    #[arg(help_heading = "FunctionChat-Bench", long, value_name = "FILE")]
    review: Option<PathBuf>,
    /// Write all totals as one JSON object, in the format of the authors' score file
    #[arg(help_heading = "FunctionChat-Bench", long, value_name = "FILE")]
    totals: Option<PathBuf>,
    /// Treat full-width letters and digits as equal to half-width ones
    #[arg(help_heading = "FunctionChat-Bench", long)]
    nfkc: bool,
    /// Accept empty text as a call without arguments
    #[arg(help_heading = "FunctionChat-Bench", long)]
    empty_arguments: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ScopeFlag {
    /// All turns, as in the paper; the judge decides
    All,
    /// Turns that the rule leaves undecided
    Undecided,
}

impl ChatArguments {
    pub(in crate::cli::score) fn scope(&self) -> Scope {
        match self.judge_scope {
            ScopeFlag::All => Scope::All,
            ScopeFlag::Undecided => Scope::Undecided,
        }
    }

    pub(in crate::cli::score) fn votes(&self) -> u32 {
        self.votes
    }

    pub(in crate::cli::score) fn same(&self) -> Same {
        Same { folds_width: self.nfkc }
    }

    pub(in crate::cli::score) fn takes_empty(&self) -> bool {
        self.empty_arguments
    }

    /// The sheet that is to be written.
    pub(in crate::cli::score) fn sheet(&self) -> Option<&Path> {
        self.review_sheet.as_deref()
    }

    /// What people said.
    pub(in crate::cli::score) fn review(&self) -> Result<Review, Complaint> {
        Ok(self.review.as_deref().map(Review::read).transpose()?.unwrap_or_default())
    }

    /// The file of totals that is to be written.
    pub(in crate::cli::score) fn totals(&self) -> Option<&Path> {
        self.totals.as_deref()
    }
}

impl From<ReviewError> for Complaint {
    fn from(error: ReviewError) -> Self {
        Self::input(error)
    }
}

struct FunctionChat<'a> {
    bench: &'a Bench,
    asked: &'a Asked,
    arguments: &'a ScoreArguments,
    options: Options,
    replies: Replies,
}

/// Scores every file of predictions, and makes the tables.
pub(crate) fn run(
    bench: &Bench,
    asked: &Asked,
    arguments: &ScoreArguments,
    reader: Option<VerdictReader<'_>>,
) -> anyhow::Result<Outcome> {
    let options = options(arguments)?;
    let files = arguments.open(Predictions::open)?;
    let rows = rows(&files, |predictions| {
        let runs = predictions.runs();
        // A file without a line still misses every sample.
        if runs.is_empty() { vec![0] } else { runs }
    });
    let mut replies = arguments.judge.replies(&arguments.repair, SuiteId::FunctionChat)?;
    if arguments.judge.asks() {
        for question in QUESTIONS {
            replies.ask_for(question);
        }
    }
    let scorer = FunctionChat { bench, asked, arguments, options, replies };
    drive(scorer, &rows, rows.len() > files.len(), arguments, reader)
}

impl Scorer for FunctionChat<'_> {
    type Said = Predictions;
    type Board = Board;

    fn score(&mut self, row: &Row<'_, Predictions>, sink: VerdictSink<'_>) -> Result<Board, ScoreError> {
        let mut board = Board::new(&row.name, self.options.profile);
        let bench = self.asked.bench(row.file);
        score(bench, row.predictions, row.run, &mut board, &self.options, &mut self.replies, sink)?;
        Ok(board)
    }

    fn replies(&mut self) -> Option<&mut Replies> {
        Some(&mut self.replies)
    }

    fn scored(board: &Board) -> u64 {
        board.counts.coverage.scored
    }

    fn tell(&self, row: &Row<'_, Predictions>, board: &Board) {
        let counts = &board.counts;
        let unjudged: u64 = board.unjudged.values().sum();
        let noted = [
            (counts.aborted, "answer", "that would crash the authors' program"),
            (board.judged().unparsed, "verdict", "that could not be parsed"),
            (unjudged, "turn", "that needs a judge (`--judge-model`, `--judgements`)"),
        ];
        let predictions = row.predictions;
        told(&board.name, &counts.coverage, predictions.path(), predictions.faults(), &noted);
    }

    fn outcome(&self, _: &[Row<'_, Predictions>], boards: &[Board]) -> anyhow::Result<Outcome> {
        put_files(boards, self.arguments)?;
        Ok(Outcome {
            tables: tables(boards),
            notes: notes(self.bench, &self.options, boards)?,
            unscored: boards.iter().map(|board| board.counts.coverage.unscored).sum(),
            ..Outcome::default()
        })
    }
}

/// The sheet for people, and the totals for programs.
fn put_files(boards: &[Board], arguments: &ScoreArguments) -> anyhow::Result<()> {
    if let Some(path) = arguments.chats.sheet() {
        let rows = boards.iter().flat_map(|board| board.rows.iter().map(|row| (board.name.as_str(), row)));
        let count = Review::write(path, rows).map_err(Complaint::from)?;
        say(format!(
            "{} to review in {}; fill in the column `human` and apply the sheet with `--review`",
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
        keeps_rows: chats.sheet().is_some(),
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
    if let Some(files) = bench.layout::<Vec<ChatFile>>() {
        let hash = |file: &ChatFile| {
            let hash = file.sha256().map_err(Complaint::input)?;
            Ok(format!("{} {hash}", file.path.file_name().unwrap_or_default().to_string_lossy()))
        };
        let hashes = files.iter().map(hash).collect::<Result<Vec<_>, Complaint>>()?;
        notes.push(("sha256", hashes.join(", ")));
    }
    Ok(notes)
}
