//! `fcgen report`: a page of a run that opens from disk.

mod scores;

use super::score::ScoreArguments;
use crate::cli::console::exit::{Complaint, INPUT, OK};
use crate::cli::console::talk::{give, say};
use crate::cli::console::words::counted;
use crate::cli::flags::paradigm::ParadigmFlag;
use clap::Args;
use fcgen::format::Bench;
use fcgen::fs::AtomicFile;
use fcgen::report::page::{Page, Rejects};
use scores::Summary;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Flags of `report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// Run folder, samples.jsonl, or folder in the authors' layout
    run: PathBuf,
    /// Output file; default: report.html in the run folder
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Prediction files to score; with two files, the report shows where they differ
    #[arg(long, value_name = "FILE", num_args = 1..)]
    predictions: Vec<PathBuf>,
    /// Scoring profile, as in `score`
    #[arg(long, value_name = "P", requires = "predictions")]
    profile: Option<String>,
    /// Expected behaviour while required arguments are missing, as in `score`
    #[arg(long, value_name = "P", requires = "predictions")]
    paradigm: Option<ParadigmFlag>,
    /// Benchmark suite; default: as stated by the benchmark
    #[arg(long, value_name = "S", requires = "predictions")]
    suite: Option<String>,
    /// File of cached judgements
    #[arg(long, value_name = "FILE", requires = "predictions")]
    judgements: Option<PathBuf>,
    /// Folder of the judge prompts, as in `score`
    #[arg(long, value_name = "DIR", requires = "judgements")]
    prompts: Option<PathBuf>,
    /// Locale, if the folder contains several
    #[arg(long, value_name = "L")]
    locale: Option<String>,
    /// Skip the quality checks, which take longest
    #[arg(long)]
    no_audit: bool,
}

/// Writes the page.
pub(crate) fn run(arguments: &ReportArguments) -> anyhow::Result<u8> {
    let bench = Bench::open_in(&arguments.run, arguments.locale.as_deref()).map_err(Complaint::from)?;
    let html = arguments.html.clone().unwrap_or_else(|| bench.folder().join("report.html"));
    let scoring = arguments.scoring()?;
    let mut summary = Summary::new(&arguments.run, &bench);
    let cannot = |error: io::Error| Complaint::new(INPUT, format!("cannot write `{}`: {error}", html.display()));
    let mut page = Page::begin(AtomicFile::create(&html).map_err(cannot)?, &summary.title).map_err(cannot)?;
    let samples = put_samples(&bench, &mut page, &mut summary.faults)?;
    if let Some(scoring) = scoring {
        summary.scores = Some(scores::put(&scoring, &mut page)?);
    }
    (summary.check, summary.unchecked) = arguments.checked();
    page.finish(&summary).map_err(cannot)?.finish().map_err(cannot)?;
    say(format!("{} in the report; open it in any browser", counted(samples, "sample")));
    give(html.display())?;
    Ok(OK)
}

impl ReportArguments {
    /// How what models said is scored, where any did.
    fn scoring(&self) -> anyhow::Result<Option<ScoreArguments>> {
        if self.predictions.is_empty() {
            return Ok(None);
        }
        let mut words: Vec<OsString> = vec![self.run.clone().into()];
        if let Some(paradigm) = self.paradigm {
            words.extend(["--paradigm".into(), paradigm.paradigm().as_str().into()]);
        }
        let texts = [("--profile", &self.profile), ("--suite", &self.suite), ("--locale", &self.locale)];
        for (flag, text) in texts.into_iter().filter_map(|(flag, text)| Some((flag, text.as_ref()?))) {
            words.extend([flag.into(), text.into()]);
        }
        let paths = [("--judgements", &self.judgements), ("--prompts", &self.prompts)];
        for (flag, path) in paths.into_iter().filter_map(|(flag, path)| Some((flag, path.as_ref()?))) {
            words.extend([flag.into(), path.into()]);
        }
        words.push("--predictions".into());
        words.extend(self.predictions.iter().map(OsString::from));
        Ok(Some(ScoreArguments::typed(words)?))
    }

    /// What a check finds, or why there is none: a page is worth having without it.
    fn checked(&self) -> (Option<fcgen::check::Report>, String) {
        if self.no_audit {
            return (None, "Skipped: `--no-audit`.".to_owned());
        }
        match super::check::checked(&self.run, self.locale.as_deref(), true) {
            Ok(report) => (Some(report), String::new()),
            Err(error) => (None, format!("Not available: {error}")),
        }
    }
}

/// Puts every sample on the page, one after another; how many there were.
fn put_samples(bench: &Bench, page: &mut Page<AtomicFile>, faults: &mut usize) -> anyhow::Result<usize> {
    let (mut samples, mut result) = (0, Ok(()));
    bench.each_place(&mut |_, found| match found {
        Ok(sample) if result.is_ok() => {
            samples += 1;
            result = page.sample(&sample);
        }
        Ok(_) => {}
        Err(_) => *faults += 1,
    });
    result?;
    Ok(samples)
}

/// The rejects that lie beside a bench.
fn rejects(folder: &Path) -> Rejects {
    let mut rejects = Rejects::default();
    if let Ok(file) = File::open(folder.join("rejects.jsonl")) {
        BufReader::new(file).lines().map_while(Result::ok).for_each(|line| rejects.see(&line));
    }
    rejects
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(run: &Path) -> ReportArguments {
        let run = run.to_owned();
        let (html, profile, paradigm, suite) = (None, None, None, None);
        let (judgements, prompts, locale, predictions) = (None, None, None, Vec::new());
        let no_audit = true;
        ReportArguments { run, html, predictions, profile, paradigm, suite, judgements, prompts, locale, no_audit }
    }

    #[test]
    fn a_file_of_samples_becomes_a_page_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("samples.jsonl"), "{}\n").unwrap();
        assert_eq!(run(&arguments(folder.path())).unwrap(), OK);
        let page = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
        assert!(page.contains(r#""faults":1"#) && page.ends_with("</html>\n"));
    }

    #[test]
    fn what_is_no_bench_is_bad_input() {
        let folder = tempfile::tempdir().unwrap();
        let error = run(&arguments(folder.path())).unwrap_err().to_string();
        assert!(error.ends_with("or a folder in the layout of a known benchmark"), "{error}");
        let mut missing = arguments(folder.path());
        std::fs::write(folder.path().join("samples.jsonl"), "").unwrap();
        missing.predictions.push(folder.path().join("none.jsonl"));
        assert!(run(&missing).is_err());
        assert!(!folder.path().join("report.html").exists());
    }

    #[test]
    fn rejects_are_read_where_there_are_any() {
        let folder = tempfile::tempdir().unwrap();
        assert!(rejects(folder.path()).groups().is_empty());
        let line = r#"{"id":"a","stage":"s","reason":"r","detail":"d","text":""}"#;
        std::fs::write(folder.path().join("rejects.jsonl"), line).unwrap();
        assert_eq!(rejects(folder.path()).groups()[0].count, 1);
    }
}
