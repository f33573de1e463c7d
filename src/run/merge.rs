//! Puts the shards of a run together: the result is what one process would have written, byte for byte.

use super::folder::{refuse_other, refuse_strange, remember};
use super::progress::Progress;
use super::shards::check_shards;
use super::store::Store;
use super::{Options, Preview, RunError, StageCounts, Summary};
use crate::config::{ModelConfig, Plan};
use crate::fs::Lock;
use crate::fs::make_folder;
use crate::llm::{Journal, StageUsage};
use crate::model::Defect;
use crate::run::output::banks;
use crate::run::output::defects::report;
use crate::run::output::emit::{Target, emit};
use crate::run::output::manifest::Manifest;
use crate::run::output::shelf::Shelf;
use crate::run::prepare::ground::Ground;
use crate::run::prepare::setup::Setup;
use crate::run::roots::graph::Graph;
use rusqlite::params;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Merges the shards' folders into `options.out`. Every shard of the same plan must be there, each once.
pub fn merge(plan: &Plan, shards: &[PathBuf], options: &Options) -> Result<Summary, RunError> {
    let began = Instant::now();
    let ground = Ground::load(plan)?;
    // The shards as well: none of them may be at work.
    let locks = check_shards(&ground.hash, shards, &options.out)?;
    refuse_strange(&options.out)?;
    make_folder(&options.out)?;
    let lock = Lock::take(&options.out)?;
    let folder = &options.out;
    let mut store = Store::open(&folder.join("run.db"), &ground.toolset.tools)?;
    refuse_other(&store, plan, &ground, options)?;
    store.begin(&ground.hash, false)?;
    remember(&store, &ground, options)?;
    let setup = Setup::new(&silent(plan), ground, options, &[])?;
    let counts: Vec<StageCounts> = plan.stages.iter().map(|stage| StageCounts::new(&stage.name)).collect();
    let mut manifest = Manifest::new(plan, options, &setup, &counts);
    let mut defects = Vec::new();
    for (ordinal, shard) in shards.iter().enumerate() {
        store.take_over(&shard.join("run.db"))?;
        manifest.add(read_manifest(shard)?, ordinal == 0);
        defects.extend(read_defects(shard)?);
        banks::take_over(shard, folder)?;
    }
    let graph = Graph::new(plan, setup.contexts.clone(), &[])?;
    let locale = setup.shared.pack.code.as_str();
    let mut shelf = Shelf::new(folder);
    let emitted = emit(
        &store,
        &graph,
        &Target {
            folder,
            locale,
            language: &setup.shared.language,
            plan,
            toolset: &setup.shared.toolset,
            follow: None,
            interrupt: &options.interrupt,
        },
        &mut shelf,
    )?;
    manifest.take(emitted);
    manifest.owed = store.owed()?;
    manifest.defects = report(defects, &store, folder, &mut shelf)?;
    shelf.clear(&store)?;
    manifest.wall_seconds += began.elapsed().as_secs_f64();
    manifest.write(folder)?;
    Progress::forget(folder);
    store.end(&setup.hash, None)?;
    drop((lock, locks));
    Ok(Summary { manifest, preview: Preview::default(), folder: folder.clone(), wall: began.elapsed() })
}

/// The plan without its models: nobody is asked, and no key need be at hand.
fn silent(plan: &Plan) -> Plan {
    let models = plan.models.keys().map(|role| (role.clone(), ModelConfig::default())).collect();
    Plan { models, ..plan.clone() }
}

fn read_manifest(shard: &Path) -> Result<Manifest, RunError> {
    Ok(serde_json::from_str(&std::fs::read_to_string(shard.join("manifest.json"))?)?)
}

fn read_defects(shard: &Path) -> Result<Vec<Defect>, RunError> {
    let path = shard.join("defects.jsonl");
    if !path.is_file() {
        return Ok(Vec::new());
    }
    Ok(std::fs::read_to_string(path)?.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

impl Store {
    /// Takes over everything that another run's state holds, replies included.
    pub(super) fn take_over(&self, other: &Path) -> Result<(), RunError> {
        let main = self.connection.path().map(PathBuf::from).unwrap_or_default();
        self.connection.execute("ATTACH DATABASE ?1 AS other", params![other.to_string_lossy()])?;
        let copied = self.copy(&main);
        self.connection.execute_batch("DETACH DATABASE other")?;
        copied
    }

    fn copy(&self, main: &Path) -> Result<(), RunError> {
        self.connection.execute_batch(
            "INSERT INTO main.item (key, stage, json) SELECT key, stage, json FROM other.item;
             INSERT OR REPLACE INTO main.reject (key, stage, json) SELECT key, stage, json FROM other.reject;
             INSERT OR REPLACE INTO main.owed (stage, root, owed, accepted) SELECT stage, root, owed, accepted FROM other.owed;",
        )?;
        if self.other_has("reply")? {
            // The journal makes its own tables.
            drop(Journal::open(main)?);
            let columns = "key, question, task, stage, item, draw, reply";
            let copy = format!(
                "INSERT OR IGNORE INTO main.reply ({columns}) SELECT {columns} FROM other.reply ORDER BY created"
            );
            self.connection.execute_batch(&copy)?;
        }
        if self.other_has("in_flight")? {
            // A process has one name in all folders, so that a shard that is merged twice counts once.
            self.connection.execute_batch(
                "INSERT OR IGNORE INTO main.usage SELECT * FROM other.usage;
                 INSERT OR IGNORE INTO main.in_flight SELECT * FROM other.in_flight;",
            )?;
        }
        Ok(())
    }

    fn other_has(&self, table: &str) -> Result<bool, RunError> {
        let count = "SELECT count(*) FROM other.sqlite_master WHERE type = 'table' AND name = ?1";
        Ok(self.connection.query_row(count, params![table], |row| row.get::<_, u32>(0))? > 0)
    }
}

impl Manifest {
    /// Adds what a shard did; the first one's models stand for all.
    fn add(&mut self, shard: Manifest, first: bool) {
        if first {
            (self.models, self.template, self.notice) = (shard.models, shard.template, shard.notice);
        }
        for (stage, other) in self.stages.iter_mut().zip(&shard.stages) {
            stage.came += other.came;
            stage.kept += other.kept;
            stage.rejected += other.rejected;
        }
        for (stage, words) in shard.counted {
            for (word, count) in words {
                *self.counted.entry(stage.clone()).or_default().entry(word).or_default() += count;
            }
        }
        shard.usage.into_iter().for_each(|row| self.add_usage(row));
        self.notes.extend(shard.notes);
        self.notes.sort();
        self.notes.dedup();
        self.wall_seconds += shard.wall_seconds;
    }

    fn add_usage(&mut self, row: StageUsage) {
        match self.usage.iter_mut().find(|known| (&known.stage, &known.model) == (&row.stage, &row.model)) {
            Some(known) => known.add(&row),
            None => self.usage.push(row),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::store::tests::{add, ids, store};
    use super::*;
    use crate::run::testing::{run, small};

    #[test]
    fn another_runs_items_are_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        add(&mut store(&folder, "one.db"), &["b"], &[]);
        let mut both = store(&folder, "both.db");
        add(&mut both, &["a"], &[]);
        both.take_over(&folder.path().join("one.db")).unwrap();
        assert_eq!(ids(&both), ["a", "b"]);
        // The same item from two shards is a fault of the shards.
        assert!(both.take_over(&folder.path().join("one.db")).is_err());
    }

    #[test]
    fn replies_are_taken_over_as_well() {
        let folder = tempfile::tempdir().unwrap();
        drop(Journal::open(&folder.path().join("one.db")).unwrap());
        let one = store(&folder, "one.db");
        one.connection
            .execute("INSERT INTO reply (key, question, task, stage, item, draw, reply) VALUES (x'01', x'02', 't', 's', 'i', 0, '{}')", [])
            .unwrap();
        let both = store(&folder, "both.db");
        both.take_over(&folder.path().join("one.db")).unwrap();
        let count: u32 = both.connection.query_row("SELECT count(*) FROM reply", [], |row| row.get(0)).unwrap();
        assert_eq!(count, 1);
    }

    #[tokio::test]
    async fn counts_and_usage_add_up() {
        let folder = tempfile::tempdir().unwrap();
        let shards: Vec<PathBuf> = (0..2).map(|index| folder.path().join(index.to_string())).collect();
        for (index, shard) in shards.iter().enumerate() {
            run(&small(), &Options { shard: Some((index, 2)), ..Options::new(shard) }).await.unwrap();
        }
        let merged = merge(&small(), &shards, &Options::new(folder.path().join("all"))).unwrap().manifest;
        let whole = run(&small(), &Options::new(folder.path().join("whole"))).await.unwrap().manifest;
        assert_eq!((&merged.stages, &merged.usage, &merged.owed), (&whole.stages, &whole.usage, &whole.owed));
        assert_eq!((&merged.samples, &merged.rejects, merged.shard), (&whole.samples, &whole.rejects, None));
    }

    #[tokio::test]
    async fn what_a_shard_did_is_added_once() {
        let folder = tempfile::tempdir().unwrap();
        let shard = run(&small(), &Options::new(folder.path())).await.unwrap().manifest;
        let mut whole = Manifest { usage: Vec::new(), notes: Vec::new(), ..shard.clone() };
        let row = |stage: &str, requests| StageUsage {
            stage: stage.to_owned(),
            requests,
            cost: 0.5,
            ..StageUsage::default()
        };
        let notes = |notes: [&str; 2]| notes.map(str::to_owned).to_vec();
        let first =
            Manifest { usage: vec![row("a", 2)], notes: notes(["slow", "late"]), template: false, ..shard.clone() };
        let second = Manifest { usage: vec![row("a", 3), row("b", 1)], notes: notes(["late", "odd"]), ..shard.clone() };
        whole.add(first, true);
        whole.add(second, false);
        assert_eq!(whole.usage.iter().map(|row| row.requests).collect::<Vec<_>>(), [5, 1]);
        assert!((whole.cost() - 1.5).abs() < 1e-9);
        assert_eq!((whole.notes.join(" "), whole.template), ("late odd slow".to_owned(), false));
        assert_eq!(whole.stages[0].came, 3 * shard.stages[0].came);
        assert!((whole.wall_seconds - 3.0 * shard.wall_seconds).abs() < 1e-9);
    }
}
