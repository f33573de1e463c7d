//! What comes of a stage's work: items kept, items rejected, or a reason to stop the run.

pub use crate::gate::Fault;
use crate::llm::ChatError;
use crate::llm::answer::Unparsable;
use crate::record::{Item, ItemId, Reject};

/// What a stage made of its input.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// What goes on.
    pub kept: Vec<Item>,
    /// What was dropped, with reasons.
    pub rejected: Vec<Reject>,
}

/// Why an item has no result.
#[derive(Debug, Clone, PartialEq)]
pub enum Failure {
    /// This item is lost; the others go on.
    Item {
        /// What is wrong.
        fault: Fault,
        /// The text concerned.
        text: String,
    },
    /// Nothing can go on.
    Stop(Stop),
}

/// Why a run stops before its end.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Stop {
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

impl Stop {
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

impl Outcome {
    /// One item that goes on.
    pub fn keep(item: Item) -> Self {
        Self { kept: vec![item], rejected: Vec::new() }
    }

    /// Adds what came of other work.
    pub fn add(&mut self, other: Self) {
        self.kept.extend(other.kept);
        self.rejected.extend(other.rejected);
    }

    /// One item that is dropped.
    pub fn reject(id: &ItemId, stage: &str, fault: Fault, text: impl Into<String>) -> Self {
        let Fault { reason, detail } = fault;
        let (stage, reason, text) = (stage.to_owned(), reason.to_owned(), text.into());
        let reject = Reject { id: id.clone(), stage, reason, detail, text, mended: None };
        Self { kept: Vec::new(), rejected: vec![reject] }
    }

    /// The item or its failure; a reason to stop is handed up.
    pub fn of(result: Result<Item, Failure>, id: &ItemId, stage: &str) -> Result<Self, Stop> {
        match result {
            Ok(item) => Ok(Self::keep(item)),
            Err(Failure::Item { fault, text }) => Ok(Self::reject(id, stage, fault, text)),
            Err(Failure::Stop(stop)) => Err(stop),
        }
    }
}

impl From<Unparsable> for Fault {
    fn from(unparsable: Unparsable) -> Self {
        Self { reason: unparsable.reason, detail: unparsable.detail }
    }
}

impl Failure {
    /// What is wrong with the item; a reason to stop is handed up.
    pub fn fault(self) -> Result<Fault, Stop> {
        match self {
            Self::Item { fault, .. } => Ok(fault),
            Self::Stop(stop) => Err(stop),
        }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Item { fault, text: String::new() }
    }
}

impl From<ChatError> for Failure {
    fn from(error: ChatError) -> Self {
        let detail = error.to_string();
        match error {
            ChatError::Transport { .. } => Fault::new("transport", detail).into(),
            ChatError::Refused { .. } => Fault::new("refused", detail).into(),
            ChatError::Unscripted { .. } => Fault::new("unscripted", detail).into(),
            ChatError::Endpoint { detail, hint } => Self::Stop(Stop::Endpoint { detail, hint }),
            ChatError::Budget { detail } => Self::Stop(Stop::Budget(detail)),
            ChatError::Journal { .. } => Self::Stop(Stop::Store(detail)),
            ChatError::Interrupted => Self::Stop(Stop::Interrupted),
            ChatError::Submitted { batches } => Self::Stop(Stop::Submitted { batches }),
            ChatError::Waiting { detail, hint } => Self::Stop(Stop::Waiting { detail, hint }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_items_failure_is_a_reject_and_an_endpoints_a_stop() {
        let id = ItemId::root("a");
        let lost = ChatError::Transport { model: "m".to_owned(), attempts: 3, detail: "timeout".to_owned() };
        let outcome = Outcome::of(Err(lost.into()), &id, "ask").unwrap();
        assert_eq!(outcome.rejected[0].reason, "transport");
        assert_eq!(outcome.rejected[0].detail, "no answer from `m` after 3 attempts: timeout");
        let gone = ChatError::Endpoint { detail: "401".to_owned(), hint: "set a key".to_owned() };
        let stop = Outcome::of(Err(gone.into()), &id, "ask").unwrap_err();
        assert_eq!(stop, Stop::Endpoint { detail: "401".to_owned(), hint: "set a key".to_owned() });
    }

    #[test]
    fn every_failure_of_a_model_is_one_items_or_everybodys() {
        let text = || "x".to_owned();
        let transport = ChatError::Transport { model: text(), attempts: 1, detail: text() };
        let refused = ChatError::Unscripted { task: crate::llm::Task::Call, item: text(), draw: 0 };
        for (error, reason) in [(transport, "transport"), (refused, "unscripted")] {
            assert!(matches!(Failure::from(error), Failure::Item { fault, .. } if fault.reason == reason), "{reason}");
        }
        let stop = |error: ChatError| match Failure::from(error) {
            Failure::Stop(stop) => stop.to_string(),
            other @ Failure::Item { .. } => panic!("{other:?}"),
        };
        assert_eq!(stop(ChatError::Budget { detail: "1 USD".to_owned() }), "the budget is spent: 1 USD");
        assert_eq!(stop(ChatError::Interrupted), "interrupted");
        assert!(stop(ChatError::Journal { detail: "disk full".to_owned() }).contains("disk full"));
    }

    #[test]
    fn a_reject_says_where_and_why() {
        let id = ItemId::root("a").child("ask", 2);
        let outcome = Outcome::reject(&id, "gate", Fault::new("bad", "it is bad"), "the text");
        let reject = &outcome.rejected[0];
        assert_eq!((reject.id.as_str(), reject.stage.as_str(), reject.reason.as_str()), ("a/ask/2", "gate", "bad"));
        assert_eq!((reject.detail.as_str(), reject.text.as_str()), ("it is bad", "the text"));
        assert!(outcome.kept.is_empty());
    }

    #[test]
    fn what_cannot_be_parsed_is_a_fault_by_the_same_name() {
        let fault = Fault::from(crate::llm::tasks::read_written("").unwrap_err());
        assert_eq!(fault.reason, "no_query");
        assert!(matches!(Failure::from(fault), Failure::Item { text, .. } if text.is_empty()));
    }

    #[test]
    fn a_reason_counts_more_than_the_interruption_that_follows_from_it() {
        let spent = || Stop::Budget("$1".to_owned());
        assert_eq!(Stop::Interrupted.before(spent()), spent());
        assert_eq!(spent().before(Stop::Interrupted), spent());
        assert_eq!(spent().before(Stop::Store("x".to_owned())), spent());
    }
}
