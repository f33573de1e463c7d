//! Call decisions hang together: what is declined is a call with one tool exchanged, and what is asked for is what a call with
//! the same tools would take.

use super::super::super::entry::Entry;
use super::super::super::finding::{Finding, Findings, Severity};
use super::super::super::ground::Ground;
use super::Rule;
use super::slots::listed;
use crate::locale::numbers_in;
use crate::record::{Expected, Message, Role, Tool, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The calls, and all that follows from them; decisions are few, and they are all kept.
pub(super) struct Decisions {
    ground: Arc<Ground>,
    is_authors: bool,
    calls: Vec<Entry>,
    rejects: Vec<Entry>,
    slots: Vec<Entry>,
}

impl Decisions {
    pub(super) fn new(ground: Arc<Ground>, is_authors: bool) -> Self {
        Self { ground, is_authors, calls: Vec::new(), rejects: Vec::new(), slots: Vec::new() }
    }

    /// The call that is declined: the base, or the one of the same number.
    fn declined(&self, at: usize, reject: &Entry) -> Option<&Entry> {
        match &reject.sample.base {
            Some(base) => self.calls.iter().find(|call| call.sample.id == *base),
            None => self.calls.get(at).filter(|_| self.calls.len() == self.rejects.len()),
        }
    }

    fn reject(&self, at: usize, reject: &Entry, findings: &mut Findings) {
        let Some(call) = self.declined(at, reject) else {
            findings.error("reject", reject, "there is no call that it declines");
            return;
        };
        let (own, other) = (names(reject), names(call));
        let exchanged = own.difference(&other).count();
        let right = call.call().map_or("", |call| call.name.as_str());
        let is_right = exchanged == 1 && own.len() == other.len() && !own.contains(right);
        findings.tally("REJECT is CALL with its tool exchanged for another", is_right);
        if !is_right {
            let message = format!(
                "{exchanged} tools are others than those of `{}`; expected 1, in place of `{right}`",
                call.sample.id
            );
            findings.error("reject", reject, message);
        }
        if said(reject) != said(call) {
            // Nothing is wrong with other words, but that the two are no pair.
            let message = format!("its words are not those of `{}`", call.sample.id);
            findings.warning("reject_words", reject, message);
        }
    }

    fn slot(&self, slot: &Entry, calls: &[&Entry], findings: &mut Findings) {
        let Some(tool) = calls.first().and_then(|call| call.tool()) else { return };
        let is_some = slot.sample.data_type.0 == "SLOT-some";
        let Expected::Question(missing) = &slot.sample.expected else { return };
        let required = &tool.parameters.required;
        let is_part = missing.iter().all(|name| required.contains(name)) && missing.len() < required.len();
        let is_right = if is_some { is_part } else { missing.len() == required.len() && !is_part };
        if !is_right && !self.is_authors {
            let message = format!("it asks for {} of {}", listed(missing), listed(required));
            findings.error("slot_part", slot, message);
        }
        if !is_some {
            self.gives_nothing(slot, calls, findings);
        } else if !self.is_authors {
            self.gives_numbers(slot, tool, missing, findings);
        }
    }

    /// Whoever gives a quantity says a number.
    fn gives_numbers(&self, slot: &Entry, tool: &Tool, missing: &[String], findings: &mut Findings) {
        let is_number = |name: &String| {
            let parameter = tool.parameters.properties.get(name);
            parameter.is_some_and(|parameter| matches!(parameter.type_name(), "integer" | "number"))
        };
        let mut given = tool.parameters.required.iter().filter(|name| !missing.contains(name) && is_number(name));
        let Some(name) = given.next() else { return };
        let is_said = slot.user_texts().any(|text| {
            text.contains(|letter: char| letter.is_ascii_digit()) || !numbers_in(text, &self.ground.language).is_empty()
        });
        findings.tally("SLOT-some says a number where it gives one", is_said);
        if !is_said {
            findings.error("slot_some", slot, format!("it does not ask for `{name}`, and says no number"));
        }
    }

    /// No text that a call with the same function gives stands in the words.
    fn gives_nothing(&self, slot: &Entry, calls: &[&Entry], findings: &mut Findings) {
        let Some(tool) = calls.first().and_then(|call| call.tool()) else { return };
        let given = calls.iter().filter_map(|call| call.call()).flat_map(|call| &call.arguments);
        let texts = given.filter(|(_, value)| value.as_str().is_some_and(|text| text.chars().count() > 1));
        let stands = |name: &str, value: &Value| {
            slot.user_texts().any(|text| self.ground.says(tool, name, value, text).is_some())
        };
        let known = texts.into_iter().find(|(name, value)| stands(name, value));
        findings.tally("SLOT-all gives nothing", known.is_none());
        if let Some((name, value)) = known {
            let severity = if self.is_authors { Severity::Warning } else { Severity::Error };
            let message = format!("it says {name} = {value}, and should say nothing");
            findings.add(Finding::new("slot_all", severity, &slot.place, slot.sample.id.as_str(), message));
        }
    }
}

impl Rule for Decisions {
    fn see(&mut self, entry: &Entry, _findings: &mut Findings) {
        match entry.sample.data_type.0.as_str() {
            "CALL" => self.calls.push(entry.clone()),
            "REJECT" => self.rejects.push(entry.clone()),
            "SLOT-all" | "SLOT-some" => self.slots.push(entry.clone()),
            _ => {}
        }
    }

    fn end(&mut self, findings: &mut Findings) {
        if !self.calls.is_empty() {
            self.rejects.iter().enumerate().for_each(|(at, reject)| self.reject(at, reject, findings));
        }
        // A list of tools belongs to the calls of one function.
        let (mut by_tools, mut by_name): (BTreeMap<_, &Entry>, BTreeMap<_, Vec<&Entry>>) = Default::default();
        for call in &self.calls {
            by_tools.entry(names(call)).or_insert(call);
            by_name.entry(call.call().map_or("", |call| call.name.as_str())).or_default().push(call);
        }
        for slot in &self.slots {
            let twin = by_tools.get(&names(slot)).and_then(|call| call.call());
            let calls = twin.and_then(|call| by_name.get(call.name.as_str()));
            match calls {
                Some(calls) => self.slot(slot, calls, findings),
                None if self.calls.is_empty() => {}
                None => findings.warning("slot_tools", slot, "no call is offered the same tools"),
            }
        }
    }
}

fn names(entry: &Entry) -> BTreeSet<&str> {
    entry.sample.candidates.iter().map(|tool| tool.name.as_str()).collect()
}

/// What is said, without the instructions.
fn said(entry: &Entry) -> Vec<&Message> {
    entry.sample.messages.iter().filter(|message| message.role != Role::System).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{decision, entries};
    use super::super::super::testing::found;
    use super::*;
    use crate::record::Sample;

    fn told(change: impl FnOnce(&mut [Sample])) -> Vec<String> {
        let mut samples = ["CALL", "REJECT", "SLOT-all", "SLOT-some"].map(decision);
        for sample in &mut samples[2..] {
            sample.candidates = decision("CALL").candidates;
        }
        change(&mut samples);
        found(Decisions::new(Ground::load(crate::fixtures::assets(), "en").unwrap(), false), &entries(samples.to_vec()))
    }

    fn asks(names: &[&str]) -> Expected {
        Expected::Question(names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn what_is_declined_is_a_call_without_its_tool() {
        assert_eq!(told(|_| ()), Vec::<String>::new());
        let twin = told(|samples| samples[1].candidates = samples[0].candidates.clone());
        assert_eq!(
            twin,
            ["reject: 0 tools are others than those of `find_boat/CALL/0`; expected 1, in place of `find_boat`"]
        );
        let words = told(|samples| samples[1].messages[0].content = Some("Boats, please".to_owned()));
        assert_eq!(words, ["reject_words: its words are not those of `find_boat/CALL/0`"]);
        let lone = told(|samples| samples[1].base = Some(crate::record::ItemId::root("nowhere")));
        assert_eq!(lone, ["reject: there is no call that it declines"]);
    }

    #[test]
    fn all_is_asked_for_or_a_part() {
        let part = told(|samples| samples[2].expected = asks(&["pier"]));
        assert_eq!(part, ["slot_part: it asks for `pier` of `pier`, `boats`"]);
        let all = told(|samples| samples[3].expected = asks(&["pier", "boats"]));
        assert_eq!(all, ["slot_part: it asks for `pier`, `boats` of `pier`, `boats`"]);
    }

    #[test]
    fn who_gives_a_quantity_says_a_number() {
        let silent = told(|samples| samples[3].expected = asks(&["pier"]));
        assert_eq!(silent, ["slot_some: it does not ask for `boats`, and says no number"]);
        let said = told(|samples| {
            samples[3].expected = asks(&["pier"]);
            samples[3].messages[0].content = Some("Find two boats".to_owned());
        });
        assert_eq!(said, Vec::<String>::new());
    }

    #[test]
    fn who_gives_nothing_says_no_value() {
        let given = told(|samples| samples[2].messages[0].content = Some("Find boats at Hill".to_owned()));
        assert_eq!(given, ["slot_all: it says pier = \"Hill\", and should say nothing"]);
        let other = told(|samples| drop(samples[2].candidates.pop()));
        assert_eq!(other, ["slot_tools: no call is offered the same tools"]);
    }
}
