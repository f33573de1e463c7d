//! What was said before a turn of a dialog is what was said before the turn before it, the right answer to that one, and what
//! came of it.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::Rule;
use crate::format::functionchat::gold_text;
use crate::record::{Expected, FunctionCall, ItemId, Message, Role};

/// The turn before.
#[derive(Default)]
pub(super) struct History(Option<Turn>);

struct Turn {
    conversation: ItemId,
    number: u32,
    /// All that was said up to it, and what is right there.
    messages: Vec<Message>,
    tools: Vec<String>,
}

impl Rule for History {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let Some(snapshot) = entry.sample.snapshot.as_ref() else {
            self.0 = None;
            return;
        };
        let before = self.0.take().filter(|turn| turn.conversation == snapshot.conversation);
        let expected = before.as_ref().map_or(1, |turn| turn.number + 1);
        if snapshot.turn != expected {
            findings.error("turns", entry, format!("it is turn {} where {expected} is due", snapshot.turn));
        } else if let Some(fault) = before.as_ref().and_then(|turn| turn.fault(entry)) {
            findings.error("history", entry, fault);
        }
        if snapshot.turn == snapshot.turns && matches!(entry.sample.expected, Expected::Call(_)) {
            findings.error("turns", entry, "the dialog ends with a call, and nobody tells what it answers");
        }
        let messages = [entry.sample.messages.as_slice(), &[right(entry)]].concat();
        let (conversation, number) = (snapshot.conversation.clone(), snapshot.turn);
        self.0 = Some(Turn { conversation, number, messages, tools: names(entry) });
    }
}

impl Turn {
    fn fault(&self, entry: &Entry) -> Option<String> {
        let now = &entry.sample.messages;
        let differs = |(before, now): &(&Message, &Message)| !is_same(before, now);
        if names(entry) != self.tools {
            return Some("its tools are not those of the turn before".to_owned());
        }
        if now.len() <= self.messages.len() {
            return Some("nothing was said since the turn before".to_owned());
        }
        let at = self.messages.iter().zip(now).position(|pair| differs(&pair))?;
        let (before, now) = (shown(&self.messages[at]), shown(&now[at]));
        let what = if at + 1 == self.messages.len() { "the right answer to the turn before" } else { "what was said" };
        Some(format!("message {} is `{now}`; {what} is `{before}`", at + 1))
    }
}

fn names(entry: &Entry) -> Vec<String> {
    entry.sample.candidates.iter().map(|tool| tool.name.clone()).collect()
}

/// What is right at a turn, as a message.
fn right(entry: &Entry) -> Message {
    match &entry.sample.expected {
        Expected::Call(call) => {
            Message { content: None, tool_calls: vec![call.clone()], ..Message::new(Role::Assistant, "") }
        }
        _ => Message::new(Role::Assistant, gold_text(&entry.sample)),
    }
}

/// Whether two messages say the same: values go by what they are, and words that are not there are empty ones.
fn is_same(one: &Message, other: &Message) -> bool {
    let words = |message: &Message| message.content.clone().unwrap_or_default();
    let equal = |(one, other): (&FunctionCall, &FunctionCall)| {
        let same = |(name, value): (&String, &crate::record::Value)| {
            other.arguments.get(name).is_some_and(|other| other.equals(value))
        };
        one.name == other.name && one.arguments.len() == other.arguments.len() && one.arguments.iter().all(same)
    };
    one.role == other.role
        && words(one) == words(other)
        && one.tool_calls.len() == other.tool_calls.len()
        && one.tool_calls.iter().zip(&other.tool_calls).all(equal)
}

fn shown(message: &Message) -> String {
    let calls = || serde_json::to_string(&message.tool_calls).unwrap_or_default();
    message.content.clone().filter(|_| message.tool_calls.is_empty()).unwrap_or_else(calls)
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{dialog, entries};
    use super::super::super::testing::found;
    use super::*;
    use crate::record::Sample;

    fn told(change: impl FnOnce(&mut Vec<Sample>)) -> Vec<String> {
        let mut turns = dialog();
        change(&mut turns);
        found(History::default(), &entries(turns))
    }

    #[test]
    fn a_turn_follows_from_the_one_before() {
        assert_eq!(told(|_| ()), Vec::<String>::new());
        let said = told(|turns| turns[3].messages[5].content = Some("That comes to 1,300.".to_owned()));
        assert_eq!(
            said,
            [
                "history: message 6 is `That comes to 1,300.`; the right answer to the turn before is `That comes to 1,200.`"
            ]
        );
        let called = told(|turns| {
            turns[2].messages[3].tool_calls[0].arguments.insert("boats".to_owned(), 3.into());
        });
        assert!(called[0].contains("\"boats\":3") && called.len() == 2, "{called:?}");
    }

    #[test]
    fn turns_are_counted_and_share_their_tools() {
        assert_eq!(told(|turns| drop(turns.remove(1))), ["turns: it is turn 3 where 2 is due"]);
        let other = told(|turns| drop(turns[3].candidates.pop()));
        assert_eq!(other, ["history: its tools are not those of the turn before"]);
        let short = told(|turns| turns.truncate(2));
        assert_eq!(short, Vec::<String>::new(), "how many turns there are is the dialog's own word");
    }

    #[test]
    fn a_call_is_no_end() {
        let ended = told(|turns| {
            turns.truncate(2);
            turns[1].snapshot.as_mut().unwrap().turns = 2;
        });
        assert_eq!(ended, ["turns: the dialog ends with a call, and nobody tells what it answers"]);
    }
}
