//! One process at a time: whoever works in a folder holds it.

use super::at;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Somebody who only looks whether a folder is held holds it for less than this.
const GLANCE: Duration = Duration::from_millis(10);
/// So many glances in a row are no chance.
const GLANCES: u32 = 5;

/// The right to work in a folder. It ends when dropped, or when the process does, whatever ended it.
#[derive(Debug)]
pub struct Lock {
    _folder: Option<File>,
}

/// Why a folder cannot be worked in.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// There is a file of that name.
    #[error("`{}` is a file; expected a folder", .0.display())]
    NoFolder(PathBuf),
    /// Somebody has it.
    #[error("another process is using `{}`", .0.display())]
    Taken(PathBuf),
    /// It cannot be looked at.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Lock {
    /// Takes the folder, or says that somebody has it.
    pub fn take(folder: &Path) -> Result<Self, LockError> {
        // The folder itself is locked, since a file for it would be one more thing to explain; where a system cannot
        // open folders or lock them, there is no lock.
        let Ok(file) = File::open(folder) else { return Ok(Self { _folder: None }) };
        if !file.metadata().map_err(|error| at(folder, &error))?.is_dir() {
            return Err(LockError::NoFolder(folder.to_owned()));
        }
        for _ in 0..GLANCES {
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => std::thread::sleep(GLANCE),
                Ok(()) | Err(TryLockError::Error(_)) => return Ok(Self { _folder: Some(file) }),
            }
        }
        Err(LockError::Taken(folder.to_owned()))
    }

    /// Whether a process is at work in the folder; nothing where the system cannot tell.
    pub fn is_taken(folder: &Path) -> Option<bool> {
        // A shared lock, so that two who look do not take one another for a process at work.
        match File::open(folder).ok()?.try_lock_shared() {
            Ok(()) => Some(false),
            Err(TryLockError::WouldBlock) => Some(true),
            Err(TryLockError::Error(_)) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_held_until_it_is_let_go() {
        let folder = tempfile::tempdir().unwrap();
        let lock = Lock::take(folder.path()).unwrap();
        let error = Lock::take(folder.path()).unwrap_err().to_string();
        assert!(error.starts_with("another process is using `"), "{error}");
        drop(lock);
        assert!(Lock::take(folder.path()).is_ok());
    }

    #[test]
    fn a_file_is_no_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "").unwrap();
        assert!(Lock::take(&path).unwrap_err().to_string().ends_with("is a file; expected a folder"));
        assert!(Lock::take(&folder.path().join("none")).is_ok());
    }

    #[test]
    fn whoever_looks_sees_whether_it_is_held_and_holds_nobody_up() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Lock::is_taken(folder.path()), Some(false));
        let lock = Lock::take(folder.path()).unwrap();
        assert_eq!(Lock::is_taken(folder.path()), Some(true));
        drop(lock);
        assert_eq!(Lock::is_taken(&folder.path().join("none")), None);
        let glance = File::open(folder.path()).unwrap();
        glance.lock_shared().unwrap();
        assert_eq!(Lock::is_taken(folder.path()), Some(false), "another one who looks is no process at work");
        assert!(Lock::take(folder.path()).is_err(), "whoever looks for that long is");
    }

    #[test]
    fn two_folders_do_not_hold_one_another() {
        let [one, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let _held = Lock::take(one.path()).unwrap();
        assert!(Lock::take(other.path()).is_ok());
        assert!(Lock::take(&one.path().join("../").join(one.path().file_name().unwrap())).is_err(), "by another name");
    }
}
