//! `fcgen score`: scores what models said.

mod arguments;
mod asked;
mod baselines;
mod bfcl;
mod callnavi;
mod chats;
mod compared;
mod complexfunc;
mod confetti;
mod embedder;
mod functionchat;
mod hammerbench;
mod items;
mod prompts;
mod stdin;
mod strings;
mod suite;
mod trajectories;

pub(crate) use arguments::ScoreArguments;

use super::exit::{Complaint, ENDPOINT, OK};
use super::talk::{give, say};
use super::words::counted;
use asked::Asked;
use fcgen::format::Bench;
use fcgen::report::{Table, write_with};
use std::collections::BTreeMap;
use suite::Suite;

/// What came of scoring.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The tables.
    pub(crate) tables: Vec<Table>,
    /// What people should know of all of them.
    pub(crate) notes: Vec<(&'static str, String)>,
    /// Further fields for programs.
    pub(crate) further: Vec<(&'static str, serde_json::Value)>,
    /// Questions to a judge that got no answer.
    pub(crate) lost: usize,
    /// Samples that the suite does not score.
    pub(crate) unscored: u64,
    /// Verdicts of several predictions on the same items.
    pub(crate) compared: Option<fcgen::score::Paired>,
}

/// Scores every file of predictions by the rules of its suite, and shows the tables.
pub(crate) fn run(arguments: &ScoreArguments) -> anyhow::Result<u8> {
    if arguments.stdin {
        return stdin::run(&Bench::open(&arguments.bench).map_err(Complaint::from)?, arguments);
    }
    let scored = scored(arguments)?;
    give(write_with(&scored.tables, &scored.notes, &scored.further, arguments.form())?)?;
    Ok(if scored.lost > 0 { ENDPOINT } else { OK })
}

/// Scores, and writes the verdicts where they are wanted.
pub(crate) fn scored(arguments: &ScoreArguments) -> anyhow::Result<Outcome> {
    let bench = Bench::open(&arguments.bench).map_err(Complaint::from)?;
    let suite = arguments.suite.map_or_else(|| Suite::of(&bench), Ok)?;
    let asked = Asked::read(&bench, suite, arguments)?;
    let mut outcome = match suite {
        Suite::Hammerbench => hammerbench::run(&asked, arguments),
        Suite::Callnavi => callnavi::run(&asked, arguments),
        Suite::Confetti => confetti::run(&asked, arguments),
        Suite::Bfcl => bfcl::run(&asked, arguments),
        Suite::Complexfuncbench => complexfunc::run(&bench, &asked, arguments),
        Suite::Functionchat => functionchat::run(&bench, &asked, arguments),
    }?;
    if outcome.unscored > 0 {
        say_others(&suite.others(&bench)?);
    }
    prompts::add(&mut outcome, suite, arguments)?;
    compared::add(&mut outcome, &bench, arguments.seed)?;
    Ok(outcome)
}

/// Says of which suites the samples are that were not scored.
fn say_others(others: &BTreeMap<String, usize>) {
    let named: Vec<String> =
        others.iter().map(|(name, count)| format!("{} of `{name}`", counted(*count, "sample"))).collect();
    if !named.is_empty() {
        say(format!("not scored, since they are of other suites: {}; `--suite` picks one", named.join(", ")));
    }
}
