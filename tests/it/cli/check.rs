//! `fcgen check` on what `fcgen pipeline` made: sound as it is, and at fault where somebody spoils it.

use super::bench::Bench;
use serde_json::Value as Json;

/// A small run below `run/`.
fn run() -> Bench {
    let bench = Bench::new();
    bench.must("pipeline hammer.toml --limit 6 --out run --quiet");
    bench
}

/// Changes the first sample of a data type.
fn spoil(bench: &Bench, data_type: &str, change: impl Fn(&mut Json)) {
    let mut lines: Vec<Json> =
        bench.read("run/samples.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    change(lines.iter_mut().find(|line| line["data_type"] == data_type).unwrap());
    let lines: Vec<String> = lines.iter().map(Json::to_string).collect();
    bench.write("spoilt/samples.jsonl", &lines.join("\n"));
}

/// The rules that find errors in the spoilt samples, and how the command ends.
fn errors(bench: &Bench) -> (i32, Vec<String>) {
    let ended = bench.run("check spoilt --format json");
    let report: Json = serde_json::from_str(&ended.stdout).unwrap();
    let rules = report["rules"].as_array().unwrap().iter().filter(|rule| rule["severity"] == "error");
    (ended.code, rules.map(|rule| rule["rule"].as_str().unwrap().to_owned()).collect())
}

#[test]
fn a_run_keeps_every_rule_in_both_of_its_layouts() {
    let bench = run();
    for path in ["run", "run/samples.jsonl", "run/benchmark"] {
        let ended = bench.must(&format!("check {path}"));
        assert!(ended.stderr.contains(" samples, 0 errors"), "{path}: {}", ended.stderr);
        assert!(
            ended.stdout.contains("negative controls") && ended.stdout.contains("format variants"),
            "{}",
            ended.stdout
        );
        assert!(!ended.stdout.contains("FAILED"), "{path}: {}", ended.stdout);
    }
}

#[test]
fn what_is_spoilt_is_found() {
    let bench = run();
    spoil(&bench, "ST_Perfect", |sample| sample["candidates"][0] = sample["candidates"][1].clone());
    let (code, found) = errors(&bench);
    assert!(code == 11 && found.contains(&"tool_names".to_owned()), "{code} {found:?}");
    spoil(&bench, "ir_ST_Perfect", |sample| sample["base"] = "nowhere".into());
    assert_eq!(errors(&bench), (11, vec!["base".to_owned()]));
    spoil(&bench, "ST_Imperfect", |sample| sample["messages"][0]["content"] = " ".into());
    assert!(errors(&bench).1.contains(&"empty".to_owned()));
    spoil(&bench, "Based", |sample| *sample = serde_json::json!({"data_type": "Based"}));
    let ended = bench.run("check spoilt");
    assert!(ended.code == 11 && ended.stdout.contains(": not a sample: missing field"), "{}", ended.stdout);
}

#[test]
fn an_audit_shows_figures_beside_a_reference() {
    let bench = run();
    let ended = bench.must("check run --audit --reference run/benchmark --against run --format json");
    let report: Json = serde_json::from_str(&ended.stdout).unwrap();
    let rows = report["rows"].as_array().unwrap();
    for figure in [
        "giveaway",
        "gold position",
        "frames",
        "variety",
        "questions",
        "picker",
        "origins",
        "scaffold",
        "second right tool",
    ] {
        let row = rows.iter().find(|row| row["figure"] == figure && !row["own"].is_null());
        assert!(row.is_some_and(|row| !row["reference"].is_null()), "{figure}");
    }
    let picker = rows.iter().find(|row| row["figure"] == "picker").unwrap();
    assert_eq!(picker["own"]["value"], picker["reference"]["value"], "the same bench in two layouts");
    let chains = rows.iter().find(|row| row["figure"] == "chains").unwrap();
    assert!(chains["missing"].as_str().unwrap().contains("there are no chains"));
    let contaminated = report["rules"].as_array().unwrap().iter().find(|rule| rule["rule"] == "contaminated").unwrap();
    assert!(contaminated["count"].as_u64().unwrap() > 50);
    let page = bench.must("check run --audit --format markdown").stdout;
    assert!(page.starts_with("# run (en)") && page.contains("| lexical-overlap baseline | ST_Perfect |"), "{page}");
}

#[test]
fn what_is_no_bench_says_what_one_is() {
    let bench = Bench::new();
    bench.write("empty/note.txt", "nothing here");
    let ended = bench.run("check empty");
    assert_eq!(ended.code, 11);
    assert!(ended.stderr.contains("or a folder in the layout of a known benchmark"));
    assert_eq!(bench.run("check run --reference x").code, 2, "a reference is for an audit");
}
