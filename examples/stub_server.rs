//! A server that speaks chat completions and fails as real ones do, for trying a pipeline against trouble.
//!
//! `cargo run --example stub_server -- --port 8080 --latency-ms 50 --fail-429 0.1`, then `base_url =
//! "http://127.0.0.1:8080/v1"`. Counts are at `/stats`. It runs until it is interrupted.

use clap::Parser;
use fcgen::llm::stub::{FaultPlan, Rule, Stub, StubFault, StubOptions};
use std::io::Write;
use std::time::Duration;

/// A chat completions server that fails at will.
#[derive(Parser)]
struct Arguments {
    /// Port on 127.0.0.1; 0 takes any free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Milliseconds that an answer takes
    #[arg(long, default_value_t = 0)]
    latency_ms: u64,
    /// Milliseconds that an answer may take besides
    #[arg(long, default_value_t = 0)]
    jitter_ms: u64,
    /// How many requests it works on at once; more are refused with 429
    #[arg(long)]
    capacity: Option<u64>,
    /// How many requests it works on at its usual speed; twice as many take twice as long
    #[arg(long)]
    at_ease: Option<u64>,
    /// What it says; the last message where absent
    #[arg(long)]
    text: Option<String>,
    /// Seed of the choice of requests that fail
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Share of requests that are answered with 429
    #[arg(long, default_value_t = 0.0)]
    fail_429: f64,
    /// Value of `Retry-After` in those answers
    #[arg(long)]
    retry_after: Option<String>,
    /// Share of requests that are answered with 500
    #[arg(long, default_value_t = 0.0)]
    fail_500: f64,
    /// Share of requests that a proxy's page answers (502)
    #[arg(long, default_value_t = 0.0)]
    fail_html: f64,
    /// Share of requests whose connection ends before the answer
    #[arg(long, default_value_t = 0.0)]
    fail_drop: f64,
    /// Share of requests whose connection ends within the answer
    #[arg(long, default_value_t = 0.0)]
    fail_truncate: f64,
    /// Share of answers that are half a JSON
    #[arg(long, default_value_t = 0.0)]
    fail_json: f64,
    /// Share of answers without choices
    #[arg(long, default_value_t = 0.0)]
    fail_empty: f64,
    /// Share of answers that ran into the token limit
    #[arg(long, default_value_t = 0.0)]
    finish_length: f64,
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "whoever started it needs the address")]
async fn main() -> std::io::Result<()> {
    let stub = Stub::start(options(Arguments::parse())).await?;
    println!("{}", stub.base_url());
    std::io::stdout().flush()?;
    tokio::signal::ctrl_c().await
}

fn options(arguments: Arguments) -> StubOptions {
    StubOptions {
        port: arguments.port,
        latency: Duration::from_millis(arguments.latency_ms),
        jitter: Duration::from_millis(arguments.jitter_ms),
        capacity: arguments.capacity,
        at_ease: arguments.at_ease,
        faults: faults(&arguments),
        rule: arguments.text.map_or(Rule::Echo, Rule::Text),
        ..StubOptions::default()
    }
}

fn faults(arguments: &Arguments) -> FaultPlan {
    let mut limited = StubFault::integer_code(429);
    if let Some(wait) = &arguments.retry_after {
        limited = limited.with_header("retry-after", wait);
    }
    FaultPlan::default()
        .with_seed(arguments.seed)
        .at_rate(arguments.fail_429, limited)
        .at_rate(arguments.fail_500, StubFault::status(500))
        .at_rate(arguments.fail_html, StubFault::html(502))
        .at_rate(arguments.fail_drop, StubFault::DropBeforeHeaders)
        .at_rate(arguments.fail_truncate, StubFault::TruncatedBody)
        .at_rate(arguments.fail_json, StubFault::HalfJson)
        .at_rate(arguments.fail_empty, StubFault::EmptyChoices)
        .at_rate(arguments.finish_length, StubFault::Finish("length".to_owned()))
}
