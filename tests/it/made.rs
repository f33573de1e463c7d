//! Runs of pipelines with the built-in model, and what they wrote. Each is made once for all tests.

use fcgen::config::{Overrides, load};
use fcgen::record::{Sample, SharedSnapshots};
use fcgen::run::{Options, Summary, run};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use tokio::sync::OnceCell;

/// What a run gave.
pub(crate) struct Made {
    pub(crate) summary: Summary,
    pub(crate) samples: Vec<Sample>,
    /// The text of each file of its folder, by its path from there.
    files: BTreeMap<String, String>,
}

/// The run of a shipped pipeline with these settings.
pub(crate) async fn made(pipeline: &str, settings: &[&str]) -> Arc<Made> {
    made_of(&fcgen::assets().read(&format!("pipelines/{pipeline}.toml")).unwrap(), settings).await
}

/// The same of a pipeline's text.
pub(crate) async fn made_of(text: &str, settings: &[&str]) -> Arc<Made> {
    static RUNS: Mutex<BTreeMap<String, Arc<OnceCell<Arc<Made>>>>> = Mutex::new(BTreeMap::new());
    let cell = RUNS.lock().unwrap().entry(format!("{settings:?} {text}")).or_default().clone();
    let make = async || {
        let folder = tempfile::tempdir().unwrap();
        Arc::new(make_in(folder.path(), text, settings).await)
    };
    cell.get_or_init(make).await.clone()
}

/// Runs a pipeline into a folder that stays.
pub(crate) async fn make_in(folder: &Path, text: &str, settings: &[&str]) -> Made {
    let overrides: Overrides = settings.iter().copied().collect();
    let plan = load(fcgen::assets(), text, "pipelines/made.toml", &overrides).unwrap();
    let summary = run(&plan, &Options::new(folder), |_| {}).await.unwrap();
    let mut files = BTreeMap::new();
    read_into(folder, folder, &mut files);
    let samples = restored(&files["samples.jsonl"]);
    Made { summary, samples, files }
}

fn read_into(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>) {
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            read_into(root, &path, files);
        } else if let Ok(text) = fs::read_to_string(&path) {
            files.insert(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned(), text);
        }
    }
}

impl Made {
    /// The text of a file.
    pub(crate) fn text(&self, path: &str) -> &str {
        &self.files[path]
    }

    /// A file of JSON.
    pub(crate) fn json<T: DeserializeOwned>(&self, path: &str) -> T {
        serde_json::from_str(self.text(path)).unwrap()
    }
}

/// The samples of a file, with those that it leaves out as copies.
pub(crate) fn restored(lines: &str) -> Vec<Sample> {
    let mut shared = SharedSnapshots::default();
    lines.lines().flat_map(|line| shared.restore(serde_json::from_str(line).unwrap())).collect()
}
