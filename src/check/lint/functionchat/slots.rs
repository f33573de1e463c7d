//! A question asks for all that a call requires and nobody has said, and for no more.

use super::super::super::entry::Entry;
use super::super::super::finding::{Finding, Findings, Severity};
use super::super::super::ground::Ground;
use super::Rule;
use crate::format::functionchat::{Set, TypeOfOutput};
use crate::record::{Expected, Role};
use std::sync::Arc;

/// Questions of a dialog that wait for the call which tells what they should have asked for.
pub(super) struct Slots {
    ground: Arc<Ground>,
    is_authors: bool,
    waiting: Vec<Asked>,
    /// How many messages were there before the request at hand.
    start: usize,
}

/// A question, and where its request began.
struct Asked {
    entry: Entry,
    start: usize,
}

impl Slots {
    pub(super) fn new(ground: Arc<Ground>, is_authors: bool) -> Self {
        Self { ground, is_authors, waiting: Vec::new(), start: 0 }
    }

    /// Required parameters whose right values nobody had said when the question was due.
    fn missing(&self, asked: &Asked, called: &Entry) -> Option<Vec<String>> {
        let (call, tool) = (called.call()?, called.tool()?);
        let said = || {
            // What was said for an earlier call is not said for this one.
            let messages = asked.entry.sample.messages.iter().skip(asked.start);
            messages.filter(|message| message.role == Role::User).filter_map(|message| message.content.as_deref())
        };
        let is_said = |name: &str| {
            let value = call.arguments.get(name)?;
            said().find_map(|text| self.ground.says(tool, name, value, text))
        };
        Some(tool.parameters.required.iter().filter(|name| is_said(name).is_none()).cloned().collect())
    }

    /// Compares every question that waits with the call that it led to.
    fn settle(&mut self, called: &Entry, findings: &mut Findings) {
        for asked in std::mem::take(&mut self.waiting) {
            let Some(missing) = self.missing(&asked, called) else { continue };
            let asked = asked.entry;
            let Expected::Question(named) = &asked.sample.expected else { continue };
            let is_right = if self.is_authors { !missing.is_empty() } else { is_same(named, &missing) };
            findings.tally("questions of dialogs ask for what is missing", is_right);
            if !is_right {
                let asks = if self.is_authors { "something".to_owned() } else { listed(named) };
                let message = format!("it asks for {asks}, and {} is missing", listed(&missing));
                // The authors' values are not always said as they are given.
                let severity = if self.is_authors { Severity::Warning } else { Severity::Error };
                findings.add(Finding::new("slot", severity, &asked.place, asked.sample.id.as_str(), message));
            }
        }
    }
}

impl Rule for Slots {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let conversation = |entry: &Entry| entry.sample.snapshot.as_ref().map(|it| it.conversation.clone());
        let is_dialog = Set::of(&entry.sample.data_type) == Set::Dialog;
        self.waiting.retain(|asked| is_dialog && conversation(&asked.entry) == conversation(entry));
        if entry.turn() == 1 {
            self.start = 0;
        }
        if let (Expected::Question(named), false) = (&entry.sample.expected, self.is_authors) {
            form(entry, named, findings);
        }
        match TypeOfOutput::of(&entry.sample) {
            Some(TypeOfOutput::Slot) if is_dialog => {
                self.waiting.push(Asked { entry: entry.clone(), start: self.start });
                return;
            }
            Some(TypeOfOutput::Call) if is_dialog => self.settle(entry, findings),
            _ => self.waiting.clear(),
        }
        self.start = entry.sample.messages.len();
    }
}

/// A question asks for something, and for parameters that one of the tools requires.
fn form(entry: &Entry, named: &[String], findings: &mut Findings) {
    let requires = |name: &String| {
        entry.sample.candidates.iter().any(|tool| tool.parameters.required.iter().any(|other| other == name))
    };
    if named.is_empty() {
        findings.error("slot", entry, "it asks for nothing");
    }
    if let Some(name) = named.iter().find(|name| !requires(name)) {
        findings.error("slot", entry, format!("it asks for `{name}`, which no tool requires"));
    }
}

fn is_same(one: &[String], other: &[String]) -> bool {
    one.len() == other.len() && one.iter().all(|name| other.contains(name))
}

/// Names in a row.
pub(super) fn listed(names: &[String]) -> String {
    if names.is_empty() {
        return "nothing".to_owned();
    }
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{decision, dialog, entries};
    use super::super::super::testing::found;
    use super::*;
    use crate::record::Sample;

    fn told(is_authors: bool, change: impl FnOnce(&mut Vec<Sample>)) -> Vec<String> {
        let mut turns = dialog();
        change(&mut turns);
        found(Slots::new(Ground::load(crate::fixtures::assets(), "en").unwrap(), is_authors), &entries(turns))
    }

    fn asks(names: &[&str]) -> Expected {
        Expected::Question(names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn a_question_asks_for_what_is_missing() {
        assert_eq!(told(false, |_| ()), Vec::<String>::new());
        let little = told(false, |turns| turns[0].expected = asks(&["pier"]));
        assert_eq!(little, ["slot: it asks for `pier`, and `pier`, `boats` is missing"]);
        let known = told(false, |turns| turns[0].messages[0].content = Some("Find boats at Hill pier".to_owned()));
        assert_eq!(known, ["slot: it asks for `pier`, `boats`, and `boats` is missing"]);
    }

    #[test]
    fn what_was_said_for_another_request_is_not_said_for_this_one() {
        let again = |is_second: bool| {
            let (first, mut second) = (dialog(), dialog());
            let (turn, turns) = if is_second { (4, 8) } else { (0, 4) };
            for sample in &mut second {
                let before =
                    [first[3].messages.clone(), vec![crate::record::Message::new(Role::Assistant, "No.")]].concat();
                sample.messages =
                    if is_second { [before, sample.messages.clone()].concat() } else { sample.messages.clone() };
                let place = sample.snapshot.as_mut().unwrap();
                (place.turn, place.turns) = (place.turn + turn, turns);
            }
            told(false, |all| if is_second { all.extend(second) } else { *all = second })
        };
        assert_eq!((again(true), again(false)), (Vec::new(), Vec::new()));
    }

    #[test]
    fn the_authors_do_not_say_what_is_missing() {
        let known = told(true, |turns| {
            turns[0].expected = asks(&[]);
            turns[0].messages[0].content = Some("Find 2 boats at Hill pier".to_owned());
        });
        assert_eq!(known, ["slot: it asks for something, and nothing is missing"]);
        assert_eq!(told(true, |turns| turns[0].expected = asks(&[])), Vec::<String>::new());
    }

    #[test]
    fn a_question_asks_for_something_that_a_tool_requires() {
        let mut lone = decision("SLOT-all");
        lone.expected = asks(&[]);
        let mut strange = decision("SLOT-some");
        strange.expected = asks(&["covered"]);
        let told = found(
            Slots::new(Ground::load(crate::fixtures::assets(), "en").unwrap(), false),
            &entries(vec![lone, strange]),
        );
        assert_eq!(told, ["slot: it asks for nothing", "slot: it asks for `covered`, which no tool requires"]);
    }
}
