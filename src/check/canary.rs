//! Canaries: strings that stand in benchmark data alone, found in files that somebody trains on.

use super::leak::{SourceError, each_row};
use crate::format::{Bench, Place};
use crate::lint::finding::{Finding, Findings, Severity};
use crate::record::{CANARY, canaries};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The files that may hold a benchmark's canary, from its folder.
const FILES: [&str; 2] = ["CANARY.txt", "benchmark/CANARY.txt"];
/// The name under which a sample's provenance holds it.
const FACT: &str = "canary";

/// The canaries of a bench: those of its first sample and of the files beside.
pub fn canaries_of(bench: &Bench) -> BTreeSet<String> {
    let mut own = None;
    bench.each_place(&mut |_, found| {
        if let (None, Ok(mut sample)) = (&own, found) {
            own = Some(sample.provenance.facts.shift_remove(FACT));
        }
    });
    let mut found: BTreeSet<String> = own.flatten().into_iter().collect();
    let folder = bench.folder();
    for file in FILES.iter().flat_map(|name| [folder.join(name), bench.path().join(name)]) {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        found.extend(canaries(&text).map(str::to_owned));
    }
    found
}

/// Rows that hold a canary: one of those that are looked for, or any of ours where none is named.
pub fn hold_canaries(files: &[PathBuf], wanted: Option<&BTreeSet<String>>) -> Result<Findings, SourceError> {
    let mut findings = Findings::default();
    for file in files {
        each_row(file, &mut |line, text| {
            if text.contains(CANARY) {
                row(file, line, text, wanted, &mut findings);
            }
        })?;
    }
    Ok(findings)
}

fn row(file: &Path, line: usize, text: &str, wanted: Option<&BTreeSet<String>>, findings: &mut Findings) {
    let found = canaries(text).find(|it| wanted.is_none_or(|wanted| wanted.contains(*it)));
    if let Some(found) = found {
        let message =
            format!("contains `{found}`, the canary string of a benchmark that must not be used for training");
        findings.add(Finding::new("canary", Severity::Error, &Place::of(file, line), "", message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::sample;
    use crate::record::canary;

    #[test]
    fn a_benchs_canary_is_found_in_rows() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mut own = sample("a", "ST_Perfect");
        own.provenance.facts.insert(FACT.to_owned(), canary(&["one"]));
        std::fs::write(at("samples.jsonl"), serde_json::to_string(&own).unwrap()).unwrap();
        std::fs::write(at("CANARY.txt"), format!("some words\n{}\n", canary(&["two"]))).unwrap();
        let known = canaries_of(&Bench::open(folder.path()).unwrap());
        assert_eq!(known, [canary(&["one"]), canary(&["two"])].into());
        let rows =
            format!("{{\"a\": \"x\"}}\n{{\"b\": \"{}\"}}\n{{\"c\": \"{}\"}}\n", canary(&["one"]), canary(&["three"]));
        std::fs::write(at("train.jsonl"), rows).unwrap();
        let lines = |wanted| -> Vec<usize> {
            let findings = hold_canaries(&[at("train.jsonl")], wanted).unwrap();
            assert_eq!(findings.count(Severity::Warning), 0);
            findings.rules().flat_map(|(_, _, _, first)| first).map(|it| it.place.line).collect()
        };
        assert_eq!((lines(Some(&known)), lines(None)), (vec![2], vec![2, 3]));
    }

    #[test]
    fn a_bench_may_have_none() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("samples.jsonl"), serde_json::to_string(&sample("a", "x")).unwrap()).unwrap();
        assert!(canaries_of(&Bench::open(folder.path()).unwrap()).is_empty());
    }
}
