//! The rules for CONFETTI: calls of conversations, and turns with their dialog acts.

use crate::confetti::layout::{COMPLEXITY_FACT, OBSERVED_FACT, TURN_CALLS_FACT, TURN_TEXT_FACT};
use crate::confetti::metric::Act;
use crate::format::Place;
use crate::gate::other_forms;
use crate::lint::entry::Entry;
use crate::lint::finding::{Finding, Findings, Severity};
use crate::lint::hash::hash;
use crate::lint::samples::{Ids, Names, RightScript, satisfiable, texts};
use crate::lint::{Context, Rule};
use crate::record::{Complexity, Expected, FunctionCall, ItemId, Message, Origin, Role};
use std::collections::{BTreeMap, BTreeSet};

/// All of them. The authors' layout may lack the questions, and says nothing of a scenario.
pub fn rules(is_authors: bool) -> Vec<Box<dyn Rule>> {
    let mut rules: Vec<Box<dyn Rule>> = vec![
        Box::new(Ids::default()),
        Box::new(satisfiable),
        Box::new(Names::default()),
        Box::new(offered),
        Box::new(schema),
        Box::new(paired),
        Box::new(Story::default()),
        Box::new(acts),
    ];
    if !is_authors {
        rules.push(Box::new(scenario));
        rules.push(Box::new(forms));
        rules.push(Box::new(texts));
        rules.push(Box::new(RightScript::default()));
    }
    rules
}

/// Between 3 and 25 functions are offered, each once, and everything that is called is among them.
fn offered(_: &Context, entry: &Entry, findings: &mut Findings) {
    // Without its question nobody knows what an item offers.
    if entry.sample.messages.is_empty() {
        return;
    }
    let tools = &entry.sample.candidates;
    if !OFFERED.contains(&tools.len()) {
        let (least, most) = (OFFERED.start(), OFFERED.end());
        findings.error("offered", entry, format!("{} listed tools; expected {least} to {most}", tools.len()));
    }
    if let Some(tool) =
        tools.iter().enumerate().find(|(at, tool)| tools.iter().take(*at).any(|other| other.name == tool.name))
    {
        findings.error("offered", entry, format!("`{}` is listed twice", tool.1.name));
    }
    let past = entry.sample.messages.iter().flat_map(|message| &message.tool_calls);
    let missing = past.chain(entry.call()).find(|call| entry.candidate(&call.name).is_none());
    if let Some(call) = missing {
        findings.error("offered", entry, format!("`{}` is called but not listed", call.name));
    }
}

/// How many functions a question offers.
const OFFERED: std::ops::RangeInclusive<usize> = 3..=25;

/// Every gold call obeys the schema of its function.
fn schema(_: &Context, entry: &Entry, findings: &mut Findings) {
    let violation = entry.sample.gold_violation(false);
    findings.check("gold calls obey the schemas of their functions", "schema", entry, violation);
}

/// Every call of the past has its answer before anything else is said, and every answer its call.
fn paired(_: &Context, entry: &Entry, findings: &mut Findings) {
    if let Some(fault) = unpaired(&entry.sample.messages) {
        findings.error("paired", entry, fault);
    }
}

/// The first thing that is out of its place.
fn unpaired(messages: &[Message]) -> Option<String> {
    let (mut calls, mut open) = (0, BTreeSet::new());
    for message in messages {
        if message.role == Role::Tool {
            match message.answers {
                None => return Some("a tool message without a call".to_owned()),
                Some(at) if !open.remove(&at) => {
                    return Some(format!("a tool message answers call {at}, which is not pending"));
                }
                Some(_) => continue,
            }
        }
        if let Some(at) = open.first() {
            return Some(format!("call {at} has no answer before the next message"));
        }
        open.extend(calls..calls + message.tool_calls.len());
        calls += message.tool_calls.len();
    }
    open.first().map(|at| format!("call {at} has no answer"))
}

/// What is known of every conversation: hashes of what happens in it.
#[derive(Default)]
struct Story(BTreeMap<ItemId, Told>);

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
    fn see(&mut self, _: &Context, entry: &Entry, findings: &mut Findings) {
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
            findings.error("items", entry, format!("duplicate item for call {before} of the conversation"));
        }
        if let Some(fault) = told.follow(entry) {
            findings.error("prefix", entry, fault);
        }
    }

    fn end(&mut self, _: &Context, findings: &mut Findings) {
        for told in self.0.values().filter(|told| !told.items.is_empty()) {
            if let Some(missing) = (0..told.calls).find(|at| !told.items.contains(at)) {
                let message = format!("no item for call {missing} of {} calls", told.calls);
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
                format!("event {at} differs from another item of the conversation")
            } else {
                "the expected answer differs from the continuation of the conversation".to_owned()
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
        return Some("the last message is by the agent".to_owned());
    }
    let speakers = messages.iter().map(|message| message.role).filter(|role| *role != Role::System);
    let mut turns = 0;
    let mut before = None;
    for role in speakers {
        turns += u32::from(role == Role::User && before != Some(Role::User));
        before = Some(role);
    }
    (turns != turn).then(|| format!("{turns} user turns before agent turn {turn}"))
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

/// Dialog acts are known ones, and a turn is said to call where it does.
fn acts(_: &Context, entry: &Entry, findings: &mut Findings) {
    let Expected::Acts(labels) = &entry.sample.expected else { return };
    if labels.is_empty() {
        findings.error("acts", entry, "a turn without text or calls");
    }
    for label in labels.iter().filter(|label| Act::of(label).is_none()) {
        let known = Act::ALL.map(Act::as_str).join(", ");
        findings.error("acts", entry, format!("unknown dialog act `{label}`; expected {known}"));
    }
    let Some(calls) = calls(entry) else { return };
    let acts: Vec<Act> = labels.iter().filter_map(|label| Act::of(label)).collect();
    let says_so = acts.contains(&Act::FunctionCalling);
    // Where calls and words are items of their own, those of the words do not call.
    if says_so && calls.is_empty() {
        findings.error("acts", entry, "labelled as a call, but without calls");
    }
    let is_silent = entry.sample.provenance.facts.get(TURN_TEXT_FACT).is_none_or(|text| text.trim().is_empty());
    let speaks = acts.iter().any(|act| *act != Act::FunctionCalling);
    if is_silent && speaks {
        findings.error("acts", entry, "labelled as text, but without text");
    }
}

/// The calls of the turn; nothing where nobody wrote them down.
fn calls(entry: &Entry) -> Option<Vec<FunctionCall>> {
    serde_json::from_str(entry.sample.provenance.facts.get(TURN_CALLS_FACT)?).ok()
}

/// What the scenario asked for is written down: a complexity that is observed as well, and the time that dates refer to.
fn scenario(_: &Context, entry: &Entry, findings: &mut Findings) {
    let sample = &entry.sample;
    let fact = |name: &str| sample.provenance.facts.get(name).map(String::as_str).unwrap_or_default();
    let (required, observed) = (fact(COMPLEXITY_FACT), fact(OBSERVED_FACT));
    let mut observed = observed.split(',').map(str::trim).filter(|name| !name.is_empty()).peekable();
    if !Complexity::ALL.into_iter().any(|complexity| complexity.as_str() == required) {
        findings.error("complexity", entry, format!("unknown complexity `{required}`"));
    } else if observed.peek().is_some() && !observed.any(|name| name == required) {
        findings.error("complexity", entry, format!("required complexity `{required}` not found"));
    }
    if sample.reference_time.is_none() {
        findings.error("reference_time", entry, "no reference time for dates");
    }
    if sample.messages.first().is_none_or(|message| message.role != Role::System) {
        findings.error("reference_time", entry, "no system message states the time");
    }
}

/// A value that the words say in another form has a form that is acceptable besides.
fn forms(_: &Context, entry: &Entry, findings: &mut Findings) {
    let Some(call) = entry.call() else { return };
    let Some(tool) = entry.candidate(&call.name) else { return };
    let notes = entry.sample.arguments.iter().filter(|(_, note)| note.origin == Origin::Normalised);
    for (name, note) in notes {
        let Some((value, parameter)) = call.arguments.get(name).zip(tool.parameters.properties.get(name)) else {
            continue;
        };
        if other_forms(parameter, value, note.surface.as_deref()).is_none() {
            continue;
        }
        let has_form = entry.sample.acceptable.get(name).is_some_and(|forms| !forms.is_empty());
        findings.tally("values said in another form have an acceptable form", has_form);
        if !has_form {
            let words = note.surface.as_deref().unwrap_or_default();
            let message = format!("{name} = {value} is worded as `{words}`, but has no acceptable alternative");
            findings.error("acceptable", entry, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confetti::layout::testing::{act_item, call_item};
    use crate::lint::testing::{context, findings, found};
    use crate::lint::testing::{entry, said};
    use crate::record::Sample;

    fn errors(samples: &[Sample]) -> Vec<String> {
        let entries: Vec<Entry> = samples.iter().cloned().map(entry).collect();
        let findings = findings(&context("en", false), rules(false), &entries);
        let errors = findings.rules().filter(|(_, severity, ..)| *severity == Severity::Error);
        errors.flat_map(|(_, _, _, first)| first).map(|it| format!("{}: {}", it.rule, it.message)).collect()
    }

    #[test]
    fn a_sound_conversation_breaks_no_rule() {
        let mut turn = act_item("t/2", &["agent_function_calling", "agent_inform_user"]);
        turn.messages.truncate(4);
        assert_eq!(errors(&[call_item("t/0", 0), turn]), Vec::<String>::new());
    }

    #[test]
    fn faults_of_several_rules_come_together() {
        let mut sample = call_item("t/0", 1);
        sample.messages.pop();
        sample.candidates.truncate(1);
        let told = errors(&[sample]);
        let has = |rule: &str| told.iter().any(|it| it.starts_with(rule));
        assert!(has("offered") && has("paired") && has("leak"), "{told:?}");
    }

    mod offered {
        use super::*;

        fn told(change: impl Fn(&mut Sample)) -> Vec<String> {
            let mut sample = call_item("t/0", 1);
            change(&mut sample);
            found(offered, &[entry(sample)])
        }

        #[test]
        fn numbers_and_names_of_functions_are_held_to() {
            assert_eq!(told(|_| {}), Vec::<String>::new());
            assert_eq!(told(|sample| drop(sample.candidates.pop())), ["offered: 2 listed tools; expected 3 to 25"]);
            assert_eq!(
                told(|sample| sample.candidates[0] = sample.candidates[2].clone()),
                ["offered: `Mail_send_mail` is listed twice"]
            );
            assert_eq!(
                told(|sample| {
                    sample.messages[4].tool_calls[0].name = "Gone".to_owned();
                }),
                ["offered: `Gone` is called but not listed"]
            );
        }

        #[test]
        fn without_a_question_nothing_is_known() {
            assert!(told(|sample| (sample.messages, sample.candidates) = (Vec::new(), Vec::new())).is_empty());
        }
    }

    mod schema {
        use super::*;

        fn violations(change: impl Fn(&mut Sample)) -> Vec<String> {
            let mut sample = call_item("t/0", 1);
            change(&mut sample);
            found(schema, &[entry(sample)])
        }

        #[test]
        fn a_gold_call_that_breaks_its_schema_is_found() {
            assert_eq!(violations(|_| {}), Vec::<String>::new());
            let found = violations(|sample| {
                let Expected::Call(call) = &mut sample.expected else { panic!("no call") };
                call.arguments.insert("by".to_owned(), "sea".into());
            });
            assert!(found[0].ends_with(": `by` is not declared"), "{found:?}");
        }
    }

    mod paired {
        use super::*;

        fn told(change: impl Fn(&mut Vec<Message>)) -> Vec<String> {
            let mut sample = call_item("t/0", 2);
            change(&mut sample.messages);
            found(paired, &[entry(sample)])
        }

        #[test]
        fn calls_and_answers_come_in_pairs() {
            assert_eq!(told(|_| {}), Vec::<String>::new());
            assert_eq!(told(|messages| drop(messages.pop())), ["paired: call 1 has no answer"]);
            assert_eq!(
                told(|messages| drop(messages.remove(5))),
                ["paired: call 0 has no answer before the next message"]
            );
            assert_eq!(
                told(|messages| messages[5].answers = Some(3)),
                ["paired: a tool message answers call 3, which is not pending"]
            );
            assert_eq!(told(|messages| messages[5].answers = None), ["paired: a tool message without a call"]);
            assert_eq!(
                told(|messages| drop(messages.remove(4))),
                ["paired: a tool message answers call 0, which is not pending"]
            );
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

    mod story {
        use super::*;

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
            assert!(told([call_item("t/0", 0), other])[0].starts_with("prefix: event 2 differs from"));
            let mut wrong = call_item("t/0", 0);
            let Expected::Call(call) = &mut wrong.expected else { panic!("a call") };
            call.name = "Mail_send_mail".to_owned();
            assert_eq!(
                told([call_item("t/1", 1), wrong.clone()]),
                ["prefix: the expected answer differs from the continuation of the conversation"]
            );
            assert_eq!(told([turn(), wrong]).len(), 1);
        }

        #[test]
        fn what_comes_later_is_not_shown() {
            let mut late = call_item("t/0", 0);
            late.messages.extend([Message::new(Role::Assistant, "Done."), Message::user("Thanks")]);
            assert_eq!(told([late.clone()])[0], "leak: 3 user turns before agent turn 2");
            late.messages.pop();
            assert_eq!(told([late])[0], "leak: the last message is by the agent");
        }

        #[test]
        fn every_call_is_one_item() {
            assert_eq!(told([call_item("t/1", 1)]), ["items: no item for call 0 of 2 calls"]);
            assert_eq!(told([call_item("t/0", 0), words()]), ["items: no item for call 1 of 2 calls"]);
            assert_eq!(
                told([call_item("t/0", 0), call_item("t/1", 0)]),
                ["items: duplicate item for call 0 of the conversation"]
            );
        }
    }

    mod acts {
        use super::*;

        fn told(labels: &[&str], calls: &str, text: &str) -> Vec<String> {
            let mut sample = act_item("t/0", labels);
            sample.provenance.facts.insert(TURN_CALLS_FACT.to_owned(), calls.to_owned());
            sample.provenance.facts.insert(TURN_TEXT_FACT.to_owned(), text.to_owned());
            found(acts, &[entry(sample)])
        }

        const CALL: &str = r#"[{"name": "f", "arguments": {}}]"#;

        #[test]
        fn acts_agree_with_what_the_turn_does() {
            assert_eq!(told(&["agent_function_calling", "agent_inform_user"], CALL, "Done."), Vec::<String>::new());
            assert_eq!(told(&["agent_inform_user"], CALL, "Done."), Vec::<String>::new());
            assert_eq!(told(&["agent_function_calling"], "[]", ""), ["acts: labelled as a call, but without calls"]);
            assert_eq!(
                told(&["agent_function_calling", "agent_other"], CALL, " "),
                ["acts: labelled as text, but without text"]
            );
        }

        #[test]
        fn unknown_acts_are_told() {
            assert_eq!(told(&[], CALL, "x"), ["acts: a turn without text or calls"]);
            assert!(
                told(&["agent_sings"], CALL, "x")[0]
                    .starts_with("acts: unknown dialog act `agent_sings`; expected agent_f")
            );
        }
    }

    mod scenario {
        use super::*;

        fn told(change: impl Fn(&mut Sample)) -> Vec<String> {
            let mut sample = call_item("t/0", 0);
            change(&mut sample);
            found(scenario, &[entry(sample)])
        }

        fn set(sample: &mut Sample, name: &str, fact: &str) {
            sample.provenance.facts.insert(name.to_owned(), fact.to_owned());
        }

        #[test]
        fn complexities_are_known_and_observed() {
            assert_eq!(told(|_| {}), Vec::<String>::new());
            assert_eq!(told(|sample| set(sample, OBSERVED_FACT, "")), Vec::<String>::new());
            assert_eq!(told(|sample| set(sample, COMPLEXITY_FACT, "HARD")), ["complexity: unknown complexity `HARD`"]);
            assert_eq!(
                told(|sample| set(sample, OBSERVED_FACT, "UNDERFILL, CONFIRMATION")),
                ["complexity: required complexity `OVERFILL` not found"]
            );
        }

        #[test]
        fn the_time_is_told() {
            assert_eq!(told(|sample| sample.reference_time = None).len(), 1);
            let told = told(|sample| drop(sample.messages.remove(0)));
            assert_eq!(told, ["reference_time: no system message states the time"]);
        }
    }

    mod forms {
        use super::*;
        use crate::record::{Argument, Value};

        fn told(change: impl Fn(&mut Sample)) -> Vec<String> {
            let mut sample = said("a", "calls", "two seats to porto", r#"{"to": "Porto", "seats": 2}"#);
            for (name, words) in [("to", "porto"), ("seats", "two")] {
                let note =
                    Argument { surface: Some(words.to_owned()), origin: Origin::Normalised, ..Argument::default() };
                sample.arguments.insert(name.to_owned(), note);
                sample.acceptable.insert(name.to_owned(), vec![words.into()]);
            }
            change(&mut sample);
            found(forms, &[entry(sample)])
        }

        #[test]
        fn a_value_in_another_form_has_an_acceptable_one() {
            assert_eq!(told(|_| {}), Vec::<String>::new());
            let none = told(|sample| drop(sample.acceptable.shift_remove("to")));
            assert_eq!(none, [r#"acceptable: to = "Porto" is worded as `porto`, but has no acceptable alternative"#]);
            assert_eq!(told(|sample| sample.acceptable["seats"].clear()).len(), 1);
        }

        #[test]
        fn what_is_verbatim_or_listed_needs_none() {
            let verbatim = told(|sample| {
                sample.acceptable.clear();
                sample.arguments.values_mut().for_each(|note| note.origin = Origin::Verbatim);
            });
            assert_eq!(verbatim, Vec::<String>::new());
            let listed = told(|sample| {
                let crate::record::Expected::Call(call) = &mut sample.expected else { panic!("no call") };
                call.arguments.insert("class".to_owned(), Value::from("first"));
                sample
                    .arguments
                    .insert("class".to_owned(), Argument { origin: Origin::Normalised, ..Argument::default() });
            });
            assert_eq!(listed, Vec::<String>::new());
        }
    }
}
