//! How the stub's batches end, and what goes wrong on the way.

use super::fault::{FaultPlan, StubFault};
use crate::llm::interrupt::Interrupt;

/// How batches go. By default each is done at the first look, with its lines in another order.
#[derive(Debug, Clone, Default)]
pub struct BatchPlan {
    /// So many looks find it at work.
    pub looks: u64,
    /// No batch ends before this is thrown.
    pub hold: Option<Interrupt>,
    /// How the first batches end; the others are completed.
    pub ends: Vec<BatchEnd>,
    /// Each line of the results comes twice.
    pub doubled: bool,
    /// Which files are not taken.
    pub uploads: FaultPlan,
    /// Which batches are not made.
    pub creations: FaultPlan,
    /// Which looks fail.
    pub look_faults: FaultPlan,
    /// Which downloads fail.
    pub downloads: FaultPlan,
}

/// How a batch ends.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum BatchEnd {
    /// Every line has its answer.
    #[default]
    Completed,
    /// It was not accepted.
    Failed {
        /// Why, for machines.
        code: String,
        /// The line that is at fault, from 1.
        line: Option<u32>,
    },
    /// The time was over after the first half.
    ExpiredHalfway,
    /// Somebody ended it after the first half.
    CancelledHalfway,
    /// It says that it is complete, and the second half is nowhere.
    Halved,
}

impl BatchEnd {
    /// The word for it.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Completed | Self::Halved => "completed",
            Self::Failed { .. } => "failed",
            Self::ExpiredHalfway => "expired",
            Self::CancelledHalfway => "cancelled",
        }
    }

    /// Of so many lines, those that have their turn.
    pub(super) fn served(&self, lines: usize) -> usize {
        match self {
            Self::Completed => lines,
            Self::Failed { .. } => 0,
            Self::ExpiredHalfway | Self::CancelledHalfway | Self::Halved => lines / 2,
        }
    }
}

/// A line of the results, or a part of one, for one way to fail. What cannot befall a line changes nothing.
pub(super) fn spoilt(fault: &StubFault, whole: &str) -> Option<String> {
    match fault {
        StubFault::DropBeforeHeaders => None,
        StubFault::DropAfterHeaders | StubFault::TruncatedBody | StubFault::HalfJson => {
            Some(whole.chars().take(whole.chars().count() / 2).collect())
        }
        _ => Some(whole.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_has_its_word_and_its_share() {
        let failed = BatchEnd::Failed { code: "x".to_owned(), line: None };
        let ends =
            [BatchEnd::Completed, failed, BatchEnd::ExpiredHalfway, BatchEnd::CancelledHalfway, BatchEnd::Halved];
        let told: Vec<(&str, usize)> = ends.iter().map(|end| (end.word(), end.served(5))).collect();
        assert_eq!(told, [("completed", 5), ("failed", 0), ("expired", 2), ("cancelled", 2), ("completed", 2)]);
    }

    #[test]
    fn a_line_is_gone_cut_or_whole() {
        assert_eq!(spoilt(&StubFault::DropBeforeHeaders, "abcd"), None);
        assert_eq!(spoilt(&StubFault::HalfJson, "abcd").as_deref(), Some("ab"));
        assert_eq!(spoilt(&StubFault::EmptyChoices, "abcd").as_deref(), Some("abcd"));
    }
}
