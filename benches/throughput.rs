//! How full a run keeps an endpoint, beside a client that does nothing but send.
//!
//!     cargo bench --bench throughput
//!     cargo bench --bench throughput -- 40000 500 4000    # requests, latency in ms, concurrency
//!
//! This process is the server. A plain client and a run of the `generate` stage, each a process of its own, send as
//! many requests to it, one after the other, and the better of three runs counts for each. What the server sees from the
//! first request to the last answer counts as throughput; what a process needs before and after is told as well.

#![expect(clippy::print_stdout, reason = "figures are what it is for")]

use fcgen::config::{Overrides, load};
use fcgen::llm::Reply;
use fcgen::llm::stub::{Rule, Stub, StubOptions, StubReply, StubRequest};
use fcgen::run::{Live, Options, run};
use serde_json::{Value, json};
use std::error::Error;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// That of the binary, for both clients.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Tells a process which client it is to be, and for whom.
const CLIENT: &str = "FCGEN_BENCH_CLIENT";
/// Runs of each client, of which the best counts.
const RUNS: usize = 3;
/// Most CPU seconds for 1,000 requests, and most MiB.
const MOST_CPU: f64 = 0.15;
const MOST_MIB: f64 = 200.0;

type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// How many requests are sent, and to what kind of server.
#[derive(Clone, Copy)]
struct Load {
    count: usize,
    latency: u64,
    concurrency: usize,
}

/// What one client took.
#[derive(Clone, Copy)]
struct Figures {
    /// Requests a second, from the first to the last.
    rate: f64,
    /// Seconds of the whole process's work.
    whole: f64,
    cpu: f64,
    mebibytes: f64,
}

fn main() -> Fallible<()> {
    rlimit::increase_nofile_limit(u64::MAX)?;
    let runtime = tokio::runtime::Runtime::new()?;
    if let Ok(words) = std::env::var(CLIENT) {
        let [client, url, count, concurrency]: [&str; 4] =
            words.split(' ').collect::<Vec<_>>().try_into().map_err(|_| "four words")?;
        return runtime.block_on(be(client, url, count.parse()?, concurrency.parse()?));
    }
    let numbers: Vec<usize> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let loads = match numbers.as_slice() {
        [count, latency, concurrency] => {
            vec![Load { count: *count, latency: u64::try_from(*latency)?, concurrency: *concurrency }]
        }
        _ => [(10_000, 50, 256), (10_000, 500, 256), (40_000, 500, 4_000)]
            .map(|(count, latency, concurrency)| Load { count, latency, concurrency })
            .to_vec(),
    };
    let mut missed = Vec::new();
    for load in loads {
        missed.extend(compare(&runtime, load)?);
    }
    if missed.is_empty() { Ok(()) } else { Err(missed.join("; ").into()) }
}

/// Measures both clients, shows the figures, and gives the marks that were missed.
fn compare(runtime: &tokio::runtime::Runtime, load: Load) -> Fallible<Vec<String>> {
    println!("{} requests, {} ms each, {} at a time", load.count, load.latency, load.concurrency);
    println!("client  requests/s  whole/s  CPU s/1,000  peak MiB");
    let mut best: [Option<Figures>; 2] = [None; 2];
    for _ in 0..RUNS {
        for (client, best) in ["plain", "fcgen"].into_iter().zip(&mut best) {
            let it = runtime.block_on(measure(client, load))?;
            println!("{client:<6}  {:>10.0}  {:>7.2}  {:>11.3}  {:>8.0}", it.rate, it.whole, it.cpu, it.mebibytes);
            if best.is_none_or(|best| it.rate > best.rate) {
                *best = Some(it);
            }
        }
    }
    let [Some(plain), Some(ours)] = best else { return Err("nothing was measured".into()) };
    let (ratio, least) = (ours.rate / plain.rate, if load.latency < 200 { 0.95 } else { 0.98 });
    println!("{ratio:.3} of the plain client; whole processes: {:.3}\n", plain.whole / ours.whole);
    let marks = [
        (ratio >= least, format!("{ratio:.3} of the plain client, and {least} is the least")),
        (ours.cpu <= MOST_CPU, format!("{:.3} CPU s for 1,000 requests, and {MOST_CPU} is the most", ours.cpu)),
        (ours.mebibytes < MOST_MIB, format!("{:.0} MiB, and {MOST_MIB} is the most", ours.mebibytes)),
    ];
    Ok(marks.into_iter().filter(|(met, _)| !met).map(|(_, missed)| missed).collect())
}

/// Serves one client and takes its time.
async fn measure(client: &str, load: Load) -> Fallible<Figures> {
    let latency = Duration::from_millis(load.latency);
    let span: Arc<Mutex<Option<(Instant, Instant)>>> = Arc::default();
    let seen = span.clone();
    let rule = Rule::handler(move |request: &StubRequest| {
        let now = Instant::now();
        let mut span = seen.lock().unwrap_or_else(PoisonError::into_inner);
        // It is called when the answer is due, so that the first request came a latency ago.
        let first = span.map_or_else(|| now.checked_sub(latency).unwrap_or(now), |(first, _)| first);
        *span = Some((first, now));
        let question = request.body["messages"].as_array().and_then(|all| all.last()).map(|it| &it["content"]);
        let text = question.and_then(Value::as_str).unwrap_or_default().to_owned();
        StubReply::Reply(Reply { text, ..Reply::default() })
    });
    let stub = Stub::start(StubOptions { rule, latency, ..StubOptions::default() }).await?;
    let words = format!("{client} {} {} {}", stub.base_url(), load.count, load.concurrency);
    let mut command = Command::new(std::env::current_exe()?);
    command.env(CLIENT, words);
    let output = tokio::task::spawn_blocking(move || command.output()).await??;
    let text = String::from_utf8(output.stdout)?;
    let numbers: Vec<f64> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    let [whole, cpu, mebibytes] = *numbers.as_slice() else {
        return Err(format!("{client} said {text:?}: {}", String::from_utf8_lossy(&output.stderr)).into());
    };
    let (ok, count) = (stub.stats().ok, u32::try_from(load.count)?);
    if ok != u64::from(count) {
        return Err(format!("{client} got {ok} answers").into());
    }
    let (first, last) = span.lock().unwrap_or_else(PoisonError::into_inner).ok_or("no request came")?;
    let rate = f64::from(count) / (last - first).as_secs_f64();
    Ok(Figures { rate, whole, cpu: cpu / f64::from(count) * 1000.0, mebibytes })
}

/// Is a client: asks, and says what it took.
async fn be(client: &str, url: &str, count: usize, concurrency: usize) -> Fallible<()> {
    let began = Instant::now();
    match client {
        "plain" => send_all(url, count, concurrency).await?,
        _ => generate(url, count, concurrency).await?,
    }
    println!("{} {} {}", began.elapsed().as_secs_f64(), cpu_seconds()?, peak()?);
    Ok(())
}

/// The plain client: so many workers, each with one request after the other.
async fn send_all(url: &str, count: usize, concurrency: usize) -> Fallible<()> {
    drop(rustls::crypto::ring::default_provider().install_default());
    let (client, next) = (reqwest::Client::new(), Arc::new(AtomicUsize::new(0)));
    let mut workers = tokio::task::JoinSet::new();
    for _ in 0..concurrency {
        let (client, next, url) = (client.clone(), next.clone(), format!("{url}/chat/completions"));
        workers.spawn(async move {
            loop {
                let ordinal = next.fetch_add(1, Ordering::Relaxed);
                if ordinal >= count {
                    return Fallible::Ok(());
                }
                let question = format!("Write one sentence about item {ordinal}.");
                let body = json!({"model": "m", "messages": [{"role": "user", "content": question}]}).to_string();
                let sent = client.post(&url).header("content-type", "application/json").body(body).send().await?;
                let answer: Value = serde_json::from_slice(&sent.bytes().await?)?;
                if answer["choices"][0]["message"]["content"] != question.as_str() {
                    return Err(format!("{answer} is no echo").into());
                }
            }
        });
    }
    while let Some(worker) = workers.join_next().await {
        worker??;
    }
    Ok(())
}

/// The `generate` stage with everything that a run does: prompts, journal, rows, files.
async fn generate(url: &str, count: usize, concurrency: usize) -> Fallible<()> {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("prompt.md"), "Write one sentence about item {{ ordinal }}.")?;
    let text = format!(
        "[pipeline]\nname = \"throughput\"\nlocale = \"en\"\nseed = 1\n[model.generator]\nprovider = \"openai\"\nmodel = \"m\"\nbase_url = \"{url}\"\n\
         concurrency = {concurrency}\n[[stage]]\nkind = \"generate\"\nprompt = \"prompt.md\"\ncount = {count}\n"
    );
    let path = folder.path().join("throughput.toml");
    std::fs::write(&path, &text)?;
    let plan = load(fcgen::assets(), &text, path.to_str().ok_or("a path")?, &Overrides::default())
        .map_err(|it| format!("{it:?}"))?;
    let summary = run(&plan, &Options::new(folder.path().join("run")), |_: Live| {}).await?;
    let made: usize = summary.manifest.samples.values().sum();
    if made == count { Ok(()) } else { Err(format!("{made} samples of {count}").into()) }
}

/// CPU seconds of this process so far; 0 where the system does not tell.
fn cpu_seconds() -> Fallible<f64> {
    let Ok(stat) = std::fs::read_to_string("/proc/self/stat") else { return Ok(0.0) };
    // The fields behind the name in brackets; `utime` and `stime` are the 12th and 13th of them, in hundredths.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    Ok(fields.map(str::parse::<f64>).sum::<Result<f64, _>>()? / 100.0)
}

/// The most memory that this process ever used, in MiB; 0 where the system does not tell.
fn peak() -> Fallible<f64> {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return Ok(0.0) };
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    Ok(line.trim().trim_end_matches("kB").trim().parse::<f64>()? / 1024.0)
}
