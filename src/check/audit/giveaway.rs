//! Whether the form of an item gives away that it must be refused.

use super::Measure;
use super::figure::{Cell, Figure, Mark, share};
use crate::lint::entry::Entry;
use crate::lint::ground::{Ground, is_trained_on};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Counts calls and refusals by the values of single features, in both halves of the bench. Memory grows with the
/// distinct values (lengths, first words), not with the samples.
pub(super) struct Giveaway {
    ground: Arc<Ground>,
    seed: u64,
    sets: BTreeMap<&'static str, Features>,
}

/// Feature, then its value, then half and class.
type Features = BTreeMap<&'static str, BTreeMap<String, Counts>>;

/// How many calls and refusals there are, in either half.
type Counts = [[usize; 2]; 2];

/// Most points above the more frequent answer.
const MARK: f64 = 0.05;

const WHAT: &str = "best accuracy of predicting call or refusal from a single feature (number of tools, query length, \
    first words, last character, digits, turn), above the majority class; two-fold cross-validation, split by group";

impl Giveaway {
    pub(super) fn new(ground: Arc<Ground>, seed: u64) -> Self {
        Self { ground, seed, sets: BTreeMap::new() }
    }

    fn features(&self, entry: &Entry) -> [(&'static str, String); 8] {
        let words = entry.said().words;
        let tokens = self.ground.tokens(words);
        let first = |count: usize| tokens.iter().take(count).cloned().collect::<Vec<_>>().join(" ");
        [
            ("list length", entry.sample.candidates.len().to_string()),
            ("query length in characters", words.chars().count().to_string()),
            ("query length in words", tokens.len().to_string()),
            ("first word", first(1)),
            ("first two words", first(2)),
            ("last letter", words.chars().next_back().map(String::from).unwrap_or_default()),
            ("digits in the query", words.contains(|letter: char| letter.is_ascii_digit()).to_string()),
            ("turn", entry.turn().to_string()),
        ]
    }
}

impl Measure for Giveaway {
    fn see(&mut self, entry: &Entry) {
        let sets = sets(entry);
        if sets.is_empty() {
            return;
        }
        let half = usize::from(is_trained_on(self.seed, &entry.sample.group));
        let class = usize::from(entry.refuses());
        let features = self.features(entry);
        for set in sets {
            let known = self.sets.entry(set).or_default();
            for (feature, value) in &features {
                known.entry(feature).or_default().entry(value.clone()).or_default()[half][class] += 1;
            }
        }
    }

    fn figure(&self) -> Figure {
        let cells = self.sets.iter().filter_map(|(set, features)| cell(set, features));
        Figure::new("giveaway", WHAT, cells.collect())
    }
}

/// What an item is compared with: queries with their twins; shifts with the other turns that interrupt a conversation,
/// and, which people tell apart as well, with answers.
fn sets(entry: &Entry) -> &'static [&'static str] {
    match (entry.sample.data_type.0.as_str(), entry.turn() > 1) {
        ("ST_Perfect" | "ir_ST_Perfect", _) => &["ST_Perfect and twins"],
        ("ST_Imperfect" | "ir_ST_Imperfect", _) => &["ST_Imperfect and twins"],
        ("ST_External" | "ir_ST_External", _) => &["ST_External and twins"],
        ("Based", true) => &[LATER, ANSWERS],
        ("IS", true) if entry.refuses() => &[LATER, ANSWERS],
        ("SO_case1" | "SO_case2" | "mSv" | "External", true) if entry.is_marked() => &[LATER],
        _ => &[],
    }
}

const LATER: &str = "later turns and shifts";
const ANSWERS: &str = "answers alone and shifts";

fn cell(set: &str, features: &Features) -> Option<Cell> {
    let totals = features.values().next()?.values().fold(Counts::default(), |sum, counts| added(sum, *counts));
    let classes = [0, 1].map(|class| totals[0][class] + totals[1][class]);
    let n = classes[0] + classes[1];
    // With one kind of answer alone there is nothing to guess.
    let majority = classes.into_iter().max().filter(|most| *most < n)?;
    let right = features.iter().map(|(feature, values)| (guessed(values, totals), *feature));
    let (right, feature) = right.max()?;
    let excess = (share(right, n) - share(majority, n)).max(0.0);
    let detail = format!(
        "{feature}: accuracy {:.1} %, majority class {:.1} %",
        share(right, n) * 100.0,
        share(majority, n) * 100.0
    );
    // A request is no answer, and its words may say so.
    let mark = if set == ANSWERS { Mark::Shown } else { Mark::AtMost(MARK) };
    Some(Cell::new(set, excess, n).held_to(mark).with(detail))
}

/// How many are guessed right by a feature: each half by what the other says of the value, else by its majority.
fn guessed(values: &BTreeMap<String, Counts>, totals: Counts) -> usize {
    let of_half = |half: usize| -> usize {
        let other = 1 - half;
        values
            .values()
            .map(|counts| {
                let learned = if counts[other] == [0, 0] { totals[other] } else { counts[other] };
                // A draw says nothing; the more frequent answer decides.
                let refuses =
                    learned[1] > learned[0] || (learned[1] == learned[0] && totals[other][1] > totals[other][0]);
                counts[half][usize::from(refuses)]
            })
            .sum()
    };
    of_half(0) + of_half(1)
}

fn added(one: Counts, two: Counts) -> Counts {
    [0, 1].map(|half| [0, 1].map(|class| one[half][class] + two[half][class]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{entry, said, snapshots};
    use crate::record::Expected;

    /// Queries of many groups, each with a twin made by `twin`.
    fn figure(twin: impl Fn(&mut Entry)) -> Figure {
        let mut measure = Giveaway::new(Ground::load(crate::fixtures::assets(), "en").unwrap(), 7);
        for number in 0..80 {
            let mut sample = said(&format!("s{number}"), "ST_Perfect", &format!("book {} seats", number % 7), "{}");
            sample.group = format!("g{number}");
            let base = entry(sample);
            let mut other = base.clone();
            other.sample.data_type.0 = "ir_ST_Perfect".to_owned();
            other.sample.expected = Expected::Refusal;
            twin(&mut other);
            measure.see(&base);
            measure.see(&other);
        }
        measure.figure()
    }

    #[test]
    fn equal_forms_give_nothing_away() {
        let figure = figure(|_| {});
        let cell = figure.cell("ST_Perfect and twins").unwrap();
        assert!(cell.value <= MARK && cell.n == 160, "{cell:?}");
    }

    #[test]
    fn a_shorter_list_gives_everything_away() {
        let figure = figure(|twin| drop(twin.sample.candidates.pop()));
        let cell = &figure.cells[0];
        assert!(
            (cell.value - 0.5).abs() < 1e-9 && cell.detail.starts_with("list length: accuracy 100.0 %"),
            "{cell:?}"
        );
        assert_eq!(cell.mark.is_met(cell.value, None), Some(false));
    }

    #[test]
    fn a_formula_at_the_beginning_is_seen() {
        let figure = figure(|twin| twin.sample.messages[0].content = Some("Oh no, book 2 seats".to_owned()));
        assert!(figure.cells[0].value > 0.4 && figure.cells[0].detail.contains("word"), "{:?}", figure.cells);
    }

    #[test]
    fn shifts_are_held_against_other_interruptions() {
        let mut measure = Giveaway::new(Ground::load(crate::fixtures::assets(), "en").unwrap(), 7);
        for number in 0..60 {
            for (data_type, words) in [("mSv", "and once more"), ("IS", "sing me a song")] {
                let mut turns = snapshots(&format!("{data_type}/{number}"), data_type, &["{}", "{}"]);
                let last = &mut turns[1].sample;
                last.group = format!("g{number}");
                last.messages.last_mut().unwrap().content = Some(words.to_owned());
                last.snapshot.as_mut().unwrap().marked = Some(true);
                if data_type == "IS" {
                    last.expected = Expected::Refusal;
                }
                for entry in &turns {
                    measure.see(entry);
                }
            }
        }
        let figure = measure.figure();
        assert_eq!((figure.cells.len(), figure.cells[0].slice.as_str(), figure.cells[0].value), (1, LATER, 0.5));
        assert_eq!(figure.cells[0].mark, Mark::AtMost(MARK));
    }

    #[test]
    fn calls_alone_cannot_be_told_apart() {
        let mut measure = Giveaway::new(Ground::load(crate::fixtures::assets(), "en").unwrap(), 7);
        measure.see(&entry(said("a", "ST_Perfect", "x", "{}")));
        assert!(measure.figure().missing.is_some());
    }
}
