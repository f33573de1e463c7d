//! What a model says in a turn, and the calls that are read from it.

use super::compare::{Decision, compare, format_fault};
use super::golden::Golden;
use super::machine::{Machine, Need, Told};
use super::mapping::{Mapping, Pair};
use super::outcome::{Assessment, Crash, ErrorType, Fault, Outcome};
use super::rules::{Dialect, Rules};
use crate::record::{FunctionCall, Object, Value};
use std::borrow::Cow;

/// What a model said in one turn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Turn {
    /// Its words; beside calls a thought.
    pub text: Option<String>,
    /// Its calls; absent where it made none, and empty where it made a list of none.
    pub calls: Option<Vec<SaidCall>>,
    /// What was wrong with it, where nobody kept the turn itself and the sample ended with it.
    pub lost: Option<Fault>,
}

/// A call as it was said.
#[derive(Debug, Clone, PartialEq)]
pub struct SaidCall {
    /// The function's name.
    pub name: String,
    /// Its arguments.
    pub arguments: SaidArguments,
}

/// Arguments as they were said.
#[derive(Debug, Clone, PartialEq)]
pub enum SaidArguments {
    /// There are none.
    Absent,
    /// Text that should be JSON.
    Text(String),
    /// A value that was read before it was written down.
    Read(Value),
}

/// What a turn amounts to.
#[derive(Debug, PartialEq)]
pub(super) enum Heard {
    /// Nothing was said.
    Nothing,
    /// An answer in words.
    Words(String),
    /// Calls.
    Calls(Option<String>, Vec<SaidCall>),
    /// A turn that nobody kept.
    Lost(Fault),
}

/// Why a call cannot be read.
#[derive(Debug, PartialEq)]
pub(super) enum Unread {
    /// The sample ends with this.
    Fault(Fault),
    /// The authors' evaluator breaks off.
    Crash(Crash),
}

impl Turn {
    /// An answer in words.
    pub fn words(text: &str) -> Self {
        Self { text: Some(text.to_owned()), ..Self::default() }
    }

    /// Calls and nothing else.
    pub fn calls(calls: impl IntoIterator<Item = FunctionCall>) -> Self {
        let said =
            |call: FunctionCall| SaidCall { name: call.name, arguments: SaidArguments::Read(call.arguments.into()) };
        Self { calls: Some(calls.into_iter().map(said).collect()), ..Self::default() }
    }

    /// What it amounts to. A list of no calls is a turn of its own to the runners of Qwen and Claude.
    pub(super) fn heard(self, rules: Rules) -> Heard {
        if let Some(fault) = self.lost {
            return Heard::Lost(fault);
        }
        let takes_empty = rules.is(Dialect::Qwen) || rules.is(Dialect::Claude);
        match (self.calls.filter(|calls| takes_empty || !calls.is_empty()), self.text) {
            (Some(calls), text) => Heard::Calls(text, calls),
            (None, Some(text)) => Heard::Words(text),
            (None, None) => Heard::Nothing,
        }
    }
}

impl SaidCall {
    /// Reads the call; its arguments come sorted by name.
    pub(super) fn read(self, golden: &Golden) -> Result<FunctionCall, Unread> {
        let rules = golden.rules();
        let ends_at_unknown_name = if rules.is(Dialect::Gpt) {
            Some(ErrorType::DecodeError)
        } else {
            rules.is(Dialect::Claude).then_some(ErrorType::NameError)
        };
        if let Some(error_type) = ends_at_unknown_name.filter(|_| golden.function(&self.name).is_none()) {
            return Err(Unread::Fault(Fault::new(error_type, format!("`{}` is no function of the list.", self.name))));
        }
        let mut arguments = self.arguments.read(rules, &self.name)?;
        arguments.sort_unstable_keys();
        Ok(FunctionCall { name: self.name, arguments })
    }
}

impl SaidArguments {
    fn read(self, rules: Rules, name: &str) -> Result<Object, Unread> {
        let value = match self {
            Self::Absent => return Ok(Object::new()),
            Self::Read(value) => value,
            Self::Text(text) if rules.is_strict() && text.trim().is_empty() => return Ok(Object::new()),
            Self::Text(text) => match Value::read_lenient(&text) {
                Ok((value, _)) => value,
                // Such a server reads the arguments itself, and gives none where it cannot.
                Err(_) if rules.is(Dialect::Claude) => return Ok(Object::new()),
                Err(error) => return Err(undecoded(format!("The arguments of `{name}` are {error}."))),
            },
        };
        match value {
            Value::Object(object) => Ok(object),
            Value::Null if !rules.is(Dialect::Qwen) => Ok(Object::new()),
            Value::List(list) if list.is_empty() && !rules.is_strict() => Ok(Object::new()),
            _ if rules.is_strict() => Err(undecoded(format!("The arguments of `{name}` are no object."))),
            _ => Err(Unread::Crash(Crash::Attribute)),
        }
    }
}

fn undecoded(content: String) -> Unread {
    Unread::Fault(Fault::new(ErrorType::DecodeError, content))
}

// Goes through a trajectory with somebody who knows all that is needed.

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

// What the API answers to calls that are left over, asked before they are matched: two calls with one answer belong
// together whatever they look like. By our own rules alone.

/// Answers while they are gathered.
#[derive(Debug)]
pub struct Gather<'g> {
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
mod turn_tests {
    use super::super::golden::tests::golden;
    use super::*;

    fn upstream(dialect: Dialect) -> Rules {
        Rules::Upstream(dialect)
    }

    fn read(rules: Rules, name: &str, arguments: SaidArguments) -> String {
        match (SaidCall { name: name.to_owned(), arguments }).read(&golden(rules)) {
            Ok(call) => Value::from(call.arguments).to_string(),
            Err(Unread::Fault(fault)) => format!("{}: {}", fault.error_type.as_str(), fault.content),
            Err(Unread::Crash(crash)) => crash.as_str().to_owned(),
        }
    }

    fn text(text: &str) -> SaidArguments {
        SaidArguments::Text(text.to_owned())
    }

    #[test]
    fn an_empty_list_of_calls_is_a_turn_to_some() {
        let empty = || Turn { calls: Some(Vec::new()), ..Turn::default() };
        assert_eq!(empty().heard(upstream(Dialect::Gpt)), Heard::Nothing);
        assert_eq!(empty().heard(Rules::default()), Heard::Nothing);
        assert_eq!(empty().heard(upstream(Dialect::Qwen)), Heard::Calls(None, Vec::new()));
        let beside = Turn { text: Some("so".to_owned()), ..empty() };
        assert_eq!(beside.clone().heard(upstream(Dialect::Gpt)), Heard::Words("so".to_owned()));
        assert_eq!(beside.heard(upstream(Dialect::Claude)), Heard::Calls(Some("so".to_owned()), Vec::new()));
        assert_eq!(Turn::words("").heard(Rules::default()), Heard::Words(String::new()));
        assert_eq!(Turn::default().heard(upstream(Dialect::Qwen)), Heard::Nothing);
    }

    #[test]
    fn an_unknown_name_ends_it_for_some_and_is_a_matter_of_format_for_others() {
        let read = |rules| read(rules, "Fly", text("{}"));
        assert_eq!(read(upstream(Dialect::Gpt)), "decode_error: `Fly` is no function of the list.");
        assert_eq!(read(upstream(Dialect::Claude)), "name_error: `Fly` is no function of the list.");
        assert_eq!([read(upstream(Dialect::Qwen)), read(Rules::default())], ["{}", "{}"]);
    }

    #[test]
    fn arguments_come_sorted_and_what_is_no_json_ends_it() {
        let rules = Rules::default();
        assert_eq!(read(rules, "Search", text(r#"{"day": 1, "area": "x"}"#)), r#"{"area":"x","day":1}"#);
        let broken = "decode_error: The arguments of `Search` are not JSON: the text ends too early at line 1, column 2 (byte 1).";
        for dialect in [Dialect::Gpt, Dialect::Qwen] {
            assert_eq!(read(upstream(dialect), "Search", text("{")), broken);
        }
        assert_eq!(
            (read(rules, "Search", text("{")), read(upstream(Dialect::Claude), "Search", text("{"))),
            (broken.to_owned(), "{}".to_owned())
        );
    }

    #[test]
    fn what_is_no_object_breaks_the_authors_evaluator_off_and_ours_not() {
        let all = |json: &str| {
            let mut all: Vec<String> = Dialect::ALL.map(|dialect| read(upstream(dialect), "Search", text(json))).into();
            all.push(read(Rules::default(), "Search", text(json)));
            all.join(" | ")
        };
        let strict = "decode_error: The arguments of `Search` are no object.";
        assert_eq!(all("null"), "{} | AttributeError | {} | {}");
        assert_eq!(all("[]"), format!("{{}} | {{}} | {{}} | {strict}"));
        assert_eq!(all("5"), format!("AttributeError | AttributeError | AttributeError | {strict}"));
        assert_eq!(read(Rules::default(), "Search", text(" ")), "{}");
        assert_eq!(read(upstream(Dialect::Claude), "Search", SaidArguments::Absent), "{}");
    }

    #[test]
    fn calls_that_were_read_stay_as_they_are() {
        let call = FunctionCall {
            name: "Search".to_owned(),
            arguments: Object::from_iter([("day".to_owned(), Value::from(1))]),
        };
        let turn = Turn::calls([call.clone()]);
        let Heard::Calls(None, calls) = turn.heard(Rules::default()) else { panic!("calls") };
        assert_eq!(calls.into_iter().map(|said| said.read(&golden(Rules::default()))).collect::<Vec<_>>(), [Ok(call)]);
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
        pub turns: VecDeque<Turn>,
        pub answers: Vec<(FunctionCall, Value)>,
        pub equal: bool,
        pub assessment: Option<Assessment>,
        /// What it was asked, in a word each.
        pub asked: Vec<String>,
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

#[cfg(test)]
mod gather_tests {
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
