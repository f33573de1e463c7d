//! `json.dumps(value)`.

use super::repr::text_of;
use crate::record::{BorrowedValue, Object, Value};
use std::fmt::Write;

/// How `json.dumps` is called. By default as with `ensure_ascii=False` and nothing else.
#[derive(Debug, Clone, Copy, Default)]
pub struct Dump {
    /// Spaces of a level; all in one line where it is absent.
    pub indent: Option<usize>,
    /// Whether letters beyond ASCII are escaped.
    pub ascii: bool,
}

/// A value as Python writes it as JSON: a space after `,` and `:`, letters of every script as they are, numbers by their
/// shortest digits.
pub fn dump(value: &Value) -> String {
    Dump::default().text(value)
}

/// The same of an object.
pub fn dump_object(object: &Object) -> String {
    let mut out = String::new();
    Dump::default().object(object, 0, &mut out);
    out
}

impl Dump {
    /// A value as a text.
    pub fn text(self, value: &Value) -> String {
        let mut out = String::new();
        self.value(value, 0, &mut out);
        out
    }

    fn value(self, value: &Value, depth: usize, out: &mut String) {
        match value {
            Value::Null => out.push_str("null"),
            Value::Bool(true) => out.push_str("true"),
            Value::Bool(false) => out.push_str("false"),
            Value::Number(number) => out.push_str(&number_text(number.as_str())),
            Value::String(text) => self.string(text, out),
            Value::List(list) => {
                self.all(('[', ']'), list, depth, out, |item, out| self.value(item, depth + 1, out));
            }
            Value::Object(object) => self.object(object, depth, out),
        }
    }

    fn object(self, object: &Object, depth: usize, out: &mut String) {
        self.all(('{', '}'), object, depth, out, |(name, value), out| {
            self.string(name, out);
            out.push_str(": ");
            self.value(value, depth + 1, out);
        });
    }

    fn all<I: IntoIterator>(
        self,
        (open, close): (char, char),
        items: I,
        depth: usize,
        out: &mut String,
        put: impl Fn(I::Item, &mut String),
    ) {
        let line = |depth: usize| self.indent.map(|width| format!("\n{}", " ".repeat(width * depth)));
        out.push(open);
        let mut is_empty = true;
        for item in items {
            match line(depth + 1) {
                Some(line) => out.extend([if is_empty { "" } else { "," }, &line]),
                None => out.push_str(if is_empty { "" } else { ", " }),
            }
            put(item, out);
            is_empty = false;
        }
        out.extend(line(depth).filter(|_| !is_empty));
        out.push(close);
    }

    fn string(self, text: &str, out: &mut String) {
        out.push('"');
        for letter in text.chars() {
            match letter {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\u{8}' => out.push_str("\\b"),
                '\u{c}' => out.push_str("\\f"),
                _ if letter < ' ' || self.ascii && !(' '..='~').contains(&letter) => {
                    for unit in letter.encode_utf16(&mut [0; 2]) {
                        // Writing to a string cannot fail.
                        write!(out, "\\u{unit:04x}").unwrap_or_default();
                    }
                }
                _ => out.push(letter),
            }
        }
        out.push('"');
    }
}

/// Constants have other names in JSON than `str` gives them.
fn number_text(text: &str) -> String {
    let written = text_of(&BorrowedValue::Number(text)).into_owned();
    match written.as_str() {
        "nan" => "NaN".to_owned(),
        "inf" => "Infinity".to_owned(),
        "-inf" => "-Infinity".to_owned(),
        _ => written,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::any_value;
    use proptest::prelude::*;

    fn dumped(json: &str) -> String {
        dump(&Value::read_lenient(json).unwrap().0)
    }

    #[test]
    fn spaces_stand_behind_commas_and_colons() {
        assert_eq!(
            dumped(r#"{"b":[1,{"c":null}],"a":true,"e":{},"l":[]}"#),
            r#"{"b": [1, {"c": null}], "a": true, "e": {}, "l": []}"#
        );
        assert_eq!(dump_object(&Object::new()), "{}");
    }

    #[test]
    fn numbers_are_pythons() {
        assert_eq!(dumped("[1e5, 1.50, -0, 1e400, NaN, -Infinity]"), "[100000.0, 1.5, 0, Infinity, NaN, -Infinity]");
    }

    #[test]
    fn letters_stand_as_they_are_and_controls_are_escaped() {
        assert_eq!(
            dumped(r#""서울 \"a\" \\ \n\t\b\f\u0001\u007f""#),
            "\"서울 \\\"a\\\" \\\\ \\n\\t\\b\\f\\u0001\u{7f}\""
        );
    }

    proptest! {
        #[test]
        fn what_is_dumped_is_read_back_equal(value in any_value(false)) {
            let again = Value::read_lenient(&dump(&value)).unwrap().0;
            // A number between doubles is written as the nearest of them.
            prop_assert_eq!(dump(&again), dump(&value));
        }
    }
}
