//! Every fault that a server, a disk or another process can bring, against the real binary: no row is lost unseen.

use super::bench::{Bench, Ended, written};
use super::server::{Server, spawn};
use assert_cmd::Command;
use fcgen::llm::FinishReason;
use fcgen::llm::stub::{FaultPlan, StubFault};
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::Duration;

/// How many items `--limit 1` makes of the pipeline that is run here.
const ITEMS: usize = 20;

/// The faults after which a request is sent once more, under a name each.
fn passing() -> Vec<(String, StubFault)> {
    let statuses = [408, 409, 429, 500, 502, 503, 529];
    let named = |name: &str, fault| (name.to_owned(), fault);
    let mut faults: Vec<_> = statuses.iter().map(|status| (status.to_string(), StubFault::status(*status))).collect();
    faults.extend(statuses.iter().map(|status| (format!("code {status}"), StubFault::integer_code(*status))));
    faults.extend(
        ["0", "0.002", "Sun, 06 Nov 1994 08:49:37 GMT", "soon"]
            .map(|wait| (format!("wait {wait}"), StubFault::status(429).with_header("retry-after", wait))),
    );
    faults.extend([
        named("wait in milliseconds", StubFault::status(503).with_header("retry-after-ms", "2")),
        named("plain text", StubFault::text(503, "overloaded")),
        named("page", StubFault::html(502)),
        named("page that says yes", StubFault::html(200)),
        named("dropped before headers", StubFault::DropBeforeHeaders),
        named("dropped after headers", StubFault::DropAfterHeaders),
        named("truncated", StubFault::TruncatedBody),
        named("trickle", StubFault::Trickle(Duration::from_millis(50))),
        named("half a JSON", StubFault::HalfJson),
        named("no JSON", StubFault::json(200, "{{")),
        named("content type", StubFault::WrongContentType),
        named("no choices", StubFault::EmptyChoices),
        named("broken off", StubFault::Finish("error".to_owned())),
    ]);
    faults
}

/// The rejects of a run, each of which must name its item, its stage and its reason.
fn rejects(bench: &Bench) -> Vec<Value> {
    let rows: Vec<Value> =
        bench.read("run/rejects.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for row in &rows {
        assert!(
            ["id", "stage", "reason"].iter().all(|key| row[key].as_str().is_some_and(|text| !text.is_empty())),
            "{row}"
        );
    }
    rows
}

#[test]
fn a_server_that_always_fails_leaves_every_row_with_its_reason() {
    for (name, fault) in passing() {
        let bench = Bench::new();
        let hasty = "--limit 1 --out run --set model.generator.timeout=300ms --set model.generator.retries=0";
        let ended = bench.run(&Server::failing(fault).line(hasty));
        assert_eq!(ended.code, 12, "{name}: {}", ended.stderr);
        let rows = rejects(&bench);
        let ids: BTreeSet<&str> = rows.iter().filter_map(|row| row["id"].as_str()).collect();
        assert_eq!((rows.len(), ids.len()), (ITEMS, ITEMS), "{name}");
        assert!(rows.iter().all(|row| row["reason"] == "transport"), "{name}: {}", rows[0]);
    }
}

#[test]
fn replies_that_ended_early_are_rejected_with_a_reason_although_they_read_well() {
    for (finish, reason) in [(FinishReason::Length, "truncated"), (FinishReason::ContentFilter, "filtered")] {
        let bench = Bench::new();
        let ended = bench.run(&Server::ending(finish).line("--limit 1 --out run"));
        assert_ne!(ended.code, 0, "{reason}: {}", ended.stderr);
        let rows = rejects(&bench);
        assert!(rows.len() == ITEMS && rows.iter().all(|row| row["reason"] == reason), "{reason}: {}", rows[0]);
        let manifest: Value = serde_json::from_str(&bench.read("run/manifest.json")).unwrap();
        assert_eq!(manifest["rejects"][reason], ITEMS, "{reason}");
    }
}

#[test]
fn a_server_s_own_word_for_the_end_is_taken_as_it_is_and_noted() {
    let (calm, _) = Server::builtin(0, Duration::ZERO);
    let servers = [calm, Server::ending(FinishReason::Other("eos_token".to_owned()))];
    let [one, other] = servers.map(|server| {
        let bench = Bench::new();
        bench.must(&server.line("--limit 1 --out run"));
        bench
    });
    assert_eq!(written(&one.path("run")), written(&other.path("run")));
    assert!(other.read("run/manifest.json").contains("\"finish eos_token\": "));
    assert!(!one.read("run/manifest.json").contains("\"finish "));
}

#[test]
fn faults_of_all_kinds_between_good_answers_change_nothing_of_what_is_written() {
    let (calm, _) = Server::builtin(0, Duration::ZERO);
    let faults = passing();
    let share = 0.15 / f64::from(u32::try_from(faults.len()).unwrap());
    let plan = faults.into_iter().fold(FaultPlan::default(), |plan, (_, fault)| plan.at_rate(share, fault));
    let rough = Server::builtin_with(plan);
    let [one, other] = [&calm, &rough].map(|server| {
        let bench = Bench::new();
        bench
            .must(&server.line("--limit 6 --out run --set model.generator.retries=8 --set model.generator.timeout=2s"));
        bench
    });
    assert_eq!(written(&one.path("run")), written(&other.path("run")));
    let (needed, sent) = (calm.stub.stats().total, rough.stub.stats().total);
    assert!(needed < sent && sent * 2 <= needed * 3, "{sent} requests for {needed}");
}

#[test]
fn keys_that_are_refused_half_way_stop_the_run_and_a_good_key_goes_on() {
    let (server, _) = Server::builtin(0, Duration::ZERO);
    let refusing = Server::refusing_after(60);
    let bench = Bench::new();
    // One endpoint to the cache: what the first server answered is not asked of the second.
    let more = "--limit 2 --out run --set model.generator.endpoint_id=one";
    let ended = bench.run(&refusing.line(more));
    assert_eq!(ended.code, 12, "{}", ended.stderr);
    assert!(ended.stderr.contains("HTTP 401") && ended.stderr.contains("hint: "), "{}", ended.stderr);
    assert!(!bench.path("run/samples.jsonl").exists());
    bench.must(&server.line(more));
    let calm = Bench::new();
    let before = server.stub.stats().total;
    calm.must(&server.line(more));
    assert!(before < server.stub.stats().total - before, "what was answered is kept");
    assert_eq!(written(&bench.path("run")), written(&calm.path("run")));
}

#[test]
fn a_host_without_a_name_and_one_without_tls_stop_the_run() {
    // A label that is too long to be asked for is refused without a network.
    let unknown = format!("http://{}/v1", "x".repeat(70));
    let (server, _) = Server::builtin(0, Duration::ZERO);
    let plain = server.stub.base_url().replace("http://", "https://");
    for (url, word) in [(unknown, "the host is not known"), (plain, "")] {
        let bench = Bench::new();
        let hasty = "--set model.generator.backoff=1ms --set model.generator.retries=1";
        let ended =
            bench.run(&format!("pipeline hammer --quiet --limit 1 --model m --base-url {url} {hasty} --out run"));
        assert_eq!(ended.code, 12, "{}", ended.stderr);
        assert!(ended.stderr.contains(word) && ended.stderr.contains("\nhint: "), "{}", ended.stderr);
        assert!(!bench.path("run/samples.jsonl").exists());
    }
}

#[test]
fn a_second_process_on_the_same_run_is_turned_away_and_the_first_is_not_disturbed() {
    let (server, word) = Server::builtin(20, Duration::from_millis(10));
    let (bench, calm) = (Bench::new(), Bench::new());
    let line = server.line("--limit 2 --out run");
    let first = spawn(&bench, &line);
    word.recv().unwrap();
    let second = bench.run(&line);
    assert_eq!(second.code, 11, "{}", second.stderr);
    assert!(second.stderr.starts_with("error: another process is using `"), "{}", second.stderr);
    let output = first.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    calm.must(&line);
    assert_eq!(written(&bench.path("run")), written(&calm.path("run")));
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_at_the_end_leaves_no_half_a_file_and_the_run_goes_on_later() {
    for name in ["samples.jsonl", "rejects.jsonl", "manifest.json"] {
        let (server, _) = Server::builtin(0, Duration::ZERO);
        let bench = Bench::new();
        let (line, part) = (server.line("--limit 1 --out run"), bench.path(&format!("run/{name}.part")));
        std::fs::create_dir(bench.path("run")).unwrap();
        std::os::unix::fs::symlink("/dev/full", &part).unwrap();
        let ended = bench.run(&line);
        assert!(ended.code != 0 && ended.stderr.contains("No space left on device"), "{name}: {}", ended.told());
        assert!(!bench.path(&format!("run/{name}")).exists(), "{name}");
        let paid = server.stub.stats().total;
        std::fs::remove_file(&part).unwrap_or_default();
        bench.must(&line);
        assert_eq!(server.stub.stats().total, paid, "{name}: what was paid for is kept");
    }
}

/// Runs `fcgen` on a file system of its own, mounted on `run` with these options; nothing where that is not allowed.
#[cfg(target_os = "linux")]
fn mounted(bench: &Bench, options: &str, line: &str) -> Option<Ended> {
    std::fs::create_dir_all(bench.path("run")).unwrap();
    let script =
        format!("mount -t tmpfs -o {options} tmpfs run || exit 99; exec {} {line}", env!("CARGO_BIN_EXE_fcgen"));
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", &script]).current_dir(bench.path("")).timeout(Duration::from_secs(60));
    let output = command.output().ok()?;
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let ended = Ended { code: output.status.code()?, stdout: text(output.stdout), stderr: text(output.stderr) };
    (ended.code != 99 && !ended.stderr.starts_with("unshare: ")).then_some(ended)
}

#[cfg(target_os = "linux")]
#[test]
fn a_place_that_is_full_or_read_only_is_told() {
    let (server, _) = Server::builtin(0, Duration::ZERO);
    let places = [("size=64k", "disk is full"), ("ro", "hint: check free disk space and write permissions")];
    for (options, words) in places {
        let Some(ended) = mounted(&Bench::new(), options, &server.line("--limit 6 --out run")) else { return };
        assert!(ended.code != 0 && ended.stderr.contains(words), "{options}: {}", ended.told());
    }
}
