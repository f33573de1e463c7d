//! What a run has made so far, in `run.db`: items that left their roots, rejects, and what was asked for anew.
//!
//! Items wait here for the end, where they are read in the order of their ids, so that memory does not grow with them.

use super::RunError;
use crate::record::{Item, Record, Reject, Tool};
use indexmap::IndexMap;
use rusqlite::{Connection, params};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The run's state on disk.
pub(super) struct Store {
    connection: Connection,
    tools: IndexMap<String, Arc<Tool>>,
}

impl Store {
    /// Opens the state in `run.db`; items and rejects of an earlier run are forgotten, its replies are not.
    pub(super) fn open(path: &Path, tools: &[Arc<Tool>]) -> Result<Self, RunError> {
        let store = Self::attach(path, tools)?;
        store.connection.execute_batch("DELETE FROM item; DELETE FROM reject; DELETE FROM owed;")?;
        Ok(store)
    }

    /// Opens the state and leaves everything as it is.
    pub(super) fn attach(path: &Path, tools: &[Arc<Tool>]) -> Result<Self, RunError> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(std::time::Duration::from_secs(30))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.execute_batch(
            "CREATE TABLE IF NOT EXISTS item (stage TEXT, key TEXT, json TEXT, PRIMARY KEY (stage, key)) WITHOUT ROWID;
             CREATE TABLE IF NOT EXISTS reject (key TEXT, stage TEXT, json TEXT, PRIMARY KEY (key, stage)) WITHOUT ROWID;
             CREATE TABLE IF NOT EXISTS owed (stage TEXT, root TEXT, owed INTEGER, accepted INTEGER, PRIMARY KEY (stage, root));
             CREATE TABLE IF NOT EXISTS rerun (id TEXT PRIMARY KEY, times INTEGER);
             CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT);",
        )?;
        let tools = tools.iter().map(|tool| (tool.name.clone(), tool.clone())).collect();
        Ok(Self { connection, tools })
    }

    /// Adds what one root gave, all of it or nothing.
    pub(super) fn add(
        &mut self,
        root: &str,
        items: &[(&str, Item)],
        rejects: &[Reject],
        owed: &[(&str, usize, usize)],
    ) -> Result<(), RunError> {
        let tools = &self.tools;
        let change = self.connection.transaction()?;
        {
            let mut statement = change.prepare_cached("INSERT OR REPLACE INTO item VALUES (?1, ?2, ?3)")?;
            for (stage, item) in items {
                let json = serde_json::to_string(&light(item, tools))?;
                statement.execute(params![stage, item.id.sort_key(), json])?;
            }
            let mut statement = change.prepare_cached("INSERT OR REPLACE INTO reject VALUES (?1, ?2, ?3)")?;
            for reject in rejects {
                statement.execute(params![reject.id.sort_key(), reject.stage, serde_json::to_string(reject)?])?;
            }
            let mut statement = change.prepare_cached("INSERT OR REPLACE INTO owed VALUES (?1, ?2, ?3, ?4)")?;
            for (stage, owed, accepted) in owed {
                let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
                statement.execute(params![stage, root, count(*owed), count(*accepted)])?;
            }
        }
        Ok(change.commit()?)
    }

    /// Hands every item to `take`, in the order of ids.
    pub(super) fn items(&self, mut take: impl FnMut(Item) -> Result<(), RunError>) -> Result<(), RunError> {
        let mut statement = self.connection.prepare("SELECT json FROM item ORDER BY key, stage")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let item: Item = serde_json::from_str(row.get_ref(0)?.as_str().unwrap_or_default())?;
            take(self.whole(item))?;
        }
        Ok(())
    }

    /// Hands every reject to `take`, in the order of ids.
    pub(super) fn rejects(&self, mut take: impl FnMut(Reject) -> Result<(), RunError>) -> Result<(), RunError> {
        let mut statement = self.connection.prepare("SELECT json FROM reject ORDER BY key, stage")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            take(serde_json::from_str(row.get_ref(0)?.as_str().unwrap_or_default())?)?;
        }
        Ok(())
    }

    /// What each drawing stage owed and what was accepted, over all roots.
    pub(super) fn owed(&self) -> Result<BTreeMap<String, (usize, usize)>, RunError> {
        let mut statement =
            self.connection.prepare("SELECT stage, SUM(owed), SUM(MIN(owed, accepted)) FROM owed GROUP BY stage")?;
        let count = |number: i64| usize::try_from(number).unwrap_or(0);
        let rows = statement.query_map([], |row| Ok((row.get(0)?, (count(row.get(1)?), count(row.get(2)?)))))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How often rejected items were asked for anew, by id.
    pub(super) fn reruns(&self) -> Result<BTreeMap<String, u32>, RunError> {
        let mut statement = self.connection.prepare("SELECT id, times FROM rerun")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Marks every item that is rejected now to be asked for anew; how many there are.
    pub(super) fn rerun_rejects(&self) -> Result<usize, RunError> {
        let mut ids = Vec::new();
        self.rejects(|reject| {
            ids.push(reject.id.to_string());
            Ok(())
        })?;
        for id in &ids {
            self.connection.execute(
                "INSERT INTO rerun VALUES (?1, 1) ON CONFLICT (id) DO UPDATE SET times = times + 1",
                params![id],
            )?;
        }
        Ok(ids.len())
    }

    /// A word about the run that another process may want, such as the hash of its plan.
    pub(super) fn meta(&self, key: &str) -> Result<Option<String>, RunError> {
        let mut statement = self.connection.prepare("SELECT value FROM meta WHERE key = ?1")?;
        let mut rows = statement.query(params![key])?;
        Ok(rows.next()?.map(|row| row.get(0)).transpose()?)
    }

    /// Sets such a word.
    pub(super) fn set_meta(&self, key: &str, value: &str) -> Result<(), RunError> {
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES (?1, ?2)", params![key, value])?;
        Ok(())
    }

    /// Takes over everything that another run's state holds.
    pub(super) fn take_over(&self, other: &Path) -> Result<(), RunError> {
        self.connection.execute("ATTACH DATABASE ?1 AS other", params![other.to_string_lossy()])?;
        let copied = self.connection.execute_batch(
            "INSERT INTO item SELECT * FROM other.item;
             INSERT OR REPLACE INTO reject SELECT * FROM other.reject;
             INSERT OR REPLACE INTO owed SELECT * FROM other.owed;",
        );
        self.connection.execute_batch("DETACH DATABASE other")?;
        Ok(copied?)
    }

    /// Candidates of the run's toolset are kept by name alone; here they get their text back.
    fn whole(&self, mut item: Item) -> Item {
        if let Record::Sample(sample) = &mut item.record {
            for candidate in &mut sample.candidates {
                if let Some(tool) = self.tools.get(&candidate.name).filter(|_| candidate.description.is_empty()) {
                    *candidate = tool.clone();
                }
            }
        }
        item
    }
}

fn light(item: &Item, tools: &IndexMap<String, Arc<Tool>>) -> Item {
    let mut item = item.clone();
    if let Record::Sample(sample) = &mut item.record {
        for candidate in &mut sample.candidates {
            if tools.get(&candidate.name).is_some_and(|tool| tool == candidate) {
                *candidate = Arc::new(Tool { name: candidate.name.clone(), ..Tool::default() });
            }
        }
    }
    item
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{ItemId, Object, Provenance, Row};

    fn item(id: &str) -> Item {
        let id = ItemId::root(id);
        Item {
            root: id.clone(),
            id,
            record: Record::Row(Row { fields: Object::new() }),
            provenance: Provenance::default(),
        }
    }

    fn reject(id: &str) -> Reject {
        let (stage, reason) = ("ask".to_owned(), "unparsable".to_owned());
        Reject { id: ItemId::root(id), stage, reason, detail: String::new(), text: String::new() }
    }

    fn ids(store: &Store) -> Vec<String> {
        let mut ids = Vec::new();
        store
            .items(|item| {
                ids.push(item.id.to_string());
                Ok(())
            })
            .unwrap();
        ids
    }

    #[test]
    fn items_come_back_in_the_order_of_their_ids() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.db");
        let mut store = Store::open(&path, &[]).unwrap();
        store
            .add("a", &[("ask", item("a/x/10")), ("ask", item("a/x/9"))], &[reject("a/x/1")], &[("ask", 3, 2)])
            .unwrap();
        assert_eq!(ids(&store), ["a/x/9", "a/x/10"]);
        assert_eq!(store.owed().unwrap()["ask"], (3, 2));
        assert!(ids(&Store::open(&path, &[]).unwrap()).is_empty());
    }

    #[test]
    fn rejects_can_be_asked_for_anew_and_times_add_up() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(&folder.path().join("run.db"), &[]).unwrap();
        store.add("a", &[], &[reject("a/x/1")], &[]).unwrap();
        assert_eq!(store.rerun_rejects().unwrap(), 1);
        store.rerun_rejects().unwrap();
        assert_eq!(store.reruns().unwrap()["a/x/1"], 2);
    }

    #[test]
    fn another_runs_items_are_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        let mut one = Store::open(&folder.path().join("one.db"), &[]).unwrap();
        one.add("b", &[("ask", item("b"))], &[], &[]).unwrap();
        let mut both = Store::open(&folder.path().join("both.db"), &[]).unwrap();
        both.add("a", &[("ask", item("a"))], &[], &[]).unwrap();
        both.take_over(&folder.path().join("one.db")).unwrap();
        assert_eq!(ids(&both), ["a", "b"]);
        // The same item from two shards is a fault of the shards.
        assert!(both.take_over(&folder.path().join("one.db")).is_err());
    }
}
