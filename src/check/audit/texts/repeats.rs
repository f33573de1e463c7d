//! What comes again letter by letter: requests, their beginnings, and what is shown to a model.

use crate::check::audit::Measure;
use crate::check::audit::figure::{Cell, Figure};
use crate::lint::entry::Entry;
use crate::lint::ground::Ground;
use crate::lint::hash::hash;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Hashes of texts with their counts; the beginnings of requests are kept as they are.
pub(crate) struct Repeats {
    ground: Arc<Ground>,
    requests: BTreeMap<u64, usize>,
    openings: BTreeMap<String, usize>,
    snapshots: BTreeMap<u64, usize>,
    /// The same within a data type.
    of_type: BTreeMap<u64, usize>,
}

/// Words of an opening, or letters where words do not stand apart.
const WORDS: usize = 3;
const LETTERS: usize = 6;

const WHAT: &str = "duplicates: identical first requests, first requests that share their first three words (six \
    characters in languages without spaces), and dialogue snapshots with identical context (what a variant shares \
    with its base is not counted); a request with several lists of tools, or without its tool, counts once";

impl Repeats {
    pub(crate) fn new(ground: Arc<Ground>) -> Self {
        let (requests, openings, snapshots, of_type) = Default::default();
        Self { ground, requests, openings, snapshots, of_type }
    }

    fn opening(&self, words: &str) -> String {
        if !self.ground.spaced {
            return self.ground.tokens(words).into_iter().take(LETTERS).collect();
        }
        let lower = words.to_lowercase();
        let plain = lower.split_whitespace().map(|word| word.trim_matches(|letter: char| !letter.is_alphanumeric()));
        plain.filter(|word| !word.is_empty()).take(WORDS).collect::<Vec<_>>().join(" ")
    }
}

impl Measure for Repeats {
    fn see(&mut self, entry: &Entry) {
        let count = |counts: &mut BTreeMap<u64, usize>, key| *counts.entry(key).or_default() += 1;
        if let Some(request) = entry.request() {
            count(&mut self.requests, hash(&[request]));
            *self.openings.entry(self.opening(entry.said().words)).or_default() += 1;
        }
        if entry.sample.snapshot.is_some() && entry.sample.copy_of.is_none() {
            let shown = serde_json::to_string(&entry.sample.messages).unwrap_or_default();
            count(&mut self.snapshots, hash(&[&shown]));
            count(&mut self.of_type, hash(&[&entry.sample.data_type.0, &shown]));
        }
    }

    fn figure(&self) -> Figure {
        let openings = of("first three words", self.openings.values());
        let most = self.openings.iter().max_by(|one, other| one.1.cmp(other.1).then(other.0.cmp(one.0)));
        let most = most.filter(|(_, times)| **times > 1).map(|(words, times)| format!("\"{words}\" {times} times"));
        let cells = [
            of("identical requests", self.requests.values()),
            openings.with(most.unwrap_or_default()),
            of("snapshots", self.snapshots.values()),
            of("snapshots within a data type", self.of_type.values()),
        ];
        Figure::new("repeats", WHAT, cells.into_iter().filter(|cell| cell.n > 0).collect())
    }
}

/// The share of things that are not alone.
fn of<'c>(slice: &str, counts: impl Iterator<Item = &'c usize> + Clone) -> Cell {
    Cell::share(slice, counts.clone().filter(|times| **times > 1).sum(), counts.sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{entry, said, single, snapshots};
    use crate::record::{Expected, ItemId};

    fn figure(locale: &str, entries: &[Entry]) -> Figure {
        let mut measure = Repeats::new(Ground::load(crate::fixtures::assets(), locale).unwrap());
        for entry in entries {
            measure.see(entry);
        }
        measure.figure()
    }

    fn asked(words: &[&str]) -> Vec<Entry> {
        let one = |(at, words): (usize, &&str)| entry(said(&format!("s{at}"), "ST_Perfect", words, "{}"));
        words.iter().enumerate().map(one).collect()
    }

    #[test]
    fn requests_and_their_beginnings_are_counted_apart() {
        let figure =
            figure("en", &asked(&["I'd book a boat", "i'd book a boat", "I'd book, a train", "Seats!", "Seats!"]));
        let (request, opening) = (&figure.cells[0], &figure.cells[1]);
        assert_eq!((request.value, request.n), (0.4, 5));
        assert_eq!((opening.value, opening.detail.as_str()), (1.0, "\"i'd book a\" 3 times"));
        assert_eq!(figure.cells.len(), 2, "there are no dialogues");
    }

    #[test]
    fn letters_stand_for_words_that_do_not_stand_apart() {
        let texts = asked(&["明天早上八点叫我起床", "明天早上八点去机场", "明天晚上叫我"]);
        assert_eq!(figure("zh", &texts).cells[1].detail, "\"明天早上八点\" 2 times");
    }

    #[test]
    fn a_request_counts_once_whatever_it_is_shown_with() {
        let mut twin = said("t", "ir_ST_Perfect", "a b", "{}");
        (twin.base, twin.expected) = (Some(ItemId::root("s0")), Expected::Refusal);
        let entries =
            [asked(&["a b"]).remove(0), entry(twin), entry(single("c", "exact")), entry(single("c", "4_random"))];
        assert_eq!((figure("en", &entries).cells[0].value, figure("en", &entries).cells[0].n), (0.0, 2));
    }

    #[test]
    fn a_variant_repeats_its_base_and_two_dialogues_may_be_one() {
        let labels = ["{}", r#"{"to": "Porto"}"#];
        let mut entries = snapshots("b/0", "Based", &labels);
        entries.extend(snapshots("b/1", "SO_case1", &labels[..1]));
        let figure = figure("en", &entries);
        let cell = |slice: &str| (figure.cell(slice).unwrap().value, figure.cell(slice).unwrap().n);
        assert_eq!((cell("snapshots"), cell("snapshots within a data type")), ((2.0 / 3.0, 3), (0.0, 3)));
        assert!(figure.cell("identical requests").is_none(), "the samples that they began with are not here");
    }
}
