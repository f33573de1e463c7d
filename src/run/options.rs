//! Options of a run, its live state, and its result.

use super::StageCounts;
use crate::llm::{Interrupt, UsageBook};
use crate::record::{Item, Reject};
use crate::run::output::manifest::Manifest;
use crate::run::roots::follow::Follow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Options of a run.
#[derive(Debug, Clone)]
pub struct Options {
    /// Output folder.
    pub out: PathBuf,
    /// Index of the shard of source items, from 0, and the number of shards.
    pub shard: Option<(usize, usize)>,
    /// Generate at most one item of each kind for this many source items, write nothing, and return the items.
    pub preview: Option<usize>,
    /// Maximum concurrent source items; by default, enough to keep the models busy.
    pub concurrency: Option<usize>,
    /// Retry all items that an earlier run rejected.
    pub rerun_rejects: bool,
    /// Whether a run of another plan in the folder may be replaced.
    pub overwrite: bool,
    /// Signals that the run should stop.
    pub interrupt: Interrupt,
    /// Source run in another locale, whose items (and no others) are regenerated.
    pub follow: Option<Arc<Follow>>,
}

/// Live state of a run; passed to the caller before the first source item.
pub struct Live {
    /// Item counts of every stage, in file order.
    pub counts: Arc<Vec<StageCounts>>,
    /// Requests, tokens and cost.
    pub usage: Arc<UsageBook>,
    /// Number of source items.
    pub roots: usize,
}

/// Result of a preview of a few source items.
#[derive(Debug, Default)]
pub struct Preview {
    /// Accepted items.
    pub items: Vec<Item>,
    /// Rejects of all stages, each with its reply and reason.
    pub rejects: Vec<Reject>,
}

/// Result of a run.
#[derive(Debug)]
pub struct Summary {
    /// Contents of `manifest.json`.
    pub manifest: Manifest,
    /// Items and rejects of a preview; empty otherwise.
    pub preview: Preview,
    /// Output folder.
    pub folder: PathBuf,
    /// Duration.
    pub wall: Duration,
}

impl Options {
    /// Options of a whole run into `out`.
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
