//! What can be wrong with the journal, and the way out.

use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};

/// Why the journal cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// The file system cannot do what SQLite's write-ahead log needs.
    #[error("`{}` cannot be kept there: the file system has no shared memory for SQLite's log (NFS and other network disks); put the run on a local disk", path.display())]
    NoSharedMemory {
        /// The journal.
        path: PathBuf,
    },
    /// There is no room left.
    #[error("no room left for `{}`; free some and run again: what is written already stays", path.display())]
    DiskFull {
        /// The journal.
        path: PathBuf,
    },
    /// It cannot be written.
    #[error("`{}` cannot be written; is the folder there, and may you write in it?", path.display())]
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
    #[error("`{}` is damaged or no journal of fcgen ({detail}); move it away to start afresh", path.display())]
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
    pub(in crate::llm) fn new(path: &Path, error: &rusqlite::Error) -> Self {
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
    use insta::assert_snapshot;
    use rusqlite::ffi;

    fn message(code: i32) -> String {
        let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
        JournalError::new(Path::new("output/hammer-en/run.db"), &error).to_string()
    }

    #[test]
    fn every_message_names_the_file_and_the_way_out() {
        assert_snapshot!(message(ffi::SQLITE_FULL), @"no room left for `output/hammer-en/run.db`; free some and run again: what is written already stays");
        assert_snapshot!(message(ffi::SQLITE_READONLY), @"`output/hammer-en/run.db` cannot be written; is the folder there, and may you write in it?");
        assert_snapshot!(message(ffi::SQLITE_CANTOPEN), @"`output/hammer-en/run.db` cannot be written; is the folder there, and may you write in it?");
        assert_snapshot!(message(ffi::SQLITE_BUSY), @"`output/hammer-en/run.db` is locked by another process");
        assert_snapshot!(message(ffi::SQLITE_IOERR_SHMMAP), @"`output/hammer-en/run.db` cannot be kept there: the file system has no shared memory for SQLite's log (NFS and other network disks); put the run on a local disk");
        assert_snapshot!(message(ffi::SQLITE_NOTADB), @"`output/hammer-en/run.db` is damaged or no journal of fcgen (Error code 26: file is not a database); move it away to start afresh");
        assert_snapshot!(message(ffi::SQLITE_IOERR), @"`output/hammer-en/run.db`: Error code 10: disk I/O error");
    }
}
