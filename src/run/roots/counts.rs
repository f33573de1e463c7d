//! How many items came to each stage, were kept and were rejected: for progress while it runs and for the manifest.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Counts of one stage.
#[derive(Debug, Default)]
pub struct StageCounts {
    /// The stage's name.
    pub stage: String,
    came: AtomicUsize,
    kept: AtomicUsize,
    rejected: AtomicUsize,
}

impl StageCounts {
    /// Counts of a stage, all zero.
    pub fn new(stage: &str) -> Self {
        Self { stage: stage.to_owned(), ..Self::default() }
    }

    /// Items that came in, went on, and were dropped, so far.
    pub fn read(&self) -> (usize, usize, usize) {
        (self.came.load(Relaxed), self.kept.load(Relaxed), self.rejected.load(Relaxed))
    }

    pub(crate) fn came(&self) {
        self.came.fetch_add(1, Relaxed);
    }

    pub(crate) fn kept(&self) {
        self.kept.fetch_add(1, Relaxed);
    }

    pub(crate) fn rejected(&self, count: usize) {
        self.rejected.fetch_add(count, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_up() {
        let counts = StageCounts::new("ask");
        counts.came();
        counts.came();
        counts.kept();
        counts.rejected(3);
        assert_eq!(counts.read(), (2, 1, 3));
    }

    #[test]
    fn many_count_at_once() {
        let counts = StageCounts::new("ask");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..250).for_each(|_| counts.came()));
            }
        });
        assert_eq!(counts.read(), (1000, 0, 0));
    }
}
