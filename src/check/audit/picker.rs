//! Whether somebody who cannot read finds the right tool by the words that it shares with the query.

use super::Measure;
use super::figure::{Cell, Figure, Mark};
use crate::lint::entry::Entry;
use crate::lint::ground::Ground;
use crate::record::Tool;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Counts, by data type, how often the picker is right; a draw counts in parts.
pub(super) struct Picker {
    ground: Arc<Ground>,
    by_type: BTreeMap<String, (f64, usize)>,
}

/// Most points above the reference.
const MARK: f64 = 0.05;

/// Shorter words stand in every text.
const SHORTEST: usize = 3;

const WHAT: &str = "accuracy of a baseline that picks the tool whose name and description share the most words with \
    the query (character bigrams in languages without spaces); ties count fractionally";

impl Picker {
    pub(super) fn new(ground: Arc<Ground>) -> Self {
        Self { ground, by_type: BTreeMap::new() }
    }
}

/// The tools that share most words with a query.
pub fn picked<'t>(ground: &Ground, query: &str, tools: &'t [Arc<Tool>]) -> Vec<&'t Arc<Tool>> {
    let query = marks(ground, query);
    let words = |tool: &Tool| marks(ground, &format!("{} {}", parted(&tool.name), tool.description));
    let scores: Vec<usize> = tools.iter().map(|tool| words(tool).intersection(&query).count()).collect();
    let best = scores.iter().copied().max().unwrap_or_default();
    tools.iter().zip(&scores).filter(|(_, score)| **score == best).map(|(tool, _)| tool).collect()
}

/// What is compared: words of some length, or pairs of letters.
fn marks(ground: &Ground, text: &str) -> BTreeSet<String> {
    let tokens = ground.tokens(text);
    if ground.spaced {
        return tokens.into_iter().filter(|word| word.len() >= SHORTEST).collect();
    }
    tokens.windows(2).map(<[String]>::concat).collect()
}

impl Measure for Picker {
    fn see(&mut self, entry: &Entry) {
        let (Some(call), 1) = (entry.only_call(), entry.turn()) else { return };
        let data_type = &entry.sample.data_type.0;
        if entry.sample.candidates.len() < 2 || (entry.sample.snapshot.is_some() && data_type != "Based") {
            return;
        }
        let picked = picked(&self.ground, entry.said().words, &entry.sample.candidates);
        let right = entry.candidate(&call.name).is_some_and(|gold| picked.contains(&gold));
        let known = self.by_type.entry(data_type.clone()).or_default();
        known.0 += if right { super::figure::share(1, picked.len()) } else { 0.0 };
        known.1 += 1;
    }

    fn figure(&self) -> Figure {
        let cells = self.by_type.iter().map(|(data_type, (right, n))| {
            Cell::new(data_type, right * super::figure::share(1, *n), *n).held_to(Mark::AtMostReference(MARK))
        });
        Figure::new("picker", WHAT, cells.collect())
    }
}

/// A name with its words apart: `Travel.Trains.bookSeat`.
fn parted(name: &str) -> String {
    name.chars().flat_map(|letter| letter.is_uppercase().then_some(' ').into_iter().chain([letter])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{entry, questions, said, snapshots};

    fn accuracy(locale: &str, words: &[&str]) -> f64 {
        let mut measure = Picker::new(Ground::load(crate::fixtures::assets(), locale).unwrap());
        for words in words {
            measure.see(&entry(said("a", "ST_Perfect", words, "{}")));
        }
        measure.figure().cells[0].value
    }

    #[test]
    fn shared_words_decide_and_draws_count_in_parts() {
        assert!((accuracy("en", &["book two seats"]) - 1.0).abs() < 1e-9);
        assert!(accuracy("en", &["sing me a tune"]).abs() < 1e-9);
        assert!((accuracy("en", &["off we go", "book it"]) - 0.6).abs() < 1e-9, "one of five, and all");
    }

    #[test]
    fn names_are_read_word_by_word() {
        assert_eq!(parted("Travel.Trains.bookSeat"), " Travel. Trains.book Seat");
    }

    #[test]
    fn chinese_is_compared_by_pairs_of_letters() {
        let picker = Picker::new(Ground::load(crate::fixtures::assets(), "zh").unwrap());
        assert_eq!(marks(&picker.ground, "订张票").into_iter().collect::<Vec<_>>(), ["张票", "订张"]);
    }

    #[test]
    fn of_questions_those_of_one_call_are_looked_at() {
        let mut measure = Picker::new(Ground::load(crate::fixtures::assets(), "en").unwrap());
        for difficulty in ["easy", "medium", "hard"] {
            measure.see(&entry(questions(difficulty)));
        }
        let figure = measure.figure();
        assert_eq!((figure.cells.len(), figure.cells[0].slice.as_str(), figure.cells[0].value), (1, "easy", 0.5));
    }

    #[test]
    fn a_conversation_is_looked_at_once() {
        let mut measure = Picker::new(Ground::load(crate::fixtures::assets(), "en").unwrap());
        for entry in [snapshots("b/0", "Based", &["{}", "{}"]), snapshots("s/0", "IS", &["{}", "{}"])].concat() {
            measure.see(&entry);
        }
        assert_eq!(
            measure.figure().cells.iter().map(|cell| (cell.slice.as_str(), cell.n)).collect::<Vec<_>>(),
            [("Based", 1)]
        );
    }
}
