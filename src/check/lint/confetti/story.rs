//! The items of a conversation tell one story: what each shows is how the conversation begins, what is right is how it goes
//! on, nothing later is shown, and every call is an item.

use super::super::super::entry::{Entry, Place};
use super::super::super::finding::{Finding, Findings, Severity};
use super::super::super::hash::hash;
use super::super::Rule;
use super::acts::calls;
use crate::format::confetti::TURN_TEXT_FACT;
use crate::record::{Expected, FunctionCall, ItemId, Message, Role};
use crate::score::confetti::Act;
use std::collections::{BTreeMap, BTreeSet};

/// What is known of every conversation: hashes of what happens in it.
#[derive(Default)]
pub(super) struct Story(BTreeMap<ItemId, Told>);

/// One conversation.
struct Told {
    /// What happens, as far as any item shows.
    events: Vec<u64>,
    /// How many calls that is.
    calls: usize,
    /// The calls that are items, by their place.
    items: BTreeSet<usize>,
    /// The first item.
    place: Place,
    id: ItemId,
}

impl Rule for Story {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let sample = &entry.sample;
        // Without the questions there is nothing to compare.
        let Some(snapshot) = sample.snapshot.as_ref().filter(|_| !sample.messages.is_empty()) else { return };
        if let Some(fault) = later(&sample.messages, snapshot.turn) {
            findings.error("leak", entry, fault);
        }
        let told = self.0.entry(snapshot.conversation.clone()).or_insert_with(|| Told {
            events: Vec::new(),
            calls: 0,
            items: BTreeSet::new(),
            place: entry.place.clone(),
            id: sample.id.clone(),
        });
        let before: usize = sample.messages.iter().map(|message| message.tool_calls.len()).sum();
        told.calls = told.calls.max(before + usize::from(entry.call().is_some()));
        if entry.call().is_some() && !told.items.insert(before) {
            findings.error("items", entry, format!("call {before} of the conversation is an item already"));
        }
        if let Some(fault) = told.follow(entry) {
            findings.error("prefix", entry, fault);
        }
    }

    fn end(&mut self, findings: &mut Findings) {
        for told in self.0.values().filter(|told| !told.items.is_empty()) {
            if let Some(missing) = (0..told.calls).find(|at| !told.items.contains(at)) {
                let message = format!("{} calls, and call {missing} is no item", told.calls);
                findings.add(Finding::new("items", Severity::Error, &told.place, told.id.as_str(), message));
            }
        }
    }
}

impl Told {
    /// Compares what an item shows with what is known, and learns the rest.
    fn follow(&mut self, entry: &Entry) -> Option<String> {
        let mut events: Vec<u64> = entry.sample.messages.iter().flat_map(happening).collect();
        let shown = events.len();
        events.extend(output(entry));
        if let Some(at) = events.iter().zip(&self.events).position(|(one, other)| one != other) {
            return Some(if at < shown {
                format!("event {at} is not what another item of the conversation shows")
            } else {
                "what is right is not what the conversation goes on with".to_owned()
            });
        }
        if events.len() > self.events.len() {
            self.events = events;
        }
        None
    }
}

/// What is shown that comes later than the turn, or is missing before it.
fn later(messages: &[Message], turn: u32) -> Option<String> {
    let last = messages.last()?;
    if !matches!(last.role, Role::User | Role::Tool) {
        return Some("the last message is the agent's own".to_owned());
    }
    let speakers = messages.iter().map(|message| message.role).filter(|role| *role != Role::System);
    let mut turns = 0;
    let mut before = None;
    for role in speakers {
        turns += u32::from(role == Role::User && before != Some(Role::User));
        before = Some(role);
    }
    (turns != turn).then(|| format!("the user has spoken {turns} times, and it is the agent's turn {turn}"))
}

/// What happens in a message.
fn happening(message: &Message) -> Vec<u64> {
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    let said = message.content.iter().filter(|text| !text.is_empty()).map(|text| hash(&[role, text]));
    said.chain(message.tool_calls.iter().map(called)).collect()
}

fn called(call: &FunctionCall) -> u64 {
    hash(&["call", &call.name, &serde_json::to_string(&call.arguments).unwrap_or_default()])
}

/// The first thing that the agent is to do, where it is known.
fn output(entry: &Entry) -> Option<u64> {
    let Expected::Acts(labels) = &entry.sample.expected else { return entry.call().map(called) };
    let does_call = labels.iter().any(|label| Act::of(label) == Some(Act::FunctionCalling));
    if let Some(call) = calls(entry).unwrap_or_default().first().filter(|_| does_call) {
        return Some(called(call));
    }
    let said = entry.sample.provenance.facts.get(TURN_TEXT_FACT).filter(|text| !text.is_empty());
    said.filter(|_| !does_call).map(|text| hash(&["assistant", text]))
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::entry;
    use super::super::super::testing::found;
    use super::*;
    use crate::format::confetti::testing::{act_item, call_item};
    use crate::record::Sample;

    fn told(samples: impl IntoIterator<Item = Sample>) -> Vec<String> {
        let entries: Vec<Entry> = samples.into_iter().map(entry).collect();
        found(Story::default(), &entries)
    }

    /// The whole turn, before its first call.
    fn turn() -> Sample {
        let mut turn = act_item("t/9", &["agent_function_calling", "agent_inform_user"]);
        turn.messages.truncate(4);
        turn
    }

    /// The words of the turn as an item of its own.
    fn words() -> Sample {
        let mut words = act_item("t/8", &["agent_inform_user"]);
        words.messages = call_item("t/0", 2).messages;
        words
    }

    #[test]
    fn items_in_any_order_tell_one_story() {
        let calls = [call_item("t/0", 0), call_item("t/1", 1)];
        assert_eq!(told(calls.clone().into_iter().chain([turn(), words()])), Vec::<String>::new());
        assert_eq!(told([words(), turn()].into_iter().chain(calls.into_iter().rev())), Vec::<String>::new());
    }

    #[test]
    fn another_past_or_another_way_on_is_told() {
        let mut other = call_item("t/1", 1);
        other.messages[2] = Message::new(Role::Assistant, "How many?");
        assert!(told([call_item("t/0", 0), other])[0].starts_with("prefix: event 2 is not what"));
        let mut wrong = call_item("t/0", 0);
        let Expected::Call(call) = &mut wrong.expected else { panic!("a call") };
        call.name = "Mail_send_mail".to_owned();
        assert_eq!(
            told([call_item("t/1", 1), wrong.clone()]),
            ["prefix: what is right is not what the conversation goes on with"]
        );
        assert_eq!(told([turn(), wrong]).len(), 1);
    }

    #[test]
    fn what_comes_later_is_not_shown() {
        let mut late = call_item("t/0", 0);
        late.messages.extend([Message::new(Role::Assistant, "Done."), Message::user("Thanks")]);
        assert_eq!(told([late.clone()])[0], "leak: the user has spoken 3 times, and it is the agent's turn 2");
        late.messages.pop();
        assert_eq!(told([late])[0], "leak: the last message is the agent's own");
    }

    #[test]
    fn every_call_is_one_item() {
        assert_eq!(told([call_item("t/1", 1)]), ["items: 2 calls, and call 0 is no item"]);
        assert_eq!(told([call_item("t/0", 0), words()]), ["items: 2 calls, and call 1 is no item"]);
        assert_eq!(
            told([call_item("t/0", 0), call_item("t/1", 0)]),
            ["items: call 0 of the conversation is an item already"]
        );
    }
}
