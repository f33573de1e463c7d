//! serde's messages in the words of people who write pipeline files.

use crate::settings::problem::{Problem, did_you_mean};
use std::ops::Range;
use toml::de::DeValue;

/// A message of serde, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// A value of another type or out of range: what was expected, what was found.
    Unfit(String, String),
    /// A word that is not on the list: the word, the list.
    Unlisted(String, Vec<String>),
    /// A key of a nested table that nobody knows: the key, the known ones.
    Unknown(String, Vec<String>),
    /// A key that is not there.
    Missing(String),
    /// Anything else, as it was said.
    Other(String),
}

/// Takes a message of serde apart.
pub fn fault(message: &str) -> Fault {
    let first = || quoted(message).first().cloned().unwrap_or_default();
    let others = || quoted(message).split_off(1);
    if message.starts_with("unknown variant") {
        return Fault::Unlisted(first(), others());
    }
    if message.starts_with("unknown field") {
        return Fault::Unknown(first(), others());
    }
    if message.starts_with("missing field") {
        return Fault::Missing(first());
    }
    let unfit = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "));
    match unfit.and_then(|rest| rest.rsplit_once(", expected ")) {
        Some((found, expected)) => Fault::Unfit(plain_type(expected), plain_value(found)),
        None => Fault::Other(message.to_owned()),
    }
}

impl Fault {
    /// The problem of the value of `key` in `place`.
    pub fn problem(self, span: Range<usize>, key: &str, place: &str) -> Problem {
        match self {
            Self::Unfit(expected, found) => {
                Problem::new(span, format!("`{key}` in {place}: expected {expected}, found {found}"))
            }
            Self::Unlisted(word, known) => Problem::new(span, format!("unknown value `{word}` of `{key}` in {place}"))
                .hint(hint(&word, &known, "values")),
            Self::Unknown(name, known) => Problem::new(span, format!("unknown key `{name}` in `{key}` of {place}"))
                .hint(hint(&name, &known, "keys here")),
            Self::Missing(name) => Problem::new(span, format!("missing key `{name}` in `{key}` of {place}")),
            Self::Other(message) => Problem::new(span, format!("`{key}` in {place}: {message}")),
        }
    }
}

/// What a value is, for "found ...".
pub fn found(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the string {text:?}"),
        DeValue::Integer(number) => format!("the number `{number}`"),
        DeValue::Float(number) => format!("the number `{number}`"),
        DeValue::Boolean(truth) => format!("`{truth}`"),
        DeValue::Datetime(date) => format!("the date `{date}`"),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

fn hint(name: &str, known: &[String], what: &str) -> String {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    did_you_mean(name, &known, what)
}

/// The texts between backticks.
fn quoted(message: &str) -> Vec<String> {
    let mut texts: Vec<String> = message.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    if texts.is_empty() {
        texts.push(String::new());
    }
    texts
}

fn plain_value(found: &str) -> String {
    let (kind, rest) = found.split_once(' ').unwrap_or((found, ""));
    match kind {
        "sequence" => "a list".to_owned(),
        "map" => "a table".to_owned(),
        "integer" => format!("the number {}", rest.split(" as ").next().unwrap_or(rest)),
        "floating" => format!("the number {}", rest.trim_start_matches("point ")),
        "boolean" => rest.to_owned(),
        "string" => format!("the string {rest}"),
        _ => found.to_owned(),
    }
}

fn plain_type(expected: &str) -> String {
    match expected {
        "a sequence" => "a list".to_owned(),
        "a map" => "a table".to_owned(),
        "a boolean" => "`true` or `false`".to_owned(),
        "f64" | "f32" => "a number".to_owned(),
        "u64" | "u32" | "usize" | "u16" => "a whole number from 0".to_owned(),
        "i64" | "i32" => "a whole number".to_owned(),
        other if other.starts_with("struct ") => "a table".to_owned(),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(message: &str) -> Problem {
        fault(message).problem(0..1, "accept", "the test")
    }

    #[test]
    fn types_are_named_without_rust() {
        assert_eq!(
            said("invalid type: sequence, expected a string").message,
            "`accept` in the test: expected a string, found a list"
        );
        assert_eq!(
            said("invalid type: integer `3`, expected struct Price").message,
            "`accept` in the test: expected a table, found the number `3`"
        );
        assert_eq!(
            said("invalid value: floating point `1.5`, expected f64").message,
            "`accept` in the test: expected a number, found the number `1.5`"
        );
        assert_eq!(
            said("invalid type: map, expected a boolean").message,
            "`accept` in the test: expected `true` or `false`, found a table"
        );
    }

    #[test]
    fn a_word_off_the_list_gets_the_list() {
        let problem = said("unknown variant `jugde`, expected one of `judge`, `rouge`");
        assert_eq!(problem.message, "unknown value `jugde` of `accept` in the test");
        assert_eq!(problem.hint.unwrap(), "did you mean `judge`? Values: `judge`, `rouge`");
    }

    #[test]
    fn a_value_is_named_by_its_type() {
        let values = ["\"a\"", "4", "0.5", "true", "2026-01-02", "[1]", "{ a = 1 }"];
        let named = values.map(|text| found(DeValue::parse(text).unwrap().get_ref()));
        assert_eq!(
            named,
            [
                "the string \"a\"",
                "the number `4`",
                "the number `0.5`",
                "`true`",
                "the date `2026-01-02`",
                "a list",
                "a table"
            ]
        );
    }

    #[test]
    fn anything_else_is_passed_on() {
        assert_eq!(said("odd").message, "`accept` in the test: odd");
        assert_eq!(fault("invalid type: odd"), Fault::Other("invalid type: odd".to_owned()));
        assert_eq!(fault("unknown field"), Fault::Unknown(String::new(), Vec::new()));
    }

    #[test]
    fn numbers_and_truths_are_named_in_words() {
        for (message, text) in [
            ("invalid type: boolean `true`, expected u64", "expected a whole number from 0, found `true`"),
            ("invalid value: integer `-3`, expected i64", "expected a whole number, found the number `-3`"),
            ("invalid type: integer `-3` as i128, expected a string", "expected a string, found the number `-3`"),
            (
                "invalid type: string \"a, expected b\", expected f64",
                "expected a number, found the string \"a, expected b\"",
            ),
            ("invalid type: unit, expected a map", "expected a table, found unit"),
        ] {
            assert_eq!(said(message).message, format!("`accept` in the test: {text}"));
        }
    }

    #[test]
    fn a_key_within_a_value_is_named_with_it() {
        let unknown = said("unknown field `inptu`, expected `input` or `output`");
        assert_eq!(unknown.message, "unknown key `inptu` in `accept` of the test");
        assert_eq!(unknown.hint.unwrap(), "did you mean `input`? Keys here: `input`, `output`");
        assert_eq!(said("missing field `input`").message, "missing key `input` in `accept` of the test");
    }
}
