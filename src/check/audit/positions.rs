//! Whether the right tool stands in any place of its list as often as in any other.

use super::super::entry::Entry;
use super::Measure;
use super::figure::{Cell, Figure, Mark, share};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Counts places, by data type and length of the list.
#[derive(Default)]
pub(super) struct Positions(BTreeMap<String, BTreeMap<usize, Vec<usize>>>);

/// Places that are told apart: of a longer list, each of so many equal parts is one place.
const PLACES: usize = 10;

const WHAT: &str = "share of the right tool's (or the first one's) most frequent place in its list, among lists of the commonest \
    length; tenths of a list of more than ten; the mark is what chance would give (three standard deviations)";

impl Measure for Positions {
    fn see(&mut self, entry: &Entry) {
        // The later turns of a conversation show the same list again.
        let is_variant = entry.sample.snapshot.is_some() && entry.sample.data_type.0 != "Based";
        if entry.turn() != 1 || is_variant {
            return;
        }
        let tools = &entry.sample.candidates;
        // Calls of one question are about the same things, which stand together: only the first one is counted.
        let Some(tool) = entry.calls().first().and_then(|called| entry.candidate(&called.call.name)) else { return };
        let Some(place) = tools.iter().position(|shown| Arc::ptr_eq(shown, tool)) else { return };
        let by_length = self.0.entry(entry.sample.data_type.0.clone()).or_default();
        let places = tools.len().min(PLACES);
        by_length.entry(tools.len()).or_insert_with(|| vec![0; places])[place * places / tools.len()] += 1;
    }

    fn figure(&self) -> Figure {
        let cells = self.0.iter().filter_map(|(data_type, by_length)| cell(data_type, by_length));
        Figure::new("gold position", WHAT, cells.collect())
    }
}

fn cell(data_type: &str, by_length: &BTreeMap<usize, Vec<usize>>) -> Option<Cell> {
    let places = by_length.values().max_by_key(|places| places.iter().sum::<usize>())?;
    let (at, most) = places.iter().enumerate().max_by_key(|(_, count)| **count)?;
    let (n, even) = (places.iter().sum(), share(1, places.len()));
    let chance = even + 3.0 * (even * (1.0 - even) * share(1, n)).sqrt();
    let detail = format!("place {} of {}", at + 1, places.len());
    Some(Cell::share(data_type, *most, n).held_to(Mark::AtMost(chance.min(1.0))).with(detail))
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{entry, questions, sample, snapshots};
    use super::*;

    /// Samples whose right tool stands where `place` says.
    fn figure(place: impl Fn(usize) -> usize) -> Figure {
        let mut measure = Positions::default();
        for number in 0..200 {
            let mut sample = sample("a", "ST_Perfect");
            let gold = sample.candidates.remove(1);
            sample.candidates.insert(place(number), gold);
            measure.see(&entry(sample));
        }
        measure.figure()
    }

    #[test]
    fn even_places_meet_the_mark_and_a_favourite_does_not() {
        let even = &figure(|number| number % 5).cells[0];
        assert_eq!((even.value, even.n, even.mark.is_met(even.value, None)), (0.2, 200, Some(true)));
        let favourite = &figure(|number| if number % 3 == 0 { 4 } else { number % 5 }).cells[0];
        assert_eq!(favourite.mark.is_met(favourite.value, None), Some(false));
        assert_eq!(favourite.detail, "place 5 of 5");
    }

    #[test]
    fn a_chain_counts_once() {
        let mut measure = Positions::default();
        measure.see(&entry(questions("hard")));
        assert_eq!((measure.figure().cells[0].n, measure.figure().cells[0].value), (1, 1.0));
    }

    #[test]
    fn a_conversation_counts_once() {
        let mut measure = Positions::default();
        for entry in snapshots("b/0", "Based", &["{}", "{}"]) {
            measure.see(&entry);
        }
        for entry in snapshots("m/0", "mQmA", &["{}", "{}"]) {
            measure.see(&entry);
        }
        let figure = measure.figure();
        assert_eq!((figure.cells.len(), figure.cells[0].n), (1, 1));
    }
}
