//! Puts the shards of a run together: the result is what one process would have written, byte for byte.

use super::emit::emit;
use super::graph::Graph;
use super::manifest::Manifest;
use super::setup::Setup;
use super::store::Store;
use super::{Options, RunError, StageCounts, Summary};
use crate::config::Plan;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Merges the shards' folders into `options.out`. Every shard of the same plan must be there, each once.
pub fn merge(plan: &Plan, shards: &[PathBuf], options: &Options) -> Result<Summary, RunError> {
    let began = Instant::now();
    std::fs::create_dir_all(&options.out)?;
    let setup = Setup::new(plan, options)?;
    let counts: Vec<StageCounts> = plan.stages.iter().map(|stage| StageCounts::new(&stage.name)).collect();
    let mut manifest = Manifest::new(plan, options, &setup, &counts);
    check_shards(&manifest.plan_hash, shards)?;
    let tools = setup.shared.toolset.tools.clone();
    let store = Store::open(&options.out.join("run.db"), &tools)?;
    for shard in shards {
        store.take_over(&shard.join("run.db"))?;
        add_up(&mut manifest, &read_manifest(shard)?);
    }
    let graph = Graph::new(plan, setup.contexts.clone());
    let locale = setup.shared.pack.code.as_str();
    let emitted = emit(&store, &graph, &options.out, locale, plan.pipeline.format, &tools)?;
    manifest.samples = emitted.by_type;
    manifest.rejects = emitted.by_reason;
    manifest.owed = store.owed()?;
    store.set_meta("plan", &manifest.plan_hash)?;
    manifest.wall_seconds += began.elapsed().as_secs_f64();
    manifest.write(&options.out)?;
    Ok(Summary { manifest, preview: Vec::new(), folder: options.out.clone(), wall: began.elapsed() })
}

fn check_shards(plan_hash: &str, shards: &[PathBuf]) -> Result<(), RunError> {
    let mut seen: BTreeSet<usize> = BTreeSet::new();
    let mut parts = None;
    for shard in shards {
        let name = shard.display();
        let fault = |message: String| RunError::Shards(message);
        if !shard.join("run.db").is_file() {
            return Err(fault(format!("`{name}` holds no run.db")));
        }
        let store = Store::attach(&shard.join("run.db"), &[])?;
        if store.meta("plan")?.as_deref() != Some(plan_hash) {
            return Err(fault(format!(
                "`{name}` was not made by this pipeline with these settings, or is not finished"
            )));
        }
        let text = store.meta("shard")?.unwrap_or_default();
        let Some((index, of)) =
            text.split_once('/').and_then(|(index, of)| Some((index.parse().ok()?, of.parse::<usize>().ok()?)))
        else {
            return Err(fault(format!("`{name}` is a whole run, not a shard")));
        };
        if *parts.get_or_insert(of) != of || !seen.insert(index) {
            return Err(fault(format!("`{name}` is shard {text}, which does not fit beside the others")));
        }
    }
    match parts {
        Some(of) if seen.len() == of => Ok(()),
        Some(of) => Err(RunError::Shards(format!("{} of {of} shards are missing", of - seen.len()))),
        None => Err(RunError::Shards("no shards were named".to_owned())),
    }
}

fn read_manifest(shard: &Path) -> Result<Manifest, RunError> {
    Ok(serde_json::from_str(&std::fs::read_to_string(shard.join("manifest.json"))?)?)
}

fn add_up(whole: &mut Manifest, part: &Manifest) {
    for (stage, other) in whole.stages.iter_mut().zip(&part.stages) {
        stage.came += other.came;
        stage.kept += other.kept;
        stage.rejected += other.rejected;
    }
    for (stage, words) in &part.counted {
        for (word, count) in words {
            *whole.counted.entry(stage.clone()).or_default().entry(word.clone()).or_default() += count;
        }
    }
    whole.usage.extend(part.usage.iter().cloned());
    whole.wall_seconds += part.wall_seconds;
}
