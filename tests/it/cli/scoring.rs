//! `score` and `import`: figures on stdout, talk on stderr, and no strange line that stops them.

use super::bench::Bench;
use fcgen::llm::stub::{Rule, Stub, StubOptions, StubReply};
use insta::assert_snapshot;

const TOOL: &str = r#"{"name": "Travel.Trains.book", "description": "Book", "parameters": {"type": "object",
    "properties": {"to": {"type": "string", "description": "Where to"}}, "required": ["to"]}}"#;

/// A folder in the authors' layout: one conversation of two turns, and a request that no tool serves.
fn layout(bench: &Bench) {
    let call = |arguments: &str| {
        format!(r#"{{"role": "function call", "content": {{"name": "Travel.Trains.book", "arguments": {arguments}}}}}"#)
    };
    let (first, last) = (call("{}"), call(r#"{"to": "Porto"}"#));
    let based = format!(
        r#"[{{"id": 0, "messages": [{{"role": "user", "content": "a train"}}, {first}, {{"role": "assistant", "content": "Where to?"}},
        {{"role": "user", "content": "Porto"}}, {last}], "multiple_tools": [{TOOL}], "single_tool": [{TOOL}]}}]"#
    );
    bench.write("theirs/data/en/multi-turn/HammerBench_Based.json", &based);
    let twin =
        format!(r#"[{{"messages": [{{"role": "user", "content": "to Porto"}}, {last}], "multiple_tools": []}}]"#);
    bench.write("theirs/data/en/single-turn/ir_ST_Perfect.json", &twin);
}

const LINES: &str = r#"{"id": "Based_0_1", "predict": "[Travel.Trains.book()]"}
{"id": "en/Based_0_2", "turns": [{"tool_calls": [["Travel.Trains.book", "{\"to\": \"the city of Porto\"}"]]}]}
{"id": "Based_0_2", "run": 0}
"#;

pub(crate) fn scored() -> Bench {
    let bench = Bench::new();
    layout(&bench);
    bench.write("said.jsonl", LINES);
    bench
}

#[test]
fn a_score_has_figures_on_stdout_and_oddities_on_stderr() {
    let bench = scored();
    assert_snapshot!(
        "a_score",
        bench.must("score theirs --tables all --predictions said.jsonl --items items.jsonl").told()
    );
    assert_snapshot!("items_of_a_score", bench.read("items.jsonl"));
}

#[test]
fn what_is_wrong_with_the_predictions_themselves_is_named() {
    let bench = scored();
    let strange = "{\"id\": \"Based_9_9\", \"predict\": \"x\"}\n";
    bench.write("said.jsonl", &format!("{LINES}{{\"id\": \"Based_0_1\", \"turns\": [}}\n{strange}"));
    let ended = bench.run("score theirs --predictions said.jsonl --failures failures.jsonl");
    assert_snapshot!("strange_predictions", ended.told());
    assert_snapshot!("failures_of_a_score", bench.read("failures.jsonl"));
    bench.write("none.jsonl", strange);
    let ended = bench.run("score theirs --predictions none.jsonl");
    assert!(ended.code == 11 && ended.stderr.contains("none of the 1 ids of `none.jsonl`"), "{}", ended.stderr);
    let ended = bench.run("score theirs --predictions said.jsonl --fail-under 99");
    assert_eq!(ended.code, 14, "{}", ended.stderr);
}

#[test]
fn the_authors_parser_is_less_forgiving() {
    let bench = scored();
    let csv = bench.must("score theirs --tables all --predictions said.jsonl --profile upstream --format csv").stdout;
    let acc = |row: &str| csv.lines().find(|line| line.starts_with(row)).unwrap().split(',').nth(4).unwrap().to_owned();
    assert_eq!(acc("slices,Based / all / said,Acc."), "0");
    let skipped = bench.must("score theirs --tables all --predictions said.jsonl --missing skip --format json").stdout;
    assert!(!skipped.contains("ir_ST_Perfect"), "{skipped}");
}

#[test]
fn several_files_stand_side_by_side() {
    let bench = scored();
    bench.write("other/said.jsonl", LINES);
    let text =
        bench.must("score theirs --tables all --predictions said.jsonl other/said.jsonl --format markdown").stdout;
    assert!(text.contains("| other/said |") && text.contains("| said |"), "{text}");
    bench.write("better.jsonl", &LINES.replace("the city of Porto", "Porto"));
    let line = "score theirs --tables all --predictions said.jsonl better.jsonl --format";
    assert_snapshot!("compared", bench.must(&format!("{line} table")).stdout);
    let json: serde_json::Value = serde_json::from_str(&bench.must(&format!("{line} json")).stdout).unwrap();
    let table = json["tables"].as_array().unwrap().iter().find(|table| table["name"] == "compared").unwrap();
    assert_eq!(table["rows"][0]["Right"]["change"]["n"], 3, "{table:#}");
    assert_eq!(bench.must(&format!("{line} csv")).stdout, bench.must(&format!("{line} csv --seed 7")).stdout);
    assert!(!bench.must("score theirs --tables all --predictions said.jsonl").stdout.contains("compared"));
}

/// A question where the first turn lacks `to`, the right call after it, and a refusal.
const ASKING: &str = r#"{"id": "en/Based_0_1", "predict": "Where do you want to go?"}
{"id": "en/Based_0_2", "turns": [{"tool_calls": [["Travel.Trains.book", "{\"to\": \"Porto\"}"]]}]}
{"id": "en/ir-ST-Perfect_0_1", "predict": "Sorry, no tool is suitable for your request."}
"#;

/// What lies beside predictions that were asked in a paradigm.
fn meta(paradigm: &str) -> String {
    let ids = ["en/Based_0_1", "en/Based_0_2", "en/ir-ST-Perfect_0_1"];
    serde_json::json!({
        "format": 1, "bench_hash": "other", "suite": "hammerbench", "paradigm": paradigm, "mode": "tools", "ids": ids, "fcgen": "0",
    })
    .to_string()
}

/// The items that are right, of a score that goes well.
fn right(bench: &Bench, line: &str) -> Vec<bool> {
    bench.must(&format!("score theirs --tables all --items items.jsonl {line}"));
    let right = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["right"].as_bool().unwrap();
    bench.read("items.jsonl").lines().map(right).collect()
}

#[test]
fn a_question_or_the_partial_call_is_right_as_the_paradigm_has_it() {
    let bench = scored();
    bench.write("asking.jsonl", ASKING);
    assert_eq!(right(&bench, "--predictions asking.jsonl"), [true, false, true], "HammerBench's own is the snapshot");
    assert_eq!(right(&bench, "--predictions asking.jsonl --paradigm snapshot"), [true, false, true]);
    assert_eq!(right(&bench, "--predictions asking.jsonl --paradigm ask"), [true, true, true]);
    let json = bench.must("score theirs --tables all --predictions asking.jsonl --paradigm ask --format json").stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["notes"]["paradigm"], "ask", "{json:#}");
    let slices = json["tables"].as_array().unwrap().iter().find(|table| table["name"] == "slices").unwrap();
    let first = slices["rows"].as_array().unwrap().iter().find(|row| row["Slice"] == "first").unwrap();
    assert_eq!((first["Questions"]["n"].as_u64(), first["PMR"].is_null()), (Some(1), true), "{first:#}");
    let ended = bench.run("score theirs --tables all --predictions asking.jsonl --paradigm ask --profile upstream");
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("the profile `upstream` reproduces the authors' evaluator"), "{}", ended.stderr);
}

#[test]
fn a_score_follows_what_was_asked_and_refuses_a_mix() {
    let bench = scored();
    for (name, paradigm) in [("asking", "ask"), ("calling", "snapshot")] {
        bench.write(&format!("{name}.jsonl"), ASKING);
        bench.write(&format!("{name}.meta.json"), &meta(paradigm));
    }
    bench.write("unknown.jsonl", ASKING);
    assert_eq!(right(&bench, "--predictions asking.jsonl"), [true, true, true]);
    assert_eq!(right(&bench, "--predictions calling.jsonl"), [true, false, true]);
    assert_eq!(
        right(&bench, "--predictions unknown.jsonl asking.jsonl"),
        [true; 6],
        "what says nothing follows the others"
    );
    let mixed = bench.run("score theirs --tables all --predictions asking.jsonl calling.jsonl");
    assert_eq!(mixed.code, 11);
    assert_snapshot!(mixed.stderr, @"
    error: asking was predicted in paradigm `ask`, but calling in `snapshot`

    hint: score them separately, or set one paradigm for all with `--paradigm`
    ");
    let told = bench.must("score theirs --tables all --predictions asking.jsonl calling.jsonl --paradigm ask").stderr;
    assert!(told.starts_with("note: calling was predicted in paradigm `snapshot` and is scored in `ask`\n"), "{told}");
    let upstream = bench.run("score theirs --tables all --predictions asking.jsonl --profile upstream");
    assert_eq!(upstream.code, 11);
    assert!(upstream.stderr.contains("asking was predicted in paradigm `ask`"), "{}", upstream.stderr);
    bench.must("score theirs --tables all --predictions asking.jsonl --profile upstream --paradigm snapshot");
    bench.must("score theirs --tables all --predictions calling.jsonl --profile upstream");
}

/// Two runs of the authors' layout in one file: the first has the last turn wrong, the second has all right.
const RUNS: &str = r#"{"id": "en/Based_0_1", "run": 0, "predict": "[Travel.Trains.book()]"}
{"id": "en/Based_0_2", "run": 0, "predict": "{\"name\": \"Travel.Trains.book\", \"arguments\": {\"to\": \"Faro\"}}"}
{"id": "en/ir-ST-Perfect_0_1", "run": 0, "predict": "Sorry, no tool is suitable for your request."}
{"id": "en/Based_0_1", "run": 1, "predict": "{\"name\": \"Travel.Trains.book\", \"arguments\": {}}"}
{"id": "en/Based_0_2", "run": 1, "predict": "{\"name\": \"Travel.Trains.book\", \"arguments\": {\"to\": \"Porto\"}}"}
{"id": "en/ir-ST-Perfect_0_1", "run": 1, "predict": "Sorry, no tool is suitable for your request."}
"#;

/// The run, the predictions and the id of each verdict, and whether it is right.
fn verdicts(bench: &Bench) -> Vec<String> {
    let of = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        format!("{} {} {} {}", line["predictions"], line["run"], line["id"], line["right"])
    };
    bench.read("items.jsonl").lines().map(of).collect()
}

#[test]
fn several_runs_of_a_file_are_told_apart_and_compared() {
    let bench = scored();
    bench.write("said.jsonl", RUNS);
    let compared = |line: &str| {
        let json: serde_json::Value = serde_json::from_str(&bench.must(line).stdout).unwrap();
        let tables = json["tables"].as_array().unwrap().clone();
        let table = tables.into_iter().find(|table| table["name"] == "compared").unwrap();
        table["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["Model"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    for profile in ["strict", "upstream"] {
        let line = format!(
            "score theirs --tables all --predictions said.jsonl --items items.jsonl --format json --profile {profile}"
        );
        assert_eq!(compared(&line), ["said #1"], "{profile}");
        let verdicts = verdicts(&bench);
        assert_eq!(verdicts.len(), 6, "{verdicts:#?}");
        assert_eq!(verdicts.iter().filter(|it| it.starts_with("null 1 ") && it.ends_with(" true")).count(), 3);
        assert_eq!(verdicts.iter().filter(|it| it.starts_with("null 0 ")).count(), 3);
    }
    bench.write("other.jsonl", &RUNS.replace("\"run\": 1", "\"run\": 2"));
    let line = "score theirs --tables all --predictions said.jsonl other.jsonl --items items.jsonl --format json";
    assert_eq!(compared(line), ["said #1", "other #0", "other #2"]);
    assert_eq!(verdicts(&bench).iter().filter(|it| it.starts_with("\"other\" 2 ")).count(), 3);
}

#[test]
fn samples_of_other_suites_are_named_and_a_bench_without_any_is_no_input() {
    let bench = scored();
    bench.must("import theirs --out samples.jsonl");
    let other = bench.read("samples.jsonl").lines().next().unwrap().replace("\"hammerbench\"", "\"callnavi\"");
    bench.write("samples.jsonl", &format!("{}{other}\n", bench.read("samples.jsonl")));
    let told = bench.must("score samples.jsonl --tables all --predictions said.jsonl").stderr;
    assert!(told.contains("to other suites: 1 sample of `callnavi`"), "{told}");
    bench.write("empty/samples.jsonl", "");
    let ended = bench.run("score empty --tables all --predictions said.jsonl");
    assert!(ended.code == 11 && ended.stderr.contains("has no samples"), "{}", ended.stderr);
}

#[test]
fn a_judgement_that_was_torn_is_named_by_its_line() {
    let bench = scored();
    bench.write("judgements.jsonl", r#"{"id": "en/Based_0_2", "question": "call_equivalence", "ha"#);
    let told = bench.must("score theirs --tables all --predictions said.jsonl --judgements judgements.jsonl").stderr;
    assert!(told.contains("judgements.jsonl, line 1: incomplete record"), "{told}");
}

#[test]
fn rows_of_other_trainers_are_imported_and_losses_told() {
    let bench = Bench::new();
    let system = r#"Here is a list of functions: [{\"name\": \"Fair Times\", \"description\": \"Times\", \"parameters\": {\"type\": \"dict\", \"properties\": {\"town\": {\"type\": \"string\"}}}}]"#;
    let row = |value: &str| {
        format!(
            r#"{{"system": "{system}", "conversations": [{{"from": "user", "value": "when?"}}, {{"from": "assistant", "value": "{value}"}}]}}"#
        )
    };
    bench.write("toolace.jsonl", &format!("{}\n{{\"id\": 1}}\n", row(r#"[Fair Times(town=\"Porto\")]"#)));
    assert_snapshot!("imported_toolace", bench.must("import toolace.jsonl --from toolace --out samples.jsonl").told());
    let sample: serde_json::Value = serde_json::from_str(bench.read("samples.jsonl").trim()).unwrap();
    assert_eq!(sample["expected"]["call"], serde_json::json!({"name": "Fair Times", "arguments": {"town": "Porto"}}));
    assert_snapshot!("lost_toolace", bench.read("samples.losses.jsonl"));
    bench.write("none.jsonl", "{}\n");
    assert_eq!(bench.run("import none.jsonl --from hermes --out x.jsonl").code, 11);
}

#[test]
fn imported_samples_score_the_same() {
    let bench = scored();
    let ended = bench.must("import theirs --out samples.jsonl");
    assert_eq!((ended.stdout.trim(), bench.read("samples.jsonl").lines().count()), ("samples.jsonl", 3));
    let figures =
        |of: &str| bench.must(&format!("score {of} --tables all --predictions said.jsonl --format tsv")).stdout;
    assert_eq!(figures("samples.jsonl"), figures("theirs"));
}

#[test]
fn what_cannot_be_scored_is_told() {
    let bench = scored();
    assert_snapshot!("no_bench", bench.run("score nowhere --tables all --predictions said.jsonl").told());
    assert_snapshot!("no_predictions", bench.run("score theirs --tables all --predictions nothing.jsonl").told());
    bench.write("strange.jsonl", "{\"id\": \"x\", \"predict\": \"\"}\n");
    assert_snapshot!(
        "nothing_scored",
        bench.run("score theirs --tables all --predictions strange.jsonl --missing skip").told()
    );
    assert_snapshot!("samples_already", {
        bench.must("import theirs --out s.jsonl");
        bench.run("import s.jsonl --out t.jsonl").told()
    });
}

#[test]
fn a_judge_is_asked_once_and_its_word_is_kept() {
    let bench = scored();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let rule = Rule::handler(|_| StubReply::text("True"));
    let stub = runtime.block_on(Stub::start(StubOptions { rule, ..StubOptions::default() })).unwrap();
    let url = stub.base_url();
    let line = format!(
        "score theirs --tables all --predictions said.jsonl --format tsv --judge-model j --judge-base-url {url}"
    );
    let first = bench.must(&line);
    assert!(first.stderr.contains("querying j about 1 answer"), "{}", first.stderr);
    let again =
        bench.must("score theirs --tables all --predictions said.jsonl --format tsv --judgements judgements.jsonl");
    assert_eq!((again.stdout.as_str(), bench.read("judgements.jsonl").lines().count()), (first.stdout.as_str(), 1));
    let acc =
        first.stdout.lines().find(|line| line.starts_with("slices\tBased / all / said\tAcc.")).unwrap().to_owned();
    assert_eq!(acc.split('\t').nth(4), Some("1"));
}

#[test]
fn samples_of_another_suite_are_scored_with_the_reward_rules() {
    let bench = Bench::new();
    bench.must("pipeline hammer --limit 2 --quiet --out run");
    let own = bench.read("run/samples.jsonl").replace("\"suite\":\"hammerbench\"", "\"suite\":\"acme\"");
    bench.write("own.jsonl", &own);
    bench.must("predict own.jsonl --out said.jsonl");
    let ended = bench.must("score own.jsonl --predictions said.jsonl --tables all --items items.jsonl");
    assert!(ended.stderr.contains("`acme` is not a built-in suite"), "{}", ended.stderr);
    assert!(ended.stdout.contains("Accuracy by data type") && ended.stdout.contains("rewards 1"), "{}", ended.stdout);
    // The built-in reader refuses what no tool serves, and nothing that was asked is without a reply.
    let items = bench.read("items.jsonl");
    let twins: Vec<&str> = items.lines().filter(|line| line.contains("\"data_type\":\"ir_ST_Perfect\"")).collect();
    assert!(!twins.is_empty() && twins.iter().all(|line| line.ends_with("\"right\":true}")), "{twins:?}");
    assert!(!items.contains("no_reply") && items.lines().count() >= own.lines().count());
    let ended = bench.run("score own.jsonl --predictions said.jsonl --profile upstream");
    assert!(ended.code == 2 && ended.stderr.contains("profile `upstream`"), "{}", ended.stderr);
}
