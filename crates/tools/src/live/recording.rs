//! What live servers answered in a run: every call once, on disk before it counts as answered, so that a replay needs no server.

use super::LiveError;
use crate::toolset::RecordedCall;
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The file in a run's folder.
pub const RECORDING: &str = "recording.db";
/// How long another process may hold the file.
const BUSY: Duration = Duration::from_secs(10);

/// A recording on disk.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    connection: Mutex<Connection>,
}

impl Recording {
    /// Opens the recording of a run, or begins one.
    pub fn open(path: &Path) -> Result<Self, LiveError> {
        let recording = Self::at(path, OpenFlags::default())?;
        let schema = "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, line TEXT NOT NULL) WITHOUT ROWID;";
        let begun = recording.connection().execute_batch(&format!("PRAGMA journal_mode = WAL; {schema}"));
        begun.map_err(|error| recording.fault(&error))?;
        Ok(recording)
    }

    /// Opens a recording that is only read.
    pub fn replayed(path: &Path) -> Result<Self, LiveError> {
        if !path.is_file() {
            return Err(LiveError::File { path: path.display().to_string(), message: "no such recording".to_owned() });
        }
        let recording = Self::at(path, OpenFlags::default())?;
        recording.get("")?;
        Ok(recording)
    }

    fn at(path: &Path, flags: OpenFlags) -> Result<Self, LiveError> {
        let fault =
            |error: rusqlite::Error| LiveError::File { path: path.display().to_string(), message: error.to_string() };
        let connection = Connection::open_with_flags(path, flags).map_err(fault)?;
        connection.busy_timeout(BUSY).map_err(fault)?;
        Ok(Self { path: path.to_owned(), connection: Mutex::new(connection) })
    }

    /// What was answered to the call of this key.
    pub fn get(&self, key: &str) -> Result<Option<RecordedCall>, LiveError> {
        let read = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
        let line = self.connection().query_row("SELECT line FROM answers WHERE key = ?1", [key], read).optional();
        let line = line.map_err(|error| self.fault(&error))?;
        let call = line.map(|line| serde_json::from_str(&line)).transpose();
        call.map_err(|error| self.fault(&error))
    }

    /// Keeps a call; the first answer to it stays, and is given back.
    pub fn put(&self, key: &str, call: RecordedCall) -> Result<RecordedCall, LiveError> {
        let line = serde_json::to_string(&call).map_err(|error| self.fault(&error))?;
        let insert = "INSERT INTO answers (key, line) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        self.connection().execute(insert, params![key, line]).map_err(|error| self.fault(&error))?;
        Ok(self.get(key)?.unwrap_or(call))
    }

    /// How many calls it holds.
    pub fn count(&self) -> Result<i64, LiveError> {
        let count = self.connection().query_row("SELECT count(*) FROM answers", [], |row| row.get(0));
        count.map_err(|error| self.fault(&error))
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fault(&self, error: &dyn std::error::Error) -> LiveError {
        LiveError::File { path: self.path.display().to_string(), message: error.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fcgen_core::record::Value;

    fn call(answer: &str) -> RecordedCall {
        let arguments = [("id".to_owned(), Value::from("a"))].into();
        RecordedCall { tool: "show".to_owned(), arguments, before: String::new(), answer: answer.into(), failed: false }
    }

    #[test]
    fn the_first_answer_stays_and_outlives_the_process() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(RECORDING);
        let recording = Recording::open(&path).unwrap();
        let key = call("").key();
        assert_eq!(recording.put(&key, call("one")).unwrap().answer, "one".into());
        assert_eq!(recording.put(&key, call("two")).unwrap().answer, "one".into());
        drop(recording);
        let replayed = Recording::replayed(&path).unwrap();
        assert_eq!((replayed.get(&key).unwrap().unwrap(), replayed.count().unwrap()), (call("one"), 1));
        assert!(replayed.get("other").unwrap().is_none());
    }

    #[test]
    fn what_is_no_recording_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let missing = Recording::replayed(&folder.path().join("none.db")).unwrap_err().to_string();
        assert!(missing.ends_with("none.db: no such recording"), "{missing}");
        let other = folder.path().join("other.db");
        std::fs::write(&other, "this is no database, and long enough to be looked at").unwrap();
        assert!(Recording::replayed(&other).is_err() && Recording::open(&other).is_err());
    }
}
