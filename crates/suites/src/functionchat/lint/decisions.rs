//! Rules for questions and call decisions: what is asked for is missing, and what is declined is a call with one tool exchanged.

use crate::functionchat::layout::{Set, TypeOfOutput};
use crate::lint::entry::Entry;
use crate::lint::finding::Findings;
use crate::lint::{Context, Rule};
use crate::locale::numbers_in;
use crate::record::{Expected, Message, Role, Tool, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Questions of a dialog that wait for the call which tells what they should have asked for.
#[derive(Default)]
pub(super) struct Slots {
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
    /// Compares every question that waits with the call that it led to.
    fn settle(&mut self, context: &Context, called: &Entry, findings: &mut Findings) {
        for asked in std::mem::take(&mut self.waiting) {
            let Some(missing) = missing(context, &asked, called) else { continue };
            let asked = asked.entry;
            let Expected::Question(named) = &asked.sample.expected else { continue };
            let is_right = if context.is_authors { !missing.is_empty() } else { is_same(named, &missing) };
            findings.tally("questions of dialogs ask for what is missing", is_right);
            if !is_right {
                let asks = if context.is_authors { "something".to_owned() } else { listed(named) };
                let message = format!("it asks for {asks}, but {} is missing", listed(&missing));
                // The authors' values are not always said as they are given.
                context.put(findings, "slot", &asked, message);
            }
        }
    }
}

impl Rule for Slots {
    fn see(&mut self, context: &Context, entry: &Entry, findings: &mut Findings) {
        let conversation = |entry: &Entry| entry.sample.snapshot.as_ref().map(|it| it.conversation.clone());
        let is_dialog = Set::of(&entry.sample.data_type) == Set::Dialog;
        self.waiting.retain(|asked| is_dialog && conversation(&asked.entry) == conversation(entry));
        if entry.turn() == 1 {
            self.start = 0;
        }
        if let (Expected::Question(named), false) = (&entry.sample.expected, context.is_authors) {
            form(entry, named, findings);
        }
        match TypeOfOutput::of(&entry.sample) {
            Some(TypeOfOutput::Slot) if is_dialog => {
                self.waiting.push(Asked { entry: entry.clone(), start: self.start });
                return;
            }
            Some(TypeOfOutput::Call) if is_dialog => self.settle(context, entry, findings),
            _ => self.waiting.clear(),
        }
        self.start = entry.sample.messages.len();
    }
}

/// Required parameters whose right values nobody had said when the question was due.
fn missing(context: &Context, asked: &Asked, called: &Entry) -> Option<Vec<String>> {
    let (call, tool) = (called.call()?, called.tool()?);
    let said = || {
        // What was said for an earlier call is not said for this one.
        let messages = asked.entry.sample.messages.iter().skip(asked.start);
        messages.filter(|message| message.role == Role::User).filter_map(|message| message.content.as_deref())
    };
    let is_said = |name: &str| {
        let value = call.arguments.get(name)?;
        said().find_map(|text| context.ground.says(tool, name, value, text))
    };
    Some(tool.parameters.required.iter().filter(|name| is_said(name).is_none()).cloned().collect())
}

/// A question asks for something, and for parameters that one of the tools requires.
fn form(entry: &Entry, named: &[String], findings: &mut Findings) {
    let requires = |name: &String| {
        entry.sample.candidates.iter().any(|tool| tool.parameters.required.iter().any(|other| other == name))
    };
    if named.is_empty() {
        findings.error("slot", entry, "it does not ask for any parameter");
    }
    if let Some(name) = named.iter().find(|name| !requires(name)) {
        findings.error("slot", entry, format!("it asks for `{name}`, which no tool requires"));
    }
}

fn is_same(one: &[String], other: &[String]) -> bool {
    one.len() == other.len() && one.iter().all(|name| other.contains(name))
}

/// Names in a row.
fn listed(names: &[String]) -> String {
    if names.is_empty() {
        return "nothing".to_owned();
    }
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The calls, and all that follows from them; decisions are few, and they are all kept.
#[derive(Default)]
pub(super) struct Decisions {
    calls: Vec<Entry>,
    rejects: Vec<Entry>,
    slots: Vec<Entry>,
}

impl Decisions {
    /// The call that is declined: the base, or the one of the same number.
    fn declined(&self, at: usize, reject: &Entry) -> Option<&Entry> {
        match &reject.sample.base {
            Some(base) => self.calls.iter().find(|call| call.sample.id == *base),
            None => self.calls.get(at).filter(|_| self.calls.len() == self.rejects.len()),
        }
    }

    fn reject(&self, at: usize, reject: &Entry, findings: &mut Findings) {
        let Some(call) = self.declined(at, reject) else {
            findings.error("reject", reject, "no matching CALL sample");
            return;
        };
        let (own, other) = (names(reject), names(call));
        let exchanged = own.difference(&other).count();
        let right = call.call().map_or("", |call| call.name.as_str());
        let is_right = exchanged == 1 && own.len() == other.len() && !own.contains(right);
        findings.tally("REJECT is CALL with its tool exchanged for another", is_right);
        if !is_right {
            let message = format!(
                "{exchanged} tools differ from those of `{}`; expected 1, in place of `{right}`",
                call.sample.id
            );
            findings.error("reject", reject, message);
        }
        if said(reject) != said(call) {
            // Nothing is wrong with other words, but that the two are no pair.
            let message = format!("text differs from that of `{}`", call.sample.id);
            findings.warning("reject_words", reject, message);
        }
    }
}

impl Rule for Decisions {
    fn see(&mut self, _: &Context, entry: &Entry, _findings: &mut Findings) {
        match entry.sample.data_type.0.as_str() {
            "CALL" => self.calls.push(entry.clone()),
            "REJECT" => self.rejects.push(entry.clone()),
            "SLOT-all" | "SLOT-some" => self.slots.push(entry.clone()),
            _ => {}
        }
    }

    fn end(&mut self, context: &Context, findings: &mut Findings) {
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
                Some(calls) => slot_asks(context, slot, calls, findings),
                None if self.calls.is_empty() => {}
                None => findings.warning("slot_tools", slot, "no CALL sample lists the same tools"),
            }
        }
    }
}

fn slot_asks(context: &Context, slot: &Entry, calls: &[&Entry], findings: &mut Findings) {
    let Some(tool) = calls.first().and_then(|call| call.tool()) else { return };
    let is_some = slot.sample.data_type.0 == "SLOT-some";
    let Expected::Question(missing) = &slot.sample.expected else { return };
    let required = &tool.parameters.required;
    let is_part = missing.iter().all(|name| required.contains(name)) && missing.len() < required.len();
    let is_right = if is_some { is_part } else { missing.len() == required.len() && !is_part };
    if !is_right && !context.is_authors {
        let message = format!("it asks for {} of {}", listed(missing), listed(required));
        findings.error("slot_part", slot, message);
    }
    if !is_some {
        gives_nothing(context, slot, calls, findings);
    } else if !context.is_authors {
        gives_numbers(context, slot, tool, missing, findings);
    }
}

/// Whoever gives a quantity says a number.
fn gives_numbers(context: &Context, slot: &Entry, tool: &Tool, missing: &[String], findings: &mut Findings) {
    let is_number = |name: &String| {
        let parameter = tool.parameters.properties.get(name);
        parameter.is_some_and(|parameter| matches!(parameter.type_name(), "integer" | "number"))
    };
    let mut given = tool.parameters.required.iter().filter(|name| !missing.contains(name) && is_number(name));
    let Some(name) = given.next() else { return };
    let is_said = slot.user_texts().any(|text| {
        text.contains(|letter: char| letter.is_ascii_digit()) || !numbers_in(text, &context.ground.language).is_empty()
    });
    findings.tally("SLOT-some says a number where it gives one", is_said);
    if !is_said {
        findings.error("slot_some", slot, format!("it does not ask for `{name}` and states no number"));
    }
}

/// No text that a call with the same function gives stands in the words.
fn gives_nothing(context: &Context, slot: &Entry, calls: &[&Entry], findings: &mut Findings) {
    let Some(tool) = calls.first().and_then(|call| call.tool()) else { return };
    let given = calls.iter().filter_map(|call| call.call()).flat_map(|call| &call.arguments);
    let texts = given.filter(|(_, value)| value.as_str().is_some_and(|text| text.chars().count() > 1));
    let stands = |name: &str, value: &Value| {
        slot.user_texts().any(|text| context.ground.says(tool, name, value, text).is_some())
    };
    let known = texts.into_iter().find(|(name, value)| stands(name, value));
    findings.tally("SLOT-all gives nothing", known.is_none());
    if let Some((name, value)) = known {
        context.put(findings, "slot_all", slot, format!("it gives {name} = {value}, but should give no value"));
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
    use super::*;
    use crate::lint::testing::{context, found, found_in};
    pub(crate) use crate::lint::testing::{decision, dialog, entries};
    use crate::record::Sample;

    fn asks(names: &[&str]) -> Expected {
        Expected::Question(names.iter().map(|name| (*name).to_owned()).collect())
    }

    mod slots {
        use super::*;

        fn told(is_authors: bool, change: impl FnOnce(&mut Vec<Sample>)) -> Vec<String> {
            let mut turns = dialog();
            change(&mut turns);
            found_in(&context("en", is_authors), Slots::default(), &entries(turns))
        }

        #[test]
        fn a_question_asks_for_what_is_missing() {
            assert_eq!(told(false, |_| ()), Vec::<String>::new());
            let little = told(false, |turns| turns[0].expected = asks(&["pier"]));
            assert_eq!(little, ["slot: it asks for `pier`, but `pier`, `boats` is missing"]);
            let known = told(false, |turns| turns[0].messages[0].content = Some("Find boats at Hill pier".to_owned()));
            assert_eq!(known, ["slot: it asks for `pier`, `boats`, but `boats` is missing"]);
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
            assert_eq!(known, ["slot: it asks for something, but nothing is missing"]);
            assert_eq!(told(true, |turns| turns[0].expected = asks(&[])), Vec::<String>::new());
        }

        #[test]
        fn a_question_asks_for_something_that_a_tool_requires() {
            let mut lone = decision("SLOT-all");
            lone.expected = asks(&[]);
            let mut strange = decision("SLOT-some");
            strange.expected = asks(&["covered"]);
            let told = found(Slots::default(), &entries(vec![lone, strange]));
            assert_eq!(
                told,
                ["slot: it does not ask for any parameter", "slot: it asks for `covered`, which no tool requires"]
            );
        }
    }

    mod decisions {
        use super::*;

        fn told(change: impl FnOnce(&mut [Sample])) -> Vec<String> {
            let mut samples = ["CALL", "REJECT", "SLOT-all", "SLOT-some"].map(decision);
            for sample in &mut samples[2..] {
                sample.candidates = decision("CALL").candidates;
            }
            change(&mut samples);
            found(Decisions::default(), &entries(samples.to_vec()))
        }

        #[test]
        fn what_is_declined_is_a_call_without_its_tool() {
            assert_eq!(told(|_| ()), Vec::<String>::new());
            let twin = told(|samples| samples[1].candidates = samples[0].candidates.clone());
            assert_eq!(
                twin,
                ["reject: 0 tools differ from those of `find_boat/CALL/0`; expected 1, in place of `find_boat`"]
            );
            let words = told(|samples| samples[1].messages[0].content = Some("Boats, please".to_owned()));
            assert_eq!(words, ["reject_words: text differs from that of `find_boat/CALL/0`"]);
            let lone = told(|samples| samples[1].base = Some(crate::record::ItemId::root("nowhere")));
            assert_eq!(lone, ["reject: no matching CALL sample"]);
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
            assert_eq!(silent, ["slot_some: it does not ask for `boats` and states no number"]);
            let said = told(|samples| {
                samples[3].expected = asks(&["pier"]);
                samples[3].messages[0].content = Some("Find two boats".to_owned());
            });
            assert_eq!(said, Vec::<String>::new());
        }

        #[test]
        fn who_gives_nothing_says_no_value() {
            let given = told(|samples| samples[2].messages[0].content = Some("Find boats at Hill".to_owned()));
            assert_eq!(given, ["slot_all: it gives pier = \"Hill\", but should give no value"]);
            let other = told(|samples| drop(samples[2].candidates.pop()));
            assert_eq!(other, ["slot_tools: no CALL sample lists the same tools"]);
        }
    }
}
