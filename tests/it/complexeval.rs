//! What must hold of ComplexEval whatever the sample: gold passes its own scorer in parallel and one by one, a deleted
//! call fails it, and saying the same otherwise passes.

use crate::shared::shared;
use fcgen::record::{FunctionCall, Object, Step, Tool, Value};
use fcgen::suite::complexfunc::layout::Row;
use fcgen::suite::complexfunc::metric::{
    Dialect, Golden, Machine, Oracle, Outcome, Rules, Settings, Similarity, Turn, play,
};
use proptest::prelude::*;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

/// Says its turns; the API fills a default in.
struct Scripted(VecDeque<Turn>);

impl<'g> Oracle<'g> for Scripted {
    fn turn(&mut self) -> Option<Turn> {
        self.0.pop_front()
    }

    fn answer(&mut self, call: &FunctionCall) -> Option<Cow<'g, Value>> {
        let mut arguments = call.arguments.clone();
        arguments.entry("lang".to_owned()).or_insert_with(|| "en".into());
        let mut said: Vec<String> = arguments.iter().map(|(name, value)| format!("{name} {}", plain(value))).collect();
        said.sort();
        Some(Cow::Owned(Value::from(format!("{} {}", call.name, said.join(" ")))))
    }
}

/// A value however it is said.
fn plain(value: &Value) -> String {
    match value {
        Value::Number(number) => number.as_f64().to_string(),
        Value::String(text) => {
            let mut names: Vec<&str> = text.split(',').map(str::trim).collect();
            names.sort_unstable();
            names.join(",")
        }
        other => other.to_string(),
    }
}

/// A sample with what is known of its APIs.
#[derive(Debug, Clone)]
struct Sample {
    steps: Vec<Step>,
    tools: Vec<Arc<Tool>>,
    settings: Arc<Settings>,
}

impl Sample {
    fn golden(&self, rules: Rules) -> Golden {
        Golden::new(&self.steps, &self.tools, self.settings.clone(), rules)
    }

    /// Plays these turns and then an answer in words.
    fn play(&self, rules: Rules, turns: impl IntoIterator<Item = Vec<FunctionCall>>) -> Outcome {
        let words = Turn::words("Here you are.");
        let turns = turns.into_iter().filter(|calls| !calls.is_empty()).map(Turn::calls).chain([words]).collect();
        play(Machine::new(&self.golden(rules), Similarity::Structured), &mut Scripted(turns))
    }

    fn gold(&self) -> Vec<Vec<FunctionCall>> {
        self.steps.iter().map(|step| step.calls.clone()).collect()
    }

    fn one_by_one(&self) -> Vec<Vec<FunctionCall>> {
        self.gold().into_iter().flatten().map(|call| vec![call]).collect()
    }

    /// Whether a golden call may be left out: a lookup that is forgiven, or one that is made elsewhere as well.
    fn is_forgivable(&self, call: &FunctionCall) -> bool {
        let name = &call.name;
        let by_argument = self.settings.free_by_argument.as_ref().is_some_and(|rule| {
            rule.name == *name && call.arguments.get(&rule.argument).is_some_and(|value| value.equals(&rule.equals))
        });
        let same = |other: &FunctionCall| {
            other.name == *name && Value::from(other.arguments.clone()).equals(&call.arguments.clone().into())
        };
        let again = self.settings.free_functions.contains(name)
            && self.gold().iter().flatten().filter(|other| same(other)).count() > 1;
        by_argument || again || self.settings.free_removed_at_end.contains(name)
    }
}

fn settings() -> Settings {
    let text = r#"{"free_functions": ["Find_0", "Find_1"], "free_removed_at_end": ["Find_1"], "set_valued_parameter": "tags",
        "free_by_argument": {"name": "Get_0", "argument": "kind", "equals": "inn"}, "exact_match_values": {"Get_0": ["n"]}}"#;
    serde_json::from_str(text).unwrap()
}

fn tools() -> Vec<Arc<Tool>> {
    let tool = |name: &str| {
        let text = format!(
            r#"{{"name": "{name}", "parameters": {{"properties": {{"n": {{"type": "number"}}, "kind": {{"type": "string"}},
            "tags": {{"type": "string"}}, "lang": {{"type": "string"}}, "legs": {{"type": "array"}}}}, "required": ["n"]}}}}"#
        );
        Arc::new(serde_json::from_str(&text).unwrap())
    };
    ["Find_0", "Find_1", "Get_0", "Get_1", "Get_2"].map(tool).into()
}

fn any_call() -> impl Strategy<Value = (usize, usize, Object)> {
    let kind = prop::option::of(prop::sample::select(vec!["inn", "town"]));
    let tags = prop::option::of(prop::sample::select(vec!["a", "a,b", "a,b, c"]));
    (0..5_usize, 0..4_usize, kind, tags, any::<bool>()).prop_map(|(name, kind_of, kind, tags, has_language)| {
        let mut arguments = Object::new();
        // Others come before the number, so that they are not in alphabetical order.
        arguments.extend(tags.map(|tags| ("tags".to_owned(), tags.into())));
        arguments.extend(has_language.then(|| ("lang".to_owned(), Value::from("en"))));
        arguments.extend(kind.map(|kind| ("kind".to_owned(), kind.into())));
        (name, kind_of, arguments)
    })
}

/// Any sample; each call has a number of its own, but lookups may be repeated.
fn any_sample() -> impl Strategy<Value = Sample> {
    let step = prop::collection::vec(any_call(), 1..5);
    prop::collection::vec(step, 1..6).prop_map(|steps| {
        let mut count = 10;
        let steps = steps.into_iter().map(|calls| {
            let call = |(name, small, mut arguments): (usize, usize, Object)| {
                count += 1;
                let is_lookup = name < 2;
                let number = if is_lookup { i64::try_from(small).unwrap() } else { count };
                arguments.insert("n".to_owned(), number.into());
                FunctionCall { name: ["Find_0", "Find_1", "Get_0", "Get_1", "Get_2"][name].to_owned(), arguments }
            };
            let calls: Vec<FunctionCall> = calls.into_iter().map(call).collect();
            Step { answers: vec![Value::Null; calls.len()], calls, notes: Vec::new() }
        });
        Sample { steps: steps.collect(), tools: tools(), settings: Arc::new(settings()) }
    })
}

/// The same said otherwise: arguments the other way round, whole numbers with a point, sets in another order.
fn said_otherwise(call: &FunctionCall) -> FunctionCall {
    let other = |(name, value): (&String, &Value)| {
        let value = match (name.as_str(), value) {
            ("tags", Value::String(tags)) => tags.split(',').rev().collect::<Vec<_>>().join(" , ").into(),
            (_, Value::Number(number)) => Value::from(number.as_f64()),
            _ => value.clone(),
        };
        (name.clone(), value)
    };
    FunctionCall { name: call.name.clone(), arguments: call.arguments.iter().rev().map(other).collect() }
}

/// The same with the default left out, or put in where it was left out.
fn with_other_defaults(call: &FunctionCall) -> FunctionCall {
    let mut other = said_otherwise(call);
    if other.arguments.shift_remove("lang").is_none() {
        other.arguments.insert("lang".to_owned(), "en".into());
    }
    other
}

fn check_gold(sample: &Sample) {
    let calls = sample.golden(Rules::default()).call_count();
    for turns in [sample.gold(), sample.one_by_one()] {
        let outcome = sample.play(Rules::default(), turns);
        assert!(outcome.is_success(), "{:?}", outcome.message);
        assert_eq!((outcome.counts.correct_call_num, outcome.tally.extra_calls), (calls, 0));
    }
}

fn check_deleted(sample: &Sample) {
    let gold = sample.gold();
    for (step, calls) in gold.iter().enumerate() {
        for (place, call) in calls.iter().enumerate() {
            let mut left = gold.clone();
            left[step].remove(place);
            let outcome = sample.play(Rules::default(), left);
            assert_eq!(outcome.is_success(), sample.is_forgivable(call), "without {call:?}: {:?}", outcome.message);
        }
    }
}

proptest! {
    #[test]
    fn gold_passes_in_parallel_and_one_by_one(sample in any_sample()) {
        check_gold(&sample);
    }

    #[test]
    fn without_a_call_that_is_no_forgivable_lookup_it_fails(sample in any_sample()) {
        check_deleted(&sample);
    }

    #[test]
    fn the_same_said_otherwise_passes(sample in any_sample()) {
        for turns in [sample.gold(), sample.one_by_one()] {
            let turns = turns.iter().map(|calls| calls.iter().map(said_otherwise).collect()).collect::<Vec<_>>();
            let outcome = sample.play(Rules::default(), turns);
            prop_assert!(outcome.is_success(), "{:?}", outcome.message);
            prop_assert_eq!(outcome.counts.correct_call_num, outcome.counts.total_call_num);
        }
    }

    #[test]
    fn a_default_may_be_said_or_left_out_where_the_api_answers_the_same(sample in any_sample(), which in any::<prop::sample::Index>()) {
        let mut turns = sample.one_by_one();
        let places: Vec<usize> = (0..turns.len()).filter(|at| turns[*at][0].name.starts_with("Get")).collect();
        prop_assume!(!places.is_empty());
        let at = places[which.index(places.len())];
        turns[at][0] = with_other_defaults(&turns[at][0]);
        let outcome = sample.play(Rules::default(), turns);
        prop_assert!(outcome.is_success(), "{:?}", outcome.message);
    }

    #[test]
    fn a_wrong_value_of_an_exact_argument_fails_unless_it_is_corrected(sample in any_sample(), which in any::<prop::sample::Index>()) {
        let places: Vec<(usize, usize)> = sample.steps.iter().enumerate()
            .flat_map(|(step, it)| it.calls.iter().enumerate().filter(|(_, call)| call.name == "Get_0").map(move |(at, _)| (step, at)))
            .collect();
        prop_assume!(!places.is_empty());
        let (step, place) = places[which.index(places.len())];
        let mut turns = sample.gold();
        turns[step][place].arguments.insert("n".to_owned(), 99_999_i64.into());
        let is_forgivable = sample.is_forgivable(&sample.steps[step].calls[place]);
        prop_assert_eq!(sample.play(Rules::default(), turns.clone()).is_success(), is_forgivable);
        turns.insert(step + 1, vec![sample.steps[step].calls[place].clone()]);
        let outcome = sample.play(Rules::default(), turns);
        prop_assert!(outcome.is_success(), "{:?}", outcome.message);
        prop_assert_eq!((outcome.tally.value_errors, outcome.tally.recovered_value_errors), (1, 1));
    }

    #[test]
    fn no_calls_whatsoever_break_anything(sample in any_sample(), calls in prop::collection::vec(prop::collection::vec(any_call(), 0..4), 0..8)) {
        let name = |name: usize| ["Find_0", "Find_1", "Get_0", "Get_1", "Nothing"][name].to_owned();
        let call = |(of, number, mut arguments): (usize, usize, Object)| {
            if number > 0 {
                arguments.insert("n".to_owned(), i64::try_from(number + 9).unwrap().into());
            }
            FunctionCall { name: name(of), arguments }
        };
        let turns: Vec<Vec<FunctionCall>> = calls.into_iter().map(|calls| calls.into_iter().map(call).collect()).collect();
        let rules = Dialect::ALL.map(Rules::Upstream).into_iter().chain([Rules::default()]);
        for rules in rules {
            let outcome = sample.play(rules, turns.clone());
            let counts = outcome.counts;
            prop_assert!(counts.success_turn_num <= counts.total_turn_num);
            prop_assert!(!rules.is_strict() || counts.correct_call_num <= counts.total_call_num);
            let tally = outcome.tally;
            prop_assert!(tally.recovered_format_errors <= tally.format_errors && tally.recovered_value_errors <= tally.value_errors);
            prop_assert!(tally.redundant_calls + tally.extra_calls + tally.format_errors + tally.value_errors <= tally.calls);
        }
    }
}

fn vectors() -> PathBuf {
    shared().join("vectors/complexfuncbench")
}

#[test]
fn the_samples_of_the_vectors_hold_to_it_as_well() {
    let Ok(text) = std::fs::read_to_string(vectors().join("samples.jsonl")) else {
        println!("skipped: no vectors at {}", vectors().display());
        return;
    };
    let settings: Settings =
        serde_json::from_str(&std::fs::read_to_string(vectors().join("toolset.json")).unwrap()).unwrap();
    let settings = Arc::new(settings);
    for line in text.lines() {
        let row = Row::read(line).unwrap();
        let sample = Sample { steps: row.steps().unwrap(), tools: row.tools().unwrap(), settings: settings.clone() };
        check_gold(&sample);
        check_deleted(&sample);
    }
}
