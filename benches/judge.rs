//! How long a judge takes over many turns, beside the least that its latency allows.
//!
//!     cargo bench --bench judge [TURNS]
//!
//! Every turn is put to a stub (as `--judge all` does), which answers after 20 ms, 64 at a time; each answer is written down as
//! soon as it comes. The authors' program asks one after the other. Wall time counts, as it does for whoever waits.

#![expect(clippy::print_stdout, reason = "figures are what it is for")]

use fcgen::format::{Bench, Predictions};
use fcgen::llm::stub::{Rule, Stub, StubOptions};
use fcgen::llm::{Chat, ChatDeps, ModelConfig, Prompts, ProviderKind, Reply, Request};
use fcgen::suite::functionchat::{Board, Options, QUESTIONS, Scope, score};
use fcgen::suite::{Ledger, Replies, ask_each};
use serde_json::json;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

type Fallible<T> = Result<T, Box<dyn Error>>;

/// What the stub takes for an answer.
const LATENCY: Duration = Duration::from_millis(20);
/// Questions at a time.
const CONCURRENCY: usize = 64;
/// Times the least wall time that is allowed.
const MOST: f64 = 1.3;

fn main() -> Fallible<()> {
    let count = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(5_000);
    let folder = tempfile::tempdir()?;
    write_files(folder.path(), count)?;
    let bench = Bench::open(&folder.path().join("samples.jsonl"))?;
    let predictions = Predictions::open(&folder.path().join("said.jsonl"))?;
    let rounds = u32::try_from(count.div_ceil(CONCURRENCY))?;
    let least = (LATENCY * rounds).as_secs_f64();
    println!("{count} turns, {CONCURRENCY} at a time, {} ms each: {least:.2} s at least", LATENCY.as_millis());
    println!("whole/s  asking/s  times the least");
    let mut best = f64::INFINITY;
    for _ in 0..3 {
        let began = Instant::now();
        let asking = judge(&bench, &predictions, folder.path(), count)?;
        let whole = began.elapsed().as_secs_f64();
        println!("{whole:>7.2}  {asking:>8.2}  {:>15.2}", whole / least);
        best = best.min(whole / least);
    }
    if best > MOST {
        return Err(format!("{best:.2} times the least wall time, and {MOST} is the most").into());
    }
    Ok(())
}

/// Scores, asks about everything, writes it down and scores again; the seconds of the asking alone.
fn judge(bench: &Bench, predictions: &Predictions, folder: &Path, count: usize) -> Fallible<f64> {
    let runtime = tokio::runtime::Runtime::new()?;
    let rule = Rule::Text("It says the same. {\"verdict\": \"pass\"}".to_owned());
    let stub = runtime.block_on(Stub::start(StubOptions { rule, latency: LATENCY, ..StubOptions::default() }))?;
    let config = ModelConfig {
        provider: ProviderKind::Openai,
        model: "judge".to_owned(),
        base_url: stub.base_url(),
        ..ModelConfig::default()
    };
    let chat = Chat::open("judge", &config, ChatDeps::new(Arc::new(|_: &Request| Reply::default())))?;
    let options = Options { scope: Scope::All, ..Options::default() };
    let mut replies = Replies::default();
    for question in QUESTIONS {
        replies.ask_for(question);
    }
    let passes = |replies: &mut Replies| -> Fallible<u64> {
        replies.again();
        let mut board = Board::new("m", options.profile);
        score(bench, predictions, 0, &mut board, &options, replies, &mut |_| Ok(()))?;
        Ok(board.judged().judge_pass)
    };
    passes(&mut replies)?;
    let open = replies.take_all();
    let mut ledger = Ledger::open(&folder.join("judgements.jsonl"))?;
    let began = Instant::now();
    let asked =
        runtime.block_on(ask_each(&chat, &Prompts::default(), &open, CONCURRENCY, &mut |answer| ledger.put(answer)))?;
    let asking = began.elapsed().as_secs_f64();
    asked.recorded.iter().for_each(|recorded| replies.add(recorded));
    let passed = passes(&mut replies)?;
    if usize::try_from(passed)? != count || asked.lost > 0 {
        return Err(format!("{passed} of {count} pass").into());
    }
    Ok(asking)
}

/// As many samples, with five tools each, and something that was said to each.
fn write_files(folder: &Path, count: usize) -> Fallible<()> {
    let tool = |name: usize| {
        let pier = json!({"type": "string", "description": "The pier that the boat leaves from"});
        json!({"name": format!("find_boat_{name}"), "description": "Finds the next boat that leaves from a pier", "parameters": {"type": "object", "properties": {"pier": pier}, "required": ["pier"]}})
    };
    let tools: Vec<_> = (0..5).map(tool).collect();
    let sample = |ordinal: usize| {
        json!({
            "id": format!("calldecision/{ordinal}"), "suite": "functionchat", "data_type": "SLOT-all", "locale": "en", "candidates": tools,
            "messages": [{"role": "user", "content": format!("I want boat number {ordinal}")}], "expected": {"question": ["pier"]},
            "group": "g", "licence": "CC0", "source": "bench",
            "provenance": {"template": true, "draws": [], "facts": {"gold_text": "Which pier does it leave from?"}},
        })
        .to_string()
    };
    let said = |ordinal: usize| {
        json!({"id": format!("calldecision/{ordinal}"), "turns": [{"content": "From where?"}]}).to_string()
    };
    std::fs::write(folder.join("samples.jsonl"), (0..count).map(sample).collect::<Vec<_>>().join("\n"))?;
    std::fs::write(folder.join("said.jsonl"), (0..count).map(said).collect::<Vec<_>>().join("\n"))?;
    Ok(())
}
