//! Questions that go together, over sockets and by files: what is asked, how often, what comes back, and what people read.

mod bench;
mod files;
mod leaving;

use bench::{Bench, MANY};
use fcgen::llm::stub::{BatchEnd, BatchPlan, BatchStats, FaultPlan, StubFault, StubOptions};
use fcgen::llm::{ChatError, Price};
use insta::assert_snapshot;

fn failed(code: &str, line: Option<u32>) -> BatchEnd {
    BatchEnd::Failed { code: code.to_owned(), line }
}

/// Everybody is answered, whatever happens on the way; how many batches it took, and how many lines were answered.
async fn answered(batches: BatchPlan, faults: FaultPlan) -> (u64, u64) {
    let bench = Bench::new(StubOptions { batches, faults, ..StubOptions::default() }, |_| {}).await;
    bench.assert_all_answered().await;
    (bench.stub.batch_stats().batches, bench.stub.stats().total)
}

/// What somebody reads in the end.
async fn told(batches: BatchPlan) -> String {
    let bench = Bench::new(StubOptions { batches, ..StubOptions::default() }, |config| config.retries = 1).await;
    bench.tell(&bench.ask("a").await.unwrap_err())
}

#[tokio::test]
async fn all_who_ask_at_once_go_in_one_batch_however_few_may_be_in_flight() {
    let bench = Bench::new(StubOptions::default(), |config| config.concurrency = 1).await;
    bench.assert_all_answered().await;
    let expected = BatchStats { uploads: 1, creations: 1, batches: 1, looks: 1, downloads: 1 };
    assert_eq!(bench.stub.batch_stats(), expected);
    bench.assert_all_answered().await;
    assert_eq!(bench.stub.batch_stats(), expected, "the second time the journal knows all");
}

#[tokio::test]
async fn a_batch_keeps_to_its_limits() {
    let bench = Bench::new(StubOptions::default(), |config| config.batch_requests = 7).await;
    bench.assert_all_answered().await;
    assert_eq!(bench.stub.batch_stats().batches, u64::from(MANY).div_ceil(7));
}

#[tokio::test]
async fn a_batch_is_looked_at_until_it_ends() {
    let plan = BatchPlan { looks: 4, ..BatchPlan::default() };
    let bench = Bench::new(StubOptions { batches: plan, ..StubOptions::default() }, |_| {}).await;
    bench.assert_all_answered().await;
    assert_eq!(bench.stub.batch_stats().looks, 5);
}

#[tokio::test]
async fn tokens_and_dollars_are_booked_as_for_others() {
    let bench = Bench::new(StubOptions::default(), |config| config.price = Price { input: 1.0, output: 10.0 }).await;
    bench.assert_all_answered().await;
    let usage = bench.usage.snapshot().remove(0);
    let many = u64::from(MANY);
    assert_eq!((usage.requests, usage.attempts, usage.retries, usage.failures), (many, many, 0, 0));
    assert_eq!((usage.prompt_tokens, usage.completion_tokens), (2 * many, 2 * many), "two words each");
    assert!((usage.cost - 22.0 * f64::from(MANY) / 1e6).abs() < 1e-12, "{}", usage.cost);
}

#[tokio::test]
async fn lines_that_come_twice_count_once() {
    assert_eq!(answered(BatchPlan { doubled: true, ..BatchPlan::default() }, FaultPlan::default()).await, (1, 20));
}

#[tokio::test]
async fn what_a_batch_did_not_serve_goes_into_the_next_one() {
    for end in [BatchEnd::ExpiredHalfway, BatchEnd::Halved] {
        let plan = BatchPlan { ends: vec![end.clone()], ..BatchPlan::default() };
        assert_eq!(answered(plan, FaultPlan::default()).await, (2, 20), "{end:?}: nothing is paid for twice");
    }
}

#[tokio::test]
async fn lines_that_failed_in_passing_are_asked_again() {
    let faults = [
        StubFault::status(429),
        StubFault::status(500),
        StubFault::text(503, "busy"),
        StubFault::HalfJson,
        StubFault::DropBeforeHeaders,
        StubFault::EmptyChoices,
    ];
    let (batches, lines) = answered(BatchPlan::default(), FaultPlan::first(faults)).await;
    assert_eq!((batches > 1, lines), (true, 26));
}

#[tokio::test]
async fn a_line_that_is_refused_is_lost_alone() {
    let faults = FaultPlan::first([StubFault::status(400)]);
    let bench = Bench::new(StubOptions { faults, ..StubOptions::default() }, |_| {}).await;
    let errors: Vec<ChatError> = bench.ask_many().await.into_iter().filter_map(Result::err).collect();
    assert_eq!((errors.len(), bench.stub.batch_stats().batches), (1, 1));
    assert_snapshot!(bench.tell(&errors[0]), @"`m` refuses the request with 400: stub says 400");
}

#[tokio::test]
async fn a_batch_with_a_faulty_line_is_sent_without_it() {
    let plan = BatchPlan { ends: vec![failed("invalid_json_line", Some(3))], ..BatchPlan::default() };
    let bench = Bench::new(StubOptions { batches: plan, ..StubOptions::default() }, |_| {}).await;
    let errors: Vec<ChatError> = bench.ask_many().await.into_iter().filter_map(Result::err).collect();
    assert_eq!((errors.len(), bench.stub.batch_stats().batches, bench.stub.stats().total), (1, 2, 19));
    assert_snapshot!(bench.tell(&errors[0]), @"`m` refuses the request with 400: stub says invalid_json_line");
}

#[tokio::test]
async fn a_batch_that_is_not_accepted_is_sent_once_more_and_then_told() {
    let plan = |ends| BatchPlan { ends, ..BatchPlan::default() };
    assert_eq!(answered(plan(vec![failed("internal_error", None)]), FaultPlan::default()).await, (2, 20));
    let twice = || failed("model_not_found", None);
    assert_snapshot!(told(plan(vec![twice(), twice()])).await, @"`m` at `URL`: batch `batch-1` was not accepted: stub says model_not_found; hint: none of its requests were answered; fix this and run the same command to resume");
    let full = || failed("token_limit_exceeded", None);
    assert_snapshot!(told(plan(vec![full(), full()])).await, @"`m` at `URL`: batch `batch-1` was not accepted: stub says token_limit_exceeded; hint: set a lower `batch_requests` and run the same command to resume");
}

#[tokio::test]
async fn batches_that_are_each_too_large_do_not_wait_for_one_another() {
    let full = || failed("token_limit_exceeded", None);
    let plan = BatchPlan { ends: vec![full(); 1000], ..BatchPlan::default() };
    let halves = |config: &mut fcgen::llm::ModelConfig| config.batch_requests = 10;
    let bench = Bench::new(StubOptions { batches: plan, ..StubOptions::default() }, halves).await;
    let answers = bench.ask_many().await;
    assert!(answers.iter().all(Result::is_err));
    assert!(bench.stub.batch_stats().batches < 10, "{:?}", bench.stub.batch_stats());
}

#[tokio::test]
async fn a_batch_that_the_server_made_and_does_not_know_is_told_and_not_paid_for_again() {
    let plan = BatchPlan { look_faults: FaultPlan::always(StubFault::status(404)), ..BatchPlan::default() };
    assert_snapshot!(told(plan).await, @"`m` at `URL`: batch `batch-0` was created, but the server does not know it: HTTP 404: stub says 404; hint: check that the server has `/files` and `/batches`; otherwise remove `batch`, or use `batch_dir` with an inference engine");
}

#[tokio::test]
async fn a_batch_that_somebody_cancelled_gives_what_it_has_and_stops_the_run() {
    let plan = BatchPlan { ends: vec![BatchEnd::CancelledHalfway], ..BatchPlan::default() };
    let bench = Bench::new(StubOptions { batches: plan, ..StubOptions::default() }, |_| {}).await;
    let (there, missing): (Vec<_>, Vec<_>) = bench.ask_many().await.into_iter().partition(Result::is_ok);
    assert_eq!((there.len(), missing.len()), (10, 10));
    assert_snapshot!(bench.tell(missing[0].as_ref().unwrap_err()), @"`m` at `URL`: batch `batch-0`: it was cancelled; hint: its answers are kept; run the same command to submit the rest again");
    bench.reopen().assert_all_answered().await;
    assert_eq!((bench.stub.batch_stats().batches, bench.stub.stats().repeated), (2, 0));
}

#[tokio::test]
async fn whatever_fails_in_passing_on_the_way_is_tried_again() {
    let faults = || {
        let faults = [StubFault::status(503), StubFault::DropBeforeHeaders, StubFault::TruncatedBody];
        FaultPlan::first(faults)
    };
    let gateway = || FaultPlan::first([StubFault::text(502, "bad gateway"), StubFault::text(504, "too late")]);
    let plans = [
        BatchPlan { uploads: faults(), ..BatchPlan::default() },
        BatchPlan { creations: faults(), ..BatchPlan::default() },
        // Behind the gateway the batch was made; it is found by its mark.
        BatchPlan { creations: gateway(), ..BatchPlan::default() },
        BatchPlan { look_faults: FaultPlan::first([StubFault::status(404)]), ..BatchPlan::default() },
        BatchPlan { look_faults: faults(), looks: 2, ..BatchPlan::default() },
        BatchPlan { downloads: faults(), ..BatchPlan::default() },
        // Half a file that says it is whole: the count tells.
        BatchPlan { downloads: FaultPlan::first([StubFault::HalfJson]), ..BatchPlan::default() },
    ];
    for plan in plans {
        assert_eq!(answered(plan.clone(), FaultPlan::default()).await, (1, 20), "{plan:?}");
    }
}

#[tokio::test]
async fn a_server_that_wants_no_batches_is_told_with_the_way_out() {
    let always = |status| FaultPlan::always(StubFault::status(status));
    let uploads = |status| BatchPlan { uploads: always(status), ..BatchPlan::default() };
    assert_snapshot!(told(uploads(404)).await, @"`m` at `URL`: uploading the request file failed: HTTP 404: stub says 404; hint: check that the server has `/files` and `/batches`; otherwise remove `batch`, or use `batch_dir` with an inference engine");
    assert_snapshot!(told(uploads(413)).await, @"`m` at `URL`: uploading the request file failed: HTTP 413: stub says 413; hint: check that the server has `/files` and `/batches`; otherwise remove `batch`, or use `batch_dir` with an inference engine");
    assert_snapshot!(told(uploads(401)).await, @"`m` at `URL`: uploading the request file failed: HTTP 401: stub says 401; hint: check that the key in `CARGO_MANIFEST_DIR` is valid and has access to this model");
    let creations = BatchPlan { creations: always(500), ..BatchPlan::default() };
    assert_snapshot!(told(creations).await, @"`m` at `URL`: creating the batch failed: HTTP 500: stub says 500; hint: submitted requests are kept; run the same command to resume");
    let looks = BatchPlan { look_faults: always(502), ..BatchPlan::default() };
    assert_snapshot!(told(looks).await, @"`m` at `URL`: checking batch `batch-0` failed: HTTP 502: stub says 502; hint: submitted requests are kept; run the same command to resume");
}
