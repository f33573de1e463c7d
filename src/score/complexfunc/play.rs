//! Goes through a trajectory with somebody who knows all that is needed.

use super::machine::{Machine, Need, Told};
use super::outcome::{Assessment, Outcome};
use super::turn::Turn;
use crate::record::{FunctionCall, Value};
use std::borrow::Cow;

/// Somebody who is asked for what a machine needs. Whoever does not know answers nothing, or no.
pub trait Oracle<'g> {
    /// The model's next turn.
    fn turn(&mut self) -> Option<Turn>;

    /// What the API answers to a call: the data alone where it went well.
    fn answer(&mut self, _call: &FunctionCall) -> Option<Cow<'g, Value>> {
        None
    }

    /// Whether a predicted call says what a golden one says, after what the machine went through.
    fn is_equal(&mut self, _machine: &Machine<'g>, _predicted: &FunctionCall, _golden: &FunctionCall) -> bool {
        false
    }

    /// How alike calls are: a row for each predicted one. Nothing counts as being alike alike.
    fn similarity(
        &mut self,
        _machine: &Machine<'g>,
        predicted: &[&FunctionCall],
        golden: &[&FunctionCall],
    ) -> Vec<f64> {
        vec![0.0; predicted.len() * golden.len()]
    }

    /// What a judge says of the answer in words.
    fn assess(&mut self, _answer: &str) -> Option<Assessment> {
        None
    }
}

/// Goes through a trajectory to its end.
pub fn play<'g>(mut machine: Machine<'g>, oracle: &mut impl Oracle<'g>) -> Outcome {
    loop {
        let told = match machine.need() {
            Need::Nothing => return machine.into_outcome(),
            Need::Turn => Told::Turn(oracle.turn()),
            Need::Answer(call) => Told::Answer(oracle.answer(call)),
            Need::Judgement(predicted, golden) => Told::Judgement(oracle.is_equal(&machine, predicted, golden)),
            Need::Similarity(predicted, golden) => Told::Similarity(oracle.similarity(&machine, &predicted, &golden)),
            Need::Assessment(answer) => Told::Assessment(oracle.assess(answer)),
        };
        machine.tell(told);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::golden::Golden;
    use super::super::golden::tests::golden;
    use super::super::outcome::{ErrorType, Message, Status};
    use super::super::rules::{Dialect, Rules, Similarity};
    use super::*;
    use std::collections::VecDeque;

    /// Says its turns, and knows what it was told before.
    #[derive(Default)]
    pub(crate) struct Scripted {
        pub(crate) turns: VecDeque<Turn>,
        pub(crate) answers: Vec<(FunctionCall, Value)>,
        pub(crate) equal: bool,
        pub(crate) assessment: Option<Assessment>,
        /// What it was asked, in a word each.
        pub(crate) asked: Vec<String>,
    }

    impl<'g> Oracle<'g> for Scripted {
        fn turn(&mut self) -> Option<Turn> {
            self.turns.pop_front()
        }

        fn answer(&mut self, call: &FunctionCall) -> Option<Cow<'g, Value>> {
            self.asked.push(format!("answer {}", call.name));
            let known = self.answers.iter().find(|(other, _)| other == call);
            known.map(|(_, answer)| Cow::Owned(answer.clone()))
        }

        fn is_equal(&mut self, machine: &Machine<'g>, predicted: &FunctionCall, golden: &FunctionCall) -> bool {
            self.asked.push(format!("judge {} {} after {}", predicted.name, golden.name, machine.exchanges().len()));
            self.equal
        }

        fn assess(&mut self, answer: &str) -> Option<Assessment> {
            self.asked.push(format!("assess {answer}"));
            self.assessment
        }
    }

    pub(crate) fn scripted(turns: impl IntoIterator<Item = Turn>) -> Scripted {
        Scripted { turns: turns.into_iter().collect(), ..Scripted::default() }
    }

    pub(crate) fn played(golden: &Golden, oracle: &mut Scripted) -> Outcome {
        play(Machine::new(golden, Similarity::Structured).traced(), oracle)
    }

    /// An oracle that knows nothing but the turns.
    struct Ignorant(Option<Turn>);

    impl Oracle<'_> for Ignorant {
        fn turn(&mut self) -> Option<Turn> {
            self.0.take()
        }
    }

    #[test]
    fn whoever_knows_nothing_says_no() {
        let golden = golden(Rules::Upstream(Dialect::Gpt));
        let mut call = golden.call(0).clone();
        call.arguments.insert("query".to_owned(), "Lake".into());
        let machine = Machine::new(&golden, Similarity::Embedding);
        let outcome = play(machine, &mut Ignorant(Some(Turn::calls([call.clone(), call.clone()]))));
        let kinds: Vec<ErrorType> = outcome.message.faults().iter().map(|fault| fault.error_type).collect();
        assert_eq!((outcome.status, kinds), (Status::Recorded, vec![ErrorType::ValueError, ErrorType::FuncError]));
        let outcome = play(Machine::new(&golden, Similarity::Structured), &mut Ignorant(Some(Turn::words("x"))));
        assert!(outcome.assessment.is_none() && outcome.message != Message::Success);
    }
}
