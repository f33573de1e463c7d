//! Whether what a model would learn to say is scaffolding.

use crate::check::audit::Measure;
use crate::check::audit::figure::{Cell, Figure, Mark};
use crate::lint::entry::Entry;
use crate::lint::ground::Ground;
use crate::lint::hash::hash;
use crate::record::{REFUSAL_FACT, Role};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Counts targets; of refusals a hash and a count each.
pub(crate) struct Scaffold {
    ground: Arc<Ground>,
    calls: usize,
    placeholders: usize,
    incomplete: usize,
    conversations: usize,
    formulas: usize,
    refusals: BTreeMap<u64, usize>,
    silent_refusals: usize,
}

/// A run of signs that stands where a value should.
const PLACEHOLDER: &str = "$$$";

/// Most of the refusals that may say the same.
const COMMONEST: f64 = 0.05;

const WHAT: &str = "artefacts that a model would learn: placeholders in calls, conversations in which the assistant \
    uses the authors' fixed sentence for a completed call, share of the most frequent refusal, and (informational) \
    calls without a required parameter, which incomplete queries have by design";

impl Scaffold {
    pub(crate) fn new(ground: Arc<Ground>) -> Self {
        let (calls, placeholders, incomplete, conversations, formulas, silent_refusals) = Default::default();
        let refusals = BTreeMap::new();
        Self { ground, calls, placeholders, incomplete, conversations, formulas, refusals, silent_refusals }
    }

    fn call(&mut self, entry: &Entry) {
        let Some(call) = entry.call() else { return };
        let text = serde_json::to_string(call).unwrap_or_default();
        self.calls += 1;
        self.placeholders += usize::from(text.contains(PLACEHOLDER));
        let required = entry.tool().map(|tool| tool.parameters.required.as_slice()).unwrap_or_default();
        self.incomplete += usize::from(required.iter().any(|name| !call.arguments.contains_key(name)));
    }

    fn conversation(&mut self, entry: &Entry) {
        let is_formula = |content: &str| !self.ground.done.is_empty() && content.trim() == self.ground.done;
        let mut said = entry.sample.messages.iter().filter(|message| message.role == Role::Assistant);
        self.conversations += 1;
        self.formulas += usize::from(said.any(|message| message.content.as_deref().is_some_and(is_formula)));
    }

    fn refusal(&mut self, entry: &Entry) {
        // The right answer to a twin is written by whoever exports it; a shift says its own.
        match entry.sample.provenance.facts.get(REFUSAL_FACT) {
            Some(refusal) => *self.refusals.entry(hash(&[refusal])).or_default() += 1,
            None => self.silent_refusals += usize::from(entry.sample.snapshot.is_some()),
        }
    }
}

impl Measure for Scaffold {
    fn see(&mut self, entry: &Entry) {
        self.call(entry);
        if entry.is_last() && entry.sample.snapshot.is_some() {
            self.conversation(entry);
        }
        // The right words of chats are counted by themselves.
        if entry.refuses() && !entry.is_chat() {
            self.refusal(entry);
        }
    }

    fn figure(&self) -> Figure {
        let refusals: usize = self.refusals.values().sum();
        let commonest = self.refusals.values().copied().max().unwrap_or_default();
        let mut cells = vec![
            Cell::share("placeholders in calls", self.placeholders, self.calls).held_to(Mark::AtMost(0.0)),
            Cell::share("conversations with the fixed sentence", self.formulas, self.conversations)
                .held_to(Mark::AtMost(0.0)),
            Cell::share("most frequent refusal", commonest, refusals).held_to(Mark::AtMost(COMMONEST)).with(format!(
                "{} distinct wordings; {} topic shifts without a recorded text",
                self.refusals.len(),
                self.silent_refusals
            )),
            Cell::share("calls without a required parameter", self.incomplete, self.calls),
        ];
        cells.retain(|cell| cell.n > 0);
        Figure::new("scaffold", WHAT, cells)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{entry, said, sample, snapshots};
    use crate::record::Expected;

    fn figure(entries: &[Entry]) -> Figure {
        let mut measure = Scaffold::new(Ground::load(crate::fixtures::assets(), "en").unwrap());
        for entry in entries {
            measure.see(entry);
        }
        measure.figure()
    }

    #[test]
    fn calls_are_looked_through() {
        let whole = r#"{"to": "Porto", "seats": 2, "class": "first"}"#;
        let entries = [said("a", "x", "y", r#"{"to": "$$$"}"#), said("b", "x", "y", whole)].map(entry);
        let figure = figure(&entries);
        let value = |slice: &str| figure.cell(slice).map(|cell| cell.value);
        assert_eq!(value("placeholders in calls"), Some(0.5));
        assert_eq!(value("calls without a required parameter"), Some(0.5));
        assert_eq!(value("most frequent refusal"), None);
    }

    #[test]
    fn the_authors_formula_is_found_in_conversations() {
        let mut entries = snapshots("m/0", "mSv", &["{}", "{}"]);
        entries[1].sample.messages[1].content =
            Some(Ground::load(crate::fixtures::assets(), "en").unwrap().done.clone());
        let figure = figure(&entries);
        let cell = figure.cell("conversations with the fixed sentence").unwrap();
        assert_eq!((cell.value, cell.n, cell.mark.is_met(cell.value, None)), (1.0, 1, Some(false)));
    }

    #[test]
    fn one_refusal_for_all_is_too_common() {
        let refused = |words: &str| {
            let mut sample = sample("a", "IS");
            sample.expected = Expected::Refusal;
            sample.provenance.facts.insert(REFUSAL_FACT.to_owned(), words.to_owned());
            entry(sample)
        };
        let cell = |words: &[&str]| {
            let entries: Vec<Entry> = words.iter().map(|words| refused(words)).collect();
            figure(&entries).cell("most frequent refusal").unwrap().clone()
        };
        let same = cell(&["no"; 4]);
        assert_eq!((same.value, same.mark.is_met(same.value, None)), (1.0, Some(false)));
        let various: Vec<String> = (0..30).map(|number| format!("no {number}")).collect();
        let various = cell(&various.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(various.mark.is_met(various.value, None), Some(true));
    }
}
