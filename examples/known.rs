//! Makes `profiles/known.bin`: published benchmarks as hashes, from their authors' files.
//!
//! `cargo run --release --example known -- SHARED OUT`, where SHARED has the folders `upstream` and `vectors`. Only data whose
//! licence allows it goes in; what is published without a licence (ComplexFuncBench) stays out.

#![expect(clippy::print_stderr, reason = "an example talks")]

use fcgen::check::{Ground, Known, Print, Words, write_known};
use fcgen::format::Bench;
use fcgen::record::{DataType, Expected, FunctionCall, Object, Sample, SuiteId, Value};
use std::path::Path;
use std::sync::Arc;

/// What goes in: its name, where it lies, its locale, its licence.
const BENCHES: [(&str, &str, &str, &str); 4] = [
    ("hammerbench", "upstream/hammerbench", "en", "Apache-2.0"),
    ("hammerbench", "upstream/hammerbench", "zh", "Apache-2.0"),
    ("callnavi", "upstream/callnavi", "en", "MIT"),
    ("functionchat", "upstream/functionchat", "ko", "Apache-2.0"),
];

/// HammerBench's data types whose words are no others' as well: variants of a conversation begin as it does.
const OWN: [&str; 6] = ["ST_Perfect", "ST_Imperfect", "ST_External", "Based", "IS", "mQmA"];

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [shared, out] = arguments.as_slice() else { return Err("give the shared folder and the file to write".into()) };
    let shared = Path::new(shared);
    let mut all = Vec::new();
    for (name, folder, locale, licence) in BENCHES {
        all.push(bench(name, &shared.join(folder), locale, licence)?);
    }
    all.push(bfcl(&shared.join("vectors/bfcl/items-A.jsonl"))?);
    all.push(confetti(&shared.join("upstream/confetti/data/possible_answer/BFCL_v2_conversationsclean.json"))?);
    for known in &all {
        eprintln!("{} ({}, {}): {} items", known.name, known.locale, known.licence, known.items.len());
    }
    std::fs::write(out, write_known(&all))?;
    Ok(())
}

fn empty(name: &str, locale: &str, licence: &str) -> Known {
    Known { name: name.to_owned(), licence: licence.to_owned(), locale: locale.to_owned(), items: Vec::new() }
}

fn bench(name: &str, folder: &Path, locale: &str, licence: &str) -> Result<Known, Failure> {
    let words = Words::of(Ground::load(fcgen::assets(), locale)?.as_ref());
    let mut known = empty(name, locale, licence);
    Bench::open_in(folder, Some(locale))?.each_place(&mut |_, found| {
        if let Some(sample) = found.ok().filter(is_own) {
            known.add(short(sample.id.as_str()), Print::of(&sample, &words));
        }
    });
    Ok(known)
}

/// Whether a sample is no variant of another one: of a conversation its last turn, of a tool's lists the exact one.
fn is_own(sample: &Sample) -> bool {
    let is_last = sample.snapshot.as_ref().is_none_or(|snapshot| snapshot.turn == snapshot.turns);
    let kind = sample.data_type.0.as_str();
    let is_list = kind.ends_with("_random") || kind.ends_with("_close");
    is_last && !is_list && (sample.suite != SuiteId::HammerBench || OWN.contains(&kind))
}

/// An id without its locale, which the set knows.
fn short(id: &str) -> &str {
    id.split_once('/').filter(|(locale, _)| locale.len() == 2).map_or(id, |(_, rest)| rest)
}

/// BFCL's calls: the words are not at hand, the tools and the accepted values are.
fn bfcl(file: &Path) -> Result<Known, Failure> {
    let words = Words::of(Ground::load(fcgen::assets(), "en")?.as_ref());
    let mut known = empty("bfcl", "en", "Apache-2.0");
    for line in std::fs::read_to_string(file)?.lines() {
        let row = Value::read(line)?;
        let field = |name: &str| row.as_object().and_then(|row| row.get(name));
        let (Some(id), Some(truth)) =
            (field("id").and_then(Value::as_str), field("ground_truth").and_then(Value::as_list))
        else {
            continue;
        };
        let tools = field("function").and_then(Value::as_list).unwrap_or_default();
        let tools =
            tools.iter().filter_map(|tool| serde_json::from_str(&tool.to_string()).ok().map(Arc::new)).collect();
        if let Some(sample) = truth.first().and_then(call).map(|call| sample(id, call, tools)) {
            known.add(id, Print::of(&sample, &words));
        }
    }
    Ok(known)
}

/// A call with the first of the accepted values of each argument.
fn call(truth: &Value) -> Option<FunctionCall> {
    let (name, accepted) = truth.as_object()?.first()?;
    let first = |(name, values): (&String, &Value)| Some((name.clone(), values.as_list()?.first()?.clone()));
    Some(FunctionCall {
        name: name.clone(),
        arguments: accepted.as_object()?.iter().filter_map(first).collect::<Object>(),
    })
}

/// CONFETTI's calls: of its conversations only the accepted answers are at hand.
fn confetti(file: &Path) -> Result<Known, Failure> {
    let words = Words::of(Ground::load(fcgen::assets(), "en")?.as_ref());
    let mut known = empty("confetti", "en", "CC-BY-4.0, amazon-science/confetti");
    for line in std::fs::read_to_string(file)?.lines() {
        let row = Value::read(line)?;
        let Some(row) = row.as_object() else { continue };
        let truth = row.get("ground_truth").and_then(Value::as_list).and_then(|list| call(list.first()?));
        let id = row.get("id").map_or_else(String::new, |id| id.as_str().map_or_else(|| id.to_string(), str::to_owned));
        if let Some(sample) = truth.map(|call| sample(&id, call, Vec::new())) {
            known.add(&id, Print::of(&sample, &words));
        }
    }
    Ok(known)
}

/// A sample of nothing but a call.
fn sample(id: &str, call: FunctionCall, tools: Vec<Arc<fcgen::record::Tool>>) -> Sample {
    let row = serde_json::json!({"id": id, "suite": "", "data_type": "", "locale": "en", "messages": [], "candidates": [],
        "expected": "refusal", "group": id, "licence": "", "source": "", "provenance": {"template": false, "draws": []}});
    let mut sample: Sample = serde_json::from_value(row).unwrap_or_else(|error| unreachable!("{error}"));
    (sample.expected, sample.candidates, sample.data_type) = (Expected::Call(call), tools, DataType(String::new()));
    sample
}
