//! A server with the built-in model behind it that remembers what it answered, and runs in processes of their own.

use fcgen::llm::stub::{Rule, Stub, StubFault, StubOptions, StubReply};
use fcgen::locale::Pack;
use fcgen::model::Grammar;
use fcgen::toolset::Toolset;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Every request that the stub answered: its body's hash, and when.
pub(crate) struct Log {
    pub(crate) answered: Mutex<Vec<(blake3::Hash, Instant)>>,
    pub(crate) count: watch::Sender<usize>,
    /// Tokens that the server charges for.
    pub(crate) charged: AtomicU64,
    /// So many are answered; the others are told that the key is wrong.
    pub(crate) answers: AtomicUsize,
}

/// A server with the built-in model behind it, and a folder for runs.
pub(crate) struct Bench {
    pub(crate) stub: Stub,
    pub(crate) log: Arc<Log>,
    pub(crate) folder: tempfile::TempDir,
}

impl Bench {
    pub(crate) async fn start() -> Self {
        let mut pack = Pack::load(fcgen::assets(), "en").unwrap();
        Toolset::load(fcgen::assets(), "mobile", "en").unwrap().extend(&mut pack).unwrap();
        let model = Grammar::new(Arc::new(pack), 7);
        let log = Arc::new(Log {
            answered: Mutex::default(),
            count: watch::Sender::new(0),
            charged: AtomicU64::new(0),
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
            kept.charged.fetch_add(reply.usage.prompt + reply.usage.completion, Ordering::Relaxed);
            StubReply::Reply(reply)
        });
        let jitter = Duration::from_millis(8);
        let stub = Stub::start(StubOptions { rule, jitter, ..StubOptions::default() }).await.unwrap();
        let bench = Self { stub, log, folder: tempfile::tempdir().unwrap() };
        bench.write_pipeline();
        bench
    }

    fn write_pipeline(&self) {
        let shipped = fcgen::assets().read("pipelines/hammer.toml").unwrap();
        let model = format!(
            "provider = \"openai\"\nbase_url = \"{}\"\nmodel = \"stub\"\nsend_task = true\nconcurrency = 8\n",
            self.stub.base_url()
        );
        let text = shipped.replace("provider = \"grammar\"      # built in\n", &model);
        assert_ne!(text, shipped, "the shipped pipeline names the built-in model in another way");
        fs::write(self.folder.path().join("hammer.toml"), text).unwrap();
    }

    /// Starts the run in a process of its own.
    pub(crate) fn spawn(&self, out: &Path) -> Child {
        self.spawn_with(out, &[])
    }

    /// The same with more words on the command line.
    pub(crate) fn spawn_with(&self, out: &Path, more: &[&str]) -> Child {
        Command::new(env!("CARGO_BIN_EXE_fcgen"))
            .args(["pipeline", "hammer.toml", "--limit", "2", "--quiet", "--set", "floor=0", "--out"])
            .arg(out)
            .args(more)
            .current_dir(self.folder.path())
            .env("NO_PROXY", "127.0.0.1")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Runs to the end.
    pub(crate) async fn finish(&self, out: &Path) {
        let mut child = self.spawn(out);
        let status = tokio::task::spawn_blocking(move || child.wait()).await.unwrap().unwrap();
        assert!(status.success(), "{status}");
    }

    /// Tokens that the server charged for so far.
    pub(crate) fn charged(&self) -> u64 {
        self.log.charged.load(Ordering::Relaxed)
    }

    pub(crate) fn count(&self) -> usize {
        self.log.answered.lock().unwrap().len()
    }

    /// The moments at which requests had been answered that were answered once more, after the first `since`.
    pub(crate) fn repeated(&self, since: usize) -> Vec<(Instant, Instant)> {
        let mut before: BTreeMap<[u8; 32], Instant> = BTreeMap::new();
        let answered = self.log.answered.lock().unwrap();
        let again = answered.iter().skip(since);
        again.filter_map(|(body, now)| Some((before.insert(*body.as_bytes(), *now)?, *now))).collect()
    }
}

/// What must be the same, by name.
pub(crate) fn bytes(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let single = fs::read_dir(folder.join("benchmark/data/en/single-turn")).unwrap();
    let mut paths: Vec<_> = single.map(|entry| entry.unwrap().path()).collect();
    paths
        .extend(["samples.jsonl", "rejects.jsonl", "benchmark/data/en/single-turn.json"].map(|name| folder.join(name)));
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    paths.iter().map(|path| (name(path), fs::read(path).unwrap())).collect()
}
