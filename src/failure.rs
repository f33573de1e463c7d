//! What keeps an item, or a whole run, from going on.

use crate::gate::Fault;
use crate::llm::ChatError;

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
    #[error("interrupted; batches that go on at the server: {batches}")]
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
}
