//! The beginning and the end of a run in its state: what is forgotten, and which rejected items are asked for anew.

use crate::config::Plan;
use crate::failure::RunError;
use crate::record::RecordKind;
use crate::run::output::manifest::FORMAT;
use crate::run::roots::graph::settled_at;
use crate::run::store::Store;
use rusqlite::params;

/// A mark: what this stage rejected is asked for anew.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mark {
    /// The item.
    pub(crate) id: String,
    /// The stage that rejected it.
    pub(crate) stage: String,
    /// How often; its draws begin behind all that were used before.
    pub(crate) times: u32,
    /// When, from 1. Rounds come one after the other in each root, so that a later one adds to what the earlier ones
    /// gave and changes nothing of it.
    pub(crate) round: u32,
}

impl Store {
    /// Begins a run of the plan with this hash: items and rejects are forgotten, replies are not. With `rerun_rejects`
    /// the rejects of the plan's last run are marked first. A run that is killed and started again is still the same
    /// run: nothing is marked twice.
    pub(crate) fn begin(&mut self, plan: &str, rerun_rejects: bool) -> Result<(), RunError> {
        let same = self.meta("begun")?.as_deref() == Some(plan);
        let marked = self.meta("rerunning")?.is_some();
        let change = self.connection.transaction()?;
        if !same {
            // Marks of another plan are of items that only look the same.
            change.execute_batch("DELETE FROM anew; DELETE FROM meta WHERE key <> 'files';")?;
        }
        if same && rerun_rejects && !marked {
            let round: u32 = change.query_row("SELECT IFNULL(MAX(round), 0) + 1 FROM anew", [], |row| row.get(0))?;
            change.execute(
                "INSERT INTO anew (id, stage, times, round) SELECT json_extract(json, '$.id'), stage, 1, ?1 FROM reject WHERE true
                 ON CONFLICT (id, stage) DO UPDATE SET times = times + 1, round = excluded.round",
                params![round],
            )?;
            change.execute("INSERT INTO meta (key, value) VALUES ('rerunning', 'yes')", [])?;
        }
        change.execute_batch(
            "DELETE FROM item; DELETE FROM reject; DELETE FROM owed;
             DELETE FROM meta WHERE key IN ('plan', 'shard');",
        )?;
        change.execute(
            "INSERT OR REPLACE INTO meta (key, value) VALUES ('begun', ?1), ('fcgen', ?2), ('format', ?3)",
            params![plan, env!("CARGO_PKG_VERSION"), FORMAT.to_string()],
        )?;
        Ok(change.commit()?)
    }

    /// Says that the run of this plan is at its end: `merge` takes nothing else.
    pub(crate) fn end(&self, plan: &str, shard: Option<&str>) -> Result<(), RunError> {
        self.set_meta("shard", shard.unwrap_or_default())?;
        self.set_meta("plan", plan)?;
        self.connection.execute("DELETE FROM meta WHERE key = 'rerunning'", [])?;
        Ok(())
    }

    /// The marks of the plan with this hash, by id.
    pub(crate) fn marks(&self, plan: &str) -> Result<Vec<Mark>, RunError> {
        if self.meta("begun")?.as_deref() != Some(plan) {
            return Ok(Vec::new());
        }
        let mut statement = self.connection.prepare("SELECT id, stage, times, round FROM anew ORDER BY id, stage")?;
        let rows = statement.query_map([], |row| {
            Ok(Mark { id: row.get(0)?, stage: row.get(1)?, times: row.get(2)?, round: row.get(3)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// The stages that a mark of a stage takes effect in: its own and those above it, as far as nobody else reads from them
/// and their items were not counted as accepted. Were such items written anew, others would change as well.
pub(crate) fn affected(plan: &Plan, stage: usize) -> Vec<usize> {
    let readers = |of: usize| plan.stages.iter().filter(move |reader| reader.from.contains(&of)).count();
    let writes = |index: &usize| {
        let output = plan.stages[*index].stage.output();
        matches!(output, RecordKind::Query | RecordKind::Selection | RecordKind::Question | RecordKind::Dialogue)
    };
    let settled: Vec<usize> = (0..plan.stages.len()).filter(writes).map(|index| settled_at(plan, index)).collect();
    let mut affected = vec![stage];
    let mut next = 0;
    while let Some(at) = affected.get(next).copied() {
        next += 1;
        let above = plan.stages[at].from.iter().copied();
        affected.extend(above.filter(|above| readers(*above) == 1 && !settled.contains(above)));
    }
    affected
}

/// Each mark with each stage that it takes effect in, by position.
pub(crate) fn effects<'a>(plan: &'a Plan, marks: &'a [Mark]) -> impl Iterator<Item = (usize, &'a Mark)> {
    let position = |name: &str| plan.stages.iter().position(|stage| stage.name == name);
    let of = move |mark: &'a Mark| position(&mark.stage).map(|stage| affected(plan, stage)).unwrap_or_default();
    marks.iter().flat_map(move |mark| of(mark).into_iter().map(move |stage| (stage, mark)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::store::tests::{add, ids, store};

    fn marks(store: &Store) -> Vec<(String, u32, u32)> {
        store.marks("plan").unwrap().into_iter().map(|mark| (mark.id, mark.times, mark.round)).collect()
    }

    #[test]
    fn rejects_are_marked_once_for_each_run_that_reached_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = store(&folder, "run.db");
        store.begin("plan", false).unwrap();
        add(&mut store, &["a"], &["a/x/1", "a/x/2"]);
        store.end("plan", None).unwrap();
        store.begin("plan", true).unwrap();
        assert_eq!(marks(&store), [("a/x/1".to_owned(), 1, 1), ("a/x/2".to_owned(), 1, 1)]);
        // Killed half-way, it had come to this reject only.
        add(&mut store, &[], &["a/x/2"]);
        store.begin("plan", true).unwrap();
        assert_eq!(marks(&store).len(), 2);
        add(&mut store, &[], &["a/x/2"]);
        store.end("plan", None).unwrap();
        store.begin("plan", true).unwrap();
        assert_eq!(marks(&store), [("a/x/1".to_owned(), 1, 1), ("a/x/2".to_owned(), 2, 2)]);
    }

    #[test]
    fn another_plan_forgets_everything_but_the_files() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = store(&folder, "run.db");
        store.begin("plan", false).unwrap();
        add(&mut store, &["a"], &["a/x/1"]);
        store.set_meta("files", "[]").unwrap();
        store.end("plan", Some("0/3")).unwrap();
        store.begin("other", true).unwrap();
        assert!(marks(&store).is_empty() && ids(&store).is_empty());
        assert_eq!((store.meta("plan").unwrap(), store.meta("shard").unwrap()), (None, None));
        assert_eq!(store.meta("files").unwrap().unwrap(), "[]");
    }

    #[test]
    fn a_run_that_goes_on_is_not_at_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = store(&folder, "run.db");
        store.begin("plan", false).unwrap();
        store.end("plan", None).unwrap();
        assert_eq!(store.meta("plan").unwrap().unwrap(), "plan");
        store.begin("plan", false).unwrap();
        assert_eq!(store.meta("plan").unwrap(), None);
    }

    #[test]
    fn a_mark_takes_effect_up_to_the_stage_that_others_read_from_too() {
        let text = crate::fixtures::assets().read("pipelines/hammer.toml").unwrap();
        let plan = crate::run::testing::plan(&text, &[]);
        let names = |stage: &str| {
            let at = plan.stages.iter().position(|planned| planned.name == stage).unwrap();
            affected(&plan, at).into_iter().map(|it| plan.stages[it].name.as_str()).collect::<Vec<_>>().join(" ")
        };
        insta::assert_snapshot!(names("script"), @"script parameters perfect_queries imperfect_queries select_parameters");
        // The queries were accepted before: only the choice of candidates is made anew.
        insta::assert_snapshot!(names("one_right_tool"), @"one_right_tool candidates");
    }

    #[test]
    fn a_mark_of_a_stage_that_is_gone_has_no_effect() {
        let plan = crate::run::testing::small();
        let mark = |stage: &str| Mark { id: "a".to_owned(), stage: stage.to_owned(), times: 1, round: 1 };
        let marks = [mark("gone"), mark("parameters")];
        let effects: Vec<usize> = effects(&plan, &marks).map(|(stage, _)| stage).collect();
        assert_eq!(effects, [2, 1, 0]);
    }

    #[test]
    fn marks_are_those_of_their_own_plan() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = store(&folder, "run.db");
        store.begin("plan", true).unwrap();
        add(&mut store, &[], &["a/x/1"]);
        store.end("plan", None).unwrap();
        store.begin("plan", false).unwrap();
        assert!(marks(&store).is_empty(), "nobody asked for them");
        add(&mut store, &[], &["a/x/1"]);
        store.end("plan", None).unwrap();
        store.begin("plan", true).unwrap();
        assert_eq!((marks(&store).len(), store.marks("other").unwrap().len()), (1, 0));
    }
}
