//! Pair by pair: is a predicted call its golden call?

use super::state::{Machine, Phase};
use crate::record::{Object, Value};
use crate::score::complexfunc::compare::{Decision, compare, reason, wrong_arguments};
use crate::score::complexfunc::form::format_fault;
use crate::score::complexfunc::gather::is_success;
use crate::score::complexfunc::mapping::Pair;
use crate::score::complexfunc::outcome::{Crash, Fault, How};
use crate::score::complexfunc::round::{Round, failed_call};
use std::borrow::Cow;

impl<'g> Machine<'g> {
    /// Compares pair by pair, until somebody must be asked.
    pub(super) fn go_on(&mut self, mut round: Round<'g>) {
        while let Some(pair) = round.pair() {
            if let Some(fault) = format_fault(self.golden, round.call(pair)) {
                round.malformed(pair, fault);
                continue;
            }
            match compare(self.golden, round.call(pair), pair.golden) {
                Ok(Decision::Equal) => round.equal(pair, How::Rule),
                Ok(Decision::Unequal(fault)) => {
                    if !self.unequal(&mut round, pair, fault) {
                        return self.break_off(round, Crash::Attribute, true);
                    }
                }
                Ok(Decision::Open) => match round.mapping.is_same(pair) {
                    Some(true) => round.equal(pair, How::Response),
                    Some(false) => return self.phase = Phase::Judgement(round),
                    None => return self.phase = Phase::FirstAnswer(round),
                },
                Err(crash) => return self.break_off(round, crash, true),
            }
        }
        self.settle(round);
    }

    pub(super) fn first_answer(&mut self, mut round: Round<'g>, answer: Option<Cow<'g, Value>>) {
        let is_strict = self.golden.rules().is_strict();
        let is_empty_object = answer.as_deref().and_then(Value::as_object).is_some_and(Object::is_empty);
        self.phase = match answer {
            Some(_) if is_empty_object && !is_strict => {
                if let Some(pair) = round.pair() {
                    round.errors = failed_call(self.golden, round.call(pair));
                }
                Phase::Judgement(round)
            }
            Some(answer) if !is_strict || is_success(&answer) => {
                round.first_answer = Some(answer);
                Phase::SecondAnswer(round)
            }
            _ => Phase::Judgement(round),
        };
    }

    pub(super) fn second_answer(&mut self, mut round: Round<'g>, answer: Option<&Value>) {
        let first = round.first_answer.take();
        let is_same = first.zip(answer).is_some_and(|(one, other)| self.golden.rules().equal(&one, other));
        match round.pair() {
            Some(pair) if is_same => {
                round.equal(pair, How::Response);
                self.go_on(round);
            }
            _ => self.phase = Phase::Judgement(round),
        }
    }

    pub(super) fn judged(&mut self, mut round: Round<'g>, is_equal: bool) {
        let Some(pair) = round.pair() else { return self.settle(round) };
        if is_equal {
            round.equal(pair, How::Judge);
        } else {
            let fault = reason(self.golden, round.call(pair), pair.golden);
            if !self.unequal(&mut round, pair, fault) {
                return self.break_off(round, Crash::Attribute, true);
            }
        }
        self.go_on(round);
    }

    /// Notes a wrong call with its arguments.
    fn unequal(&mut self, round: &mut Round<'g>, pair: Pair, fault: Fault) -> bool {
        let tally = &mut self.outcome.tally;
        *tally.faults.entry(fault.error_type).or_default() += 1;
        if round.call(pair).name == self.golden.call(pair.golden).name {
            for name in wrong_arguments(self.golden, round.call(pair), pair.golden) {
                let argument = (pair.golden, name.to_owned());
                if !tally.wrong_arguments.contains(&argument) {
                    tally.wrong_arguments.push(argument);
                }
            }
        }
        round.unequal(pair, fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::FunctionCall;
    use crate::score::complexfunc::golden::tests::{call, golden, made, steps};
    use crate::score::complexfunc::outcome::{Errors, Message, Outcome, Status};
    use crate::score::complexfunc::play::tests::{played, scripted};
    use crate::score::complexfunc::rules::{Dialect, Rules};
    use crate::score::complexfunc::turn::Turn;

    const UPSTREAM: Rules = Rules::Upstream(Dialect::Gpt);

    /// The golden search without its last argument but one, which need not be exact.
    fn search() -> FunctionCall {
        call("Search", r#"{"area": "a1", "day": "2027-03-01", "kind": "town", "tags": "x,y"}"#)
    }

    /// What is asked and what comes of it if the API answers so to the predicted and the golden call.
    fn asked(rules: Rules, answers: [Option<&str>; 2], equal: bool) -> (Vec<String>, Outcome) {
        let golden = golden(rules);
        let mut oracle = scripted([Turn::calls([search()])]);
        oracle.equal = equal;
        let calls = [search(), golden.call(2).clone()].into_iter().zip(answers);
        let known = calls.filter_map(|(call, answer)| Some((call, Value::read(answer?).unwrap())));
        oracle.answers = known.collect();
        let outcome = played(&golden, &mut oracle);
        (oracle.asked, outcome)
    }

    fn how(outcome: &Outcome) -> &[How] {
        &outcome.steps[0].how
    }

    #[test]
    fn equal_answers_make_equal_calls_and_nobody_is_asked_then() {
        for rules in [UPSTREAM, Rules::default()] {
            let (asked, outcome) = asked(rules, [Some(r#"{"n": 1}"#), Some(r#"{"n": 1.0}"#)], false);
            assert_eq!(
                (asked.join(", "), how(&outcome)),
                ("answer Search, answer Search".to_owned(), [How::Response].as_slice())
            );
        }
    }

    #[test]
    fn a_judge_is_asked_where_answers_do_not_tell() {
        for answers in [[None, None], [None, Some("5")], [Some("5"), None], [Some("5"), Some("6")]] {
            let (asked, outcome) = asked(UPSTREAM, answers, true);
            assert!(asked.ends_with(&["judge Search Search after 0".to_owned()]), "{asked:?}");
            assert_eq!(how(&outcome), [How::Judge]);
        }
        assert_eq!(asked(UPSTREAM, [None, Some("5")], true).0.len(), 2, "a failed call is compared with nothing");
    }

    #[test]
    fn empty_and_failed_answers_are_equal_to_the_authors_alone() {
        for answer in ["[]", "\"\"", r#"{"status": false, "message": "no"}"#] {
            let of = |rules| asked(rules, [Some(answer); 2], false).1;
            assert_eq!(how(&of(UPSTREAM)), [How::Response], "{answer}");
            assert_eq!(how(&of(Rules::default())), [], "{answer}");
        }
        let of = |rules| asked(rules, [Some("true"), Some("1")], false).1;
        assert_eq!((how(&of(UPSTREAM)).len(), how(&of(Rules::default())).len()), (1, 0));
    }

    #[test]
    fn an_empty_object_puts_a_text_in_the_place_of_the_list() {
        let (asked_for, outcome) = asked(UPSTREAM, [Some("{}"), Some("{}")], true);
        assert_eq!((asked_for.len(), how(&outcome)), (2, [How::Judge].as_slice()));
        let Errors::Text(text) = &outcome.steps[0].end.as_ref().unwrap().value_errors else { panic!("a text") };
        assert!(text.starts_with("API call failed for {'name': 'Search', 'arguments': {'area': 'a1',"), "{text}");
        let (_, outcome) = asked(UPSTREAM, [Some("{}"), None], false);
        assert_eq!((outcome.status, &outcome.steps[0].end), (Status::Crash(Crash::Attribute), &None));
        let (_, outcome) = asked(Rules::default(), [Some("{}"), None], false);
        assert_eq!(outcome.status, Status::Recorded);
    }

    #[test]
    fn calls_that_are_answered_the_same_belong_together_by_our_rules() {
        let mut steps = steps();
        let search = |people: &str| call("Search", &format!(r#"{{"area": "a", "day": "d", "people": {people}}}"#));
        steps[0].calls = vec![search("20"), search("5")];
        let golden = made(&steps, Rules::default());
        // It looks like the first, and is answered like the second.
        let mut oracle = scripted([Turn::calls([search("25")])]);
        let answers = [(search("25"), "7"), (search("20"), "6"), (search("5"), "7")];
        oracle.answers = answers.map(|(call, answer)| (call, Value::read(answer).unwrap())).into();
        let outcome = played(&golden, &mut oracle);
        assert_eq!((&outcome.steps[0].mapping, oracle.asked.len()), (&Some(vec![(0, 1)]), 3));
        assert_eq!(how(&outcome), [How::Response]);
    }

    #[test]
    fn wrong_arguments_are_counted_once_for_each_golden_call() {
        let golden = golden(Rules::default());
        let mut wrong = search();
        wrong.arguments.insert("day".to_owned(), "x".into());
        let outcome = played(&golden, &mut scripted([Turn::calls([wrong.clone()]), Turn::calls([wrong])]));
        assert_eq!(outcome.tally.wrong_arguments, [(2, "day".to_owned()), (2, "people".to_owned())]);
        assert_eq!((outcome.tally.value_errors, outcome.tally.recovered_value_errors), (2, 0));
    }

    #[test]
    fn an_unlisted_function_breaks_off_with_its_mapping_kept() {
        let mut settings = crate::score::complexfunc::settings::tests::settings();
        settings.exact_match_values.clear();
        let parts =
            (crate::score::complexfunc::golden::tests::steps(), crate::score::complexfunc::golden::tests::tools());
        let golden = crate::score::complexfunc::Golden::new(&parts.0, &parts.1, settings.into(), UPSTREAM);
        let outcome = played(&golden, &mut scripted([Turn::calls([search()])]));
        assert_eq!((outcome.status, outcome.message), (Status::Crash(Crash::Key), Message::Success));
        assert_eq!((outcome.steps[0].mapping.as_ref().map(Vec::len), &outcome.steps[0].end), (Some(1), &None));
    }
}
