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

/// Progress of a run, or its state when it stopped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Progress {
    /// Name of the pipeline.
    pub pipeline: String,
    /// Locale.
    pub locale: String,
    /// Random seed.
    pub seed: u64,
    /// Current phase.
    pub phase: Phase,
    /// Reason why it stopped early, if it could record one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// Number of source items.
    pub roots: usize,
    /// Number of finished source items.
    pub done: usize,
    /// Stages, in file order.
    pub stages: Vec<StageProgress>,
    /// Requests, tokens and cost so far.
    pub spent: Spent,
    /// Number of requests waiting for a reply.
    pub in_flight: u64,
    /// Recent throughput.
    pub rates: Rates,
    /// Elapsed time in seconds.
    pub seconds: f64,
    /// Estimated remaining time in seconds, at the pace of the finished source items; absent if none is finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds_left: Option<u64>,
}

/// Phase of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Reading files and building simulated environments.
    Setup,
    /// Generating items.
    Making,
    /// Writing files.
    Writing,
    /// Finished.
    Done,
}

/// Item counts of a stage so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StageProgress {
    /// Name of the stage.
    pub name: String,
    /// Items in.
    pub came: usize,
    /// Items out.
    pub kept: usize,
    /// Rejected items.
    pub rejected: usize,
}

/// Requests, tokens and cost, over all stages and models.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Spent {
    /// Requests, cached ones included.
    pub requests: u64,
    /// Requests answered by the reply cache or by an equal concurrent request.
    pub cache_hits: u64,
    /// Attempts sent to a server.
    pub attempts: u64,
    /// Attempts that retried a failed one.
    pub retries: u64,
    /// Requests that failed after all attempts.
    pub failures: u64,
    /// Input tokens.
    pub prompt_tokens: u64,
    /// Output tokens.
    pub completion_tokens: u64,
    /// Cost in US dollars.
    pub cost: f64,
}

/// Throughput of a run over a recent period.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Rates {
    /// Length of the period in seconds.
    pub over_seconds: f64,
    /// Items per second that left the last stages.
    pub items_per_second: f64,
    /// Answered requests per second.
    pub requests_per_second: f64,
}

impl Progress {
    /// Reads the progress of the run in this folder; `None` if there is none.
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

    /// Whether a process is working in the folder; `None` if the system cannot tell.
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
