//! Finding a value in a reply: the whole of it, a fenced block, or something in running text.

use crate::callnavi::metric::upstream::{Form as Asked, judge_score};
use crate::python::{read_literal, read_yaml, read_yaml_texts};
use crate::record::Value;
use crate::text::{blocks, embedded, without_language, without_thought};
use std::fmt;

/// The key by which an answer is known.
pub(super) const API: &str = "API";

/// A value that was found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    /// The value: a list or an object.
    pub value: Value,
    /// The same with the letters of whatever stood there without quotes; YAML alone takes letters for something else.
    pub letters: Option<Value>,
    /// How it was found.
    pub way: Way,
}

/// The first value that has the key of an answer; where none has it, the first list or object that stands by itself. One in
/// running text may be a part of something broken.
pub(super) fn read(text: &str, asked: Asked) -> Option<Found> {
    let text = plain(text);
    let mut first = None;
    let whole = std::iter::once_with(|| read_part(text, asked, Place::Whole)).flatten();
    let fenced = std::iter::once_with(|| blocks(text)).flatten().filter_map(|block| read_block(block, asked));
    let running = std::iter::once_with(|| running(text, asked)).flatten();
    for found in whole.chain(fenced).chain(running) {
        if is_answer(&found.value) {
            return Some(found);
        }
        if found.way.place != Place::Embedded {
            first.get_or_insert(found);
        }
    }
    first
}

fn is_answer(value: &Value) -> bool {
    value.as_object().is_some_and(|object| object.contains_key(API))
}

/// A reply without the thought before it.
pub(super) fn plain(text: &str) -> &str {
    without_thought(text).trim_start_matches('\u{feff}').trim()
}

/// A block's content; what stands behind its mark may be a label.
fn read_block(block: &str, asked: Asked) -> Option<Found> {
    read_part(block, asked, Place::Fenced).or_else(|| read_part(without_language(block), asked, Place::Fenced))
}

/// A text that is nothing but a value.
fn read_part(text: &str, asked: Asked, place: Place) -> Option<Found> {
    let found = |value: Value, form| {
        let is_container = matches!(value, Value::List(_) | Value::Object(_));
        is_container.then_some(Found { value, letters: None, way: Way { place, form } })
    };
    if let Ok((value, _)) = Value::read_lenient(text) {
        return found(value, Form::Json);
    }
    // A call is no answer, though it would be read as well.
    let literal = || read_literal(text).filter(|_| text.starts_with('{'));
    literal().and_then(|value| found(value.into(), Form::Literal)).or_else(|| read_yaml_part(text, asked, place))
}

/// The same in YAML. To it nearly any line is a value, and words with a colon behind them are an object.
fn read_yaml_part(text: &str, asked: Asked, place: Place) -> Option<Found> {
    let value = (asked == Asked::Yaml).then(|| read_yaml(text).ok()).flatten()?;
    let is_clean =
        is_answer(&value) && value.as_object().is_some_and(|object| object.keys().all(|key| !key.contains(' ')));
    let is_value = is_clean || (place != Place::Whole && matches!(value, Value::List(_) | Value::Object(_)));
    let letters = read_yaml_texts(text).ok();
    is_value.then_some(Found { value, letters, way: Way { place, form: Form::Yaml } })
}

/// Values in running text: JSON, what stands between the outermost braces, and YAML from the line with the key on.
fn running(text: &str, asked: Asked) -> Vec<Found> {
    let found = |value, form| Found { value, letters: None, way: Way { place: Place::Embedded, form } };
    let mut all: Vec<Found> = embedded(text).into_iter().map(|(_, value)| found(value, Form::Json)).collect();
    let braces = text.find('{').zip(text.rfind('}')).and_then(|(from, to)| text.get(from..=to));
    let literal = braces.and_then(read_literal).map(Value::from);
    all.extend(literal.filter(|value| value.as_object().is_some()).map(|value| found(value, Form::Literal)));
    if asked == Asked::Yaml {
        all.extend(from_key(text).and_then(|part| read_yaml_part(part, asked, Place::Embedded)));
    }
    all
}

/// What stands from the line that begins with the key up to an empty line or a fence.
fn from_key(text: &str) -> Option<&str> {
    let mark = |line: &&str| line.strip_prefix(API).is_some_and(|rest| rest.starts_with(':'));
    let line = text.split('\n').find(mark)?;
    let from = (line.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    let part = text.get(from..)?;
    let end = ["\n\n", "```"].iter().filter_map(|mark| part.find(mark)).min().unwrap_or(part.len());
    part.get(..end)
}

// How an answer was found in a reply. Verdicts name it, so that a report shows how well a model keeps to the form.

/// Where the answer stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The server gave it as tool calls.
    Native,
    /// It is the whole reply.
    Whole,
    /// In a fenced block.
    Fenced,
    /// Somewhere in running text.
    Embedded,
}

/// How the answer was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// JSON.
    Json,
    /// A Python value, or JSON with Python's liberties.
    Literal,
    /// YAML.
    Yaml,
    /// Names alone, without brackets.
    Names,
    /// Calls with their arguments.
    Calls,
}

/// Where an answer stood and how it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Way {
    /// Where it stood.
    pub place: Place,
    /// How it was written.
    pub form: Form,
}

impl Place {
    fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Whole => "whole",
            Self::Fenced => "fenced",
            Self::Embedded => "embedded",
        }
    }
}

impl Form {
    fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Literal => "literal",
            Self::Yaml => "yaml",
            Self::Names => "names",
            Self::Calls => "calls",
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}_{}", self.place.as_str(), self.form.as_str())
    }
}

// The number in a judge's reply, by our own rules.

/// The last number in two pairs of brackets, a number alone, or the `score` of an object; none that is not between 0 and 1.
pub fn read_score(reply: &str) -> Option<f64> {
    let bracketed = reply.rsplit_once("[[").and_then(|(_, rest)| Some(rest.split_once("]]")?.0));
    let score = bracketed.and_then(judge_score).or_else(|| judge_score(reply)).or_else(|| field(reply));
    score.filter(|score| (0.0..=1.0).contains(score))
}

fn field(reply: &str) -> Option<f64> {
    let (value, _) = Value::read_beginning(reply.get(reply.find('{')?..)?)?;
    Some(value.as_object()?.get("score")?.as_number()?.as_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ANSWER: &str = r#"{"API":["getX"],"parameters":[{"a":"it's"}]}"#;
    const PYTHON: &str = r#"{'API': ['getX'], 'parameters': [{'a': "it's"}]}"#;
    const YAML: &str = "API:\n- getX\nparameters:\n- a: it's";

    fn way(text: &str, asked: Asked) -> String {
        match read(text, asked) {
            Some(found) if found.value.to_string() == ANSWER => found.way.to_string(),
            Some(found) => format!("{} {}", found.way, found.value),
            None => "nothing".to_owned(),
        }
    }

    #[test]
    fn an_answer_is_found_wherever_it_stands_and_the_way_is_named() {
        for (text, wanted) in [
            (ANSWER.to_owned(), "whole_json"),
            (format!("\u{feff}<think>{{}}</think>\n {ANSWER}"), "whole_json"),
            (PYTHON.to_owned(), "whole_literal"),
            (ANSWER.replace("}]}", "},],}"), "whole_literal"),
            (format!("```json\n{ANSWER}\n```"), "fenced_json"),
            (format!("Sure:\n```JSON\n{ANSWER}"), "fenced_json"),
            (format!("```python\n{PYTHON}\n```"), "fenced_literal"),
            (format!("[1] is first: {ANSWER} I hope."), "embedded_json"),
            (format!("Here: {PYTHON}!"), "embedded_literal"),
        ] {
            assert_eq!(way(&text, Asked::Json), wanted, "{text}");
        }
    }

    #[test]
    fn yaml_is_read_where_it_was_asked_for() {
        for (text, wanted) in [
            (YAML.to_owned(), "whole_yaml"),
            (format!("```yml\n{YAML}\n```"), "fenced_yaml"),
            (format!("```\n{YAML}\n```"), "fenced_yaml"),
            (format!("Here is the YAML:\n{YAML}\n\nNote: done"), "embedded_yaml"),
            (ANSWER.to_owned(), "whole_json"),
            ("Here is the answer.".to_owned(), "nothing"),
            ("Sure: it is easy".to_owned(), "nothing"),
        ] {
            assert_eq!(way(&text, Asked::Yaml), wanted, "{text}");
        }
        assert_eq!(way(YAML, Asked::Json), "nothing");
    }

    #[test]
    fn letters_without_quotes_are_kept() {
        let found = read("API: [getX]\nparameters: [{a: 0123, b: '5'}]", Asked::Yaml).unwrap();
        assert_eq!(found.value.to_string(), r#"{"API":["getX"],"parameters":[{"a":83,"b":"5"}]}"#);
        assert_eq!(found.letters.unwrap().to_string(), r#"{"API":["getX"],"parameters":[{"a":"0123","b":"5"}]}"#);
    }

    #[test]
    fn something_else_is_found_where_there_is_no_answer() {
        assert_eq!(way("[\"getX\"]", Asked::Json), r#"whole_json ["getX"]"#);
        assert_eq!(way("```\n{\"name\": \"getX\"}\n```", Asked::Json), r#"fenced_json {"name":"getX"}"#);
        for text in ["", "5", "\"getX\"", "getX(a=1)", "Error", "{\"API\": [\"getX\"]", "so [1] {}", "null"] {
            assert_eq!(way(text, Asked::Json), "nothing", "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in any::<String>(), form in "[`{}\\[\\]:'\", \nAPIa-]{0,50}") {
            for (text, asked) in [(&text, Asked::Json), (&form, Asked::Json), (&form, Asked::Yaml)] {
                let found = read(text, asked);
                prop_assert!(found.is_none_or(|it| matches!(it.value, Value::List(_) | Value::Object(_))));
            }
        }
    }
}

#[cfg(test)]
mod way_tests {
    use super::*;

    #[test]
    fn every_way_has_a_word_of_its_own() {
        let places = [Place::Native, Place::Whole, Place::Fenced, Place::Embedded];
        let forms = [Form::Json, Form::Literal, Form::Yaml, Form::Names, Form::Calls];
        let words: std::collections::BTreeSet<String> =
            places.into_iter().flat_map(|place| forms.map(|form| Way { place, form }.to_string())).collect();
        assert_eq!(words.len(), places.len() * forms.len());
        assert!(words.contains("fenced_json") && words.contains("embedded_yaml"));
    }
}

#[cfg(test)]
mod judge_tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_score_is_found_among_words() {
        for (reply, score) in [
            ("[[0.850]]", 0.85),
            ("Score: [[0.9]].", 0.9),
            ("At first [[0.2]], in the end [[1.000]]", 1.0),
            ("0", 0.0),
            ("```json\n{\"score\": 0.5}\n```", 0.5),
        ] {
            assert_eq!(read_score(reply), Some(score), "{reply}");
        }
    }

    #[test]
    fn what_is_no_score_is_none() {
        for reply in [
            "",
            "good",
            "[[1.5]]",
            "[[-0.1]]",
            "[[nan]]",
            "[[inf]]",
            "85",
            "{\"score\": 2}",
            "{\"score\": \"0.5\"}",
            "[[]]",
        ] {
            assert_eq!(read_score(reply), None, "{reply}");
        }
    }

    proptest! {
        #[test]
        fn every_score_is_read_and_lies_between_0_and_1(score in 0.0..=1.0_f64, text in ".{0,30}") {
            prop_assert_eq!(read_score(&format!("[[{score:?}]]")), Some(score));
            prop_assert!(read_score(&text).is_none_or(|score| (0.0..=1.0).contains(&score)));
        }
    }
}
