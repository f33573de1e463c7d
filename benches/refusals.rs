//! What refusals and faults cost: throughput and requests against a server that fails, beside what is possible.
//!
//!     cargo bench --bench refusals
//!
//! Everything runs in one process and one after another, so that ratios are what counts. It ends with an error where a
//! mark is missed.

#![expect(clippy::print_stdout, reason = "figures are what it is for")]

use fcgen::llm::stub::{FaultPlan, Stub, StubFault, StubOptions};
use fcgen::llm::{Chat, ChatDeps, ModelConfig, ProviderKind, Reply, Request, Task, TextDuration, Variables};
use futures::stream::{StreamExt, iter};
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

type Fallible<T> = Result<T, Box<dyn Error>>;

const COUNT: usize = 5000;
const CONCURRENCY: usize = 256;
const LATENCY: Duration = Duration::from_millis(50);
/// The load of a server that names waits.
const SLOW: Load = Load { count: 1000, concurrency: 64, latency: Duration::from_millis(500), timeout: 5000 };
const USUAL: Load = Load { count: COUNT, concurrency: CONCURRENCY, latency: LATENCY, timeout: 1000 };
/// What a server that refuses a crowd can do at once.
const CAPACITY: u64 = 64;

/// How many are asked, how many at a time, and how long an answer and a time-out take.
#[derive(Clone, Copy)]
struct Load {
    count: usize,
    concurrency: usize,
    latency: Duration,
    timeout: u64,
}

/// What one client took for all questions.
struct Figures {
    seconds: f64,
    requests: f64,
    answered: usize,
}

#[tokio::main]
async fn main() -> Fallible<()> {
    let marks = [by_chance().await?, of_all_kinds().await?, over_capacity().await?, with_waits().await?];
    if marks.iter().all(|met| *met) { Ok(()) } else { Err("a mark is missed".into()) }
}

/// 30 % of the requests are refused, whoever sends them.
async fn by_chance() -> Fallible<bool> {
    let faults = FaultPlan::default().at_rate(0.3, StubFault::status(429)).with_seed(1);
    let options = StubOptions { faults, latency: LATENCY, ..StubOptions::default() };
    let (plain, ours) = (plain(options.clone()).await?, ours(options).await?);
    let ratio = plain.seconds / ours.seconds;
    println!(
        "30 % refused by chance: {:.2} s, a plain client {:.2} s: throughput {ratio:.2} of it (at least 0.5)",
        ours.seconds, plain.seconds
    );
    Ok(ratio >= 0.5 && ours.answered == COUNT)
}

/// 15 % of the requests go wrong, in every way that may pass.
async fn of_all_kinds() -> Fallible<bool> {
    let calm = ours(StubOptions { latency: LATENCY, ..StubOptions::default() }).await?;
    let kinds = kinds();
    let share = 0.15 / f64::from(u32::try_from(kinds.len())?);
    let faults = kinds.into_iter().fold(FaultPlan::default().with_seed(2), |plan, fault| plan.at_rate(share, fault));
    let rough = ours(StubOptions { faults, latency: LATENCY, ..StubOptions::default() }).await?;
    let (requests, time) = (rough.requests / calm.requests, rough.seconds / calm.seconds);
    println!(
        "15 % faults of all kinds: {} of {COUNT} answered, {requests:.2} times the requests (at most 1.5), {time:.2} times the time (at most 3)",
        rough.answered
    );
    Ok(requests <= 1.5 && time <= 3.0 && rough.answered == COUNT)
}

/// A server that refuses whatever is more than it can do at once.
async fn over_capacity() -> Fallible<bool> {
    let capacity = Some(CAPACITY);
    let ours = ours(StubOptions { capacity, latency: LATENCY, ..StubOptions::default() }).await?;
    let refused = 1.0 - f64::from(u32::try_from(ours.answered)?) / ours.requests;
    let ideal = f64::from(u32::try_from(COUNT)?) / f64::from(u32::try_from(CAPACITY)?) * LATENCY.as_secs_f64();
    let ratio = ideal / ours.seconds;
    println!(
        "{CAPACITY} at once, {CONCURRENCY} wanted: {:.0} % refused (at most 33), throughput {ratio:.2} of the ideal (at least 0.6)",
        refused * 100.0
    );
    Ok(refused <= 0.33 && ratio >= 0.6 && ours.answered == COUNT)
}

/// 10 % are refused with a wait of a second, 3 % fail, 2 % break.
async fn with_waits() -> Fallible<bool> {
    let faults = FaultPlan::default()
        .with_seed(3)
        .at_rate(0.1, StubFault::status(429).with_header("retry-after", "1"))
        .at_rate(0.03, StubFault::status(500))
        .at_rate(0.02, StubFault::DropBeforeHeaders);
    let latency = SLOW.latency;
    let calm = asked(StubOptions { latency, ..StubOptions::default() }, SLOW).await?;
    let rough = asked(StubOptions { faults, latency, ..StubOptions::default() }, SLOW).await?;
    let time = rough.seconds / calm.seconds;
    println!(
        "10 % refused for a second, 3 % failed, 2 % dropped: {} of {} answered, {:.2} s, {:.2} s without faults: {time:.2} times the time (at most 3)",
        rough.answered, SLOW.count, rough.seconds, calm.seconds
    );
    Ok(time <= 3.0 && rough.answered == SLOW.count)
}

fn kinds() -> Vec<StubFault> {
    let statuses = [408, 409, 429, 500, 502, 503, 529];
    let mut kinds: Vec<StubFault> = statuses.map(StubFault::status).into();
    kinds.extend(statuses.map(StubFault::integer_code));
    let waits = ["0", "0.002", "Sun, 06 Nov 1994 08:49:37 GMT", "soon"];
    kinds.extend(waits.map(|wait| StubFault::status(429).with_header("retry-after", wait)));
    kinds.extend([
        StubFault::status(503).with_header("retry-after-ms", "2"),
        StubFault::text(503, "overloaded"),
        StubFault::html(502),
        StubFault::html(200),
        StubFault::DropBeforeHeaders,
        StubFault::DropAfterHeaders,
        StubFault::TruncatedBody,
        StubFault::Trickle(LATENCY),
        StubFault::HalfJson,
        StubFault::json(200, "{{"),
        StubFault::WrongContentType,
        StubFault::EmptyChoices,
        StubFault::Finish("error".to_owned()),
    ]);
    kinds
}

/// fcgen with settings as people have them, but for a time-out that fits the latency.
async fn ours(options: StubOptions) -> Fallible<Figures> {
    asked(options, USUAL).await
}

async fn asked(options: StubOptions, load: Load) -> Fallible<Figures> {
    let stub = Stub::start(options).await?;
    let config = ModelConfig {
        provider: ProviderKind::Openai,
        base_url: stub.base_url(),
        model: "m".to_owned(),
        concurrency: load.concurrency,
        timeout: TextDuration::from_millis(load.timeout),
        retries: 12,
        ..ModelConfig::default()
    };
    let chat = Chat::open("generator", &config, ChatDeps::new(Arc::new(|_: &Request| Reply::default())))?;
    let began = Instant::now();
    let asked = iter(0..load.count).map(|number| {
        let chat = chat.clone();
        async move { chat.ask(&question(number)).await }
    });
    let answers: Vec<bool> = asked.buffer_unordered(load.concurrency * 4).map(|answer| answer.is_ok()).collect().await;
    figures(&stub, began, answers.into_iter().filter(|answered| *answered).count())
}

/// A client that sends what failed again at once.
async fn plain(options: StubOptions) -> Fallible<Figures> {
    let stub = Stub::start(options).await?;
    drop(rustls::crypto::ring::default_provider().install_default());
    let (client, url) = (reqwest::Client::builder().build()?, format!("{}/chat/completions", stub.base_url()));
    let began = Instant::now();
    let asked = iter(0..COUNT).map(|number| {
        let (client, url) = (client.clone(), url.clone());
        async move {
            let body = serde_json::json!({ "model": "m", "messages": [{ "role": "user", "content": format!("say {number}") }] });
            loop {
                let sent = client.post(&url).body(body.to_string()).send().await;
                let Some(response) = sent.ok().filter(|response| response.status().is_success()) else { continue };
                if response.bytes().await.is_ok() {
                    break;
                }
            }
        }
    });
    let answered = asked.buffer_unordered(CONCURRENCY).count().await;
    figures(&stub, began, answered)
}

fn figures(stub: &Stub, began: Instant, answered: usize) -> Fallible<Figures> {
    let requests = f64::from(u32::try_from(stub.stats().total)?);
    Ok(Figures { seconds: began.elapsed().as_secs_f64(), requests, answered })
}

fn question(number: usize) -> Request {
    Request {
        task: Task::Generate,
        stage: Arc::from("write"),
        item: Arc::from(number.to_string()),
        draw: 0,
        system: None,
        history: Vec::new(),
        user: format!("say {number}"),
        variables: Arc::new(Variables::Generate([].into_iter().collect())),
        schema: None,
        tools: Vec::new(),
        temperature: None,
    }
}
