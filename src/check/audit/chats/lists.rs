//! Lists of tools: where the right one stands, and how close the others are to it.

use super::{Cell, Figure, Mark, Measure, share};
use crate::lint::entry::Entry;
use crate::lint::hash::hash;
use crate::suite::functionchat::layout::Set;
use indexmap::IndexMap;
use std::collections::BTreeSet;

// Whether the right tools of the functions are spread evenly over the places of their lists.

/// Counts places by list; a function's queries share its lists, and each list counts once.
#[derive(Default)]
pub(super) struct Places {
    seen: BTreeSet<u64>,
    by_list: IndexMap<String, Vec<usize>>,
}

const PLACES: &str = "expected tools at the most frequent position in lists of this kind minus those at the least \
    frequent one; the list of a function counts once (CALL: every item)";

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
        Figure::new("target places", PLACES, cells.collect())
    }
}

fn cell(kind: &str, places: &[usize]) -> Cell {
    let (most, least) = (places.iter().max().copied(), places.iter().min().copied());
    let spread = u32::try_from(most.unwrap_or_default() - least.unwrap_or_default()).unwrap_or(u32::MAX);
    let counts = places.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    Cell::new(kind, f64::from(spread), places.iter().sum())
        .held_to(Mark::AtMost(1.0))
        .with(format!("by position: {counts}"))
}

// Whether close tools are closer to the right one than tools that were drawn.

/// Sums of likeness by list; each list of a function counts once.
#[derive(Default)]
pub(super) struct Closeness {
    seen: BTreeSet<u64>,
    by_list: IndexMap<String, (f64, usize)>,
}

/// Least likeness of close tools, in that of drawn ones.
const MARK: f64 = 2.0;

const CLOSENESS: &str = "mean similarity between the expected tool and the distractor tools of a list (Jaccard index \
    of the character bigrams of their descriptions); and the ratio of close lists to random lists of the same length";

impl Measure for Closeness {
    fn see(&mut self, entry: &Entry) {
        let kind = entry.sample.data_type.0.as_str();
        if Set::of(&entry.sample.data_type) != Set::Singlecall {
            return;
        }
        let Some(right) = entry.call().and_then(|call| entry.candidate(&call.name)) else { return };
        let others: Vec<_> = entry.sample.candidates.iter().filter(|tool| tool.name != right.name).collect();
        let names = others.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>().join(" ");
        if others.is_empty() || !self.seen.insert(hash(&[kind, &right.name, &entry.sample.group, &names])) {
            return;
        }
        let own = pairs(&right.description);
        let known = self.by_list.entry(kind.to_owned()).or_default();
        for other in others {
            known.0 += likeness(&own, &pairs(&other.description));
            known.1 += 1;
        }
    }

    fn figure(&self) -> Figure {
        let means = self.by_list.iter().map(|(kind, (sum, n))| Cell::new(kind.clone(), sum * share(1, *n), *n));
        let ratios = self.by_list.iter().filter_map(|(kind, close)| {
            let length = kind.strip_suffix("_close")?;
            let random = self.by_list.get(&format!("{length}_random")).filter(|(sum, _)| *sum > 0.0)?;
            let ratio = (close.0 * share(1, close.1)) / (random.0 * share(1, random.1));
            Some(Cell::new(format!("{length}: close / random"), ratio, close.1).held_to(Mark::AtLeast(MARK)))
        });
        Figure::new("close tools", CLOSENESS, means.chain(ratios).collect())
    }
}

/// Pairs of neighbouring letters; spaces part none.
fn pairs(text: &str) -> BTreeSet<(char, char)> {
    let letters: Vec<char> = text.to_lowercase().chars().filter(|letter| !letter.is_whitespace()).collect();
    letters.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

fn likeness(one: &BTreeSet<(char, char)>, other: &BTreeSet<(char, char)>) -> f64 {
    share(one.intersection(other).count(), one.union(other).count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{dialog, entries, single};

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
        assert_eq!((even.value, even.n, even.detail.as_str()), (1.0, 3, "by position: 1, 2"));
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

#[cfg(test)]
mod closeness_tests {
    use super::*;
    use crate::lint::testing::{decision, entries, single};

    fn figure(samples: Vec<crate::record::Sample>) -> Figure {
        let mut measure = Closeness::default();
        for entry in entries(samples) {
            measure.see(&entry);
        }
        measure.figure()
    }

    #[test]
    fn close_tools_are_held_against_drawn_ones() {
        let figure =
            figure(vec![single("a", "2_close"), single("b", "2_random"), single("c", "2_random"), decision("CALL")]);
        let slices: Vec<&str> = figure.cells.iter().map(|cell| cell.slice.as_str()).collect();
        assert_eq!(slices, ["2_close", "2_random", "2: close / random"]);
        assert_eq!(figure.cells[1].n, 1, "a list counts once");
        let ratio = &figure.cells[2];
        assert!(ratio.value > MARK && ratio.mark.is_met(ratio.value, None) == Some(true), "{ratio:?}");
    }

    #[test]
    fn likeness_is_a_share() {
        assert!((likeness(&pairs("abc"), &pairs("abd")) - 1.0 / 3.0).abs() < 1e-9);
        assert_eq!((likeness(&pairs("Abc"), &pairs("abc")), likeness(&pairs("a"), &pairs(""))), (1.0, 0.0));
    }
}
