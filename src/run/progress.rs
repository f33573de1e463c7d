//! How far a run is, for another process to read: the word `progress` in the table `meta` of `run.db`.

use super::StageCounts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// It is written no more often than this.
pub(super) const INTERVAL: Duration = Duration::from_secs(1);

/// How far a run is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Progress {
    /// Roots in all.
    pub roots: usize,
    /// Those of them that are done.
    pub done: usize,
    /// The stages, in the order of the file.
    pub stages: Vec<StageProgress>,
    /// How long it has taken so far, in seconds.
    pub seconds: u64,
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

impl Progress {
    /// How far it is now, as JSON.
    pub(super) fn text(roots: usize, done: usize, counts: &[StageCounts], began: Instant) -> String {
        let stages = counts.iter().map(|stage| {
            let (came, kept, rejected) = stage.read();
            StageProgress { name: stage.stage.clone(), came, kept, rejected }
        });
        let progress = Self { roots, done, stages: stages.collect(), seconds: began.elapsed().as_secs() };
        // Names and numbers can always be written as JSON.
        serde_json::to_string(&progress).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_written_as_it_is_read() {
        let counts = [StageCounts::new("ask")];
        counts[0].came();
        let text = Progress::text(3, 1, &counts, Instant::now());
        insta::assert_snapshot!(text, @r#"{"roots":3,"done":1,"stages":[{"name":"ask","came":1,"kept":0,"rejected":0}],"seconds":0}"#);
        assert_eq!(serde_json::from_str::<Progress>(&text).unwrap().stages[0].came, 1);
    }

    #[test]
    fn stages_keep_the_order_of_the_file() {
        let counts = ["z", "a"].map(StageCounts::new);
        counts[1].kept();
        counts[1].rejected(2);
        let progress: Progress = serde_json::from_str(&Progress::text(0, 0, &counts, Instant::now())).unwrap();
        let seen: Vec<(&str, usize, usize)> =
            progress.stages.iter().map(|stage| (stage.name.as_str(), stage.kept, stage.rejected)).collect();
        assert_eq!(seen, [("z", 0, 0), ("a", 1, 2)]);
    }
}
