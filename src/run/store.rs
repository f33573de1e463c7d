//! What a run has made so far, in `run.db`: items that left their roots, and rejects.
//!
//! Items wait here for the end, where they are read in the order of their ids, so that memory does not grow with them.

use super::RunError;
use crate::failure::RunStopped;
use crate::record::{Item, ItemId, Record, Reject, Tool};
use crate::run::output::manifest::FORMAT;
use crate::run::roots::root::RootResult;
use indexmap::IndexMap;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The run's state on disk.
pub(crate) struct Store {
    pub(super) connection: Connection,
    tools: IndexMap<String, Arc<Tool>>,
}

/// The keys are led by what the end reads in order, so that nothing need be sorted there.
const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS item (key TEXT, stage TEXT, json TEXT, PRIMARY KEY (key, stage)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS reject (key TEXT, stage TEXT, json TEXT, PRIMARY KEY (key, stage)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS owed (stage TEXT, root TEXT, owed INTEGER, accepted INTEGER, PRIMARY KEY (stage, root));
    CREATE TABLE IF NOT EXISTS anew (id TEXT, stage TEXT, times INTEGER, round INTEGER, PRIMARY KEY (id, stage));
    CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT);";

impl Store {
    /// Opens the state in `run.db`, and makes it where there is none.
    pub(super) fn open(path: &Path, tools: &[Arc<Tool>]) -> Result<Self, RunError> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(Duration::from_secs(30))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.execute_batch(TABLES)?;
        refuse_newer(&connection, path)?;
        let tools = tools.iter().map(|tool| (tool.name.clone(), tool.clone())).collect();
        Ok(Self { connection, tools })
    }

    /// Adds what some roots gave, all of it or nothing; `names` are those of the stages.
    pub(super) fn add_all(&mut self, names: &[String], roots: Vec<(ItemId, Box<RootResult>)>) -> Result<(), RunError> {
        // As text before the file is held, since whoever keeps replies waits for it.
        let texts: Vec<Texts> =
            roots.into_iter().map(|(root, result)| Texts::of(root, *result, &self.tools)).collect::<Result<_, _>>()?;
        let change = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for root in &texts {
            add_items(&change, names, &root.items)?;
            add_rejects(&change, &root.rejects)?;
            add_owed(&change, names, root)?;
        }
        Ok(change.commit()?)
    }

    /// Hands every item with the stage that it left to `take`, in the order of ids.
    pub(super) fn items(&self, mut take: impl FnMut(&str, Item) -> Result<(), RunError>) -> Result<(), RunError> {
        let mut statement = self.connection.prepare("SELECT stage, json FROM item ORDER BY key, stage")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let item: Item = serde_json::from_str(row.get_ref(1)?.as_str().unwrap_or_default())?;
            take(row.get_ref(0)?.as_str().unwrap_or_default(), self.whole(item))?;
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
            self.connection.prepare("SELECT stage, SUM(owed), SUM(accepted) FROM owed GROUP BY stage")?;
        let count = |number: i64| usize::try_from(number).unwrap_or(0);
        let rows = statement.query_map([], |row| Ok((row.get(0)?, (count(row.get(1)?), count(row.get(2)?)))))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// A word about the run that another process may want, such as the hash of its plan.
    pub(super) fn meta(&self, key: &str) -> Result<Option<String>, RunError> {
        let mut statement = self.connection.prepare("SELECT value FROM meta WHERE key = ?1")?;
        Ok(statement.query_row(params![key], |row| row.get(0)).optional()?)
    }

    /// Sets such a word.
    pub(super) fn set_meta(&self, key: &str, value: &str) -> Result<(), RunError> {
        self.connection.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)", params![key, value])?;
        Ok(())
    }

    /// Candidates of the run's toolset are kept by name alone; here they get their text back.
    fn whole(&self, mut item: Item) -> Item {
        for tool in tools_of(&mut item.record) {
            if let Some(whole) = self.tools.get(&tool.name).filter(|_| **tool == bare(&tool.name)) {
                *tool = whole.clone();
            }
        }
        item
    }
}

/// A form that this version does not know is left alone.
fn refuse_newer(connection: &Connection, path: &Path) -> Result<(), RunError> {
    let word = |key: &str| {
        let mut statement = connection.prepare("SELECT value FROM meta WHERE key = ?1")?;
        statement.query_row(params![key], |row| row.get::<_, String>(0)).optional()
    };
    let Some(format) = word("format")?.filter(|format| format.parse().is_ok_and(|it: u32| it > FORMAT)) else {
        return Ok(());
    };
    let maker = word("fcgen")?.unwrap_or_else(|| "another version".to_owned());
    let (path, own) = (path.display(), env!("CARGO_PKG_VERSION"));
    let message = format!(
        "`{path}` was made by fcgen {maker} (run format {format}); this is {own}, which reads formats up to {FORMAT}"
    );
    Err(RunStopped::Input(message).into())
}

/// What a root gave, as it is kept.
struct Texts {
    root: ItemId,
    /// Keys, stages and texts of items.
    items: Vec<(String, usize, String)>,
    /// Keys, stages and texts of rejects.
    rejects: Vec<(String, String, String)>,
    owed: Vec<(usize, usize, usize)>,
}

impl Texts {
    fn of(root: ItemId, result: RootResult, tools: &IndexMap<String, Arc<Tool>>) -> serde_json::Result<Self> {
        let items = result.items.into_iter().map(|(stage, item)| written(stage, item, tools));
        let rejects = result.rejects.into_iter().map(|reject| {
            let text = serde_json::to_string(&reject)?;
            Ok((reject.id.sort_key(), reject.stage, text))
        });
        Ok(Self {
            root,
            items: items.collect::<serde_json::Result<_>>()?,
            rejects: rejects.collect::<serde_json::Result<_>>()?,
            owed: result.owed,
        })
    }
}

/// An item's key, its stage and its text.
fn written(
    stage: usize,
    item: Item,
    tools: &IndexMap<String, Arc<Tool>>,
) -> serde_json::Result<(String, usize, String)> {
    let key = item.id.sort_key();
    Ok((key, stage, serde_json::to_string(&light(item, tools))?))
}

fn add_items(change: &Transaction<'_>, names: &[String], items: &[(String, usize, String)]) -> Result<(), RunError> {
    let mut insert = change.prepare_cached("INSERT OR REPLACE INTO item (key, stage, json) VALUES (?1, ?2, ?3)")?;
    for (key, stage, text) in items {
        insert.execute(params![key, names[*stage], text])?;
    }
    Ok(())
}

fn add_rejects(change: &Transaction<'_>, rejects: &[(String, String, String)]) -> Result<(), RunError> {
    let mut insert = change.prepare_cached("INSERT OR REPLACE INTO reject (key, stage, json) VALUES (?1, ?2, ?3)")?;
    for reject in rejects {
        insert.execute(params![reject.0, reject.1, reject.2])?;
    }
    Ok(())
}

fn add_owed(change: &Transaction<'_>, names: &[String], root: &Texts) -> Result<(), RunError> {
    let mut insert = change.prepare_cached(
        "INSERT INTO owed (stage, root, owed, accepted) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (stage, root) DO UPDATE SET owed = owed + excluded.owed, accepted = accepted + excluded.accepted",
    )?;
    let count = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    for (stage, owed, accepted) in root.owed.iter().copied() {
        insert.execute(params![names[stage], root.root.as_str(), count(owed), count(accepted.min(owed))])?;
    }
    Ok(())
}

fn light(mut item: Item, tools: &IndexMap<String, Arc<Tool>>) -> Item {
    for tool in tools_of(&mut item.record) {
        if tools.get(&tool.name).is_some_and(|known| Arc::ptr_eq(known, tool) || known == tool) {
            *tool = Arc::new(bare(&tool.name));
        }
    }
    item
}

/// The tools that a record shows.
fn tools_of(record: &mut Record) -> Vec<&mut Arc<Tool>> {
    match record {
        Record::Sample(sample) => sample.candidates.iter_mut().collect(),
        Record::Dialogue(dialogue) => dialogue.frame.candidates.iter_mut().chain([&mut dialogue.tool]).collect(),
        _ => Vec::new(),
    }
}

fn bare(name: &str) -> Tool {
    Tool { name: name.to_owned(), ..Tool::default() }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::record::{Object, Provenance, Row};

    pub(crate) fn item(id: &str) -> Item {
        let id = ItemId::root(id);
        Item {
            root: id.clone(),
            id,
            record: Record::Row(Row { fields: Object::new() }),
            provenance: Provenance::default(),
        }
    }

    pub(crate) fn reject(id: &str) -> Reject {
        let (stage, reason) = ("ask".to_owned(), "unparsable".to_owned());
        Reject { id: ItemId::root(id), stage, reason, detail: String::new(), text: String::new(), mended: None }
    }

    pub(crate) fn store(folder: &tempfile::TempDir, name: &str) -> Store {
        Store::open(&folder.path().join(name), &[]).unwrap()
    }

    pub(crate) fn add(store: &mut Store, items: &[&str], rejects: &[&str]) {
        let result = RootResult {
            items: items.iter().map(|id| (0, item(id))).collect(),
            rejects: rejects.iter().map(|id| reject(id)).collect(),
            owed: vec![(0, 3, 2)],
        };
        let root = items.iter().chain(rejects).next().copied().unwrap_or_default();
        add_result(store, root, result).unwrap();
    }

    fn add_result(store: &mut Store, root: &str, result: RootResult) -> Result<(), RunError> {
        store.add_all(&["ask".to_owned()], vec![(ItemId::root(root), Box::new(result))])
    }

    pub(crate) fn ids(store: &Store) -> Vec<String> {
        let mut ids = Vec::new();
        store
            .items(|stage, item| {
                assert_eq!(stage, "ask");
                ids.push(item.id.to_string());
                Ok(())
            })
            .unwrap();
        ids
    }

    #[test]
    fn items_come_back_in_the_order_of_their_ids() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = store(&folder, "run.db");
        add(&mut store, &["a/x/10", "a/x/9"], &["a/x/1"]);
        assert_eq!(ids(&store), ["a/x/9", "a/x/10"]);
        assert_eq!(store.owed().unwrap()["ask"], (3, 2));
        let mut rejects = Vec::new();
        store
            .rejects(|reject| {
                rejects.push(reject);
                Ok(())
            })
            .unwrap();
        assert_eq!(rejects, [reject("a/x/1")]);
    }

    #[test]
    fn two_drawers_of_one_stage_add_up() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = store(&folder, "run.db");
        // One has more than it owes, which is no help to the other.
        let result = RootResult { owed: vec![(0, 2, 5), (0, 4, 1)], ..RootResult::default() };
        add_result(&mut store, "a", result).unwrap();
        assert_eq!(store.owed().unwrap()["ask"], (6, 3));
    }

    #[test]
    fn tools_of_the_run_are_kept_by_name_alone() {
        let tool = Arc::new(Tool { name: "a".to_owned(), description: "long".to_owned(), ..Tool::default() });
        let other = Arc::new(Tool { name: "a".to_owned(), description: "another".to_owned(), ..Tool::default() });
        let tools: IndexMap<_, _> = [("a".to_owned(), tool.clone())].into();
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("run.db"), std::slice::from_ref(&tool)).unwrap();
        let mut sample = crate::run::testing::sample("a/x/0");
        sample.candidates = vec![tool, other];
        let whole = Item { record: Record::Sample(Box::new(sample)), ..item("a/x/0") };
        let light = light(whole.clone(), &tools);
        let text = serde_json::to_string(&light).unwrap();
        assert!(!text.contains("long") && text.contains("another"));
        assert_eq!(store.whole(light), whole);
    }

    #[test]
    fn a_root_is_there_as_a_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = store(&folder, "run.db");
        store.connection.execute("DROP TABLE owed", []).unwrap();
        let result = RootResult { items: vec![(0, item("a"))], owed: vec![(0, 1, 1)], ..RootResult::default() };
        assert!(add_result(&mut store, "a", result).is_err());
        assert!(ids(&store).is_empty());
    }

    #[test]
    fn roots_of_one_group_are_there_together() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = store(&folder, "run.db");
        let root = |id: &str, owed| {
            let result = RootResult { items: vec![(0, item(id))], owed: vec![(0, owed, 1)], ..RootResult::default() };
            (ItemId::root(id), Box::new(result))
        };
        store.add_all(&["ask".to_owned()], vec![root("b", 2), root("a", 3)]).unwrap();
        assert_eq!((ids(&store), store.owed().unwrap()["ask"]), (vec!["a".to_owned(), "b".to_owned()], (5, 2)));
    }

    #[test]
    fn a_word_is_set_and_set_anew() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(&folder, "run.db");
        assert_eq!(store.meta("plan").unwrap(), None);
        store.set_meta("plan", "a").unwrap();
        store.set_meta("plan", "b").unwrap();
        assert_eq!(store.meta("plan").unwrap().unwrap(), "b");
    }

    #[test]
    fn a_form_that_is_not_known_yet_is_refused_with_its_maker() {
        let folder = tempfile::tempdir().unwrap();
        let mut made = store(&folder, "run.db");
        made.begin("plan", false).unwrap();
        drop(store(&folder, "run.db"));
        made.set_meta("format", "9").unwrap();
        made.set_meta("fcgen", "7.0.0").unwrap();
        let error = Store::open(&folder.path().join("run.db"), &[]).err().unwrap();
        assert!(matches!(error, RunError::Stop(RunStopped::Input(_))), "{error}");
        assert!(error.to_string().contains("was made by fcgen 7.0.0 (run format 9); this is "), "{error}");
    }

    #[test]
    fn a_stranger_s_file_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.db");
        std::fs::write(&path, "no database at all, and long enough to be looked at. ".repeat(20)).unwrap();
        let error = Store::open(&path, &[]).err().unwrap().to_string();
        assert_eq!(error, "`run.db`: file is not a database");
    }
}
