//! `fcgen check`: what is wrong in a bench, and whether it is worth having; and what is wrong in files to train on.

mod against;
mod markdown;
mod show;
mod table;
mod training;

use super::runs::manifest::read_manifest;
use crate::cli::console::exit::{Complaint, INPUT, OK};
use crate::cli::console::talk::{give, say};
use crate::cli::console::words::{SMOKE_TEST, counted, thousands};
use clap::{Args, ValueEnum};
use fcgen::check::audit::{AuditOptions, Figure, audit};
use fcgen::check::{Ground, LintReport, Loader, RULES, Replay, Report, Severity, each_entry, lint};
use fcgen::format::Bench;
use fcgen::llm::{Chat, Request};
use fcgen::locale::Pack;
use fcgen::model::Grammar;
use fcgen::record::SuiteId;
use fcgen::run::Manifest;
use fcgen::toolset::Toolset;
use indexmap::IndexMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use training::by_name;

/// Flags of `check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// Run folder, samples.jsonl, or folder in the authors' layout; or training files: an export folder or a file of
    /// rows
    #[arg(required_unless_present = "list_rules")]
    bench: Option<PathBuf>,
    /// List the rules with their scopes and expectations, and exit
    #[arg(long)]
    list_rules: bool,
    /// Also run the quality checks: shortcuts, repetition, copying, artefacts
    #[arg(long)]
    audit: bool,
    /// Benchmark to compare metrics with; default: that of the authors in ../shared/upstream, if present
    #[arg(long, value_name = "DIR", requires = "audit")]
    reference: Option<PathBuf>,
    /// Find items that also occur in other data, verbatim or with other names and values: a benchmark, an export, or
    /// files of rows or texts; `known` uses the hashes of published benchmarks
    #[arg(long, value_name = "DIR|FILE|known", num_args = 1..)]
    against: Vec<PathBuf>,
    /// Loader whose rules apply to a training file; default: detected from the file
    #[arg(long, value_name = "DIALECT", value_parser = by_name())]
    dialect: Option<Loader>,
    /// Exit with code 11 on warnings too
    #[arg(long)]
    strict: bool,
    /// Locale, if the folder contains several
    #[arg(long, value_name = "L")]
    locale: Option<String>,
    /// Random seed of subsets and halves
    #[arg(long, value_name = "N", default_value_t = 7)]
    seed: u64,
    /// Output format
    #[arg(long, value_enum, default_value_t = Form::Table)]
    format: Form,
    /// Show the first N findings of each rule
    #[arg(long, value_name = "N", default_value_t = 3)]
    show: usize,
}

/// Form of what is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Text columns
    Table,
    /// One JSON object with all results
    Json,
    /// Markdown tables
    Markdown,
}

/// Where the authors' data of a suite lies beside a checkout of this repository, if there is any in the locale.
fn beside(suite: SuiteId, locale: &str) -> Option<PathBuf> {
    let upstream = Path::new("../shared/upstream");
    let folder = match (suite, locale) {
        (SuiteId::HammerBench, _) => upstream.join("hammerbench/data").join(locale),
        (SuiteId::CallNavi, "en") => upstream.join("callnavi"),
        (SuiteId::FunctionChat, "ko") => upstream.join("functionchat"),
        _ => return None,
    };
    folder.is_dir().then_some(folder)
}

/// Looks a bench over; errors in it are an exit code of their own.
pub(crate) fn run(arguments: &CheckArguments) -> anyhow::Result<u8> {
    if arguments.list_rules {
        return arguments.rules();
    }
    let report = arguments.report()?;
    match arguments.format {
        Form::Table => give(table::table(&report, arguments.show))?,
        Form::Json => give(serde_json::to_string_pretty(&report)?)?,
        Form::Markdown => give(markdown::markdown(&report, arguments.show))?,
    }
    let errors = report.count(Severity::Error);
    let samples = report.samples.values().sum();
    say(format!(
        "{}: {}, {}, {}",
        report.bench,
        counted(samples, if report.loader.is_some() { "row" } else { "sample" }),
        counted(errors, "error"),
        counted(report.count(Severity::Warning), "warning"),
    ));
    let (met, told) = report.marks();
    if report.derived {
        say(SMOKE_TEST);
    } else if told > 0 {
        say(format!("{} of {} passed", thousands(met as u64), counted(told, "check")));
    }
    let failed = errors + if arguments.strict { report.count(Severity::Warning) } else { 0 };
    Ok(if failed == 0 { OK } else { INPUT })
}

/// What a check finds of a bench, with its audit where that is wanted.
pub(super) fn checked(bench: &Path, locale: Option<&str>, audit: bool) -> anyhow::Result<Report> {
    let (bench, locale) = (Some(bench.to_owned()), locale.map(str::to_owned));
    let (list_rules, reference, against, dialect, strict) = (false, None, Vec::new(), None, false);
    let (seed, format, show) = (7, Form::Json, 0);
    CheckArguments { bench, list_rules, audit, reference, against, dialect, strict, locale, seed, format, show }
        .report()
}

impl CheckArguments {
    /// What is checked; `--list-rules` alone does without it.
    fn bench(&self) -> &Path {
        self.bench.as_deref().unwrap_or(Path::new(""))
    }

    fn rules(&self) -> anyhow::Result<u8> {
        if self.format == Form::Json {
            give(serde_json::to_string_pretty(RULES)?)?;
            return Ok(OK);
        }
        let mut scope = "";
        for rule in RULES {
            if rule.scope != scope {
                give(format!("{}{}", if scope.is_empty() { "" } else { "\n" }, rule.scope))?;
                scope = rule.scope;
            }
            give(format!("  {:<20} {}", rule.id, rule.expects))?;
        }
        Ok(OK)
    }

    fn report(&self) -> anyhow::Result<Report> {
        if let Some(report) = self.training()? {
            return Ok(report);
        }
        let bench = open(self.bench(), self.locale.as_deref())?;
        let locale = self.locale_of(&bench)?;
        let ground =
            Ground::load(fcgen::assets(), &locale).and_then(|ground| ground.of_bench(&bench)).map_err(input)?;
        let mut replay = Replay::new(&ground).map_err(input)?.of_run(self.manifest().map(|manifest| manifest.seed));
        let lint = lint(&bench, &ground, &mut replay);
        let derived = self.manifest().is_some_and(|manifest| manifest.is_derived());
        let mut report = Report { bench: self.bench().display().to_string(), locale, derived, ..Report::default() };
        let found = (lint.beginnings.clone(), checker(&report.locale, &lint)?);
        report.add_lint(lint);
        report.add_figures(&replay.finish(), None);
        if self.audit {
            let (own, reference) = self.figures(&bench, &ground, found)?;
            report.add_figures(&own, reference.as_deref());
        }
        self.compare(&bench, &ground, &mut report)?;
        Ok(report)
    }

    /// The manifest of the run that made the bench, where it lies beside.
    fn manifest(&self) -> Option<Manifest> {
        let folder = if self.bench().is_dir() { Some(self.bench()) } else { self.bench().parent() };
        read_manifest(folder?).ok()
    }

    fn locale_of(&self, bench: &Bench) -> anyhow::Result<String> {
        let locale = bench.locale().or_else(|| self.locale.clone());
        let none = || Complaint::new(INPUT, format!("`{}` contains no samples", bench.path().display()));
        Ok(locale
            .ok_or_else(|| none().hint("each line of a samples file is a JSON object; see `fcgen schema sample`"))?)
    }

    /// The figures of the bench and of its reference.
    fn figures(
        &self,
        bench: &Bench,
        ground: &Arc<Ground>,
        (beginnings, checker): (IndexMap<String, usize>, Chat),
    ) -> anyhow::Result<(Vec<Figure>, Option<Vec<Figure>>)> {
        let suite = bench.suite().and_then(|suite| suite.known());
        let reference = self.reference(suite, &ground.language.code)?;
        let mut sizes = IndexMap::new();
        if let Some(reference) = &reference {
            let others = beginnings_of(reference);
            sizes = others
                .into_iter()
                .filter_map(|(kind, n)| Some((kind.clone(), n.min(*beginnings.get(&kind)?))))
                .collect();
        }
        let options = AuditOptions { ground: ground.clone(), seed: self.seed, sizes, checker: Some(checker) };
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        let measured = |bench: &Bench| runtime.block_on(audit(bench, &options)).map_err(input);
        Ok((measured(bench)?, reference.as_ref().map(measured).transpose()?))
    }

    /// The bench to compare with: the one that is named, else the authors' where it lies beside.
    fn reference(&self, suite: Option<SuiteId>, locale: &str) -> anyhow::Result<Option<Bench>> {
        let path = self.reference.clone().or_else(|| beside(suite?, locale));
        path.map(|path| open(&path, Some(locale))).transpose()
    }
}

fn open(path: &Path, locale: Option<&str>) -> anyhow::Result<Bench> {
    Ok(Bench::open_in(path, locale).map_err(Complaint::from)?)
}

/// How many single-turn samples and conversations of each data type there are.
fn beginnings_of(bench: &Bench) -> IndexMap<String, usize> {
    let mut count = LintReport::default();
    each_entry(bench, &mut |seen| seen.into_iter().for_each(|entry| count.count(entry)));
    count.beginnings
}

/// The built-in reader, with what the bench's own toolsets say of words.
fn checker(locale: &str, lint: &LintReport) -> anyhow::Result<Chat> {
    let mut pack = Pack::load(fcgen::assets(), locale)?;
    for toolset in lint.sources.iter().filter_map(|source| Toolset::load(fcgen::assets(), source, locale).ok()) {
        toolset.extend(&mut pack)?;
    }
    // Its seed decides what it writes, and it only reads here.
    let grammar = Grammar::new(Arc::new(pack), 0);
    Ok(Chat::builtin("grammar", Arc::new(move |request: &Request| grammar.reply(request))))
}

fn input(error: impl std::error::Error) -> anyhow::Error {
    Complaint::new(INPUT, error.to_string()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(bench: &Path) -> CheckArguments {
        CheckArguments {
            bench: Some(bench.to_owned()),
            list_rules: false,
            audit: true,
            reference: None,
            against: Vec::new(),
            dialect: None,
            strict: false,
            locale: None,
            seed: 7,
            format: Form::Json,
            show: 3,
        }
    }

    #[test]
    fn what_is_no_bench_is_bad_input() {
        let folder = tempfile::tempdir().unwrap();
        let error = run(&arguments(folder.path())).unwrap_err().to_string();
        assert!(error.ends_with("or a folder in the layout of a known benchmark"), "{error}");
        std::fs::write(folder.path().join("samples.jsonl"), "{}\n").unwrap();
        let error = run(&arguments(folder.path())).unwrap_err().to_string();
        assert!(error.ends_with("contains no samples"), "{error}");
    }
}
