//! Flags of `score`.

use super::items::Items;
use super::suite::SuiteFlag;
use crate::cli::console::exit::{Complaint, USAGE};
use crate::cli::console::talk::say;
use crate::cli::console::words::counted;
use crate::cli::flags::judge::{JudgeArguments, RepairArguments};
use crate::cli::flags::paradigm::ParadigmFlag;
use crate::cli::score::suites::complexfunc::TrajectoryArguments;
use crate::cli::score::suites::confetti::ConfettiArguments;
use crate::cli::score::suites::functionchat::ChatArguments;
use clap::{Args, Parser, ValueEnum};
use fcgen::format::PredictionsError;
use fcgen::record::Paradigm;
use fcgen::report::Form;
use fcgen::suite::complexfunc::metric::{Dialect, Rules};
use fcgen::suite::{Coverage, Missing, bfcl, callnavi, complexfunc, functionchat, hammerbench};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Flags of `score`.
#[derive(Debug, Args)]
pub(crate) struct ScoreArguments {
    /// Run folder, samples file, or folder in the authors' layout
    pub(super) bench: PathBuf,
    /// Prediction files: predictions.jsonl, or logs of the benchmark's authors; several are compared
    #[arg(long, value_name = "FILE", required_unless_present = "stdin", num_args = 1..)]
    pub(super) predictions: Vec<PathBuf>,
    /// Read replies from standard input and return a reward for each, one JSON object per line, for use in trainers
    #[arg(long, conflicts_with = "predictions")]
    pub(super) stdin: bool,
    /// Expected behaviour while required arguments are missing; default: as recorded in the predictions (or in rows on
    /// standard input), else `snapshot` for HammerBench predictions and `ask` for all others
    #[arg(long, value_name = "P")]
    paradigm: Option<ParadigmFlag>,
    /// Benchmark suite; default: as stated by the benchmark
    #[arg(long, value_name = "S")]
    pub(super) suite: Option<SuiteFlag>,
    /// Scoring profile
    #[arg(long, value_name = "P", default_value = "strict")]
    profile: ProfileFlag,
    /// Reply parser of the upstream profiles; the authors choose it by model
    #[arg(help_heading = "HammerBench", long, value_name = "PARSER", default_value = "default")]
    pub(super) parser: ParserFlag,
    /// How to treat samples without a prediction
    #[arg(long, value_name = "WHAT", default_value = "fail")]
    missing: MissingFlag,
    /// Score only this locale
    #[arg(long, value_name = "L")]
    pub(super) locale: Option<String>,
    /// Also score two baselines: the lexical baseline and a lexical-overlap baseline (`shared-word picker`)
    #[arg(help_heading = "CallNavi", long)]
    pub(super) baselines: bool,
    /// Compare values of every locale with the authors' metric for Chinese
    #[arg(help_heading = "HammerBench", long)]
    pub(super) zh_metric: bool,
    /// Assume that dots in function names were replaced by underscores, if the results do not say so
    #[arg(help_heading = "BFCL", long)]
    pub(super) underscore_to_dot: bool,
    /// Write a verdict for each item, one JSON object per line
    #[arg(help_heading = "Output", long, value_name = "FILE")]
    items: Option<PathBuf>,
    /// Write the failed items, each with request, tools, expected and predicted answer, and reason
    #[arg(help_heading = "Output", long, value_name = "FILE")]
    pub(super) failures: Option<PathBuf>,
    /// Exit with code 14 if the accuracy of any prediction file is below this percentage
    #[arg(help_heading = "Output", long, value_name = "PERCENT", value_parser = percent)]
    pub(super) fail_under: Option<f64>,
    /// Tables after the summary: none (`summary`), those of the paper, or all; default: `summary`, or `all` with
    /// machine-readable formats
    #[arg(help_heading = "Output", long, value_name = "T")]
    tables: Option<TablesFlag>,
    /// Random seed of the resampling for confidence intervals of differences between predictions
    #[arg(long, value_name = "N", default_value_t = 7)]
    pub(super) seed: u64,
    /// Output format
    #[arg(help_heading = "Output", long, value_name = "F", default_value = "table")]
    format: FormatFlag,
    #[command(flatten)]
    pub(super) judge: JudgeArguments,
    #[command(flatten)]
    pub(super) repair: RepairArguments,
    #[command(flatten)]
    pub(super) trajectories: TrajectoryArguments,
    #[command(flatten)]
    pub(super) chats: ChatArguments,
    #[command(flatten)]
    pub(super) confetti: ConfettiArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ProfileFlag {
    /// fcgen's own rules: typed values, every error named
    Strict,
    /// The authors' evaluator; for HammerBench, that of conversations (the paper's tables); for ComplexFuncBench, as
    /// run for GPT
    Upstream,
    /// HammerBench: the authors' later evaluator, which treats snapshots as independent
    UpstreamSnapshot,
    /// CallNavi: the authors' evaluator with the paper's question counts
    UpstreamPaper,
    /// ComplexFuncBench: the authors' evaluator as run for Qwen
    UpstreamQwen,
    /// ComplexFuncBench: the authors' evaluator as run for Claude
    UpstreamClaude,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ParserFlag {
    Default,
    Ministral,
    Xlam,
    Toolace,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MissingFlag {
    /// Count as wrong
    Fail,
    /// Exclude
    Skip,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum TablesFlag {
    /// No tables
    Summary,
    /// Tables of the suite's paper
    Paper,
    /// Tables of the paper, the comparison, slices and counts
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatFlag {
    Table,
    Json,
    Csv,
    Tsv,
    Markdown,
}

/// A command line of `score` alone.
#[derive(Debug, Parser)]
struct Line {
    #[command(flatten)]
    score: ScoreArguments,
}

impl ScoreArguments {
    /// The arguments that somebody would type after `fcgen score`.
    pub(crate) fn typed(words: impl IntoIterator<Item = OsString>) -> anyhow::Result<Self> {
        let line = Line::try_parse_from(std::iter::once("score".into()).chain(words));
        Ok(line.map_err(|error| Complaint::new(USAGE, first_line(&error.to_string())))?.score)
    }

    /// The files of predictions, with the names that tables and verdicts call them by.
    pub(crate) fn named(&self) -> impl Iterator<Item = (String, &Path)> {
        self.predictions.iter().map(|path| (self.name(path), path.as_path()))
    }

    /// What is right while required arguments are missing, if that is given.
    pub(super) fn paradigm(&self) -> Option<Paradigm> {
        self.paradigm.map(ParadigmFlag::paradigm)
    }

    /// The name of a profile that repeats the authors' evaluator.
    pub(super) fn upstream_profile(&self) -> Option<String> {
        let name = self.profile.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
        (self.profile != ProfileFlag::Strict).then_some(name)
    }

    /// Opens every file of predictions, each with the name that tables call it by.
    pub(super) fn open<T>(
        &self,
        open: impl Fn(&Path) -> Result<T, PredictionsError>,
    ) -> anyhow::Result<Vec<(String, T)>> {
        let open = |path: &PathBuf| Ok((self.name(path), open(path).map_err(Complaint::input)?));
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

    /// What verdicts are put into.
    pub(super) fn items<'r>(&self, has_several_runs: bool) -> anyhow::Result<Items<'r>> {
        let several = self.predictions.len() > 1 || self.baselines;
        Items::create(self.items.as_deref(), several, several || has_several_runs, self.failures.is_some())
    }

    /// What becomes of samples without a prediction.
    pub(super) fn missing(&self) -> Missing {
        match self.missing {
            MissingFlag::Fail => Missing::Fail,
            MissingFlag::Skip => Missing::Skip,
        }
    }

    /// Which tables are shown: the summary alone where people read it, and all where programs do.
    pub(super) fn tables(&self) -> TablesFlag {
        let is_read = matches!(self.format, FormatFlag::Table | FormatFlag::Markdown);
        self.tables.unwrap_or(if is_read { TablesFlag::Summary } else { TablesFlag::All })
    }

    /// The form of the tables.
    pub(super) fn form(&self) -> Form {
        match self.format {
            FormatFlag::Table => Form::Text,
            FormatFlag::Json => Form::Json,
            FormatFlag::Csv => Form::Csv,
            FormatFlag::Tsv => Form::Tsv,
            FormatFlag::Markdown => Form::Markdown,
        }
    }

    /// The profile of `HammerBench`.
    pub(super) fn hammerbench_profile(&self) -> anyhow::Result<hammerbench::Profile> {
        match self.profile {
            ProfileFlag::Strict => Ok(hammerbench::Profile::Strict),
            ProfileFlag::Upstream => Ok(hammerbench::Profile::Upstream),
            ProfileFlag::UpstreamSnapshot => Ok(hammerbench::Profile::UpstreamSnapshot),
            _ => Err(self.foreign()),
        }
    }

    /// The profile of ComplexFuncBench.
    pub(super) fn complexfunc_profile(&self) -> anyhow::Result<complexfunc::Profile> {
        let similarity = self.trajectories.similarity();
        let rules = match self.profile {
            ProfileFlag::Strict => Rules::Strict(self.trajectories.strict()),
            ProfileFlag::Upstream => Rules::Upstream(Dialect::Gpt),
            ProfileFlag::UpstreamQwen => Rules::Upstream(Dialect::Qwen),
            ProfileFlag::UpstreamClaude => Rules::Upstream(Dialect::Claude),
            ProfileFlag::UpstreamSnapshot | ProfileFlag::UpstreamPaper => return Err(self.foreign()),
        };
        Ok(complexfunc::Profile { rules, similarity })
    }

    /// The profile of BFCL.
    pub(super) fn bfcl_profile(&self) -> anyhow::Result<bfcl::Profile> {
        match self.profile {
            ProfileFlag::Strict => Ok(bfcl::Profile::Strict),
            ProfileFlag::Upstream => Ok(bfcl::Profile::Upstream),
            _ => Err(self.foreign()),
        }
    }

    /// The profile of `CallNavi`.
    pub(super) fn callnavi_profile(&self) -> anyhow::Result<callnavi::Profile> {
        match self.profile {
            ProfileFlag::Strict => Ok(callnavi::Profile::Strict),
            ProfileFlag::Upstream => Ok(callnavi::Profile::Upstream),
            ProfileFlag::UpstreamPaper => Ok(callnavi::Profile::UpstreamPaper),
            _ => Err(self.foreign()),
        }
    }

    /// The profile of FunctionChat-Bench.
    pub(super) fn functionchat_profile(&self) -> anyhow::Result<functionchat::Profile> {
        match self.profile {
            ProfileFlag::Strict => Ok(functionchat::Profile::Strict),
            ProfileFlag::Upstream => Ok(functionchat::Profile::Upstream),
            _ => Err(self.foreign()),
        }
    }

    /// Refuses any profile but our own.
    pub(super) fn own_profile(&self) -> anyhow::Result<()> {
        if self.profile == ProfileFlag::Strict { Ok(()) } else { Err(self.foreign()) }
    }

    /// The error of a profile that the suite does not have.
    fn foreign(&self) -> anyhow::Error {
        let name = self.upstream_profile().unwrap_or_default();
        let owner = match self.profile {
            ProfileFlag::UpstreamSnapshot => "HammerBench",
            ProfileFlag::UpstreamPaper => "CallNavi",
            _ => "ComplexFuncBench",
        };
        Complaint::new(USAGE, format!("the profile `{name}` applies to {owner} only")).into()
    }
}

fn percent(text: &str) -> Result<f64, String> {
    let percent = text.trim_end_matches('%').parse().ok().filter(|percent| (0.0..=100.0).contains(percent));
    percent.ok_or_else(|| "expected a percentage from 0 to 100, such as 75".to_owned())
}

/// What a fault of the command line is, without the usage behind it.
fn first_line(error: &str) -> String {
    error.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

/// Says what people should know of a file besides its figures: lines and predictions that cannot be read, and numbers.
pub(super) fn told(
    name: &str,
    coverage: &Coverage,
    path: &Path,
    faults: &[(usize, String)],
    noted: &[(u64, &str, &str)],
) {
    let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    say(format!("{name}: {} scored", counted(count(coverage.scored), "sample")));
    // Those of files of lines are reported with their columns.
    for (place, problem) in faults.iter().take(10).filter(|_| super::strange::is_array(path)) {
        say(format!("  {}, element {place}: {problem}", path.display()));
    }
    for (id, problem) in coverage.unreadable.iter().take(10) {
        say(format!("  {id}: {problem}"));
    }
    let absent = [
        (coverage.missing, "sample", "without a prediction"),
        (coverage.transport, "sample", "with a failed request"),
        (coverage.unscored, "sample", "not scored by this suite"),
    ];
    let unread = [
        (faults.len() as u64, "line", "that could not be parsed"),
        (coverage.unreadable.len() as u64, "prediction", "that could not be parsed"),
    ];
    for (number, noun, what) in absent.iter().chain(noted).chain(&unread).filter(|(number, ..)| *number > 0) {
        say(format!("  {} {what}", counted(count(*number), noun)));
    }
}
