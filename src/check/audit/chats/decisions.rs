//! Whether the form of a request gives away what to do: to call, to ask, or to decline.

use super::{Cell, Figure, Mark, Measure, share};
use crate::lint::entry::Entry;
use crate::lint::ground::{Ground, is_trained_on};
use crate::suite::functionchat::layout::{Set, TypeOfOutput};
use indexmap::IndexMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Counts decisions by the values of single features, in both halves of the bench.
pub(super) struct Decisions {
    ground: Arc<Ground>,
    seed: u64,
    sets: IndexMap<&'static str, Features>,
}

/// Feature, then its value, then half and decision.
type Features = BTreeMap<&'static str, BTreeMap<String, Counts>>;

/// Calls, questions and refusals, in either half.
type Counts = [[usize; 3]; 2];

/// Most points above the reference: a question that comes after several turns is one by design, in the authors' data too.
const MARK: f64 = 0.05;

const WHAT: &str = "best accuracy of predicting call, question or refusal from a single feature (user turns, number \
    of tools, query length, first words, last character, digits), above the majority class; two-fold \
    cross-validation, split by group";

const ALL: &str = "call decisions";
const FIRST: &str = "call decisions of one user turn";
const DIALOGS: &str = "turns of dialogs";

impl Decisions {
    pub(super) fn new(ground: Arc<Ground>, seed: u64) -> Self {
        Self { ground, seed, sets: IndexMap::new() }
    }

    fn features(&self, entry: &Entry) -> [(&'static str, String); 8] {
        let words = entry.said().words;
        let tokens = self.ground.tokens(words);
        let first = |count: usize| tokens.iter().take(count).cloned().collect::<Vec<_>>().join(" ");
        [
            ("user turns", entry.user_texts().count().to_string()),
            ("list length", entry.sample.candidates.len().to_string()),
            ("query length in characters", words.chars().count().to_string()),
            ("query length in words", tokens.len().to_string()),
            ("first word", first(1)),
            ("first two words", first(2)),
            ("last letter", words.chars().next_back().map(String::from).unwrap_or_default()),
            ("digits in the query", words.contains(|letter: char| letter.is_ascii_digit()).to_string()),
        ]
    }
}

impl Measure for Decisions {
    fn see(&mut self, entry: &Entry) {
        let class = match TypeOfOutput::of(&entry.sample) {
            Some(TypeOfOutput::Call) => 0,
            Some(TypeOfOutput::Slot) => 1,
            Some(TypeOfOutput::Relevance) => 2,
            Some(TypeOfOutput::Completion) | None => return,
        };
        let sets: &[&'static str] = match (Set::of(&entry.sample.data_type), entry.user_texts().count()) {
            (Set::CallDecision, 1) => &[ALL, FIRST],
            (Set::CallDecision, _) => &[ALL],
            (Set::Dialog, _) => &[DIALOGS],
            (Set::Singlecall, _) => return,
        };
        let half = usize::from(is_trained_on(self.seed, &entry.sample.group));
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
        Figure::new("decisions given away", WHAT, cells.collect())
    }
}

fn cell(set: &str, features: &Features) -> Option<Cell> {
    let totals = features.values().next()?.values().fold(Counts::default(), |sum, counts| {
        [0, 1].map(|half| [0, 1, 2].map(|class| sum[half][class] + counts[half][class]))
    });
    let classes = [0, 1, 2].map(|class| totals[0][class] + totals[1][class]);
    let n: usize = classes.iter().sum();
    // With one kind of decision alone there is nothing to guess.
    let majority = classes.into_iter().max().filter(|most| *most < n)?;
    let (right, feature) = features.iter().map(|(feature, values)| (guessed(values, totals), *feature)).max()?;
    let percent = |count: usize| share(count, n) * 100.0;
    let detail = format!("{feature}: accuracy {:.1} %, majority class {:.1} %", percent(right), percent(majority));
    let excess = (share(right, n) - share(majority, n)).max(0.0);
    Some(Cell::new(set, excess, n).held_to(Mark::AtMostReference(MARK)).with(detail))
}

/// How many are guessed right by a feature: each half by what the other says of the value, else by its majority.
fn guessed(values: &BTreeMap<String, Counts>, totals: Counts) -> usize {
    let of_half = |half: usize| -> usize {
        let other = totals[1 - half];
        let right = |counts: &Counts| {
            let learned = counts[1 - half];
            // A draw says nothing; the more frequent decision decides.
            let guess = (0..3).max_by_key(|class| (learned[*class], other[*class])).unwrap_or_default();
            counts[half][guess]
        };
        values.values().map(right).sum()
    };
    of_half(0) + of_half(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{decision, dialog, entries};
    use crate::record::{Message, Role, Sample};

    /// Many groups of decisions, each changed by `change`.
    fn figure(change: impl Fn(&mut Sample)) -> Figure {
        let mut measure = Decisions::new(Ground::load(crate::fixtures::assets(), "en").unwrap(), 7);
        for number in 0..60 {
            for category in ["CALL", "REJECT", "SLOT-all"] {
                let mut sample = decision(category);
                sample.group = format!("g{number}");
                sample.messages[0].content = Some(format!("boats, {} of them", number % 7));
                change(&mut sample);
                for entry in entries(vec![sample]) {
                    measure.see(&entry);
                }
            }
        }
        measure.figure()
    }

    #[test]
    fn equal_forms_give_nothing_away() {
        let figure = figure(|_| ());
        assert_eq!(figure.cells.iter().map(|cell| cell.slice.as_str()).collect::<Vec<_>>(), [ALL, FIRST]);
        assert!(figure.cells.iter().all(|cell| cell.value < MARK && cell.n == 180), "{figure:?}");
    }

    #[test]
    fn several_turns_give_a_question_away() {
        let figure = figure(|sample| {
            if sample.data_type.0 == "SLOT-all" {
                sample.messages.extend([Message::new(Role::Assistant, "How many?"), Message::user("boats, 3 of them")]);
            }
        });
        let cell = figure.cell(ALL).unwrap();
        assert!((cell.value - 1.0 / 3.0).abs() < 0.02 && cell.detail.starts_with("user turns: "), "{cell:?}");
        assert_eq!((cell.mark.is_met(cell.value, Some(0.3)), figure.cell(FIRST).unwrap().n), (Some(true), 120));
    }

    #[test]
    fn dialogs_are_a_set_of_their_own() {
        let mut measure = Decisions::new(Ground::load(crate::fixtures::assets(), "en").unwrap(), 7);
        for entry in entries(dialog()) {
            measure.see(&entry);
        }
        let figure = measure.figure();
        assert_eq!((figure.cells[0].slice.as_str(), figure.cells[0].n), (DIALOGS, 3));
    }
}
