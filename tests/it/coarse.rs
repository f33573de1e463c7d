//! Requests that a model writes, serves and mends, over HTTP and in the world of `toolsets/travel`.

mod serving;

use fcgen::config::{Overrides, load};
use fcgen::llm::stub::{Rule, Stub, StubOptions};
use fcgen::record::{Expected, Origin, Sample, Value};
use fcgen::run::{Manifest, Options, run};
use serde_json::Value as Json;

const PIPELINE: &str = r#"
[pipeline]
name = "coarse"
format = "complexfunc"
[model.generator]
provider = "openai"
model = "stub"
send_task = true
[[stage]]
kind = "toolset"
path = "travel"
by = "domain"
[[stage]]
kind = "coarse_queries"
queries = 2
least_steps = 2
spare = 20
[stage.domains]
hotels = 2
flights = 0
taxi = 0
attractions = 0
car_rental = 0
[[stage]]
kind = "near_duplicates"
[[stage]]
kind = "annotate"
[[stage]]
kind = "correct"
[[stage]]
kind = "candidates"
count = "all"
"#;

async fn produced() -> (Vec<Sample>, Manifest, Vec<Json>) {
    let stub =
        Stub::start(StubOptions { rule: Rule::handler(serving::model), ..StubOptions::default() }).await.unwrap();
    let mut overrides = Overrides::default();
    overrides.set(format!("model.generator.base_url={}", stub.base_url()));
    let plan = load(fcgen::assets(), PIPELINE, "pipelines/coarse.toml", &overrides).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let summary = run(&plan, &Options::new(folder.path()), |_| {}).await.unwrap();
    let lines = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap_or_default();
    let samples = lines("samples.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let rejects = lines("rejects.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    stub.stop().await;
    (samples, summary.manifest, rejects)
}

#[tokio::test]
async fn requests_are_written_served_and_mended() {
    let (samples, manifest, rejects) = produced().await;
    assert_eq!(samples.len(), 2, "{rejects:?}");
    for sample in &samples {
        let Expected::Steps(steps) = &sample.expected else { panic!("no steps") };
        assert!(sample.query().contains(" for three adults"), "{}", sample.query());
        let names: Vec<&str> = steps.iter().flat_map(|step| &step.calls).map(|call| call.name.as_str()).collect();
        assert_eq!((steps.len(), names), (2, vec!["Search_Hotel_Destination", "Search_Hotels"]));
        let notes = &steps[1].notes[0];
        assert_eq!(notes["dest_id"].origin, Origin::Answer { call: 0, field: "/data/0/dest_id".to_owned() });
        assert_eq!((notes["adults"].surface.as_deref(), &notes["adults"].origin), (Some("three"), &Origin::Normalised));
        assert_eq!(
            (notes["sort_by"].surface.as_deref(), &notes["sort_by"].origin),
            (Some("the cheapest"), &Origin::Enum)
        );
        assert!([Origin::Normalised, Origin::Verbatim].contains(&notes["arrival_date"].origin));
        assert!(steps[1].answers[0].as_object().unwrap()["status"].equals(&Value::from(true)));
    }
    // Requests whose functions were not shown are rejected, and others are drawn for them.
    assert!(
        rejects.iter().all(|it| it["reason"] == "unknown_function" || it["reason"] == "near_duplicate"),
        "{rejects:?}"
    );
    assert!(!serde_json::to_string(&manifest).unwrap().contains("\"template\":true"));
}
