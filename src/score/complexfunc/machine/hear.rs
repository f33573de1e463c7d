//! What a turn of the model sets going.

use super::state::{Machine, Phase};
use crate::record::FunctionCall;
use crate::score::complexfunc::gather::Gather;
use crate::score::complexfunc::mapping::Mapping;
use crate::score::complexfunc::outcome::{Crash, ErrorType, Message, Status};
use crate::score::complexfunc::round::Round;
use crate::score::complexfunc::rules::Dialect;
use crate::score::complexfunc::turn::{Heard, SaidCall, Turn, Unread};

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

#[cfg(test)]
mod tests {
    use super::super::state::Need;
    use super::*;
    use crate::record::FunctionCall;
    use crate::score::complexfunc::golden::tests::{call, golden};
    use crate::score::complexfunc::outcome::{Assessment, Observation, Outcome};
    use crate::score::complexfunc::play::tests::{Scripted, played, scripted};
    use crate::score::complexfunc::rules::{Rules, Similarity, Strict};
    use crate::score::complexfunc::turn::SaidArguments;

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
        let fault = crate::score::complexfunc::Fault::new(ErrorType::NameError, "x");
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
        machine.tell(crate::score::complexfunc::Told::Similarity(vec![0.1, 0.9]));
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
