//! A run that is killed and started again: the same bytes, and next to nothing is asked for twice.

#![expect(clippy::unwrap_used, reason = "a test stops at whatever it did not expect")]

use fcgen::config::{Overrides, Plan, load};
use fcgen::llm::Interrupt;
use fcgen::llm::grammar::Grammar;
use fcgen::llm::stub::{Rule, Stub, StubFault, StubOptions, StubReply};
use fcgen::locale::Pack;
use fcgen::record::Chance;
use fcgen::run::{Live, Manifest, Options, RunError, Summary, merge, run};
use fcgen::stage::Stop;
use fcgen::toolset::Toolset;
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// What was answered so long before a kill may be asked for again.
const WINDOW: Duration = Duration::from_millis(50);

/// Every request that the stub answered: its body's hash, and when.
struct Log {
    answered: Mutex<Vec<(blake3::Hash, Instant)>>,
    count: watch::Sender<usize>,
    /// So many are answered; the others are told that the key is wrong.
    answers: AtomicUsize,
}

/// A server with the built-in model behind it, and a folder for runs.
struct Bench {
    stub: Stub,
    log: Arc<Log>,
    folder: tempfile::TempDir,
}

impl Bench {
    async fn start() -> Self {
        let mut pack = Pack::load("en").unwrap();
        Toolset::load("mobile", "en").unwrap().extend(&mut pack).unwrap();
        let model = Grammar::new(Arc::new(pack), 7);
        let log = Arc::new(Log {
            answered: Mutex::default(),
            count: watch::Sender::new(0),
            answers: AtomicUsize::new(usize::MAX),
        });
        let kept = log.clone();
        let rule = Rule::handler(move |request| {
            let mut reply = model.reply(&request.question().unwrap());
            reply.usage.prompt = 500;
            let mut answered = kept.answered.lock().unwrap();
            if answered.len() >= kept.answers.load(Ordering::Relaxed) {
                return StubReply::Fault(StubFault::status(401));
            }
            answered.push((blake3::hash(request.body.to_string().as_bytes()), Instant::now()));
            kept.count.send_replace(answered.len());
            StubReply::Reply(reply)
        });
        let jitter = Duration::from_millis(8);
        let stub = Stub::start(StubOptions { rule, jitter, ..StubOptions::default() }).await.unwrap();
        let bench = Self { stub, log, folder: tempfile::tempdir().unwrap() };
        bench.write_pipeline();
        bench
    }

    fn write_pipeline(&self) {
        let shipped = fcgen::data::read("pipelines/hammer.toml").unwrap();
        let model = format!(
            "provider = \"openai\"\nbase_url = \"{}\"\nmodel = \"stub\"\nsend_task = true\nconcurrency = 8\n",
            self.stub.base_url()
        );
        let text = shipped.replace("provider = \"grammar\"      # built in\n", &model);
        assert_ne!(text, shipped, "the shipped pipeline names the built-in model in another way");
        fs::write(self.folder.path().join("hammer.toml"), text).unwrap();
    }

    fn plan(&self, sets: &[&str]) -> Plan {
        let mut overrides = Overrides::default();
        for set in ["limit=2", "floor=0"].iter().chain(sets) {
            overrides.set(*set);
        }
        let path = self.folder.path().join("hammer.toml");
        load(&fs::read_to_string(&path).unwrap(), path.to_str().unwrap(), &overrides).unwrap()
    }

    /// The same pipeline for a run in this process.
    async fn run(&self, out: &str, sets: &[&str], options: impl FnOnce(&mut Options)) -> Result<Summary, RunError> {
        let mut asked = Options::new(self.folder.path().join(out));
        options(&mut asked);
        run(&self.plan(sets), &asked, |_: Live| {}).await
    }

    fn manifest(&self, out: &str) -> Manifest {
        serde_json::from_slice(&fs::read(self.folder.path().join(out).join("manifest.json")).unwrap()).unwrap()
    }

    /// Starts the run in a process of its own.
    fn spawn(&self, out: &Path) -> Child {
        Command::new(env!("CARGO_BIN_EXE_fcgen"))
            .args(["pipeline", "hammer.toml", "--limit", "2", "--quiet", "--set", "floor=0", "--out"])
            .arg(out)
            .current_dir(self.folder.path())
            .env("NO_PROXY", "127.0.0.1")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Runs to the end.
    async fn finish(&self, out: &Path) {
        let mut child = self.spawn(out);
        let status = tokio::task::spawn_blocking(move || child.wait()).await.unwrap().unwrap();
        assert!(status.success(), "{status}");
    }

    /// Kills a run when so many more requests were answered; gives the moment, or nothing if it was at its end before.
    async fn kill_after(&self, out: &Path, requests: usize) -> Option<Instant> {
        let until = self.count() + requests;
        let mut counts = self.log.count.subscribe();
        let mut child = self.spawn(out);
        // Its output ends when it does; until somebody waits for it, its id is nobody else's.
        let mut output = child.stdout.take().unwrap();
        let mut ended = tokio::task::spawn_blocking(move || output.read_to_end(&mut Vec::new()));
        tokio::select! {
            _ = counts.wait_for(|count| *count >= until) => {}
            _ = &mut ended => {}
        }
        let moment = Instant::now();
        child.kill().unwrap();
        let status = tokio::task::spawn_blocking(move || child.wait()).await.unwrap().unwrap();
        (!status.success()).then_some(moment)
    }

    fn count(&self) -> usize {
        self.log.answered.lock().unwrap().len()
    }

    /// The requests of a round that were repeated though their answers had been there for longer than allowed.
    fn wasted(&self, since: usize, kills: &[Instant]) -> (usize, usize) {
        let mut before: BTreeMap<[u8; 32], Instant> = BTreeMap::new();
        let (mut repeated, mut wasted) = (0, 0);
        for (body, now) in self.log.answered.lock().unwrap().iter().skip(since) {
            if let Some(earlier) = before.insert(*body.as_bytes(), *now) {
                repeated += 1;
                let excused = kills.iter().any(|kill| *kill <= *now && earlier + WINDOW >= *kill);
                wasted += usize::from(!excused);
            }
        }
        (repeated, wasted)
    }
}

/// What must be the same, by name.
fn bytes(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let single = fs::read_dir(folder.join("benchmark/data/en/single-turn")).unwrap();
    let mut paths: Vec<_> = single.map(|entry| entry.unwrap().path()).collect();
    paths
        .extend(["samples.jsonl", "rejects.jsonl", "benchmark/data/en/single-turn.json"].map(|name| folder.join(name)));
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    paths.iter().map(|path| (name(path), fs::read(path).unwrap())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_runs_that_are_killed_and_started_again() {
    let bench = Bench::start().await;
    let whole = bench.folder.path().join("whole");
    bench.finish(&whole).await;
    let (expected, total) = (bytes(&whole), bench.count());
    assert!(total > 50 && bench.wasted(0, &[]) == (0, 0), "{total} requests");
    let mut chance = Chance::of(&[b"moments to be killed at"]);
    let mut killed = 0;
    for round in 0..20 {
        let (out, since) = (bench.folder.path().join(round.to_string()), bench.count());
        let mut kills = Vec::new();
        for _ in 0..=round % 2 {
            kills.extend(bench.kill_after(&out, 1 + chance.below(total / 2)).await);
        }
        bench.finish(&out).await;
        assert!(bytes(&out) == expected, "round {round} gave other bytes");
        let (repeated, wasted) = bench.wasted(since, &kills);
        assert_eq!(wasted, 0, "round {round}: of {repeated} repeated requests, so many had been answered long before");
        assert_eq!(bench.count() - since, total + repeated, "round {round}: nothing is asked for that need not be");
        killed += kills.len();
    }
    assert!(killed >= 20, "{killed} were killed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_at_its_end_asks_nothing_when_run_again() {
    let bench = Bench::start().await;
    let out = bench.folder.path().join("out");
    bench.finish(&out).await;
    let (first, asked) = (bytes(&out), bench.count());
    bench.finish(&out).await;
    assert_eq!(bench.count(), asked);
    assert!(bytes(&out) == first);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_spent_budget_loses_nothing_that_was_paid_for() {
    let bench = Bench::start().await;
    let error = bench.run("out", &["max_tokens=30000"], |_| {}).await.unwrap_err();
    assert!(matches!(error, RunError::Stop(Stop::Budget(_))), "{error}");
    assert!(bench.manifest("out").stopped.unwrap().starts_with("the budget is spent: "));
    assert!(bench.count() > 10);
    bench.run("out", &[], |_| {}).await.unwrap();
    assert_eq!(bench.wasted(0, &[]), (0, 0), "what was in flight when the budget was spent has come in");
    assert_eq!(bench.manifest("out").stopped, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_refuses_half_way_loses_nothing_that_was_answered() {
    let bench = Bench::start().await;
    bench.log.answers.store(40, Ordering::Relaxed);
    let error = bench.run("out", &[], |_| {}).await.unwrap_err();
    assert!(matches!(error, RunError::Stop(Stop::Endpoint { .. })), "{error}");
    let usage = bench.manifest("out").usage;
    assert!(usage.iter().map(|row| row.attempts).sum::<u64>() >= 40, "the manifest says how far it came");
    bench.log.answers.store(usize::MAX, Ordering::Relaxed);
    bench.run("out", &[], |_| {}).await.unwrap();
    assert_eq!(bench.wasted(0, &[]), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_run_keeps_what_was_answered() {
    let bench = Bench::start().await;
    let interrupt = Interrupt::new();
    let mut counts = bench.log.count.subscribe();
    let throw = async {
        counts.wait_for(|count| *count >= 50).await.unwrap();
        interrupt.trigger();
        Instant::now()
    };
    let (result, thrown) = tokio::join!(bench.run("out", &[], |options| options.interrupt = interrupt.clone()), throw);
    assert!(matches!(result, Err(RunError::Stop(Stop::Interrupted))));
    assert!(thrown.elapsed() < Duration::from_secs(5), "it ends without waiting for anybody");
    bench.run("out", &[], |_| {}).await.unwrap();
    let (_, wasted) = bench.wasted(0, &[thrown]);
    assert_eq!(wasted, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_preview_paid_for_serves_the_run() {
    let bench = Bench::start().await;
    let preview = bench.run("out", &[], |options| options.preview = Some(1)).await.unwrap();
    assert!(!preview.preview.is_empty() && bench.count() > 0);
    bench.run("out", &[], |_| {}).await.unwrap();
    assert_eq!(bench.wasted(0, &[]), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn shards_that_were_merged_hold_every_reply() {
    let bench = Bench::start().await;
    let shards: Vec<PathBuf> = (0..2).map(|index| bench.folder.path().join(format!("s{index}"))).collect();
    for index in 0..2 {
        bench.run(&format!("s{index}"), &[], |options| options.shard = Some((index, 2))).await.unwrap();
    }
    let all = bench.folder.path().join("all");
    merge(&bench.plan(&[]), &shards, &Options::new(&all)).unwrap();
    let (merged, asked) = (bytes(&all), bench.count());
    bench.run("all", &[], |_| {}).await.unwrap();
    assert_eq!(bench.count(), asked, "the merged folder knows every answer");
    assert!(bytes(&all) == merged);
}
