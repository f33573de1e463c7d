//! Where the values of calls come from: an identifier, and what an answer gave, stands before the call that uses it.

use crate::record::{
    Argument, ArgumentNotes, Expected, FunctionCall, Message, Origin, PLACEHOLDER, Role, Sample, Tool, Value,
};
use std::cell::OnceCell;
use std::fmt;
use std::sync::Arc;

/// The value kind of identifiers.
const ID: &str = "id";

/// A value of a call that stands nowhere before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsourced {
    /// The tool that is called.
    pub tool: String,
    /// The parameter.
    pub parameter: String,
    /// The value, as a text.
    pub value: String,
}

impl fmt::Display for Unsourced {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{} = {}", self.tool, self.parameter, self.value)
    }
}

/// Everything that stands before a call: what was said, called and answered, and what the tools say of themselves.
#[derive(Debug)]
pub struct Before<'t> {
    /// In lower case.
    texts: Vec<String>,
    tools: &'t [Arc<Tool>],
    /// What the tools say of themselves, in lower case, once somebody looks there.
    shown: OnceCell<String>,
}

/// The values of a sample's calls that stand nowhere before them: of the calls in its messages that may be learned, and
/// of those that are right.
pub fn unsourced(sample: &Sample) -> Vec<Unsourced> {
    let mut before = Before::new(&sample.candidates);
    sample.reference_time.iter().for_each(|time| before.add(time));
    let mut found = Vec::new();
    for message in &sample.messages {
        if message.role == Role::Assistant && message.train {
            found.extend(message.tool_calls.iter().filter_map(|call| before.unsourced(call, None)));
        }
        before.hear(message);
    }
    match &sample.expected {
        Expected::Call(call) => found.extend(before.unsourced(call, Some(&sample.arguments))),
        Expected::Steps(steps) => {
            for step in steps {
                let calls = step.calls.iter().enumerate();
                found.extend(calls.filter_map(|(at, call)| before.unsourced(call, step.notes.get(at))));
                step.calls.iter().for_each(|call| before.called(call));
                step.answers.iter().for_each(|answer| before.add(&answer.to_string()));
            }
        }
        _ => {}
    }
    found
}

impl<'t> Before<'t> {
    /// Nothing but the tools.
    pub fn new(tools: &'t [Arc<Tool>]) -> Self {
        Self { texts: Vec::new(), tools, shown: OnceCell::new() }
    }

    /// Adds a message.
    pub fn hear(&mut self, message: &Message) {
        message.tool_calls.iter().for_each(|call| self.called(call));
        message.content.iter().for_each(|text| self.add(text));
    }

    /// Adds a call.
    pub fn called(&mut self, call: &FunctionCall) {
        self.add(&Value::Object(call.arguments.clone()).to_string());
    }

    /// Adds a text.
    pub fn add(&mut self, text: &str) {
        self.texts.push(text.to_lowercase());
    }

    /// The first value of a call that has to stand before it and does not.
    pub fn unsourced(&self, call: &FunctionCall, notes: Option<&ArgumentNotes>) -> Option<Unsourced> {
        let tool = self.tools.iter().find(|tool| tool.name == call.name);
        call.arguments.iter().find_map(|(name, value)| {
            let is_id = tool.and_then(|tool| tool.kinds.get(name)).is_some_and(|kind| kind == ID);
            let note = notes.and_then(|notes| notes.get(name));
            let value = self.absent(value, is_id, note)?;
            Some(Unsourced { tool: call.name.clone(), parameter: name.clone(), value })
        })
    }

    /// The first leaf of a value that has to stand before the call and does not.
    fn absent(&self, value: &Value, is_id: bool, note: Option<&Argument>) -> Option<String> {
        match value {
            Value::List(list) => list.iter().find_map(|it| self.absent(it, is_id, note)),
            Value::Object(object) => object.values().find_map(|it| self.absent(it, is_id, note)),
            Value::Null | Value::Bool(_) => None,
            Value::Number(_) => self.absent_text(&value.to_string(), is_id, note),
            Value::String(text) if text == PLACEHOLDER || text.is_empty() => None,
            // Several identifiers may stand in one text, with commas between.
            Value::String(text) => text.split(',').find_map(|part| self.absent_text(part.trim(), is_id, note)),
        }
    }

    fn absent_text(&self, text: &str, is_id: bool, note: Option<&Argument>) -> Option<String> {
        let is_answer = matches!(note.map(|note| &note.origin), Some(Origin::Answer { .. }));
        let is_checked = is_id || is_answer || is_identifier(text);
        let is_said = || {
            let said = note.filter(|note| !matches!(note.origin, Origin::Answer { .. } | Origin::Missing));
            said.and_then(|note| note.surface.as_deref()).is_some_and(|surface| self.stands(surface))
        };
        (is_checked && !text.is_empty() && !self.stands(text) && !is_said()).then(|| text.to_owned())
    }

    /// Whether a text stands in what was said, called or answered, or in what the tools say of themselves.
    fn stands(&self, wanted: &str) -> bool {
        let (plain, bare) = (wanted.to_lowercase(), bare(wanted));
        let is_bare = bare.chars().count() >= LEAST;
        self.texts.iter().any(|text| holds(text, &plain) || is_bare && self::bare(text).contains(&bare))
            || holds(self.shown(), &plain)
    }

    fn shown(&self) -> &str {
        self.shown.get_or_init(|| self.tools.iter().map(|tool| shown(tool).to_lowercase()).collect())
    }
}

/// What a model is shown of a tool.
fn shown(tool: &Tool) -> String {
    let parameters = serde_json::to_string(&tool.parameters).unwrap_or_default();
    format!("{} {} {parameters}\n", tool.name, tool.description)
}

/// The least number of characters of a text that is an identifier by its form.
const LEAST: usize = 4;

/// Whether a text is an identifier by its form: letters and digits in one word, and neither a moment, a period nor a number
/// with its unit, which people say in other words.
fn is_identifier(text: &str) -> bool {
    let is_word = text.is_ascii() && !text.contains(char::is_whitespace) && text.len() >= LEAST;
    let has_digit = text.contains(|it: char| it.is_ascii_digit());
    let has_letter = text.contains(|it: char| it.is_ascii_alphabetic());
    is_word && has_digit && has_letter && !(is_moment(text) || is_date(text) || is_period(text) || is_measure(text))
}

/// A date with a time, in ISO 8601: `2026-03-05T09:00`, with seconds and zone or without.
fn is_moment(text: &str) -> bool {
    let Some((date, time)) = text.split_once('T') else { return false };
    let is_date = date.len() == 10 && date.chars().all(|it| it.is_ascii_digit() || it == '-');
    is_date && time.chars().all(|it| it.is_ascii_digit() || ":.+-Z".contains(it))
}

/// A date with the name of its month: `01/May/2023`, `25-Dec`.
fn is_date(text: &str) -> bool {
    let parts = || text.split(['-', '/', '.', ',']);
    let is_number = |part: &&str| !part.is_empty() && part.len() <= 4 && part.chars().all(|it| it.is_ascii_digit());
    let is_name = |part: &&str| {
        let tail = part.get(1..).unwrap_or_default();
        part.starts_with(|it: char| it.is_ascii_uppercase())
            && tail.len() >= 2
            && tail.chars().all(|it| it.is_ascii_lowercase())
    };
    parts().filter(is_name).count() == 1 && parts().all(|part| is_number(&part) || is_name(&part))
}

/// A length of time, in ISO 8601: `PT1H30M`.
fn is_period(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('P') else { return false };
    let begins = rest.starts_with(|it: char| it.is_ascii_digit() || it == 'T');
    begins
        && rest.ends_with(|it| "YMWDHS".contains(it))
        && rest.chars().all(|it| it.is_ascii_digit() || "YMWDTHS.".contains(it))
}

/// A number with a unit of a few letters: `30min`, `10:30am`, `1080p`, `16GB`.
fn is_measure(text: &str) -> bool {
    let unit = text.trim_start_matches(|it: char| it.is_ascii_digit() || ".:,/-".contains(it));
    let is_unit = !unit.is_empty() && unit.len() <= 3 && unit.chars().all(|it| it.is_ascii_lowercase());
    unit.len() < text.len()
        && (is_unit || ["AM", "PM", "KB", "MB", "GB", "TB", "Hz", "kHz", "MHz", "GHz"].contains(&unit))
}

/// Whether a word, or several, stands in a text and is no part of a longer word.
fn holds(text: &str, wanted: &str) -> bool {
    let is_edge = |next: Option<char>, own: Option<char>| {
        !(next.is_some_and(|it| it.is_ascii_alphanumeric()) && own.is_some_and(|it| it.is_ascii_alphanumeric()))
    };
    !wanted.is_empty()
        && text.match_indices(wanted).any(|(at, found)| {
            let (front, back) = (text.get(..at).unwrap_or_default(), text.get(at + found.len()..).unwrap_or_default());
            is_edge(front.chars().next_back(), wanted.chars().next())
                && is_edge(back.chars().next(), wanted.chars().next_back())
        })
}

/// The letters and digits of a text in lower case: `AB 12-3` is `ab123`.
fn bare(text: &str) -> String {
    text.chars().filter(|it| it.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_is_told_by_its_form() {
        for text in [
            "AC-1234",
            "CARD0007",
            "wifi_7g",
            "U99x",
            "b2c4",
            "2026X",
            "PM000",
            "P12345",
            "anna2@mail.org",
            "9f86d081884c7d65",
        ] {
            assert!(is_identifier(text), "{text}");
        }
        let others =
            ["2026-03-05T09:00:00", "2026-03-05T09:00Z", "PT1H30M", "10:30am", "30min", "1080p", "16GB", "7pm"];
        for text in others.into_iter().chain(["01/May/2023", "25-Dec", "Porto", "12345", "3 days", "3월5일"]) {
            assert!(!is_identifier(text), "{text}");
        }
    }
}
