//! Whether close tools are closer to the right one than tools that were drawn.

use super::super::super::entry::Entry;
use super::super::super::hash::hash;
use super::{Cell, Figure, Mark, Measure, share};
use crate::format::functionchat::Set;
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// Sums of likeness by list; each list of a function counts once.
#[derive(Default)]
pub(super) struct Closeness {
    seen: BTreeSet<u64>,
    by_list: IndexMap<String, (f64, usize)>,
}

/// Least likeness of close tools, in that of drawn ones.
const MARK: f64 = 2.0;

const WHAT: &str = "mean likeness of a list's other tools to the right one: pairs of neighbouring letters that their descriptions \
    share, of all that either has; and that of close lists in that of random ones of the same length";

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
        Figure::new("close tools", WHAT, means.chain(ratios).collect())
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
    use super::super::super::super::testing::{decision, entries, single};
    use super::*;

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
