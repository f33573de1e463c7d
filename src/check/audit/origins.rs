//! Where values come from: whether only copying is asked for.

use super::Measure;
use super::figure::{Cell, Figure};
use crate::lint::entry::Entry;
use crate::lint::ground::Ground;
use crate::record::{Argument, Origin};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Counts values by origin, each where it is given.
pub(super) struct Origins {
    ground: Arc<Ground>,
    by_origin: BTreeMap<&'static str, usize>,
}

/// The word for a value that nothing is known of.
const UNSAID: &str = "not in the text";

const WHAT: &str = "argument values by provenance, each counted where it first appears; at least 20 % non-verbatim \
    values are recommended for training mixes only";

impl Origins {
    pub(super) fn new(ground: Arc<Ground>) -> Self {
        Self { ground, by_origin: BTreeMap::new() }
    }
}

impl Measure for Origins {
    fn see(&mut self, entry: &Entry) {
        if entry.is_question() {
            for argument in self.ground.arguments(entry) {
                *self.by_origin.entry(argument.as_ref().map_or(UNSAID, word)).or_default() += 1;
            }
            return;
        }
        // What a variant repeats is counted where it comes first.
        let is_own = match entry.sample.data_type.0.as_str() {
            _ if entry.sample.snapshot.is_none() => true,
            "Based" => entry.turn() > 1,
            _ => entry.is_marked() && entry.turn() > 1,
        };
        if !is_own || !entry.has_past() || entry.tool().is_none() {
            return;
        }
        let surfaces = self.ground.surfaces(entry);
        let unsaid = entry.fresh().len().saturating_sub(surfaces.len());
        for argument in &surfaces {
            *self.by_origin.entry(word(argument)).or_default() += 1;
        }
        if unsaid > 0 {
            *self.by_origin.entry(UNSAID).or_default() += unsaid;
        }
    }

    fn figure(&self) -> Figure {
        let n: usize = self.by_origin.values().sum();
        let verbatim = self.by_origin.get("verbatim").copied().unwrap_or_default();
        let others = std::iter::once(Cell::share("not verbatim", n - verbatim, n)).filter(|_| n > 0);
        let cells = self.by_origin.iter().map(|(origin, count)| Cell::share(*origin, *count, n));
        Figure::new("origins", WHAT, others.chain(cells).collect())
    }
}

fn word(argument: &Argument) -> &'static str {
    match argument.origin {
        Origin::Verbatim => "verbatim",
        Origin::Normalised => "normalised",
        Origin::Enum => "enum or boolean",
        Origin::Inferred | Origin::Derived { .. } => "inferred",
        Origin::Answer { .. } => "earlier answer",
        Origin::Default => "default",
        Origin::Open => "free text",
        Origin::Missing => "not given",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{arguments, entry, questions, said, snapshots, step};

    #[test]
    fn values_are_counted_where_they_are_given() {
        let mut measure = Origins::new(Ground::load(crate::fixtures::assets(), "en").unwrap());
        let words = "book two seats to Porto, first class";
        measure.see(&entry(said("a", "ST_Perfect", words, r#"{"to": "Porto", "seats": 2, "class": "first"}"#)));
        measure.see(&entry(said("b", "ST_Perfect", "book it", r#"{"to": "Porto"}"#)));
        for entry in snapshots("b/0", "Based", &[r#"{"to": "Porto"}"#, r#"{"to": "Porto", "seats": 2}"#]) {
            measure.see(&entry);
        }
        let figure = measure.figure();
        let count = |slice: &str| figure.cell(slice).map(|cell| (cell.value * 5.0).round());
        assert_eq!(count("verbatim"), Some(3.0), "{figure:?}");
        assert_eq!(
            (count("normalised"), count("not in the text"), count("not verbatim")),
            (Some(1.0), Some(1.0), Some(2.0))
        );
        assert_eq!(figure.cells[0].n, 5);
    }

    #[test]
    fn all_values_of_a_chain_are_counted() {
        let mut measure = Origins::new(Ground::load(crate::fixtures::assets(), "en").unwrap());
        let mut unsaid = questions("easy");
        step(&mut unsaid, 0).notes.clear();
        arguments(&mut unsaid, 0).insert("customerId".to_owned(), "U99".into());
        for sample in [questions("hard"), unsaid] {
            measure.see(&entry(sample));
        }
        let figure = measure.figure();
        let slices: Vec<&str> = figure.cells.iter().map(|cell| cell.slice.as_str()).collect();
        assert_eq!(slices, ["not verbatim", "earlier answer", "not in the text", "verbatim"]);
        assert_eq!(figure.cells[0].n, 3);
    }

    #[test]
    fn a_bench_without_values_has_no_figure() {
        assert!(Origins::new(Ground::load(crate::fixtures::assets(), "en").unwrap()).figure().missing.is_some());
    }

    #[test]
    fn every_origin_has_its_word() {
        let word = |origin| word(&Argument { surface: None, origin, ..Argument::default() });
        assert_eq!(word(Origin::Enum), "enum or boolean");
        assert_eq!(word(Origin::Answer { call: 0, field: String::new() }), "earlier answer");
        assert_eq!([Origin::Inferred, Origin::Default].map(word), ["inferred", "default"]);
    }
}
