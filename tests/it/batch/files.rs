//! Questions by files: written, answered by somebody else, read.

use super::bench::{Bench, MANY};
use fcgen::llm::stub::StubOptions;
use fcgen::llm::{ChatError, ModelConfig};
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::fs;

/// A bench that asks by files in `folder`.
async fn bench(folder: &tempfile::TempDir, change: impl FnOnce(&mut ModelConfig)) -> Bench {
    let place = Some(folder.path().join("batches"));
    Bench::new(StubOptions::default(), |config| {
        (config.batch, config.batch_dir) = (false, place);
        change(config);
    })
    .await
}

/// Answers a file of requests as an engine does, line by line; `None` leaves a line out.
fn answer(folder: &tempfile::TempDir, number: u32, engine: impl Fn(&Value) -> Option<Value>) {
    let path = |name: &str| folder.path().join(format!("batches/{name}-{number:04}.jsonl"));
    let requests = fs::read_to_string(path("requests")).unwrap();
    let lines = requests.lines().rev().filter_map(|line| {
        let request: Value = serde_json::from_str(line).unwrap();
        let response = engine(&request["body"])?;
        Some(
            json!({ "id": "vllm-1", "custom_id": request["custom_id"], "response": response, "error": null })
                .to_string(),
        )
    });
    fs::write(path("results"), lines.collect::<Vec<_>>().join("\n")).unwrap();
}

fn echo(body: &Value) -> Value {
    let choices = json!([{ "message": { "role": "assistant", "content": body["messages"][0]["content"] } }]);
    json!({ "status_code": 200, "request_id": "r", "body": { "choices": choices } })
}

fn files(folder: &tempfile::TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path().join("batches")).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn all_wait(answers: &[Result<fcgen::llm::Reply, ChatError>]) -> bool {
    answers.iter().all(|answer| matches!(answer, Err(ChatError::Waiting { .. })))
}

#[tokio::test]
async fn requests_are_written_answered_and_read() {
    let folder = tempfile::tempdir().unwrap();
    let first = bench(&folder, |_| {}).await;
    let answers = first.ask_many().await;
    assert!(all_wait(&answers) && files(&folder) == ["requests-0001.jsonl"], "{answers:?}");
    let told = first.tell(answers[0].as_ref().unwrap_err()).replace(&folder.path().display().to_string(), "[files]");
    assert_snapshot!(told, @r"
    `m` uses request files: 1 request file is waiting for results; hint: process them, for example with
      vllm run-batch -i [files]/batches/requests-0001.jsonl -o [files]/batches/results-0001.jsonl --model m
    ");
    // Whoever comes back too early is told the same, and nothing is written anew.
    assert!(all_wait(&first.reopen().ask_many().await) && files(&folder).len() == 1);
    answer(&folder, 1, |body| Some(echo(body)));
    let next = first.reopen();
    next.assert_all_answered().await;
    let usage = next.usage.snapshot().remove(0);
    assert_eq!((usage.attempts, usage.cache_hits, next.stub.stats().total), (u64::from(MANY), 0, 0));
    fs::remove_dir_all(folder.path().join("batches")).unwrap();
    next.reopen().assert_all_answered().await;
}

#[tokio::test]
async fn a_file_keeps_to_its_limits() {
    let folder = tempfile::tempdir().unwrap();
    let bench = bench(&folder, |config| config.batch_requests = 8).await;
    assert!(all_wait(&bench.ask_many().await));
    assert_eq!(files(&folder), ["requests-0001.jsonl", "requests-0002.jsonl", "requests-0003.jsonl"]);
    (1..=3).for_each(|number| answer(&folder, number, |body| Some(echo(body))));
    bench.reopen().assert_all_answered().await;
}

#[tokio::test]
async fn what_an_engine_left_out_or_failed_at_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let bench = bench(&folder, |_| {}).await;
    assert!(all_wait(&bench.ask_many().await));
    answer(&folder, 1, |body| match body["messages"][0]["content"].as_str().unwrap() {
        "say 3" => None,
        "say 4" => Some(json!({ "status_code": 500, "body": { "error": { "message": "no memory" } } })),
        "say 5" => Some(json!({ "status_code": 400, "body": { "error": { "message": "too long" } } })),
        _ => Some(echo(body)),
    });
    let answers = bench.reopen().ask_many().await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 17);
    assert!(all_wait(&answers[3..5]));
    assert_snapshot!(bench.tell(answers[5].as_ref().unwrap_err()), @"`m` refuses the request with 400: too long");
    let second = fs::read_to_string(folder.path().join("batches/requests-0002.jsonl")).unwrap();
    assert_eq!(second.lines().count(), 2);
    answer(&folder, 2, |body| Some(echo(body)));
    let answers = bench.reopen().ask_many().await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 19);
}

#[tokio::test]
async fn an_engine_that_always_fails_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let bench = bench(&folder, |config| config.retries = 1).await;
    for number in 1..=2 {
        assert!(matches!(bench.reopen().ask("a").await, Err(ChatError::Waiting { .. })), "{number}");
        answer(&folder, number, |_| Some(json!({ "status_code": 500, "body": "no memory" })));
    }
    let error = bench.reopen().ask("a").await.unwrap_err();
    assert_snapshot!(bench.tell(&error), @"no answer from `m` after 2 attempts: HTTP 500: no memory");
    assert_eq!(files(&folder).len(), 4);
}
