//! Every value of a right call has a source: an identifier stands before the call, any other value has an origin.

use super::super::entry::{Called, Entry};
use super::super::finding::Findings;
use super::super::ground::Ground;
use super::Rule;
use crate::export::unsourced;
use crate::record::{FunctionCall, Origin, PLACEHOLDER, Value};
use std::sync::Arc;

/// Looks at each sample by itself. The authors' layouts leave out answers and origins, so that there an identifier without
/// a source is no more than a warning, and of other values nothing can be said.
pub(super) struct Sources {
    ground: Arc<Ground>,
    is_authors: bool,
}

impl Sources {
    pub(super) fn new(ground: &Arc<Ground>, is_authors: bool) -> Self {
        Self { ground: ground.clone(), is_authors }
    }
}

impl Rule for Sources {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        // Without its question nobody knows what stands before a call.
        if entry.sample.messages.is_empty() {
            return;
        }
        let found = unsourced(&entry.sample);
        if !entry.calls().is_empty() {
            findings.tally("identifiers stand before the call that uses them", found.is_empty());
        }
        for value in found {
            let put = if self.is_authors { Findings::warning } else { Findings::error };
            put(findings, "source", entry, format!("{value} stands nowhere before the call"));
        }
        if self.is_authors {
            return;
        }
        for called in entry.calls() {
            for (name, _) in
                called.call.arguments.iter().filter(|(name, value)| !self.has_origin(entry, &called, name, value))
            {
                findings.warning("origin", entry, format!("{}.{name} has no origin", called.call.name));
            }
        }
    }
}

impl Sources {
    /// Whether a note says where a value comes from, or a text says it, or the tool lists it.
    fn has_origin(&self, entry: &Entry, called: &Called<'_>, name: &str, value: &Value) -> bool {
        if let Some(note) = called.notes.and_then(|notes| notes.get(name)) {
            return note.origin != Origin::Missing || value.as_str() == Some(PLACEHOLDER);
        }
        let is_empty = value.is_null() || value.as_str() == Some("");
        is_empty || self.is_said(entry, called.call, name, value)
    }

    fn is_said(&self, entry: &Entry, call: &FunctionCall, name: &str, value: &Value) -> bool {
        let Some(tool) = entry.candidate(&call.name) else { return true };
        let listed = tool.parameters.properties.get(name).and_then(|it| it.values.as_ref());
        let is_listed = listed.is_some_and(|values| values.iter().any(|it| Value::from(it.clone()) == *value));
        let texts = || entry.sample.messages.iter().filter_map(|message| message.content.as_deref());
        is_listed || texts().any(|text| self.ground.says(tool, name, value, text).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::finding::Severity;
    use super::super::super::testing::{entry, said};
    use super::*;
    use crate::record::{Argument, Sample};

    fn found(sample: Sample, is_authors: bool) -> Vec<(&'static str, Severity)> {
        let mut rule = Sources::new(&Ground::load(crate::fixtures::assets(), "en").unwrap(), is_authors);
        let mut findings = Findings::default();
        rule.see(&entry(sample), &mut findings);
        findings.rules().map(|(rule, severity, ..)| (rule, severity)).collect()
    }

    fn noted(text: &str, arguments: &str, name: &str, origin: Origin) -> Sample {
        let mut sample = said("a", "ST_Perfect", text, arguments);
        sample.arguments.insert(name.to_owned(), Argument { origin, ..Argument::default() });
        sample
    }

    #[test]
    fn an_identifier_that_nobody_gave_is_an_error_and_any_other_value_a_warning() {
        let (words, call) = ("2 seats to PRT-77", r#"{"to": "PRT-77", "seats": 2}"#);
        assert_eq!(found(said("a", "ST_Perfect", words, call), false), []);
        let lost = said("a", "ST_Perfect", "2 seats", call);
        let both = [("source", Severity::Error), ("origin", Severity::Warning)];
        assert_eq!(found(lost.clone(), false), both);
        assert_eq!(found(lost, true), [("source", Severity::Warning)], "the authors' layout says less");
        let silent = said("a", "ST_Perfect", "seats to Porto", r#"{"to": "Porto", "seats": 2}"#);
        assert_eq!(found(silent, false), [("origin", Severity::Warning)]);
    }

    #[test]
    fn every_origin_will_do_but_none_at_all() {
        let (words, call) = ("seats to Porto", r#"{"to": "Porto", "seats": 2}"#);
        for origin in [Origin::Default, Origin::Inferred, Origin::Normalised] {
            assert_eq!(found(noted(words, call, "seats", origin), false), []);
        }
        assert_eq!(found(noted(words, call, "seats", Origin::Missing), false), [("origin", Severity::Warning)]);
        let answer = Origin::Answer { call: 0, field: "/seats".to_owned() };
        assert_eq!(found(noted(words, call, "seats", answer), false), [("source", Severity::Error)]);
    }
}
