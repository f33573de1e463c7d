//! How many requests are in flight at a server that refuses, slows down, or says what is left.

use super::bench::{Bench, request};
use fcgen::llm::stub::{FaultPlan, StubFault, StubOptions};
use fcgen::llm::{ChatError, ModelConfig, Reply, TextDuration};
use futures::future::join_all;
use std::time::Duration;

async fn under(options: StubOptions, change: impl FnOnce(&mut ModelConfig)) -> Bench {
    Bench::new(options, |config| {
        (config.concurrency, config.retries, config.backoff) = (64, 40, TextDuration::from_millis(5));
        change(config);
    })
    .await
}

async fn ask_all(bench: &Bench, name: &str, count: usize) -> Vec<Result<Reply, ChatError>> {
    let items: Vec<String> = (0..count).map(|number| format!("{name} {number}")).collect();
    let ask = async |item: &String| bench.chat.ask(&request(item, 0)).await;
    join_all(items.iter().map(ask)).await
}

#[tokio::test]
async fn a_server_that_refuses_a_crowd_is_sent_a_smaller_one_and_loses_nothing() {
    let (latency, capacity) = (Duration::from_millis(20), Some(16));
    let bench = under(StubOptions { latency, capacity, ..StubOptions::default() }, |_| {}).await;
    assert!(ask_all(&bench, "a", 600).await.iter().all(Result::is_ok));
    let learned = bench.total();
    assert!(ask_all(&bench, "b", 600).await.iter().all(Result::is_ok));
    let sent = bench.total() - learned;
    assert!(sent < 900, "{sent} requests for 600");
}

#[tokio::test]
async fn refusals_by_chance_leave_the_crowd_as_it_is() {
    let faults = FaultPlan::default().at_rate(0.3, StubFault::status(429)).with_seed(3);
    let options = StubOptions { latency: Duration::from_millis(10), faults, ..StubOptions::default() };
    let bench = under(options, |_| {}).await;
    assert!(ask_all(&bench, "a", 1000).await.iter().all(Result::is_ok));
    let stats = bench.stub.stats();
    assert!(stats.max_in_flight >= 60 && stats.total < 1700, "{stats:?}");
}

#[tokio::test]
async fn a_server_that_refuses_everything_ends_each_question_with_a_reason() {
    let bench = Bench::with_faults(FaultPlan::always(StubFault::status(503))).await;
    let answers = ask_all(&bench, "a", 100).await;
    assert!(answers.iter().all(|answer| matches!(answer, Err(ChatError::Transport { attempts: 4, .. }))));
    assert_eq!(bench.total(), 400, "each has tried as often as it may");
}

#[tokio::test]
async fn who_says_that_nothing_is_left_is_asked_again_after_the_reset() {
    let header = |what: &str, value: &str| (format!("x-ratelimit-{what}-requests"), value.to_owned());
    let headers = vec![header("limit", "5"), header("remaining", "0"), header("reset", "30ms")];
    let bench = under(StubOptions { headers, ..StubOptions::default() }, |_| {}).await;
    assert!(ask_all(&bench, "first", 1).await[0].is_ok());
    let start = std::time::Instant::now();
    assert!(ask_all(&bench, "then", 6).await.iter().all(Result::is_ok));
    assert!(start.elapsed() >= Duration::from_millis(29));
}

#[tokio::test]
async fn a_pause_of_one_model_stops_no_other() {
    let fault = StubFault::status(429).with_header("retry-after", "600");
    let paused = under(StubOptions { faults: FaultPlan::always(fault), ..StubOptions::default() }, |_| {}).await;
    let other = under(StubOptions::default(), |_| {}).await;
    tokio::select! {
        biased;
        _ = ask_all(&paused, "a", 3) => panic!("it should wait for ten minutes"),
        answers = ask_all(&other, "a", 3) => assert!(answers.iter().all(Result::is_ok)),
    }
}
