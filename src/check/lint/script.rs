//! What people say is in the letters of the locale.

use super::super::entry::{Entry, Place};
use super::super::finding::{Finding, Findings, Severity};
use super::super::ground::Ground;
use super::Rule;
use crate::locale::right_script;
use std::ops::Range;
use std::sync::Arc;

/// Least share of user texts in the right letters.
const LEAST: f64 = 0.99;

/// Counts texts; a name in other letters is nobody's fault, many texts in other letters are.
pub(super) struct RightScript {
    ground: Arc<Ground>,
    texts: u32,
    wrong: u32,
    first: Option<(Place, String)>,
}

impl RightScript {
    pub(super) fn new(ground: Arc<Ground>) -> Self {
        Self { ground, texts: 0, wrong: 0, first: None }
    }
}

impl Rule for RightScript {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let said = entry.said();
        let is_right = |text: &str| right_script(text, &self.ground.language, &values(entry, text));
        let right = is_right(said.words) && said.external.is_none_or(is_right);
        findings.tally("user texts are in the right script", right);
        self.texts += 1;
        if !right {
            self.wrong += 1;
            self.first.get_or_insert_with(|| (entry.place.clone(), entry.sample.id.to_string()));
            let expected = &self.ground.language.name;
            findings.warning("script", entry, format!("`{}` is not in the letters of {expected}", said.words));
        }
    }

    fn end(&mut self, findings: &mut Findings) {
        let share = 1.0 - f64::from(self.wrong) / f64::from(self.texts.max(1));
        if let (Some((place, id)), true) = (&self.first, share < LEAST) {
            let message = format!("{:.1} % of the user texts are in the right script; expected 99 %", share * 100.0);
            findings.add(Finding::new("script_share", Severity::Error, place, id, message));
        }
    }
}

/// Where the text says a value; names keep their letters.
fn values(entry: &Entry, text: &str) -> Vec<Range<usize>> {
    let of_steps = entry.calls().into_iter().filter_map(|called| called.notes).flat_map(indexmap::IndexMap::values);
    let notes = entry.sample.arguments.values().chain(of_steps);
    let surfaces = notes.filter_map(|note| note.surface.as_deref());
    let places = surfaces.filter(|surface| !surface.is_empty()).flat_map(|surface| text.match_indices(surface));
    places.map(|(at, surface)| at..at + surface.len()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{entry, said};
    use super::super::testing::found;
    use super::*;
    use crate::record::{Argument, Origin};

    fn of(words: &[&str], surface: &str) -> Vec<String> {
        let entries = words.iter().map(|words| {
            let mut sample = said("a", "ST_Perfect", words, r#"{"to": "x"}"#);
            let note = Argument { surface: Some(surface.to_owned()), origin: Origin::Verbatim, ..Argument::default() };
            sample.arguments.insert("to".to_owned(), note);
            entry(sample)
        });
        found(RightScript::new(Ground::load(crate::fixtures::assets(), "zh").unwrap()), &entries.collect::<Vec<_>>())
    }

    #[test]
    fn a_text_in_other_letters_is_shown_and_many_are_a_fault() {
        let found = of(&["订一张票", "book a seat"], "");
        assert!(found[0].starts_with("script: `book a seat`"), "{found:?}");
        assert_eq!(found[1], "script_share: 50.0 % of the user texts are in the right script; expected 99 %");
        assert_eq!(of(&["订一张票"; 3], ""), Vec::<String>::new());
    }

    #[test]
    fn values_keep_their_letters() {
        assert_eq!(of(&["放Call Me Maybe Right Now"], "Call Me Maybe Right Now"), Vec::<String>::new());
    }
}
