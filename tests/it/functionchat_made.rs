//! FunctionChat-Bench as `fcgen pipeline functionchat` makes it: its numbers, and what must hold of every sample.

use fcgen::gate::check_told;
use fcgen::locale::Language;
use fcgen::record::{Expected, Message, Object, Role, Sample, Value};
use fcgen::suite::functionchat::layout::gold_text;
use fcgen::toolset::Toolset;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

fn run(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fcgen"));
    let out = folder.to_str().unwrap();
    let output = command.args(["pipeline", "functionchat", "--quiet", "--out", out]).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn samples(folder: &Path) -> Vec<Sample> {
    let text = fs::read_to_string(folder.join("samples.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn counts<'s>(samples: impl Iterator<Item = &'s Sample>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    samples.for_each(|sample| *counts.entry(sample.data_type.0.clone()).or_default() += 1);
    counts
}

fn gold(sample: &Sample) -> Option<&str> {
    match &sample.expected {
        Expected::Call(call) => Some(&call.name),
        _ => None,
    }
}

fn place(sample: &Sample) -> Option<usize> {
    sample.candidates.iter().position(|tool| Some(tool.name.as_str()) == gold(sample))
}

#[test]
fn a_whole_run_has_the_papers_numbers_in_its_own_language() {
    for locale in ["ko", "en", "zh"] {
        let folder = tempfile::tempdir().unwrap();
        run(folder.path(), &["--locale", locale]);
        let samples = samples(folder.path());
        let wanted = [
            ("4_close", 100),
            ("4_random", 100),
            ("8_close", 100),
            ("8_random", 100),
            ("CALL", 100),
            ("REJECT", 100),
            ("SLOT-all", 100),
            ("SLOT-some", 306),
            ("call", 70),
            ("completion", 71),
            ("exact", 100),
            ("relevance", 23),
            ("slot", 36),
        ];
        assert_eq!(counts(samples.iter()), BTreeMap::from(wanted.map(|(name, count)| (name.to_owned(), count))));
        lists(&samples);
        decisions(&samples);
        dialogs(&samples, locale);
        let distinct: BTreeSet<&str> = samples.iter().map(gold_text).collect();
        assert!(distinct.len() > 150, "{} wordings", distinct.len());
    }
}

/// The right tool stands equally often in each place, and close lists hold what smaller ones hold.
fn lists(samples: &[Sample]) {
    let mut places: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut close: BTreeMap<String, [BTreeSet<String>; 2]> = BTreeMap::new();
    for sample in samples.iter().filter(|it| it.data_type.0.contains("_close") || it.data_type.0.contains("_random")) {
        *places.entry((sample.candidates.len(), place(sample).unwrap())).or_default() += 1;
        let names: BTreeSet<String> = sample.candidates.iter().map(|tool| tool.name.clone()).collect();
        assert_eq!(names.len(), sample.candidates.len(), "{}", sample.id);
        match sample.data_type.0.as_str() {
            "4_close" => close.entry(sample.group.clone()).or_default()[0] = names,
            "8_close" => close.entry(sample.group.clone()).or_default()[1] = names,
            _ => {}
        }
    }
    for size in [4, 8] {
        let counts: Vec<usize> =
            places.iter().filter(|((of, _), _)| *of == size).map(|(_, count)| *count / 4).collect();
        // The four queries of a function share their lists, of which there are two of each size.
        assert_eq!(counts.len(), size);
        assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1, "{places:?}");
    }
    assert!(close.values().all(|[four, eight]| four.is_subset(eight)) && close.len() == 25);
}

/// A refused request is an accepted one without its tool; what is asked for is what was not said.
fn decisions(samples: &[Sample]) {
    let by_id: BTreeMap<&str, &Sample> = samples.iter().map(|sample| (sample.id.as_str(), sample)).collect();
    let mut places = BTreeMap::new();
    for sample in samples {
        match sample.data_type.0.as_str() {
            "CALL" => *places.entry(place(sample).unwrap()).or_insert(0) += 1,
            "REJECT" => {
                let base = by_id[sample.base.as_ref().unwrap().as_str()];
                assert_eq!(base.messages, sample.messages);
                let pairs = base.candidates.iter().zip(&sample.candidates);
                let other: Vec<_> = pairs.filter(|(one, two)| one.name != two.name).collect();
                assert!(other.len() == 1 && Some(other[0].0.name.as_str()) == gold(base), "{}", sample.id);
            }
            "SLOT-all" | "SLOT-some" => {
                let Expected::Question(missing) = &sample.expected else { panic!("{}", sample.id) };
                assert!(!missing.is_empty() && !gold_text(sample).is_empty());
                assert_eq!(sample.messages.len() % 2, 1, "the person speaks last");
            }
            _ => {}
        }
    }
    assert_eq!(places, BTreeMap::from([(0, 20), (1, 20), (2, 20), (3, 20), (4, 20)]));
}

/// Every turn stands on the gold turns before it, and what is told was answered.
fn dialogs(samples: &[Sample], locale: &str) {
    let language = Language::load(fcgen::assets(), locale).unwrap();
    let toolset = Toolset::load(fcgen::assets(), "daily", locale).unwrap();
    let mut conversations: BTreeMap<String, Vec<&Sample>> = BTreeMap::new();
    for sample in samples.iter().filter(|sample| sample.snapshot.is_some()) {
        conversations.entry(sample.group.clone()).or_default().push(sample);
    }
    assert_eq!(conversations.len(), 45);
    for turns in conversations.values_mut() {
        turns.sort_by_key(|sample| sample.snapshot.as_ref().unwrap().turn);
        for pair in turns.windows(2) {
            assert!(pair[1].messages.starts_with(&pair[0].messages), "{}", pair[1].id);
            let said = pair[1].messages[pair[0].messages.len()].content.as_deref();
            let gold = match &pair[0].expected {
                Expected::Answer(text) => Some(text.as_str()),
                Expected::Call(_) => None,
                _ => Some(gold_text(pair[0])),
            };
            assert_eq!(said, gold, "{}", pair[0].id);
            if gold.is_none() {
                assert_eq!(pair[1].data_type.0, "completion", "an answer is told");
            }
        }
        for sample in turns.iter() {
            let Expected::Answer(text) = &sample.expected else { continue };
            let (call, answer) = last_call(&sample.messages);
            let must_tell = &toolset.phrases[&call.0].answers;
            let told = check_told(text, &answer, &call.1, must_tell, &language);
            assert!(told.is_ok(), "{}: {told:?}", sample.id);
        }
    }
}

fn last_call(messages: &[Message]) -> ((String, Object), Value) {
    let call = messages.iter().rev().find_map(|message| message.tool_calls.first()).unwrap();
    let answer = messages.iter().rev().find(|message| message.role == Role::Tool).unwrap();
    let answer = Value::read(answer.content.as_deref().unwrap()).unwrap();
    ((call.name.clone(), call.arguments.clone()), answer)
}

#[test]
fn shards_merged_are_the_run_in_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    run(&at("whole"), &["--limit", "40", "--concurrency", "64"]);
    for shard in ["1/2", "2/2"] {
        run(&at(&shard.replace('/', "-")), &["--limit", "40", "--concurrency", "1", "--shard", shard]);
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_fcgen"));
    let parts = ["1-2", "2-2"].map(|name| at(name).to_str().unwrap().to_owned());
    let output = command
        .arg("merge")
        .args(&parts)
        .args(["--limit", "40", "--out", at("merged").to_str().unwrap()])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read = |name: &str, file: &str| fs::read_to_string(at(name).join(file)).unwrap();
    for file in ["samples.jsonl", "rejects.jsonl", "benchmark/data/FunctionChat-Dialog.jsonl"] {
        assert!(read("whole", file) == read("merged", file), "{file} differs");
    }
}
