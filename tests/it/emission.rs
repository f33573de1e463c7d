//! What a run writes keeps its promises: looked at as a reader of the files would, without the pipeline's own eyes.

use crate::made::{Made, made_of, make_in};
use crate::shared::upstream;
use fcgen::llm::{Journal, write_script};
use fcgen::locale::{Language, Stand, right_script, value_stands};
use fcgen::record::{Expected, FunctionCall, Sample, Tool, Value};
use fcgen::run::Manifest;
use fcgen::suite::hammerbench::layout::{HammerContent, HammerItem};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const TYPES: [&str; 6] =
    ["ST_Perfect", "ir_ST_Perfect", "ST_Imperfect", "ir_ST_Imperfect", "ST_External", "ir_ST_External"];

/// What a run wrote.
struct Written(Arc<Made>);

/// The shipped pipeline up to its single-turn samples; tests/dialogues.rs looks at the rest.
fn pipeline() -> String {
    let whole = fcgen::assets().read("pipelines/hammer.toml").unwrap();
    whole.split_once("# Dialogues:").unwrap().0.to_owned()
}

/// Its run with a few settings of its own.
async fn written(settings: &[&str]) -> Written {
    Written(made_of(&pipeline(), settings).await)
}

impl Written {
    fn of_type<'w>(&'w self, data_type: &'w str) -> impl Iterator<Item = &'w Sample> {
        self.0.samples.iter().filter(move |sample| sample.data_type.0 == data_type)
    }

    fn by_id(&self) -> BTreeMap<&str, &Sample> {
        self.0.samples.iter().map(|sample| (sample.id.as_str(), sample)).collect()
    }

    fn json(&self, path: &str) -> Vec<Json> {
        self.0.json(&format!("benchmark/data/en/{path}"))
    }
}

fn label(sample: &Sample) -> &FunctionCall {
    match &sample.expected {
        Expected::Call(call) => call,
        _ => sample.label.as_ref().unwrap(),
    }
}

/// The external text and the query of a sample's last turn.
fn texts(sample: &Sample) -> (Option<String>, String) {
    let said = sample.query();
    match said.strip_prefix("EK:").and_then(|rest| rest.split_once("\nquery:")) {
        Some((external, query)) => (Some(external.to_owned()), query.to_owned()),
        None => (None, said),
    }
}

fn gold(sample: &Sample) -> Option<&Tool> {
    sample.candidates.iter().find(|tool| tool.name == label(sample).name).map(|tool| &**tool)
}

fn stands(tool: &Tool, name: &str, value: &Value, text: &str, language: &Language) -> bool {
    let parameter = &tool.parameters.properties[name];
    let word = value.as_str().map_or_else(|| serde_json::to_string(value).unwrap(), str::to_owned);
    let wordings = tool.wordings.get(name).and_then(|wordings| wordings.get(&word)).map(Vec::as_slice);
    let names = [name, parameter.description.as_deref().unwrap_or_default()];
    let kind = tool.kinds.get(name).map(String::as_str);
    let stand = Stand { kind, type_name: parameter.type_name(), wordings, names: &names, ..Stand::default() };
    value_stands(text, value, &stand, language).is_some()
}

#[tokio::test]
async fn what_is_emitted_keeps_its_promises() {
    let written = written(&["pipeline.limit=14"]).await;
    assert!(TYPES.iter().all(|name| written.of_type(name).count() >= 20), "{:?}", written.0.summary.manifest.samples);
    labels_are_said(&written);
    candidates_are_a_fair_choice(&written);
    twins_are_their_bases_without_the_gold(&written);
    ids_join_things(&written);
    nothing_comes_twice(&written);
    the_authors_files_say_the_same(&written);
    the_manifest_counts_what_is_there(&written);
}

fn labels_are_said(written: &Written) {
    let language = Language::load(fcgen::assets(), "en").unwrap();
    for sample in written.0.samples.iter().filter(|sample| matches!(sample.expected, Expected::Call(_))) {
        let (tool, (external, query)) = (gold(sample).unwrap(), texts(sample));
        let hidden = sample.tags.iter().find_map(|tag| tag.strip_prefix("hidden:"));
        assert_eq!(external.is_some(), sample.data_type.0 == "ST_External", "{}", sample.id);
        assert_eq!(external.is_some(), hidden.is_some(), "{}", sample.id);
        for (name, value) in &label(sample).arguments {
            let at = |text: &str| stands(tool, name, value, text, &language);
            let is_hidden = Some(name.as_str()) == hidden;
            assert_eq!(at(&query), !is_hidden, "{}: {name} = {value:?} in `{query}`", sample.id);
            assert!(!is_hidden || at(external.as_deref().unwrap()), "{}: {name} in {external:?}", sample.id);
            let surface = sample.arguments[name].surface.as_deref().unwrap();
            assert!(sample.query().contains(surface) || surface.contains(", "), "{}: `{surface}`", sample.id);
        }
        let declared = tool.parameters.properties.len();
        let given = label(sample).arguments.len();
        match sample.data_type.0.as_str() {
            "ST_Perfect" => {
                let all = tool.parameters.required.iter().all(|name| label(sample).arguments.contains_key(name));
                assert!(all, "{}", sample.id);
            }
            "ST_Imperfect" => assert!(given < declared || declared == 0, "{}", sample.id),
            _ => assert!(given <= declared),
        }
        assert!(right_script(&sample.query(), &language, &[]), "{}", sample.query());
    }
}

fn candidates_are_a_fair_choice(written: &Written) {
    for sample in &written.0.samples {
        let names: BTreeSet<&str> = sample.candidates.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!((names.len(), sample.candidates.len()), (5, 5), "{}", sample.id);
        let is_call = matches!(sample.expected, Expected::Call(_));
        assert_eq!(names.contains(label(sample).name.as_str()), is_call, "{}", sample.id);
    }
}

fn twins_are_their_bases_without_the_gold(written: &Written) {
    let by_id = written.by_id();
    let twins: Vec<&Sample> = written.0.samples.iter().filter(|sample| sample.expected == Expected::Refusal).collect();
    assert!(!twins.is_empty());
    for twin in twins {
        let base = by_id[twin.base.as_ref().unwrap().as_str()];
        assert_eq!(twin.messages, base.messages);
        assert_eq!(twin.data_type.0, format!("ir_{}", base.data_type.0));
        assert_eq!(label(twin), label(base));
        assert_eq!(twin.candidates.len(), base.candidates.len());
        let others: Vec<&String> =
            base.candidates.iter().map(|tool| &tool.name).filter(|name| **name != label(base).name).collect();
        assert_eq!(twin.authors_candidates.iter().flatten().collect::<Vec<_>>(), others, "{}", twin.id);
        assert_eq!(twin.group, base.group);
    }
}

fn ids_join_things(written: &Written) {
    let by_id = written.by_id();
    assert_eq!(by_id.len(), written.0.samples.len(), "an id comes once");
    for sample in &written.0.samples {
        assert!(!sample.id.as_str().is_empty());
        if let Some(base) = &sample.base {
            let is_twin = sample.expected == Expected::Refusal;
            // A variant's base is the query that its own base sample grew from.
            let known = by_id.keys().any(|id| *id == base.as_str() || id.starts_with(&format!("{base}/")));
            assert!(known || !is_twin, "{}: no base {base}", sample.id);
            assert!(sample.id.as_str().starts_with(base.as_str()), "{} grew from {base}", sample.id);
        }
    }
}

fn nothing_comes_twice(written: &Written) {
    for data_type in TYPES {
        let texts: Vec<String> =
            written.of_type(data_type).map(|sample| format!("{} {}", label(sample).name, sample.query())).collect();
        let distinct: BTreeSet<&String> = texts.iter().collect();
        assert_eq!(distinct.len(), texts.len(), "{data_type}");
    }
}

fn the_authors_files_say_the_same(written: &Written) {
    let snapshots = written.json("single-turn.json");
    assert_eq!(snapshots.len(), written.0.samples.len());
    let mut at = 0;
    for data_type in TYPES {
        for item in written.json(&format!("single-turn/{data_type}.json")) {
            let read: HammerItem = serde_json::from_value(item.clone()).unwrap();
            assert_eq!(serde_json::to_value(&read).unwrap(), item, "read and written it is the same");
            assert!(read.id.is_none() && read.single_tool.is_none());
            assert_eq!(keys(&item), ["messages", "multiple_tools"]);
            at += 1;
        }
    }
    assert_eq!(at, written.0.samples.len());
    let bases: BTreeMap<String, Json> =
        snapshots.iter().map(|item| (item["id"].as_str().unwrap().to_owned(), item["messages"].clone())).collect();
    assert_eq!(bases.len(), snapshots.len(), "an id comes once");
    for item in &snapshots {
        let read: HammerItem = serde_json::from_value(item.clone()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), *item);
        let id = item["id"].as_str().unwrap();
        let [kind, number, turn] = id.split('_').collect::<Vec<_>>()[..] else { panic!("{id}") };
        assert!(TYPES.contains(&kind.replace('-', "_").as_str()) && number.parse::<u64>().is_ok(), "{id}");
        assert_eq!(turn, "1", "{id}");
        assert_eq!(read.single_tool.as_ref().unwrap().len(), 1, "{id}");
        let Some(HammerContent::Call(call)) = read.messages.last().map(|message| &message.content) else {
            panic!("{id}")
        };
        assert_eq!(read.single_tool.as_ref().unwrap()[0].name, call.name, "{id}");
        if let Some(base) = id.strip_prefix("ir-") {
            assert_eq!(bases[base], item["messages"], "{id} is the twin of {base}");
            assert_eq!(read.multiple_tools.len(), 4, "{id}");
        }
    }
}

fn keys(item: &Json) -> Vec<&str> {
    let mut keys: Vec<&str> = item.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

fn the_manifest_counts_what_is_there(written: &Written) {
    let manifest: Manifest = written.0.json("manifest.json");
    for data_type in TYPES {
        let count = written.of_type(data_type).count();
        assert_eq!(manifest.samples.get(data_type).copied().unwrap_or_default(), count, "{data_type}");
        assert_eq!(written.json(&format!("single-turn/{data_type}.json")).len(), count, "{data_type}");
    }
    let rejects = written.0.text("rejects.jsonl");
    let mut by_reason: BTreeMap<String, usize> = BTreeMap::new();
    for line in rejects.lines() {
        let reject: Json = serde_json::from_str(line).unwrap();
        *by_reason.entry(reject["reason"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    assert_eq!(manifest.rejects, by_reason);
    assert!(manifest.template && manifest.seed == 7 && manifest.locale == "en");
}

/// The JSON types at every place of a text; the keys of arguments and parameters are names and count as one.
pub(crate) fn shape(json: &Json, place: &str, shapes: &mut BTreeMap<String, BTreeSet<String>>) {
    let kind = match json {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(_) => "number",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    };
    shapes.entry(place.to_owned()).or_default().insert(kind.to_owned());
    match json {
        Json::Array(items) => items.iter().for_each(|item| shape(item, &format!("{place}[]"), shapes)),
        // An argument may be named anything and be of any type.
        Json::Object(_) if place.ends_with("arguments") => {}
        Json::Object(fields) => {
            for (key, value) in fields {
                let key = if place.ends_with("properties") { "*" } else { key };
                shape(value, &format!("{place}.{key}"), shapes);
            }
        }
        _ => {}
    }
}

fn shapes(items: &[Json]) -> BTreeMap<String, BTreeSet<String>> {
    let mut shapes = BTreeMap::new();
    for item in items {
        shape(item, "", &mut shapes);
        for message in item["messages"].as_array().unwrap() {
            let role = format!("role {}", message["role"].as_str().unwrap());
            shape(&message["content"], &role, &mut shapes);
        }
    }
    shapes
}

#[tokio::test]
async fn files_have_the_shape_of_the_reference() {
    let Some(reference) = upstream("hammerbench/data/en") else { return };
    let read = |path: &str| -> Vec<Json> {
        serde_json::from_str(&std::fs::read_to_string(reference.join(path)).unwrap()).unwrap()
    };
    let written = written(&["pipeline.limit=14"]).await;
    for data_type in TYPES {
        let path = format!("single-turn/{data_type}.json");
        assert_eq!(shapes(&written.json(&path)), shapes(&read(&path)), "{data_type}");
    }
    let based: BTreeSet<String> = read("multi-turn/HammerBench_Based.json")
        .iter()
        .flat_map(|item| keys(item).into_iter().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let snapshots = written.json("single-turn.json");
    assert_eq!(keys(&snapshots[0]), based.iter().map(String::as_str).collect::<Vec<_>>());
}

/// Rejects as (id, stage, reason), and samples as (id, text, label): what the gates decided.
fn verdicts(written: &Written) -> (BTreeSet<[String; 3]>, BTreeSet<[String; 3]>) {
    let rejects = written.0.text("rejects.jsonl");
    let rejects = rejects.lines().map(|line| {
        let reject: Json = serde_json::from_str(line).unwrap();
        ["id", "stage", "reason"].map(|key| reject[key].as_str().unwrap().to_owned())
    });
    let samples = written
        .0
        .samples
        .iter()
        .map(|sample| [sample.id.to_string(), sample.query(), serde_json::to_string(label(sample)).unwrap()]);
    (rejects.collect(), samples.collect())
}

/// Settings under which the generator alone is spoilt.
const SPOILT: [&str; 3] =
    ["model.generator.defect_rate=0.2", "model.checker.provider=grammar", "model.judge.provider=grammar"];

#[tokio::test]
async fn the_gates_catch_what_the_model_is_told_to_spoil() {
    let written = written(&[&SPOILT[..], &["pipeline.limit=60"]].concat()).await;
    let report = written.0.summary.manifest.defects.clone().unwrap();
    let total = report.total();
    let lost = |by_reader: bool| -> usize {
        let of = report.good_lost.iter().filter(|(reason, _)| reason.contains("inconsistent") == by_reader);
        of.map(|(_, count)| count).sum()
    };
    println!("{total:?}; good {}, lost {:?}", report.good, report.good_lost);
    assert!(total.committed >= 150 && report.kinds.len() == 9, "{total:?}");
    assert!(total.slipped * 100 <= total.committed, "{total:?}");
    assert!(lost(true) * 10 <= report.good, "{} of {}", lost(true), report.good);
    assert!(lost(false) * 50 <= report.good, "{} of {}", lost(false), report.good);
}

#[tokio::test]
async fn the_gates_see_the_replies_and_nothing_else() {
    // Without the last stage, which asks the generator about several tools for one item.
    let whole = pipeline();
    let (pipeline, _) = whole.rsplit_once("[[stage]]").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let settings = [&SPOILT[..], &["pipeline.limit=12", "model.generator.record=true"]].concat();
    let spoilt = Written(Arc::new(make_in(folder.path(), pipeline, &settings).await));
    let journal = Journal::open(&folder.path().join("run.db")).unwrap();
    let script = folder.path().join("replies.jsonl");
    assert!(write_script(&journal, &script, None).unwrap() > 100);
    // The same replies from a model that knows of no fault, and writes no sidecar.
    let script = format!("model.generator.script={}", script.display());
    let scripted = ["model.generator.provider=scripted", "model.generator.model=grammar"];
    let played = [&scripted[..], &[&script, "pipeline.limit=12"]].concat();
    let played = Written(made_of(pipeline, &[&played[..], &SPOILT[1..]].concat()).await);
    assert!(spoilt.0.summary.manifest.defects.is_some() && played.0.summary.manifest.defects.is_none());
    assert_eq!(verdicts(&spoilt), verdicts(&played));
}

/// A query's words without its values: how it is put.
fn frame(sample: &Sample) -> String {
    let mut frame = texts(sample).1.to_lowercase();
    for note in sample.arguments.values() {
        for surface in note.surface.iter().filter(|surface| !surface.is_empty()) {
            frame = frame.replace(&surface.to_lowercase(), "*");
        }
    }
    frame
}

/// The candidate that shares most words with the query, as somebody would choose who cannot read.
fn picked(sample: &Sample) -> &Tool {
    let words = |text: &str| -> BTreeSet<String> {
        let spaced: String =
            text.chars().flat_map(|letter| letter.is_uppercase().then_some(' ').into_iter().chain([letter])).collect();
        spaced
            .to_lowercase()
            .split(|letter: char| !letter.is_alphanumeric())
            .filter(|word| word.len() > 2)
            .map(str::to_owned)
            .collect()
    };
    let query: BTreeSet<String> =
        texts(sample).1.to_lowercase().split(|letter: char| !letter.is_alphanumeric()).map(str::to_owned).collect();
    let shared = |tool: &Tool| words(&format!("{} {}", tool.name, tool.description)).intersection(&query).count();
    let best = sample.candidates.iter().map(|tool| shared(tool)).max().unwrap();
    sample.candidates.iter().find(|tool| shared(tool) == best).unwrap()
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn share(count: usize, of: usize) -> f64 {
    count as f64 / of as f64
}

#[tokio::test]
async fn queries_are_various_short_and_not_given_away() {
    let written = written(&["pipeline.limit=60"]).await;
    for data_type in ["ST_Perfect", "ST_Imperfect"] {
        let frames: Vec<String> = written.of_type(data_type).map(frame).collect();
        let distinct: BTreeSet<&String> = frames.iter().collect();
        println!("{data_type}: {} frames, {:.3} of them distinct", frames.len(), share(distinct.len(), frames.len()));
        assert!(share(distinct.len(), frames.len()) >= 0.8, "{data_type}");
    }
    let imperfect: Vec<&Sample> = written.of_type("ST_Imperfect").collect();
    let picked = imperfect.iter().filter(|sample| picked(sample).name == label(sample).name).count();
    let short = imperfect.iter().filter(|sample| sample.query().split_whitespace().count() < 10).count();
    println!(
        "picked by shared words {:.3}; under ten words {:.3}",
        share(picked, imperfect.len()),
        share(short, imperfect.len())
    );
    assert!(share(picked, imperfect.len()) <= 0.75);
    assert!(share(short, imperfect.len()) >= 0.75);
}
