//! `fcgen show`: samples in the terminal, each as its dialogue with the calls.

mod lines;

use crate::cli::console::exit::{Complaint, INPUT, OK};
use crate::cli::console::talk::{Colour, give, say};
use crate::cli::console::words::{counted, thousands};
use clap::Args;
use fcgen::format::Bench;
use fcgen::record::{Chance, Expected, Sample};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Samples that are shown where nobody says how many.
const FIRST: usize = 3;

/// Flags of `show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// Run folder, samples.jsonl, or folder in the authors' layout
    run: PathBuf,
    /// Sample ids or id prefixes; default: the first 3 matching samples
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Only this data type
    #[arg(long = "type", value_name = "T")]
    data_type: Option<String>,
    /// Only this locale
    #[arg(long, value_name = "L")]
    locale: Option<String>,
    /// Only samples that call this tool, by full name or by the part after the last dot
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Show N random matching samples
    #[arg(long, value_name = "N", conflicts_with = "first")]
    random: Option<usize>,
    /// Show the first N matching samples
    #[arg(long, value_name = "N")]
    first: Option<usize>,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 7)]
    seed: u64,
    /// Show texts, results and tools in full
    #[arg(long)]
    full: bool,
}

/// Prints the samples.
pub(crate) fn run(arguments: &ShowArguments) -> anyhow::Result<u8> {
    let (chosen, fitting) = arguments.chosen()?;
    if chosen.is_empty() {
        let complaint = Complaint::new(INPUT, format!("no matching samples in `{}`", arguments.run.display()));
        return Err(complaint.hint("`fcgen report` writes an HTML report in which samples can be searched").into());
    }
    let colour = Colour::for_data();
    let shown: Vec<String> =
        chosen.iter().map(|sample| lines::sample(sample, colour, arguments.full).join("\n")).collect();
    give(shown.join("\n\n"))?;
    say(format!("\n{} of {}", thousands(chosen.len() as u64), counted(fitting, "matching sample")));
    Ok(OK)
}

impl ShowArguments {
    /// The samples to show, and how many fit. No more are held than are shown.
    fn chosen(&self) -> anyhow::Result<(Vec<Sample>, usize)> {
        let bench = Bench::open_in(&self.run, self.locale.as_deref()).map_err(Complaint::input)?;
        let most = self.random.or(self.first).unwrap_or(if self.ids.is_empty() { FIRST } else { usize::MAX });
        let (mut kept, mut fitting) = (BTreeMap::new(), 0);
        let mut see = |sample: &Sample| {
            if self.fits(sample) {
                fitting += 1;
                kept.insert(self.key(sample, fitting), sample.clone());
                if kept.len() > most {
                    kept.pop_last();
                }
            }
        };
        bench.each_place(&mut |_, found| found.iter().for_each(&mut see));
        Ok((kept.into_values().collect(), fitting))
    }

    /// What samples are ordered by: chance, or the order of the bench.
    fn key(&self, sample: &Sample, place: usize) -> (u64, usize) {
        let draw = |_| Chance::new(self.seed, "show", sample.id.as_str(), 0).bits();
        (self.random.map_or(0, draw), place)
    }

    fn fits(&self, sample: &Sample) -> bool {
        let is = |wanted: &Option<String>, text: &str| wanted.as_deref().is_none_or(|it| it == text);
        let is_named = self.ids.is_empty() || self.ids.iter().any(|id| begins(sample.id.as_str(), id));
        is_named
            && is(&self.data_type, &sample.data_type.0)
            && is(&self.locale, &sample.locale)
            && self.tool.as_deref().is_none_or(|tool| calls(sample, tool))
    }
}

/// Whether an id is the one that is named, or below it.
fn begins(id: &str, named: &str) -> bool {
    id.strip_prefix(named).is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || named.ends_with('/'))
}

fn calls(sample: &Sample, tool: &str) -> bool {
    let is = |name: &str| name == tool || name.rsplit('.').next() == Some(tool);
    match &sample.expected {
        Expected::Call(call) => is(&call.name),
        Expected::Steps(steps) => steps.iter().flat_map(|step| &step.calls).any(|call| is(&call.name)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        show: ShowArguments,
    }

    fn bench() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let line = |at: usize| {
            let name = if at.is_multiple_of(2) { "Travel.book" } else { "sing" };
            let sample = serde_json::json!({
                "id": format!("t/{at}/x/0"), "suite": "s", "data_type": format!("d{}", at % 3), "locale": "en", "group": "t",
                "messages": [{"role": "user", "content": "hi"}], "candidates": [], "licence": "", "source": "",
                "expected": {"call": {"name": name, "arguments": {}}}, "provenance": {"template": true, "draws": []},
            });
            format!("{sample}\n")
        };
        std::fs::write(folder.path().join("samples.jsonl"), (0..30).map(line).collect::<String>()).unwrap();
        folder
    }

    fn ids(words: &str) -> (Vec<String>, usize) {
        let folder = bench();
        let words = words.split_whitespace().map(Into::into);
        let line = Line::parse_from([std::ffi::OsString::from("show"), folder.path().into()].into_iter().chain(words));
        let (samples, fitting) = line.show.chosen().unwrap();
        (samples.iter().map(|sample| sample.id.to_string()).collect(), fitting)
    }

    #[test]
    fn the_first_are_shown_or_those_that_are_named() {
        assert_eq!(ids(""), (vec!["t/0/x/0".into(), "t/1/x/0".into(), "t/2/x/0".into()], 30));
        assert_eq!(ids("t/2"), (vec!["t/2/x/0".into()], 1));
        assert_eq!(ids("t/2/x/0 t/11").0, ["t/2/x/0", "t/11/x/0"]);
        assert_eq!(ids("none").1, 0);
    }

    #[test]
    fn types_and_tools_narrow_the_choice() {
        assert_eq!((ids("--type d1").1, ids("--tool book").1, ids("--tool Travel.book --type d0").1), (10, 15, 5));
        assert_eq!(ids("--first 1 --tool sing").0, ["t/1/x/0"]);
    }

    #[test]
    fn chance_draws_the_same_again_and_others_by_another_seed() {
        let drawn = ids("--random 5");
        assert_eq!((drawn.0.len(), drawn.1), (5, 30));
        assert_eq!(drawn, ids("--random 5"));
        assert_ne!(drawn, ids("--random 5 --seed 8"));
        assert_eq!(ids("--random 99").0.len(), 30);
    }

    #[test]
    fn nothing_that_fits_is_bad_input() {
        let folder = bench();
        let line = Line::parse_from([std::ffi::OsString::from("show"), folder.path().into(), "none".into()]);
        assert!(run(&line.show).unwrap_err().to_string().starts_with("no matching samples in `"));
    }
}
