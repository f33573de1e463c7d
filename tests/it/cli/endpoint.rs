//! Runs against a server that is down, refuses, fails, is slow or costs money; runs that are stopped and go on.

use super::bench::{Bench, written};
use super::server::{Server, spawn};
use fcgen::llm::stub::{Rule, StubFault, StubOptions};
use insta::assert_snapshot;
use std::io::{BufRead, BufReader};
use std::process::Command;
use std::time::{Duration, Instant};

/// Replies of the last moment, which are put on disk together; a kill may come before that.
const LATE: u64 = 100;

#[test]
fn a_server_that_is_down_stops_the_run() {
    let line = "pipeline hammer --limit 2 --quiet --model m --base-url http://127.0.0.1:9/v1";
    assert_snapshot!(Bench::new().run(line).told());
}

#[test]
fn statuses_that_nothing_can_go_on_after_stop_the_run() {
    for (name, status) in [("unauthorised", 401), ("forbidden", 403), ("not_found", 404)] {
        assert_snapshot!(name, Server::failing(StubFault::status(status)).run("--limit 2").told());
    }
}

#[test]
fn rows_that_got_no_answer_are_counted_and_told() {
    for (name, fault) in
        [("storm", StubFault::status(429)), ("page", StubFault::html(200)), ("dropped", StubFault::DropAfterHeaders)]
    {
        let bench = Bench::new();
        let ended = bench.run(&Server::failing(fault).line("--limit 1 --out run"));
        assert_snapshot!(format!("lost_{name}"), ended.told());
        assert!(bench.read("run/rejects.jsonl").contains("\"reason\":\"transport\""), "{name}");
    }
}

#[test]
fn half_an_answer_is_no_answer() {
    let ended = Server::failing(StubFault::HalfJson).run("--limit 1");
    assert_eq!(ended.code, 12, "{}", ended.stderr);
    assert!(ended.stderr.contains("after 2 attempts: the answer is not the JSON of a completion"), "{}", ended.stderr);
}

#[test]
fn a_script_of_a_run_gives_the_run_again() {
    let (server, _) = Server::builtin(0, Duration::ZERO);
    let bench = Bench::new();
    let plain = "--limit 2 --set model.generator.structured_output=none";
    assert_eq!(bench.run(&server.line(&format!("{plain} --out one"))).code, 0);
    bench.must("script one --out replies.jsonl");
    let scripted = "--set model.generator.provider=scripted --set model.generator.script=replies.jsonl";
    bench.must(&format!("pipeline hammer --quiet {plain} {scripted} --out again"));
    let benchmark = |run: &str| written(&bench.path(&format!("{run}/benchmark")));
    assert_eq!(benchmark("one"), benchmark("again"));
}

#[test]
fn a_built_in_model_leaves_no_script() {
    let bench = Bench::new();
    bench.must("pipeline hammer --limit 1 --quiet --out run");
    assert_snapshot!(bench.run("script run --out replies.jsonl").told());
}

#[test]
fn answers_that_make_no_sense_leave_too_little() {
    let server = Server::start(StubOptions { rule: Rule::Text("hello".to_owned()), ..StubOptions::default() });
    assert_snapshot!(server.run("--limit 1").told());
}

#[test]
fn a_spent_budget_stops_the_run_and_more_of_it_resumes() {
    let (server, _) = Server::builtin(0, Duration::ZERO);
    let bench = Bench::new();
    let price = "--limit 1 --concurrency 1 --out run --set model.generator.price.output=1000000 --set model.generator.max_tokens=200";
    let ended = bench.run(&server.line(&format!("{price} --max-cost 600")));
    assert_eq!(ended.code, 13, "{}", ended.stderr);
    assert!(ended.stderr.starts_with("error: the budget is spent: "), "{}", ended.stderr);
    assert!(ended.stderr.contains("hint: raise the limit to resume without repeating requests"), "{}", ended.stderr);
    let paid = server.stub.stats().total;
    let ended = bench.run(&server.line(price));
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let stats = server.stub.stats();
    assert!(paid > 0 && stats.repeated == 0, "what was paid for is not asked again: {stats:?}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_stops_at_once_and_goes_on_later() {
    let (server, word) = Server::builtin(200, Duration::from_millis(20));
    let bench = Bench::new();
    let line = server.line("--limit 6 --out run");
    let child = spawn(&bench, &line);
    word.recv().unwrap();
    let asked = Instant::now();
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(told.contains("error: interrupted\n\nhint: resume with: "), "{told}");
    assert!(told.trim_end().ends_with(&line), "the exact command: {told}");
    assert_same_as_undisturbed(&bench, &server, &line, 0);
}

#[cfg(unix)]
#[test]
fn a_model_that_computes_is_interrupted_as_well() {
    let bench = Bench::new();
    let mut child = spawn(&bench, "pipeline hammer");
    let mut begun = String::new();
    BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut begun).unwrap();
    assert!(begun.contains("source items, 27 stages"), "{begun}");
    let asked = Instant::now();
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(asked.elapsed() < Duration::from_secs(3), "{:?}", asked.elapsed());
}

#[test]
fn a_killed_run_goes_on_where_it_was() {
    let (server, word) = Server::builtin(400, Duration::from_millis(2));
    let bench = Bench::new();
    let line = server.line("--limit 6 --out run");
    let mut child = spawn(&bench, &line);
    word.recv().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!bench.path("run/samples.jsonl").exists(), "files appear whole or not at all");
    let status = bench.must("status run");
    assert!(status.stdout.contains("\nterminated after "), "{}", status.stdout);
    assert_same_as_undisturbed(&bench, &server, &line, LATE);
}

/// Runs the command to its end: it pays again only for what was under way, and leaves what an undisturbed run leaves.
fn assert_same_as_undisturbed(bench: &Bench, server: &Server, line: &str, late: u64) {
    let before = server.stub.stats();
    let ended = bench.run(line);
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let after = server.stub.stats();
    assert!(after.repeated <= before.max_in_flight + late, "{before:?} {after:?}");
    let other = Bench::new();
    assert_eq!(other.run(line).code, 0);
    assert_eq!(written(&bench.path("run")), written(&other.path("run")));
}
