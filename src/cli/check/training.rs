//! `fcgen check` on files that trainers read: loaders' rules, leakage between parts, benchmarks and canaries within.

use super::CheckArguments;
use super::input;
use crate::cli::console::exit::{Complaint, USAGE};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use fcgen::check::{Ground, Loader, Other, Report, Words, loads, shared, training_files};
use std::path::PathBuf;

/// A loader by its name.
pub(super) fn by_name() -> impl TypedValueParser<Value = Loader> {
    let names = Loader::ALL.map(|loader| PossibleValue::new(loader.as_str()).help(loader.reader()));
    let names = PossibleValuesParser::new(names);
    names.try_map(|name| Loader::named(&name).ok_or("unknown loader"))
}

impl CheckArguments {
    /// What is found in training files; nothing where the path is a bench.
    pub(super) fn training(&self) -> anyhow::Result<Option<Report>> {
        let files = training_files(self.bench(), self.dialect.is_some());
        let Some((_, first)) = files.first() else { return Ok(None) };
        let loader = self.dialect.or_else(|| Loader::of(&first.text));
        let no_dialect =
            || Complaint::new(USAGE, "cannot detect the loader of these rows").hint("set it with `--dialect`");
        let loader = loader.ok_or_else(no_dialect)?;
        let locale = self.locale.clone().unwrap_or_else(|| first.locale.clone());
        let ground = Ground::load(fcgen::assets(), &locale).map_err(input)?;
        let paths: Vec<PathBuf> = files.iter().map(|(path, _)| path.clone()).collect();
        let mut report = Report { bench: self.bench().display().to_string(), locale, ..Report::default() };
        report.samples = files.iter().map(|(path, first)| (part(path), first.rows)).collect();
        let found = loads(loader, &paths).map_err(input)?;
        report.add_findings(&found);
        if self.bench().is_dir() && files.len() > 1 {
            report.add_findings(&shared(self.bench(), &Words::of(&ground)).map_err(input)?);
        }
        let rows = Other::Rows(self.bench().to_owned(), paths.clone());
        self.benchmarks_in(&rows, &paths, &ground, &mut report)?;
        report.loader = Some(loader.as_str());
        Ok(Some(report))
    }
}

/// The name of a part: its file's.
fn part(path: &std::path::Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loader_is_told_by_its_name_alone() {
        let command = clap::Command::new("x").arg(clap::Arg::new("dialect").value_parser(by_name()));
        let read = |name: &str| command.clone().try_get_matches_from(["x", name]);
        for loader in Loader::ALL {
            assert_eq!(read(loader.as_str()).unwrap().get_one("dialect"), Some(&loader));
        }
        assert!(read("alpaca").unwrap_err().to_string().contains("llamafactory-openai"));
    }
}
