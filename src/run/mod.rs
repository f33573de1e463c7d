//! Drives the stages of a plan: sets up models, runs every root, keeps state in `run.db`, writes what comes out.

mod aside;
mod counts;
mod defects;
mod emit;
mod graph;
mod manifest;
mod merge;
mod root;
mod setup;
mod store;

pub use aside::Aside;
pub use counts::StageCounts;
pub use defects::{DefectCount, DefectReport};
pub use manifest::{Manifest, ManifestModel, ManifestStage};
pub use merge::merge;
pub use setup::{SetupError, folder_name};

use crate::config::Plan;
use crate::llm::{Interrupt, JournalError, UsageBook};
use crate::record::Item;
use crate::stage::Stop;
use emit::emit;
use futures::StreamExt;
use graph::Graph;
use root::{Root, RootResult};
use setup::Setup;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::Store;

/// What is to be run, and how.
#[derive(Debug, Clone)]
pub struct Options {
    /// The folder that everything is written to.
    pub out: PathBuf,
    /// One of several parts of the roots, from 0, and how many parts there are.
    pub shard: Option<(usize, usize)>,
    /// Draw no more than one item of each kind for so many roots, write nothing, and hand the items back.
    pub preview: Option<usize>,
    /// Roots at work at the same time; as many as keep the models busy where absent.
    pub concurrency: Option<usize>,
    /// Ask anew for everything that an earlier run rejected.
    pub rerun_rejects: bool,
    /// Thrown when somebody wants the run to stop.
    pub interrupt: Interrupt,
}

/// Watches a run while it goes on; handed over before the first root.
pub struct Live {
    /// Counts of every stage, in the order of the file.
    pub counts: Arc<Vec<StageCounts>>,
    /// What was asked and what it took.
    pub usage: Arc<UsageBook>,
    /// Roots to be done.
    pub roots: usize,
}

/// What came of a run.
#[derive(Debug)]
pub struct Summary {
    /// Everything that `manifest.json` holds.
    pub manifest: Manifest,
    /// The items of a preview; empty otherwise.
    pub preview: Vec<Item>,
    /// Where it was written.
    pub folder: PathBuf,
    /// How long it took.
    pub wall: Duration,
}

/// Why a run gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It could not begin.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A model cannot be asked any further.
    #[error(transparent)]
    Stop(#[from] Stop),
    /// A file could not be written or read.
    #[error("cannot write or read the run's files: {0}")]
    Io(#[from] io::Error),
    /// `run.db` could not be written or read.
    #[error("`run.db`: {0}")]
    Database(#[from] rusqlite::Error),
    /// The journal could not be opened.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A record could not be written or read as JSON.
    #[error("a record is not what it should be: {0}")]
    Json(#[from] serde_json::Error),
    /// Shards do not fit together.
    #[error("{0}")]
    Shards(String),
}

/// Runs a plan. `watch` is handed what there is to see before the work begins.
pub async fn run(plan: &Plan, options: &Options, watch: impl FnOnce(Live)) -> Result<Summary, RunError> {
    let began = Instant::now();
    std::fs::create_dir_all(&options.out)?;
    let setup = Setup::new(plan, options)?;
    let database = options.out.join("run.db");
    let tools = setup.shared.toolset.tools.clone();
    let mut store =
        if options.preview.is_some() { Store::attach(&database, &tools)? } else { Store::open(&database, &tools)? };
    let graph = Arc::new(Graph::new(plan, setup.contexts.clone()));
    let counts = Arc::new(plan.stages.iter().map(|stage| StageCounts::new(&stage.name)).collect::<Vec<_>>());
    let roots = choose_roots(&graph, plan, options);
    watch(Live { counts: counts.clone(), usage: setup.usage.clone(), roots: roots.len() });
    let mut preview = Vec::new();
    let sparing = options.preview.is_some();
    let mut done = futures::stream::iter(roots)
        .map(|(source, item)| {
            let root = Root::new(graph.clone(), counts.clone(), item.root.clone(), sparing);
            let id = item.root.clone();
            async move {
                let work = tokio::spawn(root.run(source, item));
                (id, work.await)
            }
        })
        .buffer_unordered(options.concurrency.unwrap_or(setup.concurrency));
    while let Some((id, result)) = done.next().await {
        let result: RootResult = result.map_err(|error| Stop::Store(format!("a root's work broke off: {error}")))??;
        if sparing {
            preview.extend(result.items.into_iter().map(|(_, item)| item));
        } else {
            save(&mut store, &graph, id.as_str(), result)?;
        }
    }
    drop(done);
    preview.sort_by_cached_key(|item: &Item| item.id.sort_key());
    let mut manifest = Manifest::new(plan, options, &setup, &counts);
    manifest.owed = store.owed()?;
    store.set_meta("plan", &manifest.plan_hash)?;
    store.set_meta("shard", &options.shard.map(|(index, of)| format!("{index}/{of}")).unwrap_or_default())?;
    if !sparing {
        let locale = setup.shared.pack.code.as_str();
        let emitted = emit(&store, &graph, &options.out, locale, plan.pipeline.format, &tools)?;
        manifest.samples = emitted.by_type;
        manifest.rejects = emitted.by_reason;
        manifest.defects = setup.defects(&store, &options.out)?;
        manifest.wall_seconds = began.elapsed().as_secs_f64();
        manifest.write(&options.out)?;
    }
    Ok(Summary { manifest, preview, folder: options.out.clone(), wall: began.elapsed() })
}

fn save(store: &mut Store, graph: &Graph, root: &str, result: RootResult) -> Result<(), RunError> {
    let name = |stage: usize| graph.nodes[stage].name.as_str();
    let items: Vec<(&str, Item)> = result.items.into_iter().map(|(stage, item)| (name(stage), item)).collect();
    let mut owed: Vec<(&str, usize, usize)> = Vec::new();
    for (stage, owes, accepted) in result.owed {
        match owed.iter_mut().find(|(known, ..)| *known == name(stage)) {
            Some(known) => (known.1, known.2) = (known.1 + owes, known.2 + accepted),
            None => owed.push((name(stage), owes, accepted)),
        }
    }
    store.add(root, &items, &result.rejects, &owed)
}

/// The roots of this run: all of them, the first so many, or those of one shard.
fn choose_roots(graph: &Graph, plan: &Plan, options: &Options) -> Vec<(usize, Item)> {
    let mut roots: Vec<(usize, Item)> = graph
        .sources()
        .flat_map(|source| {
            let node = &graph.nodes[source];
            node.stage.source(&node.context).into_iter().map(move |item| (source, item))
        })
        .collect();
    if let Some(limit) = plan.pipeline.limit {
        roots.truncate(limit.get());
    }
    if let Some(preview) = options.preview {
        // Spread over the whole, since neighbours are of one category.
        let step = (roots.len() / preview.max(1)).max(1);
        roots = roots.into_iter().step_by(step).take(preview).collect();
    }
    if let Some((index, of)) = options.shard {
        roots.retain(|(_, item)| shard_of(item.root.as_str(), of) == index);
    }
    roots
}

/// Which of so many shards a root belongs to.
fn shard_of(root: &str, of: usize) -> usize {
    let hash = blake3::hash(root.as_bytes());
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hash.as_bytes()[..8]);
    usize::try_from(u64::from_le_bytes(bytes) % of.max(1) as u64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_part_the_roots_and_leave_none_out() {
        let roots: Vec<String> = (0..300).map(|number| format!("A.B.tool{number}")).collect();
        let mut sizes = [0; 3];
        for root in &roots {
            sizes[shard_of(root, 3)] += 1;
        }
        assert_eq!(sizes.iter().sum::<usize>(), 300);
        assert!(sizes.iter().all(|size| *size > 70), "{sizes:?}");
        assert_eq!(shard_of("x", 1), 0);
    }
}
