//! What each thing that the machine is told sets going.

use super::state::{Exchange, Machine, Phase};
use crate::complexfunc::metric::compare::{Decision, compare, format_fault, reason, wrong_arguments};
use crate::complexfunc::metric::mapping::{Mapping, Pair};
use crate::complexfunc::metric::outcome::{Assessment, Counts, Crash, ErrorType, Fault, How, Message, Status};
use crate::complexfunc::metric::round::{Miss, Round, failed_call};
use crate::complexfunc::metric::rules::Dialect;
use crate::complexfunc::metric::turn::{Gather, Heard, SaidCall, Turn, Unread, is_success};
use crate::record::{FunctionCall, Object, Value};
use std::borrow::Cow;

// Pair by pair: is a predicted call its golden call?

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

// What a turn of the model sets going.

/// What the authors' evaluator says of a model that goes on.
const GOES_ON: &str = "`self.golden_fcs == []`. Expected to stop. But Model continue to output function call.";

impl<'g> Machine<'g> {
    pub(super) fn hear(&mut self, turn: Turn) {
        match turn.heard(self.golden.rules()) {
            Heard::Words(text) => self.conclude(Some(text)),
            Heard::Lost(fault) => self.end(Message::Fault(fault)),
            Heard::Calls(text, calls) => self.hear_calls(text, calls),
            Heard::Nothing if self.golden.rules().is(Dialect::Qwen) => self.crash(Crash::NotImplemented),
            Heard::Nothing => {
                if !self.golden.rules().is_strict() {
                    self.outcome.status = Status::NotRecorded;
                }
                self.end_with(ErrorType::UnknownError, "The model said nothing.");
            }
        }
    }

    fn hear_calls(&mut self, text: Option<String>, calls: Vec<SaidCall>) {
        if self.open.is_empty() && !self.golden.rules().is_strict() {
            return self.end_with(ErrorType::FuncHallucination, GOES_ON);
        }
        if self.golden.rules().is(Dialect::Claude) && text.is_some() {
            self.last_words = text;
        }
        let read: Result<Vec<FunctionCall>, Unread> = calls.into_iter().map(|call| call.read(self.golden)).collect();
        match read {
            Ok(calls) if self.open.is_empty() && !calls.iter().all(|call| self.golden.wants_again(call)) => {
                self.end_with(ErrorType::FuncHallucination, GOES_ON);
            }
            Ok(_) if self.golden.rules().strict().is_some_and(|it| self.exchanges.len() >= it.max_turns) => {
                self.end_with(ErrorType::ExceedMaxTurns, "The model called in more turns than it may.");
            }
            Ok(calls) => self.begin(calls),
            Err(Unread::Fault(fault)) => self.end(Message::Fault(fault)),
            Err(Unread::Crash(crash)) => self.crash(crash),
        }
    }

    /// Pairs the calls of a turn with golden ones.
    fn begin(&mut self, calls: Vec<FunctionCall>) {
        self.last_words = None;
        self.outcome.tally.calls += calls.len();
        let mut round = Round::new(calls, self.open.ordinals().collect());
        if let Err(crash) = self.open.drop_called(self.golden) {
            return self.break_off(round, crash, false);
        }
        self.open.sort();
        round.golden_size = self.open.len();
        round.mapping = Mapping::equal(self.golden, &mut self.open, &round.predicted, &self.covered);
        if !round.mapping.is_open() {
            return self.go_on(round);
        }
        match Gather::new(self.golden, &round.mapping, &round.predicted) {
            Some(gather) => self.phase = Phase::Gather(round, gather),
            None => self.liken(round),
        }
    }

    /// Goes on to the next answer, or to what the answers tell.
    pub(super) fn gather(&mut self, mut round: Round<'g>, gather: Gather<'g>) {
        if gather.call(self.golden, &round.predicted).is_some() {
            return self.phase = Phase::Gather(round, gather);
        }
        round.mapping.answered = gather.pairs(self.golden);
        self.liken(round);
    }

    /// Finds out how alike those are that are left over.
    fn liken(&mut self, round: Round<'g>) {
        match round.mapping.similarity(self.golden, &round.predicted, self.similarity) {
            Some(matrix) => self.assign(round, matrix),
            None => self.phase = Phase::Similarity(round),
        }
    }

    pub(super) fn assign(&mut self, mut round: Round<'g>, similarity: Vec<f64>) {
        round.mapping.assign(similarity, self.traces);
        self.go_on(round);
    }
}

// What a turn leads to when all of it is compared, and how a sample ends.

impl<'g> Machine<'g> {
    /// All pairs are compared: tells the model, or ends.
    pub(super) fn settle(&mut self, mut round: Round<'g>) {
        let rules = self.golden.rules();
        if self.traces {
            self.outcome.steps.push(round.trace(true, true));
        }
        self.outcome.tally.redundant_calls += round.mapping.repeats.len();
        self.outcome.tally.extra_calls += round.mapping.left.len();
        self.outcome.tally.format_errors += round.malformed_count();
        self.missed.append(&mut round.missed);
        let observations = round.observations(!rules.is(Dialect::Claude));
        let (matched, is_all_wrong) = (round.matched(), round.is_all_wrong());
        self.errors = round.errors;
        self.exchanges.push(Exchange { calls: round.predicted, observations: Vec::new() });
        if is_all_wrong && rules.strict().is_none_or(|it| it.ends_when_all_wrong && !self.errors.is_empty()) {
            return if self.errors.is_empty() { self.conclude(None) } else { self.end(self.errors.clone().into()) };
        }
        if let Some(exchange) = self.exchanges.last_mut() {
            exchange.observations = observations;
        }
        self.phase = Phase::Turn;
        self.take(&matched);
    }

    /// Takes in what was matched.
    fn take(&mut self, matched: &[usize]) {
        self.correct += matched.len();
        for ordinal in matched {
            self.covered[*ordinal] = true;
            // A lookup is done wherever the sample asks for it again.
            if self.golden.lookup_of(*ordinal, true).is_some() {
                let first = self.golden.get(*ordinal).first;
                let same = (0..self.covered.len()).filter(|other| self.golden.get(*other).first == first);
                same.collect::<Vec<_>>().into_iter().for_each(|other| self.covered[other] = true);
            }
        }
        if let Err(crash) = self.open.update(self.golden, matched) {
            self.crash(crash);
        }
    }

    /// The model answers in words, or made a turn of nothing.
    pub(super) fn conclude(&mut self, text: Option<String>) {
        if text.is_some() {
            self.last_words = text;
        }
        if self.golden.rules().is(Dialect::Gpt) && !self.errors.is_empty() {
            return self.end(self.errors.clone().into());
        }
        match self.open.forgive(self.golden) {
            Ok(true) => self.end(Message::Success),
            Ok(false) => self.end_with(ErrorType::StopEarly, "Stop early."),
            Err(crash) => self.crash(crash),
        }
    }

    pub(super) fn end_with(&mut self, error_type: ErrorType, content: &str) {
        self.end(Message::Fault(Fault::new(error_type, content)));
    }

    pub(super) fn end(&mut self, message: Message) {
        if let Message::Fault(fault) = &message {
            *self.outcome.tally.faults.entry(fault.error_type).or_default() += 1;
        }
        let steps = self.golden.step_count();
        let is_strict = self.golden.rules().is_strict();
        let covered = self.covered.iter().filter(|is_covered| **is_covered).count();
        self.outcome.counts = Counts {
            success_turn_num: if message == Message::Success { steps } else { self.open.passed(self.golden) },
            total_turn_num: steps,
            correct_call_num: if is_strict { covered } else { self.correct },
            total_call_num: self.golden.call_count(),
            real_turn_num: self.exchanges.len(),
        };
        self.outcome.message = message;
        self.count_missed();
        let is_empty = self.last_words.as_deref() == Some("");
        self.phase = match self.last_words {
            Some(_) if is_empty => Phase::Over,
            Some(_) if self.outcome.status == Status::Recorded => Phase::Assessment,
            _ => Phase::Over,
        };
        if is_empty {
            self.outcome.assessment = Some(Assessment { complete: -2, correct: -2 });
        }
    }

    /// Counts what was missed, and what of it was made up for.
    fn count_missed(&mut self) {
        let covered = &self.covered;
        let count = |miss: Miss| {
            let of = self.missed.iter().filter(move |(_, how)| *how == miss);
            (of.clone().count(), of.filter(|(ordinal, _)| covered[*ordinal]).count())
        };
        let ((_, form), (values, content)) = (count(Miss::Form), count(Miss::Content));
        let tally = &mut self.outcome.tally;
        (tally.recovered_format_errors, tally.value_errors, tally.recovered_value_errors) = (form, values, content);
    }

    pub(super) fn break_off(&mut self, round: Round<'g>, crash: Crash, is_mapped: bool) {
        if self.traces {
            self.outcome.steps.push(round.trace(is_mapped, false));
        }
        self.exchanges.push(Exchange { calls: round.predicted, observations: Vec::new() });
        self.crash(crash);
    }

    pub(super) fn crash(&mut self, crash: Crash) {
        self.outcome.status = Status::Crash(crash);
        self.phase = Phase::Over;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complexfunc::metric::golden::tests::{call, golden, made, steps};
    use crate::complexfunc::metric::outcome::{Errors, Message, Outcome, Status};
    use crate::complexfunc::metric::rules::{Dialect, Rules};
    use crate::complexfunc::metric::turn::Turn;
    use crate::complexfunc::metric::turn::tests::{played, scripted};
    use crate::record::FunctionCall;

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
        let mut settings = crate::complexfunc::metric::rules::tests::settings();
        settings.exact_match_values.clear();
        let parts =
            (crate::complexfunc::metric::golden::tests::steps(), crate::complexfunc::metric::golden::tests::tools());
        let golden = crate::complexfunc::metric::Golden::new(&parts.0, &parts.1, settings.into(), UPSTREAM);
        let outcome = played(&golden, &mut scripted([Turn::calls([search()])]));
        assert_eq!((outcome.status, outcome.message), (Status::Crash(Crash::Key), Message::Success));
        assert_eq!((outcome.steps[0].mapping.as_ref().map(Vec::len), &outcome.steps[0].end), (Some(1), &None));
    }
}

#[cfg(test)]
mod hear_tests {
    use super::super::state::Need;
    use super::*;
    use crate::complexfunc::metric::golden::tests::{call, golden};
    use crate::complexfunc::metric::outcome::{Assessment, Observation, Outcome};
    use crate::complexfunc::metric::rules::{Rules, Similarity, Strict};
    use crate::complexfunc::metric::turn::SaidArguments;
    use crate::complexfunc::metric::turn::tests::{Scripted, played, scripted};
    use crate::record::FunctionCall;

    const ALL: [Rules; 4] = [
        Rules::Upstream(Dialect::Gpt),
        Rules::Upstream(Dialect::Qwen),
        Rules::Upstream(Dialect::Claude),
        Rules::Strict(Strict { max_turns: 3, ends_when_all_wrong: false }),
    ];

    fn outcomes(turns: &[Turn]) -> [Outcome; 4] {
        ALL.map(|rules| played(&golden(rules), &mut scripted(turns.to_vec())))
    }

    fn kind(outcome: &Outcome) -> &'static str {
        outcome.message.faults().first().map_or("", |fault| fault.error_type.as_str())
    }

    fn raw(arguments: &str) -> Turn {
        let arguments = SaidArguments::Text(arguments.to_owned());
        Turn { calls: Some(vec![SaidCall { name: "Find_Town".to_owned(), arguments }]), ..Turn::default() }
    }

    /// All golden calls, step by step.
    fn gold() -> Vec<Turn> {
        let golden = golden(ALL[0]);
        let step = |calls: std::ops::Range<usize>| Turn::calls(calls.map(|ordinal| golden.call(ordinal).clone()));
        vec![step(0..2), step(2..3), step(3..5)]
    }

    #[test]
    fn who_says_nothing_is_no_row_to_some_breaks_off_another_and_fails_with_us() {
        let [gpt, qwen, claude, ours] = outcomes(&[]);
        assert_eq!([gpt.status, claude.status], [Status::NotRecorded; 2]);
        assert_eq!(
            (qwen.status, ours.status, kind(&ours)),
            (Status::Crash(Crash::NotImplemented), Status::Recorded, "unknown_error")
        );
        assert_eq!((ours.counts.total_call_num, ours.counts.total_turn_num, ours.assessment), (5, 3, None));
    }

    #[test]
    fn who_goes_on_after_the_end_invents_calls() {
        let mut turns = gold();
        turns.push(turns[2].clone());
        for outcome in outcomes(&turns) {
            assert_eq!(
                (kind(&outcome), outcome.counts.correct_call_num, outcome.counts.success_turn_num),
                ("func_hallucination", 5, 3)
            );
            assert_eq!((outcome.counts.real_turn_num, outcome.observations.len()), (3, 3));
        }
    }

    #[test]
    fn what_cannot_be_read_ends_it_without_a_turn() {
        let [gpt, qwen, claude, ours] = outcomes(&[raw("{")]);
        assert_eq!([kind(&gpt), kind(&qwen), kind(&ours)], ["decode_error"; 3]);
        assert_eq!([gpt.counts.real_turn_num, qwen.counts.real_turn_num], [0, 0]);
        assert!(
            matches!(&claude.observations[0][0], Observation::GenericError),
            "nothing was given, and no reason is told"
        );
        let crash = outcomes(&[raw("5")]).map(|outcome| outcome.status);
        assert_eq!(
            crash,
            [
                Status::Crash(Crash::Attribute),
                Status::Crash(Crash::Attribute),
                Status::Crash(Crash::Attribute),
                Status::Recorded
            ]
        );
    }

    #[test]
    fn a_thought_before_a_call_that_cannot_be_read_is_the_last_word_of_one_runner() {
        let call = SaidCall { name: "Fly".to_owned(), arguments: SaidArguments::Absent };
        let turn = Turn { text: Some("So".to_owned()), calls: Some(vec![call]), lost: None };
        for (rules, asked) in [(ALL[0], vec![]), (ALL[2], vec!["assess So"])] {
            let mut oracle = scripted([turn.clone()]);
            oracle.assessment = Some(Assessment { complete: 1, correct: 2 });
            let outcome = played(&golden(rules), &mut oracle);
            assert_eq!(
                (oracle.asked, outcome.assessment.is_some()),
                (asked.iter().map(ToString::to_string).collect(), !asked.is_empty())
            );
        }
    }

    #[test]
    fn a_turn_that_nobody_kept_ends_it_as_it_did() {
        let fault = crate::complexfunc::metric::Fault::new(ErrorType::NameError, "x");
        let lost = Turn { lost: Some(fault.clone()), ..Turn::default() };
        for outcome in outcomes(&[gold()[0].clone(), lost]) {
            assert_eq!((outcome.message.faults(), outcome.counts.correct_call_num), ([fault.clone()].as_slice(), 2));
        }
    }

    #[test]
    fn our_rules_allow_so_many_turns() {
        let wrong = || Turn::calls([call("Find_Town", "{}")]);
        let [gpt, .., ours] = outcomes(&[wrong(), wrong(), wrong(), wrong(), wrong()]);
        assert_eq!((kind(&ours), ours.counts.real_turn_num), ("exceed_max_turns", 3));
        assert_eq!((gpt.status, gpt.counts.real_turn_num), (Status::NotRecorded, 5));
        let [.., ours] = outcomes(&[wrong(), wrong(), wrong(), Turn::words("I give up")]);
        assert_eq!(kind(&ours), "stop_early");
    }

    #[test]
    fn an_embedding_is_asked_for_where_calls_are_left_over() {
        let golden = golden(ALL[0]);
        let mut machine = Machine::new(&golden, Similarity::Embedding);
        machine.hear(Turn::calls([call("Find_Town", r#"{"query": "Lake"}"#), golden.call(1).clone()]));
        let Need::Similarity(given, wanted) = machine.need() else { panic!("{:?}", machine.need()) };
        let names = |calls: Vec<&FunctionCall>| calls.iter().map(|call| call.name.clone()).collect::<Vec<_>>();
        assert_eq!(
            (names(given), names(wanted)),
            (vec!["Find_Town".to_owned()], vec!["Find_Town".to_owned(), "Search".to_owned()])
        );
        machine.tell(crate::complexfunc::metric::Told::Similarity(vec![0.1, 0.9]));
        assert_eq!(machine.need(), Need::Turn, "another function is wrong by its name, the other call was right");
        assert_eq!(machine.exchanges()[0].observations, [Observation::GenericError, Observation::Golden(1)]);
    }

    #[test]
    fn a_turn_of_no_calls_is_an_end_without_words() {
        let none = || Turn { calls: Some(Vec::new()), ..Turn::default() };
        let [gpt, qwen, claude, ours] = outcomes(&[none()]);
        assert_eq!(
            (gpt.status, kind(&qwen), kind(&claude), kind(&ours)),
            (Status::NotRecorded, "stop_early", "stop_early", "unknown_error")
        );
        let mut turns = gold();
        turns.push(none());
        let [_, qwen, ..] = outcomes(&turns);
        assert_eq!((kind(&qwen), qwen.assessment), ("func_hallucination", None));
        let mut oracle = Scripted::default();
        assert_eq!(played(&golden(ALL[1]), &mut oracle).steps.len(), 0);
    }
}

#[cfg(test)]
mod settle_tests {
    use super::*;
    use crate::complexfunc::metric::golden::Golden;
    use crate::complexfunc::metric::golden::tests::{call, golden, made, steps};
    use crate::complexfunc::metric::outcome::{Observation, Outcome};
    use crate::complexfunc::metric::rules::{Rules, Strict};
    use crate::complexfunc::metric::turn::Turn;
    use crate::complexfunc::metric::turn::tests::{played, scripted};
    use crate::record::FunctionCall;

    const GPT: Rules = Rules::Upstream(Dialect::Gpt);
    const QWEN: Rules = Rules::Upstream(Dialect::Qwen);

    fn run(golden: &Golden, turns: impl IntoIterator<Item = Turn>) -> Outcome {
        played(golden, &mut scripted(turns))
    }

    /// The golden calls of these ordinals.
    fn calls(golden: &Golden, ordinals: &[usize]) -> Turn {
        Turn::calls(ordinals.iter().map(|ordinal| golden.call(*ordinal).clone()))
    }

    fn wrong_search() -> FunctionCall {
        call("Search", r#"{"area": "a1", "day": "2027-03-09", "kind": "town", "people": 2, "tags": "x,y"}"#)
    }

    fn told(outcome: &Outcome) -> String {
        let faults = outcome.message.faults().iter().map(|fault| fault.error_type.as_str());
        faults.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn all_calls_and_an_answer_are_a_success() {
        for rules in [GPT, QWEN, Rules::default()] {
            let golden = golden(rules);
            let turns = [calls(&golden, &[0, 1]), calls(&golden, &[2]), calls(&golden, &[4, 3]), Turn::words("Here")];
            let mut oracle = scripted(turns);
            oracle.assessment = Some(Assessment { complete: 2, correct: 1 });
            let outcome = played(&golden, &mut oracle);
            assert!(outcome.is_success() && outcome.assessment == oracle.assessment && oracle.asked == ["assess Here"]);
            let counts = Counts {
                success_turn_num: 3,
                total_turn_num: 3,
                correct_call_num: 5,
                total_call_num: 5,
                real_turn_num: 3,
            };
            assert_eq!(
                (outcome.counts, &outcome.observations[2]),
                (counts, &vec![Observation::Golden(4), Observation::Golden(3)])
            );
        }
    }

    #[test]
    fn a_turn_of_wrong_values_alone_ends_it_for_the_authors_and_may_be_corrected_by_our_rules() {
        let turns = |golden: &Golden| {
            let right =
                [calls(golden, &[0, 1]), Turn::calls([wrong_search()]), calls(golden, &[2]), calls(golden, &[3, 4])];
            right.into_iter().chain([Turn::words("Here")])
        };
        let of = |rules| {
            let golden = golden(rules);
            run(&golden, turns(&golden))
        };
        let theirs = of(GPT);
        assert_eq!(
            (told(&theirs), theirs.counts.correct_call_num, theirs.counts.success_turn_num),
            ("value_error".to_owned(), 2, 1)
        );
        assert_eq!((theirs.observations.len(), theirs.counts.real_turn_num, theirs.assessment), (1, 2, None));
        let ours = of(Rules::default());
        assert!(ours.is_success() && ours.observations[1] == [Observation::GenericError]);
        assert_eq!((ours.tally.value_errors, ours.tally.recovered_value_errors, ours.tally.calls), (1, 1, 6));
        let ends = of(Rules::Strict(Strict { ends_when_all_wrong: true, ..Strict::default() }));
        assert_eq!(told(&ends), "value_error");
    }

    #[test]
    fn faults_of_the_last_turn_are_the_message_of_one_runner() {
        let of = |rules| {
            let golden = golden(rules);
            let turn = Turn::calls([golden.call(0).clone(), wrong_search()]);
            told(&run(&golden, [turn, Turn::words("")]))
        };
        assert_eq!([of(GPT), of(QWEN), of(Rules::default())], ["value_error", "stop_early", "stop_early"]);
    }

    #[test]
    fn a_wrong_form_changes_nothing_and_can_be_made_up_for() {
        for (rules, is_told) in [(GPT, true), (Rules::Upstream(Dialect::Claude), false), (Rules::default(), true)] {
            let golden = golden(rules);
            let bad = Turn::calls([call("Find_Town", "{}")]);
            let turns = [
                bad.clone(),
                bad,
                calls(&golden, &[0, 1]),
                calls(&golden, &[2]),
                calls(&golden, &[3, 4]),
                Turn::words("x"),
            ];
            let outcome = run(&golden, turns);
            assert!(outcome.is_success());
            assert_eq!(matches!(outcome.observations[0][0], Observation::FormatError(_)), is_told);
            assert_eq!((outcome.tally.format_errors, outcome.tally.recovered_format_errors), (2, 2));
        }
    }

    #[test]
    fn a_call_of_an_unknown_function_opens_the_next_step_for_the_authors_where_lookups_alone_are_open() {
        let lookup = |query: &str| call("Find_Town", &format!(r#"{{"query": "{query}"}}"#));
        let mut three = steps();
        three[0].calls = vec![lookup("Hill")];
        three[1].calls = vec![lookup("Lake")];
        // The first two steps are open together; the unknown function opens the third, whose calls may be made then.
        let turns = [Turn::calls([call("Fly", "{}")]), Turn::calls(three[2].calls.clone()), Turn::words("Here")];
        let correct = |rules| run(&made(&three, rules), turns.clone()).counts.correct_call_num;
        assert_eq!([correct(QWEN), correct(Rules::default())], [2, 0]);
    }

    #[test]
    fn repeats_and_further_calls_are_counted_by_our_rules_and_count_for_nothing() {
        let golden = golden(Rules::default());
        let more = Turn::calls([
            golden.call(0).clone(),
            golden.call(0).clone(),
            golden.call(1).clone(),
            golden.call(2).clone(),
            call("Quote", r#"{"key": "k"}"#),
        ]);
        let outcome = run(&golden, [more, calls(&golden, &[2, 3, 4]), Turn::words("x")]);
        assert!(outcome.is_success());
        assert_eq!((outcome.tally.calls, outcome.tally.redundant_calls, outcome.tally.extra_calls), (8, 2, 1));
        assert_eq!((outcome.counts.correct_call_num, outcome.observations[1][0].clone()), (5, Observation::Golden(2)));
        let theirs = made(&steps(), GPT);
        let repeats = Turn::calls([theirs.call(0).clone(), theirs.call(0).clone()]);
        assert_eq!(run(&theirs, [repeats, Turn::words("x")]).counts.correct_call_num, 2);
    }

    #[test]
    fn a_lookup_that_is_wanted_twice_is_done_once_by_our_rules() {
        let mut steps = steps();
        steps[2].calls[1] = steps[0].calls[0].clone();
        let golden = made(&steps, Rules::default());
        let outcome =
            run(&golden, [calls(&golden, &[0, 1]), calls(&golden, &[2]), calls(&golden, &[3]), Turn::words("x")]);
        assert!(outcome.is_success() && outcome.counts.correct_call_num == 5);
        let outcome =
            run(&golden, [calls(&golden, &[0, 1]), calls(&golden, &[2]), calls(&golden, &[3, 4]), Turn::words("x")]);
        assert!(outcome.is_success() && outcome.tally.redundant_calls == 1);
    }

    #[test]
    fn an_answer_without_words_is_judged_by_nobody() {
        for rules in [GPT, Rules::default()] {
            let mut oracle = scripted([Turn::words("")]);
            oracle.assessment = Some(Assessment { complete: 2, correct: 2 });
            let outcome = played(&golden(rules), &mut oracle);
            assert_eq!((outcome.assessment, oracle.asked.len()), (Some(Assessment { complete: -2, correct: -2 }), 0));
        }
    }

    #[test]
    fn what_is_told_out_of_turn_is_not_heard() {
        use super::super::state::{Need, Told};
        let golden = golden(GPT);
        let mut machine = Machine::new(&golden, crate::complexfunc::metric::Similarity::Structured);
        for told in [Told::Answer(None), Told::Judgement(true), Told::Similarity(Vec::new()), Told::Assessment(None)] {
            machine.tell(told);
            assert_eq!(machine.need(), Need::Turn);
        }
        machine.tell(Told::Turn(Some(Turn::words("x"))));
        machine.tell(Told::Turn(None));
        assert_eq!(machine.need(), Need::Assessment("x"));
        machine.tell(Told::Assessment(None));
        assert_eq!(machine.need(), Need::Nothing);
        assert_eq!(super::settle_tests::told(&machine.into_outcome()), "stop_early");
    }
}
