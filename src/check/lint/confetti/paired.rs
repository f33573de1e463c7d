//! Every call of the past has its answer before anything else is said, and every answer its call.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::super::Rule;
use crate::record::{Message, Role};
use std::collections::BTreeSet;

/// Looks at each item by itself.
pub(super) struct Paired;

impl Rule for Paired {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        if let Some(fault) = fault(&entry.sample.messages) {
            findings.error("paired", entry, fault);
        }
    }
}

/// The first thing that is out of its place.
fn fault(messages: &[Message]) -> Option<String> {
    let (mut calls, mut open) = (0, BTreeSet::new());
    for message in messages {
        if message.role == Role::Tool {
            match message.answers {
                None => return Some("a tool answers no call".to_owned()),
                Some(at) if !open.remove(&at) => return Some(format!("a tool answers call {at}, which is not open")),
                Some(_) => continue,
            }
        }
        if let Some(at) = open.first() {
            return Some(format!("call {at} has no answer before more is said"));
        }
        open.extend(calls..calls + message.tool_calls.len());
        calls += message.tool_calls.len();
    }
    open.first().map(|at| format!("call {at} has no answer"))
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::entry;
    use super::super::super::testing::found;
    use super::*;
    use crate::format::confetti::testing::call_item;

    fn told(change: impl Fn(&mut Vec<Message>)) -> Vec<String> {
        let mut sample = call_item("t/0", 2);
        change(&mut sample.messages);
        found(Paired, &[entry(sample)])
    }

    #[test]
    fn calls_and_answers_come_in_pairs() {
        assert_eq!(told(|_| {}), Vec::<String>::new());
        assert_eq!(told(|messages| drop(messages.pop())), ["paired: call 1 has no answer"]);
        assert_eq!(told(|messages| drop(messages.remove(5))), ["paired: call 0 has no answer before more is said"]);
        assert_eq!(
            told(|messages| messages[5].answers = Some(3)),
            ["paired: a tool answers call 3, which is not open"]
        );
        assert_eq!(told(|messages| messages[5].answers = None), ["paired: a tool answers no call"]);
        assert_eq!(told(|messages| drop(messages.remove(4))), ["paired: a tool answers call 0, which is not open"]);
    }

    #[test]
    fn calls_of_one_message_may_be_answered_in_any_order() {
        let both = |messages: &mut Vec<Message>| {
            let call = messages[4].tool_calls[0].clone();
            messages[4].tool_calls.push(call);
            messages.truncate(6);
            let mut second = messages[5].clone();
            (messages[5].answers, second.answers) = (Some(1), Some(0));
            messages.push(second);
        };
        assert_eq!(told(both), Vec::<String>::new());
    }
}
