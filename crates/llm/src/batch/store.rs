//! What was sent and is not collected, in `run.db`: it outlives the process.
//!
//! A batch is written down before it is sent, under a mark that it carries, and its id when the server has given one.
//! Whatever moment a process ends at, the next one finds the batch by its id or by its mark.

use crate::journal::JournalError;
use crate::key::Key;
use rusqlite::{Connection, params};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The batches of one server in one run.
pub(super) struct Store {
    path: PathBuf,
    place: String,
    connection: Mutex<Connection>,
}

/// A batch that an earlier process sent, or was about to send.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Left {
    pub(super) mark: String,
    pub(super) id: Option<String>,
    /// What waits for it, in the order of its lines.
    pub(super) keys: Vec<(u32, Key)>,
}

/// How long a statement waits for the journal's writer.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS batch (mark TEXT PRIMARY KEY, place TEXT NOT NULL, id TEXT) STRICT;
    CREATE TABLE IF NOT EXISTS batch_request (
        mark TEXT NOT NULL, line INTEGER NOT NULL, key BLOB NOT NULL, PRIMARY KEY (mark, key)
    ) STRICT, WITHOUT ROWID;";

/// Answers that are in the journal are no longer waited for.
const PRUNE: &str = "
    DELETE FROM batch_request WHERE key IN (SELECT key FROM reply);
    DELETE FROM batch WHERE mark NOT IN (SELECT mark FROM batch_request);";

impl Store {
    /// Opens the tables in the journal at `path`; `place` is the server's name.
    pub(super) fn open(path: &Path, place: &str) -> Result<Self, JournalError> {
        let open = || {
            let connection = Connection::open(path)?;
            connection.busy_timeout(BUSY_TIMEOUT)?;
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            connection.execute_batch(TABLES)?;
            Ok(connection)
        };
        let connection = Mutex::new(open().map_err(|error| JournalError::new(path, &error))?);
        Ok(Self { path: path.to_owned(), place: place.to_owned(), connection })
    }

    /// What was left by earlier processes.
    pub(super) fn left(&self) -> Result<Vec<Left>, JournalError> {
        self.with(|connection| {
            connection.execute_batch(PRUNE)?;
            let mut batches = connection.prepare("SELECT mark, id FROM batch WHERE place = ? ORDER BY rowid")?;
            let marks = batches.query_map([&self.place], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let marks: Vec<(String, Option<String>)> = marks.collect::<rusqlite::Result<_>>()?;
            let left = marks.into_iter().map(|(mark, id)| Ok(Left { keys: keys(connection, &mark)?, mark, id }));
            left.collect()
        })
    }

    /// Writes down that a batch is about to be sent, and gives the mark that it shall carry.
    pub(super) fn intend(&self, keys: &[Key]) -> Result<String, JournalError> {
        self.with(|connection| {
            let transaction = connection.unchecked_transaction()?;
            transaction.execute_batch(PRUNE)?;
            let mark: String = transaction.query_row("SELECT lower(hex(randomblob(16)))", [], |row| row.get(0))?;
            transaction.execute("INSERT INTO batch (mark, place) VALUES (?, ?)", [&mark, &self.place])?;
            let mut insert =
                transaction.prepare("INSERT OR IGNORE INTO batch_request (mark, line, key) VALUES (?, ?, ?)")?;
            for (line, key) in (0_u32..).zip(keys) {
                insert.execute(params![mark, line, key.as_bytes()])?;
            }
            drop(insert);
            transaction.commit()?;
            Ok(mark)
        })
    }

    /// Writes down the id that the server has given.
    pub(super) fn sent(&self, mark: &str, id: &str) -> Result<(), JournalError> {
        self.with(|connection| connection.execute("UPDATE batch SET id = ? WHERE mark = ?", [id, mark]).map(drop))
    }

    /// A batch that is not there, or brings nothing.
    pub(super) fn forget(&self, mark: &str) -> Result<(), JournalError> {
        self.with(|connection| {
            connection.execute("DELETE FROM batch_request WHERE mark = ?", [mark])?;
            connection.execute("DELETE FROM batch WHERE mark = ?", [mark]).map(drop)
        })
    }

    /// Questions that the batch did not answer: they are asked elsewhere.
    pub(super) fn release(&self, mark: &str, keys: &[Key]) -> Result<(), JournalError> {
        self.with(|connection| {
            let transaction = connection.unchecked_transaction()?;
            for key in keys {
                transaction
                    .execute("DELETE FROM batch_request WHERE mark = ? AND key = ?", params![mark, key.as_bytes()])?;
            }
            transaction.commit()
        })
    }

    fn with<T>(&self, act: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, JournalError> {
        let connection: MutexGuard<'_, Connection> = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        act(&connection).map_err(|error| JournalError::new(&self.path, &error))
    }
}

fn keys(connection: &Connection, mark: &str) -> rusqlite::Result<Vec<(u32, Key)>> {
    let mut select = connection.prepare("SELECT line, key FROM batch_request WHERE mark = ? ORDER BY line")?;
    let rows = select.query_map([mark], |row| Ok((row.get(0)?, Key::from_bytes(row.get(1)?))))?;
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Journal;
    use crate::request::Reply;
    use crate::testing::request;

    fn key(number: u8) -> Key {
        Key::from_bytes([number; 32])
    }

    fn place() -> (tempfile::TempDir, Journal, Store) {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open(&folder.path().join("run.db")).unwrap();
        let store = Store::open(journal.connection_path(), "here").unwrap();
        (folder, journal, store)
    }

    #[test]
    fn what_was_sent_is_found_by_the_next_process() {
        let (_folder, journal, store) = place();
        let mark = store.intend(&[key(9), key(3)]).unwrap();
        store.sent(&mark, "batch-7").unwrap();
        let about_to = store.intend(&[key(5)]).unwrap();
        let next = Store::open(journal.connection_path(), "here").unwrap();
        let sent = Left { mark, id: Some("batch-7".to_owned()), keys: vec![(0, key(9)), (1, key(3))] };
        assert_eq!(next.left().unwrap(), [sent, Left { mark: about_to, id: None, keys: vec![(0, key(5))] }]);
        let elsewhere = Store::open(journal.connection_path(), "there").unwrap();
        assert_eq!(elsewhere.left().unwrap(), []);
    }

    #[test]
    fn what_was_answered_is_no_longer_waited_for() {
        let (_folder, journal, store) = place();
        let mark = store.intend(&[key(1), key(2), key(3)]).unwrap();
        journal.keep(key(1), &request("a", 0), &Reply::default()).unwrap();
        journal.flush().unwrap();
        store.release(&mark, &[key(2)]).unwrap();
        assert_eq!(store.left().unwrap()[0].keys, [(2, key(3))], "in its own line");
        journal.keep(key(3), &request("a", 0), &Reply::default()).unwrap();
        journal.flush().unwrap();
        assert_eq!(store.left().unwrap(), []);
    }

    #[test]
    fn a_batch_that_came_to_nothing_is_forgotten() {
        let (_folder, _journal, store) = place();
        let (first, second) = (store.intend(&[key(1)]).unwrap(), store.intend(&[key(1)]).unwrap());
        assert_ne!(first, second, "each has a mark of its own");
        store.forget(&first).unwrap();
        assert_eq!(store.left().unwrap().len(), 1);
    }

    #[test]
    fn a_file_that_cannot_be_written_is_said_so() {
        let error = Store::open(Path::new("no/such/folder/run.db"), "here").err().unwrap();
        assert!(error.to_string().contains("cannot write"), "{error}");
    }
}
