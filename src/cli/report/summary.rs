//! What a page tells besides its samples.

use super::scores::Tables;
use crate::cli::manifest::read_manifest;
use fcgen::check::{Bench, Report};
use fcgen::report::page::RejectGroup;
use fcgen::run::Manifest;
use serde::Serialize;
use std::path::Path;

/// Everything that is told of a run as a whole.
#[derive(Debug, Default, Serialize)]
pub(super) struct Summary {
    /// The run's name.
    pub(super) title: String,
    /// The manifest, where it is a run.
    manifest: Option<Manifest>,
    rejects: Vec<RejectGroup>,
    /// Lines that are no samples.
    pub(super) faults: usize,
    /// What a check found.
    pub(super) check: Option<Report>,
    /// Why there is no check.
    pub(super) unchecked: String,
    /// Tables of scores, where models were scored.
    pub(super) scores: Option<Tables>,
}

impl Summary {
    /// What lies beside a bench.
    pub(super) fn new(path: &Path, bench: &Bench) -> Self {
        let folder = bench.folder();
        let name = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let title = name.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let manifest = read_manifest(&folder).ok();
        Self { title, manifest, rejects: super::rejects(&folder).groups(), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bench_without_a_run_has_a_name_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.jsonl");
        std::fs::write(&path, "").unwrap();
        let summary = Summary::new(&path, &Bench::open(&path, None).unwrap());
        assert_eq!((summary.title.as_str(), summary.manifest.is_none()), ("mine.jsonl", true));
        let json = serde_json::to_value(&summary).unwrap();
        assert_eq!((json["check"].is_null(), json["rejects"].as_array().map(Vec::len)), (true, Some(0)));
    }
}
