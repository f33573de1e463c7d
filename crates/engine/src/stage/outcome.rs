//! What comes of a stage's work: items kept, items rejected, or a reason to stop the run.

use crate::failure::{ItemError, RunStopped};
pub use crate::gate::Fault;
use crate::record::{Item, ItemId, Reject};
use crate::text::Unparsable;

/// What a stage made of its input.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// What goes on.
    pub kept: Vec<Item>,
    /// What was dropped, with reasons.
    pub rejected: Vec<Reject>,
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
        let Fault { reason, detail, .. } = fault;
        let (stage, reason, text) = (stage.to_owned(), reason.to_owned(), text.into());
        let reject = Reject { id: id.clone(), stage, reason, detail, text, mended: None };
        Self { kept: Vec::new(), rejected: vec![reject] }
    }

    /// The item or its failure; a reason to stop is handed up.
    pub fn of(result: Result<Item, ItemError>, id: &ItemId, stage: &str) -> Result<Self, RunStopped> {
        match result {
            Ok(item) => Ok(Self::keep(item)),
            Err(ItemError::Item { fault, text }) => Ok(Self::reject(id, stage, fault, text)),
            Err(ItemError::Stopped(stop)) => Err(stop),
        }
    }
}

impl From<Unparsable> for Fault {
    fn from(unparsable: Unparsable) -> Self {
        Self::new(unparsable.reason, unparsable.detail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::ChatError;

    #[test]
    fn an_items_failure_is_a_reject_and_an_endpoints_a_stop() {
        let id = ItemId::root("a");
        let lost = ChatError::Transport { model: "m".to_owned(), attempts: 3, detail: "timeout".to_owned() };
        let outcome = Outcome::of(Err(lost.into()), &id, "ask").unwrap();
        assert_eq!(outcome.rejected[0].reason, "transport");
        assert_eq!(outcome.rejected[0].detail, "no answer from `m` after 3 attempts: timeout");
        let gone = ChatError::Endpoint { detail: "401".to_owned(), hint: "set a key".to_owned() };
        let stop = Outcome::of(Err(gone.into()), &id, "ask").unwrap_err();
        assert_eq!(stop, RunStopped::Endpoint { detail: "401".to_owned(), hint: "set a key".to_owned() });
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
        assert!(matches!(ItemError::from(fault), ItemError::Item { text, .. } if text.is_empty()));
    }

    #[test]
    fn a_reason_counts_more_than_the_interruption_that_follows_from_it() {
        let spent = || RunStopped::Budget("$1".to_owned());
        assert_eq!(RunStopped::Interrupted.before(spent()), spent());
        assert_eq!(spent().before(RunStopped::Interrupted), spent());
        assert_eq!(spent().before(RunStopped::Store("x".to_owned())), spent());
    }
}
