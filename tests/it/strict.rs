//! What the strict profile promises: the gold passes whole, equal spellings of it pass, and every wrong mutant fails with
//! the right class. On requests made here, and on the authors' own where they lie beside the repository.

use crate::shared::shared;
use fcgen::format::{Bench, Predictions};
use fcgen::locale::{Language, same_meaning};
use fcgen::record::{Chance, Expected, FunctionCall, Object, Outcome, Sample, Value, Verdict};
use fcgen::suite::Replies;
use fcgen::suite::hammerbench::metric::upstream::Flag;
use fcgen::suite::hammerbench::{Board, Figures, Options, score};
use proptest::prelude::*;
use std::collections::BTreeMap;

const REFUSAL: &str = "Sorry, no tool is suitable for your request.";

/// Scores one answer for each sample; the board, and for each sample whether it is right and its gravest fault.
fn scored(samples: &[Sample], say: impl Fn(&Sample) -> String) -> (Board, BTreeMap<String, (bool, Option<String>)>) {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, lines: Vec<String>| {
        let path = folder.path().join(name);
        std::fs::write(&path, lines.join("\n")).unwrap();
        path
    };
    let bench = write("samples.jsonl", samples.iter().map(|sample| serde_json::to_string(sample).unwrap()).collect());
    let line = |sample: &Sample| serde_json::json!({"id": sample.id, "turns": [{"content": say(sample)}]}).to_string();
    let predictions = Predictions::open(&write("predictions.jsonl", samples.iter().map(line).collect())).unwrap();
    let mut board = Board::new("it", fcgen::suite::hammerbench::Profile::Strict);
    let mut verdicts = BTreeMap::new();
    let mut take = |verdict: &dyn Fn() -> Verdict| {
        let Verdict { sample, outcome, line, .. } = verdict();
        let error = line.get("error").and_then(Value::as_str).map(str::to_owned);
        verdicts.insert(sample, (outcome == Outcome::Right, error));
        Ok(())
    };
    let bench = Bench::open(&bench).unwrap();
    score(&bench, &predictions, 0, &mut board, &Options::default(), &mut Replies::default(), &mut take).unwrap();
    (board, verdicts)
}

fn gold(sample: &Sample) -> String {
    match &sample.expected {
        Expected::Call(call) => written(call),
        _ => REFUSAL.to_owned(),
    }
}

fn written(call: &FunctionCall) -> String {
    format!("```json\n{}\n```", serde_json::to_string(call).unwrap())
}

fn figures(board: &Board) -> Figures {
    let types: Vec<&str> = board.conversations.keys().map(String::as_str).collect();
    board.figures(board.of(&types).map(|(_, conversation)| conversation), Flag::All)
}

/// Every tenth conversation of the authors' slices, if they are at hand.
fn reference() -> Vec<Sample> {
    let folder = shared().join("upstream/hammerbench");
    let mut samples = Vec::new();
    if let Ok(bench) = Bench::open(&folder) {
        let mut take = |sample: Sample| {
            samples.extend(Some(sample).filter(|sample| sample.group.ends_with('7')));
            Ok::<(), fcgen::format::BenchError>(())
        };
        bench.each(&mut take).unwrap();
    }
    samples
}

/// Conversations of our own: slots filled one by one, one value overridden at the end.
fn own() -> Vec<Sample> {
    let values = |number: i64| -> Vec<(&str, Value)> {
        vec![
            ("city", format!("Porto {number}").into()),
            ("seats", (number + 1).into()),
            ("quiet", (number % 2 == 0).into()),
            ("price", (f64::from(i32::try_from(number).unwrap()) + 0.25).into()),
            ("days", Value::List(vec!["Monday".into(), number.into()])),
        ]
    };
    let sample = |number: i64, turn: usize| {
        let mut arguments: Object =
            values(number).into_iter().take(turn).map(|(name, value)| (name.to_owned(), value)).collect();
        if turn > 5 {
            arguments.insert("city".to_owned(), format!("Braga {number}").into());
        }
        serde_json::from_value(serde_json::json!({
            "id": format!("t/{number}/turn/{turn}"), "suite": "hammerbench", "data_type": "Based", "locale": "en",
            "messages": [], "candidates": [], "expected": {"call": {"name": "Travel.Trains.book", "arguments": arguments}},
            "group": "t", "licence": "CC0", "source": "test", "provenance": {"template": false, "draws": []},
            "snapshot": {"conversation": format!("t/{number}"), "turn": turn, "turns": 6, "tool": "Travel.Trains.book"},
        }))
        .unwrap()
    };
    (0..40).flat_map(|number| (1..=6).map(move |turn| sample(number, turn))).collect()
}

/// A wrong answer, and the class that it must be given; nothing where this kind of fault cannot be made.
fn mutant(kind: &str, sample: &Sample, base: Option<&FunctionCall>) -> Option<(String, &'static str)> {
    // Where no tools are shown none can be one that was not.
    let shown = !sample.candidates.is_empty();
    let Expected::Call(call) = &sample.expected else {
        let called = FunctionCall { name: "A.B.c".to_owned(), arguments: Object::new() };
        return (kind == "other_tool")
            .then(|| (written(&called), if shown { "not_offered" } else { "called_instead_of_refusal" }));
    };
    let mut wrong = call.clone();
    let mut chance = Chance::new(3, kind, sample.id.as_str(), 0);
    let given: Vec<String> =
        call.arguments.iter().filter(|(_, value)| value.as_str() != Some("")).map(|(name, _)| name.clone()).collect();
    let slot = (!given.is_empty()).then(|| given[chance.below(given.len())].clone());
    let class = match kind {
        "other_tool" => {
            wrong.name.push_str("Now");
            if shown { "not_offered" } else { "wrong_function" }
        }
        "dropped" => {
            wrong.arguments.shift_remove(&slot?);
            "missing_parameter"
        }
        "added" => {
            wrong.arguments.insert("colour".to_owned(), "blue".into());
            "invented_parameter"
        }
        "changed" => {
            let slot = slot?;
            let changed = changed(&call.arguments[&slot]);
            wrong.arguments.insert(slot, changed);
            "wrong_value"
        }
        "stale" => {
            let (name, value) = base?
                .arguments
                .iter()
                .find(|(name, value)| call.arguments.get(*name).is_some_and(|now| is_other(now, value)))?;
            wrong.arguments.insert(name.clone(), value.clone());
            "stale_value"
        }
        "refused" => return Some((REFUSAL.to_owned(), "refused")),
        "asked" => return Some(("Which one?".to_owned(), "no_call")),
        _ => return Some((written(call).replace('}', ""), "unparsable")),
    };
    Some((written(&wrong), class))
}

/// Whether a value is another one, and not the same day in other words.
fn is_other(one: &Value, other: &Value) -> bool {
    let (Some(one), Some(other)) = (one.as_str(), other.as_str()) else { return one != other };
    ["en", "zh"].iter().all(|code| !same_meaning(one, other, &Language::load(fcgen::assets(), code).unwrap()))
}

fn changed(value: &Value) -> Value {
    match value {
        Value::Bool(bool) => (!bool).into(),
        Value::Number(number) => (number.as_f64() + 1.0).into(),
        // A date is the same without the word for a day behind it.
        Value::String(text) if text.ends_with(['日', '号']) => text.chars().skip(1).collect::<String>().into(),
        Value::String(text) => match text.char_indices().next_back() {
            Some((at, last)) if last.is_alphanumeric() && text.len() > 4 => text.get(..at).unwrap().into(),
            _ => format!("{text} two").into(),
        },
        Value::List(list) => Value::List(list.iter().skip(1).cloned().collect()),
        other => other.clone(),
    }
}

const KINDS: [&str; 8] = ["other_tool", "dropped", "added", "changed", "stale", "refused", "asked", "broken"];

#[test]
fn the_gold_is_right_in_every_figure() {
    for samples in [own(), reference()] {
        let (board, verdicts) = scored(&samples, gold);
        let wrong: Vec<&String> = verdicts.iter().filter(|(_, (right, _))| !right).map(|(id, _)| id).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
        let it = figures(&board);
        for figure in [it.func_acc, it.acc, it.pr, it.sr, it.refusals].into_iter().flatten() {
            assert!((figure.value - 1.0).abs() < 1e-12, "{figure:?}");
        }
        for figure in [it.phr, it.pmr, it.other].into_iter().flatten() {
            assert!(figure.value.abs() < 1e-12, "{figure:?}");
        }
    }
}

#[test]
fn wrong_mutants_fail_and_the_class_is_theirs() {
    for samples in [own(), reference()] {
        let mut earlier: BTreeMap<String, FunctionCall> = BTreeMap::new();
        let mut before: BTreeMap<String, FunctionCall> = BTreeMap::new();
        for sample in &samples {
            let (Some(place), Expected::Call(call)) = (&sample.snapshot, &sample.expected) else { continue };
            let conversation = place.conversation.to_string();
            if let Some(call) = earlier.insert(conversation, call.clone()) {
                before.insert(sample.id.to_string(), call);
            }
        }
        for kind in KINDS {
            let made: BTreeMap<&str, (String, &str)> = samples
                .iter()
                .filter_map(|it| Some((it.id.as_str(), mutant(kind, it, before.get(it.id.as_str()))?)))
                .collect();
            let (_, verdicts) =
                scored(&samples, |it| made.get(it.id.as_str()).map_or_else(|| gold(it), |made| made.0.clone()));
            let failed = made.keys().filter(|id| !verdicts[**id].0).count();
            let classed = made.iter().filter(|(id, (_, class))| verdicts[**id].1.as_deref() == Some(class)).count();
            let passed: Vec<&(String, &str)> =
                made.iter().filter(|(id, _)| verdicts[**id].0).map(|(_, it)| it).collect();
            assert!(failed * 100 >= made.len() * 99, "{kind}: {failed} of {} fail, not {passed:?}", made.len());
            assert!(classed * 100 >= made.len() * 99, "{kind}: {classed} of {} have the class", made.len());
            println!("{kind}: {failed} of {} wrong mutants fail, {classed} by their class", made.len());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn the_same_call_is_right_in_whatever_form(form in 0_usize..9, number in 0_usize..240) {
        let samples = own();
        let sample = &samples[number];
        let Expected::Call(call) = &sample.expected else { panic!("a call") };
        let (json, arguments) = (serde_json::to_string(call).unwrap(), serde_json::to_string(&call.arguments).unwrap());
        let text = match form {
            0 => json,
            1 => format!("```\n{json}"),
            2 => format!("Here: {json} Done."),
            3 => format!("<tool_call>\n{json}\n</tool_call>"),
            4 => format!("[TOOL_CALLS][{json}]"),
            5 => format!("[{json}, {json}]"),
            6 => serde_json::json!({"tool_calls": [{"function": {"name": call.name, "arguments": arguments}}]}).to_string(),
            7 => json.to_lowercase().replace("travel.trains", "Travel.Trains"),
            _ => serde_json::json!({"name": call.name, "parameters": call.arguments, "other": ""}).to_string(),
        };
        let (_, verdicts) = scored(std::slice::from_ref(sample), |_| text.clone());
        prop_assert!(verdicts[sample.id.as_str()].0, "{} {}", text, sample.id);
    }
}
