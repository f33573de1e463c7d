//! Whether the right tools of the functions are spread evenly over the places of their lists.

use super::super::super::entry::Entry;
use super::super::super::hash::hash;
use super::{Cell, Figure, Mark, Measure};
use crate::format::functionchat::Set;
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// Counts places by list; a function's queries share its lists, and each list counts once.
#[derive(Default)]
pub(super) struct Places {
    seen: BTreeSet<u64>,
    by_list: IndexMap<String, Vec<usize>>,
}

const WHAT: &str = "right tools in the fullest place of a list of this kind less those in the emptiest, each function's list once \
    (CALL: each item)";

impl Measure for Places {
    fn see(&mut self, entry: &Entry) {
        let kind = entry.sample.data_type.0.as_str();
        let Some(call) = entry.call().filter(|_| Set::of(&entry.sample.data_type) != Set::Dialog) else { return };
        let tools = &entry.sample.candidates;
        let Some(place) = tools.iter().position(|tool| tool.name == call.name) else { return };
        let names = tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>().join(" ");
        if self.seen.insert(hash(&[kind, &call.name, &entry.sample.group, &names])) {
            let places = self.by_list.entry(kind.to_owned()).or_default();
            places.resize(places.len().max(tools.len()), 0);
            places[place] += 1;
        }
    }

    fn figure(&self) -> Figure {
        let cells = self.by_list.iter().filter(|(_, places)| places.len() > 1).map(|(kind, places)| cell(kind, places));
        Figure::new("target places", WHAT, cells.collect())
    }
}

fn cell(kind: &str, places: &[usize]) -> Cell {
    let (most, least) = (places.iter().max().copied(), places.iter().min().copied());
    let spread = u32::try_from(most.unwrap_or_default() - least.unwrap_or_default()).unwrap_or(u32::MAX);
    let counts = places.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    Cell::new(kind, f64::from(spread), places.iter().sum())
        .held_to(Mark::AtMost(1.0))
        .with(format!("by place: {counts}"))
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{dialog, entries, single};
    use super::*;

    /// Single calls of functions whose right tools stand in these places of two.
    fn figure(places: &[usize]) -> Figure {
        let mut measure = Places::default();
        for (number, place) in places.iter().enumerate() {
            let mut sample = single(&format!("s{number}"), "2_close");
            sample.group = format!("function {number}");
            if *place == 0 {
                sample.candidates.reverse();
            }
            // Two queries share the list.
            for entry in entries(vec![sample.clone(), sample]) {
                measure.see(&entry);
            }
        }
        measure.figure()
    }

    #[test]
    fn places_are_even_or_not() {
        let even = figure(&[0, 1, 1]).cells[0].clone();
        assert_eq!((even.value, even.n, even.detail.as_str()), (1.0, 3, "by place: 1, 2"));
        assert_eq!(even.mark.is_met(even.value, None), Some(true));
        let uneven = figure(&[1, 1, 1]).cells[0].clone();
        assert_eq!((uneven.value, uneven.mark.is_met(uneven.value, None)), (3.0, Some(false)));
    }

    #[test]
    fn lists_of_one_and_dialogs_have_no_places() {
        let mut measure = Places::default();
        let samples = [dialog(), vec![single("a", "exact")]].concat();
        for entry in entries(samples) {
            measure.see(&entry);
        }
        assert!(measure.figure().missing.is_some());
    }
}
