//! The checks against data at fault: a run that somebody spoils in every way, and the authors' own slices, whose faults are
//! known and counted.

use crate::made::made;
use crate::shared::upstream;
use fcgen::check::audit::{AuditOptions, Figure, audit};
use fcgen::check::{Ground, LintReport, Replay, Severity, lint};
use fcgen::format::Bench;
use indexmap::IndexMap;
use serde_json::{Value as Json, json};
use std::path::Path;

/// Samples of a small run, one JSON object a line.
async fn samples() -> Vec<Json> {
    let made = made("hammer", &["pipeline.limit=6"]).await;
    made.samples.iter().map(|sample| serde_json::to_value(sample).unwrap()).collect()
}

fn linted(samples: &[Json]) -> LintReport {
    let folder = tempfile::tempdir().unwrap();
    let lines: Vec<String> = samples.iter().map(Json::to_string).collect();
    std::fs::write(folder.path().join("samples.jsonl"), lines.join("\n")).unwrap();
    lint_of(&Bench::open(folder.path()).unwrap())
}

fn lint_of(bench: &Bench) -> LintReport {
    let ground = Ground::load(fcgen::assets(), &bench.locale().unwrap()).unwrap();
    lint(bench, &ground, &mut Replay::new(&ground).unwrap())
}

/// The first sample that fits.
fn first(samples: &mut [Json], fits: impl Fn(&Json) -> bool) -> &mut Json {
    samples.iter_mut().find(|sample| fits(sample)).unwrap()
}

fn of(data_type: &'static str) -> impl Fn(&Json) -> bool {
    move |sample| sample["data_type"] == data_type
}

/// A turn of a conversation: the last one, and with arguments.
fn last_turn(data_type: &'static str) -> impl Fn(&Json) -> bool {
    move |sample| {
        let place = &sample["snapshot"];
        sample["data_type"] == data_type && !place.is_null() && place["turn"] == place["turns"]
    }
}

/// A call with an argument that is a text.
fn with_text(sample: &Json) -> bool {
    sample["data_type"] == "ST_Perfect" && text_argument(sample).is_some()
}

fn text_argument(sample: &Json) -> Option<String> {
    let arguments = sample["expected"]["call"]["arguments"].as_object()?;
    arguments.iter().find(|(_, value)| value.is_string()).map(|(name, _)| name.clone())
}

fn arguments(sample: &mut Json) -> &mut Json {
    &mut sample["expected"]["call"]["arguments"]
}

fn say(sample: &mut Json, words: &str) {
    sample["messages"].as_array_mut().unwrap().last_mut().unwrap()["content"] = words.into();
}

/// A way to spoil samples.
type Spoil = fn(&mut Vec<Json>);

/// What somebody may do to a bench, and the rule that must see it.
const SPOILS: [(&str, Spoil); 20] = [
    ("id", |samples| {
        let id = samples[0]["id"].clone();
        samples.last_mut().unwrap()["id"] = id;
    }),
    ("base", |samples| first(samples, of("ir_ST_Imperfect"))["base"] = "gone".into()),
    ("twin", |samples| say(first(samples, of("ir_ST_Imperfect")), "something else entirely")),
    ("tool_names", |samples| {
        let sample = first(samples, of("ST_Perfect"));
        sample["candidates"][4] = sample["candidates"][0].clone();
    }),
    ("gold", |samples| {
        let sample = first(samples, of("ST_Perfect"));
        let gold = sample["expected"]["call"]["name"].clone();
        sample["candidates"].as_array_mut().unwrap().retain(|tool| tool["name"] != gold);
    }),
    ("parameter", |samples| arguments(first(samples, of("ST_Perfect")))["no_such"] = "x".into()),
    ("type", |samples| {
        let sample = first(samples, with_text);
        let name = text_argument(sample).unwrap();
        arguments(sample)[name] = json!(["a list"]);
    }),
    ("value", |samples| {
        let sample = first(samples, with_text);
        let name = text_argument(sample).unwrap();
        arguments(sample)[name] = "Ulan Bator".into();
    }),
    ("note", |samples| {
        let sample = first(samples, with_text);
        let name = text_argument(sample).unwrap();
        sample["arguments"][name]["surface"] = "Ulan Bator".into();
    }),
    ("hidden", |samples| {
        let sample = first(samples, of("ST_External"));
        let text = sample["messages"][0]["content"].as_str().unwrap().to_owned();
        let external = text.split_once("\nquery:").unwrap().0.trim_start_matches("EK:").to_owned();
        say(sample, &format!("{text}, I mean {external}"));
    }),
    ("cumulative", |samples| *arguments(first(samples, last_turn("Based"))) = json!({})),
    ("growth", |samples| {
        let snapshot = first(samples, last_turn("mSv"))["snapshot"].clone();
        let before = |sample: &Json| {
            sample["snapshot"]["conversation"] == snapshot["conversation"]
                && sample["snapshot"]["turn"].as_u64().unwrap() + 1 == snapshot["turn"].as_u64().unwrap()
        };
        let known = arguments(first(samples, before)).clone();
        *arguments(first(samples, last_turn("mSv"))) = known;
    }),
    ("end", |samples| {
        let sample = first(samples, last_turn("mQmA"));
        let name = text_argument(sample).unwrap();
        arguments(sample)[name] = "Ulan Bator".into();
    }),
    ("marked", |samples| {
        let marked = |sample: &Json| sample["data_type"] == "SO_case1" && sample["snapshot"]["marked"] == true;
        first(samples, marked)["snapshot"]["marked"] = false.into();
    }),
    ("external", |samples| say(first(samples, of("ST_External")), "as it stands in the note")),
    ("empty", |samples| say(first(samples, of("ST_Imperfect")), "")),
    ("last_speaker", |samples| {
        let more = json!({"role": "assistant", "content": "Done."});
        first(samples, of("ST_Perfect"))["messages"].as_array_mut().unwrap().push(more);
    }),
    ("duplicate", |samples| {
        let mut copy = first(samples, of("ST_Perfect")).clone();
        copy["id"] = "a/copy".into();
        samples.push(copy);
    }),
    ("replay", |samples| {
        first(samples, last_turn("IS"))["provenance"]["facts"]["refusal"] = "With pleasure!".into();
    }),
    ("readable", |samples| first(samples, of("ST_Perfect"))["messages"] = "none".into()),
];

#[tokio::test]
async fn every_way_of_spoiling_is_seen_by_its_rule() {
    let sound = samples().await;
    assert_eq!(linted(&sound).findings.count(Severity::Error), 0);
    for (rule, spoil) in SPOILS {
        let mut spoilt = sound.clone();
        spoil(&mut spoilt);
        let findings = linted(&spoilt).findings;
        let found: Vec<&str> = findings.rules().map(|(rule, ..)| rule).collect();
        assert!(findings.of(rule) >= 1, "{rule} is not among {found:?}");
        let (_, severity, _, first) = findings.rules().find(|(name, ..)| *name == rule).unwrap();
        assert_eq!((severity, &*first[0].place.file), (Severity::Error, "samples.jsonl"), "{rule}");
    }
}

#[tokio::test]
async fn findings_name_the_line() {
    let mut spoilt = samples().await;
    say(&mut spoilt[6], " ");
    let findings = linted(&spoilt).findings;
    let (.., first) = findings.rules().find(|(rule, ..)| *rule == "empty").unwrap();
    assert_eq!((first[0].place.line, first[0].id.as_str()), (7, spoilt[6]["id"].as_str().unwrap()));
}

async fn figures(folder: &Path, locale: &str) -> Vec<Figure> {
    let ground = Ground::load(fcgen::assets(), locale).unwrap();
    let options = AuditOptions { ground, seed: 7, sizes: IndexMap::new(), checker: None };
    audit(&Bench::open(folder).unwrap(), &options).await.unwrap()
}

fn value(figures: &[Figure], name: &str, slice: &str) -> f64 {
    let figure = figures.iter().find(|figure| figure.name == name).unwrap();
    figure.cell(slice).unwrap_or_else(|| panic!("{name} has no {slice}")).value
}

#[tokio::test]
async fn the_authors_slices_have_the_figures_that_were_counted_by_hand() {
    for (locale, places, twins) in [("en", [0.33, 0.45], 0.99), ("zh", [0.75, 0.79], 1.0)] {
        let Some(folder) = upstream(&format!("hammerbench/data/{locale}")) else { return };
        let figures = figures(&folder, locale).await;
        for data_type in ["ST_Perfect", "ST_Imperfect", "ST_External"] {
            let place = value(&figures, "gold position", data_type);
            assert!((places[0]..=places[1]).contains(&place), "{locale} {data_type}: {place}");
            let known = value(&figures, "giveaway", &format!("{data_type} and twins")) + 0.5;
            assert!(known >= twins, "the shorter list tells a twin: {locale} {data_type} {known}");
        }
        assert!((value(&figures, "scaffold", "most frequent refusal") - 1.0).abs() < 1e-9, "one sentence for all");
        let formula = value(&figures, "scaffold", "conversations with the fixed sentence");
        assert!((formula - 1.0 / 9.0).abs() < 1e-9, "one of nine data types has it: {formula}");
    }
}

#[test]
fn english_values_of_the_authors_stand_in_their_texts_less_often_than_chinese_ones() {
    let share = |locale| {
        let report = lint_of(&Bench::open(&upstream(&format!("hammerbench/data/{locale}"))?).unwrap());
        assert_eq!(report.by_type.len(), 15);
        assert_eq!(report.findings.of("replay"), 0, "{locale}: the gold passes");
        let (_, tally) = report.findings.tallies().find(|(what, _)| *what == "values stand in their text").unwrap();
        Some(f64::from(u32::try_from(tally.right).unwrap()) / f64::from(u32::try_from(tally.of).unwrap()))
    };
    let (Some(english), Some(chinese)) = (share("en"), share("zh")) else { return };
    assert!((0.70..0.85).contains(&english) && chinese > 0.97, "{english} {chinese}");
}
