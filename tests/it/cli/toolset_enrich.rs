//! A toolset that a model completes: what passes the gates is taken, what does not is asked for again, and then listed.

use super::bench::Bench;
use serde_json::{Value as Json, json};

const SCRIPTED: &str = "--set provider=scripted --set script=script.jsonl";

const TOOLS: &str = r#"[
    {"name": "buy", "description": "", "parameters": {"type": "object", "properties": {"plant": {"type": "string"}}, "required": ["plant"]}},
    {"name": "sell", "description": "Sells a plant", "parameters": {"type": "object", "properties": {"plant": {"type": "string", "description": "Plant"}}}}
]"#;

fn answer(verb: &str) -> Json {
    json!({"description": format!("Lets somebody {verb} a plant."), "intents": [format!("{verb} a plant"), format!("{verb} one"), format!("{verb} something green"), format!("{verb} {{plant}}")],
        "parameters": [{"name": "plant", "description": "Name of the plant", "label": "the plant", "questions": ["Which plant?", "What is it called?"],
            "clauses": [" called {plant}", ", the plant is {plant}"], "negations": [], "wordings": [], "values": ["silver birch", "swamp rose", "ostrich fern", "garden sage"]}]})
}

fn line(item: &str, draw: u32, text: &Json) -> String {
    format!("{}\n", json!({"task": "enrich", "item": item, "draw": draw, "reply": {"text": text.to_string()}}))
}

fn imported() -> Bench {
    let bench = Bench::new();
    bench.write("mine.json", TOOLS);
    bench.must("toolset import --tools mine.json --out mine");
    bench
}

#[test]
fn what_passes_is_taken_and_what_does_not_is_asked_for_again_and_listed() {
    let bench = imported();
    let broken = json!({"description": "d"});
    let script = [
        line("buy", 0, &broken),
        line("buy", 1, &answer("buy")),
        line("sell", 0, &broken),
        line("sell", 1, &broken),
        line("sell", 2, &broken),
    ];
    bench.write("script.jsonl", &script.concat());
    let ended = bench.must(&format!("toolset enrich mine {SCRIPTED}"));
    assert!(ended.stderr.contains("1 tool completed, 0 whole already, 3 answers asked for again"), "{}", ended.stderr);
    assert!(ended.stderr.contains("  sell: wrong_shape: "), "{}", ended.stderr);
    let text = bench.read("mine/en/tools.toml");
    assert!(text.contains("Lets somebody buy a plant.") && text.contains("Sells a plant"), "{text}");
    let report: Json = serde_json::from_str(&bench.read("mine/enrich-en.json")).unwrap();
    assert_eq!((&report["completed"], &report["refused"][0]["tool"]), (&1.into(), &"sell".into()));
    let shown = bench.run("toolset lint mine --show 5 --only buy");
    assert!(["birch", "rose", "fern", "sage"].iter().any(|word| shown.stdout.contains(word)), "{}", shown.told());
    // What was completed is whole; only the other tool is asked about again.
    bench.write("script.jsonl", &line("sell", 0, &answer("sell")));
    let again = bench.must(&format!("toolset enrich mine {SCRIPTED}"));
    assert!(again.stderr.contains("1 tool completed, 1 whole already"), "{}", again.stderr);
}

#[test]
fn another_locale_gets_a_text_of_its_own() {
    let bench = imported();
    let mut korean = answer("buy");
    korean["description"] = "식물을 삽니다.".into();
    korean["intents"] = json!(["식물을 사", "화분 하나를 사", "초록 식물을 하나 사"]);
    korean["parameters"][0] = json!({"name": "plant", "description": "식물 이름", "label": "식물", "questions": ["어떤 식물인가요?", "식물 이름이 뭔가요?"],
        "clauses": ["식물은 {plant}로", "이름은 {plant}"], "values": ["몬스테라", "고무나무", "산세베리아", "스투키"]});
    bench.write(
        "script.jsonl",
        &[
            line("buy", 0, &korean),
            line("sell", 0, &answer("sell")),
            line("sell", 1, &answer("sell")),
            line("sell", 2, &answer("sell")),
        ]
        .concat(),
    );
    let ended = bench.must(&format!("toolset enrich mine --locale ko {SCRIPTED}"));
    assert!(ended.stderr.contains("sell: wrong_script: "), "{}", ended.stderr);
    assert!(bench.read("mine/ko/tools.toml").contains("식물을 삽니다."));
    assert!(!bench.read("mine/en/tools.toml").contains("식물"));
}

#[test]
fn the_built_in_model_is_refused_with_a_way_out() {
    let bench = imported();
    let ended = bench.run("toolset enrich mine");
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("hint: name a model: `--model M --base-url URL`"), "{}", ended.stderr);
    assert_eq!(bench.run("toolset enrich nowhere --model m --base-url http://127.0.0.1:9").code, 11);
}
