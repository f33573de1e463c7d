//! The items of a run once more, in another locale: by the built-in model, and by a model that translates.

use super::bench::{Bench, written};
use crate::made::restored;
use insta::assert_snapshot;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

fn lines(bench: &Bench, name: &str) -> Vec<Json> {
    bench.read(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn by_id(bench: &Bench, name: &str) -> BTreeMap<String, Json> {
    let samples = restored(&bench.read(name)).into_iter().map(|sample| serde_json::to_value(sample).unwrap());
    samples.map(|line| (line["id"].as_str().unwrap().to_owned(), line)).collect()
}

/// The call that is expected: its tool and the names of its arguments.
fn call(sample: &Json) -> (&Json, Vec<&String>) {
    let call = &sample["expected"]["call"];
    let mut names: Vec<&String> = call["arguments"].as_object().into_iter().flat_map(serde_json::Map::keys).collect();
    names.sort();
    (&call["name"], names)
}

#[test]
fn the_built_in_model_makes_the_same_items_in_korean() {
    let bench = Bench::new();
    bench.must("pipeline hammer --limit 3 --quiet --out en");
    let ended = bench.must("localize en --locale ko --out ko");
    assert!(ended.stderr.contains("same items as en (en)"), "{}", ended.stderr);
    let (source, made) = (by_id(&bench, "en/samples.jsonl"), by_id(&bench, "ko/samples.jsonl"));
    assert!(made.len() * 100 >= source.len() * 85, "{} of {}", made.len(), source.len());
    for (id, sample) in &made {
        let other = &source[id];
        assert_eq!((call(sample), &sample["data_type"]), (call(other), &other["data_type"]), "{id}");
        assert_eq!(sample["locale"], "ko");
    }
    let rejects = lines(&bench, "ko/rejects.jsonl");
    let lost = rejects.iter().filter(|reject| reject["reason"] == "no_counterpart").count();
    assert_eq!(lost, source.len() - made.len(), "what is missing is told");
    let manifest: Json = serde_json::from_str(&bench.read("ko/manifest.json")).unwrap();
    assert_eq!((&manifest["localized"]["from"], &manifest["localized"]["locale"]), (&json!("en"), &json!("en")));
    assert!(bench.path("ko/benchmark/data/ko/single-turn.json").is_file());
    let before = written(&bench.path("ko"));
    bench.must("localize en --locale ko --out ko --quiet");
    assert_eq!(written(&bench.path("ko")), before, "the same command gives the same bytes");
}

/// A run of two samples, and a script of what a translator says of them.
fn two_samples() -> Bench {
    let bench = Bench::new();
    bench.must("pipeline hammer --limit 1 --quiet --out en");
    let cab = json!({"name": "Demo.Cabs.book", "description": "Books a cab", "parameters": {
        "type": "object", "properties": {"place": {"type": "string", "description": "Where to"}}, "required": ["place"],
    }});
    let sample = |id: &str, text: &str, place: &str| {
        json!({
            "id": id, "suite": "hammerbench", "data_type": "ST_Perfect", "locale": "en", "candidates": [cab],
            "messages": [{"role": "user", "content": text}],
            "expected": {"call": {"name": "Demo.Cabs.book", "arguments": {"place": place}}},
            "arguments": {"place": {"surface": place, "origin": "verbatim"}},
            "group": "Demo.Cabs.book", "licence": "CC0", "source": "test",
            "provenance": {"template": true, "draws": []},
        })
    };
    let samples =
        [sample("a", "a cab to the old harbour at 8", "the old harbour"), sample("b", "a cab to Hill", "Hill")];
    bench.write("en/samples.jsonl", &samples.map(|sample| format!("{sample}\n")).concat());
    let says = |item: &str, draw: u32, texts: Json, values: Json| {
        let text = json!({"texts": texts, "values": values}).to_string();
        format!("{}\n", json!({"task": "localize", "item": item, "draw": draw, "reply": {"text": text}}))
    };
    let place = json!({"value 0": "옛 항구"});
    let script = [
        says("Demo.Cabs.book", 0, json!({"tool": "택시를 부른다", "parameter place": "목적지"}), json!({})),
        // The number is lost at first.
        says("a", 0, json!({"message 0": "옛 항구로 가는 택시"}), place.clone()),
        says("a", 1, json!({"message 0": "8시에 옛 항구로 가는 택시"}), place),
        says("b", 0, json!({"message 0": "a cab to Hill"}), json!({"value 0": "Hill"})),
        says("b", 1, json!({"message 0": "언덕 가는 택시"}), json!({"value 0": "Hill"})),
        says("b", 2, json!({"message 0": "언덕 가는 택시"}), json!({"value 0": "언덕길"})),
    ];
    bench.write("script.jsonl", &script.concat());
    bench
}

const SCRIPTED: &str = "--set model.generator.provider=scripted --set model.generator.script=script.jsonl";

#[test]
fn a_model_translates_and_is_held_to_numbers_and_values() {
    let bench = two_samples();
    bench.must(&format!("localize en --locale ko --out ko --quiet {SCRIPTED}"));
    let made = lines(&bench, "ko/samples.jsonl");
    assert_eq!(made.len(), 1);
    assert_eq!(made[0]["messages"][0]["content"], "8시에 옛 항구로 가는 택시");
    assert_eq!(made[0]["expected"]["call"]["arguments"]["place"], "옛 항구");
    assert_eq!(made[0]["arguments"]["place"]["surface"], "옛 항구");
    assert_eq!(made[0]["candidates"][0]["description"], "택시를 부른다");
    assert_eq!((&made[0]["id"], &made[0]["locale"]), (&json!("a"), &json!("ko")));
    let told: Vec<String> = lines(&bench, "ko/rejects.jsonl")
        .iter()
        .map(|reject| format!("{} {}: {}", reject["id"], reject["reason"], reject["detail"]))
        .collect();
    assert_snapshot!(told.join("\n"));
    assert!(bench.read("ko/benchmark/data/ko/single-turn/ST_Perfect.json").contains("옛 항구"));
}

#[test]
fn an_unfinished_locale_is_told_file_by_file() {
    let bench = Bench::new();
    bench.must("pipeline callnavi --limit 1 --set scale=1 --quiet --out cn");
    let localized = bench.run("localize cn --locale zh");
    assert_eq!(localized.code, 10);
    assert_snapshot!(localized.stderr);
    let made = bench.run("pipeline callnavi --locale zh");
    assert_eq!(made.code, 10);
    assert!(made.stderr.contains("toolsets/enterprise/zh/bank.toml"), "{}", made.stderr);
}

#[test]
fn what_is_no_run_cannot_be_made_again() {
    let ended = Bench::new().run("localize nowhere --locale ko");
    assert_eq!(ended.code, 11);
    assert_snapshot!(ended.stderr, @r"
    error: `nowhere` is not a run folder: no manifest.json

    hint: create one with `fcgen pipeline`
    ");
}
