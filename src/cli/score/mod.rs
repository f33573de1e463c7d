//! `fcgen score`: scores what models said.

mod arguments;
mod baselines;
mod bfcl;
mod callnavi;
mod chats;
mod complexfunc;
mod confetti;
mod embedder;
mod functionchat;
mod hammerbench;
mod items;
mod strings;
mod suite;
mod trajectories;

pub(crate) use arguments::ScoreArguments;

use super::exit::Complaint;
use fcgen::format::Bench;
use suite::Suite;

/// Scores every file of predictions by the rules of its suite, and shows the tables.
pub(crate) fn run(arguments: &ScoreArguments) -> anyhow::Result<u8> {
    let bench = Bench::open(&arguments.bench).map_err(Complaint::from)?;
    match arguments.suite.map_or_else(|| Suite::of(&bench), Ok)? {
        Suite::Hammerbench => hammerbench::run(&bench, arguments),
        Suite::Callnavi => callnavi::run(&bench, arguments),
        Suite::Confetti => confetti::run(&bench, arguments),
        Suite::Bfcl => bfcl::run(&bench, arguments),
        Suite::Complexfuncbench => complexfunc::run(&bench, arguments),
        Suite::Functionchat => functionchat::run(&bench, arguments),
    }
}
