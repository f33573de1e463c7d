//! Runs whose questions go together: by a server's batches, and by files that somebody else answers.

use super::bench::{Bench, Ended, written};
use super::server::{Server, spawn};
use fcgen::llm::Interrupt;
use fcgen::llm::stub::{BatchPlan, StubReply, StubRequest};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::process::{Command, Output};

/// The command line of a run that asks by batches.
fn line(server: &Server, more: &str) -> String {
    let batch =
        "--set model.generator.batch=true --set model.generator.batch_linger=5ms --set model.generator.batch_poll=1ms";
    server.line(&format!("{batch} {more}"))
}

/// What an ordinary run leaves.
fn ordinary(server: &Server, more: &str) -> std::collections::BTreeMap<String, String> {
    let bench = Bench::new();
    let ended = bench.run(&server.line(&format!("{more} --out run")));
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    written(&bench.path("run"))
}

#[test]
fn a_run_by_batches_leaves_what_an_ordinary_run_leaves() {
    let server = Server::with_batches(BatchPlan::default());
    let bench = Bench::new();
    let ended = bench.run(&line(&server, "--limit 1 --concurrency 1 --out run"));
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let (batches, stats) = (server.stub.batch_stats().batches, server.stub.stats());
    assert!(batches > 1 && stats.repeated == 0 && stats.total > batches, "{batches} {stats:?}");
    assert_eq!(written(&bench.path("run")), ordinary(&server, "--limit 1"));
}

/// Starts a run, and ends it in this way while its first batch is at the server.
fn ended_by(server: &Server, bench: &Bench, line: &str, signal: &str) -> Output {
    let child = spawn(bench, line);
    while server.stub.batch_stats().looks == 0 {
        std::thread::yield_now();
    }
    Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    child.wait_with_output().unwrap()
}

#[cfg(unix)]
#[test]
fn a_run_that_ends_while_a_batch_is_at_the_server_collects_it_later() {
    for signal in ["-INT", "-KILL"] {
        let hold = Interrupt::new();
        let server = Server::with_batches(BatchPlan { hold: Some(hold.clone()), ..BatchPlan::default() });
        let bench = Bench::new();
        let line = line(&server, "--limit 1 --out run");
        let output = ended_by(&server, &bench, &line, signal);
        let told = String::from_utf8(output.stderr).unwrap();
        if signal == "-INT" {
            assert_eq!(output.status.code(), Some(130), "{told}");
            assert!(told.contains("error: interrupted; batches still running on the server: 1\n"), "{told}");
            assert!(told.contains("hint: collect the results, without repeating requests, with: "), "{told}");
            assert!(told.trim_end().ends_with(&line), "the exact command: {told}");
        }
        hold.trigger();
        let ended = bench.run(&line);
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        assert_eq!(server.stub.stats().repeated, 0, "{signal}: nothing is sent twice");
        assert_eq!(written(&bench.path("run")), ordinary(&server, "--limit 1"), "{signal}");
    }
}

/// A pipeline of few stages, asked by files.
const FILE: &str = r#"
[pipeline]
name = "small"
format = "hammerbench"

[model.generator]
provider = "openai"
model = "m"
batch_dir = "batches"
batch_linger = "100ms"
send_task = true

[[stage]]
kind = "toolset"
path = "mobile"

[[stage]]
kind = "perfect_queries"
per_tool = 2

[[stage]]
kind = "parameters"

[[stage]]
kind = "consistency"

[[stage]]
kind = "candidates"
"#;

/// Has every file of requests answered that lies there unanswered, in another order.
pub(super) fn answer_files(bench: &Bench) {
    for entry in std::fs::read_dir(bench.path("batches")).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        let results = bench.path(&format!("batches/{}", name.replace("requests", "results")));
        if name.starts_with("requests") && !results.exists() {
            let requests = std::fs::read_to_string(entry.path()).unwrap();
            let lines: Vec<String> = requests.lines().rev().map(answered).collect();
            std::fs::write(results, lines.join("\n")).unwrap();
        }
    }
}

fn answered(line: &str) -> String {
    let line: Value = serde_json::from_str(line).unwrap();
    let request = StubRequest { ordinal: 0, headers: Vec::new(), body: line["body"].clone() };
    let text = match Server::answer(&request) {
        StubReply::Reply(reply) => reply.text,
        StubReply::Fault(fault) => panic!("{fault:?}"),
    };
    let choices = json!([{ "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }]);
    let response = json!({ "status_code": 200, "request_id": "r", "body": { "choices": choices } });
    json!({ "id": "r", "custom_id": line["custom_id"], "response": response, "error": null }).to_string()
}

#[test]
fn a_run_by_files_stops_for_each_wave_and_ends_as_an_ordinary_run() {
    let server = Server::with_batches(BatchPlan::default());
    let bench = Bench::new();
    bench.write("small.toml", FILE);
    let run = || -> Ended { bench.run("pipeline small.toml --quiet --limit 2 --out run") };
    let first = run();
    assert_snapshot!(first.told());
    let (mut waves, mut last) = (0, first);
    while last.code == 15 && waves < 20 {
        answer_files(&bench);
        last = run();
        waves += 1;
    }
    assert_eq!(last.code, 0, "after {waves} waves: {}", last.stderr);
    assert!((2..20).contains(&waves), "{waves}");
    let manifest: serde_json::Value = serde_json::from_str(&bench.read("run/manifest.json")).unwrap();
    let begun = manifest["usage"].as_array().unwrap().iter().filter_map(|row| row["waves_begun"].as_u64());
    assert_eq!(begun.sum::<u64>(), waves, "a file for each wave");
    let plain = FILE.replace("batch_dir = \"batches\"", &format!("base_url = \"{}\"", server.stub.base_url()));
    bench.write("plain.toml", &plain);
    bench.must("pipeline plain.toml --quiet --limit 2 --out plain");
    assert_eq!(written(&bench.path("run")), written(&bench.path("plain")));
}

/// What the writers of the first wave are asked.
fn first_wave(more: &str, people: &str) -> Vec<String> {
    let bench = Bench::new();
    bench.write("small.toml", &FILE.replace("per_tool = 2", "per_tool = 12"));
    bench.write("people.csv", people);
    let ended = bench.run(&format!("pipeline small.toml --quiet --limit 2 --out run --set banks=none{more}"));
    assert_eq!(ended.code, 15, "{}", ended.stderr);
    of_several(asked(&bench))
}

/// Those of these messages that ask for requests of several people; what is left out is an example for a reader.
fn of_several(asked: Vec<String>) -> Vec<String> {
    asked.into_iter().filter(|asked| asked.matches("Who: {").count() > 1).collect()
}

/// The messages of all requests that lie in files.
fn asked(bench: &Bench) -> Vec<String> {
    let files = std::fs::read_dir(bench.path("batches")).unwrap().map(|entry| entry.unwrap().path());
    let requests = files.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("requests"));
    let lines: String = requests.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let body = |line: &str| serde_json::from_str::<Value>(line).unwrap()["body"]["messages"].to_string();
    lines.lines().map(body).collect()
}

#[test]
fn several_requests_are_asked_for_at_once_each_of_another_person() {
    let people = "age,work,register\n50,baker,polite\n20,sailor,loud\n";
    let own = first_wave("", people);
    let mut distinct = own.clone();
    distinct.sort();
    distinct.dedup();
    // The other six are a round of their own, which sees what these bring.
    assert_eq!((own.len(), distinct.len()), (2, 2), "one answer of six requests for each of two tools");
    assert!(own.iter().all(|asked| asked.matches("Who: {").count() == 6), "{own:?}");
    let named = first_wave(" --set people=people.csv", people);
    let of = |work: &str| named.iter().map(|asked| asked.matches(work).count()).sum::<usize>();
    assert_eq!((of("baker"), of("sailor"), of("loud")), (6, 6, 6));
    assert!(first_wave(" --set people=none", people).iter().all(|asked| !asked.contains("Who: {")));
}

#[test]
fn banks_are_filled_first_and_can_be_edited_and_passed() {
    let bench = Bench::new();
    bench.write("small.toml", FILE);
    let run = |more: &str| bench.run(&format!("pipeline small.toml --quiet --limit 2 {more}"));
    assert_eq!(run("--out run").code, 15);
    let first = asked(&bench);
    assert!(first.len() == 2 && first.iter().all(|asked| asked.contains("situations")), "{first:?}");
    answer_files(&bench);
    assert_eq!(run("--out run").code, 15);
    let banks: Vec<_> =
        std::fs::read_dir(bench.path("run/banks/en")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(banks.len(), 2);
    let read = |path: &std::path::Path| std::fs::read_to_string(path).unwrap();
    let bank: Value = serde_json::from_str(&read(&banks[0])).unwrap();
    let (name, values) = bank["parameters"].as_object().unwrap().iter().next().unwrap();
    let value = values["values"][0]["value"].to_string();
    // What a person writes into a bank is what the writers are told.
    let edited = read(&banks[0]).replace(&value, "\"the other day\"");
    std::fs::remove_dir_all(bench.path("batches")).unwrap();
    std::fs::create_dir_all(bench.path("mine")).unwrap();
    for bank in &banks {
        std::fs::copy(bank, bench.path("mine").join(bank.file_name().unwrap())).unwrap();
    }
    bench.write("mine/mine.json", &edited);
    std::fs::remove_file(bench.path("mine").join(banks[0].file_name().unwrap())).unwrap();
    assert_eq!(run("--out other --set banks=mine").code, 15);
    let second = of_several(asked(&bench));
    assert_eq!(second.len(), 2, "{second:?}");
    let mut faulty = bank.clone();
    faulty["parameters"][name]["values"][0]["value"] = json!([]);
    bench.write("mine/mine.json", &faulty.to_string());
    let ended = run("--out third --set banks=mine");
    assert_eq!(ended.code, 11, "{}", ended.stderr);
    assert!(ended.stderr.contains(&format!("mine/mine.json: parameters.{name}.values[0]")), "{}", ended.stderr);
    let ended = run("--out third --set banks=none_such");
    assert!(
        ended.code == 10 && ended.stderr.contains("the `banks` of `[pipeline]`, is not a folder"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_prompt_for_one_request_goes_on_working() {
    let server = Server::with_batches(BatchPlan::default());
    let bench = Bench::new();
    let prompt = "Tool: {{ tool | tool_json }}\nMust mention: {{ must_include | join(\", \") }}\nManner: {{ manner }}\n{{ common.fault }}";
    bench.write("prompts/write_query/en.md", prompt);
    let file = FILE.replace("batch_dir = \"batches\"", &format!("base_url = \"{}\"", server.stub.base_url()));
    bench.write("plain.toml", &file);
    bench.must("pipeline plain.toml --quiet --limit 2 --out run");
    let manifest: Value = serde_json::from_str(&bench.read("run/manifest.json")).unwrap();
    assert_eq!(manifest["notes"].as_array().unwrap().len(), 1, "{}", manifest["notes"]);
    assert!(manifest["notes"][0].as_str().unwrap().contains("asks for one request at a time"), "{}", manifest["notes"]);
}
