//! Runs that an earlier build left: an interrupted one is resumed, two shards are merged, rejects are run again. What was
//! answered is not asked for again, and the bytes are those of that time.
//!
//! The runs lie in `tests/fixtures/runs/`. `FCGEN_RECORD=1 cargo test --test it recorded` records them anew: for a change
//! that is meant to end old runs, such as new prompts.

use crate::cli::bench::{Bench, Ended};
use crate::cli::server::Server;
use fcgen::llm::Task;
use fcgen::llm::stub::{StubFault, StubReply, StubRequest};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Questions that were answered before the recorded run was interrupted.
const ANSWERED: u64 = 60;
const RECORD: &str = "FCGEN_RECORD";

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/runs")
}

/// A working folder, with copies of recorded runs in it, and a server that counts what it is asked.
struct Recorded {
    bench: Bench,
    server: Server,
    asked: Arc<AtomicUsize>,
}

impl Recorded {
    fn open(runs: &[&str], rule: impl Fn(&StubRequest) -> StubReply + Send + Sync + 'static) -> Self {
        let bench = Bench::new();
        fs::copy(fixtures().join("recorded.toml"), bench.path("recorded.toml")).unwrap();
        for run in runs {
            fs::create_dir(bench.path(run)).unwrap();
            for entry in fs::read_dir(fixtures().join(run)).unwrap().map(Result::unwrap) {
                fs::copy(entry.path(), bench.path(run).join(entry.file_name())).unwrap();
            }
        }
        let asked = Arc::new(AtomicUsize::new(0));
        let count = asked.clone();
        let server = Server::handled(move |request| {
            count.fetch_add(1, Ordering::Relaxed);
            rule(request)
        });
        Self { bench, server, asked }
    }

    fn run(&self, more: &str) -> Ended {
        let url = self.server.stub.base_url();
        self.bench.run(&format!("pipeline recorded.toml --quiet --base-url {url} {more}"))
    }

    fn merge(&self) -> Ended {
        let url = self.server.stub.base_url();
        let shards = "shard-1 shard-2 --pipeline recorded.toml";
        self.bench.run(&format!("merge {shards} --base-url {url} --quiet --out merged"))
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    /// Samples and rejects, byte for byte.
    fn written(&self, run: &str) -> (String, String) {
        (self.bench.read(&format!("{run}/samples.jsonl")), self.bench.read(&format!("{run}/rejects.jsonl")))
    }
}

/// The built-in model, which finds no words for one tool.
fn faulty(request: &StubRequest) -> StubReply {
    let is_written = |task| matches!(task, Task::WriteQuery);
    match request.question() {
        Ok(question) if is_written(question.task) && question.item.contains("deleteAlarm") => StubReply::text(""),
        _ => Server::answer(request),
    }
}

fn interrupted(request: &StubRequest) -> StubReply {
    if request.ordinal < ANSWERED { faulty(request) } else { StubReply::Fault(StubFault::status(401)) }
}

/// Records what the tests below start from.
#[test]
fn recorded_runs_are_written_where_somebody_asks_for_it() {
    if std::env::var_os(RECORD).is_none() {
        return;
    }
    let keep = |recorded: &Recorded, run: &str, files: &[&str]| {
        let folder = fixtures().join(run);
        fs::create_dir_all(&folder).unwrap();
        for file in files {
            fs::copy(recorded.bench.path(run).join(file), folder.join(file)).unwrap();
        }
    };
    let cut = Recorded::open(&[], interrupted);
    assert_eq!(cut.run("--concurrency 1 --out interrupted").code, 12);
    keep(&cut, "interrupted", &["run.db", "manifest.json"]);
    let shards = Recorded::open(&[], faulty);
    for index in [1, 2] {
        assert_eq!(shards.run(&format!("--shard {index}/2 --out shard-{index}")).code, 0);
        keep(&shards, &format!("shard-{index}"), &["run.db", "manifest.json"]);
    }
    let whole = Recorded::open(&[], faulty);
    assert_eq!(whole.run("--out whole").code, 0);
    keep(&whole, "whole", &["run.db", "manifest.json", "samples.jsonl", "rejects.jsonl"]);
}

#[test]
fn an_interrupted_run_goes_on_and_asks_for_nothing_twice() {
    let whole = Recorded::open(&["whole"], faulty);
    let expected = whole.written("whole");
    assert_eq!(whole.run("--out whole").code, 0);
    assert_eq!((whole.asked(), whole.written("whole") == expected), (0, true), "a finished run has all its answers");
    let new = Recorded::open(&[], faulty);
    assert_eq!(new.run("--out new").code, 0);
    assert!(new.written("new") == expected, "a new run writes what the recorded one wrote");

    let resumed = Recorded::open(&["interrupted"], faulty);
    assert_eq!(resumed.run("--out interrupted").code, 0);
    assert!(resumed.written("interrupted") == expected);
    assert_eq!(resumed.asked() + usize::try_from(ANSWERED).unwrap(), new.asked());
}

#[test]
fn recorded_shards_are_merged_to_what_one_process_writes() {
    let shards = Recorded::open(&["shard-1", "shard-2", "whole"], faulty);
    let ended = shards.merge();
    assert_eq!((ended.code, shards.asked()), (0, 0), "{}", ended.stderr);
    assert!(shards.written("merged") == shards.written("whole"));
}

#[test]
fn rejects_of_a_recorded_run_are_asked_for_again_and_nothing_else_is() {
    let items: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = items.clone();
    let whole = Recorded::open(&["whole"], move |request| {
        seen.lock().unwrap().push(request.question().unwrap().item.to_string());
        Server::answer(request)
    });
    let (samples, rejects) = whole.written("whole");
    let rejected: Vec<String> = rejects.lines().map(id).collect();
    let ended = whole.run("--rerun-rejects --out whole");
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    let (now, left) = whole.written("whole");
    assert!(left.lines().count() < rejects.lines().count(), "{left}");
    let changed: Vec<&str> = samples.lines().filter(|line| !now.contains(line)).collect();
    assert_eq!(changed, Vec::<&str>::new(), "what was accepted stays as it was");
    let items = items.lock().unwrap();
    let is_rerun = |item: &String| rejected.iter().any(|reject| item.starts_with(reject));
    assert!(!items.is_empty() && items.iter().all(is_rerun), "{items:?} of {rejected:?}");
}

fn id(line: &str) -> String {
    serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].as_str().unwrap().to_owned()
}
