//! `fcgen status` of runs that go on, were killed, spent their budget or lost their state.

use super::bench::Bench;
use super::server::{Server, spawn};
use insta::assert_snapshot;
use std::time::Duration;

#[test]
fn a_run_at_its_end_is_read_by_scripts_in_the_words_of_one_that_goes_on() {
    let bench = Bench::new();
    bench.must("pipeline hammer --limit 2 --quiet --out run");
    let told: serde_json::Value = serde_json::from_str(&bench.must("status run --json --watch").stdout).unwrap();
    assert_eq!((&told["state"], &told["progress"]["phase"]), (&"done".into(), &"done".into()));
    assert_eq!((&told["progress"]["roots"], &told["progress"]["done"]), (&2.into(), &2.into()));
    assert!(told["progress"]["stages"].as_array().unwrap().len() > 20, "{told}");
    assert!(told["kept"]["rejects"].is_object() && told.get("hint").is_none(), "{told}");
}

#[test]
fn a_run_that_was_killed_is_not_at_work() {
    let (server, word) = Server::builtin(100, Duration::ZERO);
    let bench = Bench::new();
    let line = server.line("--limit 3 --out run --set model.generator.price.output=2");
    let mut child = spawn(&bench, &line);
    word.recv().unwrap();
    let running = bench.must("status run").stdout;
    assert!(running.contains("\nrunning for ") && running.contains(" of 3 source items done"), "{running}");
    child.kill().unwrap();
    child.wait().unwrap();
    let killed = bench.must("status run").stdout;
    let (first, rest) = killed.split_once('\n').unwrap();
    assert_eq!(first, "run: hammer-en, seed 7");
    assert!(rest.starts_with("terminated after ") && !rest.contains("items/s"), "{rest}");
    assert!(rest.contains("\nCached replies\n"), "{rest}");
}

#[test]
fn a_spent_budget_is_told_by_the_status_too() {
    let (server, _) = Server::builtin(0, Duration::ZERO);
    let bench = Bench::new();
    let price = "--limit 1 --concurrency 1 --out run --set model.generator.price.output=1000000 --max-cost 600";
    assert_eq!(bench.run(&server.line(&format!("{price} --set model.generator.max_tokens=200"))).code, 13);
    let told = bench.must("status run").stdout;
    assert!(told.contains(", generating items: the budget is spent: "), "{told}");
    assert!(told.contains("\nhint: run the same command again to resume"), "{told}");
}

#[test]
fn a_damaged_state_is_named() {
    let bench = Bench::new();
    bench.write("none/run.db", &"no database, and long enough to be looked at. ".repeat(30));
    assert_snapshot!("damaged_state", bench.run("status none").told());
    bench.must("pipeline hammer --limit 1 --quiet --out run");
    let path = bench.path("run/run.db");
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes.truncate(middle);
    bytes[100..].fill(0xa5);
    std::fs::write(&path, bytes).unwrap();
    let ended = bench.run("status run");
    assert_eq!(ended.code, 11, "{}", ended.stdout);
    assert!(ended.stdout.contains("\nYield\n"), "what the manifest says is shown all the same");
    assert!(ended.stderr.starts_with("error: `run.db` in `run` is damaged: "), "{}", ended.stderr);
    let told: serde_json::Value = serde_json::from_str(&bench.run("status run --json").stdout).unwrap();
    assert!(told["damage"].is_string(), "{told}");
}
