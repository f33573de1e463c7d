//! When two values are the same: typed, and forgiving of spaces and capitals alone.

use crate::record::{Parameter, Value};
use unicode_normalization::UnicodeNormalization;

/// How values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Same {
    /// Whether wide letters and digits are the narrow ones.
    pub folds_width: bool,
}

impl Same {
    /// Whether two values are the same: truths are no numbers, numbers go by quantity, texts by letters.
    pub fn values(self, one: &Value, other: &Value) -> bool {
        match (one, other) {
            (Value::String(one), Value::String(other)) => one == other || self.plain(one) == self.plain(other),
            (Value::List(one), Value::List(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| self.values(one, other))
            }
            (Value::Object(one), Value::Object(other)) => {
                one.len() == other.len()
                    && one.iter().all(|(name, one)| other.get(name).is_some_and(|other| self.values(one, other)))
            }
            _ => one.equals(other),
        }
    }

    /// Whether two texts differ by white space at most, of whatever kind.
    pub fn but_for_space(self, one: &str, other: &str) -> bool {
        let bare = |text: &str| self.plain(text).chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
        bare(one) == bare(other)
    }

    fn plain(self, text: &str) -> String {
        let folded: String = if self.folds_width { text.nfkc().collect() } else { text.nfc().collect() };
        folded.replace(' ', "").to_lowercase()
    }
}

/// Whether a value is of its parameter's type. `null` is of none, and of a parameter without a type everything is.
pub(super) fn is_of_type(value: &Value, parameter: &Parameter) -> bool {
    if parameter.kind.is_none() {
        return true;
    }
    match (parameter.type_name(), value) {
        ("string", Value::String(_)) | ("boolean", Value::Bool(_)) => true,
        ("number", Value::Number(number)) => number.is_finite(),
        ("integer", Value::Number(number)) => number.is_integer_text(),
        ("array", Value::List(_)) | ("object", Value::Object(_)) => true,
        ("string" | "boolean" | "number" | "integer" | "array" | "object", _) => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(one: &str, other: &str) -> bool {
        let read = |text: &str| Value::read_lenient(text).unwrap().0;
        Same::default().values(&read(one), &read(other))
    }

    #[test]
    fn types_are_kept_and_spelling_is_not() {
        for (one, other) in [
            ("3", "3.0"),
            ("\"Kim Min\"", "\"kimmin \""),
            ("[\"a b\", 1]", "[\"AB\", 1.0]"),
            (r#"{"a": 1, "b": "x"}"#, r#"{"b": "X", "a": 1}"#),
            ("\"서울\"", "\"\u{1109}\u{1165}\u{110b}\u{116e}\u{11af}\""),
            ("null", "null"),
        ] {
            assert!(same(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("true", "1"),
            ("3", "\"3\""),
            ("\"Kim Min\"", "\"Kim\\tMin\""),
            ("[1, 2]", "[2, 1]"),
            ("\"123\"", "\"１２３\""),
            (r#"{"a": 1}"#, r#"{"a": 1, "b": 2}"#),
        ] {
            assert!(!same(one, other), "{one} {other}");
        }
    }

    #[test]
    fn wide_digits_are_narrow_where_somebody_says_so() {
        let wide = Same { folds_width: true };
        assert!(wide.values(&"123".into(), &"１２３".into()) && wide.but_for_space("a b", "Ａ\n\u{3000}b"));
        assert!(Same::default().but_for_space("Kim Min", "kim\tmin") && !Same::default().but_for_space("a", "b"));
    }

    #[test]
    fn a_float_is_no_integer_and_a_truth_no_number() {
        let of = |kind: &str, value: &str| {
            let parameter = Parameter { kind: Some(kind.into()), ..Parameter::default() };
            is_of_type(&Value::read_lenient(value).unwrap().0, &parameter)
        };
        for (kind, value) in [
            ("integer", "4"),
            ("number", "3"),
            ("number", "3.5"),
            ("string", "\"x\""),
            ("boolean", "true"),
            ("array", "[]"),
            ("object", "{}"),
            ("float", "\"x\""),
        ] {
            assert!(of(kind, value), "{kind} {value}");
        }
        for (kind, value) in [
            ("integer", "4.0"),
            ("integer", "true"),
            ("number", "true"),
            ("number", "NaN"),
            ("string", "5"),
            ("boolean", "1"),
            ("array", "{}"),
            ("string", "null"),
        ] {
            assert!(!of(kind, value), "{kind} {value}");
        }
        assert!(is_of_type(&Value::Null, &Parameter::default()));
    }
}
