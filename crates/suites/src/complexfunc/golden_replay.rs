//! The scorer tried on a sample itself: its golden calls must pass as a perfect model's, and each must be needed.

use super::driver::golden_answer;
use crate::complexfunc::metric::{
    Dialect, Golden, Machine, Message, Observation, Oracle, Outcome, Rules, Settings, Similarity, Status, Strict, Turn,
    play,
};
use crate::record::{Expected, FunctionCall, Sample, Step, Tool, Value};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// How a perfect model makes the calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Step by step, those of a step in one turn.
    Parallel,
    /// One in each turn.
    OneByOne,
}

/// What is wrong with golden calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GoldenFault {
    /// They do not pass.
    Fails {
        /// By which profile: `strict`, or a runner of the authors.
        profile: &'static str,
        /// How they were made.
        pace: Pace,
        /// What became of them.
        message: String,
    },
    /// One can be left out, and the others still pass.
    Deletable {
        /// Its ordinal in the sample.
        call: usize,
        /// Its function.
        name: String,
    },
}

/// A sample's golden calls, to be replayed.
#[derive(Debug)]
pub struct GoldenReplay<'s> {
    steps: &'s [Step],
    tools: &'s [Arc<Tool>],
    settings: Arc<Settings>,
    answer: &'s str,
}

/// Somebody who makes all calls, and knows what they are answered with.
struct Perfect<'g> {
    golden: &'g Golden,
    turns: std::vec::IntoIter<Turn>,
}

impl<'s> GoldenReplay<'s> {
    /// The golden calls of a sample; nothing where its right answer is no chain of calls.
    pub fn new(sample: &'s Sample, settings: Arc<Settings>) -> Option<Self> {
        let Expected::Steps(steps) = &sample.expected else { return None };
        let answer = sample.provenance.facts.get(crate::record::FINAL_ANSWER_FACT);
        Some(Self { steps, tools: &sample.candidates, settings, answer: answer.map_or("", String::as_str) })
    }

    /// Everything that is wrong, by our own profile and by the authors' as they run GPT.
    pub fn faults(&self) -> Vec<GoldenFault> {
        let mut faults = Vec::new();
        for golden in [self.golden(self.strict()), self.golden(Rules::Upstream(Dialect::Gpt))] {
            let fails = [Pace::Parallel, Pace::OneByOne].into_iter().filter_map(|pace| self.fails(&golden, pace));
            faults.extend(fails);
            // What does not pass as it is tells nothing of what it needs.
            if faults.is_empty() {
                faults.extend(self.deletable(&golden));
            }
        }
        faults.dedup();
        faults
    }

    fn golden(&self, rules: Rules) -> Golden {
        Golden::new(self.steps, self.tools, self.settings.clone(), rules)
    }

    /// Our own rules, with as many turns as there are calls.
    fn strict(&self) -> Rules {
        let calls: usize = self.steps.iter().map(|step| step.calls.len()).sum();
        Rules::Strict(Strict { max_turns: Strict::default().max_turns.max(calls + 1), ..Strict::default() })
    }

    fn fails(&self, golden: &Golden, pace: Pace) -> Option<GoldenFault> {
        let outcome = play_turns(golden, self.turns(pace, None));
        let counts = outcome.counts;
        let is_whole =
            counts.correct_call_num == counts.total_call_num && counts.success_turn_num == counts.total_turn_num;
        (!outcome.is_success() || !is_whole).then(|| GoldenFault::Fails {
            profile: golden.rules().name(),
            pace,
            message: told(&outcome),
        })
    }

    /// Calls without which the others still pass, though nobody forgives their absence.
    fn deletable(&self, golden: &Golden) -> Vec<GoldenFault> {
        let calls: Vec<&FunctionCall> = self.steps.iter().flat_map(|step| &step.calls).collect();
        let needed = calls.iter().enumerate().filter(|(_, call)| !self.settings.may_be_left_out(call));
        let passes = |without: usize, pace| play_turns(golden, self.turns(pace, Some(without))).is_success();
        needed
            .filter(|(at, _)| passes(*at, Pace::Parallel) || passes(*at, Pace::OneByOne))
            .map(|(call, golden)| GoldenFault::Deletable { call, name: golden.name.clone() })
            .collect()
    }

    /// The turns of a perfect model, maybe without one of its calls, and the answer in words.
    fn turns(&self, pace: Pace, without: Option<usize>) -> Vec<Turn> {
        let mut turns = Vec::new();
        let mut ordinal = 0;
        for step in self.steps {
            let numbered = step.calls.iter().zip(ordinal..);
            let kept = numbered.filter(|(_, at)| Some(*at) != without).map(|(call, _)| call.clone());
            let calls: Vec<FunctionCall> = kept.collect();
            ordinal += step.calls.len();
            match pace {
                Pace::Parallel if calls.is_empty() => {}
                Pace::Parallel => turns.push(Turn::calls(calls)),
                Pace::OneByOne => turns.extend(calls.into_iter().map(|call| Turn::calls([call]))),
            }
        }
        turns.push(Turn::words(self.answer));
        turns
    }
}

fn play_turns(golden: &Golden, turns: Vec<Turn>) -> Outcome {
    play(Machine::new(golden, Similarity::Structured), &mut Perfect { golden, turns: turns.into_iter() })
}

impl<'g> Oracle<'g> for Perfect<'g> {
    fn turn(&mut self) -> Option<Turn> {
        self.turns.next()
    }

    fn answer(&mut self, call: &FunctionCall) -> Option<Cow<'g, Value>> {
        golden_answer(self.golden, call)
    }
}

/// What became of a replay, in words.
fn told(outcome: &Outcome) -> String {
    if let Status::Crash(crash) = outcome.status {
        return format!("the authors' evaluator breaks off: {}", crash.as_str());
    }
    let counts = outcome.counts;
    let mut said = vec![format!("{} of {} calls are right", counts.correct_call_num, counts.total_call_num)];
    said.extend(outcome.observations.iter().flatten().filter_map(|observation| match observation {
        Observation::FormatError(text) => Some(text.clone()),
        _ => None,
    }));
    match &outcome.message {
        Message::Text(text) => said.push(text.clone()),
        message => said.extend(message.faults().iter().map(|it| format!("{}: {}", it.error_type.as_str(), it.content))),
    }
    said.join("; ")
}

impl fmt::Display for Pace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Parallel => "in parallel",
            Self::OneByOne => "one by one",
        })
    }
}

impl fmt::Display for GoldenFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fails { profile, pace, message } => {
                write!(formatter, "the golden calls, made {pace}, do not pass by profile `{profile}`: {message}")
            }
            Self::Deletable { call, name } => {
                write!(formatter, "call {call}, `{name}`, can be left out and the others still pass")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: &str = r#"{"free_functions": ["Find", "Locate"], "free_removed_at_end": ["Find"],
        "exact_match_values": {"Find": [], "Locate": [], "Search": ["id"], "Book": ["token"]}}"#;

    /// A sample of steps, each a list of calls with their answers.
    fn sample(steps: &str) -> Sample {
        let tool = |name: &str, needs: &str| {
            format!(
                r#"{{"name": "{name}", "parameters": {{"properties": {{"{needs}": {{"type": "string"}}}}, "required": ["{needs}"]}}}}"#
            )
        };
        let tools = [("Find", "query"), ("Locate", "query"), ("Search", "id"), ("Book", "token")];
        let tools = tools.map(|(name, needs)| tool(name, needs)).join(", ");
        let text = format!(
            r#"{{"id": "t/0", "suite": "complexfuncbench", "data_type": "Inns", "locale": "en", "group": "t", "messages": [],
            "candidates": [{tools}], "expected": {{"steps": [{steps}]}}, "licence": "CC0", "source": "test",
            "provenance": {{"template": false, "draws": [], "facts": {{"final_answer": "Done."}}}}}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    fn step(calls: &[(&str, &str)]) -> String {
        let call = |(name, arguments): &(&str, &str)| format!(r#"{{"name": "{name}", "arguments": {arguments}}}"#);
        let answer =
            |(name, arguments): &(&str, &str)| format!(r#"{{"status": true, "data": ["{name}", {arguments}]}}"#);
        let all = |text: &dyn Fn(&(&str, &str)) -> String| calls.iter().map(text).collect::<Vec<_>>().join(", ");
        format!(r#"{{"calls": [{}], "answers": [{}]}}"#, all(&call), all(&answer))
    }

    const FIND: (&str, &str) = ("Find", r#"{"query": "Hill"}"#);
    const LOCATE: (&str, &str) = ("Locate", r#"{"query": "Hill"}"#);
    const SEARCH: (&str, &str) = ("Search", r#"{"id": "T1"}"#);
    const OTHER: (&str, &str) = ("Search", r#"{"id": "T2"}"#);
    const BOOK: (&str, &str) = ("Book", r#"{"token": "xyz"}"#);

    fn faults(steps: &[&[(&str, &str)]]) -> Vec<String> {
        let steps: Vec<String> = steps.iter().map(|calls| step(calls)).collect();
        let sample = sample(&steps.join(", "));
        let settings: Settings = serde_json::from_str(SETTINGS).unwrap();
        let replay = GoldenReplay::new(&sample, Arc::new(settings)).unwrap();
        replay.faults().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn sound_calls_pass_at_either_pace_and_each_is_needed() {
        assert_eq!(faults(&[&[FIND], &[SEARCH, OTHER], &[BOOK]]), Vec::<String>::new());
        assert_eq!(faults(&[&[LOCATE, FIND], &[SEARCH]]), Vec::<String>::new());
    }

    #[test]
    fn a_call_that_its_function_does_not_take_fails() {
        let faults = faults(&[&[FIND], &[("Search", r#"{"town": "T1"}"#)]]);
        assert_eq!(faults.len(), 4, "{faults:?}");
        let told = "the golden calls, made in parallel, do not pass by profile `strict`: 1 of 2 calls are right";
        assert!(faults[0].starts_with(told), "{faults:?}");
        assert!(faults[3].contains("made one by one, do not pass by profile `gpt`"), "{faults:?}");
    }

    #[test]
    fn a_lookup_that_is_made_twice_can_be_left_out_once() {
        let told = faults(&[&[LOCATE, LOCATE], &[SEARCH], &[BOOK]]);
        assert_eq!(told.last().unwrap(), "call 1, `Locate`, can be left out and the others still pass");
        assert_eq!(faults(&[&[FIND, FIND], &[SEARCH]]), Vec::<String>::new(), "nobody minds a forgiven one");
    }

    #[test]
    fn what_is_no_chain_of_calls_is_not_replayed() {
        let mut sample = sample(&step(&[FIND]));
        sample.expected = Expected::Refusal;
        assert!(GoldenReplay::new(&sample, Arc::default()).is_none());
    }

    #[test]
    fn many_calls_have_as_many_turns() {
        let ids: Vec<String> = (0..40).map(|at| format!(r#"{{"id": "T{at}"}}"#)).collect();
        let calls: Vec<(&str, &str)> = ids.iter().map(|id| ("Search", id.as_str())).collect();
        assert_eq!(faults(&[&calls]), Vec::<String>::new());
    }
}
