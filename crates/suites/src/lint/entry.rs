//! A bench as a stream of entries: samples with their places, and what the snapshot before each knew.

use crate::format::{Bench, Place};
use crate::functionchat::layout::Set;
use crate::lint::finding::{Finding, Severity};
use crate::record::{
    ArgumentNotes, Expected, FunctionCall, ItemId, Object, Role, Sample, Step, SuiteId, Tool, UserTurn, Value,
};
use std::sync::Arc;

/// A sample of a bench.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Where it stands.
    pub place: Place,
    /// The sample.
    pub sample: Sample,
    /// What was known before its last turn, if the entry before it is the snapshot before.
    pub before: Option<Object>,
}

/// One of the right calls of a chain.
#[derive(Debug, Clone, Copy)]
pub struct Called<'e> {
    /// The call.
    pub call: &'e FunctionCall,
    /// What is known of its arguments; none where nothing was written down.
    pub notes: Option<&'e ArgumentNotes>,
    /// What it answered; none where nothing was written down.
    pub answer: Option<&'e Value>,
}

/// An entry of a bench, or the finding about an unreadable one.
pub type Seen<'a> = Result<&'a Entry, &'a Finding>;

/// Remembers one snapshot, so that the next of its conversation knows what was known before.
#[derive(Debug, Default)]
pub(crate) struct Thread {
    last: Option<(ItemId, u32, Object)>,
}

/// Visits every entry of a bench in order, with a finding for each unreadable one.
pub fn each_entry(bench: &Bench, visit: &mut dyn FnMut(Seen<'_>)) {
    let (mut thread, is_authors) = (Thread::default(), bench.is_authors());
    bench.each_place(&mut |place, found| match found {
        Ok(mut sample) => {
            if is_authors {
                mark_last(&mut sample);
            }
            visit(Ok(&thread.entry(place, sample)));
        }
        Err(error) => visit(Err(&Finding::new("readable", Severity::Error, &place, "", error.problem()))),
    });
}

/// HammerBench's authors do not list the turns of shifts and of values that are wanted again, which are always the last.
fn mark_last(sample: &mut Sample) {
    let is_last = matches!(sample.data_type.0.as_str(), "IS" | "mSv");
    if let Some(snapshot) = sample.snapshot.as_mut().filter(|snapshot| is_last && snapshot.turn == snapshot.turns) {
        snapshot.marked = Some(true);
    }
}

impl Entry {
    /// The call that is right; none where something else is.
    pub fn call(&self) -> Option<&FunctionCall> {
        match &self.sample.expected {
            Expected::Call(call) => Some(call),
            _ => None,
        }
    }

    /// The call that is right, or that the authors' layout stores where none is.
    pub fn label(&self) -> Option<&FunctionCall> {
        self.call().or(self.sample.label.as_ref())
    }

    /// The right calls in order, one or several; none where something else is right.
    pub fn calls(&self) -> Vec<Called<'_>> {
        match &self.sample.expected {
            Expected::Call(call) => vec![Called { call, notes: Some(&self.sample.arguments), answer: None }],
            Expected::Steps(steps) => steps.iter().flat_map(called).collect(),
            _ => Vec::new(),
        }
    }

    /// The call that is right, where it is the only one.
    pub fn only_call(&self) -> Option<&FunctionCall> {
        match self.calls().as_slice() {
            [called] => Some(called.call),
            _ => None,
        }
    }

    /// Whether it is a question that wants calls in order.
    pub fn is_question(&self) -> bool {
        matches!(self.sample.expected, Expected::Steps(_))
    }

    /// Whether it is a complex query, whose calls come in steps.
    pub fn is_complex(&self) -> bool {
        self.is_question() && self.sample.suite == SuiteId::ComplexFuncBench
    }

    /// Whether it is a turn of FunctionChat-Bench: a call, a question, a refusal, or what a tool answered.
    pub fn is_chat(&self) -> bool {
        self.sample.suite == SuiteId::FunctionChat
    }

    /// Everything that the person says, turn by turn.
    pub fn user_texts(&self) -> impl Iterator<Item = &str> {
        let said = self.sample.messages.iter().filter(|message| message.role == Role::User);
        said.filter_map(|message| message.content.as_deref())
    }

    /// The step of each right call, from 0.
    pub fn steps(&self) -> Vec<usize> {
        let Expected::Steps(steps) = &self.sample.expected else { return Vec::new() };
        steps.iter().enumerate().flat_map(|(at, step)| std::iter::repeat_n(at, step.calls.len())).collect()
    }

    /// The candidate that a call names.
    pub fn candidate(&self, name: &str) -> Option<&Arc<Tool>> {
        self.sample.candidates.iter().find(|tool| tool.name == name)
    }

    /// The candidate that the label names.
    pub fn tool(&self) -> Option<&Arc<Tool>> {
        self.candidate(&self.label()?.name)
    }

    /// Whether a model must refuse.
    pub fn refuses(&self) -> bool {
        self.sample.expected == Expected::Refusal
    }

    /// Whether it is the sample by which a request with several lists of tools is counted; of all others it is.
    fn is_first_list(&self) -> bool {
        !self.is_chat() || Set::of(&self.sample.data_type) != Set::Singlecall || self.sample.data_type.0 == "exact"
    }

    /// The first request of a person, letter by letter, unless another sample has it: with another list of tools, without
    /// its tool, or by itself where a dialogue begins with it.
    pub fn request(&self) -> Option<&str> {
        let mut texts = self.user_texts();
        let (first, is_alone) = (texts.next()?, texts.next().is_none());
        let is_last = self.sample.messages.last().is_some_and(|message| message.role == Role::User);
        let is_twin = self.refuses() && self.sample.base.is_some();
        let is_dialogue = self.sample.suite == SuiteId::HammerBench && self.sample.snapshot.is_some();
        (is_alone && is_last && !is_twin && !is_dialogue && self.is_first_list()).then_some(first)
    }

    /// Whether its last turn gives values: what a variant repeats is counted where it comes first.
    pub fn gives_values(&self) -> bool {
        if self.sample.suite != SuiteId::HammerBench || self.sample.snapshot.is_none() {
            return self.is_first_list();
        }
        let is_own = self.sample.data_type.0 == "Based" || self.is_marked();
        is_own && self.turn() > 1 && self.has_past()
    }

    /// What the person says last.
    pub fn said(&self) -> UserTurn<'_> {
        UserTurn::last(&self.sample.messages)
    }

    /// Which user turn it closes, from 1.
    pub fn turn(&self) -> u32 {
        self.sample.snapshot.as_ref().map_or(1, |snapshot| snapshot.turn)
    }

    /// Whether nothing of its conversation follows.
    pub fn is_last(&self) -> bool {
        self.sample.snapshot.as_ref().is_none_or(|snapshot| snapshot.turn >= snapshot.turns)
    }

    /// Whether the turn is the one that makes the data type what it is.
    pub fn is_marked(&self) -> bool {
        self.sample.snapshot.as_ref().is_some_and(|snapshot| snapshot.marked == Some(true))
    }

    /// Whether what was known before its last turn is known: nothing before a first turn.
    pub fn has_past(&self) -> bool {
        self.turn() == 1 || self.before.is_some()
    }

    /// The arguments of the right call that its last turn gives or changes; all of them in a first turn.
    pub fn fresh(&self) -> Vec<&str> {
        let known = |name: &str| self.before.as_ref().and_then(|before| before.get(name));
        let arguments = self.call().into_iter().flat_map(|call| &call.arguments);
        arguments.filter(|(name, value)| known(name) != Some(value)).map(|(name, _)| name.as_str()).collect()
    }

    /// The parameter that a single-turn query hides in its external text, where the sample says so.
    pub fn hidden(&self) -> Option<&str> {
        self.sample.tags.iter().find_map(|tag| tag.strip_prefix("hidden:"))
    }
}

fn called(step: &Step) -> impl Iterator<Item = Called<'_>> {
    let one = |(at, call)| Called { call, notes: step.notes.get(at), answer: step.answers.get(at) };
    step.calls.iter().enumerate().map(one)
}

impl Thread {
    /// The sample as an entry; entries come in the order of the file.
    pub(crate) fn entry(&mut self, place: Place, sample: Sample) -> Entry {
        let Some(snapshot) = &sample.snapshot else {
            self.last = None;
            return Entry { place, sample, before: None };
        };
        let follows = |(id, turn, _): &(ItemId, u32, Object)| *id == snapshot.conversation && turn + 1 == snapshot.turn;
        let before = self.last.take().filter(follows).map(|(_, _, known)| known);
        let known = match &sample.expected {
            Expected::Call(call) => call.arguments.clone(),
            _ => Object::new(),
        };
        self.last = Some((snapshot.conversation.clone(), snapshot.turn, known));
        Entry { place, sample, before }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{entry, place, questions, sample, snapshots};

    #[test]
    fn a_turn_gives_what_was_not_known_before() {
        let entries = snapshots("b/0", "Based", &[r#"{"to": "Porto"}"#, r#"{"to": "Lyon", "seats": 2}"#]);
        assert_eq!(entries[0].fresh(), ["to"]);
        assert_eq!(entries[1].fresh(), ["to", "seats"]);
        assert!(entries[1].has_past() && entries[1].is_last() && !entries[0].is_last());
    }

    #[test]
    fn a_snapshot_that_stands_apart_has_no_past() {
        let entries = snapshots("b/0", "Based", &["{}", "{}", "{}"]);
        let mut thread = Thread::default();
        let apart = [0, 2].map(|at: usize| thread.entry(place(at), entries[at].sample.clone()));
        assert!(apart[0].has_past() && !apart[1].has_past());
        let other = thread.entry(place(3), sample("x", "ST_Perfect"));
        assert!(other.has_past() && other.before.is_none());
    }

    #[test]
    fn the_label_of_a_refusal_is_no_call() {
        let mut twin = entry(sample("a", "ir_ST_Perfect"));
        let call = twin.call().cloned();
        (twin.sample.expected, twin.sample.label) = (Expected::Refusal, call.clone());
        assert!(twin.refuses() && twin.call().is_none() && twin.fresh().is_empty());
        assert_eq!(twin.label(), call.as_ref());
        assert_eq!(twin.tool().map(|tool| tool.name.as_str()), Some("A.B.book"));
    }

    #[test]
    fn the_calls_of_a_chain_come_in_order_with_what_is_known_of_them() {
        let chain = entry(questions("hard"));
        let calls = chain.calls();
        let names: Vec<&str> = calls.iter().map(|called| called.call.name.as_str()).collect();
        assert_eq!(names, ["getCard", "blockCard"]);
        assert_eq!(calls[0].answer.and_then(Value::as_object).map(Object::len), Some(1));
        assert!(calls[1].notes.is_some_and(|notes| notes.contains_key("cardId")));
        assert_eq!(chain.candidate("blockCard").map(|tool| tool.name.as_str()), Some("blockCard"));
        assert!(chain.call().is_none() && chain.candidate("block").is_none());
        assert_eq!(entry(sample("a", "ST_Perfect")).calls().len(), 1);
    }

    #[test]
    fn a_chat_is_known_by_its_suite_and_has_several_user_turns() {
        let turns = crate::lint::testing::entries(crate::lint::testing::dialog());
        assert!(turns[1].is_chat() && !entry(sample("a", "ST_Perfect")).is_chat());
        assert_eq!(turns[1].user_texts().collect::<Vec<_>>(), ["Find boats for me", "2 boats at Hill pier"]);
    }

    #[test]
    fn a_place_is_a_file_and_a_line() {
        assert_eq!(place(3).to_string(), "samples.jsonl:3");
    }

    fn marked(data_type: &str, own: &str) -> Vec<bool> {
        let folder = tempfile::tempdir().unwrap();
        let call = r#"{"role": "function call", "content": {"name": "A.B.c", "arguments": {}}}"#;
        let text = format!(
            r#"[{{"id": 3, "multiple_tools": [], "single_tool": [], "messages": [{{"role": "user", "content": "hi"}}, {call},
            {{"role": "assistant", "content": "when?"}}, {{"role": "user", "content": "noon"}}, {call}]}}, {{"id": 4}}]"#
        );
        let turns = folder.path().join("en/multi-turn");
        std::fs::create_dir_all(turns.join("snapshot_id")).unwrap();
        std::fs::write(turns.join(format!("HammerBench_{data_type}.json")), text).unwrap();
        std::fs::write(turns.join(format!("snapshot_id/snap_shot_id_{data_type}.json")), own).unwrap();
        let (mut marked, mut faults) = (Vec::new(), Vec::new());
        each_entry(&Bench::open(folder.path()).unwrap(), &mut |seen| match seen {
            Ok(entry) => marked.push(entry.is_marked()),
            Err(finding) => faults.push(format!("{} {}", finding.place, finding.message)),
        });
        assert!(faults.len() == 1 && faults[0].contains("missing field"), "{faults:?}");
        marked
    }

    #[test]
    fn marked_turns_come_from_the_file_beside_and_a_value_that_is_wanted_again_is_wanted_last() {
        assert_eq!(marked("External", "[[1], []]"), [false, true]);
        assert_eq!(marked("mSv", "[]"), [false, true]);
        assert_eq!(marked("Based", "[]"), [false, false]);
    }
}
