//! `json.dumps(value, ensure_ascii=False)`.

use super::repr::text_of;
use crate::record::{BorrowedValue, Object, Value};
use std::fmt::Write;

/// A value as Python writes it as JSON: a space after `,` and `:`, letters of every script as they are, numbers by their
/// shortest digits.
pub fn dump(value: &Value) -> String {
    let mut out = String::new();
    write_value(value, &mut out);
    out
}

/// The same of an object.
pub fn dump_object(object: &Object) -> String {
    let mut out = String::new();
    write_object(object, &mut out);
    out
}

fn write_value(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => out.push_str(&number_text(number.as_str())),
        Value::String(text) => write_string(text, out),
        Value::List(list) => {
            out.push('[');
            for (at, value) in list.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                write_value(value, out);
            }
            out.push(']');
        }
        Value::Object(object) => write_object(object, out),
    }
}

fn write_object(object: &Object, out: &mut String) {
    out.push('{');
    for (at, (name, value)) in object.iter().enumerate() {
        out.push_str(if at == 0 { "" } else { ", " });
        write_string(name, out);
        out.push_str(": ");
        write_value(value, out);
    }
    out.push('}');
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

fn write_string(text: &str, out: &mut String) {
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
            // Writing to a string cannot fail.
            '\0'..' ' => write!(out, "\\u{:04x}", u32::from(letter)).unwrap_or_default(),
            _ => out.push(letter),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::any_value;
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
