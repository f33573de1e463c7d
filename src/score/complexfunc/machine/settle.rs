//! What a turn leads to when all of it is compared, and how a sample ends.

use super::state::{Exchange, Machine, Phase};
use crate::score::complexfunc::outcome::{Assessment, Counts, Crash, ErrorType, Fault, Message, Status};
use crate::score::complexfunc::round::{Miss, Round};
use crate::score::complexfunc::rules::Dialect;

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
    use crate::record::FunctionCall;
    use crate::score::complexfunc::golden::Golden;
    use crate::score::complexfunc::golden::tests::{call, golden, made, steps};
    use crate::score::complexfunc::outcome::{Observation, Outcome};
    use crate::score::complexfunc::play::tests::{played, scripted};
    use crate::score::complexfunc::rules::{Rules, Strict};
    use crate::score::complexfunc::turn::Turn;

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
        let mut machine = Machine::new(&golden, crate::score::complexfunc::Similarity::Structured);
        for told in [Told::Answer(None), Told::Judgement(true), Told::Similarity(Vec::new()), Told::Assessment(None)] {
            machine.tell(told);
            assert_eq!(machine.need(), Need::Turn);
        }
        machine.tell(Told::Turn(Some(Turn::words("x"))));
        machine.tell(Told::Turn(None));
        assert_eq!(machine.need(), Need::Assessment("x"));
        machine.tell(Told::Assessment(None));
        assert_eq!(machine.need(), Need::Nothing);
        assert_eq!(super::tests::told(&machine.into_outcome()), "stop_early");
    }
}
