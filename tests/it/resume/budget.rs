//! A budget holds for a run, in however many processes it is made.

use super::bench::Bench;
use fcgen::failure::RunStopped;
use fcgen::llm::Interrupt;
use fcgen::run::{Manifest, RunError};
use std::path::Path;
use std::time::Duration;

/// How often a run is stopped before it may go on to its end.
const STOPS: usize = 5;
/// Requests in flight, and more tokens than any of them takes.
const IN_FLIGHT: u64 = 8;
const LARGEST: u64 = 700;

/// What the whole run costs in tokens, and how many requests it takes.
async fn whole(bench: &Bench) -> (u64, usize) {
    bench.run("whole", &[], |_| {}).await.unwrap();
    (bench.charged(), bench.count())
}

fn tokens(manifest: &Manifest) -> u64 {
    manifest.usage.iter().map(|row| row.prompt_tokens + row.completion_tokens).sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_stopped_and_continued_stays_within_its_budget() {
    let bench = Bench::start().await;
    let (all, requests) = whole(&bench).await;
    // A token costs a dollar.
    let budget = all / 2;
    let sets = [
        format!("max_cost={budget}"),
        "model.generator.price.input=1000000".to_owned(),
        "model.generator.price.output=1000000".to_owned(),
    ];
    let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
    for _ in 0..STOPS {
        let interrupt = Interrupt::new();
        let (mut counts, next) = (bench.log.count.subscribe(), bench.count() + requests / 20);
        let throw = async {
            counts.wait_for(|count| *count >= next).await.unwrap();
            interrupt.trigger();
            std::future::pending::<()>().await;
        };
        let ended = tokio::select! {
            ended = bench.run("out", &sets, |options| options.interrupt = interrupt.clone()) => ended,
            () = throw => unreachable!(),
        };
        assert!(matches!(ended, Err(RunError::Stop(RunStopped::Interrupted))));
        assert_eq!(tokens(&bench.manifest("out")), bench.charged() - all, "the manifest tells what all have spent");
    }
    let ended = bench.run("out", &sets, |_| {}).await.unwrap_err();
    assert!(matches!(ended, RunError::Stop(RunStopped::Budget(_))), "{ended}");
    let (spent, manifest) = (bench.charged() - all, bench.manifest("out"));
    assert!(spent <= budget + IN_FLIGHT * LARGEST && spent > budget * 4 / 5, "{spent} of {budget}");
    assert_eq!(tokens(&manifest), spent);
    assert!((manifest.cost() - f64::from(u32::try_from(spent).unwrap())).abs() < 1e-3, "{}", manifest.cost());
    let before = bench.count();
    assert!(bench.run("out", &sets, |_| {}).await.is_err());
    assert_eq!(bench.count(), before, "a budget that is spent stays spent");
    bench.run("out", &sets[1..], |_| {}).await.unwrap();
    assert_eq!(bench.charged(), all * 2, "nothing was paid for twice");
    assert_eq!(tokens(&bench.manifest("out")), all);
}

/// Kills a run when so many requests have been answered, unless its budget ends it before.
async fn kill_at(bench: &Bench, out: &Path, more: &[&str], answered: usize) {
    let mut counts = bench.log.count.subscribe();
    let mut child = bench.spawn_with(out, more);
    while child.try_wait().unwrap().is_none() {
        let reached = counts.wait_for(|count| *count >= answered);
        if tokio::time::timeout(Duration::from_millis(20), reached).await.is_ok() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_killed_again_and_again_stays_within_its_budget() {
    let bench = Bench::start().await;
    let (all, requests) = whole(&bench).await;
    let budget = all / 2;
    let (out, bound) = (bench.folder.path().join("out"), format!("max_tokens={budget}"));
    let more = ["--set", bound.as_str()];
    for _ in 0..STOPS {
        kill_at(&bench, &out, &more, bench.count() + requests / 12).await;
    }
    // A process that is killed records no more of its last milliseconds; what is on disk counts for the next one.
    let (recorded, before) = (recorded(&out), bench.charged());
    let mut child = bench.spawn_with(&out, &more);
    let status = tokio::task::spawn_blocking(move || child.wait()).await.unwrap().unwrap();
    assert_eq!(status.code(), Some(13));
    let spent = bench.charged() - before;
    assert!(recorded + spent <= budget + IN_FLIGHT * LARGEST, "{recorded} and {spent} of {budget}");
}

/// The tokens that the accounts in `run.db` show.
fn recorded(out: &Path) -> u64 {
    let database = rusqlite::Connection::open(out.join("run.db")).unwrap();
    let sum = "SELECT COALESCE(SUM(prompt_tokens + completion_tokens), 0) FROM usage";
    u64::try_from(database.query_row(sum, [], |row| row.get::<_, i64>(0)).unwrap()).unwrap()
}
