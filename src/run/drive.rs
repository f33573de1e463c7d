//! A run from beginning to end: prepare, work on the roots, write what came out.

use super::folder::{refuse_other, refuse_strange, remember};
use super::keeper::{Keeper, choose_roots};
use super::reporter::Reporter;
use super::store::Store;
use super::{Live, Options, Preview, RunError, StageCounts, Summary};
use crate::config::Plan;
use crate::failure::RunStopped;
use crate::fs::Lock;
use crate::fs::make_folder;
use crate::run::output::defects::report;
use crate::run::output::emit::{Target, emit};
use crate::run::output::manifest::Manifest;
use crate::run::output::shelf::Shelf;
use crate::run::prepare::ground::Ground;
use crate::run::prepare::setup::Setup;
use crate::run::roots::graph::Graph;
use crate::run::roots::work::{Sink, Work};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Runs a plan. `watch` is handed what there is to see before the work begins.
///
/// A run that is stopped keeps what it has: replies are in the journal, and `manifest.json` says how far it came.
pub async fn run(plan: &Plan, options: &Options, watch: impl FnOnce(Live)) -> Result<Summary, RunError> {
    refuse_strange(&options.out)?;
    make_folder(&options.out)?;
    // Held to the end; a preview leaves the state alone and may look on.
    let _lock = options.preview.is_none().then(|| Lock::take(&options.out)).transpose()?;
    let folder = options.preview.is_none().then_some(options.out.as_path());
    let mut reporter = Reporter::begin(plan, folder, &options.interrupt);
    let result = go(plan, options, watch, &mut reporter).await;
    reporter.end(result.as_ref().err());
    result
}

async fn go(
    plan: &Plan,
    options: &Options,
    watch: impl FnOnce(Live),
    reporter: &mut Reporter,
) -> Result<Summary, RunError> {
    let began = Instant::now();
    let ground = Ground::load(plan)?.following(options.follow.as_deref());
    let mut store = Store::open(&options.out.join("run.db"), &ground.toolset.tools)?;
    if options.preview.is_none() {
        refuse_other(&store, plan, &ground, options)?;
        store.begin(&ground.hash, options.rerun_rejects)?;
        remember(&store, &ground, options)?;
    }
    let marks = store.marks(&ground.hash)?;
    let setup = Setup::new(plan, ground, options, &marks)?;
    let graph = Arc::new(Graph::new(plan, setup.contexts.clone(), &marks)?.following(options.follow.clone()));
    let counts: Arc<Vec<StageCounts>> = Arc::new(plan.stages.iter().map(|it| StageCounts::new(&it.name)).collect());
    let roots = choose_roots(&graph, plan, options);
    let live = Live { counts: counts.clone(), usage: setup.deps.usage.clone(), roots: roots.len() };
    reporter.makes(&live, graph.leaving());
    watch(live);
    let sink = match options.preview {
        Some(_) => Sink::preview(store),
        None => Sink::Keeper(Keeper::start(store, plan.stages.iter().map(|stage| stage.name.clone()).collect())),
    };
    let work = Work {
        graph: graph.clone(),
        counts: counts.clone(),
        closing: setup.deps.closing.clone(),
        sparing: options.preview.is_some(),
        most: options.concurrency.unwrap_or(setup.concurrency).max(1),
    };
    let worked = work.all(roots, &sink, reporter).await;
    let end = End { plan: plan.clone(), options: options.clone(), setup, graph, counts, began };
    let kept = sink.kept();
    let (store, preview) = sink.end().await?;
    reporter.done(kept.load(Ordering::Relaxed));
    let is_made = worked.is_ok();
    let closed = tokio::task::spawn_blocking(move || end.close(&store, worked, preview));
    let closed = if is_made { reporter.writes(closed).await } else { closed.await };
    closed.map_err(|error| RunError::broken_off("the writing of the run's files", &error))?
}

/// What is needed when the roots are done.
struct End {
    plan: Plan,
    options: Options,
    setup: Setup,
    graph: Arc<Graph>,
    counts: Arc<Vec<StageCounts>>,
    began: Instant,
}

impl End {
    fn close(self, store: &Store, worked: Result<(), RunStopped>, preview: Preview) -> Result<Summary, RunError> {
        // First of all: it is paid for.
        self.setup.flush()?;
        let mut manifest = Manifest::new(&self.plan, &self.options, &self.setup, &self.counts);
        manifest.owed = store.owed()?;
        if self.options.preview.is_some() {
            worked?;
        } else {
            self.write(store, worked, &mut manifest)?;
        }
        Ok(Summary { manifest, preview, folder: self.options.out, wall: self.began.elapsed() })
    }

    fn write(&self, store: &Store, worked: Result<(), RunStopped>, manifest: &mut Manifest) -> Result<(), RunError> {
        let folder = &self.options.out;
        if let Err(stop) = worked {
            manifest.stopped = Some(stop.to_string());
            manifest.wall_seconds = self.began.elapsed().as_secs_f64();
            manifest.write(folder)?;
            return Err(stop.into());
        }
        let shared = &self.setup.shared;
        let locale = shared.pack.code.as_str();
        let mut shelf = Shelf::new(folder);
        let emitted = emit(
            store,
            &self.graph,
            &Target {
                folder,
                locale,
                language: &shared.language,
                plan: &self.plan,
                toolset: &shared.toolset,
                follow: self.options.follow.as_deref(),
                interrupt: &self.options.interrupt,
            },
            &mut shelf,
        )?;
        manifest.take(emitted);
        manifest.defects = report(self.setup.defects(), store, folder, &mut shelf)?;
        shelf.clear(store)?;
        manifest.wall_seconds = self.began.elapsed().as_secs_f64();
        manifest.write(folder)?;
        store.end(&self.setup.hash, self.options.shard_name().as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::testing::{run, small};
    use std::fs;

    #[tokio::test]
    async fn a_run_leaves_its_files_and_says_that_it_is_at_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let summary = run(&small(), &Options::new(folder.path())).await.unwrap();
        for name in ["manifest.json", "samples.jsonl", "rejects.jsonl", "benchmark/data/en/single-turn.json"] {
            assert!(folder.path().join(name).is_file(), "{name}");
        }
        let text = fs::read_to_string(folder.path().join("manifest.json")).unwrap();
        assert_eq!(serde_json::from_str::<Manifest>(&text).unwrap(), summary.manifest);
        let store = Store::open(&folder.path().join("run.db"), &[]).unwrap();
        assert_eq!(store.meta("plan").unwrap().unwrap(), summary.manifest.plan_hash);
        assert!(!folder.path().join("progress.json").exists(), "the manifest says all");
    }

    #[tokio::test]
    async fn a_run_that_is_stopped_says_so_and_is_not_at_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let options = Options::new(folder.path());
        options.interrupt.trigger();
        assert!(matches!(run(&small(), &options).await, Err(RunError::Stop(RunStopped::Interrupted))));
        let text = fs::read_to_string(folder.path().join("manifest.json")).unwrap();
        assert_eq!(serde_json::from_str::<Manifest>(&text).unwrap().stopped.unwrap(), "interrupted");
        let store = Store::open(&folder.path().join("run.db"), &[]).unwrap();
        assert_eq!(store.meta("plan").unwrap(), None);
        let progress = crate::run::Progress::read(folder.path()).unwrap().unwrap();
        assert_eq!((progress.stopped.as_deref(), progress.roots, progress.done), (Some("interrupted"), 3, 0));
        assert!(!folder.path().join("samples.jsonl").exists());
    }

    #[tokio::test]
    async fn a_preview_leaves_state_and_files_alone() {
        let folder = tempfile::tempdir().unwrap();
        let options = Options { preview: Some(2), ..Options::new(folder.path()) };
        let summary = run(&small(), &options).await.unwrap();
        assert!(summary.preview.items.len() >= 2);
        assert!(!folder.path().join("samples.jsonl").exists() && !folder.path().join("manifest.json").exists());
        let store = Store::open(&folder.path().join("run.db"), &[]).unwrap();
        assert_eq!((store.meta("plan").unwrap(), store.meta("begun").unwrap()), (None, None));
    }
}
