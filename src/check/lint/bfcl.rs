//! Items that BFCL's checker judges can be satisfied: some call made of their own answers passes it, written and native.

use super::super::calls::{MODES, item, perfect};
use super::super::entry::Entry;
use super::super::finding::Findings;
use super::Rule;
use crate::record::{Expected, SuiteId};
use crate::score::bfcl::{Category, Item, Manner, spoken};

/// Looks at each item by itself.
pub(super) struct Bfcl;

impl Rule for Bfcl {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        if !wants_calls(entry) {
            return;
        }
        let Some(item) = item(&entry.sample) else {
            findings.error("satisfiable", entry, "there are no accepted answers");
            return;
        };
        let calls = perfect(&item);
        findings.tally("items that a call of their own answers satisfies", calls.is_ok());
        match calls {
            Err(fault) => findings.error("satisfiable", entry, format!("no prediction can satisfy it: {fault}")),
            Ok(calls) => told(entry, &item, &calls, findings),
        }
    }
}

/// Whether calls are wanted that are judged here.
fn wants_calls(entry: &Entry) -> bool {
    if entry.sample.suite != SuiteId::Bfcl {
        return !matches!(entry.sample.expected, Expected::Acts(_));
    }
    let manner = Category::of_name(&entry.sample.data_type.0).map_or(Manner::Elsewhere, Category::manner);
    matches!(manner, Manner::Simple | Manner::Multiple | Manner::Parallel)
}

/// What stands in the way of the same calls as a text (names that Python cannot read, or a first match that takes the second
/// one's call), and as native calls.
fn told(entry: &Entry, item: &Item, calls: &[crate::score::bfcl::Call<'_>], findings: &mut Findings) {
    let fails = |is_text: bool| {
        MODES
            .iter()
            .filter(move |mode| mode.name.starts_with("text") == is_text)
            .find(|mode| !mode.judge(item, calls).is_valid())
    };
    let (text, native) = (fails(true), fails(false));
    findings.tally("items that the same call satisfies as a text", text.is_none());
    findings.tally("items that the same call satisfies as a native one", native.is_none());
    if let Some(mode) = text {
        findings.warning("written", entry, format!("no text by the rules of `{}`: {}", mode.name, spoken(calls)));
    }
    if let Some(mode) = native {
        findings.warning("native", entry, format!("no native call by the rules of `{}`: {}", mode.name, spoken(calls)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::entry;
    use super::super::testing::found;
    use super::*;
    use crate::format::confetti::testing::{act_item, call_item};

    fn of(parameter: &str, kind: &str, accepted: &str) -> Vec<String> {
        of_category("live_simple", parameter, kind, accepted)
    }

    fn of_category(category: &str, parameter: &str, kind: &str, accepted: &str) -> Vec<String> {
        let line = format!(
            r#"{{"id": "x_0-0-0", "question": "x", "function": {{"name": "f", "parameters": {{"properties": {{"{parameter}": {{"type": "{kind}", "items": {{"type": "string"}}}}}}, "required": ["{parameter}"]}}}}, "ground_truth": [{{"f": {accepted}}}]}}"#
        );
        let sample = crate::format::bfcl::Entry::read(&line).unwrap().into_sample(category, "en");
        found(Bfcl, &[entry(sample)])
    }

    #[test]
    fn an_item_that_its_own_answers_satisfy_is_sound() {
        assert_eq!(of("a", "string", r#"{"a": ["x", ""]}"#), Vec::<String>::new());
        let samples = [call_item("t/0", 1), act_item("t/1", &["agent_other"])];
        assert_eq!(found(Bfcl, &samples.map(entry)), Vec::<String>::new());
    }

    /// The forms of the five items of BFCL's own that nothing satisfies.
    #[test]
    fn what_no_prediction_can_satisfy_is_told() {
        let told = |found: Vec<String>| found.join("; ");
        // live_simple_106-63-0 and live_simple_112-68-0: the marker alone for a list that is required.
        assert_eq!(
            told(of("a", "array", r#"{"a": [""]}"#)),
            "satisfiable: no prediction can satisfy it: no accepted value of `a` passes the checker"
        );
        // live_multiple_507-149-4 and live_multiple_964-207-0: nothing is accepted for what is required.
        assert!(
            told(of_category("live_multiple", "a", "string", "{}"))
                .ends_with("`a` is required, and nothing is accepted for it")
        );
        // live_multiple_862-181-3: a value of what the function does not have.
        assert!(
            told(of_category("live_multiple", "a", "string", r#"{"a": ["x"], "b": [1]}"#)).contains("`b` is wanted")
        );
        assert!(told(of("a", "object", r#"{"a": [{"k": [1]}]}"#)).ends_with("passes the checker (upstream)"));
    }

    #[test]
    fn a_conversations_call_that_its_function_does_not_take_is_told() {
        let mut sample = call_item("t/0", 1);
        let Expected::Call(call) = &mut sample.expected else { panic!("a call") };
        call.arguments.shift_remove("to");
        assert!(found(Bfcl, &[entry(sample)])[0].contains("`to` is required"));
    }

    #[test]
    fn a_name_that_python_keeps_for_itself_cannot_be_written() {
        let told = of("class", "string", r#"{"class": ["x"]}"#);
        assert_eq!(told, ["written: no text by the rules of `text, upstream`: [f(class='x')]"]);
    }
}
