//! `import` and `score` of requests that want several steps of calls.

use super::bench::Bench;
use fcgen::llm::stub::{Rule, Stub, StubOptions, StubReply};
use insta::assert_snapshot;

const ROW: &str = r#"{"id": "ID", "conversations": [{"role": "user", "content": "When does a boat leave Hill?"}, {"role": "assistant", "function_call": [{"name": "Find_Port", "arguments": {"query": "Hill"}}]}, {"role": "observation", "content": [{"status": true, "data": {"id": "H1"}}]}, {"role": "assistant", "function_call": [{"name": "Get_Boat", "arguments": {"port": "H1", "date": "2027-03-01"}}]}, {"role": "observation", "content": [{"status": true, "data": {"leaves": "12:00"}}]}, {"role": "assistant", "content": "At noon."}], "functions": [{"name": "Find_Port", "description": "Finds a port.", "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}}, {"name": "Get_Boat", "description": "Gets a boat.", "parameters": {"type": "object", "properties": {"port": {"type": "string"}, "date": {"type": "string"}}, "required": ["port"]}}]}"#;

const SETTINGS: &str = r#"{"free_functions": ["Find_Port"], "free_removed_at_end": [], "exact_match_values": {"Find_Port": [], "Get_Boat": ["port"]}}"#;

/// Three samples in the authors' layout, with the evaluator's settings beside them.
fn rows() -> Bench {
    let bench = Bench::new();
    let rows = ["Boats-0", "Boats-1", "Cross-0"].map(|id| ROW.replace("\"ID\"", &format!("\"{id}\"")) + "\n");
    bench.write("theirs/data/ComplexFuncBench.jsonl", &rows.concat());
    bench.write("theirs/data/toolset.json", SETTINGS);
    bench
}

fn said(id: &str, calls: &[(&str, &str)]) -> String {
    let turn = |(name, arguments): &(&str, &str)| serde_json::json!({"tool_calls": [[name, arguments]]}).to_string();
    let turns: Vec<String> = calls.iter().map(turn).collect();
    format!(
        "{{\"id\": \"{id}\", \"variant\": \"tools\", \"turns\": [{}, {{\"content\": \"At noon.\"}}]}}\n",
        turns.join(", ")
    )
}

const FIND: (&str, &str) = ("Find_Port", r#"{"query": "Hill"}"#);
const BOAT: (&str, &str) = ("Get_Boat", r#"{"date": "2027-03-01", "port": "H1"}"#);
const LATER: (&str, &str) = ("Get_Boat", r#"{"date": "2027-03-02", "port": "H1"}"#);

fn predicted() -> Bench {
    let bench = rows();
    let formless = ("Get_Boat", r#"{"date": "2027-03-01"}"#);
    let lines = [said("Boats-0", &[FIND, FIND, LATER, formless, BOAT]), said("Boats-1", &[FIND, LATER])];
    bench.write("said.jsonl", &lines.concat());
    bench
}

#[test]
fn rows_become_samples_that_hold_everything() {
    let bench = rows();
    let told = bench.must("import theirs --from complexfuncbench --out samples.jsonl").told();
    assert_snapshot!("rows_imported", told);
    let line = bench.read("samples.jsonl").lines().next().unwrap().to_owned();
    let sample: fcgen::record::Sample = serde_json::from_str(&line).unwrap();
    let row = fcgen::suite::complexfunc::layout::Row::of(&sample).unwrap();
    assert_eq!(
        serde_json::to_string(&row).unwrap(),
        ROW.replace("\": ", "\":").replace(", \"", ",\"").replace(", {", ",{").replace("ID", "Boats-0")
    );
}

#[test]
fn trajectories_have_figures_and_every_sample_its_verdict() {
    let bench = predicted();
    let told = bench.must("score theirs --tables all --predictions said.jsonl --items items.jsonl").told();
    assert_snapshot!("trajectories_scored", told);
    assert_snapshot!("items_of_trajectories", bench.read("items.jsonl"));
    let traced =
        bench.must("score theirs --tables all --predictions said.jsonl --items traced.jsonl --trace --format csv");
    assert!(
        bench.read("traced.jsonl").contains("\"golden_before\":[[0,0],[1,0]]")
            && traced.stdout.contains("overall,said,Success,value,0.33")
    );
}

#[test]
fn the_authors_rules_end_at_the_first_turn_of_wrong_values() {
    let bench = predicted();
    let csv = |profile: &str| {
        let line = format!("score theirs --tables all --predictions said.jsonl --missing skip --format csv {profile}");
        bench.must(line.trim_end()).stdout
    };
    let number = |csv: &str, row: &str| {
        csv.lines().find(|line| line.starts_with(row)).unwrap().split(',').nth(4).unwrap().to_owned()
    };
    let upstream = csv("--profile upstream --mapping trigram256");
    assert_eq!(
        (number(&upstream, "overall,said,Success,"), number(&upstream, "counts,end / value_error,said")),
        ("0".to_owned(), "2".to_owned())
    );
    assert_eq!(number(&csv("--on-all-wrong end"), "overall,said,Success,"), "0");
    assert_eq!(number(&csv("--max-turns 2"), "counts,end / exceed_max_turns,said"), "1");
    assert_eq!(number(&csv(""), "overall,said,Success,"), "0.5");
    for dialect in ["upstream-qwen", "upstream-claude"] {
        assert_eq!(number(&csv(&format!("--profile {dialect}")), "overall,said,Success of those run,"), "0");
    }
}

#[test]
fn result_lines_of_the_authors_are_gone_through_as_well() {
    let bench = rows();
    let call = |name: &str, arguments: &str| {
        format!(
            r#"{{"role": "assistant", "function_call": [{{"name": "{name}", "arguments": {arguments}}}]}}, {{"role": "observation", "content": [{{}}]}}"#
        )
    };
    let line = format!(
        r#"{{"id": "Cross-0", "gen_convs": [{{"role": "user", "content": "x"}}, {}, {}, {{"role": "assistant", "content": "At noon."}}], "message": "Success.", "count_dict": {{}}, "resp_eval": null}}"#,
        call(FIND.0, FIND.1),
        call(BOAT.0, BOAT.1),
    );
    bench.write("gpt.jsonl", &line);
    let text = bench
        .must("score theirs --tables all --predictions gpt.jsonl --profile upstream --missing skip --format csv")
        .stdout;
    assert!(text.contains("overall,gpt,Success of those run,value,1,"), "{text}");
}

#[test]
fn a_judge_is_asked_until_nothing_is_open_and_then_no_more() {
    let bench = rows();
    bench.write("said.jsonl", &said("Boats-0", &[("Find_Port", r#"{"query": "the hill"}"#), LATER]));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let rule = Rule::handler(|request| {
        let is_call = request.last_message().contains("output:");
        StubReply::text(if is_call { "{\"is_equal\": true}" } else { "```json\n{\"score\": 1}\n```" })
    });
    let stub = runtime.block_on(Stub::start(StubOptions { rule, ..StubOptions::default() })).unwrap();
    let line = "score theirs --tables all --predictions said.jsonl --missing skip --format tsv";
    let first = bench.must(&format!("{line} --judge-model j --judge-base-url {}", stub.base_url()));
    // What comes after a call that is judged is asked about when it is judged, for the judge sees what came back.
    let asked: Vec<&str> = first.stderr.lines().filter(|line| line.starts_with("querying j")).collect();
    assert_eq!(asked, ["querying j about 3 answers", "querying j about 1 answer"]);
    let again = bench.must(&format!("{line} --judgements judgements.jsonl"));
    assert_eq!((again.stdout.as_str(), bench.read("judgements.jsonl").lines().count()), (first.stdout.as_str(), 4));
    let value =
        |row: &str| first.stdout.lines().find(|it| it.starts_with(row)).unwrap().split('\t').nth(4).unwrap().to_owned();
    assert_eq!(
        (value("overall\tsaid\tSuccess"), value("overall\tsaid\tComplete (0-2)")),
        ("1".to_owned(), "1".to_owned())
    );
}

#[test]
fn recorded_answers_and_foreign_settings_may_be_given() {
    let bench = rows();
    bench.write("said.jsonl", &said("Boats-0", &[FIND, LATER]));
    let answer = |day: &str| {
        format!(r#"{{"call": {{"name": "Get_Boat", "arguments": {{"port": "H1", "date": "{day}"}}}}, "data": [12]}}"#)
    };
    bench.write("api.json", &format!("{{\"api_calls\": [{}, {}]}}", answer("2027-03-01"), answer("2027-03-02")));
    let line = "score theirs --tables all --predictions said.jsonl --missing skip --format csv";
    let success =
        |more: &str| bench.must(format!("{line} {more}").trim_end()).stdout.contains("overall,said,Success,value,1,");
    assert!(!success("") && success("--api api.json"));
    bench.write("exact.json", &SETTINGS.replace("\"port\"]", "\"port\", \"date\"]"));
    assert!(!success("--api api.json --settings exact.json"));
    assert_snapshot!("faulty_settings", bench.run(&format!("{line} --settings said.jsonl")).told());
    assert_snapshot!("no_answers", bench.run(&format!("{line} --api nowhere.json")).told());
    assert_snapshot!("foreign_profile_of_steps", bench.run(&format!("{line} --profile upstream-paper")).told());
}

#[test]
fn calls_may_be_matched_by_the_vectors_of_a_model_which_are_kept() {
    let bench = rows();
    // Two golden calls are open at once after the lookup, and two wrong ones look for theirs.
    let row = ROW.replace("\"ID\"", "\"Boats-0\"").replace(
        r#"[{"name": "Get_Boat", "arguments": {"port": "H1", "date": "2027-03-01"}}]}, {"role": "observation", "content": [{"status": true, "data": {"leaves": "12:00"}}]}"#,
        r#"[{"name": "Get_Boat", "arguments": {"port": "H1", "date": "2027-03-01"}}, {"name": "Get_Boat", "arguments": {"port": "H1", "date": "2028-11-22"}}]}, {"role": "observation", "content": [{"status": true, "data": [1]}, {"status": true, "data": [2]}]}"#,
    );
    bench.write("theirs/data/ComplexFuncBench.jsonl", &(row + "\n"));
    let wrong = |date: &str| serde_json::json!(["Get_Boat", format!("{{\"port\": \"H1\", \"date\": \"{date}\"}}")]);
    let calls = [serde_json::json!([FIND.0, FIND.1]), wrong("2028-11-23"), wrong("2027-03-02")];
    let turns = serde_json::json!([{"tool_calls": calls}, {"content": "At noon."}]);
    bench.write("said.jsonl", &format!("{}\n", serde_json::json!({"id": "Boats-0", "turns": turns})));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let stub = runtime.block_on(Stub::start(StubOptions::default())).unwrap();
    let line = format!(
        "score theirs --tables all --predictions said.jsonl --mapping embedding --embedding-model e --embedding-base-url {} --items items.jsonl --trace",
        stub.base_url()
    );
    let first = bench.must(&line);
    assert!(
        first.stderr.contains("requesting embeddings from e for 4 calls") && first.stdout.contains("mapping embedding"),
        "{}",
        first.stderr
    );
    let items = bench.read("items.jsonl");
    assert!(items.contains("\"rows\":[0,1],\"cols\":[1,0]"), "{items}");
    runtime.block_on(stub.stop());
    assert_eq!(bench.must(&line).stdout, first.stdout, "what is kept needs no server");
    assert_eq!(bench.read("items.jsonl"), items);
    std::fs::remove_file(bench.path("embeddings.db")).unwrap();
    let ended = bench.run(&format!("{line} --embeddings other.db"));
    assert!(ended.code == 12 && ended.stderr.contains("embedding request failed: "), "{}", ended.stderr);
}
