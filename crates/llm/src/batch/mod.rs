//! Questions that are gathered, sent together, and answered together: by a server's Batch API, or by files.

mod carry;
mod desk;
mod end;
mod folder;
mod gather;
mod offline;
mod online;
mod store;

use super::chat::ChatDeps;
use super::config::ModelConfig;
use super::fault::Fault;
use super::key::Key;
use super::openai::Endpoint;
use super::request::ChatError;
use offline::Offline;
use online::Online;
use serde_json::Value;
use std::sync::Arc;

/// What becomes of a question: the body of a completion, a fault after which it may be asked again, or the end.
pub(super) type Answer = Result<Result<Value, Fault>, ChatError>;

/// The way by which questions are gathered and answered.
pub(super) enum Batches {
    /// A server's files and batches.
    Online(Online),
    /// Files that somebody else answers.
    Offline(Box<Offline>),
}

impl Batches {
    /// The way that the settings name, if they name one. Nothing is sent yet.
    pub(super) fn open(
        config: &ModelConfig,
        endpoint: &Arc<Endpoint>,
        deps: &ChatDeps,
    ) -> Result<Option<Self>, ChatError> {
        match &config.batch_dir {
            Some(folder) => Ok(Some(Self::Offline(Box::new(Offline::open(folder, config)?)))),
            None if config.batch => Ok(Some(Self::Online(Online::open(endpoint, deps)?))),
            None => Ok(None),
        }
    }

    /// Asks with this body, which goes by this key. It is written where it is needed, and not held while it waits.
    pub(super) async fn ask(&self, key: &Key, body: impl Fn() -> Value) -> Answer {
        let line = || folder::write(key, &body());
        match self {
            Self::Online(online) => online.ask(*key, line).await,
            Self::Offline(offline) => offline.ask(*key, line).await,
        }
    }

    /// Waves of questions that are complete.
    pub(super) fn waves(&self) -> u64 {
        match self {
            Self::Online(online) => online.waves(),
            Self::Offline(offline) => offline.waves(),
        }
    }

    /// What people should know after the run.
    pub(super) fn notes(&self) -> Vec<String> {
        match self {
            Self::Online(_) => Vec::new(),
            Self::Offline(offline) => offline.notes(),
        }
    }

    /// So many batches were sent and are not collected.
    pub(super) fn under_way(&self) -> usize {
        match self {
            Self::Online(online) => online.under_way(),
            Self::Offline(_) => 0,
        }
    }
}
