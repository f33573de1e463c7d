//! Requests in flight while a pipeline of many stages runs: a server that answers after a while sees how full it is kept.
//!
//!     cargo bench --bench flight -- [CONCURRENCY] [LATENCY IN MS] [ROOTS]
//!
//! The server answers by the built-in model and shares the machine with the run, so that a machine with few cores is
//! soon busy with answering. The curve shows whether a stage leaves the server idle, not how fast either is. From the
//! moment on at which the last root was begun less and less is left to ask: roots are what overlaps, and within each the
//! scans of its scope are barriers that the pipeline declares.

#![expect(clippy::print_stdout, reason = "figures are what it is for")]

use fcgen::config::{Overrides, Plan, load};
use fcgen::llm::stub::{Rule, Stub, StubOptions};
use fcgen::llm::{BuiltIn, Reply, Request};
use fcgen::locale::Pack;
use fcgen::model::Grammar;
use fcgen::run::{Live, Options, run};
use fcgen::toolset::Toolset;
use std::error::Error;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// The server is looked at this often.
const GLANCE: Duration = Duration::from_millis(5);
/// The curve has so many lines.
const LINES: usize = 40;
/// A full house is so many characters wide.
const WIDTH: f64 = 50.0;

type Fallible<T> = Result<T, Box<dyn Error>>;

struct Model(Grammar);

impl BuiltIn for Model {
    fn answer(&self, request: &Request) -> Reply {
        self.0.reply(request)
    }
}

fn main() -> Fallible<()> {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let number = |at: usize, otherwise| numbers.get(at).copied().unwrap_or(otherwise);
    let (concurrency, latency, roots) = (number(0, 128), Duration::from_millis(number(1, 50)), number(2, 299));
    let serving = tokio::runtime::Runtime::new()?;
    let (rule, faults) = (Rule::builtin(Arc::new(model()?)), StubOptions::default().faults);
    let stub = serving.block_on(Stub::start(StubOptions { rule, latency, faults, ..StubOptions::default() }))?;
    let plan = plan(&stub.base_url(), concurrency, roots)?;
    let folder = std::env::temp_dir().join(format!("fcgen-flight-{}", std::process::id()));
    let (sender, watching) = channel();
    let began = Instant::now();
    let working = std::thread::spawn({
        let folder = folder.clone();
        move || -> Result<usize, String> {
            let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
            let options = Options::new(folder);
            let work = run(&plan, &options, |live: Live| sender.send(live.counts).unwrap_or_default());
            let summary = runtime.block_on(work).map_err(|error| error.to_string())?;
            Ok(summary.manifest.samples.values().sum())
        }
    });
    let counts = watching.recv()?;
    let (mut seen, mut last_begun) = (Vec::new(), None);
    while !working.is_finished() {
        seen.push(stub.in_flight());
        // The first stage is the source: what came to it was begun.
        if last_begun.is_none() && counts[0].read().0 as u64 >= roots {
            last_begun = Some(seen.len());
        }
        std::thread::sleep(GLANCE);
    }
    let seconds = began.elapsed().as_secs_f64();
    let samples = working.join().map_err(|_| "the run broke off")??;
    std::fs::remove_dir_all(&folder)?;
    let total = stub.stats().total;
    println!(
        "concurrency {concurrency}, latency {latency:?}, {roots} roots: {total} requests, {samples} samples, {seconds:.1} s"
    );
    show(&seen, last_begun.unwrap_or(seen.len()), real(concurrency), seconds);
    Ok(())
}

fn model() -> Fallible<Model> {
    let mut pack = Pack::load(fcgen::assets(), "en")?;
    Toolset::load(fcgen::assets(), "mobile", "en")?.extend(&mut pack)?;
    Ok(Model(Grammar::new(Arc::new(pack), 7)))
}

fn plan(url: &str, concurrency: u64, roots: u64) -> Fallible<Plan> {
    let mut overrides = Overrides::default();
    let (url, concurrency) = (format!("base_url={url}"), format!("concurrency={concurrency}"));
    for set in ["provider=openai", "model=stub", "send_task=true", url.as_str(), concurrency.as_str()] {
        overrides.set(format!("model.generator.{set}"));
    }
    overrides.set(format!("limit={roots}"));
    let text = fcgen::assets().read("pipelines/hammer.toml").ok_or("no such pipeline")?;
    Ok(load(fcgen::assets(), &text, "pipelines/hammer.toml", &overrides).map_err(|problems| problems.to_string())?)
}

/// The curve. What comes before the first request and after the last is set-up and writing, and is left out.
fn show(seen: &[u64], last_begun: usize, full: f64, seconds: f64) {
    let first = seen.iter().position(|count| *count > 0).unwrap_or(0);
    let last = seen.iter().rposition(|count| *count > 0).unwrap_or(0);
    let (asked, step) = (&seen[first..=last.max(first)], seconds / real(seen.len() as u64));
    let size = asked.len().div_ceil(LINES).max(1);
    println!("    time   in flight, of {full}");
    for (at, part) in asked.chunks(size).enumerate() {
        let (mean, low) = (mean(part), part.iter().min().copied().unwrap_or(0));
        let bar = "#".repeat(columns(mean / full));
        let from = first + at * size;
        let is_last = (from..from + size).contains(&last_begun);
        let mark = match (low, is_last) {
            (_, true) => "  <- the last root is begun",
            (0, false) => "  <- empty at some moment",
            _ => "",
        };
        println!("{:>6.1} s  {bar:<50} {mean:>6.1} (least {low}){mark}", real(from as u64) * step);
    }
    let steady = &seen[first.min(last_begun)..last_begun.max(first)];
    println!("mean in flight until the last root was begun: {:.1} of {full}", mean(steady));
    let tenth = asked.len() / 10;
    let middle = &asked[tenth..asked.len() - tenth];
    let empty = middle.iter().filter(|count| **count == 0).count();
    println!(
        "mean in flight between the first and the last tenth: {:.1} of {full} ({:.0} %)",
        mean(middle),
        100.0 * mean(middle) / full
    );
    println!("moments at which nothing was in flight, of those: {empty} of {}", middle.len());
}

fn mean(counts: &[u64]) -> f64 {
    real(counts.iter().sum()) / real(counts.len().max(1) as u64)
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn real(count: u64) -> f64 {
    count as f64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of the width")]
fn columns(share: f64) -> usize {
    (share.clamp(0.0, 1.0) * WIDTH).round() as usize
}
