//! What keeps an item, or a whole run, from going on.

use crate::fs::LockError;
use crate::gate::Fault;
use crate::live::LiveError;
use crate::llm::{ChatError, JournalError, PromptError};
use crate::locale::{LanguageError, LocaleError};
use crate::toolset::ToolsetError;
use crate::world::WorldError;
use std::io;

/// Why an item has no result.
#[derive(Debug, Clone, PartialEq)]
pub enum ItemError {
    /// This item is lost; the others go on.
    Item {
        /// What is wrong.
        fault: Fault,
        /// The text concerned.
        text: String,
    },
    /// Nothing can go on.
    Stopped(RunStopped),
}

/// Why a run stops before its end.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RunStopped {
    /// The endpoint is of no use: exit 12.
    #[error("{detail}")]
    Endpoint {
        /// What is wrong.
        detail: String,
        /// The way out.
        hint: String,
    },
    /// The budget is spent: exit 13.
    #[error("the budget is spent: {0}")]
    Budget(String),
    /// Somebody wants it to stop: exit 130.
    #[error("interrupted")]
    Interrupted,
    /// Somebody wants it to stop, and batches that were sent go on without it: exit 130.
    #[error("interrupted; batches still running on the server: {batches}")]
    Submitted {
        /// How many.
        batches: usize,
    },
    /// Somebody else has to answer first: exit 15.
    #[error("{detail}")]
    Waiting {
        /// What is waited for.
        detail: String,
        /// How it is got.
        hint: String,
    },
    /// Input data cannot be used: exit 11.
    #[error("{0}")]
    Input(String),
    /// The run's own files cannot be written or read.
    #[error("{0}")]
    Store(String),
}

impl RunStopped {
    /// The reason of the two that people should hear: after the first one everybody else is merely interrupted.
    #[must_use]
    pub fn before(self, other: Self) -> Self {
        match (&self, &other) {
            (Self::Interrupted, _) => other,
            (Self::Submitted { .. }, other) if *other != Self::Interrupted => other.clone(),
            _ => self,
        }
    }
}

impl ItemError {
    /// What is wrong with the item; a reason to stop is handed up.
    pub fn fault(self) -> Result<Fault, RunStopped> {
        match self {
            Self::Item { fault, .. } => Ok(fault),
            Self::Stopped(stop) => Err(stop),
        }
    }
}

impl From<Fault> for ItemError {
    fn from(fault: Fault) -> Self {
        Self::Item { fault, text: String::new() }
    }
}

impl From<ChatError> for ItemError {
    fn from(error: ChatError) -> Self {
        let detail = error.to_string();
        match error {
            ChatError::Transport { .. } => Fault::new("transport", detail).into(),
            ChatError::Refused { .. } => Fault::new("refused", detail).into(),
            ChatError::Unscripted { .. } => Fault::new("unscripted", detail).into(),
            ChatError::Endpoint { detail, hint } => Self::Stopped(RunStopped::Endpoint { detail, hint }),
            ChatError::Budget { detail } => Self::Stopped(RunStopped::Budget(detail)),
            ChatError::Journal { .. } => Self::Stopped(RunStopped::Store(detail)),
            ChatError::Interrupted => Self::Stopped(RunStopped::Interrupted),
            ChatError::Submitted { batches } => Self::Stopped(RunStopped::Submitted { batches }),
            ChatError::Waiting { detail, hint } => Self::Stopped(RunStopped::Waiting { detail, hint }),
        }
    }
}

/// Why a run cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The locale.
    #[error(transparent)]
    Locale(#[from] LocaleError),
    /// The language's facts.
    #[error(transparent)]
    Language(#[from] LanguageError),
    /// A toolset.
    #[error(transparent)]
    Toolset(#[from] ToolsetError),
    /// A live world.
    #[error(transparent)]
    Live(#[from] LiveError),
    /// A domain's world.
    #[error(transparent)]
    World(#[from] WorldError),
    /// A prompt.
    #[error(transparent)]
    Prompt(#[from] PromptError),
    /// A model.
    #[error(transparent)]
    Chat(#[from] ChatError),
    /// A role that has to think, and a model that cannot.
    #[error(
        "stage `{stage}`: toolset `{toolset}` has no phrases for user requests, and the built-in model in role `{role}` cannot \
         write any"
    )]
    Thoughtless {
        /// The stage.
        stage: String,
        /// The toolset.
        toolset: String,
        /// The role.
        role: String,
    },
    /// A toolset that a stage cannot do with.
    #[error("toolset `{toolset}` has {has} tools, but stage `{stage}` lists {needs} per request")]
    TooFewTools {
        /// The stage.
        stage: String,
        /// Its kind.
        kind: String,
        /// The toolset.
        toolset: String,
        /// How many tools the stage needs.
        needs: usize,
        /// How many there are.
        has: usize,
    },
    /// A table or a schema.
    #[error("{path}: {message}")]
    File {
        /// Which file.
        path: String,
        /// What is wrong.
        message: String,
    },
}

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
    #[error("invalid record: {0}")]
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
    pub fn broken_off(what: &str, error: &tokio::task::JoinError) -> Self {
        Self::Stop(RunStopped::Store(format!("{what} failed: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_of_a_model_is_one_items_or_everybodys() {
        let text = || "x".to_owned();
        let transport = ChatError::Transport { model: text(), attempts: 1, detail: text() };
        let refused = ChatError::Unscripted { task: crate::llm::Task::Call, item: text(), draw: 0 };
        for (error, reason) in [(transport, "transport"), (refused, "unscripted")] {
            assert!(
                matches!(ItemError::from(error), ItemError::Item { fault, .. } if fault.reason == reason),
                "{reason}"
            );
        }
        let stop = |error: ChatError| match ItemError::from(error) {
            ItemError::Stopped(stop) => stop.to_string(),
            other @ ItemError::Item { .. } => panic!("{other:?}"),
        };
        assert_eq!(stop(ChatError::Budget { detail: "1 USD".to_owned() }), "the budget is spent: 1 USD");
        assert_eq!(stop(ChatError::Interrupted), "interrupted");
        assert!(stop(ChatError::Journal { detail: "disk full".to_owned() }).contains("disk full"));
    }

    #[tokio::test]
    async fn a_panic_elsewhere_is_an_error_here() {
        let error = tokio::spawn(async { panic!("odd") }).await.unwrap_err();
        let message = RunError::broken_off("work on a source item", &error).to_string();
        assert!(message.starts_with("work on a source item failed: ") && message.contains("odd"), "{message}");
    }

    #[test]
    fn what_a_model_says_is_said_as_it_is() {
        assert_eq!(RunError::from(RunStopped::Interrupted).to_string(), "interrupted");
        assert_eq!(RunError::Shards("none".to_owned()).to_string(), "none");
    }
}
