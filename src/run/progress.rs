//! How far a run is, for another process to read: `progress.json`, as long as the run is not at its end.

use super::StageCounts;
use crate::fs::Lock;
use crate::llm::StageUsage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

/// The file beside the others.
pub(super) const FILE: &str = "progress.json";

/// How far a run is, or was when it stopped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Progress {
    /// The pipeline's name.
    pub pipeline: String,
    /// The locale.
    pub locale: String,
    /// The seed.
    pub seed: u64,
    /// What it is busy with.
    pub phase: Phase,
    /// Why it stopped before its end, where it had the time to say so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// Roots in all.
    pub roots: usize,
    /// Those of them that are done.
    pub done: usize,
    /// The stages, in the order of the file.
    pub stages: Vec<StageProgress>,
    /// What was asked and what it took.
    pub spent: Spent,
    /// Requests that wait for an answer.
    pub in_flight: u64,
    /// How fast it was lately.
    pub rates: Rates,
    /// How long it has taken so far, in seconds.
    pub seconds: f64,
    /// How long the roots that are left will take at the pace of those that are done; nothing where none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds_left: Option<u64>,
}

/// What a run is busy with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Files are read, worlds made.
    Setup,
    /// Items are made.
    Making,
    /// Files are written.
    Writing,
    /// It is at its end.
    Done,
}

/// How many items a stage has seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StageProgress {
    /// Its name.
    pub name: String,
    /// Items that came in.
    pub came: usize,
    /// Items that went on.
    pub kept: usize,
    /// Items that were dropped.
    pub rejected: usize,
}

/// What was asked and what it took, over all stages and models.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Spent {
    /// Questions, however they were answered.
    pub requests: u64,
    /// Questions that the journal, or an equal question in flight, answered for nothing.
    pub cache_hits: u64,
    /// Requests that were sent.
    pub attempts: u64,
    /// Those of them that repeated one that had failed.
    pub retries: u64,
    /// Questions that got no answer.
    pub failures: u64,
    /// Tokens read.
    pub prompt_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
    /// Dollars.
    pub cost: f64,
}

/// How fast a run was over the last while.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Rates {
    /// So many seconds are looked at.
    pub over_seconds: f64,
    /// Items that left the last stages, a second.
    pub items_per_second: f64,
    /// Requests that were answered, a second.
    pub requests_per_second: f64,
}

impl Progress {
    /// What the run in this folder left word of; nothing where it left none.
    pub fn read(folder: &Path) -> io::Result<Option<Self>> {
        match std::fs::read(folder.join(FILE)) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Takes the word of an earlier run away, which is older than what now lies there.
    pub(super) fn forget(folder: &Path) {
        std::fs::remove_file(folder.join(FILE)).unwrap_or_default();
    }

    /// Whether a process is at work in the folder; nothing where the system cannot tell.
    pub fn is_at_work(folder: &Path) -> Option<bool> {
        Lock::is_taken(folder)
    }
}

impl StageProgress {
    /// The counts so far.
    pub(super) fn of(counts: &[StageCounts]) -> Vec<Self> {
        let stage = |counts: &StageCounts| {
            let (came, kept, rejected) = counts.read();
            Self { name: counts.stage.clone(), came, kept, rejected }
        };
        counts.iter().map(stage).collect()
    }
}

impl Spent {
    /// The sum over all rows.
    pub fn of(usage: &[StageUsage]) -> Self {
        usage.iter().fold(Self::default(), |sum, row| Self {
            requests: sum.requests + row.requests,
            cache_hits: sum.cache_hits + row.cache_hits,
            attempts: sum.attempts + row.attempts,
            retries: sum.retries + row.retries,
            failures: sum.failures + row.failures,
            prompt_tokens: sum.prompt_tokens + row.prompt_tokens,
            completion_tokens: sum.completion_tokens + row.completion_tokens,
            cost: sum.cost + row.cost,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_keep_the_order_of_the_file() {
        let counts = ["z", "a"].map(StageCounts::new);
        counts[1].kept();
        counts[1].rejected(2);
        let stages = StageProgress::of(&counts);
        let seen: Vec<(&str, usize, usize)> =
            stages.iter().map(|stage| (stage.name.as_str(), stage.kept, stage.rejected)).collect();
        assert_eq!(seen, [("z", 0, 0), ("a", 1, 2)]);
    }

    #[test]
    fn what_was_spent_is_summed_over_stages_and_models() {
        let row = |stage: &str, cost| StageUsage {
            stage: stage.to_owned(),
            requests: 3,
            cache_hits: 1,
            attempts: 4,
            retries: 2,
            failures: 1,
            prompt_tokens: 100,
            completion_tokens: 10,
            cost,
            ..StageUsage::default()
        };
        let spent = Spent::of(&[row("a", 0.5), row("b", 0.25)]);
        assert_eq!((spent.requests, spent.cache_hits, spent.attempts, spent.retries), (6, 2, 8, 4));
        assert_eq!((spent.failures, spent.prompt_tokens, spent.completion_tokens), (2, 200, 20));
        assert!((spent.cost - 0.75).abs() < 1e-9);
        assert_eq!(Spent::of(&[]), Spent::default());
    }

    #[test]
    fn where_no_word_was_left_there_is_none_and_a_broken_one_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Progress::read(folder.path()).unwrap(), None);
        std::fs::write(folder.path().join(FILE), "{\"roots\":").unwrap();
        assert_eq!(Progress::read(folder.path()).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!(Progress::is_at_work(folder.path()), Some(false));
    }
}
