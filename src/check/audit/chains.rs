//! Whether chains of calls are spoon-fed: mentioned in the order in which they must be made, with an answer to everything.

use super::Measure;
use super::figure::{Cell, Figure, Mark, share};
use crate::lint::entry::Entry;
use crate::record::Value;
use crate::suite::complexfunc::data_of;
use std::collections::{BTreeMap, BTreeSet};

/// Sums by data type.
#[derive(Default)]
pub(super) struct Chains {
    /// Kendall's tau of the order of mention and the order of calls: its sum, of how many questions.
    taus: BTreeMap<String, (f64, usize)>,
    /// Answers that hold nothing or an error, of how many.
    answers: BTreeMap<String, (usize, usize)>,
    /// Data types of complex queries: their domains.
    complex: BTreeSet<String>,
    seen: bool,
}

/// The data type whose calls hang together.
const HARD: &str = "hard";

/// Most agreement of the two orders.
const MARK: f64 = 0.8;

const WHAT: &str = "Kendall's tau between the order in which the request mentions the calls and the order in which \
    they are made (the threshold applies to hard questions and complex queries, whose calls depend on each other; for \
    complex queries, pairs within one step and calls without a value from the request are skipped); and the share of \
    recorded answers that are empty or errors (informational)";

const NONE: &str = "items of this suite are single calls: there are no chains";

impl Measure for Chains {
    fn see(&mut self, entry: &Entry) {
        if !entry.is_question() {
            return;
        }
        self.seen = true;
        let data_type = &entry.sample.data_type.0;
        let calls = entry.calls();
        if let Some(tau) = agreement(entry, calls.len()) {
            let sum = self.taus.entry(data_type.clone()).or_default();
            (sum.0, sum.1) = (sum.0 + tau, sum.1 + 1);
            if entry.is_complex() {
                self.complex.insert(data_type.clone());
            }
        }
        for answer in calls.iter().filter_map(|called| called.answer).filter(|answer| !answer.is_null()) {
            let known = self.answers.entry(data_type.clone()).or_default();
            let holds_nothing = if entry.is_complex() { is_lost(answer) } else { is_empty(answer) };
            (known.0, known.1) = (known.0 + usize::from(holds_nothing), known.1 + 1);
        }
    }

    fn figure(&self) -> Figure {
        if !self.seen {
            return Figure::missing("chains", WHAT, NONE);
        }
        let taus = self.taus.iter().map(|(data_type, (sum, n))| {
            let hangs_together = data_type == HARD || self.complex.contains(data_type);
            let mark = if hangs_together { Mark::AtMost(MARK) } else { Mark::Shown };
            Cell::new(format!("{data_type}: tau"), sum * share(1, *n), *n).held_to(mark)
        });
        let answers = self.answers.iter();
        let answers =
            answers.map(|(data_type, (empty, n))| Cell::share(format!("{data_type}: empty answers"), *empty, *n));
        Figure::new("chains", WHAT, taus.chain(answers).collect())
    }
}

/// How far the order of mention agrees with the order of calls, where both are known.
fn agreement(entry: &Entry, calls: usize) -> Option<f64> {
    let mentions = &entry.sample.mentions;
    if !entry.is_complex() {
        return tau(mentions).filter(|_| mentions.len() == calls);
    }
    let steps = entry.steps();
    let steps: Vec<usize> = mentions.iter().filter_map(|call| steps.get(*call).copied()).collect();
    let later = |at: usize| steps.iter().skip(at + 1);
    let pairs = steps.iter().enumerate().flat_map(|(at, one)| later(at).map(move |other| (one, other)));
    let (agree, all) = pairs
        .filter(|(one, other)| one != other)
        .fold((0, 0), |(agree, all), (one, other)| (agree + usize::from(one < other), all + 1));
    (all > 0).then(|| 2.0 * share(agree, all) - 1.0)
}

/// Whether the answer of an API with its wrapping holds nothing, or says that something went wrong.
fn is_lost(answer: &Value) -> bool {
    let failed = answer.as_object().and_then(|fields| fields.get("status")).and_then(Value::as_bool) == Some(false);
    failed || data_of(answer).is_none_or(|data| is_empty(&data))
}

/// Kendall's tau of an order of mention against 0, 1, 2 ...: pairs that agree less pairs that do not, of all.
fn tau(mentions: &[usize]) -> Option<f64> {
    let later = |at: usize| mentions.iter().skip(at + 1);
    let pairs = mentions.iter().enumerate().flat_map(|(at, one)| later(at).map(move |other| one < other));
    let (agree, all) = pairs.fold((0, 0), |(agree, all), it| (agree + usize::from(it), all + 1));
    (all > 0).then(|| 2.0 * share(agree, all) - 1.0)
}

/// Whether an answer holds nothing, or says that something went wrong.
fn is_empty(answer: &Value) -> bool {
    match answer {
        Value::Object(fields) => fields.contains_key("error") || fields.values().all(is_empty),
        Value::List(list) => list.is_empty(),
        Value::String(text) => text.trim().is_empty(),
        Value::Null => true,
        Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{complex, entry, questions, sample, step};

    fn figure(orders: &[&[usize]]) -> Figure {
        let mut measure = Chains::default();
        for mentions in orders {
            let mut sample = questions(HARD);
            sample.mentions = mentions.to_vec();
            measure.see(&entry(sample));
        }
        measure.figure()
    }

    #[test]
    fn agreement_runs_from_one_to_minus_one() {
        let of = |mentions: &[usize]| tau(mentions).unwrap();
        assert_eq!((of(&[0, 1, 2]), of(&[2, 1, 0])), (1.0, -1.0));
        assert!((of(&[1, 0, 2]) - 1.0 / 3.0).abs() < 1e-9);
        assert_eq!((tau(&[0]), tau(&[])), (None, None));
    }

    #[test]
    fn chains_that_are_mentioned_in_order_are_spoon_fed() {
        let fed = figure(&[&[0, 1], &[0, 1]]);
        let cell = fed.cell("hard: tau").unwrap();
        assert_eq!((cell.value, cell.n, cell.mark.is_met(cell.value, None)), (1.0, 2, Some(false)));
        let mixed = figure(&[&[0, 1], &[1, 0], &[0]]);
        assert_eq!((mixed.cells[0].value, mixed.cells[0].n), (0.0, 2), "an order that does not fit is left out");
    }

    #[test]
    fn empty_answers_are_counted() {
        let mut measure = Chains::default();
        for answer in [r#"{"cards": []}"#, r#"{"error": "gone"}"#, r#"{"n": 0}"#, "null"] {
            let mut sample = questions("easy");
            step(&mut sample, 0).answers = vec![Value::read(answer).unwrap()];
            measure.see(&entry(sample));
        }
        let cell = measure.figure().cells[0].clone();
        assert_eq!((cell.slice.as_str(), cell.n, (cell.value * 3.0).round()), ("easy: empty answers", 3, 2.0));
    }

    #[test]
    fn complex_queries_are_mentioned_step_by_step_and_their_answers_are_unwrapped() {
        let mut measure = Chains::default();
        let mut sample = complex();
        sample.mentions = vec![1, 0];
        step(&mut sample, 1).answers =
            vec![Value::read(r#"{"status": true, "data": {"inns": [], "count": 0}}"#).unwrap()];
        measure.see(&entry(sample));
        let mut sample = complex();
        sample.mentions = vec![0];
        step(&mut sample, 1).answers = vec![Value::read(r#"{"status": false, "message": []}"#).unwrap()];
        measure.see(&entry(sample));
        let figure = measure.figure();
        let cell = figure.cell("Inns: tau").unwrap();
        assert_eq!((cell.value, cell.n, cell.mark), (-1.0, 1, Mark::AtMost(MARK)));
        let empty = figure.cell("Inns: empty answers").unwrap();
        assert_eq!((empty.value, empty.n), (0.25, 4));
    }

    #[test]
    fn single_calls_are_no_chains() {
        let mut measure = Chains::default();
        measure.see(&entry(sample("a", "ST_Perfect")));
        assert_eq!(measure.figure().missing.as_deref(), Some(NONE));
    }
}
