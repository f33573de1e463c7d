//! Ctrl-C in every phase: the process ends long before whatever it waits for, says how to go on, and loses nothing.
//!
//! Servers here take minutes for an answer, and what is written to is never read: a process that waited for either would
//! not come to its end while a test lasts.

use super::bench::{Bench, Ended, written};
use super::server::{Holding, Server, spawn};
use insta::assert_snapshot;
use rusqlite::Connection;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

fn end(bench: &Bench, child: Child) -> Ended {
    bench.ended(&child.wait_with_output().unwrap())
}

/// Returns when the run says that so many answers have come; the server knows only what it sent.
fn until_all_have_come(bench: &Bench, answers: u64) {
    loop {
        let status: serde_json::Value = serde_json::from_str(&bench.must("status run --json").stdout).unwrap();
        assert_eq!(status["state"], "running", "{status}");
        let number = |value: &serde_json::Value| value.as_u64().unwrap_or_default();
        if number(&status["progress"]["spent"]["attempts"]).saturating_sub(number(&status["progress"]["in_flight"]))
            >= answers
        {
            return;
        }
    }
}

fn stopped(bench: &Bench, child: Child, name: &str) -> Ended {
    signal(&child, name);
    end(bench, child)
}

#[test]
fn while_a_model_is_asked() {
    let holding = Server::holding_after(60);
    let bench = Bench::new();
    let line = holding.server.line("--limit 3 --out run");
    let child = spawn(&bench, &line);
    holding.word.recv().unwrap();
    until_all_have_come(&bench, 60);
    let ended = stopped(&bench, child, "-INT");
    assert_snapshot!("interrupted_while_asking", ended.told());
    assert_eq!(holding.answered().0, 60, "nobody was waited for");
    let told = bench.must("status run").stdout;
    assert!(told.contains("\nstopped after ") && told.contains(", generating items: interrupted\n"), "{told}");
    assert!(told.ends_with("\nhint: run the same command again to resume; cached replies are not requested again\n"));
    holding.release();
    assert_eq!(bench.run(&line).code, 0);
    assert_eq!(holding.answered().1, 0, "what was answered is not asked again");
    assert!(!bench.path("run/progress.json").exists());
}

#[test]
fn while_predictions_are_asked_for_and_by_the_signal_of_schedulers() {
    let Holding { server, word, .. } = Server::holding_after(0);
    let bench = Bench::new();
    bench.must("pipeline hammer --limit 1 --quiet --out run");
    let url = server.stub.base_url();
    let child = spawn(&bench, &format!("predict run --quiet --model m --base-url {url}"));
    word.recv().unwrap();
    let ended = stopped(&bench, child, "-TERM");
    assert_snapshot!("interrupted_while_predicting", ended.told());
    assert!(!bench.path("predictions.jsonl").exists() && !bench.path("predictions.jsonl.part").exists());
}

#[test]
fn while_a_judge_is_asked() {
    let Holding { server, word, .. } = Server::holding_after(0);
    let bench = Bench::new();
    bench.must("pipeline hammer --limit 1 --quiet --out run");
    bench.must("predict run --quiet");
    let url = server.stub.base_url();
    let line = format!("score run --predictions predictions.jsonl --judge-model m --judge-base-url {url}");
    let child = spawn(&bench, &line);
    word.recv().unwrap();
    let ended = stopped(&bench, child, "-INT");
    assert_eq!(ended.code, 130, "{}", ended.stderr);
    assert!(ended.stderr.contains("error: interrupted\n\nhint: resume with: fcgen score run "), "{}", ended.stderr);
}

/// Waits until the file is there.
fn appears(path: &Path, child: &mut Child) {
    while !path.exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before");
        std::thread::yield_now();
    }
}

/// A run that cannot even open its state, since somebody else holds it.
fn held_in_setup(bench: &Bench, line: &str) -> (Connection, Child) {
    bench.write("run/notes.txt", "");
    let other = Connection::open(bench.path("run/run.db")).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE; CREATE TABLE other (id)").unwrap();
    let mut child = spawn(bench, line);
    appears(&bench.path("run/progress.json"), &mut child);
    (other, child)
}

#[test]
fn while_it_is_being_set_up() {
    let bench = Bench::new();
    let (other, child) = held_in_setup(&bench, "pipeline hammer --limit 1 --quiet --out run");
    let told = bench.run("status run --json").stdout;
    assert!(told.contains("\"state\":\"running\"") && told.contains("\"phase\":\"setup\""), "{told}");
    assert_snapshot!("interrupted_in_setup", stopped(&bench, child, "-INT").told());
    other.execute_batch("ROLLBACK").unwrap();
    assert!(bench.must("status run").stdout.contains("\nterminated after "));
}

#[test]
fn a_second_one_stops_at_once() {
    let bench = Bench::new();
    let (_other, mut child) = held_in_setup(&bench, "pipeline hammer --limit 1 --quiet --out run");
    signal(&child, "-INT");
    let mut said = String::new();
    BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut said).unwrap();
    assert!(said.starts_with("stopping: ") && said.ends_with("(interrupt again to stop immediately)\n"), "{said}");
    // It may have had its time already.
    Command::new("kill").args(["-INT", &child.id().to_string()]).stderr(Stdio::null()).status().unwrap();
    assert_eq!(end(&bench, child).code, 130);
}

#[test]
fn while_the_files_are_written() {
    let bench = Bench::new();
    let line = "pipeline hammer --limit 4 --quiet --out run";
    bench.write("run/.notes", "");
    let pipe = bench.path("run/samples.jsonl.part");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let child = spawn(&bench, line);
    // Opens when the run opens it, and is never read from.
    let reader = File::open(&pipe).unwrap();
    let told = bench.must("status run").stdout;
    assert!(told.contains(": writing files\n") && told.contains("4 of 4 source items done"), "{told}");
    assert_snapshot!("interrupted_while_writing", stopped(&bench, child, "-INT").told());
    drop(reader);
    // It may have heard the wish between two items; then it has taken the pipe away.
    std::fs::remove_file(&pipe).unwrap_or_default();
    assert!(!bench.path("run/samples.jsonl").exists(), "files appear whole or not at all");
    assert!(bench.must("status run").stdout.contains(", writing files: interrupted\n"));
    let other = Bench::new();
    bench.must(line);
    other.must(&line.replace("--out run", "--out whole"));
    std::fs::remove_file(bench.path("run/.notes")).unwrap();
    assert_eq!(written(&bench.path("run")), written(&other.path("whole")));
}
