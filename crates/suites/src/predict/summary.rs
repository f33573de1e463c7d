//! What can be seen while predictions come in, and what comes of it.

use crate::llm::{StageUsage, UsageBook};
use crate::record::Prediction;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Watches the work while it goes on; handed over before the first question.
#[derive(Clone)]
pub struct Live {
    /// Rows so far.
    pub tally: Arc<Tally>,
    /// What was asked and what it took.
    pub usage: Arc<UsageBook>,
    /// Rows to be written.
    pub rows: usize,
}

/// Rows as they are finished, in any order.
#[derive(Debug, Default)]
pub struct Tally {
    done: AtomicUsize,
    lost: AtomicUsize,
    cut: AtomicUsize,
    routed: AtomicUsize,
    unusable: AtomicUsize,
    invented: AtomicUsize,
}

/// What came of the routings, where tools were chosen for the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RoutingCounts {
    /// Rows with a routing.
    pub routed: usize,
    /// Those of them whose routing was unreadable or named no candidate, so that all were shown.
    pub unusable: usize,
    /// Names that were no candidate's, in all rows.
    pub invented: usize,
}

/// What came of it.
#[derive(Debug)]
pub struct Summary {
    /// The file that was written.
    pub out: PathBuf,
    /// The model, as its server knows it.
    pub model: String,
    /// Whether that is the built-in reader.
    pub built_in: bool,
    /// The model that chose tools for it, where that is another one.
    pub router: Option<String>,
    /// How it was asked.
    pub variant: String,
    /// Samples that were asked about.
    pub samples: usize,
    /// Samples that were left out, because nobody scores them.
    pub left_out: usize,
    /// How often each was.
    pub runs: u32,
    /// Rows that hold an error, because their question got no answer.
    pub lost: usize,
    /// The first such error.
    pub example: Option<String>,
    /// Rows that end at the token limit.
    pub cut: usize,
    /// What came of the routings, where there were any.
    pub routing: Option<RoutingCounts>,
    /// What was asked and what it took, this time.
    pub usage: Vec<StageUsage>,
    /// What people should know about the endpoint.
    pub notes: Vec<String>,
    /// How long it took.
    pub wall: Duration,
}

impl Tally {
    /// Rows that are finished, and those of them that hold an error.
    pub fn read(&self) -> (usize, usize) {
        (self.done.load(Ordering::Relaxed), self.lost.load(Ordering::Relaxed))
    }

    pub(super) fn cut(&self) -> usize {
        self.cut.load(Ordering::Relaxed)
    }

    pub(super) fn routing(&self) -> Option<RoutingCounts> {
        let read = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        let (routed, unusable, invented) = (read(&self.routed), read(&self.unusable), read(&self.invented));
        (routed > 0).then_some(RoutingCounts { routed, unusable, invented })
    }

    pub(super) fn count(&self, prediction: &Prediction) {
        self.done.fetch_add(1, Ordering::Relaxed);
        self.lost.fetch_add(usize::from(prediction.error.is_some()), Ordering::Relaxed);
        let cut = prediction.finish_reason.as_deref() == Some("length");
        self.cut.fetch_add(usize::from(cut), Ordering::Relaxed);
        for routing in prediction.turns.iter().filter_map(|turn| turn.routing.as_ref()) {
            self.routed.fetch_add(1, Ordering::Relaxed);
            self.unusable.fetch_add(usize::from(routing.passed.is_empty()), Ordering::Relaxed);
            self.invented.fetch_add(routing.invented.len(), Ordering::Relaxed);
        }
    }
}

impl Summary {
    /// Rows that were written.
    pub fn rows(&self) -> usize {
        self.samples * self.runs as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prediction(rest: &str) -> Prediction {
        serde_json::from_str(&format!("{{\"id\": \"a\", \"turns\": [] {rest}}}")).unwrap()
    }

    #[test]
    fn rows_are_counted_with_those_that_say_less_than_they_should() {
        let tally = Tally::default();
        tally.count(&prediction(""));
        tally.count(&prediction(", \"finish_reason\": \"length\""));
        tally.count(&prediction(", \"error\": \"HTTP 500\""));
        assert_eq!((tally.read(), tally.cut(), tally.routing()), ((3, 1), 1, None));
    }

    #[test]
    fn routings_are_counted_with_what_was_wrong_with_them() {
        let tally = Tally::default();
        for routing in [r#"{"passed": ["a"], "invented": ["x", "y"]}"#, r#"{"passed": []}"#, r#"{"passed": ["a"]}"#] {
            let line = format!(r#"{{"id": "a", "turns": [{{"routing": {routing}}}, {{"content": "z"}}]}}"#);
            tally.count(&serde_json::from_str(&line).unwrap());
        }
        assert_eq!(tally.routing(), Some(RoutingCounts { routed: 3, unusable: 1, invented: 2 }));
    }
}
