//! From a description of an API to a benchmark that `check` finds nothing in: two commands, no network.

use super::bench::{Bench, written};
use super::server::Server;
use fcgen::llm::stub::StubReply;
use fcgen::locale::Pack;
use fcgen::model::Grammar;
use fcgen::toolset::Toolset;
use serde_json::Value as Json;
use std::sync::Arc;

fn nursery() -> Bench {
    let bench = Bench::new();
    bench.write("nursery.yaml", include_str!("../../fixtures/openapi/nursery.yaml"));
    bench
}

fn json(bench: &Bench, name: &str) -> Json {
    serde_json::from_str(&bench.read(name)).unwrap()
}

#[test]
fn a_description_becomes_a_benchmark_in_two_commands() {
    let bench = nursery();
    let imported = bench.must("toolset import --openapi nursery.yaml --out toolsets/nursery");
    assert_eq!(imported.stdout, "toolsets/nursery\n");
    assert!(
        imported.stderr.starts_with(
            "nursery.yaml (openapi 3.1.0): 9 of 9 tools imported\n1 header parameter skipped; `--with headers` keeps it\n\n\
             warnings: 2 details not converted:\n"
        ),
        "{}",
        imported.stderr
    );
    let made = bench.must("pipeline hammer --toolset toolsets/nursery --set floor=0 --out nursery");
    let checked = bench.run("check nursery");
    assert_eq!(checked.code, 0, "{}{}", checked.stdout, checked.stderr);
    for said in [made.stderr, checked.stderr] {
        let last = said.trim_end().lines().last().unwrap_or_default().to_owned();
        assert_eq!(last, "smoke test only: the texts are derived from the tools' names", "{said}");
    }
    let manifest = json(&bench, "nursery/manifest.json");
    assert_eq!((&manifest["utterances"], &manifest["template"]), (&"derived".into(), &true.into()));
    let samples = bench.read("nursery/samples.jsonl");
    assert!(samples.lines().count() > 100, "{}", samples.lines().count());
    assert!(samples.contains("PL-") && samples.contains("plants_search"));
}

#[test]
fn the_same_file_gives_the_same_folder() {
    let bench = nursery();
    for out in ["one", "two"] {
        bench.must(&format!("toolset import --openapi nursery.yaml --out {out}"));
    }
    assert_eq!(written(&bench.path("one")), written(&bench.path("two")));
    let again = bench.run("toolset import --openapi nursery.yaml --out one");
    assert_eq!(again.code, 11);
    assert!(again.stderr.contains("already exists and is not empty"), "{}", again.stderr);
}

#[test]
fn the_way_back_holds_all_that_a_request_takes() {
    let bench = nursery();
    bench.must("toolset import --openapi nursery.yaml --out n");
    let origins = json(&bench, "n/origins.json");
    let tool = |name: &str| origins["tools"][name].clone();
    let courier = tool("orders_assign-courier");
    assert_eq!(
        (&courier["method"], &courier["path"], &courier["reads"]),
        (&"PUT".into(), &"/orders/{id}/courier".into(), &false.into())
    );
    assert_eq!(courier["servers"], serde_json::json!(["https://north.nursery.example.com/v2"]));
    assert_eq!(courier["parameters"]["id"]["in"], "path");
    assert_eq!(courier["parameters"]["body_id"], serde_json::json!({"in": "body", "name": "id", "pointer": "/id"}));
    assert_eq!(tool("plants_search")["parameters"]["max_height"]["name"], "max-height");
    assert_eq!(
        origins["schemes"]["staffKey"],
        serde_json::json!({"type": "apiKey", "in": "header", "name": "X-Staff-Key"})
    );
    assert_eq!(tool("visits_cancel")["security"], serde_json::json!([{"staffKey": []}]));
}

#[test]
fn what_was_lost_is_listed_with_its_place() {
    let bench = nursery();
    bench.must("toolset import --openapi nursery.yaml --out n");
    let report = json(&bench, "n/import.json");
    assert_eq!((&report["found"], &report["carried"]), (&9.into(), &9.into()));
    let losses: Vec<(&str, bool)> = report["losses"]
        .as_array()
        .unwrap()
        .iter()
        .map(|loss| (loss["place"].as_str().unwrap(), loss["line"].is_u64()))
        .collect();
    assert_eq!(losses, [("/webhooks", true), ("/components/schemas/Plant", true)]);
}

#[test]
fn parameters_that_nobody_says_are_left_out_unless_they_are_asked_for() {
    let bench = Bench::new();
    bench.write(
        "shop.yaml",
        "openapi: 3.0.0\npaths:\n  /orders:\n    get:\n      summary: List orders\n      parameters:\n        \
         - {in: query, name: state, schema: {type: string}}\n        - {in: query, name: perPage, schema: {type: integer}}\n        \
         - {in: query, name: page, required: true, schema: {type: integer}}\n        \
         - {in: header, name: Idempotency-Key, required: true, schema: {type: string}}\n        \
         - {in: cookie, name: session, schema: {type: string}}\n",
    );
    let names = |flags: &str, out: &str| {
        let told = bench.must(&format!("toolset import --openapi shop.yaml {flags} --out {out}")).stderr;
        let tools = json(&bench, &format!("{out}/origins.json"))["tools"].clone();
        let (tool, origin) = tools.as_object().unwrap().iter().next().unwrap();
        let parameters: Vec<String> = origin["parameters"].as_object().unwrap().keys().cloned().collect();
        (tool.clone(), parameters, told)
    };
    let (tool, parameters, told) = names("--name-from path", "a");
    assert_eq!((tool.as_str(), parameters), ("get_orders", vec!["state".to_owned(), "page".to_owned()]));
    let told: Vec<&str> = told.lines().skip(1).take(2).collect();
    assert_eq!(
        told,
        [
            "3 header, cookie and pagination parameters skipped; `--with headers,cookies,pagination` keeps them",
            "        `Idempotency-Key` is required by the server  (line 10)"
        ]
    );
    let left_out = json(&bench, "a/import.json")["left_out"].clone();
    let pages = serde_json::json!({"group": "pagination", "name": "perPage", "place": "/paths/~1orders/get/parameters/1", "line": 8, "times": 1});
    assert!(left_out.as_array().unwrap().len() == 3 && left_out.as_array().unwrap().contains(&pages), "{left_out}");
    let (tool, parameters, _) = names("--name-from summary --with headers,cookies,pagination", "b");
    assert_eq!((tool.as_str(), parameters.len()), ("list_orders", 5));
    assert!(json(&bench, "b/import.json").get("left_out").is_none());
}

#[test]
fn operations_are_chosen_by_tag_and_pattern() {
    let bench = nursery();
    let names = |flags: &str, out: &str| {
        bench.must(&format!("toolset import --openapi nursery.yaml {flags} --out {out}"));
        json(&bench, &format!("{out}/origins.json"))["tools"].as_object().unwrap().keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(names("--tag visits", "a"), ["visits_book", "visits_cancel"]);
    assert_eq!(names("--only GET* --except orders/*", "b"), ["plants_search", "plants_get"]);
    let none = bench.run("toolset import --openapi nursery.yaml --tag garden --out c");
    assert_eq!(none.code, 11);
    assert!(none.stderr.contains("no operation matches the filters (9 operations found)"), "{}", none.stderr);
    assert!(!bench.path("c").exists());
}

#[test]
fn lists_of_tools_of_every_shape_become_a_toolset() {
    let bench = Bench::new();
    let mixed = [
        r#"{"type": "function", "function": {"name": "find.plant", "description": "Find a plant", "parameters": {"type": "object", "properties": {"plant-name": {"type": "string", "description": "Its name"}}, "required": ["plant-name"]}}}"#,
        r#"{"name": "water_plant", "description": "Water a plant", "input_schema": {"type": "object", "properties": {"liters": {"type": "integer", "description": "Liters"}}}}"#,
        r#"{"name": "sell_plant", "description": "Sell a plant", "parameters": {"price": {"type": "float", "description": "Price"}, "gift": {"type": "bool, optional", "description": "Whether it is a gift"}}}"#,
    ];
    bench.write("mine.jsonl", &mixed.join("\n"));
    bench.must("toolset import --tools mine.jsonl");
    let origins = json(&bench, "toolsets/mine/origins.json");
    assert_eq!(
        origins["tools"]["find_plant"],
        serde_json::json!({"kind": "list", "name": "find.plant", "parameters": {"plant_name": "plant-name"}})
    );
    assert_eq!(origins["tools"].as_object().unwrap().len(), 3);
    let lint = bench.must("toolset lint toolsets/mine --show 2");
    assert!(lint.stdout.contains("# water_plant - Water a plant\n  "), "{}", lint.told());
    let finding =
        "toolsets/mine/tools/tools.toml:3: warning: water_plant, liters: no value kind\n    fix: liters = { kind = ";
    assert!(lint.stdout.contains(finding), "{}", lint.told());
    assert!(lint.stderr.contains("value kinds of `en`:\n  given_name, "), "{}", lint.told());
}

#[test]
fn a_toolset_without_utterances_works_with_a_model_at_once() {
    let bench = nursery();
    bench.must("toolset import --openapi nursery.yaml --out nursery");
    let mut pack = Pack::load(fcgen::assets(), "en").unwrap();
    Toolset::load(fcgen::assets(), bench.path("nursery").to_str().unwrap(), "en").unwrap().extend(&mut pack).unwrap();
    let model = Grammar::new(Arc::new(pack), 7);
    let server = Server::handled(move |request| StubReply::Reply(model.reply(&request.question().unwrap())));
    let ended = bench.run(&server.line("--toolset nursery --set floor=0 --limit 2 --out run"));
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let manifest = json(&bench, "run/manifest.json");
    assert_eq!((&manifest["template"], manifest.get("utterances")), (&false.into(), None), "a model wrote them");
    assert!(bench.read("run/samples.jsonl").lines().count() > 5 && server.stub.stats().total > 10);
}
