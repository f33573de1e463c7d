//! CallNavi's layout against the checks: the authors' own data, whose faults are known and counted, and sound questions that
//! somebody spoils in every way.

use crate::shared::upstream;
use fcgen::check::audit::Figure;
use fcgen::check::{Ground, LintReport, Replay, Severity, lint};
use fcgen::format::Bench;
use serde_json::{Value as Json, json};
use std::path::Path;

fn linted(path: &Path) -> LintReport {
    replayed(path).0
}

/// What the rules find, and the figures of the replay.
fn replayed(path: &Path) -> (LintReport, Vec<Figure>) {
    let bench = Bench::open(path).unwrap();
    let ground = Ground::load(fcgen::assets(), &bench.locale().unwrap()).unwrap();
    let mut replay = Replay::new(&ground).unwrap();
    let report = lint(&bench, &ground, &mut replay);
    (report, replay.finish())
}

#[test]
fn the_authors_data_has_the_faults_that_were_counted_by_hand() {
    let Some(folder) = upstream("callnavi") else { return };
    let report = linted(&folder);
    let by_type: Vec<(&str, usize)> = report.by_type.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    assert_eq!(by_type, [("easy", 456), ("medium", 187), ("hard", 86)]);
    let mut found: Vec<(&str, usize)> = report.findings.rules().map(|(rule, _, count, _)| (rule, count)).collect();
    found.sort_unstable();
    assert_eq!(
        found,
        [
            ("api", 5),
            ("difficulty", 1),
            ("empty_parameters", 6),
            ("irregular_id", 34),
            ("parameter_names", 33),
            // Identifiers that the questions do not hold: they say others, or none.
            ("source", 14),
            ("type", 26)
        ]
    );
    let right = |what: &str| report.findings.tallies().find(|(name, _)| *name == what).unwrap().1;
    let (declared, required) =
        (right("questions give only declared parameters"), right("questions give every required parameter"));
    assert_eq!((declared.of - declared.right, required.of - required.right), (30, 30));
    let used = right("APIs are asked for by some question");
    assert_eq!((used.of, used.of - used.right), (587, 118));
}

#[test]
fn the_authors_gold_passes_their_scorer_and_what_is_made_wrong_of_it_does_not() {
    let Some(folder) = upstream("callnavi") else { return };
    let figures = replayed(&folder).1;
    for measure in ["syntax", "API calls", "structure", "AST match", "routing"] {
        for figure in &figures[..2] {
            let cell = figure.cell(measure).unwrap();
            assert!((cell.value - 1.0).abs() < 1e-9 && cell.n == 729, "{} {measure}: {cell:?}", figure.name);
        }
    }
    for cell in figures[2..].iter().flat_map(|figure| &figure.cells) {
        assert!((cell.value - 1.0).abs() < 1e-9 && cell.n > 100, "{cell:?}");
    }
}

#[test]
fn findings_on_the_authors_data_say_where_and_what() {
    let Some(folder) = upstream("callnavi") else { return };
    let report = linted(&folder);
    let ids = |wanted: &str| -> Vec<String> {
        let (.., first) = report.findings.rules().find(|(rule, ..)| *rule == wanted).unwrap();
        first.iter().map(|finding| format!("{} {}", finding.place.file, finding.id)).collect()
    };
    let (hr, aviation) = ("Questions/hr.json hr035", "Questions/aviation.json avi0");
    assert_eq!(
        ids("api"),
        ["7", "8", "59", "66"]
            .map(|id| format!("{aviation}{id}"))
            .into_iter()
            .chain([hr.to_owned()])
            .collect::<Vec<_>>()
    );
    assert_eq!(ids("difficulty"), [format!("{aviation}60")]);
    assert_eq!(ids("empty_parameters").len(), 6);
}

/// Two sound questions: one call, and a chain.
fn sound() -> Vec<Json> {
    let tool = |name: &str, parameter: &str| json!({"name": name, "description": name, "parameters": {"properties": {parameter: {"type": "string"}}, "required": [parameter]}});
    let tools = [tool("findCard", "customerId"), tool("blockCard", "cardId"), tool("listRates", "currency")];
    let first = json!({"calls": [{"name": "findCard", "arguments": {"customerId": "U7"}}], "answers": [{"cardId": "C9"}],
        "notes": [{"customerId": {"surface": "U7", "origin": "verbatim"}}]});
    let second = json!({"calls": [{"name": "blockCard", "arguments": {"cardId": "$$$"}}], "answers": [{"status": "done"}],
        "notes": [{"cardId": {"origin": {"answer": {"call": 0, "field": "/cardId"}}}}]});
    let sample = |id: &str, difficulty: &str, words: &str, steps: &[&Json]| {
        json!({"id": id, "suite": "callnavi", "data_type": difficulty, "difficulty": difficulty, "locale": "en",
            "messages": [{"role": "user", "content": words}], "candidates": tools, "expected": {"steps": steps},
            "tags": ["domain:bank"], "group": "bank", "licence": "CC0", "source": "test",
            "provenance": {"template": false, "draws": []}})
    };
    vec![
        sample("bank/0", "easy", "Which card does U7 have?", &[&first]),
        sample("bank/1", "hard", "U7 lost the card, block it.", &[&first, &second]),
    ]
}

fn spoilt(spoil: Spoil) -> LintReport {
    let mut samples = sound();
    spoil(&mut samples);
    let folder = tempfile::tempdir().unwrap();
    let lines: Vec<String> = samples.iter().map(Json::to_string).collect();
    std::fs::write(folder.path().join("samples.jsonl"), lines.join("\n")).unwrap();
    linted(folder.path())
}

fn step(sample: &mut Json, at: usize) -> &mut Json {
    &mut sample["expected"]["steps"][at]
}

/// A way to spoil samples.
type Spoil = fn(&mut [Json]);

/// What somebody may do to a question, and the rule that must see it.
const SPOILS: [(&str, Spoil); 13] = [
    ("id", |samples| samples[1]["id"] = samples[0]["id"].clone()),
    ("api", |samples| step(&mut samples[0], 0)["calls"][0]["name"] = "findCards".into()),
    ("parameter_names", |samples| step(&mut samples[0], 0)["calls"][0]["arguments"]["why"] = "U7".into()),
    ("parameter_names", |samples| step(&mut samples[0], 0)["calls"][0]["arguments"] = json!({})),
    ("empty_parameters", |samples| samples[0]["provenance"]["facts"] = json!({"parameters": "[]"})),
    ("type", |samples| step(&mut samples[0], 0)["calls"][0]["arguments"]["customerId"] = 7.into()),
    ("difficulty", |samples| samples[1]["difficulty"] = "medium".into()),
    ("difficulty", |samples| *step(&mut samples[1], 1) = step(&mut samples[1], 0).clone()),
    ("value", |samples| samples[0]["messages"][0]["content"] = "Which card does she have?".into()),
    ("answer", |samples| step(&mut samples[1], 0)["answers"][0] = json!({"card": "C9"})),
    ("answer", |samples| step(&mut samples[1], 1)["notes"][0]["cardId"]["origin"]["answer"]["call"] = 1.into()),
    ("placeholder", |samples| step(&mut samples[1], 1)["calls"][0]["arguments"]["cardId"] = "C9".into()),
    ("note", |samples| step(&mut samples[1], 1)["notes"][0]["limit"] = json!({"origin": "open"})),
];

#[test]
fn every_way_of_spoiling_is_seen_by_its_rule() {
    assert_eq!(spoilt(|_| {}).findings.rules().count(), 0, "sound as it is");
    for (rule, spoil) in SPOILS {
        let findings = spoilt(spoil).findings;
        let found: Vec<&str> = findings.rules().map(|(rule, ..)| rule).collect();
        assert!(findings.of(rule) >= 1, "{rule} is not among {found:?}");
        let (_, severity, _, first) = findings.rules().find(|(name, ..)| *name == rule).unwrap();
        assert_eq!((severity, &*first[0].place.file), (Severity::Error, "samples.jsonl"), "{rule}");
    }
}
