//! Outcome of the defects that the built-in generator was configured to inject: rejected, retried, or undetected.

use crate::failure::RunError;
use crate::fs::AtomicFile;
use crate::model::{Defect, DefectKind};
use crate::record::Draw;
use crate::run::output::shelf::Shelf;
use crate::run::store::Store;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;

/// Detection of injected defects in a run with `defect_rate`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DefectReport {
    /// Counts by kind of defect.
    pub kinds: BTreeMap<DefectKind, DefectCount>,
    /// Rejected items whose last draw was valid, by reason.
    pub good_lost: BTreeMap<String, usize>,
    /// Items whose last draw was valid.
    pub good: usize,
}

/// Outcome of one kind of defect.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DefectCount {
    /// Number of injected defects.
    pub committed: usize,
    /// Detected at once: the item was retried and accepted.
    pub asked_again: usize,
    /// Detected: the item was rejected.
    pub rejected: usize,
    /// Undetected: the item was written.
    pub slipped: usize,
}

impl DefectReport {
    /// All kinds together.
    pub fn total(&self) -> DefectCount {
        self.kinds.values().fold(DefectCount::default(), |sum, kind| DefectCount {
            committed: sum.committed + kind.committed,
            asked_again: sum.asked_again + kind.asked_again,
            rejected: sum.rejected + kind.rejected,
            slipped: sum.slipped + kind.slipped,
        })
    }
}

/// Writes the sidecar `defects.jsonl` and compares it with what was kept and rejected; `None` where no fault was committed.
pub(crate) fn report(
    mut sorted: Vec<Defect>,
    store: &Store,
    folder: &Path,
    shelf: &mut Shelf<'_>,
) -> Result<Option<DefectReport>, RunError> {
    if sorted.is_empty() {
        return Ok(None);
    }
    sorted.sort_by(|one, other| (&one.stage, &one.item, one.draw).cmp(&(&other.stage, &other.item, other.draw)));
    let mut file = AtomicFile::create(&folder.join("defects.jsonl"))?;
    shelf.note("defects.jsonl");
    for defect in &sorted {
        serde_json::to_writer(&mut file, defect)?;
        file.write_all(b"\n")?;
    }
    file.finish()?;
    let (used, rejected) = outcome(store)?;
    let mut report = DefectReport::default();
    for defect in &sorted {
        count(report.kinds.entry(defect.kind).or_default(), defect, &used, &rejected);
    }
    let spoilt: BTreeSet<(&str, u32)> = sorted.iter().map(|defect| (defect.item.as_str(), defect.draw)).collect();
    report.good = used.iter().filter(|(item, draw)| !spoilt.contains(&(item.as_str(), **draw))).count();
    for (item, (reason, stage)) in &rejected {
        // A writing stage rejects after its last asking; what it saw there is in the sidecar if it was a fault.
        let written = sorted.iter().any(|defect| defect.item == *item);
        if !written {
            *report.good_lost.entry(format!("{stage}: {reason}")).or_default() += 1;
            report.good += 1;
        }
    }
    Ok(Some(report))
}

/// Which draw of each query was emitted, and which items were rejected where.
type Outcome = (BTreeMap<String, u32>, BTreeMap<String, (String, String)>);

fn outcome(store: &Store) -> Result<Outcome, RunError> {
    let mut used = BTreeMap::new();
    store.items(|_, item| {
        let written = item.provenance.draws.iter().filter(|draw| is_writing(draw));
        if let (Some(draw), Some(id)) = (written.clone().next(), query_id(item.id.as_str(), &item.provenance.draws)) {
            used.insert(id, draw.draw);
        }
        Ok(())
    })?;
    let mut rejected = BTreeMap::new();
    store.rejects(|reject| {
        rejected.insert(reject.id.to_string(), (reject.reason, reject.stage));
        Ok(())
    })?;
    Ok((used, rejected))
}

fn is_writing(draw: &Draw) -> bool {
    ["perfect_queries", "_questions"].iter().any(|ending| draw.stage.ends_with(ending))
}

/// The id of the query that an item grew from: up to the writing stage's ordinal.
fn query_id(id: &str, draws: &[Draw]) -> Option<String> {
    let stage = &draws.iter().find(|draw| is_writing(draw))?.stage;
    let mark = format!("/{stage}/");
    let (before, after) = id.split_once(&mark)?;
    let ordinal = after.split('/').next()?;
    Some(format!("{before}{mark}{ordinal}"))
}

fn count(
    count: &mut DefectCount,
    defect: &Defect,
    used: &BTreeMap<String, u32>,
    rejected: &BTreeMap<String, (String, String)>,
) {
    count.committed += 1;
    match used.get(&defect.item) {
        Some(draw) if *draw == defect.draw => count.slipped += 1,
        Some(_) => count.asked_again += 1,
        None if rejected.contains_key(&defect.item) => count.rejected += 1,
        // Neither emitted nor rejected: an example that was written for a reader and thrown away.
        None => count.asked_again += 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Options;
    use crate::run::testing::{SMALL, run};

    #[test]
    fn a_query_is_known_by_the_id_up_to_its_writing_stage() {
        let draw = |stage: &str| Draw { stage: stage.to_owned(), model: String::new(), prompt: String::new(), draw: 1 };
        let draws = [draw("select_parameters"), draw("imperfect_queries"), draw("external_queries")];
        let id = "A.B.c/select_parameters/3/imperfect_queries/0/external_queries/0/irrelevant_queries/0";
        assert_eq!(query_id(id, &draws).unwrap(), "A.B.c/select_parameters/3/imperfect_queries/0");
    }

    #[test]
    fn a_fault_is_emitted_asked_again_or_rejected() {
        let defect =
            |item: &str, draw| Defect { stage: "s".to_owned(), item: item.to_owned(), draw, kind: DefectKind::Refusal };
        let used = BTreeMap::from([("a".to_owned(), 0), ("b".to_owned(), 2)]);
        let rejected = BTreeMap::from([("c".to_owned(), ("x".to_owned(), "y".to_owned()))]);
        let mut counts = DefectCount::default();
        for one in [defect("a", 0), defect("b", 1), defect("c", 0)] {
            count(&mut counts, &one, &used, &rejected);
        }
        assert_eq!(counts, DefectCount { committed: 3, asked_again: 1, rejected: 1, slipped: 1 });
    }

    #[tokio::test]
    async fn every_fault_that_was_committed_is_accounted_for() {
        let folder = tempfile::tempdir().unwrap();
        let plan = crate::run::testing::plan(SMALL, &["limit=12", "model.generator.defect_rate=0.5"]);
        let manifest = run(&plan, &Options::new(folder.path())).await.unwrap().manifest;
        let report = manifest.defects.unwrap();
        let total = report.total();
        assert!(total.committed >= 10, "{report:?}");
        assert_eq!(total.committed, total.asked_again + total.rejected + total.slipped);
        let text = std::fs::read_to_string(folder.path().join("defects.jsonl")).unwrap();
        assert_eq!(text.lines().count(), total.committed);
        let lines: Vec<Defect> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(lines.is_sorted_by_key(|defect| (&defect.stage, &defect.item, defect.draw)));
    }

    #[tokio::test]
    async fn where_no_fault_was_wanted_there_is_no_report() {
        let folder = tempfile::tempdir().unwrap();
        let options = Options::new(folder.path());
        let faulty = crate::run::testing::plan(SMALL, &["limit=3", "model.generator.defect_rate=1"]);
        run(&faulty, &options).await.unwrap();
        assert!(folder.path().join("defects.jsonl").is_file());
        let options = Options { overwrite: true, ..options };
        let manifest = run(&crate::run::testing::small(), &options).await.unwrap().manifest;
        assert_eq!(manifest.defects, None);
        assert!(!folder.path().join("defects.jsonl").exists(), "that of the earlier run is gone");
    }

    #[tokio::test]
    async fn shards_together_have_the_report_of_the_whole() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let plan = crate::run::testing::plan(SMALL, &["limit=8", "model.generator.defect_rate=0.5"]);
        let whole = run(&plan, &Options::new(at("whole"))).await.unwrap().manifest;
        for index in 0..2 {
            run(&plan, &Options { shard: Some((index, 2)), ..Options::new(at(&index.to_string())) }).await.unwrap();
        }
        let merged = crate::run::merge(&plan, &[at("0"), at("1")], &Options::new(at("all"))).unwrap().manifest;
        assert_eq!(merged.defects, whole.defects);
        let sidecar = |name: &str| std::fs::read(at(name).join("defects.jsonl")).unwrap();
        assert!(sidecar("all") == sidecar("whole"));
    }
}
