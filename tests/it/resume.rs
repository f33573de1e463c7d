//! A run that stops and goes on: the same bytes, and nothing is asked for twice. Runs that are killed are in `resume/kill.rs`.

mod bench;
mod budget;
mod kill;

use bench::{Bench, bytes};
use fcgen::config::{Overrides, Plan, load};
use fcgen::failure::RunStopped;
use fcgen::llm::Interrupt;
use fcgen::run::{Live, Manifest, Options, RunError, Summary, merge, run};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// What was answered so long before a stop may be asked for again.
const WINDOW: Duration = Duration::from_millis(50);

impl Bench {
    /// The requests that were repeated, and those of them whose answers had been there for longer than allowed.
    fn wasted(&self, since: usize, stops: &[Instant]) -> (usize, usize) {
        let repeated = self.repeated(since);
        let excused =
            |(earlier, now): &&(Instant, Instant)| stops.iter().any(|stop| stop <= now && *earlier + WINDOW >= *stop);
        (repeated.len(), repeated.len() - repeated.iter().filter(excused).count())
    }

    fn plan(&self, sets: &[&str]) -> Plan {
        let mut overrides = Overrides::default();
        for set in ["limit=2", "floor=0"].iter().chain(sets) {
            overrides.set(*set);
        }
        let path = self.folder.path().join("hammer.toml");
        load(fcgen::assets(), &fs::read_to_string(&path).unwrap(), path.to_str().unwrap(), &overrides).unwrap()
    }

    /// The same pipeline for a run in this process.
    async fn run(&self, out: &str, sets: &[&str], options: impl FnOnce(&mut Options)) -> Result<Summary, RunError> {
        let mut asked = Options::new(self.folder.path().join(out));
        options(&mut asked);
        run(&self.plan(sets), &asked, |_: Live| {}).await
    }

    fn manifest(&self, out: &str) -> Manifest {
        serde_json::from_slice(&fs::read(self.folder.path().join(out).join("manifest.json")).unwrap()).unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_at_its_end_asks_nothing_when_run_again() {
    let bench = Bench::start().await;
    let out = bench.folder.path().join("out");
    bench.finish(&out).await;
    let (first, asked) = (bytes(&out), bench.count());
    bench.finish(&out).await;
    assert_eq!(bench.count(), asked);
    assert!(bytes(&out) == first);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_spent_budget_loses_nothing_that_was_paid_for() {
    let bench = Bench::start().await;
    let error = bench.run("out", &["max_tokens=30000"], |_| {}).await.unwrap_err();
    assert!(matches!(error, RunError::Stop(RunStopped::Budget(_))), "{error}");
    assert!(bench.manifest("out").stopped.unwrap().starts_with("the budget is spent: "));
    assert!(bench.count() > 10);
    bench.run("out", &[], |_| {}).await.unwrap();
    assert_eq!(bench.wasted(0, &[]), (0, 0), "what was in flight when the budget was spent has come in");
    assert_eq!(bench.manifest("out").stopped, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_refuses_half_way_loses_nothing_that_was_answered() {
    let bench = Bench::start().await;
    bench.log.answers.store(40, Ordering::Relaxed);
    let error = bench.run("out", &[], |_| {}).await.unwrap_err();
    assert!(matches!(error, RunError::Stop(RunStopped::Endpoint { .. })), "{error}");
    let usage = bench.manifest("out").usage;
    assert!(usage.iter().map(|row| row.attempts).sum::<u64>() >= 40, "the manifest says how far it came");
    bench.log.answers.store(usize::MAX, Ordering::Relaxed);
    bench.run("out", &[], |_| {}).await.unwrap();
    assert_eq!(bench.wasted(0, &[]), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_run_keeps_what_was_answered() {
    let bench = Bench::start().await;
    let interrupt = Interrupt::new();
    let mut counts = bench.log.count.subscribe();
    let throw = async {
        counts.wait_for(|count| *count >= 50).await.unwrap();
        interrupt.trigger();
        Instant::now()
    };
    let (result, thrown) = tokio::join!(bench.run("out", &[], |options| options.interrupt = interrupt.clone()), throw);
    assert!(matches!(result, Err(RunError::Stop(RunStopped::Interrupted))));
    assert!(thrown.elapsed() < Duration::from_secs(5), "it ends without waiting for anybody");
    bench.run("out", &[], |_| {}).await.unwrap();
    let (_, wasted) = bench.wasted(0, &[thrown]);
    assert_eq!(wasted, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_preview_paid_for_serves_the_run() {
    let bench = Bench::start().await;
    let preview = bench.run("out", &[], |options| options.preview = Some(1)).await.unwrap();
    assert!(!preview.preview.items.is_empty() && bench.count() > 0);
    bench.run("out", &[], |_| {}).await.unwrap();
    assert_eq!(bench.wasted(0, &[]), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn shards_that_were_merged_hold_every_reply() {
    let bench = Bench::start().await;
    let shards: Vec<PathBuf> = (0..2).map(|index| bench.folder.path().join(format!("s{index}"))).collect();
    for index in 0..2 {
        bench.run(&format!("s{index}"), &[], |options| options.shard = Some((index, 2))).await.unwrap();
    }
    let all = bench.folder.path().join("all");
    merge(&bench.plan(&[]), &shards, &Options::new(&all)).unwrap();
    let (merged, asked) = (bytes(&all), bench.count());
    bench.run("all", &[], |_| {}).await.unwrap();
    assert_eq!(bench.count(), asked, "the merged folder knows every answer");
    assert!(bytes(&all) == merged);
}
