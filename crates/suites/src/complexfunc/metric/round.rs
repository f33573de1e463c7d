//! One turn with calls, while it is compared.

use super::golden::Golden;
use super::mapping::{Mapping, Pair};
use super::outcome::{Errors, Fault, How, Observation, Trace, TraceEnd};
use crate::record::{FunctionCall, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What is known of a turn so far.
#[derive(Debug)]
pub struct Round<'g> {
    /// The calls that were made.
    pub predicted: Vec<FunctionCall>,
    /// With which golden calls they are compared.
    pub mapping: Mapping,
    /// Which pair is looked at.
    pub at: usize,
    /// What the API answered to the predicted call of that pair.
    pub first_answer: Option<Cow<'g, Value>>,
    /// Golden calls that were open, and how many of them after those were dropped that had been called.
    pub golden_before: Vec<usize>,
    pub golden_size: usize,
    /// Pairs that are equal, and how that was found.
    equal: Vec<(Pair, How)>,
    /// Predicted calls with a wrong form.
    malformed: BTreeMap<usize, String>,
    /// Golden calls that malformed or wrong calls were compared with.
    pub missed: Vec<(usize, Miss)>,
    /// What is wrong with the contents.
    pub errors: Errors,
}

/// How a golden call was missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Miss {
    /// By a wrong form.
    Form,
    /// By a wrong content.
    Content,
}

impl Round<'_> {
    /// A turn of which nothing is known but its calls.
    pub(super) fn new(predicted: Vec<FunctionCall>, golden_before: Vec<usize>) -> Self {
        Self {
            predicted,
            mapping: Mapping::default(),
            at: 0,
            first_answer: None,
            golden_before,
            golden_size: 0,
            equal: Vec::new(),
            malformed: BTreeMap::new(),
            missed: Vec::new(),
            errors: Errors::List(Vec::new()),
        }
    }

    /// The pair that is looked at.
    pub(super) fn pair(&self) -> Option<Pair> {
        self.mapping.pairs.get(self.at).copied()
    }

    /// The predicted call of a pair.
    pub(super) fn call(&self, pair: Pair) -> &FunctionCall {
        &self.predicted[pair.predicted]
    }

    /// Its form is wrong.
    pub(super) fn malformed(&mut self, pair: Pair, fault: String) {
        self.malformed.insert(pair.predicted, fault);
        self.missed.push((pair.golden, Miss::Form));
        self.at += 1;
    }

    /// Both are equal.
    pub(super) fn equal(&mut self, pair: Pair, how: How) {
        self.equal.push((pair, how));
        self.at += 1;
    }

    /// They are not. The authors' evaluator cannot note that where a text stands in the place of its list; then it is told
    /// by `false`.
    pub(super) fn unequal(&mut self, pair: Pair, fault: Fault) -> bool {
        self.missed.push((pair.golden, Miss::Content));
        self.at += 1;
        match &mut self.errors {
            Errors::List(faults) => {
                faults.push(fault);
                true
            }
            Errors::Text(_) => false,
        }
    }

    /// The golden calls that were matched, in the order of comparison.
    pub(super) fn matched(&self) -> Vec<usize> {
        self.equal.iter().map(|(pair, _)| pair.golden).collect()
    }

    /// Whether not a single call was right or malformed.
    pub(super) fn is_all_wrong(&self) -> bool {
        self.equal.is_empty() && self.malformed.is_empty()
    }

    /// How many calls have a wrong form.
    pub(super) fn malformed_count(&self) -> usize {
        self.malformed.len()
    }

    /// What the model is told, call by call. The runner of Claude tells no fault of form.
    pub(super) fn observations(&self, tells_form: bool) -> Vec<Observation> {
        let of = |at: usize| {
            let equal = self.equal.iter().find(|(pair, _)| pair.predicted == at).map(|(pair, _)| pair.golden);
            let repeated = self.mapping.repeats.iter().find(|(repeat, _)| *repeat == at).map(|(_, golden)| *golden);
            match (equal.or(repeated), self.malformed.get(&at).filter(|_| tells_form)) {
                (Some(golden), _) => Observation::Golden(golden),
                (None, Some(fault)) => Observation::FormatError(fault.clone()),
                (None, None) => Observation::GenericError,
            }
        };
        (0..self.predicted.len()).map(of).collect()
    }

    /// What happened up to now; if the authors' evaluator broke off, without what comes at the end.
    pub(super) fn trace(&self, is_mapped: bool, is_whole: bool) -> Trace {
        let pairs = || self.mapping.pairs.iter().map(|pair| (pair.predicted, pair.golden)).collect();
        Trace {
            golden_before: self.golden_before.clone(),
            assignment: self.mapping.assignment.clone(),
            mapping: is_mapped.then(pairs),
            how: self.equal.iter().map(|(_, how)| *how).collect(),
            end: is_whole.then(|| self.end()),
        }
    }

    fn end(&self) -> TraceEnd {
        let mut success: Vec<usize> = self.equal.iter().map(|(pair, _)| pair.predicted).collect();
        success.sort_unstable();
        TraceEnd {
            golden_size: self.golden_size,
            success,
            format_errors: self.malformed.clone(),
            value_errors: self.errors.clone(),
        }
    }
}

/// The name of a failed call, as Python writes it.
pub(super) fn failed_call(golden: &Golden, call: &FunctionCall) -> Errors {
    debug_assert!(!golden.rules().is_strict(), "our own rules keep a list");
    let object =
        [("name".to_owned(), call.name.as_str().into()), ("arguments".to_owned(), call.arguments.clone().into())];
    let value = Value::Object(object.into());
    Errors::Text(format!("API call failed for {}.", crate::python::text_of(&(&value).into())))
}

#[cfg(test)]
mod tests {
    use super::super::golden::tests::{call, golden};
    use super::super::outcome::ErrorType;
    use super::super::rules::{Dialect, Rules};
    use super::*;

    fn round() -> Round<'static> {
        let mut round = Round::new(vec![call("a", "{}"); 5], vec![3, 4]);
        let pair = |predicted| Pair { predicted, golden: 10 + predicted };
        round.mapping.pairs = vec![pair(2), pair(0), pair(1)];
        round.mapping.repeats = vec![(3, 7)];
        round
    }

    fn pair(round: &Round<'_>) -> Pair {
        round.pair().unwrap()
    }

    #[test]
    fn each_call_has_its_own_observation() {
        let mut round = round();
        round.equal(pair(&round), How::Rule);
        round.malformed(pair(&round), "wrong".to_owned());
        assert!(round.unequal(pair(&round), Fault::new(ErrorType::ValueError, "x")) && round.pair().is_none());
        let form = Observation::FormatError("wrong".to_owned());
        let generic = Observation::GenericError;
        let told = [form, generic.clone(), Observation::Golden(12), Observation::Golden(7), generic.clone()];
        assert_eq!(round.observations(true), told);
        assert_eq!(round.observations(false)[0], generic);
        assert_eq!((round.matched(), round.malformed_count(), round.is_all_wrong()), (vec![12], 1, false));
        assert_eq!(round.missed, [(10, Miss::Form), (11, Miss::Content)]);
    }

    #[test]
    fn a_turn_of_wrong_contents_alone_is_all_wrong() {
        let mut round = round();
        assert!(round.is_all_wrong());
        round.unequal(pair(&round), Fault::new(ErrorType::ValueError, "x"));
        assert!(round.is_all_wrong());
        round.malformed(pair(&round), String::new());
        assert!(!round.is_all_wrong());
    }

    #[test]
    fn a_text_in_the_place_of_the_list_takes_no_fault() {
        let mut round = round();
        round.errors = failed_call(&golden(Rules::Upstream(Dialect::Gpt)), &call("f", r#"{"a": true, "b": "it's"}"#));
        assert_eq!(
            round.errors,
            Errors::Text("API call failed for {'name': 'f', 'arguments': {'a': True, 'b': \"it's\"}}.".to_owned())
        );
        assert!(!round.unequal(pair(&round), Fault::new(ErrorType::ValueError, "x")));
    }

    #[test]
    fn a_trace_goes_as_far_as_the_turn_did() {
        let mut round = round();
        round.equal(pair(&round), How::Response);
        let (broken, whole) = (round.trace(false, false), round.trace(true, true));
        assert_eq!((broken.golden_before, broken.mapping, broken.end), (vec![3, 4], None, None));
        assert_eq!((whole.mapping.unwrap(), whole.how), (vec![(2, 12), (0, 10), (1, 11)], vec![How::Response]));
        assert_eq!(whole.end.unwrap().success, [2]);
    }
}
