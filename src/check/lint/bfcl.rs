//! Items of BFCL can be satisfied: some call made of their own answers passes the checker.

use super::super::entry::Entry;
use super::super::finding::Findings;
use super::Rule;
use crate::format::bfcl::SUITE;
use crate::record::BorrowedValue;
use crate::score::bfcl::{
    Answer, Call, Category, Function, Item, Manner, Reply, perfect_calls, spoken, strict, upstream,
};
use crate::suite::bfcl::item_of;

/// Looks at each item by itself.
pub(super) struct Bfcl;

impl Rule for Bfcl {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let category = Category::of_name(&entry.sample.data_type.0).filter(|_| entry.sample.suite == SUITE);
        let manner = category.map_or(Manner::Elsewhere, Category::manner);
        if !matches!(manner, Manner::Simple | Manner::Multiple | Manner::Parallel) {
            return;
        }
        let Some(item) = item_of(&entry.sample) else {
            findings.error("satisfiable", entry, "there are no accepted answers");
            return;
        };
        let fault = fault(&item);
        findings.tally("items that a call of their own answers satisfies", fault.is_none());
        if let Some(fault) = fault {
            findings.error("satisfiable", entry, format!("no prediction can satisfy it: {fault}"));
            return;
        }
        let written = written_fault(&item);
        findings.tally("items that the same call satisfies as a text", written.is_none());
        if let Some(written) = written {
            findings.warning("written", entry, format!("no text as upstream reads it: {written}"));
        }
    }
}

/// What stands in the way of every prediction, by either checker.
fn fault(item: &Item) -> Option<String> {
    let by_upstream = |function: &Function, call: &Call<'_>, answer: &Answer| {
        upstream::check_call(function, call, answer, false).is_ok()
    };
    let by_us = |function: &Function, call: &Call<'_>, answer: &Answer| {
        strict::check_call(function, call, answer, false).is_ok()
    };
    let fault = perfect_calls(item, &by_us).err().map(|fault| fault.to_string());
    fault.or_else(|| Some(format!("{} (upstream)", perfect_calls(item, &by_upstream).err()?)))
}

/// What stands in the way of the same calls as a text: names that Python cannot read, or a first match that takes the
/// second one's call.
fn written_fault(item: &Item) -> Option<String> {
    let checks = |function: &Function, call: &Call<'_>, answer: &Answer| {
        upstream::check_call(function, call, answer, false).is_ok()
    };
    let text = spoken(&perfect_calls(item, &checks).ok()?);
    let given = BorrowedValue::String(text.as_str().into());
    let verdict = upstream::judge(item, Reply { given: &given, native: false, underscores: false });
    (!verdict.is_valid()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{entry, sample};
    use super::super::testing::found;
    use super::*;

    fn of(parameter: &str, kind: &str, accepted: &str) -> Vec<String> {
        let line = format!(
            r#"{{"id": "live_simple_0-0-0", "question": "x", "function": {{"name": "f", "parameters": {{"properties": {{"{parameter}": {{"type": "{kind}", "items": {{"type": "string"}}}}}}, "required": ["{parameter}"]}}}}, "ground_truth": [{{"f": {accepted}}}]}}"#
        );
        let sample = crate::format::bfcl::Entry::read(&line).unwrap().into_sample("live_simple", "en");
        found(Bfcl, &[entry(sample)])
    }

    #[test]
    fn an_item_that_its_own_answers_satisfy_is_sound() {
        assert_eq!(of("a", "string", r#"{"a": ["x", ""]}"#), Vec::<String>::new());
        assert_eq!(found(Bfcl, &[entry(sample("a", "ST_Perfect"))]), Vec::<String>::new());
    }

    #[test]
    fn what_no_prediction_can_satisfy_is_told() {
        let told = |found: Vec<String>| found.join("; ");
        assert_eq!(
            told(of("a", "array", r#"{"a": [""]}"#)),
            "satisfiable: no prediction can satisfy it: no accepted value of `a` passes the checker"
        );
        assert!(told(of("a", "string", "{}")).ends_with("`a` is required, and nothing is accepted for it"));
        assert!(told(of("a", "string", r#"{"a": ["x"], "b": [1]}"#)).contains("`b` is wanted"));
        assert!(told(of("a", "object", r#"{"a": [{"k": [1]}]}"#)).ends_with("passes the checker (upstream)"));
    }

    #[test]
    fn a_name_that_python_keeps_for_itself_cannot_be_written() {
        let told = of("class", "string", r#"{"class": ["x"]}"#);
        assert_eq!(told, ["written: no text as upstream reads it: [f(class='x')]"]);
    }
}
