//! A benchmark of complex queries over the declared world of travel, made by hand: written, looked over, scored.

use fcgen::check::audit::{AuditOptions, audit};
use fcgen::check::{Ground, Replay, Severity, lint};
use fcgen::format::Bench;
use fcgen::locale::Pack;
use fcgen::record::{Object, Sample, SuiteId, Value};
use fcgen::suite::complexfunc::layout::{FILE, Row};
use fcgen::suite::complexfunc::{
    Board, FunctionFacts, GoldenReplay, Helpers, Options, Profile, Recordings, declared_settings, score, settings_of,
    toolset_file,
};
use fcgen::toolset::{Declaration, Toolset};
use fcgen::world::DeclaredWorld;
use indexmap::IndexMap;
use serde_json::{Value as Json, json};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// How a locale says the request, with its city and days.
const SAID: [(&str, &str, [&str; 3]); 3] = [
    (
        "en",
        "How much is the cheapest hotel in CITY from November 5, 2024 to November 8, 2024, and what does it look like?",
        ["November 5, 2024", "November 8, 2024", "It is shown."],
    ),
    (
        "ko",
        "2024년 11월 5일부터 2024년 11월 8일까지 CITY에서 가장 싼 호텔은 얼마이고, 어떤 곳이야?",
        ["2024년 11월 5일", "2024년 11월 8일", "보여 드렸습니다."],
    ),
    (
        "zh",
        "CITY从2024年11月5日住到2024年11月8日，最便宜的酒店要多少钱，是什么样的？",
        ["2024年11月5日", "2024年11月8日", "已经为您列出。"],
    ),
];

struct Travel {
    toolset: Toolset,
    declaration: Arc<Declaration>,
    world: DeclaredWorld,
}

fn travel(locale: &str) -> Travel {
    let toolset = Toolset::load(fcgen::assets(), "travel", locale).unwrap();
    let mut pack = Pack::load(fcgen::assets(), locale).unwrap();
    toolset.extend(&mut pack).unwrap();
    let declaration = toolset.world.clone().unwrap();
    let world = DeclaredWorld::new(declaration.clone(), Arc::new(pack), 11).unwrap();
    Travel { toolset, declaration, world }
}

impl Travel {
    fn call(&self, name: &str, arguments: &Json) -> Json {
        let arguments: Object = serde_json::from_value(arguments.clone()).unwrap();
        let answer = self.world.session().call(name, &arguments).unwrap_or_else(|fault| panic!("{name}: {fault}"));
        Json::from(&answer)
    }

    /// A hotel's destination is looked up, hotels are searched there, and one of them is shown.
    fn sample(&self, locale: &str, words: &str, days: &[&str; 3], city: &str, ordinal: usize) -> Sample {
        let place = json!({"query": city});
        let found = self.call("Search_Hotel_Destination", &place);
        let (id, kind) = (&found["data"][0]["dest_id"], &found["data"][0]["search_type"]);
        let stay =
            json!({"dest_id": id, "search_type": kind, "arrival_date": "2024-11-05", "departure_date": "2024-11-08"});
        let hotels = self.call("Search_Hotels", &stay);
        let hotel = &hotels["data"]["hotels"][0]["hotel_id"];
        let shown = json!({"hotel_id": hotel, "arrival_date": "2024-11-05", "departure_date": "2024-11-08"});
        let details = self.call("Get_Hotel_Details", &shown);
        let told = format!("{} ({})", days[2], details["data"]["address"].as_str().unwrap());
        let said = |surface: &str, origin: &str, constraint: &str| json!({"surface": surface, "origin": origin, "constraint": constraint});
        let fed = |call: usize, field: &str, constraint: &str| json!({"origin": {"answer": {"call": call, "field": field}}, "constraint": constraint});
        let (from, to) = (said(days[0], "normalised", "date"), said(days[1], "normalised", "date"));
        let step = |name: &str, arguments: &Json, answer: &Json, notes: Json| json!({"calls": [{"name": name, "arguments": arguments}], "answers": [answer], "notes": [notes]});
        let steps = [
            step("Search_Hotel_Destination", &place, &found, json!({"query": said(city, "verbatim", "location")})),
            step(
                "Search_Hotels",
                &stay,
                &hotels,
                json!({"dest_id": fed(0, "/data/0/dest_id", "id"),
                "search_type": fed(0, "/data/0/search_type", "type"), "arrival_date": from, "departure_date": to}),
            ),
            step(
                "Get_Hotel_Details",
                &shown,
                &details,
                json!({"hotel_id": fed(1, "/data/hotels/0/hotel_id", "id"),
                "arrival_date": from, "departure_date": to}),
            ),
        ];
        let golden = ["Search_Hotel_Destination", "Search_Hotels", "Get_Hotel_Details"];
        let is_offered =
            |name: &&str| golden.contains(name) || golden.iter().all(|other| !self.declaration.overlap(name, other));
        let names: Vec<&str> =
            self.declaration.of_domain("hotels").map(|it| it.name.as_str()).filter(is_offered).collect();
        let tools: Vec<_> = self.toolset.tools.iter().filter(|tool| names.contains(&tool.name.as_str())).collect();
        serde_json::from_value(json!({
            "id": format!("hotels/made/{ordinal}"), "suite": SuiteId::ComplexFuncBench.as_str(), "data_type": "Hotels", "locale": locale, "group": "hotels",
            "reference_time": self.declaration.today, "messages": [{"role": "user", "content": words.replace("CITY", city)}],
            "candidates": tools, "expected": {"steps": steps}, "licence": "CC0", "source": "travel", "mentions": [0, 1],
            "provenance": {"template": true, "draws": [], "facts": {"final_answer": told}},
        }))
        .unwrap()
    }

    fn samples(&self, locale: &str) -> Vec<Sample> {
        let (_, words, days) = SAID.iter().find(|(code, ..)| *code == locale).unwrap();
        let cities: Vec<String> =
            self.world.column("cities", "name").iter().filter_map(|it| it.as_str().map(str::to_owned)).collect();
        cities.iter().take(4).enumerate().map(|(at, city)| self.sample(locale, words, days, city, at)).collect()
    }
}

/// A run's folder, as a pipeline would leave it.
fn write(folder: &Path, travel: &Travel, samples: &[Sample]) {
    let line = |it: &dyn Fn(&Sample) -> String| samples.iter().map(|sample| it(sample) + "\n").collect::<String>();
    fs::create_dir_all(folder.join("benchmark")).unwrap();
    fs::write(folder.join("samples.jsonl"), line(&|sample| serde_json::to_string(sample).unwrap())).unwrap();
    fs::write(
        folder.join("benchmark").join(FILE),
        line(&|sample| serde_json::to_string(&Row::of(sample).unwrap()).unwrap()),
    )
    .unwrap();
    let file = toolset_file(&declared_settings(&travel.declaration), &FunctionFacts::of(&travel.declaration));
    fs::write(folder.join("benchmark/toolset.json"), serde_json::to_string(&file).unwrap()).unwrap();
}

/// What a perfect model says.
fn perfect(sample: &Sample) -> String {
    let fcgen::record::Expected::Steps(steps) = &sample.expected else { panic!("no steps") };
    let call = |call: &fcgen::record::FunctionCall| json!([call.name, Value::from(call.arguments.clone()).to_string()]);
    let turn = |step: &fcgen::record::Step| json!({"tool_calls": step.calls.iter().map(call).collect::<Vec<_>>()});
    let turns: Vec<Json> = steps.iter().map(turn).chain([json!({"content": "Done."})]).collect();
    json!({"id": sample.id, "variant": "tools", "turns": turns}).to_string() + "\n"
}

#[test]
fn sound_samples_pass_every_rule_and_every_replay() {
    for locale in ["en", "ko", "zh"] {
        let (folder, travel) = (tempfile::tempdir().unwrap(), travel(locale));
        write(folder.path(), &travel, &travel.samples(locale));
        let bench = Bench::open(folder.path()).unwrap();
        let ground = Ground::load(fcgen::assets(), locale).unwrap().of_bench(&bench).unwrap();
        let mut replay = Replay::new(&ground).unwrap();
        let report = lint(&bench, &ground, &mut replay);
        let told: Vec<_> = report.findings.rules().filter(|(_, severity, ..)| *severity == Severity::Error).collect();
        assert!(told.is_empty(), "{locale}: {told:?}");
        let figures = replay.finish();
        let golden = figures.iter().find(|figure| figure.name == "golden replay").unwrap();
        assert!(golden.cells.iter().all(|cell| cell.n == 4 && cell.value >= 1.0), "{golden:?}");
    }
}

#[tokio::test]
async fn the_audit_tells_what_the_bench_is_made_of() {
    let (folder, travel) = (tempfile::tempdir().unwrap(), travel("en"));
    write(folder.path(), &travel, &travel.samples("en"));
    let bench = Bench::open(folder.path()).unwrap();
    let ground = Ground::load(fcgen::assets(), "en").unwrap().of_bench(&bench).unwrap();
    let options = AuditOptions { ground, seed: 7, sizes: IndexMap::new(), checker: None };
    let figures = audit(&bench, &options).await.unwrap();
    let value = |figure: &str, slice: &str| {
        let figure = figures.iter().find(|it| it.name == figure).unwrap();
        figure.cell(slice).unwrap_or_else(|| panic!("{slice} of {figure:?}")).value
    };
    assert_eq!((value("composition", "Hotels: steps"), value("composition", "total: calls")), (3.0, 3.0));
    assert!(value("composition", "overlapping functions").abs() < 1e-9);
    assert!(value("composition", "context: mean tokens") > 2_000.0);
    assert!((value("origins", "earlier answer") - 3.0 / 8.0).abs() < 1e-9);
    assert_eq!((value("chains", "Hotels: tau"), value("chains", "Hotels: empty answers")), (1.0, 0.0));
    assert!((value("frames", "complex queries") - 0.25).abs() < 1e-9);
}

#[test]
fn a_run_folder_is_scored_by_its_own_settings() {
    let (folder, travel) = (tempfile::tempdir().unwrap(), travel("en"));
    let samples = travel.samples("en");
    write(folder.path(), &travel, &samples);
    let said = folder.path().join("said.jsonl");
    fs::write(&said, samples.iter().map(perfect).collect::<String>()).unwrap();
    let bench = Bench::open(folder.path()).unwrap();
    let settings = Arc::new(settings_of(fcgen::assets(), &bench.folder()).unwrap());
    assert!(settings.free_functions.contains(&"Search_Hotel_Destination".to_owned()));
    let options = Options { settings, ..Options::default() };
    let mut board = Board::new("perfect", Profile::default());
    let recordings = Recordings::open(&said).unwrap();
    score(&bench, &recordings, 0, &mut board, &options, &mut Helpers::default(), &mut |_| Ok(())).unwrap();
    let all = board.all();
    assert_eq!((all.samples, all.successes, all.correct, all.golden, board.counts.coverage.missing), (4, 4, 12, 12, 0));
}

#[test]
fn rows_are_looked_over_without_notes_and_a_spoilt_one_is_found() {
    let (folder, travel) = (tempfile::tempdir().unwrap(), travel("en"));
    let mut samples = travel.samples("en");
    for (at, sample) in samples.iter_mut().enumerate() {
        sample.id = fcgen::record::ItemId::root(format!("Hotels-{at}"));
    }
    if let fcgen::record::Expected::Steps(steps) = &mut samples[2].expected {
        steps[2].calls[0].arguments.insert("hotel_id".to_owned(), 5.into());
    }
    write(folder.path(), &travel, &samples);
    let bench = Bench::open(&folder.path().join("benchmark")).unwrap();
    let ground = Ground::load(fcgen::assets(), "en").unwrap().of_bench(&bench).unwrap();
    let mut replay = Replay::new(&ground).unwrap();
    let report = lint(&bench, &ground, &mut replay);
    let errors: Vec<_> = report.findings.rules().filter(|(_, severity, ..)| *severity == Severity::Error).collect();
    let told: Vec<_> = errors.iter().map(|(rule, _, count, first)| (*rule, *count, first[0].place.line)).collect();
    assert_eq!(told, [("form", 1, 3), ("replay", 4, 3)]);
    let intact = GoldenReplay::new(&samples[0], ground.settings.clone()).unwrap();
    assert_eq!(intact.faults(), []);
}
