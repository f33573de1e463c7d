//! One answer's verdict, with its reasons.

use super::compare;
use super::read::{Form, Found, Place, Way, read};
use super::shape::{self, Shape, retype};
use crate::callnavi::metric::upstream::Form as Asked;
use crate::record::{
    ArgumentNotes, BorrowedValue, Expected, FunctionCall, Object, Origin, PLACEHOLDER, PredictionTurn, Sample, Step,
    Tool, Value,
};
use indexmap::IndexMap;
use serde::Serialize;
use std::sync::Arc;

/// What there is to judge.
#[derive(Debug, Clone, Copy)]
pub enum Given<'p> {
    /// What the model said.
    Said(&'p PredictionTurn),
    /// Nobody asked the model, or the answer is lost.
    Missing,
    /// The model could not be reached, and this is what the transport said.
    Failed(&'p str),
}

/// What was found of an answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict {
    /// Whether the answer itself could be read, without a repair.
    pub syntax: bool,
    /// Whether what is judged is a repair.
    pub repaired: bool,
    /// How the answer, or its repair, was found.
    pub way: Option<Way>,
    /// The value that was judged.
    pub washed: Option<Value>,
    /// Whether the right calls are made in the right order.
    pub order: bool,
    /// Whether besides every name is right and no other is there.
    pub structure: bool,
    /// Whether all is right.
    pub ast: bool,
    /// Why it is not right; the first weighs most.
    pub errors: Vec<ErrorClass>,
    /// The same in words.
    pub reason: String,
}

impl Gold<'_> {
    /// Judges calls with their parameters. A repair is looked at only where nothing in the answer can be read.
    pub fn judge(&self, given: Given<'_>, asked: Asked, repair: Option<&str>) -> Verdict {
        let turn = match given {
            Given::Said(turn) => turn,
            Given::Missing => return Verdict::lost(ErrorClass::NoPrediction, "there is no prediction"),
            Given::Failed(detail) => return Verdict::lost(ErrorClass::Transport, detail),
        };
        let said = if turn.tool_calls.is_empty() {
            read(turn.content.as_deref().unwrap_or_default(), asked)
        } else {
            native(&turn.tool_calls)
        };
        let syntax = said.is_some();
        let mended = if syntax { None } else { repair.and_then(|repair| read(repair, Asked::Json)) };
        let repaired = mended.is_some();
        match said.or(mended) {
            Some(found) => Verdict { syntax, repaired, ..self.compare(found) },
            None => Verdict::lost(ErrorClass::Unparsable, "nothing in it can be read"),
        }
    }

    fn compare(&self, found: Found) -> Verdict {
        let mut verdict = Verdict { way: Some(found.way), washed: Some(found.value.clone()), ..Verdict::default() };
        let mut shape = match Shape::of(found.value) {
            Ok(shape) => shape,
            Err(problem) => {
                verdict.fail(ErrorClass::Format, &problem);
                return verdict;
            }
        };
        verdict.all(shape::differences(self, &shape.names));
        verdict.order = verdict.errors.is_empty();
        if verdict.order {
            if let Some(Ok(letters)) = found.letters.map(Shape::of) {
                self.retype(&mut shape.parameters, &letters.parameters);
            }
            for (wanted, said) in self.calls.iter().zip(&shape.parameters) {
                verdict.all(compare::differences(self, *wanted, said));
            }
        }
        for key in shape.extra {
            verdict.fail(ErrorClass::Format, &format!("nobody asks for `{key}` beside the calls"));
        }
        verdict.errors.sort_unstable();
        verdict.structure = verdict.order && !verdict.errors.iter().any(|class| class.is_structural());
        verdict.ast = verdict.errors.is_empty();
        verdict
    }

    fn retype(&self, said: &mut [Object], letters: &[Object]) {
        for ((said, letters), wanted) in said.iter_mut().zip(letters).zip(&self.calls) {
            retype(said, letters, &wanted.call.arguments);
        }
    }
}

impl Verdict {
    /// That a question asks for what it does not say: as right as a placeholder for it.
    pub fn question() -> Self {
        Self { syntax: true, order: true, structure: true, ast: true, ..Self::default() }
    }

    fn lost(class: ErrorClass, reason: &str) -> Self {
        let mut verdict = Self::default();
        verdict.fail(class, reason);
        verdict
    }

    fn all(&mut self, found: Vec<(ErrorClass, String)>) {
        for (class, reason) in found {
            self.fail(class, &reason);
        }
    }

    fn fail(&mut self, class: ErrorClass, reason: &str) {
        if !self.errors.contains(&class) {
            self.errors.push(class);
        }
        let separator = if self.reason.is_empty() { "" } else { "; " };
        self.reason.push_str(separator);
        self.reason.push_str(reason);
    }
}

/// Calls that the server gave, in the form of an answer.
fn native(calls: &[(String, String)]) -> Option<Found> {
    let arguments = |text: &str| match BorrowedValue::read_lenient(if text.trim().is_empty() { "{}" } else { text }) {
        Ok(BorrowedValue::Object(object)) => Some(Value::Object(object.into())),
        _ => None,
    };
    let names = calls.iter().map(|(name, _)| Value::from(name.as_str())).collect();
    let parameters = calls.iter().map(|(_, text)| arguments(text)).collect::<Option<Vec<Value>>>()?;
    let entries = [("API".to_owned(), Value::List(names)), ("parameters".to_owned(), Value::List(parameters))];
    Some(Found {
        value: Value::Object(entries.into()),
        letters: None,
        way: Way { place: Place::Native, form: Form::Calls },
    })
}

// The ways in which an answer fails.

/// Why an answer is not right. The first that applies is counted; others may apply as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// There is no prediction.
    NoPrediction,
    /// The model could not be reached; nothing was said.
    Transport,
    /// Nothing that is said can be read.
    Unparsable,
    /// What is said can be read, and has not the form that was asked for.
    Format,
    /// An API is named that is not among the candidates.
    InventedApi,
    /// A call that is wanted is not made.
    MissingStep,
    /// A call is made that nobody wants.
    ExtraStep,
    /// The calls are the right ones, in another order.
    Order,
    /// A parameter that is wanted is not given.
    MissingParameter,
    /// A parameter is given that nobody wants.
    ExtraParameter,
    /// A value is left open that the question gives.
    PlaceholderForValue,
    /// A value is of another type.
    WrongType,
    /// A value is another one.
    WrongValue,
}

impl ErrorClass {
    /// All of them, the gravest first.
    pub const ALL: [Self; 13] = [
        Self::NoPrediction,
        Self::Transport,
        Self::Unparsable,
        Self::Format,
        Self::InventedApi,
        Self::MissingStep,
        Self::ExtraStep,
        Self::Order,
        Self::MissingParameter,
        Self::ExtraParameter,
        Self::PlaceholderForValue,
        Self::WrongType,
        Self::WrongValue,
    ];

    /// The name under which it is counted.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoPrediction => "no_prediction",
            Self::Transport => "transport",
            Self::Unparsable => "unparsable",
            Self::Format => "format",
            Self::InventedApi => "invented_api",
            Self::MissingStep => "missing_step",
            Self::ExtraStep => "extra_step",
            Self::Order => "order",
            Self::MissingParameter => "missing_parameter",
            Self::ExtraParameter => "extra_parameter",
            Self::PlaceholderForValue => "placeholder_for_value",
            Self::WrongType => "wrong_type",
            Self::WrongValue => "wrong_value",
        }
    }

    /// Whether it is a name that is there or not: what the structure of an answer is judged by.
    pub fn is_structural(self) -> bool {
        matches!(self, Self::Format | Self::MissingParameter | Self::ExtraParameter)
    }
}

// What is right to a question.

/// The right calls in order, and what they are chosen from.
#[derive(Debug, Clone)]
pub struct Gold<'s> {
    /// The calls.
    pub calls: Vec<GoldCall<'s>>,
    /// The candidates.
    pub tools: &'s [Arc<Tool>],
    /// Further values that are as right, by parameter.
    pub acceptable: &'s IndexMap<String, Vec<Value>>,
}

/// A right call.
#[derive(Debug, Clone, Copy)]
pub struct GoldCall<'s> {
    /// The call.
    pub call: &'s FunctionCall,
    /// Where its arguments come from, where that is known.
    pub notes: Option<&'s ArgumentNotes>,
}

impl<'s> Gold<'s> {
    /// The gold of a sample; none where the right answer is no call.
    pub fn of(sample: &'s Sample) -> Option<Self> {
        let calls = match &sample.expected {
            Expected::Steps(steps) => {
                let call = |(call, notes)| GoldCall { call, notes };
                let notes = |step: &'s Step| step.notes.iter().map(Some).chain(std::iter::repeat(None));
                steps.iter().flat_map(|step| step.calls.iter().zip(notes(step))).map(call).collect()
            }
            Expected::Call(call) => vec![GoldCall { call, notes: Some(&sample.arguments) }],
            _ => return None,
        };
        Some(Self { calls, tools: &sample.candidates, acceptable: &sample.acceptable })
    }

    /// Names of the right calls, in order.
    pub fn names(&self) -> impl Iterator<Item = &'s str> {
        self.calls.iter().map(|gold| gold.call.name.as_str())
    }

    /// A candidate by its name.
    pub fn tool(&self, name: &str) -> Option<&'s Tool> {
        self.tools.iter().find(|tool| tool.name == name).map(|tool| &**tool)
    }
}

impl GoldCall<'_> {
    /// Whether nobody can know an argument's value from the question.
    pub(super) fn is_free(&self, name: &str) -> bool {
        let origin = self.notes.and_then(|notes| notes.get(name)).map(|argument| &argument.origin);
        matches!(origin, Some(Origin::Answer { .. } | Origin::Open | Origin::Missing))
    }
}

/// Whether a value stands for any.
pub(super) fn is_placeholder(value: &Value) -> bool {
    value.as_str() == Some(PLACEHOLDER)
}

#[cfg(test)]
mod verdict_tests {
    use super::super::verdict::tests::sample;
    use super::*;
    use crate::python::text_of;
    use crate::record::Sample;
    use proptest::prelude::*;

    const TWO: [(&str, &str); 2] =
        [("getX", r#"{"a": "123", "n": 5, "o": {"k": "$$$", "y": 2020}}"#), ("getY", r#"{"b": "$$$"}"#)];

    fn turn(text: &str) -> PredictionTurn {
        PredictionTurn { content: Some(text.to_owned()), ..PredictionTurn::default() }
    }

    fn judge(sample: &Sample, text: &str, asked: Asked) -> Verdict {
        Gold::of(sample).unwrap().judge(Given::Said(&turn(text)), asked, None)
    }

    /// Order, structure and values, and the classes.
    fn short(verdict: &Verdict) -> String {
        let marks = [verdict.order, verdict.structure, verdict.ast].map(|it| if it { '1' } else { '0' });
        let classes: Vec<&str> = verdict.errors.iter().map(|class| class.as_str()).collect();
        format!("{} {}", marks.iter().collect::<String>(), classes.join(","))
    }

    fn said(parameters: &str) -> String {
        format!(r#"{{"API": ["getX", "getY"], "parameters": {parameters}}}"#)
    }

    fn answer(sample: &Sample) -> Value {
        let gold = Gold::of(sample).unwrap();
        let names = gold.names().map(Value::from).collect();
        let parameters = gold.calls.iter().map(|gold| Value::Object(gold.call.arguments.clone())).collect();
        Value::Object(
            [("API".to_owned(), Value::List(names)), ("parameters".to_owned(), Value::List(parameters))].into(),
        )
    }

    /// An answer in every way of writing it.
    fn renderings(answer: &Value) -> Vec<(String, Asked)> {
        let (json, python) = (answer.to_string(), text_of(&BorrowedValue::from(answer)).into_owned());
        let pretty = serde_json::to_string_pretty(&serde_json::Value::from(answer)).unwrap();
        [
            json.clone(),
            pretty.clone(),
            python.clone(),
            format!("```json\n{pretty}\n```"),
            format!("```\n{python}\n```"),
            format!("The calls are as follows.\n{json}\nThat is all."),
        ]
        .map(|text| (text, Asked::Json))
        .into_iter()
        .chain([(json, Asked::Yaml), (format!("```yaml\n{pretty}\n```"), Asked::Yaml)])
        .collect()
    }

    #[test]
    fn each_failure_has_its_class() {
        let sample = sample(&TWO);
        let right = r#"{"a": "123", "n": 5, "o": {"k": "x", "y": 2020}}"#;
        for (text, wanted) in [
            (said(&format!("[{right}, {{\"b\": 1}}]")), "111 "),
            (said(&format!("[{right}, {{}}]")), "100 missing_parameter"),
            (said(&format!("[{right}, {{\"b\": 1, \"c\": 2}}]")), "100 extra_parameter"),
            (said(&format!("[{}, {{\"b\": 1}}]", right.replace("\"123\"", "123"))), "110 wrong_type"),
            (said(&format!("[{}, {{\"b\": 1}}]", right.replace("123", "$$$"))), "110 placeholder_for_value"),
            (said(&format!("[{}, {{}}]", right.replace("123", "1"))), "100 missing_parameter,wrong_value"),
            (said(&format!("[{right}, {{\"b\": 1}}]")).replace("getY", "fly"), "000 invented_api,missing_step"),
            (said(&format!("[{right}, {{\"b\": 1}}]")).replace("getY", "getZ"), "000 missing_step,extra_step"),
            (said(&format!("[{{\"b\": 1}}, {right}]")).replace(r#""getX", "getY""#, r#""getY", "getX""#), "000 order"),
            (said(&format!("[{right}, {{\"b\": 1}}]")).replacen('{', "{\"note\": 1, ", 1), "100 format"),
            (said(&format!("[{right}]")), "000 format"),
            ("[]".to_owned(), "000 format"),
            ("I would call getX.".to_owned(), "000 unparsable"),
            (String::new(), "000 unparsable"),
        ] {
            assert_eq!(short(&judge(&sample, &text, Asked::Json)), wanted, "{text}");
        }
    }

    #[test]
    fn a_repair_counts_apart_and_only_where_nothing_can_be_read() {
        let sample = sample(&[("getX", "{}")]);
        let gold = Gold::of(&sample).unwrap();
        let repaired = |text: &str, repair: &str| {
            let verdict = gold.judge(Given::Said(&turn(text)), Asked::Json, Some(repair));
            (verdict.syntax, verdict.repaired, verdict.ast, verdict.way.map(|way| way.to_string()).unwrap_or_default())
        };
        let right = r#"{"API": ["getX"], "parameters": []}"#;
        assert_eq!(repaired("getX()", right), (false, true, true, "whole_json".to_owned()));
        assert_eq!(repaired("[]", right), (true, false, false, "whole_json".to_owned()));
        assert_eq!(repaired("getX()", "no"), (false, false, false, String::new()));
    }

    #[test]
    fn native_calls_are_an_answer() {
        let sample = sample(&TWO);
        let calls = |first: &str| PredictionTurn {
            tool_calls: vec![("getX".to_owned(), first.to_owned()), ("getY".to_owned(), r#"{"b": ""}"#.to_owned())],
            ..PredictionTurn::default()
        };
        let judge = |first: &str| Gold::of(&sample).unwrap().judge(Given::Said(&calls(first)), Asked::Json, None);
        let verdict = judge(TWO[0].1);
        assert_eq!((short(&verdict), verdict.way.unwrap().to_string()), ("111 ".to_owned(), "native_calls".to_owned()));
        assert_eq!(
            (short(&judge("{")), short(&judge(""))),
            ("000 unparsable".to_owned(), "100 missing_parameter".to_owned())
        );
    }

    #[test]
    fn what_was_never_said_is_told_apart() {
        let sample = sample(&TWO);
        let gold = Gold::of(&sample).unwrap();
        assert_eq!(short(&gold.judge(Given::Missing, Asked::Json, None)), "000 no_prediction");
        let failed = gold.judge(Given::Failed("HTTP 500"), Asked::Json, None);
        assert_eq!((short(&failed), failed.reason.as_str()), ("000 transport".to_owned(), "HTTP 500"));
    }

    #[test]
    fn yaml_without_quotes_is_right_where_texts_are_wanted() {
        let sample = sample(&[("getX", r#"{"a": "0123", "b": "2024-01-01", "n": 5, "any": "yes"}"#)]);
        let yaml =
            |a: &str, n: &str| format!("API: [getX]\nparameters:\n- a: {a}\n  b: 2024-01-01\n  n: {n}\n  any: yes\n");
        let judged = |a: &str, n: &str| short(&judge(&sample, &yaml(a, n), Asked::Yaml));
        assert_eq!((judged("0123", "5"), judged("'0123'", "5.0")), ("111 ".to_owned(), "111 ".to_owned()));
        assert_eq!(
            (judged("123", "5"), judged("0123", "'5'")),
            ("110 wrong_value".to_owned(), "110 wrong_type".to_owned())
        );
    }

    fn any_calls() -> impl Strategy<Value = Vec<(String, Value)>> {
        let leaf = prop_oneof![
            "[a-zé' -]{0,8}".prop_map(Value::from),
            any::<i32>().prop_map(|it| Value::from(i64::from(it))),
            Just(Value::from("$$$")),
            any::<bool>().prop_map(Value::from)
        ];
        let value = leaf.prop_recursive(2, 6, 3, |inner| {
            prop::collection::vec(("[k-m]", inner), 1..3)
                .prop_map(|entries| Value::Object(entries.into_iter().collect()))
        });
        let arguments = prop::collection::vec(("[a-dno]", value), 0..4)
            .prop_map(|entries| Value::Object(entries.into_iter().collect()));
        prop::collection::vec(("get[XYZ]", arguments), 1..4)
    }

    fn sample_of(calls: &[(String, Value)]) -> Sample {
        let calls: Vec<(&str, String)> =
            calls.iter().map(|(name, arguments)| (name.as_str(), arguments.to_string())).collect();
        sample(&calls.iter().map(|(name, arguments)| (*name, arguments.as_str())).collect::<Vec<_>>())
    }

    /// The same value with keys turned round and whole numbers written with a point.
    fn paraphrased(value: &Value) -> Value {
        match value {
            Value::Object(object) => {
                Value::Object(object.iter().rev().map(|(key, value)| (key.clone(), paraphrased(value))).collect())
            }
            Value::List(list) => Value::List(list.iter().map(paraphrased).collect()),
            Value::Number(number) => Value::Number(crate::record::Number::parse(&format!("{number}.0")).unwrap()),
            other => other.clone(),
        }
    }

    /// An answer with one part changed.
    fn mutants(answer: &Value) -> Vec<Value> {
        let Value::Object(object) = answer else { return Vec::new() };
        let (Value::List(names), Value::List(parameters)) = (&object["API"], &object["parameters"]) else {
            return Vec::new();
        };
        let with = |names: Vec<Value>, parameters: Vec<Value>| {
            Value::Object(
                [("API".to_owned(), Value::List(names)), ("parameters".to_owned(), Value::List(parameters))].into(),
            )
        };
        let mut extra = parameters.clone();
        if let Some(Value::Object(first)) = extra.first_mut() {
            first.insert("never".to_owned(), 1.into());
        }
        let mut renamed = names.clone();
        renamed[0] = "getQ".into();
        let more = |list: &[Value], last: Value| list.iter().cloned().chain([last]).collect::<Vec<_>>();
        let mut mutants = vec![
            with(renamed, parameters.clone()),
            with(names.clone(), extra),
            with(more(names, "getX".into()), more(parameters, Value::Object(Object::new()))),
            with(names[1..].to_vec(), parameters[1..].to_vec()),
            with(names.clone(), parameters.iter().map(|_| Value::Null).collect()),
        ];
        for (at, value) in parameters.iter().enumerate() {
            for (name, value) in value.as_object().into_iter().flatten() {
                let changed = |value: Option<Value>| {
                    let mut parameters = parameters.clone();
                    if let Some(Value::Object(object)) = parameters.get_mut(at) {
                        object.shift_remove(name);
                        object.extend(value.map(|value| (name.clone(), value)));
                    }
                    with(names.clone(), parameters)
                };
                mutants.push(changed(None));
                if value.as_str() != Some("$$$") {
                    mutants.extend(
                        [Value::from("$$$"), Value::List(vec![value.clone()]), "another".into()]
                            .map(|it| changed(Some(it))),
                    );
                }
            }
        }
        mutants
    }

    proptest! {
        #[test]
        fn gold_passes_in_every_rendering_and_so_does_a_paraphrase(calls in any_calls()) {
            let sample = sample_of(&calls);
            let answer = answer(&sample);
            for (text, asked) in renderings(&answer).into_iter().chain(renderings(&paraphrased(&answer))) {
                let verdict = judge(&sample, &text, asked);
                prop_assert!(verdict.ast && verdict.syntax, "{}: {}", text, verdict.reason);
            }
        }

        #[test]
        fn mutants_fail_and_say_why(calls in any_calls()) {
            let sample = sample_of(&calls);
            for mutant in mutants(&answer(&sample)) {
                let verdict = judge(&sample, &mutant.to_string(), Asked::Json);
                prop_assert!(!verdict.ast && !verdict.errors.is_empty() && !verdict.reason.is_empty(), "{}", mutant);
                prop_assert!(verdict.order >= verdict.structure);
            }
        }
    }
}

#[cfg(test)]
mod error_tests {
    use super::*;

    #[test]
    fn it_is_written_by_the_name_under_which_it_is_counted_and_stands_in_its_place() {
        for class in ErrorClass::ALL {
            assert_eq!(serde_json::to_value(class).unwrap(), class.as_str());
        }
        assert!(ErrorClass::ALL.is_sorted());
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use serde_json::json;

    /// A sample with these steps, whose candidates are `getX` (texts `a` and `b`, a number `n`, an object `o`) and others.
    pub(crate) fn sample(calls: &[(&str, &str)]) -> Sample {
        let parameter = |kind: &str| json!({"type": kind});
        let object = json!({"type": "object", "properties": {"k": parameter("string"), "y": parameter("integer")}});
        let tool = |name: &str| {
            let properties = json!({"a": parameter("string"), "b": parameter("string"), "n": parameter("number"), "o": object, "any": {}});
            json!({"name": name, "parameters": {"properties": properties}})
        };
        let step = |(name, arguments): &(&str, &str)| {
            let arguments = Value::read(arguments).unwrap().as_object().unwrap().clone();
            let call = FunctionCall { name: (*name).to_owned(), arguments };
            Step { calls: vec![call], answers: Vec::new(), notes: Vec::new() }
        };
        let candidates = ["getX", "getY", "getZ"].map(tool);
        let sample: Sample = serde_json::from_value(json!({
            "id": "q", "suite": "callnavi", "data_type": "easy", "locale": "en", "messages": [],
            "candidates": candidates, "expected": "refusal", "difficulty": "easy",
            "group": "bank", "licence": "", "source": "", "provenance": crate::record::Provenance::default(),
        }))
        .unwrap();
        Sample { expected: Expected::Steps(calls.iter().map(step).collect()), ..sample }
    }

    #[test]
    fn steps_are_calls_in_order() {
        let sample = sample(&[("getX", r#"{"a": "1"}"#), ("getY", "{}")]);
        let gold = Gold::of(&sample).unwrap();
        assert_eq!(gold.names().collect::<Vec<_>>(), ["getX", "getY"]);
        assert!(gold.tool("getZ").is_some() && gold.tool("getQ").is_none() && gold.calls[0].notes.is_none());
    }

    #[test]
    fn notes_say_what_nobody_can_know() {
        let mut sample = sample(&[("getX", r#"{"a": "7", "b": "8", "n": 1}"#)]);
        let Expected::Steps(steps) = &mut sample.expected else { panic!("steps") };
        let notes = r#"{"a": {"origin": {"answer": {"call": 0, "field": "/id"}}}, "b": {"origin": "verbatim"}}"#;
        steps[0].notes = vec![serde_json::from_str(notes).unwrap()];
        let gold = Gold::of(&sample).unwrap();
        assert_eq!(["a", "b", "n"].map(|name| gold.calls[0].is_free(name)), [true, false, false]);
    }

    #[test]
    fn a_refusal_is_no_gold_of_calls_and_one_call_is() {
        let refusal = Sample { expected: Expected::Refusal, ..sample(&[]) };
        assert!(Gold::of(&refusal).is_none());
        let call = FunctionCall { name: "getX".to_owned(), ..FunctionCall::default() };
        let one = Sample { expected: Expected::Call(call), ..sample(&[]) };
        assert_eq!(Gold::of(&one).unwrap().names().collect::<Vec<_>>(), ["getX"]);
    }
}
