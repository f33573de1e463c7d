//! Which kind of turn may follow which: a call is told, a question leads to a call in the end, and nothing is told that was
//! not called.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::Rule;
use crate::format::functionchat::TypeOfOutput;
use crate::record::ItemId;

/// The turn before.
#[derive(Default)]
pub(super) struct Grammar(Option<(ItemId, TypeOfOutput)>);

impl Rule for Grammar {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let (Some(snapshot), Some(now)) = (&entry.sample.snapshot, TypeOfOutput::of(&entry.sample)) else {
            self.0 = None;
            return;
        };
        let before = self.0.take().filter(|(conversation, _)| *conversation == snapshot.conversation);
        let before = before.map(|(_, kind)| kind);
        if before.is_some() || snapshot.turn == 1 {
            judge(before, now, entry, findings);
        }
        self.0 = Some((snapshot.conversation.clone(), now));
    }
}

fn judge(before: Option<TypeOfOutput>, now: TypeOfOutput, entry: &Entry, findings: &mut Findings) {
    use TypeOfOutput::{Call, Completion, Relevance, Slot};
    let message = match (before, now) {
        (None, Completion) => "a dialog begins with what a tool answered".to_owned(),
        (None, _) | (Some(Call | Completion), Completion) => return,
        (Some(Call), _) => format!("a {} follows a call; what it answers should be told", now.as_str()),
        (Some(before), Completion) => format!("what a tool answered follows a {}, which called none", before.as_str()),
        (Some(Slot), Relevance) => {
            // The person may well think of something else; the authors' people never do.
            findings.warning("transition", entry, "a question is left open for something else");
            return;
        }
        (Some(_), _) => return,
    };
    findings.error("transition", entry, message);
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{dialog, entries};
    use super::super::super::testing::found;
    use super::*;
    use proptest::prelude::*;

    /// What is said of a dialog with turns of these kinds.
    fn told(kinds: &[TypeOfOutput]) -> Vec<String> {
        let turns = dialog();
        let of = |(at, kind): (usize, &TypeOfOutput)| {
            let mut turn = turns.iter().find(|turn| TypeOfOutput::of(turn) == Some(*kind)).unwrap().clone();
            turn.snapshot.as_mut().unwrap().turn = u32::try_from(at + 1).unwrap();
            turn
        };
        found(Grammar::default(), &entries(kinds.iter().enumerate().map(of).collect()))
    }

    #[test]
    fn a_call_is_told_and_nothing_else_is() {
        use TypeOfOutput::{Call, Completion, Relevance, Slot};
        assert_eq!(told(&[Slot, Slot, Call, Completion, Completion, Relevance, Slot, Call, Completion]), [""; 0]);
        assert_eq!(told(&[Completion]), ["transition: a dialog begins with what a tool answered"]);
        assert_eq!(told(&[Call, Slot]), ["transition: a slot follows a call; what it answers should be told"]);
        assert_eq!(told(&[Slot, Completion]), ["transition: what a tool answered follows a slot, which called none"]);
        assert_eq!(told(&[Slot, Relevance]), ["transition: a question is left open for something else"]);
    }

    proptest! {
        #[test]
        fn a_dialog_is_at_fault_where_a_pair_of_its_turns_is(places in prop::collection::vec(0_usize..4, 1..8)) {
            let kinds: Vec<TypeOfOutput> = places.into_iter().map(|place| TypeOfOutput::ALL[place]).collect();
            let pairs: usize = kinds.windows(2).map(|pair| {
                let with_call_before = told(pair);
                // The pair alone may begin with what a tool answered.
                with_call_before.len() - told(&pair[..1]).len()
            }).sum();
            // Of one message the findings are kept one by one.
            prop_assert_eq!(told(&kinds).len(), pairs + told(&kinds[..1]).len());
        }
    }
}
