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
    assert!(ended.stderr.contains("1 tool completed, 0 already complete, 3 answers retried"), "{}", ended.stderr);
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
    assert!(again.stderr.contains("1 tool completed, 1 already complete"), "{}", again.stderr);
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
    assert!(ended.stderr.contains("hint: use a model: `--model M --base-url URL`"), "{}", ended.stderr);
    assert_eq!(bench.run("toolset enrich nowhere --model m --base-url http://127.0.0.1:9").code, 11);
}

fn situations(item: &str, draw: u32, written: &Json) -> String {
    let mut reply = json!({"threads": [], "fields": [], "cases": [], "matters": []});
    reply.as_object_mut().unwrap().extend(written.as_object().unwrap().clone());
    format!(
        "{}\n",
        json!({"task": "write_situations", "item": item, "draw": draw, "reply": {"text": reply.to_string()}})
    )
}

fn thread(about: &str, second: &str) -> Json {
    let goal =
        |name: &str| json!({"use": name, "from": [{"parameter": "plant", "source": "plant"}], "unlikely_with": []});
    json!({"about": about, "who": ["a new gardener"],
        "facts": [{"name": "plant", "kind": null, "days": null, "range": null, "values": ["silver birch", "swamp rose"]}],
        "goals": [goal("buy"), goal(second)], "unlikely_with": ["goal_switching"],
        "opens": ["I'm redoing my garden around a {plant}."], "details": ["My neighbor lent me a spade."]})
}

/// A toolset of two tools that say what people say, and the script that made it so.
fn enriched() -> Bench {
    let bench = imported();
    bench.write("script.jsonl", &[line("buy", 0, &answer("buy")), line("sell", 0, &answer("sell"))].concat());
    bench.must(&format!("toolset enrich mine {SCRIPTED}"));
    bench
}

/// A shipped toolset's files of these folders, in a folder of its own.
fn copied(bench: &Bench, from: &str, folders: &[&str], file: &str) {
    let shipped = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("toolsets").join(from);
    for folder in folders {
        for entry in std::fs::read_dir(shipped.join(folder)).unwrap().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            if entry.path().is_file() && name.contains(file) {
                bench.write(&format!("mine/{folder}/{name}"), &std::fs::read_to_string(entry.path()).unwrap());
            }
        }
    }
}

#[test]
fn a_model_writes_threads_and_what_cannot_be_loaded_is_asked_for_again_and_listed() {
    let bench = enriched();
    let [good, wrong] = [thread("a new garden", "sell"), thread("a garden sale", "auction")];
    let script = [
        situations("threads", 0, &json!({"threads": [good, wrong, {"about": "a hedge"}]})),
        situations("threads", 1, &json!({"threads": [thread("a garden sale", "sell"), wrong]})),
    ];
    bench.write("script.jsonl", &script.concat());
    let ended = bench.must(&format!("toolset enrich mine --scenarios 3 {SCRIPTED}"));
    assert!(ended.stderr.contains("2 scenarios written, 3 scenarios retried"), "{}", ended.stderr);
    let files = ["scenarios/written-en.toml", "en/scenarios/written-en.toml", "scenarios-en.json"];
    let files = files.map(|file| format!("--- {file}\n{}", bench.read(&format!("mine/{file}"))));
    insta::assert_snapshot!(files.concat());
    bench.must("toolset lint mine");
}

#[test]
fn the_built_in_model_puts_together_what_is_of_one_group() {
    let bench = enriched();
    bench.write(
        "mine/tools/tools.toml",
        &bench.read("mine/tools/tools.toml").replace("[buy", "[Plants_buy").replace("[sell", "[Plants_sell"),
    );
    bench.write(
        "mine/en/tools.toml",
        &bench.read("mine/en/tools.toml").replace("[buy", "[Plants_buy").replace("[sell", "[Plants_sell"),
    );
    let ended = bench.must("toolset enrich mine --scenarios");
    assert!(ended.stderr.contains("1 scenario written"), "{}", ended.stderr);
    assert!(bench.read("mine/scenarios/written-en.toml").contains("{ use = \"Plants_buy\""));
    bench.must("toolset lint mine");
}

#[test]
fn cases_of_a_declared_world_are_written_with_what_they_hold() {
    let bench = Bench::new();
    copied(&bench, "travel", &["world", "en"], "");
    let field = |name: &str, how: &str, span: Json, takers: Json| json!({"name": name, how: span, "for": takers});
    let written = json!({
        "fields": [field("start", "day", json!([3, 40]), json!(["arrival_date"])), field("adults", "number", json!([1, 4]), json!(["adults"]))],
        "cases": [
            {"name": "reunion", "within": [{"field": "adults", "least": 2, "most": 4}], "weekdays": [5], "says": ["Our class meets again after (ten|twenty) years."]},
            {"name": "retreat", "within": [{"field": "dogs", "least": 1, "most": 1}], "weekdays": [], "says": ["I need some quiet."]},
        ],
    });
    let again = json!({"cases": [{"name": "retreat", "within": [], "weekdays": [], "says": ["I need some quiet."]}]});
    bench.write("script.jsonl", &[situations("cases", 0, &written), situations("cases", 1, &again)].concat());
    let ended = bench.must(&format!("toolset enrich mine --scenarios 2 {SCRIPTED}"));
    assert!(ended.stderr.contains("2 scenarios written, 1 scenario retried"), "{}", ended.stderr);
    let files =
        ["scenarios/written-en.toml", "en/scenarios/written-en.toml"].map(|file| bench.read(&format!("mine/{file}")));
    insta::assert_snapshot!(files.join("---\n"));
}

#[test]
fn matters_stand_with_those_that_are_there() {
    let bench = Bench::new();
    copied(&bench, "enterprise", &["resources", "en"], "bank.toml");
    let matter = |name: &str, call: &str| json!({"name": name, "calls": ["getLatestAccount", call], "given": [], "says": ["{customer.fullName} is moving abroad."]});
    let written = json!({"matters": [matter("movingAbroad", "getCustomerBranch"), matter("goneAbroad", "sing")]});
    bench.write("script.jsonl", &situations("matters/bank", 0, &written));
    let ended = bench.must(&format!("toolset enrich mine --scenarios 2 {SCRIPTED}"));
    assert!(ended.stderr.contains("1 scenario written"), "{}", ended.stderr);
    assert!(ended.stderr.contains("matters/bank: unanswered"), "the script ends there: {}", ended.stderr);
    let text = bench.read("mine/resources/bank.toml");
    assert!(text.contains(
        "[matters]\nmovingAbroad = { calls = [\"getLatestAccount\", \"getCustomerBranch\"] }\nlostDebitCard"
    ));
    assert!(
        bench
            .read("mine/en/bank.toml")
            .contains("[matters]\nmovingAbroad = [\"{customer.fullName} is moving abroad.\"]\n")
    );
}
