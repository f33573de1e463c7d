//! What a run is asked for, what can be seen of it meanwhile, and what comes of it.

use super::StageCounts;
use crate::llm::{Interrupt, UsageBook};
use crate::record::{Item, Reject};
use crate::run::output::manifest::Manifest;
use crate::run::roots::follow::Follow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What is to be run, and how.
#[derive(Debug, Clone)]
pub struct Options {
    /// The folder that everything is written to.
    pub out: PathBuf,
    /// One of several parts of the roots, from 0, and how many parts there are.
    pub shard: Option<(usize, usize)>,
    /// Draw no more than one item of each kind for so many roots, write nothing, and hand the items back.
    pub preview: Option<usize>,
    /// Roots at work at the same time; as many as keep the models busy where absent.
    pub concurrency: Option<usize>,
    /// Ask anew for everything that an earlier run rejected.
    pub rerun_rejects: bool,
    /// Whether a run of another plan in the folder may be replaced.
    pub overwrite: bool,
    /// Thrown when somebody wants the run to stop.
    pub interrupt: Interrupt,
    /// The run in another locale whose items this one is to make again, and no others.
    pub follow: Option<Arc<Follow>>,
}

/// Watches a run while it goes on; handed over before the first root.
pub struct Live {
    /// Counts of every stage, in the order of the file.
    pub counts: Arc<Vec<StageCounts>>,
    /// What was asked and what it took.
    pub usage: Arc<UsageBook>,
    /// Roots to be done.
    pub roots: usize,
}

/// What a preview made of a few source items.
#[derive(Debug, Default)]
pub struct Preview {
    /// The items that came out.
    pub items: Vec<Item>,
    /// The rejects of all stages, each with its reply and its reason.
    pub rejects: Vec<Reject>,
}

/// What came of a run.
#[derive(Debug)]
pub struct Summary {
    /// Everything that `manifest.json` holds.
    pub manifest: Manifest,
    /// What a preview made and rejected; empty otherwise.
    pub preview: Preview,
    /// Where it was written.
    pub folder: PathBuf,
    /// How long it took.
    pub wall: Duration,
}

impl Options {
    /// A whole run into `out`.
    pub fn new(out: impl Into<PathBuf>) -> Self {
        Self {
            out: out.into(),
            shard: None,
            preview: None,
            concurrency: None,
            rerun_rejects: false,
            overwrite: false,
            interrupt: Interrupt::new(),
            follow: None,
        }
    }

    /// The shard as the state and the manifest name it: from 0, as in `0/3`.
    pub(super) fn shard_name(&self) -> Option<String> {
        self.shard.map(|(index, of)| format!("{index}/{of}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_has_a_name_and_a_whole_run_has_none() {
        let whole = Options::new("out");
        assert_eq!(whole.shard_name(), None);
        assert_eq!(Options { shard: Some((0, 3)), ..whole }.shard_name().unwrap(), "0/3");
    }
}
