//! Items that BFCL's checker judges, whichever suite they are of, and what a perfect model gives to them.

use crate::bfcl::metric::{
    Answer, Call, Function, Item, Reply, Verdict, native, perfect_calls, spoken, strict, upstream,
};
use crate::record::{BorrowedValue, Expected, Sample, SuiteId, Value};

/// How an answer is given and by whose rules it is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mode {
    /// Its name in reports.
    pub name: &'static str,
    is_strict: bool,
    is_native: bool,
}

/// All of them.
pub const MODES: [Mode; 4] = [
    Mode { name: "text, strict", is_strict: true, is_native: false },
    Mode { name: "tools, strict", is_strict: true, is_native: true },
    Mode { name: "text, upstream", is_strict: false, is_native: false },
    Mode { name: "tools, upstream", is_strict: false, is_native: true },
];

/// Whether a sample's calls are judged so.
pub fn is_called(sample: &Sample) -> bool {
    matches!(sample.suite.known(), Some(SuiteId::Bfcl | SuiteId::Confetti))
}

/// The item of a sample: nothing where dialog acts are wanted, or nobody can read it.
pub fn item(sample: &Sample) -> Option<Item> {
    match sample.suite.known() {
        Some(SuiteId::Bfcl) => crate::bfcl::item_of(sample),
        Some(SuiteId::Confetti) if !matches!(sample.expected, Expected::Acts(_)) => crate::confetti::item_of(sample),
        _ => None,
    }
}

/// What a perfect model calls; else what stands in the way of every prediction, by either checker.
pub fn perfect(item: &Item) -> Result<Vec<Call<'static>>, String> {
    let by_upstream = |function: &Function, call: &Call<'_>, answer: &Answer| {
        upstream::check_call(function, call, answer, false).is_ok()
    };
    let by_us = |function: &Function, call: &Call<'_>, answer: &Answer| {
        strict::check_call(function, call, answer, false).is_ok()
    };
    perfect_calls(item, &by_us).map_err(|fault| fault.to_string())?;
    perfect_calls(item, &by_upstream).map_err(|fault| format!("{fault} (upstream)"))
}

impl Mode {
    /// What is found of calls that are given in this way.
    pub fn judge(self, item: &Item, calls: &[Call<'_>]) -> Verdict {
        if self.is_native {
            let given = if calls.is_empty() { Value::from("") } else { native(calls) };
            return self.verdict(item, &BorrowedValue::from(&given));
        }
        let text = if calls.is_empty() { String::new() } else { spoken(calls) };
        self.verdict(item, &BorrowedValue::String(text.into()))
    }

    fn verdict(self, item: &Item, given: &BorrowedValue<'_>) -> Verdict {
        let reply = Reply { given, native: self.is_native, underscores: false };
        if self.is_strict { strict::judge(item, reply).verdict } else { upstream::judge(item, reply) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confetti::layout::testing::{act_item, call_item};

    #[test]
    fn the_gold_of_a_call_passes_in_every_mode() {
        let sample = call_item("t/0", 1);
        let item = item(&sample).unwrap();
        let calls = perfect(&item).unwrap();
        assert_eq!(spoken(&calls), "[Travel_book_seats(to='Porto', seats=2)]");
        assert!(MODES.iter().all(|mode| mode.judge(&item, &calls).is_valid()));
        assert!(MODES.iter().all(|mode| !mode.judge(&item, &[]).is_valid()));
    }

    #[test]
    fn dialog_acts_and_other_suites_have_no_item() {
        assert!(item(&act_item("t/0", &["agent_other"])).is_none());
        let mut other = call_item("t/0", 0);
        other.suite = "hammerbench".into();
        assert!(item(&other).is_none() && !is_called(&other) && is_called(&call_item("t/0", 0)));
    }

    #[test]
    fn where_nothing_is_wanted_silence_is_right() {
        let line = r#"{"id": "irrelevance_0", "question": "x", "function": [{"name": "f", "parameters": {"properties": {}, "required": []}}]}"#;
        let sample = crate::bfcl::layout::Entry::read(line).unwrap().into_sample("irrelevance", "en");
        let item = item(&sample).unwrap();
        assert!(MODES.iter().all(|mode| mode.judge(&item, &perfect(&item).unwrap()).is_valid()));
    }
}
