//! Requests that a model writes, serves and mends, over HTTP and in the world of `toolsets/travel`.

use fcgen::config::{Overrides, load};
use fcgen::llm::stub::{Rule, Stub, StubOptions, StubReply, StubRequest};
use fcgen::llm::{Reply, ToolCallText};
use fcgen::record::{Expected, Origin, Sample, Value};
use fcgen::run::{Manifest, Options, run};
use serde_json::{Value as Json, json};

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

/// The request as it is written: how many guests there are is left out.
fn said(city: &str, guests: &str) -> String {
    match city {
        "Lisbon" => {
            format!("Which hotel in Lisbon is the cheapest from November 11, 2024 until November 14, 2024{guests}?")
        }
        _ => format!(
            "We come to {city} on 2024-11-11 and leave on the 14th of November 2024, find us the cheapest hotel{guests}."
        ),
    }
}

/// Two requests, which name functions that may not be among those that were shown; a reply as chatty models give it.
fn written() -> String {
    let one = |city: &str| {
        let functions = ["Search_Hotel_Destination", "Search_Hotels"];
        json!({"query": said(city, ""), "function_list": functions, "thought": "look the city up, then search"})
    };
    format!("Sure, here they are:\n```json\n{}\n```", json!([one("Lisbon"), one("Vienna")]))
}

fn call(name: &str, arguments: &Json) -> Reply {
    let call = ToolCallText { name: name.to_owned(), arguments: arguments.to_string() };
    Reply { tool_calls: vec![call], ..Reply::default() }
}

/// The next turn of a model that looks a city up, searches its hotels, and names the cheapest.
fn served(request: &StubRequest) -> Reply {
    let messages = request.body["messages"].as_array().unwrap();
    let asked = messages.iter().find(|it| it["role"] == "user").unwrap()["content"].as_str().unwrap();
    let city = if asked.contains("Lisbon") { "Lisbon" } else { "Vienna" };
    let answers: Vec<Json> = messages
        .iter()
        .filter(|it| it["role"] == "tool")
        .map(|it| serde_json::from_str(it["content"].as_str().unwrap()).unwrap())
        .collect();
    match answers.as_slice() {
        // A call without its argument, which is mended in the next turn.
        [] => call("Search_Hotel_Destination", &json!({})),
        [refused] => {
            assert_eq!(refused["status"], false);
            call("Search_Hotel_Destination", &json!({ "query": city }))
        }
        [_, found] => {
            let place = &found["data"][0];
            call(
                "Search_Hotels",
                &json!({
                    "dest_id": place["dest_id"], "search_type": place["search_type"], "adults": 3, "sort_by": "price",
                    "arrival_date": "2024-11-11", "departure_date": "2024-11-14",
                }),
            )
        }
        [_, _, hotels, ..] => {
            let name = &hotels["data"]["hotels"][0]["property"]["name"];
            Reply { text: format!("It is {}.", name.as_str().unwrap()), ..Reply::default() }
        }
    }
}

/// The request with what it left out.
fn mended(request: &StubRequest) -> String {
    let task = &request.body["fcgen"]["variables"]["correct_query"];
    let missing: Vec<&str> =
        task["missing"].as_array().unwrap().iter().map(|it| it["parameter"].as_str().unwrap()).collect();
    assert_eq!(missing, ["adults", "sort_by"], "the other arguments are said or found");
    let city = if task["query"].as_str().unwrap().contains("Lisbon") { "Lisbon" } else { "Vienna" };
    let said_by = json!({"function": "Search_Hotels", "parameter": "sort_by", "words": "the cheapest"});
    json!({"query": said(city, " for three adults"), "said": [said_by]}).to_string()
}

fn model(request: &StubRequest) -> StubReply {
    match request.body["fcgen"]["task"].as_str().unwrap() {
        "coarse_queries" => StubReply::text(&written()),
        "annotate" => StubReply::Reply(served(request)),
        "correct_query" => StubReply::text(&mended(request)),
        other => StubReply::text(other),
    }
}

async fn produced() -> (Vec<Sample>, Manifest, Vec<Json>) {
    let stub = Stub::start(StubOptions { rule: Rule::handler(model), ..StubOptions::default() }).await.unwrap();
    let mut overrides = Overrides::default();
    overrides.set(format!("model.generator.base_url={}", stub.base_url()));
    let plan = load(PIPELINE, "pipelines/coarse.toml", &overrides).unwrap();
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
