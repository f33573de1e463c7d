//! What a run leaves, and that it leaves the same whichever way it was made.

use super::bench::{Bench, written};
use super::server::Server;
use fcgen::llm::stub::StubReply;
use insta::assert_snapshot;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[test]
fn a_run_folder_is_complete() {
    let bench = Bench::new();
    bench.must("pipeline hammer --limit 2 --quiet");
    let mut names: Vec<String> = written(&bench.path("output/hammer-en")).into_keys().collect();
    names.retain(|name| !name.starts_with("benchmark/"));
    assert_eq!(names, ["rejects.jsonl", "samples.jsonl"]);
    let benchmark = bench.path("output/hammer-en/benchmark/data/en");
    for name in ["single-turn.json", "single-turn/ST_Perfect.json", "single-turn/ir_ST_External.json"] {
        assert!(benchmark.join(name).is_file(), "{name}");
    }
    let manifest: serde_json::Value = serde_json::from_str(&bench.read("output/hammer-en/manifest.json")).unwrap();
    assert_eq!((manifest["pipeline"].as_str(), manifest["template"].as_bool()), (Some("hammer"), Some(true)));
    assert!(bench.path("output/hammer-en/run.db").is_file());
}

#[test]
fn three_shards_merged_are_one_process() {
    let bench = Bench::new();
    bench.must("pipeline hammer --limit 12 --quiet --out one");
    for part in ["1/3", "2/3", "3/3"] {
        bench.must(&format!("pipeline hammer --limit 12 --quiet --shard {part}"));
    }
    let shards = ["1", "2", "3"].map(|part| format!("output/hammer-en-shard-{part}-of-3"));
    // The order in which they are named does not matter.
    let line = format!("merge {} {} {} --limit 12 --quiet", shards[2], shards[0], shards[1]);
    assert_eq!(bench.must(&line).stdout, "output/hammer-en\n");
    assert_eq!(written(&bench.path("one")), written(&bench.path("output/hammer-en")));
}

#[test]
fn shards_that_do_not_fit_are_refused() {
    let bench = Bench::new();
    bench.must("pipeline hammer --limit 3 --quiet --shard 1/2 --out a");
    bench.must("pipeline hammer --limit 3 --quiet --shard 2/2 --seed 8 --out b");
    bench.must("pipeline hammer --limit 3 --quiet --out whole");
    for (name, line) in [
        ("a_shard_is_missing", "merge a --limit 3"),
        ("another_seed", "merge a b --limit 3"),
        ("another_limit", "merge a --limit 4"),
        ("a_whole_run", "merge whole --limit 3"),
        ("no_run", "merge nothing --limit 3"),
    ] {
        assert_snapshot!(name, bench.run(line).told());
    }
}

#[test]
fn one_at_a_time_gives_the_same_as_many() {
    let bench = Bench::new();
    bench.must("pipeline hammer --limit 6 --quiet --concurrency 1 --out one");
    bench.must("pipeline hammer --limit 6 --quiet --concurrency 64 --out many");
    assert_eq!(written(&bench.path("one")), written(&bench.path("many")));
}

#[test]
fn another_seed_gives_another_benchmark() {
    let bench = Bench::new();
    bench.must("pipeline hammer --limit 2 --quiet --out one");
    bench.must("pipeline hammer --limit 2 --quiet --seed 8 --out other");
    assert_ne!(bench.read("one/samples.jsonl"), bench.read("other/samples.jsonl"));
}

#[test]
fn every_shipped_pipeline_runs() {
    let bench = Bench::new();
    for name in ["generate", "toolkits"] {
        let ended = bench.must(&format!("pipeline {name} --limit 2"));
        assert!(ended.stderr.contains("\nExample samples\n"), "{}", ended.stderr);
    }
}

#[test]
fn the_readme_is_true() {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let bench = Bench::new();
    let (_, file) = readme.split_once("```toml\n").unwrap();
    bench.write("queries.toml", file.split_once("```").unwrap().0);
    assert_eq!(bench.must("pipeline queries.toml --limit 2 --quiet").stdout, "output/queries-en\n");
    let help = bench.must("--help").stdout;
    let (_, codes) = help.split_once("Exit codes:\n").unwrap();
    for (code, meaning) in codes.lines().filter_map(|line| line.trim().split_once(' ')) {
        assert!(readme.contains(&format!("| {code} | {} |", meaning.trim())), "{code}");
    }
}

/// What SQLite leaves beside a database that was not closed.
fn logs(folder: &Path) -> Vec<PathBuf> {
    let mut logs = Vec::new();
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            logs.extend(self::logs(&path));
        } else if name.ends_with("-wal") || name.ends_with("-shm") {
            logs.push(path);
        }
    }
    logs
}

#[test]
fn a_database_is_closed_however_a_command_ends() {
    let (server, _) = Server::builtin(0, Duration::ZERO);
    let bench = Bench::new();
    let ends = |line: &str, code: i32| {
        let ended = bench.run(line);
        assert_eq!(ended.code, code, "{line}: {}", ended.stderr);
        assert_eq!(logs(&bench.path("")), Vec::<PathBuf>::new(), "{line}");
    };
    ends(&server.line("--limit 2 --out run"), 0);
    ends(&server.line("--limit 2 --out run"), 0);
    ends(&server.line("--limit 2 --out spent --set max_tokens=1000"), 13);
    for part in ["1/2", "2/2"] {
        ends(&server.line(&format!("--limit 2 --shard {part}")), 0);
    }
    let line = server
        .line("--limit 2 --out merged")
        .replace("pipeline hammer", "merge output/hammer-en-shard-1-of-2 output/hammer-en-shard-2-of-2");
    ends(&line, 0);
    ends("localize run --locale ko --quiet --out korean", 14);
    let refusing = Server::refusing_after(20);
    ends(&refusing.line("--limit 2 --out refused"), 12);
    let nonsense = Server::handled(|_| StubReply::text("no"));
    ends(&nonsense.line("--limit 1 --out few"), 14);
    ends(&format!("predict run --quiet --model m --base-url {} --out said.jsonl", nonsense.stub.base_url()), 0);
}
