//! Runs that end while a batch is at the server, and the next ones, which collect it.

use super::bench::Bench;
use fcgen::llm::stub::{BatchPlan, FaultPlan, StubFault, StubOptions};
use fcgen::llm::{Budget, ChatError, Interrupt};
use insta::assert_snapshot;
use rusqlite::Connection;
use std::time::Duration;

/// A bench whose batches end when the switch is thrown.
async fn held() -> (Bench, Interrupt) {
    let hold = Interrupt::new();
    let batches = BatchPlan { hold: Some(hold.clone()), ..BatchPlan::default() };
    (Bench::new(StubOptions { batches, ..StubOptions::default() }, |_| {}).await, hold)
}

/// Waits until a batch was looked at.
async fn looked_at(bench: &Bench) {
    while bench.stub.batch_stats().looks == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn an_interrupted_run_says_what_it_leaves_and_the_next_one_collects_it() {
    let (bench, hold) = held().await;
    let stop = async {
        looked_at(&bench).await;
        bench.interrupt.trigger();
    };
    let (answers, ()) = tokio::join!(bench.ask_many(), stop);
    let error = answers[0].clone().unwrap_err();
    assert_eq!(error, ChatError::Submitted { batches: 1 });
    assert_snapshot!(bench.tell(&error), @"the run was interrupted; 1 of its batches are still running on the server");
    hold.trigger();
    let bench = bench.next();
    bench.assert_all_answered().await;
    assert_eq!((bench.stub.batch_stats().batches, bench.stub.stats().total), (1, 20), "nothing is sent twice");
    let bench = bench.next();
    bench.assert_all_answered().await;
    assert_eq!(bench.stub.batch_stats().downloads, 1, "the journal knows all by now");
}

#[tokio::test]
async fn a_run_that_ends_for_another_reason_does_not_wait_for_its_batches() {
    let (bench, _hold) = held().await;
    let stop = async {
        looked_at(&bench).await;
        bench.closing.trigger();
    };
    let (answers, ()) = tokio::join!(bench.ask_many(), stop);
    assert!(answers.iter().all(|answer| *answer == Err(ChatError::Interrupted)));
}

#[tokio::test]
async fn a_killed_run_is_gone_on_with_and_new_questions_go_in_a_batch_of_their_own() {
    let (bench, hold) = held().await;
    tokio::select! {
        _ = bench.ask_many() => panic!("nobody answers"),
        () = looked_at(&bench) => {}
    }
    hold.trigger();
    let bench = bench.next();
    let (fresh, ()) = tokio::join!(bench.ask("fresh"), bench.assert_all_answered());
    assert_eq!(fresh.unwrap().text, "say fresh");
    let (batches, stats) = (bench.stub.batch_stats(), bench.stub.stats());
    assert_eq!((batches.batches, stats.total, stats.repeated), (2, 21, 0));
}

/// A run that left a batch at the server, gone on with after the id that was written down has become `id`.
async fn gone_on_with(id: &str) -> Bench {
    let (bench, hold) = held().await;
    tokio::select! {
        _ = bench.ask_many() => panic!("nobody answers"),
        () = looked_at(&bench) => {}
    }
    let database = Connection::open(bench.path("run.db")).unwrap();
    database.busy_timeout(Duration::from_secs(30)).unwrap();
    assert_eq!(database.execute(&format!("UPDATE batch SET id = {id}"), []).unwrap(), 1);
    hold.trigger();
    let bench = bench.next();
    bench.assert_all_answered().await;
    bench
}

#[tokio::test]
async fn a_batch_whose_id_was_never_heard_is_found_by_its_mark() {
    let bench = gone_on_with("NULL").await;
    assert_eq!((bench.stub.batch_stats().batches, bench.stub.stats().repeated), (1, 0));
}

#[tokio::test]
async fn a_batch_of_an_earlier_process_that_the_server_no_longer_knows_is_sent_anew() {
    let bench = gone_on_with("'batch-77'").await;
    assert_eq!(bench.stub.batch_stats().batches, 2);
}

#[tokio::test]
async fn a_batch_that_was_only_meant_to_be_sent_is_sent() {
    let creations = FaultPlan::first([StubFault::status(429).with_header("retry-after", "100")]);
    let batches = BatchPlan { creations, ..BatchPlan::default() };
    let bench = Bench::new(StubOptions { batches, ..StubOptions::default() }, |_| {}).await;
    let refused = async {
        while bench.stub.batch_stats().creations == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::select! {
        _ = bench.ask_many() => panic!("nobody answers"),
        () = refused => {}
    }
    let bench = bench.next();
    bench.assert_all_answered().await;
    assert_eq!((bench.stub.batch_stats().batches, bench.stub.stats().repeated), (1, 0));
}

#[tokio::test]
async fn a_budget_lets_no_more_into_a_batch_than_it_can_pay() {
    let bench = Bench::new(StubOptions::default(), |config| config.max_tokens = Some(3)).await;
    let bench = bench.with_budget(Budget::new(None, Some(50)));
    let answers = bench.ask_many().await;
    let paid = answers.iter().filter(|answer| answer.is_ok()).count() as u64;
    assert!(bench.budget.spent().tokens <= 50 && (8..20).contains(&paid), "{paid}: {:?}", bench.budget.spent());
    assert_eq!(bench.stub.stats().total, paid);
    assert!(answers.into_iter().filter_map(Result::err).all(|error| matches!(error, ChatError::Budget { .. })));
}
