//! Who speaks after whom: every call is answered at once by its tool, every answer is told, and what a tool says is JSON.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::super::super::hash::hash;
use super::Rule;
use crate::record::{Message, Role, Value};
use std::collections::BTreeSet;

/// Tools' answers that were looked at: a dialog repeats them turn by turn.
#[derive(Default)]
pub(super) struct Roles(BTreeSet<u64>);

impl Rule for Roles {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
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
                    findings.warning("tool_json", entry, format!("a tool's answer is no JSON: `{text}`"));
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
            return Some(format!("message {} ({}) does not follow from the one before it", at + 1, name(message)));
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
        return Some("an answer belongs to no call, or to one that was answered before".to_owned());
    }
    (answered.len() < calls).then(|| format!("{} of {calls} calls are answered", answered.len()))
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{dialog, entries};
    use super::super::super::testing::found;
    use super::*;
    use crate::record::Sample;

    fn told(change: impl FnOnce(&mut Sample)) -> Vec<String> {
        let mut last = dialog().remove(3);
        change(&mut last);
        found(Roles::default(), &entries(vec![last]))
    }

    #[test]
    fn a_dialog_goes_to_and_fro() {
        assert_eq!(found(Roles::default(), &entries(dialog())), Vec::<String>::new());
        let silent = told(|sample| drop(sample.messages.remove(1)));
        assert_eq!(silent, ["roles: message 2 (user) does not follow from the one before it"]);
        let untold = told(|sample| drop(sample.messages.remove(5)));
        assert_eq!(untold, ["roles: message 6 (user) does not follow from the one before it"]);
        let strange = told(|sample| sample.messages[1].role = Role::User);
        assert_eq!(strange.len(), 1, "{strange:?}");
    }

    #[test]
    fn every_call_has_its_answer() {
        let lost = told(|sample| sample.messages[4].answers = Some(7));
        assert_eq!(lost, ["roles: an answer belongs to no call, or to one that was answered before"]);
        let double = told(|sample| {
            let call = sample.messages[3].tool_calls[0].clone();
            sample.messages[3].tool_calls.push(call);
        });
        assert_eq!(double, ["roles: 1 of 2 calls are answered"]);
    }

    #[test]
    fn an_answer_that_is_no_json_is_shown_once_for_a_dialog() {
        let mut turns = dialog();
        for turn in turns.iter_mut().skip(2) {
            turn.messages[4].content = Some("{'price': None}".to_owned());
        }
        let told = found(Roles::default(), &entries(turns));
        assert_eq!(told, ["tool_json: a tool's answer is no JSON: `{'price': None}`"]);
    }
}
