//! Servers for the binary to ask: the built-in model over HTTP, and what fails.

use super::bench::{Bench, Ended};
use fcgen::llm::stub::{BatchPlan, FaultPlan, Rule, Stub, StubFault, StubOptions, StubReply, StubRequest};
use fcgen::llm::{FinishReason, Reply, Request};
use fcgen::locale::Pack;
use fcgen::model::Grammar;
use fcgen::toolset::Toolset;
use std::collections::BTreeSet;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;
use tokio::runtime::Runtime;

/// A stub with the runtime that it lives in.
pub(crate) struct Server {
    pub(crate) stub: Stub,
    pub(crate) runtime: Runtime,
}

/// A server that answers some and keeps all others waiting, ten seconds for each byte.
pub(crate) struct Holding {
    pub(crate) server: Server,
    /// Word of each question that is kept waiting.
    pub(crate) word: Receiver<()>,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    whole: AtomicU64,
    answered: Mutex<BTreeSet<[u8; 32]>>,
    again: AtomicU64,
}

impl Holding {
    /// Answers everything from now on.
    pub(crate) fn release(&self) {
        self.counts.whole.store(u64::MAX, Ordering::Relaxed);
    }

    /// Questions that were answered, and those that were asked again though they had been.
    pub(crate) fn answered(&self) -> (usize, u64) {
        (self.counts.answered.lock().unwrap().len(), self.counts.again.load(Ordering::Relaxed))
    }
}

impl Server {
    pub(crate) fn start(options: StubOptions) -> Self {
        let runtime = Runtime::new().unwrap();
        let stub = runtime.block_on(Stub::start(options)).unwrap();
        Self { stub, runtime }
    }

    pub(crate) fn failing(fault: StubFault) -> Self {
        Self::start(StubOptions { faults: FaultPlan::always(fault), ..StubOptions::default() })
    }

    /// The built-in model over HTTP, and word of the `nth` question to it.
    pub(crate) fn builtin(nth: u64, latency: Duration) -> (Self, Receiver<()>) {
        let (sender, receiver) = channel();
        let (model, asked) = (model(), AtomicU64::new(0));
        let rule = Rule::builtin(Arc::new(move |request: &Request| {
            if asked.fetch_add(1, Ordering::Relaxed) + 1 == nth {
                sender.send(()).unwrap_or_default();
            }
            model.reply(request)
        }));
        (Self::start(StubOptions { rule, latency, ..StubOptions::default() }), receiver)
    }

    /// The built-in model over HTTP with these faults between its answers.
    pub(crate) fn builtin_with(faults: FaultPlan) -> Self {
        let model = model();
        let rule = Rule::builtin(Arc::new(move |request: &Request| model.reply(request)));
        Self::start(StubOptions { rule, faults, ..StubOptions::default() })
    }

    /// The built-in model over HTTP and by batches, which go by this plan.
    pub(crate) fn with_batches(batches: BatchPlan) -> Self {
        let model = model();
        let rule = Rule::builtin(Arc::new(move |request: &Request| model.reply(request)));
        Self::start(StubOptions { rule, batches, ..StubOptions::default() })
    }

    /// What the built-in model says to this.
    pub(crate) fn answer(request: &StubRequest) -> StubReply {
        static MODEL: LazyLock<Grammar> = LazyLock::new(model);
        StubReply::Reply(MODEL.reply(&request.question().unwrap()))
    }

    /// The built-in model over HTTP, which refuses the key after so many answers.
    pub(crate) fn refusing_after(answers: u64) -> Self {
        let model = model();
        Self::handled(move |request| match request.question() {
            Ok(question) if request.ordinal < answers => StubReply::Reply(model.reply(&question)),
            _ => StubReply::Fault(StubFault::status(401)),
        })
    }

    /// The built-in model over HTTP, which begins no end of an answer after so many whole ones.
    pub(crate) fn holding_after(answers: u64) -> Holding {
        let (sender, word) = channel();
        let (model, counts) = (model(), Arc::new(Counts { whole: AtomicU64::new(answers), ..Counts::default() }));
        let kept = counts.clone();
        let server = Self::handled(move |request| {
            let body = *blake3::hash(request.body.to_string().as_bytes()).as_bytes();
            let mut answered = kept.answered.lock().unwrap();
            if answered.len() as u64 >= kept.whole.load(Ordering::Relaxed) {
                sender.send(()).unwrap_or_default();
                return StubReply::Fault(StubFault::Trickle(Duration::from_secs(10)));
            }
            kept.again.fetch_add(u64::from(!answered.insert(body)), Ordering::Relaxed);
            StubReply::Reply(model.reply(&request.question().unwrap()))
        });
        Holding { server, word, counts }
    }

    /// The built-in model over HTTP, all of whose replies end for this reason.
    pub(crate) fn ending(finish: FinishReason) -> Self {
        let model = model();
        let rule =
            Rule::builtin(Arc::new(move |request: &Request| Reply { finish: finish.clone(), ..model.reply(request) }));
        Self::start(StubOptions { rule, ..StubOptions::default() })
    }

    /// A server that answers by this function.
    pub(crate) fn handled(handler: impl Fn(&StubRequest) -> StubReply + Send + Sync + 'static) -> Self {
        Self::start(StubOptions { rule: Rule::handler(handler), ..StubOptions::default() })
    }

    /// The command line of a run against this server.
    pub(crate) fn line(&self, more: &str) -> String {
        let url = self.stub.base_url();
        let hasty =
            "--set model.generator.backoff=1ms --set model.generator.retries=1 --set model.generator.send_task=true";
        format!("pipeline hammer --quiet --model m --base-url {url} {hasty} {more}")
    }

    pub(crate) fn run(&self, more: &str) -> Ended {
        Bench::new().run(&self.line(more))
    }
}

fn model() -> Grammar {
    let mut pack = Pack::load(fcgen::assets(), "en").unwrap();
    Toolset::load(fcgen::assets(), "mobile", "en").unwrap().extend(&mut pack).unwrap();
    Grammar::new(Arc::new(pack), 7)
}

/// Starts `fcgen` and lets it go on.
pub(crate) fn spawn(bench: &Bench, line: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fcgen"));
    command.args(line.split(' ')).current_dir(bench.path("")).env_remove("OPENAI_API_KEY");
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}
