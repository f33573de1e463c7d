//! When a reply asks for what a call still needs: by the marks and turns of phrase of its locale, or by naming it.

use crate::record::{Argument, ArgumentNotes, Expected, FunctionCall, Origin, Sample, Tool, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The fewest letters of a word in Latin script that says what a parameter is about.
const LEAST: usize = 3;

/// How a locale asks.
#[derive(Debug, Clone, Default)]
pub struct QuestionWords {
    signs: Vec<String>,
    stop: BTreeSet<String>,
}

impl QuestionWords {
    /// Marks and turns of phrase that ask, in small letters, and words without a meaning of their own.
    pub fn new(signs: Vec<String>, stop: impl IntoIterator<Item = String>) -> Self {
        Self { signs, stop: stop.into_iter().map(|word| word.to_lowercase()).collect() }
    }

    /// Whether a text asks; `about` are names and descriptions of the parameters that it may ask for.
    pub fn asks(&self, text: &str, about: &[String]) -> bool {
        let text = text.to_lowercase();
        let said = words_of(&text);
        let is_said = |word: &String| if word.is_ascii() { said.contains(word) } else { text.contains(word.as_str()) };
        self.signs.iter().any(|sign| !sign.is_empty() && text.contains(sign.as_str()))
            || about.iter().flat_map(|it| words_of(it)).any(|word| self.tells(&word) && is_said(&word))
    }

    /// Whether a text asks for one thing at most: by no sign more than once.
    pub fn is_single(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.signs.iter().all(|sign| text.matches(sign.as_str()).count() <= 1)
    }

    /// Whether a word says what something is about.
    fn tells(&self, word: &str) -> bool {
        let least = if word.is_ascii() { LEAST } else { 2 };
        word.chars().count() >= least && !self.stop.contains(word)
    }
}

/// The required parameters of a call that are not given, in declared order.
pub fn missing_required<'t>(
    tools: &'t [Arc<Tool>],
    call: &FunctionCall,
    is_given: impl Fn(&str, &Value) -> bool,
) -> Vec<&'t str> {
    let tool = tools.iter().find(|tool| tool.name == call.name);
    let required = tool.into_iter().flat_map(|tool| &tool.parameters.required);
    let is_absent = |name: &&String| call.arguments.get(*name).is_none_or(|value| !is_given(name, value));
    required.filter(is_absent).map(String::as_str).collect()
}

/// The required parameters that the right calls of a sample lack; `tools` are its candidates by the names of those calls.
pub fn missing_of(sample: &Sample, tools: &[Arc<Tool>]) -> Vec<String> {
    let of_call = |call: &FunctionCall, notes: Option<&ArgumentNotes>| -> Vec<String> {
        let is_given = |name: &str, value: &Value| is_given(value, notes.and_then(|notes| notes.get(name)));
        missing_required(tools, call, is_given).into_iter().map(str::to_owned).collect()
    };
    match &sample.expected {
        Expected::Call(call) => of_call(call, Some(&sample.arguments)),
        Expected::Steps(steps) => {
            let calls =
                steps.iter().flat_map(|step| step.calls.iter().enumerate().map(|(at, it)| (it, step.notes.get(at))));
            let mut missing: Vec<String> = calls.flat_map(|(call, notes)| of_call(call, notes)).collect();
            missing.sort_unstable();
            missing.dedup();
            missing
        }
        _ => Vec::new(),
    }
}

/// Whether an argument is given, and does not only stand there because a layout wants one.
pub fn is_given(value: &Value, note: Option<&Argument>) -> bool {
    let is_padding = value.is_null() || value.as_str() == Some("");
    let is_missing = note.is_some_and(|note| note.origin == Origin::Missing);
    !is_missing && (!is_padding || note.is_some_and(|note| note.surface.is_some()))
}

/// Names of parameters, and their descriptions by every tool that has them all: what a question for them may speak of.
pub fn topics(tools: &[Arc<Tool>], names: &[String]) -> Vec<String> {
    let holds = |tool: &&Arc<Tool>| names.iter().all(|name| tool.parameters.properties.contains_key(name));
    let described = tools
        .iter()
        .filter(holds)
        .flat_map(|tool| names.iter().filter_map(|name| tool.parameters.properties.get(name)?.description.clone()));
    let mut topics: Vec<String> = names.to_vec();
    for text in described.filter(|text| !text.trim().is_empty()) {
        if !topics.contains(&text) {
            topics.push(text);
        }
    }
    topics
}

/// The words of a name or a text, in small letters; `departureDate` has two.
pub fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut was_low = false;
    for letter in name.chars() {
        let breaks = !letter.is_alphanumeric() || letter.is_uppercase() && was_low;
        if breaks && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if let (true, Some(word)) = (letter.is_alphanumeric(), words.last_mut()) {
            word.extend(letter.to_lowercase());
        }
        was_low = letter.is_lowercase() || letter.is_ascii_digit();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn words() -> QuestionWords {
        QuestionWords::new(vec!["?".to_owned(), "let me know".to_owned()], ["The".to_owned(), "with".to_owned()])
    }

    fn asks(text: &str, about: &str) -> bool {
        words().asks(text, &[about.to_owned()])
    }

    #[test]
    fn a_mark_a_phrase_or_the_name_of_what_is_missing_asks() {
        assert!(asks("Where to?", "") && asks("Let me know.", "") && asks("I still need the station.", "The station"));
        assert!(asks("Your departure date, please.", "departure_date") && asks("Your date, please.", "departureDate"));
        assert!(!asks("Done.", "The station to go to") && !asks("I go with the others.", "with the") && !asks("", ""));
    }

    #[test]
    fn a_text_of_two_questions_is_not_single() {
        assert!(words().is_single("Where to?") && !words().is_single("What should it say? To whom?"));
    }

    fn tools() -> Vec<Arc<Tool>> {
        let property = |about: &str| json!({"type": "string", "description": about});
        let properties = json!({"to": property("The station"), "from": property(" "), "on": property("The day")});
        let parameters = json!({"type": "object", "properties": properties, "required": ["to", "from"]});
        serde_json::from_value(json!([{"name": "book", "description": "", "parameters": parameters}])).unwrap()
    }

    #[test]
    fn what_is_required_and_not_given_is_missing() {
        let missing = |arguments: &str, note: Option<Argument>| {
            let call = FunctionCall { name: "book".to_owned(), arguments: serde_json::from_str(arguments).unwrap() };
            let tools = tools();
            missing_required(&tools, &call, |_, value| is_given(value, note.as_ref())).join(" ")
        };
        assert_eq!(missing(r#"{"on": "Monday"}"#, None), "to from");
        assert_eq!(missing(r#"{"from": "", "to": null}"#, None), "to from");
        assert_eq!(missing(r#"{"from": "", "to": "Porto"}"#, None), "from");
        let note = |origin, surface: Option<&str>| {
            Some(Argument { origin, surface: surface.map(str::to_owned), ..Argument::default() })
        };
        assert_eq!(missing(r#"{"from": "", "to": "Porto"}"#, note(Origin::Verbatim, Some("nowhere"))), "");
        assert_eq!(missing(r#"{"from": "Faro", "to": "Porto"}"#, note(Origin::Missing, None)), "to from");
        let other = FunctionCall { name: "other".to_owned(), ..FunctionCall::default() };
        assert!(missing_required(&tools(), &other, |_, _| true).is_empty());
    }

    #[test]
    fn a_question_may_speak_of_a_parameter_by_its_name_or_its_description() {
        let topics =
            |names: &[&str]| super::topics(&tools(), &names.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>());
        assert_eq!(topics(&["to", "from"]), ["to", "from", "The station"]);
        assert_eq!(topics(&["to", "by"]), ["to", "by"], "no tool has both");
    }
}
