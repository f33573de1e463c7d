//! The journal as everybody sees it: look up, keep, flush.

use super::accounts::{self, Accounts};
use super::writer::{Message, Row, Shared, write_all};
use crate::key::Key;
use crate::limit::budget::Budget;
use crate::request::{Reply, Request};
use crate::usage::UsageBook;
use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The replies of a run, in `run.db`. Other tables of the same file belong to the run layer.
pub struct Journal {
    path: PathBuf,
    shared: Arc<Shared>,
    sender: Option<SyncSender<Message>>,
    writer: Option<JoinHandle<()>>,
    readers: Mutex<Vec<Connection>>,
}

/// How long a statement waits for another process's lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);
/// How often the writer looks whether somebody else has let go: what is paid for is not to wait for longer than it must.
const GLANCE: Duration = Duration::from_millis(1);

/// So many replies may wait for the disk. Where it is slower than the models for so long, they wait for it.
const LONGEST_QUEUE: usize = 4096;

const TABLE: &str = "CREATE TABLE IF NOT EXISTS reply (
    created INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    question BLOB NOT NULL,
    task TEXT NOT NULL,
    stage TEXT NOT NULL,
    item TEXT NOT NULL,
    draw INTEGER NOT NULL,
    reply TEXT NOT NULL
) STRICT";

impl Journal {
    /// Opens the journal at `path`, and makes it where there is none.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        let fault = |error: rusqlite::Error| JournalError::new(path, &error);
        let mut connection = Connection::open(path).map_err(fault)?;
        prepare(&mut connection)
            .map_err(fault)?
            .then_some(())
            .ok_or_else(|| JournalError::NoSharedMemory { path: path.to_owned() })?;
        let shared = Arc::new(Shared::default());
        let (sender, receiver) = mpsc::sync_channel(LONGEST_QUEUE);
        let writer = std::thread::spawn({
            let (path, shared) = (path.to_owned(), shared.clone());
            move || write_all(connection, &path, &receiver, &shared)
        });
        Ok(Self {
            path: path.to_owned(),
            shared,
            sender: Some(sender),
            writer: Some(writer),
            readers: Mutex::default(),
        })
    }

    /// Where the file is.
    pub(crate) fn connection_path(&self) -> &Path {
        &self.path
    }

    /// Keeps the accounts of this process beside its replies, and counts on from those of earlier processes of the same
    /// run. A folder may see several runs, one after the other, such as those of a pipeline that is changed in between.
    pub(crate) fn keep_accounts(
        &self,
        run: &str,
        usage: &Arc<UsageBook>,
        budget: &Arc<Budget>,
    ) -> Result<(), JournalError> {
        let accounts = self.read(|connection| Accounts::open(connection, run, usage.clone(), budget.clone()))?;
        self.shared.keep_accounts(accounts);
        Ok(())
    }

    /// Waits until everything that was kept is on disk; an error says what stopped the writing.
    pub fn flush(&self) -> Result<(), JournalError> {
        let (sender, receiver) = mpsc::channel();
        let sent = self.sender.as_ref().is_some_and(|writer| writer.send(Message::Flush(sender)).is_ok());
        match self.shared.failure() {
            Some(failure) => Err(failure),
            None if sent && receiver.recv().is_ok() => self.shared.failure().map_or(Ok(()), Err),
            None => Err(self.writer_gone()),
        }
    }

    /// The reply that was kept under `key`, on disk or on its way there.
    pub(crate) fn look_up(&self, key: &Key) -> Result<Option<Reply>, JournalError> {
        if let Some(reply) = self.shared.pending().get(key) {
            return Ok(Some(reply.clone()));
        }
        let text: Option<String> = self.read(|connection| {
            let mut select = connection.prepare_cached("SELECT reply FROM reply WHERE key = ?")?;
            select.query_row([key.as_bytes()], |row| row.get(0)).optional()
        })?;
        let parse = |text: String| {
            serde_json::from_str(&text)
                .map_err(|error| JournalError::Damaged { path: self.path.clone(), detail: error.to_string() })
        };
        text.map(parse).transpose()
    }

    /// Hands the reply to the writer; it will be on disk within a moment.
    pub(crate) fn keep(&self, key: Key, request: &Request, reply: &Reply) -> Result<(), JournalError> {
        if let Some(failure) = self.shared.failure() {
            return Err(failure);
        }
        let row = Row::new(key, request, reply)
            .map_err(|error| JournalError::Other { path: self.path.clone(), detail: error.to_string() })?;
        self.shared.pending().insert(key, reply.clone());
        let sent = self.sender.as_ref().map(|sender| sender.send(Message::Keep(Box::new(row))));
        match sent {
            Some(Ok(())) => Ok(()),
            _ => Err(self.writer_gone()),
        }
    }

    fn writer_gone(&self) -> JournalError {
        JournalError::Other { path: self.path.clone(), detail: "its writer has stopped".to_owned() }
    }

    /// Runs a query on a connection of its own; readers disturb neither the writer nor each other.
    pub(crate) fn read<T>(&self, query: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, JournalError> {
        let idle = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let outcome = idle.map_or_else(|| open_reader(&self.path), Ok).and_then(|connection| {
            let result = query(&connection)?;
            self.readers.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
            Ok(result)
        });
        outcome.map_err(|error| JournalError::new(&self.path, &error))
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        // Only a connection that may write removes the log, and only as the last one to close.
        self.readers.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        // Without a sender the writer commits what is left and ends.
        self.sender = None;
        if let Some(writer) = self.writer.take() {
            drop(writer.join());
        }
    }
}

/// Makes the table; `false` where the file system cannot carry a write-ahead log.
fn prepare(connection: &mut Connection) -> rusqlite::Result<bool> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.execute(TABLE, [])?;
    connection.execute_batch(accounts::TABLES)?;
    // SQLite's own handler waits longer each time, and so for long after the other one has let go.
    let mut began = Instant::now();
    connection.busy_handler(Some(move |tries| {
        if tries == 0 {
            began = Instant::now();
        }
        std::thread::sleep(GLANCE);
        began.elapsed() < BUSY_TIMEOUT
    }))?;
    Ok(mode == "wal")
}

fn open_reader(path: &Path) -> rusqlite::Result<Connection> {
    let connection =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(connection)
}

// What can be wrong with the journal, and the way out.

/// Why the journal cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// The file system cannot do what SQLite's write-ahead log needs.
    #[error("cannot store `{}` on this file system: it has no shared memory for SQLite's log (NFS and other network disks); use a local disk", path.display())]
    NoSharedMemory {
        /// The journal.
        path: PathBuf,
    },
    /// There is no room left.
    #[error("no space left on the disk for `{}`; free some space and run the same command to resume", path.display())]
    DiskFull {
        /// The journal.
        path: PathBuf,
    },
    /// It cannot be written.
    #[error("cannot write `{}`; check that the folder exists and is writable", path.display())]
    ReadOnly {
        /// The journal.
        path: PathBuf,
    },
    /// Another process holds it for longer than anybody should.
    #[error("`{}` is locked by another process", path.display())]
    Locked {
        /// The journal.
        path: PathBuf,
    },
    /// The file is not a journal, or no longer one.
    #[error("`{}` is damaged or not a reply cache of fcgen ({detail}); move it away to start over", path.display())]
    Damaged {
        /// The journal.
        path: PathBuf,
        /// What SQLite says.
        detail: String,
    },
    /// Anything else that SQLite reports.
    #[error("`{}`: {detail}", path.display())]
    Other {
        /// The journal.
        path: PathBuf,
        /// What SQLite says.
        detail: String,
    },
}

impl JournalError {
    pub(crate) fn new(path: &Path, error: &rusqlite::Error) -> Self {
        let path = path.to_owned();
        let detail = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::DiskFull { path },
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => Self::ReadOnly { path },
            Some(ErrorCode::FileLockingProtocolFailed) => Self::NoSharedMemory { path },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked { path },
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Self::Damaged { path, detail },
            Some(ErrorCode::SystemIoFailure) if lacks_shared_memory(error) => Self::NoSharedMemory { path },
            _ => Self::Other { path, detail },
        }
    }
}

fn lacks_shared_memory(error: &rusqlite::Error) -> bool {
    use rusqlite::ffi::{SQLITE_IOERR_SHMLOCK, SQLITE_IOERR_SHMMAP, SQLITE_IOERR_SHMOPEN, SQLITE_IOERR_SHMSIZE};
    let code = error.sqlite_error().map(|error| error.extended_code);
    code.is_some_and(|code| {
        [SQLITE_IOERR_SHMOPEN, SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_SHMMAP, SQLITE_IOERR_SHMLOCK].contains(&code)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::FinishReason;
    use crate::testing::request;

    fn reply(text: &str) -> Reply {
        Reply { text: text.to_owned(), finish: FinishReason::Length, ..Reply::default() }
    }

    fn key(item: &str) -> Key {
        Key::of_question(&request(item, 0))
    }

    fn journal(folder: &tempfile::TempDir) -> Journal {
        Journal::open(&folder.path().join("run.db")).unwrap()
    }

    #[test]
    fn what_is_kept_is_found_at_once_and_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let first = journal(&folder);
        first.keep(key("a"), &request("a", 0), &reply("yes")).unwrap();
        assert_eq!(first.look_up(&key("a")).unwrap(), Some(reply("yes")));
        drop(first);
        let second = journal(&folder);
        assert_eq!(second.look_up(&key("a")).unwrap(), Some(reply("yes")));
        assert_eq!(second.look_up(&key("b")).unwrap(), None);
    }

    #[test]
    fn what_is_flushed_is_seen_by_another_process() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (journal(&folder), journal(&folder));
        first.keep(key("a"), &request("a", 0), &reply("first")).unwrap();
        first.flush().unwrap();
        assert_eq!(second.look_up(&key("a")).unwrap(), Some(reply("first")));
        second.keep(key("a"), &request("a", 0), &reply("second")).unwrap();
        second.flush().unwrap();
        assert_eq!(second.look_up(&key("a")).unwrap(), Some(reply("first")), "the first reply stays");
    }

    #[test]
    fn what_another_process_adds_later_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (journal(&folder), journal(&folder));
        first.keep(key("a"), &request("a", 0), &reply("early")).unwrap();
        first.flush().unwrap();
        assert_eq!(second.look_up(&key("b")).unwrap(), None);
        first.keep(key("b"), &request("b", 0), &reply("late")).unwrap();
        first.flush().unwrap();
        assert_eq!(second.look_up(&key("b")).unwrap(), Some(reply("late")));
        assert_eq!(second.look_up(&key("a")).unwrap(), Some(reply("early")));
    }

    #[test]
    fn a_journal_that_is_closed_leaves_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let journal = journal(&folder);
        journal.keep(key("a"), &request("a", 0), &reply("yes")).unwrap();
        journal.flush().unwrap();
        assert_eq!(journal.look_up(&key("a")).unwrap(), Some(reply("yes")));
        drop(journal);
        let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["run.db"]);
    }

    #[test]
    fn many_writers_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let journal = journal(&folder);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let journal = &journal;
                scope.spawn(move || {
                    for number in 0..200 {
                        let item = format!("{thread}/{number}");
                        journal.keep(key(&item), &request(&item, 0), &reply(&item)).unwrap();
                    }
                });
            }
        });
        journal.flush().unwrap();
        let count: i64 = journal
            .read(|connection| connection.query_row("SELECT count(*) FROM reply", [], |row| row.get(0)))
            .unwrap();
        assert_eq!(count, 800);
        assert!(journal.shared.pending().is_empty());
    }

    #[test]
    fn replies_are_stored_and_request_texts_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let mut asked = request("a", 0);
        asked.user = "the very secret prompt".to_owned();
        journal(&folder).keep(Key::of_question(&asked), &asked, &reply("the open reply")).unwrap();
        let bytes = std::fs::read(folder.path().join("run.db")).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains("the open reply") && !text.contains("secret"));
    }

    #[test]
    fn after_a_write_that_failed_nothing_more_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let journal = journal(&folder);
        Connection::open(journal.connection_path()).unwrap().execute("DROP TABLE reply", []).unwrap();
        journal.keep(key("a"), &request("a", 0), &reply("lost")).unwrap();
        assert!(journal.flush().unwrap_err().to_string().ends_with("no such table: reply"));
        assert!(journal.keep(key("b"), &request("b", 0), &reply("refused")).is_err());
    }

    #[test]
    fn a_folder_that_is_not_there_is_said_so() {
        let error = Journal::open(Path::new("no/such/folder/run.db")).err().unwrap();
        insta::assert_snapshot!(error, @"cannot write `no/such/folder/run.db`; check that the folder exists and is writable");
    }

    #[test]
    fn a_file_that_is_no_journal_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.db");
        std::fs::write(&path, "samples, not a database, and long enough to be looked at twice. ".repeat(20)).unwrap();
        let error = Journal::open(&path).err().unwrap();
        assert!(matches!(error, JournalError::Damaged { .. }), "{error}");
        assert!(std::fs::read_to_string(&path).unwrap().starts_with("samples"));
    }
}

#[cfg(test)]
mod error_tests {
    use super::*;
    use insta::assert_snapshot;
    use rusqlite::ffi;

    fn message(code: i32) -> String {
        let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
        JournalError::new(Path::new("output/hammer-en/run.db"), &error).to_string()
    }

    #[test]
    fn every_message_names_the_file_and_the_way_out() {
        assert_snapshot!(message(ffi::SQLITE_FULL), @"no space left on the disk for `output/hammer-en/run.db`; free some space and run the same command to resume");
        assert_snapshot!(message(ffi::SQLITE_READONLY), @"cannot write `output/hammer-en/run.db`; check that the folder exists and is writable");
        assert_snapshot!(message(ffi::SQLITE_CANTOPEN), @"cannot write `output/hammer-en/run.db`; check that the folder exists and is writable");
        assert_snapshot!(message(ffi::SQLITE_BUSY), @"`output/hammer-en/run.db` is locked by another process");
        assert_snapshot!(message(ffi::SQLITE_IOERR_SHMMAP), @"cannot store `output/hammer-en/run.db` on this file system: it has no shared memory for SQLite's log (NFS and other network disks); use a local disk");
        assert_snapshot!(message(ffi::SQLITE_NOTADB), @"`output/hammer-en/run.db` is damaged or not a reply cache of fcgen (Error code 26: file is not a database); move it away to start over");
        assert_snapshot!(message(ffi::SQLITE_IOERR), @"`output/hammer-en/run.db`: Error code 10: disk I/O error");
    }
}
