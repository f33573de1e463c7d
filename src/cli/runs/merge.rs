//! `fcgen merge`: puts the shards of a run together.

use super::manifest::read_manifest;
use super::plan::PlanArguments;
use crate::cli::console::closing::screen;
use crate::cli::console::exit::{Complaint, INPUT};
use crate::cli::console::interrupt::wish;
use crate::cli::console::talk::{Colour, give, say};
use crate::cli::console::verdict::verdict;
use crate::cli::flags::out::OutArguments;
use clap::Args;
use fcgen::run::{Manifest, Options, folder_name, merge};
use std::path::PathBuf;

/// Flags of `merge`.
#[derive(Debug, Args)]
pub(crate) struct MergeArguments {
    /// Shard folders, each once, in any order
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Pipeline file of the shards; default: the one named in their manifests
    #[arg(long, value_name = "FILE")]
    pipeline: Option<String>,
    #[command(flatten)]
    plan: PlanArguments,
    #[command(flatten)]
    out: OutArguments,
    /// Quiet: print only errors
    #[arg(long, short)]
    quiet: bool,
}

/// Merges, and says what came of it.
pub(crate) fn run(arguments: &MergeArguments) -> anyhow::Result<u8> {
    let first = arguments.first()?;
    let plan = arguments.plan.or(&first).load(arguments.pipeline.as_ref().unwrap_or(&first.pipeline))?;
    let options = Options { interrupt: wish(), ..arguments.out.options(&folder_name(&plan, None)) };
    let summary = merge(&plan, &arguments.runs, &options)?;
    if !arguments.quiet {
        say(screen(&plan, &summary, Colour::for_talk())?);
    }
    give(summary.folder.display())?;
    Ok(verdict(&plan, &summary))
}

impl MergeArguments {
    /// The manifest of the first shard: what was said there need not be said again.
    fn first(&self) -> anyhow::Result<Manifest> {
        let first = self.runs.first().ok_or_else(|| Complaint::new(INPUT, "no shards given"))?;
        read_manifest(first)
    }
}
