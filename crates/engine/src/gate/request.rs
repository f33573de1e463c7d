//! Is the text one request of a person, and does it say nothing that the label leaves out or that it takes back?

use super::Fault;
use super::taken_back::check_taken_back;
use crate::locale::{Language, numbers_in, resolve};
use crate::record::{ArgumentNotes, FunctionCall, Tool};
use std::ops::Range;

/// Checks the text as a whole, and that each of its numbers belongs to an argument.
pub(super) fn check_request(
    tool: &Tool,
    call: &FunctionCall,
    notes: &ArgumentNotes,
    text: &str,
    language: &Language,
) -> Result<(), Fault> {
    check_words(tool, notes, text, language)?;
    let said = places(notes, text);
    let corrections: Vec<Range<usize>> =
        language.corrections(text).into_iter().filter(|range| is_open(&said, range)).collect();
    check_taken_back(call, text, &said, &corrections, language)?;
    // A number that a correction takes back is not a number left out.
    let from = corrections.last().map_or(0, |last| last.end);
    check_numbers(tool, call, text, &said, from, language)
}

/// Whether a place is outside the values of the label.
fn is_open(said: &[(&str, Range<usize>)], range: &Range<usize>) -> bool {
    !said.iter().any(|(_, place)| place.start <= range.start && range.end <= place.end)
}

/// Checks the text as a whole. What stands inside a value of the label is the person's own words and is left alone.
pub(super) fn check_words(tool: &Tool, notes: &ArgumentNotes, text: &str, language: &Language) -> Result<(), Fault> {
    let said = places(notes, text);
    if let Some(range) = language.refusals(text).into_iter().find(|range| is_open(&said, range)) {
        let words = text.get(range).unwrap_or_default();
        return Err(Fault::new("refusal", format!("`{words}` is what a model says, not a person with a request")));
    }
    if names_call(&tool.name, text) {
        return Err(Fault::new("call_in_query", format!("the request names the function `{}`", tool.name)));
    }
    if is_doubled(text) {
        return Err(Fault::new("repeated_request", "the request is written twice"));
    }
    Ok(())
}

/// Where the text says each value, in bytes.
fn places<'n>(notes: &'n ArgumentNotes, text: &str) -> Vec<(&'n str, Range<usize>)> {
    let surfaces = notes.iter().filter_map(|(name, note)| Some((name.as_str(), note.surface.as_deref()?)));
    surfaces
        .filter(|(_, surface)| !surface.is_empty())
        .flat_map(|(name, surface)| {
            text.match_indices(surface).map(move |(start, words)| (name, start..start + words.len()))
        })
        .collect()
}

/// A name of several parts is no word of any language.
fn names_call(name: &str, text: &str) -> bool {
    name.contains(['.', '_']) && text.contains(name)
}

/// The same letters twice over: once is a request, twice is a slip. Short ones (`bye bye`) are words of their own.
fn is_doubled(text: &str) -> bool {
    let letters: Vec<char> =
        text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let (first, second) = letters.split_at(letters.len() / 2);
    letters.len() >= 12 && first == second
}

/// A number that no value of the label accounts for, while the tool has a number that the label does not give.
fn check_numbers(
    tool: &Tool,
    call: &FunctionCall,
    text: &str,
    said: &[(&str, Range<usize>)],
    from: usize,
    language: &Language,
) -> Result<(), Fault> {
    let mut left = tool.parameters.properties.iter().filter(|(name, parameter)| {
        parameter.values.is_none()
            && matches!(parameter.type_name(), "integer" | "number")
            && !call.arguments.contains_key(*name)
    });
    let Some((name, _)) = left.next() else { return Ok(()) };
    let times: Vec<Range<usize>> = resolve(text, None, language).iter().map(crate::locale::Moment::range).collect();
    let taken = |range: &Range<usize>| {
        said.iter()
            .map(|(_, place)| place)
            .chain(&times)
            .any(|place| place.start < range.end && range.start < place.end)
    };
    // `One` is an article as often as a number: `one more thing`.
    let number = numbers_in(text, language).into_iter().find(|number| {
        number.range.start >= from && !number.ordinal && number.value.as_f64() >= 2.0 && !taken(&number.range)
    });
    match number {
        Some(number) => {
            let words = text.get(number.range).unwrap_or_default();
            Err(Fault::new(
                "unread_number",
                format!("the request says `{words}`, and neither {name} nor another argument has it"),
            )
            .naming([words, name]))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::check_parameters;
    use super::*;

    fn reason(arguments: &str, text: &str) -> Option<&'static str> {
        let tool: Tool = serde_json::from_str(
            r#"{"name": "A.B.book", "description": "Book", "kinds": {"at": "time"}, "parameters": {"properties": {
                "to": {"type": "string"}, "at": {"type": "string"}, "seats": {"type": "integer"}, "note": {"type": "string"}}}}"#,
        )
        .unwrap();
        let call = FunctionCall { name: tool.name.clone(), arguments: serde_json::from_str(arguments).unwrap() };
        let preset: Vec<String> = call.arguments.keys().cloned().collect();
        check_parameters(&tool, &preset, &call, text, &Language::load(crate::fixtures::assets(), "en").unwrap())
            .err()
            .map(|fault| fault.reason)
    }

    #[test]
    fn a_model_that_declines_makes_no_request() {
        assert_eq!(reason(r#"{"to": "Porto"}"#, "As an AI, I cannot travel to Porto."), Some("refusal"));
        let message = r#"{"note": "as an AI I do not sleep"}"#;
        assert_eq!(reason(message, "book it with the note as an AI I do not sleep"), None, "the person's own words");
    }

    #[test]
    fn a_request_is_said_once_and_without_the_function() {
        let label = r#"{"to": "Porto"}"#;
        assert_eq!(reason(label, "take me to Porto. Take me to Porto!"), Some("repeated_request"));
        assert_eq!(reason(label, "A.B.book to Porto"), Some("call_in_query"));
        assert_eq!(reason(label, "take me to Porto, to Porto!"), None);
    }

    #[test]
    fn a_number_belongs_to_some_argument() {
        assert_eq!(reason(r#"{"to": "Porto"}"#, "three seats to Porto"), Some("unread_number"));
        assert_eq!(reason(r#"{"to": "Porto", "seats": 3}"#, "three seats to Porto"), None);
        assert_eq!(reason(r#"{"to": "Pier 9"}"#, "one more thing, get me to Pier 9"), None);
        assert_eq!(reason(r#"{"to": "Porto", "at": "8:30"}"#, "to Porto at 8:30"), None);
        assert_eq!(reason(r#"{"to": "Porto"}"#, "my second trip to Porto"), None);
    }
}
