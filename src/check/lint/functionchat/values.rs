//! A call has the form that its function asks for, and every value was said in some turn of the person, or answered by a tool.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::super::super::ground::Ground;
use super::super::super::hash::hash;
use super::Rule;
use crate::gate::{check_type, stands};
use crate::record::{Argument, Origin, Role, Tool, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Looks at each right call by itself.
pub(super) struct Values {
    ground: Arc<Ground>,
    is_authors: bool,
    /// Requests that were looked at: each list of tools shows them again.
    seen: BTreeSet<u64>,
}

impl Values {
    pub(super) fn new(ground: Arc<Ground>, is_authors: bool) -> Self {
        Self { ground, is_authors, seen: BTreeSet::new() }
    }

    /// Whether the value, or one that is as right, stands where it should.
    fn is_grounded(&self, entry: &Entry, tool: &Tool, name: &str, value: &Value) -> bool {
        let note = entry.sample.arguments.get(name);
        let others = entry.sample.acceptable.get(name).into_iter().flatten();
        let mut right = std::iter::once(value).chain(others);
        let said = |value: &Value| entry.user_texts().any(|text| self.says(tool, name, value, text));
        match note.map(|note| &note.origin) {
            Some(Origin::Inferred | Origin::Default) => true,
            Some(Origin::Answer { .. }) => is_answered(entry, value),
            _ => right.any(said) || is_listed(entry, value) || is_answered(entry, value),
        }
    }

    /// Whether a text says a value; the authors' functions do not declare in which form they want it.
    fn says(&self, tool: &Tool, name: &str, value: &Value, text: &str) -> bool {
        let parameter = tool.parameters.properties.get(name).filter(|_| self.is_authors);
        let stands = parameter
            .and_then(|parameter| stands((tool, name, parameter), value, text, (&[], None), &self.ground.language));
        stands.is_some() || self.ground.says(tool, name, value, text).is_some()
    }
}

/// Whether the value is a list in a text, each part of which the person says.
fn is_listed(entry: &Entry, value: &Value) -> bool {
    let said = |part: &str| entry.user_texts().any(|text| text.contains(part.trim()));
    value.as_str().is_some_and(|text| text.contains(',') && text.split(',').all(said))
}

/// Whether a tool, or the assistant after it, has said the value before.
fn is_answered(entry: &Entry, value: &Value) -> bool {
    let plain = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let earlier = entry.sample.messages.iter().filter(|message| matches!(message.role, Role::Tool | Role::Assistant));
    earlier.filter_map(|message| message.content.as_deref()).any(|content| content.contains(&plain))
}

impl Rule for Values {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let (Some(call), Some(tool)) = (entry.call(), entry.tool()) else { return };
        let said = entry.user_texts().collect::<Vec<_>>().join("\n");
        if !self.seen.insert(hash(&[&said, &serde_json::to_string(call).unwrap_or_default()])) {
            return;
        }
        for name in tool.parameters.required.iter().filter(|name| !call.arguments.contains_key(*name)) {
            findings.error("required", entry, format!("`{}` requires `{name}`, which is not given", tool.name));
        }
        for (name, value) in &call.arguments {
            let Some(parameter) = tool.parameters.properties.get(name) else {
                findings.error("parameter", entry, format!("`{}` has no parameter `{name}`", tool.name));
                continue;
            };
            if let Err(fault) = check_type(name, parameter, value) {
                findings.error("type", entry, fault.detail);
            }
            let is_grounded = self.is_grounded(entry, tool, name, value);
            findings.tally("values stand in what was said", is_grounded);
            if !is_grounded {
                // The layout of the authors does not say how people say flags, dates and units.
                let put = if self.is_authors { Findings::warning } else { Findings::error };
                put(findings, "value", entry, format!("nobody says {name} = {value}"));
            }
            stale(entry, name, entry.sample.arguments.get(name), findings);
        }
    }
}

/// A note's words are among those that were said.
fn stale(entry: &Entry, name: &str, note: Option<&Argument>, findings: &mut Findings) {
    let Some(surface) = note.and_then(|note| note.surface.as_deref()) else { return };
    let stands = |words: &str| entry.user_texts().any(|text| text.contains(words));
    if !stands(surface) && !surface.split(", ").all(stands) {
        findings.error("note", entry, format!("the note says that `{surface}` gives `{name}`, and nobody says it"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{dialog, entries, single};
    use super::super::super::testing::found;
    use super::*;
    use crate::record::{Expected, Sample};

    fn told(sample: Sample) -> Vec<String> {
        found(Values::new(Ground::load(crate::fixtures::assets(), "en").unwrap(), false), &entries(vec![sample]))
    }

    fn with(name: &str, value: impl Into<Value>) -> Sample {
        let mut sample = dialog().remove(1);
        let Expected::Call(call) = &mut sample.expected else { panic!("no call") };
        call.arguments.insert(name.to_owned(), value.into());
        sample
    }

    #[test]
    fn a_value_may_come_from_any_turn_or_from_an_answer() {
        assert_eq!(told(dialog().remove(1)), Vec::<String>::new());
        assert_eq!(told(with("pier", "Dover")), ["value: nobody says pier = \"Dover\""]);
        let mut early = with("pier", "Dover");
        early.messages[0].content = Some("Find boats in Dover for me".to_owned());
        assert_eq!(told(early), Vec::<String>::new());
        let mut answered = with("pier", "Dover");
        answered.messages.insert(2, crate::record::Message::new(Role::Tool, "{\"pier\": \"Dover\"}"));
        assert_eq!(told(answered), Vec::<String>::new());
    }

    #[test]
    fn calls_have_the_form_that_is_asked_for() {
        assert_eq!(
            told(with("boats", "two")),
            ["type: boats = \"two\" is no integer", "value: nobody says boats = \"two\""]
        );
        assert_eq!(told(with("sail", "red")), ["parameter: `find_boat` has no parameter `sail`"]);
        let mut bare = with("boats", 2);
        let Expected::Call(call) = &mut bare.expected else { panic!("no call") };
        call.arguments.shift_remove("pier");
        assert_eq!(told(bare), ["required: `find_boat` requires `pier`, which is not given"]);
    }

    #[test]
    fn notes_are_of_what_was_said() {
        let mut noted = single("a", "exact");
        let note = |surface: Option<&str>, origin| Argument {
            surface: surface.map(str::to_owned),
            origin,
            ..Argument::default()
        };
        noted.arguments.insert("pier".to_owned(), note(Some("Dover"), Origin::Verbatim));
        noted.arguments.insert("boats".to_owned(), note(None, Origin::Default));
        noted.messages[0].content = Some("boats at Hill pier".to_owned());
        assert_eq!(told(noted), ["note: the note says that `Dover` gives `pier`, and nobody says it"]);
    }
}
