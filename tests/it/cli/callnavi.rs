//! CallNavi's layout on the command line: taken in, looked over, and told from the others.

use super::bench::Bench;
use serde_json::Value as Json;

const APIS: &str = r#"{"api_ports": [
  {"name": "getCard", "parameters": {"customerId": "string"}, "description": "Gets the card of a customer", "returnParameter": {"cardId": "string"}},
  {"name": "blockCard", "parameters": ["cardId"], "description": "Blocks a card", "returnParameter": "Status"}
]}"#;

const QUESTIONS: &str = r#"[
  {"id": "ban001", "question": [{"role": "user", "content": "Which card does customer C7 have?"}],
   "ground_truth": {"API": ["getCard"], "parameters": [{"customerId": "C7"}]}, "difficulty": "easy"},
  {"id": "ban002", "question": [{"role": "user", "content": "Customer C8 lost the card, block it."}],
   "ground_truth": {"API": ["getCard", "blockCard"], "parameters": [{"customerId": "C8"}, {"cardId": "$$$"}]}, "difficulty": "hard"}
]"#;

/// A folder in the authors' layout below `theirs/`.
fn theirs() -> Bench {
    let bench = Bench::new();
    bench.write("theirs/Dataset/APIs/bank.json", APIS);
    bench.write("theirs/Dataset/Questions/bank.json", QUESTIONS);
    bench
}

#[test]
fn questions_become_samples() {
    let bench = theirs();
    let ended = bench.must("import theirs --from callnavi --out samples.jsonl");
    assert_eq!(ended.stdout.trim(), "samples.jsonl");
    assert!(
        ended.stderr.contains("en easy: 1 sample") && ended.stderr.contains("en hard: 1 sample"),
        "{}",
        ended.stderr
    );
    let samples: Vec<Json> =
        bench.read("samples.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((samples[1]["id"].as_str(), samples[1]["group"].as_str()), (Some("ban002"), Some("bank")));
    assert_eq!(samples[1]["expected"]["steps"][1]["calls"][0]["arguments"]["cardId"], "$$$");
    assert_eq!(samples[1]["expected"]["steps"][1]["notes"][0]["cardId"]["origin"], "open");
    assert_eq!(samples[0]["candidates"][1]["parameters"]["required"][0], "cardId");
    bench.must("import theirs/Dataset --from callnavi --locale ko --out ko.jsonl");
    assert!(bench.read("ko.jsonl").contains(r#""locale":"ko""#));
}

#[test]
fn another_layout_than_was_said_is_told() {
    let ended = theirs().run("import theirs --out samples.jsonl");
    assert_eq!(ended.code, 11);
    assert_eq!(ended.stderr, "error: `theirs` is in the format of `callnavi`\n\nhint: use `--from callnavi`\n");
}

#[test]
fn a_sound_folder_breaks_no_rule_and_a_spoilt_one_is_told_by_line() {
    let bench = theirs();
    let ended = bench.must("check theirs");
    assert!(ended.stderr.contains("2 samples, 0 errors, 0 warnings"), "{}", ended.stderr);
    assert!(ended.stdout.contains("APIs used by at least one question"), "{}", ended.stdout);
    bench.write(
        "theirs/Dataset/Questions/bank.json",
        &QUESTIONS.replace("customerId", "customer").replace("ban002", "ban02"),
    );
    let ended = bench.run("check theirs");
    assert_eq!(ended.code, 11);
    let told = "Questions/bank.json:2 (ban001): `getCard` has no parameter `customer` and requires `customerId`";
    assert!(ended.stdout.contains(told), "{}", ended.stdout);
    assert!(ended.stdout.contains("irregular_id: 1 warning"), "{}", ended.stdout);
}

#[test]
fn an_audit_of_questions_has_figures_of_its_own() {
    let bench = theirs();
    let ended = bench.must("check theirs --audit --against theirs --format json");
    let report: Json = serde_json::from_str(&ended.stdout).unwrap();
    let rows = report["rows"].as_array().unwrap();
    for (figure, slice) in [
        ("replay", "AST match"),
        ("authors' replay", "routing"),
        ("wrong mutants", "calls reordered"),
        ("equal forms", "native calls"),
        ("frames", "hard"),
        ("picker", "easy"),
        ("gold position", "hard"),
        ("origins", "free text"),
    ] {
        let row = rows.iter().find(|row| row["figure"] == figure && row["slice"] == slice);
        assert!(row.is_some_and(|row| row["own"]["n"].as_u64() > Some(0)), "{figure} {slice}");
    }
    let contaminated = report["rules"].as_array().unwrap().iter().find(|rule| rule["rule"] == "contaminated").unwrap();
    assert_eq!(contaminated["count"], 2);
}
