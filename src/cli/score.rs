//! `fcgen score`: scores what models said.

use super::exit::{Complaint, ENDPOINT, INPUT, OK};
use super::judge::JudgeArguments;
use super::talk::{give, say};
use super::words::{counted, thousands};
use anyhow::Context;
use clap::{Args, ValueEnum};
use fcgen::format::{Bench, Predictions};
use fcgen::record::{Object, Value};
use fcgen::report::{Form, write};
use fcgen::score::hammerbench::upstream::Parser;
use fcgen::suite::hammerbench::{self as hammer, Board, Judgements, Options, Profile, tables};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Flags of `score`.
#[derive(Debug, Args)]
pub(crate) struct ScoreArguments {
    /// A run folder, a file of samples, or a folder in the authors' layout
    bench: PathBuf,
    /// What models said: predictions.jsonl, or logs of the benchmark's authors; several stand side by side
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    predictions: Vec<PathBuf>,
    /// Whose benchmark it is
    #[arg(long, value_name = "S", default_value = "hammerbench")]
    suite: Suite,
    /// By which rules
    #[arg(long, value_name = "P", default_value = "strict")]
    profile: ProfileFlag,
    /// How the upstream profiles read replies; the authors choose by the model
    #[arg(long, value_name = "PARSER", default_value = "default")]
    parser: ParserFlag,
    /// What becomes of samples without a prediction
    #[arg(long, value_name = "WHAT", default_value = "fail")]
    missing: MissingFlag,
    /// Score this locale alone
    #[arg(long, value_name = "L")]
    locale: Option<String>,
    /// Compare values of every locale as the authors compare Chinese ones
    #[arg(long)]
    zh_metric: bool,
    /// Write a verdict for each item, one JSON object on each line
    #[arg(long, value_name = "FILE")]
    items: Option<PathBuf>,
    /// Form of the tables
    #[arg(long, value_name = "F", default_value = "table")]
    format: FormatFlag,
    #[command(flatten)]
    judge: JudgeArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Suite {
    Hammerbench,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ProfileFlag {
    /// Ours: the name on every turn, typed values, every fault named
    Strict,
    /// The authors' evaluator of conversations: the paper's tables
    Upstream,
    /// The authors' later evaluator, in which no snapshot knows of another
    UpstreamSnapshot,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ParserFlag {
    Default,
    Ministral,
    Xlam,
    Toolace,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MissingFlag {
    /// They are wrong
    Fail,
    /// They are left out
    Skip,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatFlag {
    Table,
    Json,
    Csv,
    Tsv,
    Markdown,
}

/// Scores every file of predictions, and shows the tables.
pub(crate) fn run(arguments: &ScoreArguments) -> anyhow::Result<u8> {
    let Suite::Hammerbench = arguments.suite;
    let bench = Bench::open(&arguments.bench).map_err(Complaint::from)?;
    let files = arguments.open()?;
    let mut judgements = arguments.judge.recorded()?;
    let mut lost = 0;
    if arguments.judge.asks() {
        score_all(&bench, &files, arguments, &mut judgements, None)?;
        lost = arguments.judge.ask(&mut judgements)?;
    }
    let mut items = arguments.items.as_deref().map(Items::create).transpose()?;
    let boards = score_all(&bench, &files, arguments, &mut judgements, items.as_mut())?;
    if let Some(items) = items {
        items.finish()?;
    }
    for (predictions, board) in files.iter().flat_map(|(_, it)| it.runs().into_iter().map(move |_| it)).zip(&boards) {
        told(predictions, board);
    }
    let waiting = judgements.take_open().len();
    if waiting > 0 {
        say(format!("{} without a judgement count as wrong", counted(waiting, "pair")));
    }
    if boards.iter().all(|board| board.counts.scored == 0) {
        let hint = "ids join them: does each line name a sample of this benchmark? `--locale` picks one of several";
        return Err(Complaint::new(INPUT, "nothing was scored").hint(hint).into());
    }
    give(write(&tables(&boards), &arguments.notes(&judgements), arguments.format.form())?)?;
    Ok(if lost > 0 { ENDPOINT } else { OK })
}

fn score_all(
    bench: &Bench,
    files: &[(String, Predictions)],
    arguments: &ScoreArguments,
    judgements: &mut Judgements,
    mut items: Option<&mut Items>,
) -> anyhow::Result<Vec<Board>> {
    let options = arguments.options();
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
        hammer::score(bench, predictions, run, &mut board, &options, judgements, &mut put)
            .map_err(|error| Complaint::new(INPUT, error.to_string()))?;
        boards.push(board);
    }
    Ok(boards)
}

/// What people should know of a file besides its figures.
fn told(predictions: &Predictions, board: &Board) {
    let counts = &board.counts;
    say(format!("{}: {} scored", board.name, counted(usize::try_from(counts.scored).unwrap_or(0), "sample")));
    for (place, problem) in predictions.faults().iter().take(10) {
        say(format!("  {}, line {place}: {problem}", predictions.path().display()));
    }
    for (id, problem) in counts.unreadable.iter().take(10) {
        say(format!("  {id}: {problem}"));
    }
    let noted = [
        (counts.missing, "without a prediction"),
        (counts.transport, "whose model could not be reached"),
        (counts.unscored, "that this suite does not score"),
        (predictions.faults().len() as u64, "lines that cannot be read"),
        (counts.unreadable.len() as u64, "predictions that cannot be read"),
    ];
    for (count, what) in noted.into_iter().filter(|(count, _)| *count > 0) {
        say(format!("  {} {what}", thousands(count)));
    }
}

impl ScoreArguments {
    fn open(&self) -> anyhow::Result<Vec<(String, Predictions)>> {
        let open = |path: &PathBuf| {
            let predictions = Predictions::open(path).map_err(|error| {
                let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
                Complaint::new(INPUT, format!("{error}{cause}"))
            })?;
            Ok((self.name(path), predictions))
        };
        self.predictions.iter().map(open).collect()
    }

    /// The shortest end of a path that tells it from the others.
    fn name(&self, path: &Path) -> String {
        let ending = |path: &Path, parts: usize| -> PathBuf {
            let all: Vec<_> = path.components().collect();
            all.iter().skip(all.len().saturating_sub(parts)).collect()
        };
        let is_alone = |parts: &usize| {
            self.predictions.iter().filter(|other| ending(other, *parts) == ending(path, *parts)).count() < 2
        };
        let parts = (1..=path.components().count()).find(is_alone).unwrap_or(usize::MAX);
        ending(path, parts).with_extension("").display().to_string()
    }

    fn options(&self) -> Options {
        Options {
            profile: match self.profile {
                ProfileFlag::Strict => Profile::Strict,
                ProfileFlag::Upstream => Profile::Upstream,
                ProfileFlag::UpstreamSnapshot => Profile::UpstreamSnapshot,
            },
            parser: match self.parser {
                ParserFlag::Default => Parser::Default,
                ParserFlag::Ministral => Parser::Ministral,
                ParserFlag::Xlam => Parser::Xlam,
                ParserFlag::Toolace => Parser::Toolace,
            },
            missing: match self.missing {
                MissingFlag::Fail => hammer::Missing::Fail,
                MissingFlag::Skip => hammer::Missing::Skip,
            },
            locale: self.locale.clone(),
            chinese_metric: self.zh_metric,
        }
    }

    fn notes(&self, judgements: &Judgements) -> Vec<(&'static str, String)> {
        let mut notes = vec![
            ("profile", self.options().profile.version().to_owned()),
            ("intervals", "95 %; shares: Wilson; PR: normal; changes of PR, PHR, PMR: normal, paired; of success: Agresti-Min, paired".to_owned()),
        ];
        if judgements.is_asked() {
            notes.push(("judgements", thousands(judgements.used())));
        }
        notes
    }
}

impl FormatFlag {
    fn form(self) -> Form {
        match self {
            Self::Table => Form::Text,
            Self::Json => Form::Json,
            Self::Csv => Form::Csv,
            Self::Tsv => Form::Tsv,
            Self::Markdown => Form::Markdown,
        }
    }
}

/// The file of verdicts.
struct Items {
    out: BufWriter<File>,
}

impl Items {
    fn create(path: &Path) -> anyhow::Result<Self> {
        let file = File::create(path).with_context(|| format!("cannot write `{}`", path.display()));
        Ok(Self { out: BufWriter::new(file.map_err(|error| Complaint::new(INPUT, format!("{error:#}")))?) })
    }

    fn put(&mut self, mut line: Object, name: &str, several: bool) -> std::io::Result<()> {
        if several {
            line.insert("predictions".to_owned(), name.into());
        }
        writeln!(self.out, "{}", Value::Object(line))
    }

    fn finish(mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}
