//! Every value stands in the text that gives it; a hidden one stands in the external text and not in the words.

use super::super::entry::Entry;
use super::super::finding::Findings;
use super::super::ground::Ground;
use super::Rule;
use crate::record::{Argument, Origin, Tool, Value};
use std::sync::Arc;

/// Looks at what each turn gives.
pub(super) struct Values(Arc<Ground>);

impl Values {
    pub(super) fn new(ground: Arc<Ground>) -> Self {
        Self(ground)
    }
}

impl Rule for Values {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let Some(tool) = entry.tool().filter(|_| entry.has_past()) else { return };
        for name in entry.fresh().into_iter().filter(|name| tool.parameters.properties.contains_key(*name)) {
            let Some(value) = entry.call().and_then(|call| call.arguments.get(name)) else { continue };
            let note = entry.sample.arguments.get(name);
            if note.is_some_and(is_not_said) {
                continue;
            }
            let fault = self.fault(entry, tool, name, value);
            findings.tally("values stand in their text", fault.is_none());
            if let Some((rule, message)) = fault {
                // The layout of the authors does not say how people say flags and listed values.
                let is_known = rule != "value" || !is_worded(tool, name, value);
                let put = if is_known { Findings::error } else { Findings::warning };
                put(findings, rule, entry, message);
            } else if let Some(surface) = note.and_then(|note| note.surface.as_deref()) {
                stale_surface(entry, name, surface, findings);
            }
        }
        self.something_is_hidden(entry, tool, findings);
    }
}

/// Whether the value comes from elsewhere than the text.
fn is_not_said(note: &Argument) -> bool {
    matches!(note.origin, Origin::Inferred | Origin::Answer { .. } | Origin::Default)
}

impl Values {
    fn fault(&self, entry: &Entry, tool: &Tool, name: &str, value: &Value) -> Option<(&'static str, String)> {
        let said = entry.said();
        let stands = |text: &str| self.0.says(tool, name, value, text).is_some();
        let shown = serde_json::to_string(value).unwrap_or_default();
        let hidden = said.external.is_some() && (entry.hidden() == Some(name) || entry.sample.snapshot.is_some());
        match said.external {
            Some(external) if hidden => match (stands(external), stands(said.words)) {
                (false, _) => Some(("value", format!("the external text does not say {name} = {shown}"))),
                (true, true) => Some(("hidden", format!("the words say {name} = {shown}, which they should hide"))),
                (true, false) => None,
            },
            // Where nothing says which value is hidden, either text may give it.
            Some(external) if entry.hidden().is_none() && stands(external) => None,
            _ if stands(said.words) => None,
            _ => Some(("value", format!("the text does not say {name} = {shown}"))),
        }
    }

    /// External text is there for a value that the words do not say.
    fn something_is_hidden(&self, entry: &Entry, tool: &Tool, findings: &mut Findings) {
        let said = entry.said();
        let (Some(external), Some(call)) = (said.external, entry.call()) else { return };
        if entry.hidden().is_some() || entry.sample.snapshot.is_some() {
            return;
        }
        let hidden = call.arguments.iter().any(|(name, value)| {
            let stands = |text: &str| self.0.says(tool, name, value, text).is_some();
            stands(external) && !stands(said.words)
        });
        if !hidden {
            findings.error("hidden", entry, "no value stands in the external text alone");
        }
    }
}

/// Whether people may say the value in words that nobody lists: a flag, or one of the values that a description names.
fn is_worded(tool: &Tool, name: &str, value: &Value) -> bool {
    let parameter = tool.parameters.properties.get(name);
    let described = parameter.and_then(|parameter| parameter.description.as_deref()).unwrap_or_default();
    let is_open = parameter.is_some_and(|parameter| parameter.values.is_none()) && !tool.wordings.contains_key(name);
    is_open && (value.as_bool().is_some() || value.as_str().is_some_and(|text| described.contains(text)))
}

/// A note's surface is what the text says; several leaves are parted by commas.
fn stale_surface(entry: &Entry, name: &str, surface: &str, findings: &mut Findings) {
    let said = entry.said();
    let stands = |words: &str| said.words.contains(words) || said.external.is_some_and(|text| text.contains(words));
    if !stands(surface) && !surface.split(", ").all(stands) {
        findings.error(
            "note",
            entry,
            format!("the note says that `{surface}` gives `{name}`, and the text does not say it"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::finding::Severity;
    use super::super::super::testing::{entry, said, sample, snapshots};
    use super::super::testing::found;
    use super::*;

    fn of(entries: &[Entry]) -> Vec<String> {
        found(Values::new(Ground::load(crate::fixtures::assets(), "en").unwrap()), entries)
    }

    fn external(words: &str, hidden: Option<&str>) -> Entry {
        let mut sample = said("a", "ST_External", words, r#"{"to": "Porto", "seats": 2}"#);
        sample.tags.extend(hidden.map(|name| format!("hidden:{name}")));
        entry(sample)
    }

    #[test]
    fn a_value_that_nobody_says_is_found() {
        let silent = said("a", "ST_Perfect", "two seats, please", r#"{"to": "Porto", "seats": 2}"#);
        assert_eq!(of(&[entry(silent)]), [r#"value: the text does not say to = "Porto""#]);
        assert_eq!(of(&[entry(sample("a", "ST_Perfect"))]), Vec::<String>::new());
    }

    #[test]
    fn what_is_inferred_need_not_be_said() {
        let mut inferred = said("a", "ST_Perfect", "seats to Porto", r#"{"to": "Porto", "seats": 2}"#);
        inferred
            .arguments
            .insert("seats".to_owned(), Argument { surface: None, origin: Origin::Default, ..Argument::default() });
        assert_eq!(of(&[entry(inferred)]), Vec::<String>::new());
    }

    #[test]
    fn a_turn_says_what_it_gives_and_need_not_repeat_the_rest() {
        let mut turns = snapshots("b/0", "Based", &[r#"{"to": "Porto"}"#, r#"{"to": "Porto", "seats": 2}"#]);
        let last = turns[1].sample.messages.last_mut().unwrap();
        last.content = Some("just two".to_owned());
        assert_eq!(of(&turns), Vec::<String>::new());
        turns[1].sample.messages.last_mut().unwrap().content = Some("three".to_owned());
        assert_eq!(of(&turns), ["value: the text does not say seats = 2"]);
    }

    #[test]
    fn a_hidden_value_stands_elsewhere_alone() {
        let sound = "EK:The fair is in Porto.\nquery:2 seats to the place in the note";
        assert_eq!(of(&[external(sound, Some("to")), external(sound, None)]), Vec::<String>::new());
        let told = "EK:The fair is in Porto.\nquery:2 seats to Porto as in the note";
        assert_eq!(
            of(&[external(told, Some("to"))]),
            [r#"hidden: the words say to = "Porto", which they should hide"#]
        );
        assert_eq!(of(&[external(told, None)]), ["hidden: no value stands in the external text alone"]);
        let missing = "EK:The fair is far.\nquery:2 seats to the place in the note";
        assert_eq!(of(&[external(missing, Some("to"))]), [r#"value: the external text does not say to = "Porto""#]);
    }

    #[test]
    fn what_nobody_can_tell_is_no_error() {
        let mut sample = said("a", "ST_Perfect", "on my face", r#"{"to": "front", "seats": 2}"#);
        let tool = std::sync::Arc::make_mut(&mut sample.candidates[1]);
        tool.parameters.properties["to"].description = Some("Which camera (front, back)".to_owned());
        let (mut rule, mut findings) =
            (Values::new(Ground::load(crate::fixtures::assets(), "en").unwrap()), Findings::default());
        rule.see(&entry(sample), &mut findings);
        let found: Vec<_> = findings.rules().map(|(rule, severity, count, _)| (rule, severity, count)).collect();
        assert_eq!(found, [("value", Severity::Warning, 1), ("value", Severity::Error, 1)]);
    }

    #[test]
    fn a_surface_is_a_piece_of_the_text() {
        let mut noted = sample("a", "ST_Perfect");
        let surface = Some("Lisbon".to_owned());
        noted.arguments.insert("to".to_owned(), Argument { surface, origin: Origin::Verbatim, ..Argument::default() });
        assert_eq!(of(&[entry(noted)]), ["note: the note says that `Lisbon` gives `to`, and the text does not say it"]);
    }
}
