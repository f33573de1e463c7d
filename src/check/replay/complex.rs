//! Golden calls of complex queries replayed by their evaluator: they pass, and each of them is needed.

use super::super::audit::{Cell, Figure, Mark};
use super::count;
use crate::lint::entry::Entry;
use crate::lint::finding::Findings;
use crate::suite::complexfunc::metric::Settings;
use crate::suite::complexfunc::{GoldenFault, GoldenReplay};
use indexmap::IndexMap;
use std::sync::Arc;

/// Replays complex queries; the others are none of its business.
pub(super) struct Complex {
    settings: Arc<Settings>,
    counts: IndexMap<&'static str, (usize, usize)>,
}

const WHAT: &str = "golden calls replayed as predictions, in parallel and one by one: share of samples with all calls \
    and turns correct, by the strict profile and by the authors' profile for GPT models; and share that fails when \
    any single required call is left out";

const STRICT: &str = "strict";
const GPT: &str = "gpt";
const NEEDED: &str = "every call is required";

impl Complex {
    pub(super) fn new(settings: Arc<Settings>) -> Self {
        Self { settings, counts: IndexMap::new() }
    }

    /// Replays an entry; golden calls that do not pass, or that nobody needs, are errors of the bench.
    pub(super) fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let Some(replay) = GoldenReplay::new(&entry.sample, self.settings.clone()) else { return };
        let faults = replay.faults();
        for fault in &faults {
            let rule = if matches!(fault, GoldenFault::Fails { .. }) { "replay" } else { "deletable_call" };
            findings.error(rule, entry, fault.to_string());
        }
        let fails = |wanted: &str| {
            faults.iter().any(|it| matches!(it, GoldenFault::Fails { profile, .. } if *profile == wanted))
        };
        for profile in [STRICT, GPT] {
            count(&mut self.counts, profile, !fails(profile));
        }
        let is_needed = !faults.iter().any(|fault| matches!(fault, GoldenFault::Deletable { .. }));
        count(&mut self.counts, NEEDED, is_needed);
    }

    /// The figure of everything that was replayed; none where there was no complex query.
    pub(super) fn finish(self) -> Option<Figure> {
        let cells =
            self.counts.iter().map(|(name, (good, n))| Cell::share(*name, *good, *n).held_to(Mark::AtLeast(1.0)));
        let cells: Vec<Cell> = cells.collect();
        (!cells.is_empty()).then(|| Figure::new("golden replay", WHAT, cells))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{complex, entry, step};
    use crate::record::Sample;

    fn replayed(samples: Vec<Sample>) -> (Option<Figure>, Vec<String>) {
        let (mut replay, mut findings) =
            (Complex::new(crate::lint::testing::complex_ground().settings.clone()), Findings::default());
        for sample in samples {
            replay.see(&entry(sample), &mut findings);
        }
        let told = findings.rules().map(|(rule, _, count, _)| format!("{rule} {count}")).collect();
        (replay.finish(), told)
    }

    #[test]
    fn sound_calls_pass_and_are_needed() {
        let (figure, told) = replayed(vec![complex(), complex()]);
        assert_eq!(told, Vec::<String>::new());
        let cells = figure.unwrap().cells;
        assert_eq!(cells.iter().map(|cell| cell.slice.as_str()).collect::<Vec<_>>(), [STRICT, GPT, NEEDED]);
        assert!(cells.iter().all(|cell| cell.value >= 1.0 && cell.n == 2));
    }

    #[test]
    fn what_does_not_pass_is_an_error() {
        let mut broken = complex();
        step(&mut broken, 1).calls[0].arguments.shift_remove("town_id");
        let (figure, told) = replayed(vec![broken, complex()]);
        assert_eq!(told, ["replay 4"]);
        assert!((figure.unwrap().cell(GPT).unwrap().value - 0.5).abs() < 1e-9);
        assert_eq!(replayed(Vec::new()).0, None);
    }
}
