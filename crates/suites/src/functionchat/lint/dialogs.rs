//! Rules for the turns of dialogs: who speaks after whom, what was said before, and which kind of turn may follow which.

use crate::functionchat::layout::{TypeOfOutput, gold_text};
use crate::lint::entry::Entry;
use crate::lint::finding::Findings;
use crate::lint::hash::hash;
use crate::lint::{Context, Rule};
use crate::record::{Expected, FunctionCall, ItemId, Message, Role, Value};
use std::collections::BTreeSet;

/// Tools' answers that were looked at: a dialog repeats them turn by turn.
#[derive(Default)]
pub(super) struct Roles(BTreeSet<u64>);

impl Rule for Roles {
    fn see(&mut self, _: &Context, entry: &Entry, findings: &mut Findings) {
        let messages: Vec<&Message> =
            entry.sample.messages.iter().skip_while(|message| message.role == Role::System).collect();
        if let Some(fault) = order_fault(&messages).or_else(|| answer_fault(&messages)) {
            findings.error("roles", entry, fault);
        }
        let conversation = entry.sample.snapshot.as_ref().map(|snapshot| snapshot.conversation.as_str());
        let group = conversation.unwrap_or(entry.sample.id.as_str());
        for (at, message) in messages.iter().enumerate().filter(|(_, message)| message.role == Role::Tool) {
            let text = message.content.as_deref().unwrap_or_default();
            if self.0.insert(hash(&[group, &at.to_string(), text])) {
                let is_json = Value::read(text).is_ok();
                findings.tally("what tools answer is JSON", is_json);
                if !is_json {
                    findings.warning("tool_json", entry, format!("tool answer is not JSON: `{text}`"));
                }
            }
        }
    }
}

/// The first message that does not follow from the one before it.
fn order_fault(messages: &[&Message]) -> Option<String> {
    let mut before: Option<&Message> = None;
    for (at, message) in messages.iter().enumerate() {
        let calls = |message: &Message| !message.tool_calls.is_empty();
        let fits = match (before.map(|before| (before.role, calls(before))), message.role) {
            (None, role) => role == Role::User,
            (Some((Role::User, _)), role) => role == Role::Assistant,
            (Some((Role::Assistant, true)), role) => role == Role::Tool,
            (Some((Role::Assistant, false)), role) => role == Role::User,
            (Some((Role::Tool, _)), Role::Assistant) => !calls(message),
            (Some((Role::Tool, _)), role) => role == Role::Tool,
            (Some((Role::System, _)), _) => false,
        };
        if !fits {
            return Some(format!("message {} ({}) cannot follow the message before it", at + 1, name(message)));
        }
        before = Some(message);
    }
    None
}

fn name(message: &Message) -> &'static str {
    match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant if !message.tool_calls.is_empty() => "call",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    }
}

/// A call without its answer, or an answer without its call.
fn answer_fault(messages: &[&Message]) -> Option<String> {
    let calls: usize = messages.iter().map(|message| message.tool_calls.len()).sum();
    let answers: Vec<Option<usize>> =
        messages.iter().filter(|message| message.role == Role::Tool).map(|message| message.answers).collect();
    let answered: BTreeSet<usize> = answers.iter().copied().flatten().filter(|at| *at < calls).collect();
    if answered.len() < answers.len() {
        return Some("an answer without a call, or for a call that was already answered".to_owned());
    }
    (answered.len() < calls).then(|| format!("only {} of {calls} calls are answered", answered.len()))
}

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
    fn see(&mut self, _: &Context, entry: &Entry, findings: &mut Findings) {
        let Some(snapshot) = entry.sample.snapshot.as_ref() else {
            self.0 = None;
            return;
        };
        let before = self.0.take().filter(|turn| turn.conversation == snapshot.conversation);
        let expected = before.as_ref().map_or(1, |turn| turn.number + 1);
        if snapshot.turn != expected {
            findings.error("turns", entry, format!("turn {} where turn {expected} is expected", snapshot.turn));
        } else if let Some(fault) = before.as_ref().and_then(|turn| turn.fault(entry)) {
            findings.error("history", entry, fault);
        }
        if snapshot.turn == snapshot.turns && matches!(entry.sample.expected, Expected::Call(_)) {
            findings.error("turns", entry, "the dialog ends with a call without a closing answer");
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
            return Some("tools differ from those of the previous turn".to_owned());
        }
        if now.len() <= self.messages.len() {
            return Some("no new message since the previous turn".to_owned());
        }
        let at = self.messages.iter().zip(now).position(|pair| differs(&pair))?;
        let (before, now) = (shown(&self.messages[at]), shown(&now[at]));
        let what = if at + 1 == self.messages.len() {
            "the expected answer of the previous turn"
        } else {
            "the previous message"
        };
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
        let same =
            |(name, value): (&String, &Value)| other.arguments.get(name).is_some_and(|other| other.equals(value));
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

/// The turn before.
#[derive(Default)]
pub(super) struct Grammar(Option<(ItemId, TypeOfOutput)>);

impl Rule for Grammar {
    fn see(&mut self, _: &Context, entry: &Entry, findings: &mut Findings) {
        let (Some(snapshot), Some(now)) = (&entry.sample.snapshot, TypeOfOutput::of(&entry.sample)) else {
            self.0 = None;
            return;
        };
        let before = self.0.take().filter(|(conversation, _)| *conversation == snapshot.conversation);
        let before = before.map(|(_, kind)| kind);
        if before.is_some() || snapshot.turn == 1 {
            follows(before, now, entry, findings);
        }
        self.0 = Some((snapshot.conversation.clone(), now));
    }
}

fn follows(before: Option<TypeOfOutput>, now: TypeOfOutput, entry: &Entry, findings: &mut Findings) {
    use TypeOfOutput::{Call, Completion, Relevance, Slot};
    let message = match (before, now) {
        (None, Completion) => "a dialog begins with a completion".to_owned(),
        (None, _) | (Some(Call | Completion), Completion) => return,
        (Some(Call), _) => format!("a {} follows a call; expected a completion", now.as_str()),
        (Some(before), Completion) => format!("a completion follows a {}, which made no call", before.as_str()),
        (Some(Slot), Relevance) => {
            // The person may well think of something else; the authors' people never do.
            findings.warning("transition", entry, "a question is left unanswered");
            return;
        }
        (Some(_), _) => return,
    };
    findings.error("transition", entry, message);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::found;
    pub(crate) use crate::lint::testing::{dialog, entries};
    use crate::record::Sample;
    use proptest::prelude::*;

    mod roles {
        use super::*;

        fn told(change: impl FnOnce(&mut Sample)) -> Vec<String> {
            let mut last = dialog().remove(3);
            change(&mut last);
            found(Roles::default(), &entries(vec![last]))
        }

        #[test]
        fn a_dialog_goes_to_and_fro() {
            assert_eq!(found(Roles::default(), &entries(dialog())), Vec::<String>::new());
            let silent = told(|sample| drop(sample.messages.remove(1)));
            assert_eq!(silent, ["roles: message 2 (user) cannot follow the message before it"]);
            let untold = told(|sample| drop(sample.messages.remove(5)));
            assert_eq!(untold, ["roles: message 6 (user) cannot follow the message before it"]);
            let strange = told(|sample| sample.messages[1].role = Role::User);
            assert_eq!(strange.len(), 1, "{strange:?}");
        }

        #[test]
        fn every_call_has_its_answer() {
            let lost = told(|sample| sample.messages[4].answers = Some(7));
            assert_eq!(lost, ["roles: an answer without a call, or for a call that was already answered"]);
            let double = told(|sample| {
                let call = sample.messages[3].tool_calls[0].clone();
                sample.messages[3].tool_calls.push(call);
            });
            assert_eq!(double, ["roles: only 1 of 2 calls are answered"]);
        }

        #[test]
        fn an_answer_that_is_no_json_is_shown_once_for_a_dialog() {
            let mut turns = dialog();
            for turn in turns.iter_mut().skip(2) {
                turn.messages[4].content = Some("{'price': None}".to_owned());
            }
            let told = found(Roles::default(), &entries(turns));
            assert_eq!(told, ["tool_json: tool answer is not JSON: `{'price': None}`"]);
        }
    }

    mod history {
        use super::*;

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
                    "history: message 6 is `That comes to 1,300.`; the expected answer of the previous turn is `That comes to 1,200.`"
                ]
            );
            let called = told(|turns| {
                turns[2].messages[3].tool_calls[0].arguments.insert("boats".to_owned(), 3.into());
            });
            assert!(called[0].contains("\"boats\":3") && called.len() == 2, "{called:?}");
        }

        #[test]
        fn turns_are_counted_and_share_their_tools() {
            assert_eq!(told(|turns| drop(turns.remove(1))), ["turns: turn 3 where turn 2 is expected"]);
            let other = told(|turns| drop(turns[3].candidates.pop()));
            assert_eq!(other, ["history: tools differ from those of the previous turn"]);
            let short = told(|turns| turns.truncate(2));
            assert_eq!(short, Vec::<String>::new(), "how many turns there are is the dialog's own word");
        }

        #[test]
        fn a_call_is_no_end() {
            let ended = told(|turns| {
                turns.truncate(2);
                turns[1].snapshot.as_mut().unwrap().turns = 2;
            });
            assert_eq!(ended, ["turns: the dialog ends with a call without a closing answer"]);
        }
    }

    mod grammar {
        use super::*;

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
            assert_eq!(told(&[Completion]), ["transition: a dialog begins with a completion"]);
            assert_eq!(told(&[Call, Slot]), ["transition: a slot follows a call; expected a completion"]);
            assert_eq!(told(&[Slot, Completion]), ["transition: a completion follows a slot, which made no call"]);
            assert_eq!(told(&[Slot, Relevance]), ["transition: a question is left unanswered"]);
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
}
