//! Whether an assistant has more than one way to decline and to ask.

use super::{Cell, Figure, Mark, Measure, share};
use crate::lint::entry::Entry;
use crate::lint::hash::hash;
use crate::record::Expected;
use crate::suite::functionchat::layout::gold_text;
use std::collections::BTreeMap;

/// Wordings of refusals and of questions as hashes, with how often each comes.
#[derive(Default)]
pub(super) struct Wordings {
    refusals: BTreeMap<u64, usize>,
    questions: BTreeMap<u64, usize>,
    /// Questions by what they ask for, where that is known.
    by_missing: BTreeMap<u64, BTreeMap<u64, usize>>,
}

/// Most of the refusals that may say the same.
const COMMONEST: f64 = 0.05;

/// Least share of distinct wordings.
const DISTINCT: f64 = 0.6;

const WHAT: &str = "repeated expected answers: share of the most frequent refusal; and distinct wordings / questions, \
    overall and where the same parameters of one function are asked for more than once";

impl Measure for Wordings {
    fn see(&mut self, entry: &Entry) {
        let text = gold_text(&entry.sample);
        let plain: String = text.to_lowercase().chars().filter(|letter| letter.is_alphanumeric()).collect();
        let key = hash(&[&plain]);
        match &entry.sample.expected {
            Expected::Refusal => *self.refusals.entry(key).or_default() += 1,
            Expected::Question(missing) => {
                *self.questions.entry(key).or_default() += 1;
                if !missing.is_empty() {
                    let mut names: Vec<&str> = missing.iter().map(String::as_str).collect();
                    names.sort_unstable();
                    let asked = self.by_missing.entry(hash(&[root(entry), &names.join(" ")])).or_default();
                    *asked.entry(key).or_default() += 1;
                }
            }
            _ => {}
        }
    }

    fn figure(&self) -> Figure {
        let refusals: usize = self.refusals.values().sum();
        let commonest = self.refusals.values().copied().max().unwrap_or_default();
        let often = || self.by_missing.values().filter(|asked| asked.values().sum::<usize>() > 1);
        let (distinct, asked): (usize, usize) =
            (often().map(BTreeMap::len).sum(), often().flat_map(BTreeMap::values).sum());
        let cells = [
            Cell::share("most frequent refusal", commonest, refusals)
                .held_to(Mark::AtMost(COMMONEST))
                .with(format!("{} distinct wordings", self.refusals.len())),
            Cell::share("questions, overall", self.questions.len(), self.questions.values().sum()),
            Cell::new("questions for the same parameters", share(distinct, asked), asked)
                .held_to(Mark::AtLeast(DISTINCT)),
        ];
        Figure::new("wordings", WHAT, cells.into_iter().filter(|cell| cell.n > 0).collect())
    }
}

/// The function that a sample grew from: what its id begins with.
fn root(entry: &Entry) -> &str {
    let id = entry.sample.id.as_str();
    id.split('/').next().unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{decision, entries};
    use crate::record::GOLD_TEXT_FACT;

    fn figure(category: &str, texts: &[&str]) -> Figure {
        let mut measure = Wordings::default();
        for text in texts {
            let mut sample = decision(category);
            sample.provenance.facts.insert(GOLD_TEXT_FACT.to_owned(), (*text).to_owned());
            for entry in entries(vec![sample]) {
                measure.see(&entry);
            }
        }
        measure.figure()
    }

    #[test]
    fn one_refusal_for_all_is_too_common() {
        let cell = figure("REJECT", &["No.", "no", "Sorry!", "Not mine."]).cells[0].clone();
        assert_eq!((cell.value, cell.mark.is_met(cell.value, None)), (0.5, Some(false)));
        assert_eq!(cell.detail, "3 distinct wordings");
    }

    #[test]
    fn questions_for_the_same_are_worded_in_other_ways() {
        let figure = figure("SLOT-some", &["How many?", "How many boats?", "How many?"]);
        let value = |slice: &str| figure.cell(slice).map(|cell| (cell.value * 3.0).round());
        assert_eq!(value("questions, overall"), Some(2.0));
        assert_eq!(value("questions for the same parameters"), Some(2.0));
    }

    #[test]
    fn the_authors_do_not_say_what_is_asked_for() {
        let mut measure = Wordings::default();
        let mut sample = decision("SLOT-all");
        sample.expected = Expected::Question(Vec::new());
        for entry in entries(vec![sample]) {
            measure.see(&entry);
        }
        assert!(measure.figure().cell("questions for the same parameters").is_none());
    }
}
