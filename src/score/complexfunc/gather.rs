//! What the API answers to calls that are left over, asked before they are matched: two calls with one answer belong
//! together whatever they look like. By our own rules alone.

use super::compare::{Decision, compare};
use super::form::format_fault;
use super::golden::Golden;
use super::mapping::{Mapping, Pair};
use crate::record::{FunctionCall, Value};
use std::borrow::Cow;

/// Answers while they are gathered.
#[derive(Debug)]
pub(super) struct Gather<'g> {
    /// Pairs whose answers may tell.
    pairs: Vec<Pair>,
    asks: Vec<Ask>,
    answers: Vec<Option<Cow<'g, Value>>>,
}

/// Whose answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ask {
    Predicted(usize),
    Golden(usize),
}

impl<'g> Gather<'g> {
    /// What is to be asked; nothing where there is no choice, or where no answer can tell.
    pub(super) fn new(golden: &Golden, mapping: &Mapping, predicted: &[FunctionCall]) -> Option<Self> {
        if !golden.rules().is_strict() || mapping.left.len() == 1 && mapping.left_golden.len() == 1 {
            return None;
        }
        let well_formed = mapping.left.iter().filter(|at| format_fault(golden, &predicted[**at]).is_none());
        let may_tell = |pair: &Pair| compare(golden, &predicted[pair.predicted], pair.golden) == Ok(Decision::Open);
        let pairs: Vec<Pair> = well_formed
            .flat_map(|at| mapping.left_golden.iter().map(|ordinal| Pair { predicted: *at, golden: *ordinal }))
            .filter(may_tell)
            .collect();
        let mut asks = Vec::new();
        for ask in pairs.iter().flat_map(|pair| [Ask::Predicted(pair.predicted), Ask::Golden(pair.golden)]) {
            if !asks.contains(&ask) {
                asks.push(ask);
            }
        }
        (!pairs.is_empty()).then_some(Self { pairs, asks, answers: Vec::new() })
    }

    /// The call whose answer is wanted next.
    pub(super) fn call<'c>(&self, golden: &'c Golden, predicted: &'c [FunctionCall]) -> Option<&'c FunctionCall> {
        self.asks.get(self.answers.len()).map(|ask| match ask {
            Ask::Predicted(at) => &predicted[*at],
            Ask::Golden(ordinal) => golden.call(*ordinal),
        })
    }

    /// Takes an answer in; one that says nothing, or tells of a failure, is none.
    pub(super) fn tell(&mut self, answer: Option<Cow<'g, Value>>) {
        self.answers.push(answer.filter(|answer| is_success(answer)));
    }

    /// The pairs, each with whether both are answered the same.
    pub(super) fn pairs(&self, golden: &Golden) -> Vec<(Pair, bool)> {
        let answer = |ask: Ask| {
            let place = self.asks.iter().position(|other| *other == ask)?;
            self.answers.get(place)?.as_deref()
        };
        let is_same = |pair: &Pair| {
            let both = answer(Ask::Predicted(pair.predicted)).zip(answer(Ask::Golden(pair.golden)));
            both.is_some_and(|(one, other)| golden.rules().equal(one, other))
        };
        self.pairs.iter().map(|pair| (*pair, is_same(pair))).collect()
    }
}

/// Whether an answer says anything, and that it went well.
pub(super) fn is_success(answer: &Value) -> bool {
    match answer {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::List(list) => !list.is_empty(),
        Value::Object(object) => !object.is_empty() && object.get("status").and_then(Value::as_bool) != Some(false),
        Value::Bool(_) | Value::Number(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::super::golden::tests::{call, made, steps};
    use super::super::rules::{Dialect, Rules};
    use super::*;

    fn search(people: &str) -> FunctionCall {
        call("Search", &format!(r#"{{"area": "a", "day": "d", "people": {people}}}"#))
    }

    /// Two searches are open, and three calls are left over, of which one has no form.
    fn searches() -> (Golden, Vec<FunctionCall>, Mapping) {
        let mut steps = steps();
        steps[1].calls = vec![search("2"), search("3")];
        let golden = made(&steps[1..], Rules::default());
        let mapping = Mapping { left: vec![0, 1, 2], left_golden: vec![0, 1], ..Mapping::default() };
        (golden, vec![search("30"), search("\"2\""), search("20")], mapping)
    }

    #[test]
    fn each_call_is_asked_once_and_malformed_ones_are_not() {
        let (golden, calls, mapping) = searches();
        let mut gather = Gather::new(&golden, &mapping, &calls).unwrap();
        let mut asked = Vec::new();
        while let Some(call) = gather.call(&golden, &calls) {
            let people = call.arguments["people"].to_string();
            gather.tell(Some(Cow::Owned(people.trim_end_matches('0').into())));
            asked.push(people);
        }
        assert_eq!(asked, ["30", "2", "3", "20"]);
        let same: Vec<_> =
            gather.pairs(&golden).iter().map(|(pair, same)| (pair.predicted, pair.golden, *same)).collect();
        assert_eq!(same, [(0, 0, false), (0, 1, true), (2, 0, true), (2, 1, false)]);
    }

    #[test]
    fn failures_are_no_answers_and_are_never_the_same() {
        let (golden, calls, mapping) = searches();
        for failure in ["null", "{}", "[]", "\"\"", r#"{"status": false, "message": "no"}"#] {
            let mut gather = Gather::new(&golden, &mapping, &calls).unwrap();
            while gather.call(&golden, &calls).is_some() {
                gather.tell(Some(Cow::Owned(Value::read(failure).unwrap())));
            }
            assert!(gather.pairs(&golden).iter().all(|(_, same)| !same), "{failure}");
        }
        assert!(["0", "false", r#"{"status": true}"#].iter().all(|text| is_success(&Value::read(text).unwrap())));
    }

    #[test]
    fn nobody_is_asked_where_there_is_no_choice_or_nothing_to_tell() {
        let (golden, calls, _) = searches();
        let one = Mapping { left: vec![0], left_golden: vec![0], ..Mapping::default() };
        assert!(Gather::new(&golden, &one, &calls).is_none());
        let other = Mapping { left: vec![0], left_golden: vec![0, 1], ..Mapping::default() };
        assert!(Gather::new(&golden, &other, &[call("Quote", r#"{"key": "k"}"#)]).is_none());
        let theirs = super::super::golden::tests::golden(Rules::Upstream(Dialect::Gpt));
        assert!(Gather::new(&theirs, &other, &calls).is_none() && golden.call_count() == 4);
    }
}
