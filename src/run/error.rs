//! Why a run gave nothing.

use crate::failure::RunStopped;
use crate::fs::LockError;
use crate::llm::JournalError;
use crate::run::prepare::setup::SetupError;
use std::io;

/// Why a run gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It could not begin.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A model cannot be asked any further.
    #[error(transparent)]
    Stop(#[from] RunStopped),
    /// A file could not be written or read.
    #[error("cannot write or read the run's files: {0}")]
    Io(#[from] io::Error),
    /// `run.db` could not be written or read.
    #[error("`run.db`: {0}")]
    Database(#[from] rusqlite::Error),
    /// The journal could not be opened.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A record could not be written or read as JSON.
    #[error("a record is not what it should be: {0}")]
    Json(#[from] serde_json::Error),
    /// The folder holds something else.
    #[error("{message}")]
    Occupied {
        /// What it holds.
        message: String,
        /// The way out.
        hint: String,
    },
    /// Shards do not fit together.
    #[error("{0}")]
    Shards(String),
}

impl From<LockError> for RunError {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Io(error) => Self::Io(error),
            taken => Self::Stop(RunStopped::Input(taken.to_string())),
        }
    }
}

impl RunError {
    /// Work on another thread that broke off instead of ending.
    pub(crate) fn broken_off(what: &str, error: &tokio::task::JoinError) -> Self {
        Self::Stop(RunStopped::Store(format!("{what} broke off: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_elsewhere_is_an_error_here() {
        let error = tokio::spawn(async { panic!("odd") }).await.unwrap_err();
        let message = RunError::broken_off("a root's work", &error).to_string();
        assert!(message.starts_with("a root's work broke off: ") && message.contains("odd"), "{message}");
    }

    #[test]
    fn what_a_model_says_is_said_as_it_is() {
        assert_eq!(RunError::from(RunStopped::Interrupted).to_string(), "interrupted");
        assert_eq!(RunError::Shards("none".to_owned()).to_string(), "none");
    }
}
