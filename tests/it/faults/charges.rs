//! What each outcome costs, and who waits for whom.

use super::bench::{Bench, request};
use fcgen::llm::stub::{FaultPlan, Rule, StubFault, StubOptions, StubReply};
use fcgen::llm::{Budget, ModelConfig, Price, Reply, StageUsage, Usage};
use futures::future::join_all;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A bench whose stub fails first in this way, and then answers with ten tokens for a prompt of hundred.
async fn priced(fault: Option<StubFault>) -> Bench {
    let reply = Reply { usage: Usage { prompt: 100, completion: 10 }, ..Reply::default() };
    let rule = Rule::handler(move |_| StubReply::Reply(reply.clone()));
    let options = StubOptions { rule, faults: FaultPlan::first(fault), ..StubOptions::default() };
    Bench::new(options, |config| config.price = Price { input: 1.0, output: 10.0 }).await
}

async fn usage_after(fault: Option<StubFault>) -> StageUsage {
    let bench = priced(fault).await;
    bench.ask("a", 0).await.unwrap();
    bench.usage.snapshot().remove(0)
}

#[tokio::test]
async fn the_server_s_word_on_tokens_is_what_counts() {
    let usage = usage_after(None).await;
    assert_eq!((usage.prompt_tokens, usage.completion_tokens), (100, 10));
    assert!((usage.cost - 0.0002).abs() < 1e-12, "{}", usage.cost);
}

#[tokio::test]
async fn a_refusal_costs_nothing_and_a_broken_answer_its_prompt() {
    assert_eq!(usage_after(Some(StubFault::status(429))).await.prompt_tokens, 100);
    assert_eq!(usage_after(Some(StubFault::status(500))).await.prompt_tokens, 100);
    // "say a" is guessed at two tokens; the server may have read and answered them.
    assert_eq!(usage_after(Some(StubFault::TruncatedBody)).await.prompt_tokens, 102);
    assert_eq!(usage_after(Some(StubFault::HalfJson)).await.prompt_tokens, 102);
}

#[tokio::test]
async fn the_usage_comes_with_the_reply_and_stays_in_the_journal() {
    let bench = priced(None).await;
    let first = bench.ask("a", 0).await.unwrap();
    assert_eq!(first.usage, Usage { prompt: 100, completion: 10 });
    assert_eq!(bench.ask("a", 0).await.unwrap().usage, first.usage);
    assert_eq!(bench.usage.snapshot()[0].prompt_tokens, 100, "a hit is not charged");
}

#[tokio::test]
async fn the_budget_in_tokens_stops_too_and_hits_pass_it() {
    let mut bench = priced(None).await;
    bench.ask("a", 0).await.unwrap();
    bench.set_budget(Budget::new(None, Some(1)));
    assert!(bench.ask("a", 0).await.unwrap().cached);
    let error = bench.ask("b", 0).await.unwrap_err();
    insta::assert_snapshot!(error, @"the budget is spent: 0 of 1 tokens spent; the next call may exceed the budget");
    assert_eq!(bench.total(), 1);
}

#[tokio::test]
async fn a_wait_that_the_server_asks_for_holds_everybody_but_a_hit() {
    let arrivals = Arc::new(Mutex::new(Vec::new()));
    let seen = arrivals.clone();
    let rule = Rule::handler(move |request| {
        seen.lock().unwrap().push((request.last_message().to_owned(), Instant::now()));
        match request.ordinal {
            1 => StubReply::Fault(StubFault::status(429).with_header("retry-after-ms", "60")),
            _ => StubReply::text(request.last_message()),
        }
    });
    let bench = Bench::new(StubOptions { rule, ..StubOptions::default() }, |config| config.concurrency = 1).await;
    bench.ask("known", 0).await.unwrap();
    let start = Instant::now();
    let hit = async {
        assert!(bench.ask("known", 0).await.unwrap().cached);
        start.elapsed()
    };
    let (_, _, hit) = tokio::join!(bench.ask("first", 0), bench.ask("second", 0), hit);
    let second = arrivals.lock().unwrap().iter().find(|(text, _)| text == "say second").unwrap().1;
    assert!(second - start >= Duration::from_millis(60) && hit < second - start);
}

#[tokio::test]
async fn stages_are_booked_apart() {
    let bench = priced(None).await;
    bench.ask("a", 0).await.unwrap();
    let mut other = request("b", 0);
    other.stage = "judge".into();
    bench.chat.ask(&other).await.unwrap();
    let rows: Vec<(String, u64)> = bench.usage.snapshot().into_iter().map(|row| (row.stage, row.attempts)).collect();
    assert_eq!(rows, [("judge".to_owned(), 1), ("write".to_owned(), 1)]);
}

#[tokio::test]
async fn requests_a_minute_hold_for_every_attempt() {
    // A fortieth of a second between two requests, and 40 at once to begin with: the 42nd request has to wait.
    let plan = FaultPlan::first((0..41).map(|_| StubFault::status(500)));
    let bench = Bench::new(StubOptions { faults: plan, ..StubOptions::default() }, |config| {
        (config.requests_per_minute, config.retries) = (Some(2400), 50);
        config.backoff = fcgen::llm::TextDuration::from_millis(0);
    })
    .await;
    let start = Instant::now();
    bench.ask("a", 0).await.unwrap();
    assert_eq!(bench.total(), 42);
    assert!(start.elapsed() >= Duration::from_millis(25));
}

#[tokio::test]
async fn what_is_sent_is_what_was_set_and_no_more() {
    let rule = Rule::handler(|request| {
        let names: Vec<&str> = request.headers.iter().map(|(name, _)| name.as_str()).collect();
        StubReply::text(&format!("{} {}", names.join(","), request.header("x-team").unwrap_or_default()))
    });
    let bench = Bench::new(StubOptions { rule, ..StubOptions::default() }, |config| {
        config.headers.insert("X-Team".to_owned(), "CARGO_PKG_NAME".to_owned());
    })
    .await;
    let sent = bench.ask("a", 0).await.unwrap().text;
    insta::assert_snapshot!(sent, @"content-type,authorization,x-team,accept,user-agent,host,content-length fcgen");
    let keyless = ModelConfig { api_key_env: None, ..bench.config.clone() };
    if std::env::var(keyless.key_variable()).is_err() {
        let sent = super::bench::ask_text(&keyless, "a").await.unwrap().text;
        assert!(!sent.contains("authorization"), "{sent}");
    }
}

#[tokio::test]
async fn many_askers_through_many_faults_lose_nothing() {
    let plan = FaultPlan::default()
        .with_seed(5)
        .at_rate(0.1, StubFault::integer_code(429).with_header("retry-after-ms", "1"))
        .at_rate(0.1, StubFault::DropBeforeHeaders)
        .at_rate(0.05, StubFault::TruncatedBody)
        .at_rate(0.05, StubFault::html(502));
    let options = StubOptions { faults: plan, ..StubOptions::default() };
    let bench = Bench::new(options, |config| (config.concurrency, config.retries) = (16, 20)).await;
    let items: Vec<String> = (0..200).map(|number| number.to_string()).collect();
    for (item, reply) in items.iter().zip(join_all(items.iter().map(|item| bench.ask(item, 0))).await) {
        assert_eq!(reply.unwrap().text, format!("say {item}"));
    }
    let (stats, usage) = (bench.stub.stats(), bench.usage.snapshot().remove(0));
    assert_eq!((stats.ok, stats.total), (200, usage.attempts));
    assert_eq!(usage.retries, stats.total - 200);
    assert!(usage.retries > 20 && stats.max_in_flight <= 16, "{stats:?}");
}
