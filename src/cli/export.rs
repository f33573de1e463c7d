//! `fcgen export`: samples become the files that trainers read.

use crate::cli::console::exit::{Complaint, INPUT, OK, USAGE};
use crate::cli::console::talk::{give, say};
use crate::cli::console::words::counted;
use crate::cli::flags::paradigm::ParadigmFlag;
use clap::{Args, ValueEnum};
use fcgen::export::{Dialect, ExportError, Options, Stats, export};
use fcgen::format::Bench;
use fcgen::record::Paradigm;
use std::path::PathBuf;

/// Flags of `export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// Run folder, samples file, or folder in the authors' layout
    #[arg(value_name = "RUN")]
    bench: PathBuf,
    #[command(flatten)]
    options: Options,
    /// Output folder; default: export/DIALECT in the run folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// LLaMA-Factory formatting, with `--to llamafactory`
    #[arg(long, value_name = "FORMATTING", default_value = "sharegpt")]
    dialect: FormattingFlag,
    /// Training target while required arguments are missing
    #[arg(long, value_name = "P", default_value = "ask")]
    paradigm: ParadigmFlag,
    /// Now the default; accepted for compatibility
    #[arg(long, hide = true, conflicts_with = "train_history")]
    mask_history: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormattingFlag {
    /// LLaMA-Factory's own turns
    Sharegpt,
    /// OpenAI messages
    Openai,
}

/// Writes the files and says what is in them.
pub(crate) fn run(arguments: &ExportArguments) -> anyhow::Result<u8> {
    let bench = Bench::open(&arguments.bench).map_err(Complaint::from)?;
    let options = arguments.options(&bench)?;
    let beside = bench.folder().join("export").join(options.to.as_str());
    let folder = arguments.out.clone().unwrap_or(beside);
    let stats = export(&bench, &folder, &options).map_err(complaint)?;
    tell(&stats, options.paradigm);
    if stats.rows() == 0 {
        return Err(nothing(&stats).into());
    }
    give(folder.display())?;
    Ok(OK)
}

impl ExportArguments {
    fn to(&self) -> Result<Dialect, Complaint> {
        match (self.options.to, self.dialect) {
            (to, FormattingFlag::Sharegpt) => Ok(to),
            (Dialect::Llamafactory | Dialect::LlamafactoryOpenai, _) => Ok(Dialect::LlamafactoryOpenai),
            _ => Err(Complaint::new(USAGE, "`--dialect openai` requires `--to llamafactory`")),
        }
    }

    fn options(&self, bench: &Bench) -> Result<Options, Complaint> {
        let rejects = bench.folder().join("rejects.jsonl");
        Ok(Options {
            to: self.to()?,
            paradigm: self.paradigm.paradigm(),
            split: shares(&self.options.split)?,
            rename: share(self.options.rename)?,
            rejects: rejects.is_file().then_some(rejects),
            ..self.options.clone()
        })
    }
}

fn share(share: f64) -> Result<f64, Complaint> {
    let fault = || Complaint::new(USAGE, format!("`{share}` is not a valid fraction")).hint("use a number from 0 to 1");
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err(fault()) }
}

/// `0.9` is 0.9 and the rest; several sum up to 1.
fn shares(given: &[f64]) -> Result<Vec<f64>, Complaint> {
    let mut shares = given.iter().map(|it| share(*it)).collect::<Result<Vec<_>, _>>()?;
    if let [only] = shares.as_slice() {
        shares.push(1.0 - only);
    }
    let sum: f64 = shares.iter().sum();
    if shares.len() > 3 || !shares.is_empty() && (sum - 1.0).abs() > 1e-6 {
        let complaint = Complaint::new(USAGE, format!("the fractions of `--split` sum to {sum}"));
        return Err(complaint.hint("use one training fraction, or two or three fractions that sum to 1"));
    }
    Ok(shares)
}

fn complaint(error: ExportError) -> anyhow::Error {
    match error {
        ExportError::Bench(error) => Complaint::from(error).into(),
        error @ ExportError::Predictions(_) => Complaint::new(INPUT, error.to_string()).into(),
        error @ ExportError::Objective { .. } => Complaint::new(USAGE, error.to_string())
            .hint("`dpo` is available for trl, openai and llamafactory, `rl` for trl and openai")
            .into(),
        error @ ExportError::Io(_) => anyhow::Error::from(error),
    }
}

fn nothing(stats: &Stats) -> Complaint {
    let complaint = Complaint::new(INPUT, "no rows left to export");
    let is_template = stats.losses.keys().any(|rule| rule.as_str() == "template");
    if is_template {
        return complaint
            .hint("the built-in model generated the rows from templates; export them with `--allow-template`");
    }
    complaint.hint("losses.jsonl lists the reason for each skipped row")
}

fn tell(stats: &Stats, paradigm: Paradigm) {
    let count = |rows: u64, noun: &str| counted(usize::try_from(rows).unwrap_or(usize::MAX), noun);
    for (side, rows) in &stats.sides {
        say(format!("{side}: {}", count(*rows, "row")));
    }
    for (rule, (rows, parts)) in &stats.losses {
        let parts = if *parts > 0 { format!(", and part of {}", count(*parts, "row")) } else { String::new() };
        say(format!("skipped ({}): {}{parts}", rule.as_str(), count(*rows, "row")));
    }
    if let Some(greatest) = stats.greatest.filter(|share| *share > 0.5) {
        say(format!("{:.0} % of the rows share tools or text and cannot be split", greatest * 100.0));
    }
    if stats.rows() > 0 {
        say(format!("mix: {}", stats.mix()));
        if stats.trained > 0 {
            say(format!("trained assistant turns: {}, distinct: {}", stats.trained, stats.distinct.len()));
        }
        let target = match paradigm {
            Paradigm::Ask => "a question that asks for them",
            Paradigm::Snapshot => "the call with the arguments given so far",
        };
        let name = paradigm.as_str();
        say(format!("paradigm `{name}`: while required arguments are missing, the target is {target}"));
        let commands = stats.scored_by(paradigm);
        say(format!("score a model trained on this data with: {}", commands.join("; ")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_sum_up_to_one() {
        let parted = |given: &[f64]| shares(given).map_err(|complaint| complaint.to_string());
        assert_eq!(parted(&[]).unwrap(), Vec::<f64>::new());
        assert_eq!(parted(&[0.75]).unwrap(), [0.75, 0.25]);
        assert_eq!(parted(&[0.8, 0.1, 0.1]).unwrap().len(), 3);
        for wrong in [&[0.5, 0.4][..], &[1.5], &[-0.1], &[0.25, 0.25, 0.25, 0.25]] {
            assert!(parted(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn rows_of_templates_want_to_be_allowed() {
        let mut stats = Stats::default();
        assert_eq!(nothing(&stats).to_string(), "no rows left to export");
        stats.losses.insert(fcgen::export::Rule::Template, (3, 0));
        assert_eq!(nothing(&stats).to_string(), "no rows left to export");
        tell(&stats, Paradigm::Ask);
    }

    #[test]
    fn every_dialect_has_its_own_name() {
        for dialect in Dialect::value_variants() {
            let name = dialect.to_possible_value().map(|value| value.get_name().to_owned());
            assert_eq!(name.as_deref(), Some(dialect.as_str()));
        }
    }
}
