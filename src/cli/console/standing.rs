//! How a run stands: whether a process is at work on it, and what it has left so far.

use crate::cli::console::exit::{Complaint, INPUT};
use crate::cli::runs::manifest::read_manifest;
use fcgen::run::{Manifest, Phase, Progress};
use rusqlite::{Connection, ErrorCode, OpenFlags};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Everything that is known of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Standing {
    /// Its folder.
    pub(crate) run: String,
    pub(crate) state: State,
    /// What can be done about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<&'static str>,
    /// How far it is; nothing where it left no word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) progress: Option<Progress>,
    /// What `run.db` holds.
    pub(crate) kept: Kept,
    /// Why `run.db` cannot be read at present.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) closed: Option<String>,
    /// What is wrong with `run.db`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) damage: Option<String>,
    #[serde(skip)]
    pub(crate) manifest: Option<Manifest>,
}

/// Whether a run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum State {
    /// A process is at work on it.
    Running,
    /// It stopped before its end, and said why.
    Stopped,
    /// It ended before its end without a word.
    BrokenOff,
    /// It is at its end.
    Done,
}

/// What `run.db` holds, by stage or reason.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Kept {
    pub(crate) items: BTreeMap<String, u64>,
    pub(crate) rejects: BTreeMap<String, u64>,
    pub(crate) replies: BTreeMap<String, u64>,
}

/// SQLite needs two files beside a database to read it, and makes them where they are not there.
const CLOSED: &str = "try again; if it persists, check write permissions in the folder, or ask the owner of the run";
/// What whoever stopped a run wants to know.
const GO_ON: &str = "run the same command again to resume; cached replies are not requested again";
const DAMAGED: &str = "move `run.db` and the files beside it away; the run then starts over and repeats its requests";

impl Standing {
    /// Looks at the folder without disturbing whoever writes there.
    pub(crate) fn of(run: &Path) -> anyhow::Result<Self> {
        let is_at_work = Progress::is_at_work(run).unwrap_or(false);
        let word = Progress::read(run).ok().flatten();
        let database = run.join("run.db");
        let manifest = match read_manifest(run) {
            Ok(manifest) => Some(manifest),
            Err(_) if word.is_some() || database.is_file() => None,
            Err(error) => return Err(error),
        };
        let state = state(is_at_work, word.as_ref(), manifest.as_ref());
        // Whoever counts replies reads the whole journal, which is in the way of nobody and yet takes its time.
        let (kept, closed, damage) = match Kept::read(&database, state != State::Running) {
            Ok(kept) => (kept, None, None),
            // Whoever is at work there holds it for a moment, which is no news.
            Err(error) if is_closed(&error) && state == State::Running => (Kept::default(), None, None),
            Err(error) if is_closed(&error) => (Kept::default(), Some(error.to_string()), None),
            Err(error) => (Kept::default(), None, Some(error.to_string())),
        };
        let hint = match (state, &damage, &closed) {
            (_, Some(_), _) => Some(DAMAGED),
            (_, None, Some(_)) => Some(CLOSED),
            (State::Stopped | State::BrokenOff, ..) => Some(GO_ON),
            (State::Running | State::Done, ..) => None,
        };
        let progress = word.or_else(|| manifest.as_ref().filter(|_| state != State::BrokenOff).map(Manifest::progress));
        Ok(Self { run: run.display().to_string(), state, hint, progress, kept, closed, damage, manifest })
    }

    /// What is wrong, where something is.
    pub(crate) fn complaint(&self) -> Option<Complaint> {
        let (what, why, hint) = match (&self.damage, &self.closed) {
            (Some(why), _) => ("is damaged", why, DAMAGED),
            (None, why) => ("cannot be read at the moment", why.as_ref()?, CLOSED),
        };
        Some(Complaint::new(INPUT, format!("`run.db` in `{}` {what}: {why}", self.run)).hint(hint))
    }
}

/// Whether a database is sound for all that is known, and only not to be had.
fn is_closed(error: &rusqlite::Error) -> bool {
    use ErrorCode::{CannotOpen, DatabaseBusy, DatabaseLocked, PermissionDenied, ReadOnly};
    let closed = [CannotOpen, DatabaseBusy, DatabaseLocked, PermissionDenied, ReadOnly];
    error.sqlite_error_code().is_some_and(|code| closed.contains(&code))
}

/// Word that was left is newer than a manifest, which may be of an earlier run.
fn state(is_at_work: bool, word: Option<&Progress>, manifest: Option<&Manifest>) -> State {
    match (is_at_work, word, manifest) {
        (true, Some(_), _) | (true, None, None) => State::Running,
        (false, Some(progress), _) if progress.stopped.is_none() => State::BrokenOff,
        (false, Some(_), _) => State::Stopped,
        (false, None, None) => State::BrokenOff,
        (_, None, Some(manifest)) if manifest.stopped.is_some() => State::Stopped,
        (_, None, Some(_)) => State::Done,
    }
}

/// What a run was busy with, in words.
pub(crate) fn busy(phase: Phase) -> &'static str {
    match phase {
        Phase::Setup => "setting up",
        Phase::Making => "generating items",
        Phase::Writing => "writing files",
        Phase::Done => "finished",
    }
}

impl Kept {
    /// Reads the counts; of replies where they are wanted.
    pub(crate) fn read(path: &Path, with_replies: bool) -> rusqlite::Result<Self> {
        if !path.is_file() {
            return Ok(Self::default());
        }
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        connection.busy_timeout(std::time::Duration::from_secs(2))?;
        let counts = |table: &str, by: &str| counts(&connection, table, by);
        Ok(Self {
            items: counts("item", "stage")?,
            rejects: counts("reject", "json_extract(json, '$.reason')")?,
            replies: if with_replies { counts("reply", "stage")? } else { BTreeMap::new() },
        })
    }
}

/// Names and counts; a table that is not there counts nothing.
fn counts(connection: &Connection, table: &str, by: &str) -> rusqlite::Result<BTreeMap<String, u64>> {
    if !connection.table_exists(None, table)? {
        return Ok(BTreeMap::new());
    }
    let mut statement = connection.prepare(&format!("SELECT {by}, COUNT(*) FROM {table} GROUP BY 1"))?;
    let rows = statement.query_map([], |row| {
        Ok((row.get::<_, Option<String>>(0)?.unwrap_or_default(), row.get::<_, u32>(1)?.into()))
    })?;
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::console::figures::tests::manifest;

    fn word(stopped: Option<&str>) -> Progress {
        Progress { stopped: stopped.map(str::to_owned), ..manifest().progress() }
    }

    #[test]
    fn the_lock_tells_who_is_at_work_and_the_word_why_nobody_is() {
        let (stopped, none) = (word(Some("interrupted")), word(None));
        let manifest = manifest();
        assert_eq!(state(true, Some(&none), Some(&manifest)), State::Running);
        assert_eq!(state(true, Some(&stopped), None), State::Running);
        assert_eq!(state(true, None, None), State::Running, "it has just begun");
        assert_eq!(state(true, None, Some(&manifest)), State::Done, "somebody merges it, or begins anew this moment");
        assert_eq!(state(false, Some(&none), Some(&manifest)), State::BrokenOff);
        assert_eq!(state(false, Some(&stopped), Some(&manifest)), State::Stopped);
        assert_eq!(state(false, None, Some(&manifest)), State::Done);
        assert_eq!(state(false, None, None), State::BrokenOff);
        let spent = Manifest { stopped: Some("the budget is spent".to_owned()), ..manifest };
        assert_eq!(state(false, None, Some(&spent)), State::Stopped);
    }

    #[test]
    fn tables_are_counted_and_those_that_are_not_there_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.db");
        assert_eq!(Kept::read(&path, true).unwrap(), Kept::default());
        let connection = Connection::open(&path).unwrap();
        let tables = "CREATE TABLE item (stage TEXT, key TEXT, json TEXT); INSERT INTO item VALUES ('ask', 'a', '{}');
                      CREATE TABLE reject (key TEXT, stage TEXT, json TEXT);
                      INSERT INTO reject VALUES ('b', 'ask', '{\"reason\": \"odd\"}');";
        connection.execute_batch(tables).unwrap();
        let kept = Kept::read(&path, true).unwrap();
        assert_eq!((kept.items["ask"], kept.rejects["odd"], kept.replies.len()), (1, 1, 0));
    }

    #[test]
    fn a_database_that_is_none_is_named() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("run.db"), "no database, and long enough. ".repeat(40)).unwrap();
        let standing = Standing::of(folder.path()).unwrap();
        assert_eq!((standing.state, standing.hint), (State::BrokenOff, Some(DAMAGED)));
        let told = standing.complaint().unwrap().to_string();
        assert!(told.ends_with("is damaged: file is not a database"), "{told}");
    }

    #[test]
    fn a_folder_that_is_no_run_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = Standing::of(folder.path()).unwrap_err().to_string();
        assert!(error.ends_with("is not a run folder: no manifest.json"), "{error}");
    }
}
