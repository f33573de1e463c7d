//! `fcgen import`: a benchmark in its authors' layout becomes fcgen's samples.

use crate::cli::console::exit::{Complaint, INPUT, OK};
use crate::cli::console::talk::{give, say};
use crate::cli::console::words::counted;
use clap::{Args, ValueEnum};
use fcgen::export::{Loss, Rule, Shape, read_as, read_row};
use fcgen::format::{Bench, BenchError};
use fcgen::fs::AtomicFile;
use fcgen::record::Sample;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Flags of `import`.
#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// Folder in the source format; for training rows, a file or a folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Source format
    #[arg(long, value_name = "SUITE", default_value = "hammerbench")]
    from: Layout,
    /// Samples file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Import only this locale; if the format has no locales, the locale of its texts
    #[arg(long, value_name = "L")]
    locale: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Layout {
    /// data/LOCALE/single-turn and data/LOCALE/multi-turn
    Hammerbench,
    /// Dataset/APIs, Dataset/APISchema and Dataset/Questions
    Callnavi,
    /// ComplexFuncBench.jsonl, or data/ComplexFuncBench.jsonl
    #[value(alias = "complexfunc")]
    Complexfuncbench,
    /// FunctionChat-Singlecall.jsonl, FunctionChat-Dialog.jsonl and FunctionChat-CallDecision.jsonl, or any of them
    Functionchat,
    #[value(help = "BFCL_v4_CATEGORY.json of any version, with possible_answer beside it")]
    Bfcl,
    #[value(help = "possible_answer of CONFETTI, with its questions if present")]
    Confetti,
    /// Rows of `fcgen export --to trl`, in either form: a file or a folder
    Trl,
    /// OpenAI fine-tuning rows: a file or a folder
    Openai,
    /// LLaMA-Factory `sharegpt` rows; for its `openai` rows use `trl`
    Llamafactory,
    /// Hermes rows: calls between tags
    Hermes,
    /// xLAM rows: single requests
    Xlam,
    #[value(help = "ToolACE rows: calls in brackets")]
    Toolace,
}

/// Reads all and writes a line for each sample.
pub(crate) fn run(arguments: &ImportArguments) -> anyhow::Result<u8> {
    let is_rows = arguments.from.is_rows();
    let bench = if is_rows { None } else { Some(open(arguments)?) };
    let cannot =
        |error: std::io::Error| Complaint::new(INPUT, format!("cannot write `{}`: {error}", arguments.out.display()));
    let mut out = AtomicFile::create(&arguments.out).map_err(cannot)?;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut broken = Broken::default();
    let mut take = |sample: Sample| -> anyhow::Result<()> {
        if arguments.locale.as_ref().is_none_or(|locale| *locale == sample.locale) {
            *counts.entry(format!("{} {}", sample.locale, sample.data_type.0)).or_default() += 1;
            broken.see(&sample, arguments.from == Layout::Hammerbench);
            writeln!(out, "{}", serde_json::to_string(&sample)?)?;
        }
        Ok(())
    };
    let mut lost = Losses::beside(&arguments.out);
    match (&bench, arguments.from.shape()) {
        (Some(bench), _) => bench.each::<anyhow::Error>(&mut take)?,
        (None, Some(shape)) => each_foreign(&arguments.folder, shape, &mut lost, &mut take)?,
        (None, None) => each_row(&arguments.folder, &mut take)?,
    }
    out.finish().map_err(cannot)?;
    for (kind, count) in &counts {
        say(format!("{kind}: {}", counted(*count, "sample")));
    }
    lost.tell()?;
    broken.tell();
    give(arguments.out.display())?;
    Ok(OK)
}

/// The files of rows: one that is named, or every part in a folder.
fn files(path: &Path) -> Result<Vec<PathBuf>, Complaint> {
    let parts = ["train", "validation", "test"].map(|part| path.join(format!("{part}.jsonl")));
    let files: Vec<PathBuf> =
        if path.is_dir() { parts.into_iter().filter(|part| part.is_file()).collect() } else { vec![path.to_owned()] };
    if files.is_empty() {
        let complaint =
            Complaint::new(INPUT, format!("no train.jsonl, validation.jsonl or test.jsonl in `{}`", path.display()));
        return Err(complaint.hint("use a file of rows, or a folder written by `fcgen export`"));
    }
    Ok(files)
}

/// The samples of rows that somebody else wrote. A row that cannot be read is left out and told, and so is what of a row has
/// no place in a sample.
fn each_foreign(
    path: &Path,
    shape: Shape,
    lost: &mut Losses,
    take: &mut dyn FnMut(Sample) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let (mut kept, mut first, mut result) = (0_u64, String::new(), Ok(()));
    for file in files(path)? {
        let read = fcgen::check::each_row(&file, &mut |line, text| {
            let name = format!("{}/{line}", file.file_stem().unwrap_or_default().display());
            let put = match read_as(shape, text, &name) {
                Ok((sample, losses)) => {
                    kept += 1;
                    losses.iter().try_for_each(|loss| lost.put(loss)).and_then(|()| take(sample))
                }
                Err(problem) => {
                    if first.is_empty() {
                        first = format!(": {name}: {problem}");
                    }
                    lost.put(&Loss::row(&name, Rule::Unreadable, problem))
                }
            };
            if result.is_ok() {
                result = put;
            }
        });
        read.map_err(Complaint::input)?;
    }
    result?;
    if kept == 0 {
        return Err(Complaint::new(INPUT, format!("no row of `{}` could be parsed{first}", path.display())).into());
    }
    Ok(())
}

/// Samples whose gold call breaks the schema of its own tool.
#[derive(Default)]
struct Broken {
    count: usize,
    first: String,
}

impl Broken {
    fn see(&mut self, sample: &Sample, is_partial: bool) {
        let Some(violation) = sample.gold_violation(is_partial) else { return };
        self.count += 1;
        if self.first.is_empty() {
            self.first = format!("{}: {violation}", sample.id);
        }
    }

    fn tell(&self) {
        if self.count > 0 {
            let samples = counted(self.count, "sample");
            say(format!("expected calls violate the schema of their tool in {samples}, first in {}", self.first));
            say("hint: `fcgen check` lists them; a prediction that follows the schema cannot match such a call");
        }
    }
}

/// What was lost: a line for each beside the samples, and counts.
struct Losses {
    path: PathBuf,
    file: Option<BufWriter<File>>,
    counts: BTreeMap<(String, bool), usize>,
}

impl Losses {
    fn beside(out: &Path) -> Self {
        Self { path: out.with_extension("losses.jsonl"), file: None, counts: BTreeMap::new() }
    }

    fn put(&mut self, loss: &Loss) -> anyhow::Result<()> {
        let cannot = |error| Complaint::new(INPUT, format!("cannot write `{}`: {error}", self.path.display()));
        let mut file = match self.file.take() {
            Some(file) => file,
            None => BufWriter::new(File::create(&self.path).map_err(cannot)?),
        };
        writeln!(file, "{}", serde_json::to_string(loss)?)?;
        self.file = Some(file);
        *self.counts.entry((loss.rule.as_str(), loss.kept)).or_default() += 1;
        Ok(())
    }

    /// Ends the file, and says how much was lost.
    fn tell(self) -> anyhow::Result<()> {
        self.file.map_or(Ok(()), |mut file| file.flush())?;
        for ((rule, is_part), count) in &self.counts {
            let part = if *is_part { "part of " } else { "" };
            say(format!("skipped ({rule}): {part}{}; see {}", counted(*count, "row"), self.path.display()));
        }
        Ok(())
    }
}

/// The samples of training rows: those of a file, or of every part in a folder.
fn each_row(path: &Path, take: &mut dyn FnMut(Sample) -> anyhow::Result<()>) -> anyhow::Result<()> {
    for file in files(path)? {
        let at = |line: usize, problem: String| {
            Complaint::new(INPUT, format!("`{}`, line {line}: {problem}", file.display()))
        };
        let reader = BufReader::new(File::open(&file).map_err(|error| at(1, error.to_string()))?);
        for (line, text) in reader.lines().enumerate() {
            let name = format!("{}/{}", file.file_stem().unwrap_or_default().display(), line + 1);
            let text = text.map_err(|error| at(line + 1, error.to_string()))?;
            if text.trim().is_empty() {
                continue;
            }
            take(read_row(&text, &name).map_err(|problem| at(line + 1, problem))?)?;
        }
    }
    Ok(())
}

/// The bench, if it is in the layout that it is said to be in.
fn open(arguments: &ImportArguments) -> Result<Bench, Complaint> {
    let bench = Bench::open(&arguments.folder).map_err(Complaint::from)?;
    let suite = bench.suite().filter(|_| bench.is_authors());
    let Some(name) = suite.map(|suite| suite.to_string()) else {
        let complaint = format!("`{}` already contains fcgen samples", arguments.folder.display());
        return Err(Complaint::new(INPUT, complaint));
    };
    if name != arguments.from.name() {
        let folder = arguments.folder.display();
        let complaint = Complaint::new(INPUT, format!("`{folder}` is in the format of `{name}`"));
        return Err(complaint.hint(format!("use `--from {name}`")));
    }
    Ok(match &arguments.locale {
        Some(locale) => bench.in_locale(locale),
        None => bench,
    })
}

impl Layout {
    /// Whether it is rows that trainers read, and no benchmark.
    fn is_rows(self) -> bool {
        matches!(self, Self::Trl | Self::Openai) || self.shape().is_some()
    }

    /// The shape of rows that others write.
    fn shape(self) -> Option<Shape> {
        Some(match self {
            Self::Llamafactory => Shape::Llamafactory,
            Self::Hermes => Shape::Hermes,
            Self::Xlam => Shape::Xlam,
            Self::Toolace => Shape::Toolace,
            _ => return None,
        })
    }

    /// The word on the command line.
    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

impl From<BenchError> for Complaint {
    fn from(error: BenchError) -> Self {
        match error {
            BenchError::Locales { .. } => Self::input(error).hint("select one with `--locale`"),
            error => Self::input(error),
        }
    }
}
