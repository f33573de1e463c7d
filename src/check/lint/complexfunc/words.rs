//! A value that the request gives stands in it, in the words that its note names.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::super::super::ground::Ground;
use super::Rule;
use crate::locale::{Stand, value_stands};
use crate::record::{Argument, Origin, Tool, Value};
use std::sync::Arc;

/// Looks at each sample by itself.
pub(super) struct Words(Arc<Ground>);

impl Words {
    pub(super) fn new(ground: Arc<Ground>) -> Self {
        Self(ground)
    }

    fn fault(&self, entry: &Entry, tool: &Tool, (name, value): (&str, &Value), note: &Argument) -> Option<String> {
        let words = entry.said().words;
        if let Some(surface) = note.surface.as_deref().filter(|surface| !is_there(words, surface)) {
            return Some(format!("is said by `{surface}`, which the request does not say"));
        }
        // A listed value or a flag is said in words of the toolset's, which the bench does not hold.
        let must_stand = matches!(note.origin, Origin::Verbatim | Origin::Normalised);
        let is_open = matches!(note.origin, Origin::Enum) && note.surface.is_none();
        let stands = || self.stands(entry, tool, name, value);
        ((must_stand || is_open) && !stands()).then(|| format!("is {value}, which the request does not say"))
    }

    /// Whether the words say a value, as its kind and the locale have it. A list of numbers is said number by number.
    fn stands(&self, entry: &Entry, tool: &Tool, name: &str, value: &Value) -> bool {
        let words = entry.said().words;
        if value.as_str().is_some_and(|text| !text.is_empty() && words.contains(text)) {
            return true;
        }
        let Some(parameter) = tool.parameters.properties.get(name) else { return false };
        let names = [name, parameter.description.as_deref().unwrap_or_default()];
        let stand = Stand {
            kind: tool.kinds.get(name).map(String::as_str),
            type_name: parameter.type_name(),
            reference_time: entry.sample.reference_time.as_deref(),
            names: &names,
            ..Stand::default()
        };
        let says = |value: &Value| value_stands(words, value, &stand, &self.0.language).is_some();
        let parts = || value.as_str().into_iter().flat_map(|text| text.split(',')).map(|part| Value::read(part.trim()));
        says(value) || parts().count() > 1 && parts().all(|part| part.is_ok_and(|part| says(&part)))
    }
}

impl Rule for Words {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        for (at, called) in entry.calls().iter().enumerate() {
            let Some(tool) = entry.candidate(&called.call.name) else { continue };
            for (name, note) in called.notes.into_iter().flatten().filter(|(_, note)| is_said(note)) {
                let Some(value) = called.call.arguments.get(name) else { continue };
                let fault = self.fault(entry, tool, (name, value), note);
                findings.tally("values stand in their request", fault.is_none());
                if let Some(fault) = fault {
                    findings.error("value", entry, format!("call {at}: {}.{name} {fault}", called.call.name));
                }
            }
        }
    }
}

/// Whether the note says that the words give the value.
fn is_said(note: &Argument) -> bool {
    match note.origin {
        Origin::Verbatim | Origin::Normalised | Origin::Enum => true,
        Origin::Inferred => note.surface.is_some(),
        _ => false,
    }
}

/// Several leaves are parted by commas.
fn is_there(words: &str, surface: &str) -> bool {
    words.contains(surface) || surface.split(", ").all(|part| words.contains(part))
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{complex, complex_ground, entry, step};
    use super::super::super::testing::found;
    use super::*;
    use crate::record::Sample;

    fn told(change: impl FnOnce(&mut Sample)) -> Vec<String> {
        let mut sample = complex();
        change(&mut sample);
        found(Words::new(complex_ground()), &[entry(sample)])
    }

    fn says(words: &str) -> impl FnOnce(&mut Sample) {
        let words = words.to_owned();
        move |sample| sample.messages[0].content = Some(words)
    }

    #[test]
    fn what_is_said_stands_there() {
        assert_eq!(told(|_| {}), Vec::<String>::new());
        let gone = told(says("Inns in Millbrook from November 5, 2024."));
        assert_eq!(
            gone,
            ["value: call 1: Search_Inns.departure is said by `November 8, 2024`, which the request does not say"]
        );
    }

    #[test]
    fn a_date_must_be_the_one_that_the_words_mean() {
        let told =
            told(|sample| drop(step(sample, 1).calls[0].arguments.insert("arrival".to_owned(), "2024-11-06".into())));
        assert_eq!(told, ["value: call 1: Search_Inns.arrival is \"2024-11-06\", which the request does not say"]);
    }

    #[test]
    fn numbers_in_a_row_are_said_one_by_one_and_sorts_by_their_words() {
        let with = |name: &'static str, value: &'static str, surface: &'static str, origin: Origin| {
            move |sample: &mut Sample| {
                let words =
                    "Inns in Millbrook from November 5, 2024 to November 8, 2024 with children of 5 and 8, by stars";
                sample.messages[0].content = Some(words.to_owned());
                let step = step(sample, 1);
                step.calls[0].arguments.insert(name.to_owned(), value.into());
                let note = Argument { surface: Some(surface.to_owned()), origin, ..Argument::default() };
                step.notes[0].insert(name.to_owned(), note);
            }
        };
        assert_eq!(told(with("ages", "5,8", "children of 5 and 8", Origin::Normalised)), Vec::<String>::new());
        assert_eq!(told(with("ages", "5,9", "children of 5 and 8", Origin::Normalised)).len(), 1);
        assert_eq!(told(with("sort", "stars", "by stars", Origin::Enum)), Vec::<String>::new());
        assert_eq!(told(with("sort", "price", "by price", Origin::Enum)).len(), 1);
    }
}
