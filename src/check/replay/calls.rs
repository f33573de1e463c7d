//! BFCL's checker tried on a bench of calls: the gold passes as a text and as native calls, by our rules and by upstream's;
//! what is made wrong of it fails, and other accepted values pass.

use super::super::audit::{Cell, Figure, Mark};
use super::variants::{Pool, mutants};
use super::{FORMS, MARK, MUTANTS, count};
use crate::lint::calls::{MODES, item, perfect};
use crate::lint::entry::Entry;
use crate::lint::finding::Findings;
use crate::python::PythonValue;
use crate::record::{BorrowedValue, Expected, FunctionCall, Value};
use crate::suite::bfcl::layout::truth_of;
use crate::suite::bfcl::metric::{Call, Item, strict};
use indexmap::IndexMap;
use std::borrow::Cow;

type Counts = IndexMap<&'static str, (usize, usize)>;

/// Replays calls; the others are none of its business.
#[derive(Default)]
pub(super) struct Calls {
    gold: Counts,
    mutants: Counts,
    forms: Counts,
    pool: Pool,
}

const GOLD: &str =
    "the gold calls replayed as predictions, as text and as native calls, by the strict and the upstream rules";

impl Calls {
    /// Replays an entry. Gold that nothing satisfies the rules have told of already.
    pub(super) fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let Some(item) = item(&entry.sample) else { return };
        let calls = perfect(&item);
        for mode in MODES {
            let passes = calls.as_ref().is_ok_and(|calls| mode.judge(&item, calls).is_valid());
            count(&mut self.gold, mode.name, passes);
        }
        let gold = entry.call().map(|gold| strict::check_calls(&item, &[read(gold)], false).is_valid());
        if gold == Some(false) {
            findings.error("replay", entry, "the expected call does not pass the strict rules");
        }
        self.change(entry, &item);
        self.pool.learn(entry);
    }

    /// Figures of everything that was replayed; none where there was no call.
    pub(super) fn finish(self) -> Vec<Figure> {
        if self.gold.is_empty() {
            return Vec::new();
        }
        let cells = |counts: &Counts, mark| {
            counts.iter().map(|(kind, (good, n))| Cell::share(*kind, *good, *n).held_to(mark)).collect()
        };
        vec![
            Figure::new("replay", GOLD, cells(&self.gold, Mark::AtLeast(1.0))),
            Figure::new("wrong mutants", MUTANTS, cells(&self.mutants, Mark::AtLeast(MARK))),
            Figure::new("equal forms", FORMS, cells(&self.forms, Mark::AtLeast(MARK))),
        ]
    }

    fn change(&mut self, entry: &Entry, item: &Item) {
        let passes = |calls: &[Call<'_>]| strict::check_calls(item, calls, false).is_valid();
        if let Expected::Refusal = &entry.sample.expected {
            if let Some(tool) = entry.sample.candidates.first() {
                let call = FunctionCall { name: tool.name.clone(), ..FunctionCall::default() };
                count(&mut self.mutants, "call instead of a refusal", !passes(&[read(&call)]));
            }
            return;
        }
        count(&mut self.mutants, "no call", !passes(&[]));
        let Some(gold) = entry.call() else { return };
        count(&mut self.mutants, "the call repeated", !passes(&[read(gold), read(gold)]));
        let accepted = accepted(entry);
        for (kind, call) in mutants(entry, &self.pool).iter().filter(|(_, call)| !is_right(gold, call, &accepted)) {
            count(&mut self.mutants, kind, !passes(&[read(call)]));
        }
        for (kind, call) in forms(gold, &accepted) {
            count(&mut self.forms, kind, passes(&[read(&call)]));
        }
    }
}

/// What is accepted for each argument, where one call is right.
fn accepted(entry: &Entry) -> IndexMap<String, Vec<Value>> {
    let truth = truth_of(&entry.sample);
    let arguments = truth.as_ref().and_then(|truth| truth.as_list()?.first()?.as_object()?.first()?.1.as_object());
    let list = |(name, values): (&String, &Value)| Some((name.clone(), values.as_list()?.to_vec()));
    arguments.into_iter().flatten().filter_map(list).collect()
}

/// Whether a changed call is right all the same: each of its values is accepted, and what it leaves out may be left out.
fn is_right(gold: &FunctionCall, call: &FunctionCall, accepted: &IndexMap<String, Vec<Value>>) -> bool {
    let has = |name: &str, value: &Value| {
        accepted.get(name).is_some_and(|values| values.iter().any(|known| known.equals(value)))
            || gold.arguments.get(name).is_some_and(|known| known.equals(value))
    };
    let may_miss = |name: &String| call.arguments.contains_key(name) || has(name, &Value::from(""));
    call.name == gold.name
        && call.arguments.iter().all(|(name, value)| has(name, value))
        && accepted.keys().all(may_miss)
}

/// The right call in other forms: with other accepted values, left out or spelt otherwise where it may be.
fn forms(gold: &FunctionCall, accepted: &IndexMap<String, Vec<Value>>) -> Vec<(&'static str, FunctionCall)> {
    let with = |name: &str, value: Option<Value>| {
        let mut call = gold.clone();
        match value {
            Some(value) => drop(call.arguments.insert(name.to_owned(), value)),
            None => drop(call.arguments.shift_remove(name)),
        }
        call
    };
    let mut forms = Vec::new();
    for (name, values) in accepted {
        // Dictionaries have lists at their keys, which no call has.
        let plain = values.iter().filter(|value| !matches!(value, Value::Object(_) | Value::List(_)));
        for value in plain.skip(usize::from(gold.arguments.contains_key(name))) {
            let is_marker = value.as_str() == Some("");
            let kind = if is_marker { "omitted" } else { "another accepted value" };
            forms.push((kind, with(name, (!is_marker).then(|| value.clone()))));
        }
    }
    let spelt = gold.arguments.iter().filter_map(|(name, value)| Some((name, value.as_str()?)));
    for (name, text) in spelt.filter(|(_, text)| text.is_ascii() && !text.is_empty()).take(1) {
        forms.push(("another spelling", with(name, Some(Value::from(format!(" {}.", text.to_uppercase()))))));
    }
    forms
}

fn read(call: &FunctionCall) -> Call<'_> {
    let value = |value| PythonValue::from(BorrowedValue::from(value));
    let entries = call.arguments.iter().map(|(name, it)| (PythonValue::Text(Cow::Borrowed(name.as_str())), value(it)));
    Call { name: Cow::Borrowed(&call.name), arguments: PythonValue::Dict(entries.collect()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::entry;
    use crate::record::Sample;
    use crate::suite::bfcl::layout::Entry as Question;
    use crate::suite::confetti::layout::testing::{act_item, call_item};

    fn replayed(samples: Vec<Sample>) -> (Vec<Figure>, Vec<String>) {
        let (mut calls, mut findings) = (Calls::default(), Findings::default());
        for sample in samples {
            calls.see(&entry(sample), &mut findings);
        }
        let told = findings.rules().map(|(rule, _, count, _)| format!("{rule} {count}")).collect();
        (calls.finish(), told)
    }

    fn question(category: &str, answers: &str) -> Sample {
        let line = format!(
            r#"{{"id": "{category}_0", "question": "x", "function": [{{"name": "f", "parameters": {{"properties": {{"a": {{"type": "integer"}}, "d": {{"type": "dict"}}, "l": {{"type": "array", "items": {{"type": "float"}}}}}}, "required": ["a"]}}}}]{answers}}}"#
        );
        Question::read(&line).unwrap().into_sample(category, "en")
    }

    #[test]
    fn the_gold_passes_in_every_mode_and_what_is_made_wrong_of_it_fails() {
        let mut other = call_item("t/1", 1);
        other.acceptable = [("to".to_owned(), vec![Value::from("Oporto")])].into();
        let parallel =
            r#", "ground_truth": [{"f": {"a": [1], "d": [{"k": [1, 2]}], "l": [[1.5, 2.0], ""]}}, {"f": {"a": [2]}}]"#;
        let samples = vec![
            call_item("t/0", 0),
            other,
            act_item("t/2", &["agent_other"]),
            question("parallel", parallel),
            question("irrelevance", ""),
        ];
        let (figures, told) = replayed(samples);
        assert_eq!(told, Vec::<String>::new());
        for figure in &figures {
            assert!(figure.cells.iter().all(|cell| (cell.value - 1.0).abs() < 1e-9), "{figure:?}");
        }
        let names = |at: usize| figures[at].cells.iter().map(|cell| (cell.slice.as_str(), cell.n)).collect::<Vec<_>>();
        assert_eq!(
            names(0),
            [("text, strict", 4), ("tools, strict", 4), ("text, upstream", 4), ("tools, upstream", 4)]
        );
        assert!(names(1).contains(&("value changed", 2)) && names(1).contains(&("call instead of a refusal", 1)));
        assert!(names(2).contains(&("another accepted value", 3)) && names(2).contains(&("another spelling", 2)));
    }

    #[test]
    fn a_call_that_does_not_pass_is_told() {
        let mut broken = call_item("t/0", 0);
        let Expected::Call(call) = &mut broken.expected else { panic!("a call") };
        call.arguments.shift_remove("to");
        let (figures, told) = replayed(vec![broken]);
        assert_eq!((told, figures[0].cells[0].value), (vec!["replay 1".to_owned()], 0.0));
        assert!(replayed(Vec::new()).0.is_empty());
    }
}
