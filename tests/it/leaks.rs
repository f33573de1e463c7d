//! Decontamination: planted copies are found under other names and values, and what is independent is not.
//!
//! Copies are made by rule from items of a run, and of the authors' own files where they lie beside the repository: tools and
//! parameters get other names, values are changed in words and calls, openers are reworded, clauses change places.

use crate::shared::upstream;
use assert_cmd::Command;
use fcgen::check::{Ground, Other, leaks};
use fcgen::format::Bench;
use fcgen::record::Chance;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tempfile::TempDir;

/// How many copies are planted.
const PLANTED: usize = 200;
/// Openers by which a copy begins, by locale.
const OPENERS: [(&str, [&str; 4]); 3] = [
    ("en", ["Hello there, would you kindly do this: ", "Quick one. ", "Hi, I was wondering, ", "Assistant, listen: "]),
    ("ko", ["안녕하세요, 부탁이 있는데 ", "저기요, ", "혹시 괜찮으시면 ", "음, "]),
    ("zh", ["你好，麻烦一下，", "请问，", "嗨，帮个忙：", "那个，"]),
];

/// The runs, made once for all tests.
fn runs() -> &'static Path {
    static RUNS: OnceLock<TempDir> = OnceLock::new();
    let folder = RUNS.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        for (pipeline, flags) in [
            ("hammer", "--limit 12"),
            ("callnavi", "--limit 2"),
            ("functionchat", "--limit 4"),
            ("complexfunc", "--set pipeline.scale=0.05"),
            ("confetti", "--limit 1"),
        ] {
            let line = format!("pipeline {pipeline} {flags} --locale en --quiet --out {pipeline}");
            let mut command = Command::new(env!("CARGO_BIN_EXE_fcgen"));
            command.args(line.split(' ')).current_dir(folder.path()).assert().success();
        }
        folder
    });
    folder.path()
}

/// The samples of a bench, in its order.
fn samples(path: &Path, locale: &str) -> Vec<Value> {
    let mut samples = Vec::new();
    let bench = Bench::open_in(path, Some(locale)).unwrap();
    bench.each_place(&mut |_, found| samples.extend(found.ok().map(|sample| serde_json::to_value(&sample).unwrap())));
    samples
}

fn write(folder: &Path, name: &str, samples: &[Value]) -> PathBuf {
    let lines: Vec<String> = samples.iter().map(Value::to_string).collect();
    std::fs::create_dir_all(folder.join(name)).unwrap();
    std::fs::write(folder.join(name).join("samples.jsonl"), lines.join("\n")).unwrap();
    folder.join(name)
}

/// The ids of a bench's items that are found in other data.
fn found(bench: &Path, other: &Path, locale: &str) -> BTreeSet<String> {
    let ground = Ground::load(fcgen::assets(), locale).unwrap();
    let bench = Bench::open_in(bench, Some(locale)).unwrap();
    let findings = leaks(&bench, &Other::open(other, Some(locale)).unwrap(), &ground).unwrap();
    // Of a rule only the first findings are kept, so that benches here are small.
    findings.rules().flat_map(|(_, _, _, first)| first.iter().map(|it| it.id.clone())).collect()
}

/// A copy of a sample under other names and values.
fn copy(sample: &Value, locale: &str, at: usize) -> Value {
    let mut chance = Chance::new(11, "plant", sample["id"].as_str().unwrap(), 0);
    let mut copy = sample.clone();
    copy["id"] = json!(format!("train/{at}"));
    copy["group"] = json!(format!("train/{at}"));
    copy["base"] = Value::Null;
    let mut swaps: Vec<(String, String)> = Vec::new();
    values(&sample["expected"], &mut |value| swaps.push((value.to_owned(), other_value(value, &mut chance))));
    swaps.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
    for key in ["expected", "messages"] {
        replace(&mut copy[key], &swaps);
    }
    for message in copy["messages"].as_array_mut().unwrap().iter_mut().filter(|message| message["role"] == "user") {
        let text = message["content"].as_str().unwrap_or_default().to_owned();
        message["content"] = json!(retold(&text, locale, &mut chance));
    }
    rename(&mut copy, &mut chance);
    for key in ["arguments", "acceptable", "mentions", "base"] {
        copy.as_object_mut().unwrap().shift_remove(key);
    }
    copy
}

/// Every text among the arguments of the right calls that is long enough to be looked for in words.
fn values(expected: &Value, take: &mut dyn FnMut(&str)) {
    let calls: Vec<&Value> = match (&expected["call"], &expected["steps"]) {
        (Value::Object(_), _) => vec![&expected["call"]],
        (_, Value::Array(steps)) => steps.iter().flat_map(|step| step["calls"].as_array().unwrap()).collect(),
        _ => Vec::new(),
    };
    for value in calls.iter().filter_map(|call| call["arguments"].as_object()).flat_map(|arguments| arguments.values())
    {
        if let Some(text) = value.as_str().filter(|text| text.chars().count() > 1) {
            take(text);
        }
    }
}

/// Another value of the same look: other digits, other words.
fn other_value(value: &str, chance: &mut Chance) -> String {
    let words = ["Calder", "Tormund", "Viella", "Oskari", "Brankov", "Lumière", "Kestrel", "Azure", "Milo"];
    if value.chars().any(char::is_numeric) {
        let digit = |letter: char, chance: &mut Chance| {
            char::from_digit(u32::try_from(chance.below(9)).unwrap() + 1, 10)
                .filter(|_| letter.is_ascii_digit())
                .unwrap_or(letter)
        };
        return value.chars().map(|letter| digit(letter, chance)).collect();
    }
    let count = value.split_whitespace().count();
    (0..count.max(1)).map(|_| *chance.pick(&words).unwrap()).collect::<Vec<_>>().join(" ")
}

fn replace(value: &mut Value, swaps: &[(String, String)]) {
    match value {
        Value::String(text) => {
            for (from, to) in swaps {
                *text = text.replace(from, to);
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|it| replace(it, swaps)),
        Value::Object(object) => object.values_mut().for_each(|it| replace(it, swaps)),
        _ => {}
    }
}

/// The same request with another beginning, and its clauses in another order.
fn retold(text: &str, locale: &str, chance: &mut Chance) -> String {
    let openers = OPENERS.iter().find(|(code, _)| *code == locale).map_or(OPENERS[0].1, |(_, openers)| *openers);
    let stops = [", ", ". ", "? ", "，", "。", "？"];
    let stop = stops.into_iter().find(|stop| text.trim_end_matches(['.', '。', '?', '？']).contains(stop));
    let mut clauses: Vec<&str> = stop.map_or_else(|| vec![text], |stop| text.split(stop).collect());
    chance.shuffle(&mut clauses);
    format!("{}{}", chance.pick(&openers).unwrap(), clauses.join(stop.unwrap_or_default()))
}

/// Gives tools and parameters other names, in the tools and in the calls.
fn rename(sample: &mut Value, chance: &mut Chance) {
    let mut names = Vec::new();
    for (at, tool) in sample["candidates"].as_array_mut().unwrap().iter_mut().enumerate() {
        let from = tool["name"].as_str().unwrap().to_owned();
        let to = format!("tool_{}_{at}", chance.below(90) + 10);
        tool["name"] = json!(to.clone());
        names.push((from, to));
        let old = tool["parameters"]["properties"].as_object().cloned().unwrap_or_default();
        let renamed: Vec<(String, String)> =
            old.keys().enumerate().map(|(at, name)| (name.clone(), format!("arg{at}"))).collect();
        let of =
            |name: &str| renamed.iter().find(|(from, _)| from == name).map_or(name.to_owned(), |(_, to)| to.clone());
        if !tool["parameters"].is_object() {
            continue;
        }
        tool["parameters"]["properties"] =
            old.iter().map(|(name, schema)| (of(name), schema.clone())).collect::<serde_json::Map<_, _>>().into();
        let required = tool["parameters"]["required"].as_array().cloned().unwrap_or_default();
        tool["parameters"]["required"] = required.iter().map(|name| json!(of(name.as_str().unwrap()))).collect();
    }
    for key in ["expected", "messages", "label"] {
        calls(&mut sample[key], &mut |call| {
            let name = call["name"].as_str().unwrap_or_default().to_owned();
            if let Some((_, to)) = names.iter().find(|(from, _)| *from == name) {
                call["name"] = json!(to);
            }
        });
    }
}

fn calls(value: &mut Value, change: &mut dyn FnMut(&mut Value)) {
    if value["name"].is_string() && value["arguments"].is_object() {
        change(value);
        return;
    }
    match value {
        Value::Array(list) => list.iter_mut().for_each(|it| calls(it, change)),
        Value::Object(object) => object.values_mut().for_each(|it| calls(it, change)),
        _ => {}
    }
}

/// Items whose words could be known again: first requests, of which no two are the same.
fn own(samples: Vec<Value>) -> Vec<Value> {
    let mut seen = BTreeSet::new();
    let words = |sample: &Value| {
        let said = sample["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "user");
        said.filter_map(|message| message["content"].as_str()).collect::<Vec<_>>().join(" ")
    };
    let is_own = |sample: &Value| {
        sample["expected"].is_object() && words(sample).chars().count() > 30 && seen.insert(words(sample))
    };
    samples.into_iter().filter(is_own).collect()
}

/// A fair part of some items.
fn some(items: Vec<Value>, count: usize) -> Vec<Value> {
    let mut items = items;
    Chance::new(3, "some", "", 0).shuffle(&mut items);
    items.truncate(count);
    items
}

/// The share of planted copies that are found, as a number of them.
fn planted(items: &[Value], locale: &str) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let copies: Vec<Value> = items.iter().enumerate().map(|(at, item)| copy(item, locale, at)).collect();
    let bench = write(folder.path(), "bench", items);
    let found = found(&bench, &write(folder.path(), "train", &copies), locale);
    if std::env::var_os("FCGEN_LEAKS").is_some() {
        let missed = items.iter().zip(&copies).filter(|(item, _)| !found.contains(item["id"].as_str().unwrap()));
        for (item, copy) in missed.take(5) {
            let text = |it: &Value| {
                it["messages"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter(|it| it["role"] == "user")
                    .map(|it| it["content"].to_string())
                    .collect::<String>()
            };
            report(&format!("missed {}: {} | {}", item["id"], text(item), text(copy)));
        }
    }
    found.len()
}

#[expect(clippy::print_stdout, reason = "somebody asked to see")]
fn report(text: &str) {
    println!("{text}");
}

#[test]
fn planted_copies_are_found() {
    let mut items = Vec::new();
    for pipeline in ["confetti", "functionchat", "complexfunc", "callnavi", "hammer"] {
        let most = if pipeline == "hammer" { PLANTED - items.len() } else { PLANTED / 5 };
        items.extend(some(own(samples(&runs().join(pipeline), "en")), most));
    }
    let found = planted(&items, "en");
    report(&format!("{found} of {} planted copies are found", items.len()));
    assert_eq!(items.len(), PLANTED);
    assert!(found * 100 >= items.len() * 95, "{found} of {}", items.len());
}

#[test]
fn other_suites_are_independent() {
    let pipelines = ["callnavi", "functionchat", "complexfunc", "hammer"];
    let (mut alarms, mut all) = (0, 0);
    for bench in pipelines {
        let folder = tempfile::tempdir().unwrap();
        let items = some(own(samples(&runs().join(bench), "en")), 200);
        let path = write(folder.path(), "bench", &items);
        for other in pipelines.iter().filter(|other| **other != bench) {
            alarms += found(&path, &runs().join(other), "en").len();
            all += items.len();
        }
    }
    report(&format!("{alarms} false alarms in {all}"));
    assert!(alarms * 100 <= all, "{alarms} of {all}");
}

#[test]
fn copies_of_the_authors_items_are_found_and_their_suites_are_independent() {
    let suites = [("hammerbench", "en"), ("hammerbench", "zh"), ("callnavi", "en"), ("functionchat", "ko")];
    for (suite, locale) in suites {
        let Some(folder) = upstream(suite) else { continue };
        let items = some(own(samples(&folder, locale)), PLANTED);
        let found = planted(&items, locale);
        report(&format!("{suite} {locale}: {found} of {} planted copies are found", items.len()));
        assert!(found * 100 >= items.len() * 95, "{suite} {locale}: {found} of {}", items.len());
    }
    let (Some(one), Some(other)) = (upstream("hammerbench"), upstream("callnavi")) else { return };
    let folder = tempfile::tempdir().unwrap();
    let items = some(own(samples(&one, "en")), 200);
    let theirs = some(own(samples(&other, "en")), 200);
    let (one, other) = (write(folder.path(), "one", &items), write(folder.path(), "other", &theirs));
    let mut sets = vec![(&one, other.clone()), (&other, one.clone())];
    for pipeline in ["hammer", "callnavi", "functionchat"] {
        sets.extend([(&one, runs().join(pipeline)), (&other, runs().join(pipeline))]);
    }
    let alarms: usize = sets.iter().map(|(bench, other)| found(bench, other, "en").len()).sum();
    report(&format!("{alarms} false alarms in {}", sets.len() * 200));
    assert!(alarms * 100 <= sets.len() * 200, "{alarms}");
}
