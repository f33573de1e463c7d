//! `import`, `predict` and `score` of single calls, turns of dialogs and decisions whether to call.

use super::bench::Bench;
use fcgen::llm::stub::{Rule, Stub, StubOptions, StubReply};
use insta::assert_snapshot;

const TOOL: &str = r#"{"type": "function", "function": {"name": "find_boat", "description": "배를 찾는다.", "parameters": {"type": "object", "properties": {"pier": {"type": "string", "description": "항구"}, "seats": {"type": "integer", "description": "몇 명"}}, "required": ["pier"]}}}"#;

/// The three files, an item or two in each.
pub(crate) fn theirs() -> Bench {
    let bench = Bench::new();
    let single = r#"{"function_num": 1, "function_name": "find_boat", "function_info": {"required_parameters_count": 1, "optional_parameters_count": 1, "parameter_type": ["string", "integer"], "extraction_type": "simple"}, "query": [{"serial_num": 1, "content": "힐에서 네 명 탈 배"}], "ground_truth": [{"serial_num": 1, "content": "{\"name\": \"find_boat\", \"arguments\": \"{\\\"pier\\\": \\\"힐\\\", \\\"seats\\\": 4}\"}"}], "acceptable_arguments": [{"serial_num": 1, "content": "{\"pier\": \"Hill\", \"seats\": 4.0}"}], "tools": [{"type": "exact", "content": [TOOL]}, {"type": "4_close", "content": [TOOL]}]}"#;
    let dialog = r#"{"dialog_num": 1, "tools_count": 1, "tools": [TOOL], "turns": [{"turn_num": 1, "serial_num": 1, "query": [{"role": "user", "content": "배 찾아 줘"}], "ground_truth": {"role": "assistant", "content": "어느 항구인가요?"}, "type_of_output": "slot", "acceptable_arguments": null}]}"#;
    let decision = r#"{"serial_num": 1, "category": "REJECT", "input_messages": [{"role": "system", "content": "한국어로 답하세요."}, {"role": "user", "content": "피자 시켜 줘"}], "input_tools": [TOOL], "type_of_output": "relevance", "ground_truth": {"role": "assistant", "content": "그 기능은 없습니다."}, "acceptable_arguments": null}"#;
    for (name, line) in [("Singlecall", single), ("Dialog", dialog), ("CallDecision", decision)] {
        bench.write(&format!("theirs/data/FunctionChat-{name}.jsonl"), &(line.replace("TOOL", TOOL) + "\n"));
    }
    bench
}

const CALLED: &str = r#"{"role": "assistant", "content": null, "tool_calls": [{"type": "function", "function": {"name": "find_boat", "arguments": "ARGUMENTS"}}]}"#;

fn predicted() -> Bench {
    let bench = theirs();
    let call = |id: &str, arguments: &str| {
        let message = CALLED.replace("ARGUMENTS", &arguments.replace('"', "\\\""));
        format!("{{\"id\": \"{id}\", \"message\": {message}}}\n")
    };
    let text = |id: &str, text: &str| {
        format!("{{\"id\": \"{id}\", \"message\": {{\"role\": \"assistant\", \"content\": \"{text}\"}}}}\n")
    };
    let lines = [
        call("singlecall/1/exact", r#"{"pier": "hill", "seats": 5}"#),
        call("singlecall/1/4_close", r#"{"pier": "언덕", "seats": 4}"#),
        text("dialog/1", "항구와 인원을 알려 주세요."),
        text("calldecision/1", "피자 종류가 무엇인가요?"),
    ];
    bench.write("said.jsonl", &lines.concat());
    bench
}

/// What a judge says of each item, and a person of some.
const JUDGES: &str = "{\"id\": \"singlecall/1/exact\", \"reply\": \"hm\"}\n{\"id\": \"singlecall/1/4_close\", \"reply\": \"x\\npass\\npass\", \"human\": \"fail\"}\n{\"id\": \"dialog/1\", \"reply\": \"판단을 보류합니다.\"}\n{\"id\": \"calldecision/1\", \"reply\": \"불합격\\n불합격\"}\n";

#[test]
fn lines_become_samples() {
    let bench = theirs();
    assert_snapshot!("chats_imported", bench.must("import theirs --from functionchat --out samples.jsonl").told());
    let samples = bench.read("samples.jsonl");
    assert!(samples.lines().count() == 4 && samples.contains("\"id\":\"singlecall/1/4_close\""), "{samples}");
}

#[test]
fn both_profiles_have_their_tables_and_every_item_its_verdict() {
    let bench = predicted();
    bench.write("judges.jsonl", JUDGES);
    let line = "score theirs --tables all --predictions said.jsonl --judgements judges.jsonl";
    assert_snapshot!("chats_scored", bench.must(&format!("{line} --items items.jsonl")).told());
    assert_snapshot!("items_of_chats", bench.read("items.jsonl"));
    let upstream = bench.must(&format!("{line} --profile upstream --totals totals.json --items items.jsonl"));
    assert!(upstream.stdout.contains("as commit cb32af3"));
    assert_snapshot!("totals_of_chats", bench.read("totals.json"));
    assert_snapshot!("items_of_chats_upstream", bench.read("items.jsonl"));
}

#[test]
fn people_fill_in_a_sheet_and_the_score_is_adjusted() {
    let bench = predicted();
    bench.write("judges.jsonl", &JUDGES.replace(", \"human\": \"fail\"", ""));
    let line = "score theirs --tables all --predictions said.jsonl --judgements judges.jsonl --format csv";
    let told = bench.must(&format!("{line} --review-sheet sheet.tsv")).stderr;
    assert!(told.contains("4 verdicts to review in sheet.tsv"), "{told}");
    let sheet = bench.read("sheet.tsv");
    assert!(sheet.contains("x\npass\npass"), "{sheet}");
    // The judge's pass is wrong, and so is its fail.
    let filled = sheet
        .replace("\tpass\tjudge\t\t", "\tpass\tjudge\tfail\t")
        .replace("\tfail\tjudge\t\t", "\tfail\tjudge\tpass\t");
    bench.write("sheet.tsv", &filled);
    let csv = bench.must(&format!("{line} --review sheet.tsv")).stdout;
    let value =
        |row: &str| csv.lines().find(|line| line.starts_with(row)).unwrap_or(row).split(',').nth(4).unwrap().to_owned();
    assert_eq!(
        (value("5,singlecall / said,FP,"), value("5,singlecall / said,FP share,")),
        ("1".to_owned(), "0.5".to_owned())
    );
    assert_eq!(
        (value("5,calldecision / said,FN,"), value("5,calldecision / said,Adjusted score,")),
        ("1".to_owned(), "1".to_owned())
    );
    let odd = bench.run(&format!("{line} --review said.jsonl"));
    assert!(odd.code == 11 && odd.stderr.contains("missing column `predictions`"), "{}", odd.stderr);
}

#[test]
fn a_judge_is_asked_once_for_each_vote_and_never_again() {
    let bench = predicted();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let rule = Rule::handler(|request| {
        let is_call = request.last_message().contains("언덕");
        StubReply::text(if is_call { "{\"verdict\": \"pass\"}" } else { "{\"verdict\": \"fail\"}" })
    });
    let stub = runtime.block_on(Stub::start(StubOptions { rule, ..StubOptions::default() })).unwrap();
    let line = "score theirs --tables all --predictions said.jsonl --format csv --votes 3";
    let first = bench.must(&format!("{line} --judge-model j --judge-base-url {}", stub.base_url()));
    assert!(first.stderr.contains("querying j about 9 answers"), "{}", first.stderr);
    let again = bench.must(&format!("{line} --judgements judgements.jsonl"));
    assert_eq!((again.stdout.as_str(), bench.read("judgements.jsonl").lines().count()), (first.stdout.as_str(), 9));
    let more = bench.must(&format!("{line} --judge all --judge-model j --judge-base-url {}", stub.base_url()));
    assert!(more.stderr.contains("querying j about 3 answers"), "{}", more.stderr);
}

#[test]
fn a_model_is_asked_for_every_turn_and_scored() {
    let bench = theirs();
    bench.must("import theirs --from functionchat --out samples.jsonl");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let rule = Rule::handler(|request| {
        let first = &request.body["messages"][0];
        let has_tools = request.body.get("tools").is_some();
        StubReply::text(&format!("{} {has_tools} 네", first["role"].as_str().unwrap()))
    });
    let stub = runtime.block_on(Stub::start(StubOptions { rule, ..StubOptions::default() })).unwrap();
    let line = format!("predict samples.jsonl --model m --base-url {} --quiet", stub.base_url());
    bench.must(&format!("{line} --mode tools --out tools.jsonl"));
    bench.must(&format!("{line} --mode tools --system none --out none.jsonl"));
    let said = |name: &str| bench.read(name).matches("system true").count();
    assert_eq!((said("tools.jsonl"), said("none.jsonl")), (4, 0));
    assert!(bench.read("none.jsonl").contains("\"variant\":\"tools-no-system\""));
    let scored = bench.must("score samples.jsonl --tables all --predictions tools.jsonl none.jsonl").stdout;
    assert!(scored.contains("no_call") && scored.contains("tools"), "{scored}");
    let foreign = bench.run("predict samples.jsonl --max-turns 3");
    assert!(foreign.stderr.contains("`--max-turns` applies to complexfuncbench only"), "{}", foreign.stderr);
}

#[test]
fn another_suites_profile_is_refused() {
    let ended = predicted().run("score theirs --tables all --predictions said.jsonl --profile upstream-qwen");
    assert_snapshot!("foreign_profile_of_chats", ended.told());
}
