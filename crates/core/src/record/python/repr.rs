//! `str(value)` and `repr(value)` of what JSON can hold.

use super::text::is_space;
use crate::record::BorrowedValue;
use std::borrow::Cow;
use std::fmt::Write;

/// `str(value)`: a string as it is, everything else as Python writes it.
pub fn text_of<'v>(value: &'v BorrowedValue<'_>) -> Cow<'v, str> {
    match value {
        BorrowedValue::String(text) => Cow::Borrowed(text),
        BorrowedValue::Number(text) => number(text),
        BorrowedValue::Null => Cow::Borrowed("None"),
        BorrowedValue::Bool(true) => Cow::Borrowed("True"),
        BorrowedValue::Bool(false) => Cow::Borrowed("False"),
        BorrowedValue::List(_) | BorrowedValue::Object(_) => {
            let mut out = String::new();
            write_repr(value, &mut out);
            Cow::Owned(out)
        }
    }
}

/// Whether `str(value)` is this text. Most values are strings, for which nothing need be written.
pub fn is_text(value: &BorrowedValue<'_>, text: &str) -> bool {
    text_of(value) == text
}

/// `repr(text)`: a string in quotes.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_quoted(text, &mut out);
    out
}

fn write_repr(value: &BorrowedValue<'_>, out: &mut String) {
    match value {
        BorrowedValue::String(text) => write_quoted(text, out),
        BorrowedValue::List(list) => write_list(list, out),
        BorrowedValue::Object(object) => {
            out.push('{');
            for (at, (name, value)) in object.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                write_quoted(name, out);
                out.push_str(": ");
                write_repr(value, out);
            }
            out.push('}');
        }
        _ => out.push_str(&text_of(value)),
    }
}

fn write_list(list: &[BorrowedValue<'_>], out: &mut String) {
    out.push('[');
    for (at, value) in list.iter().enumerate() {
        out.push_str(if at == 0 { "" } else { ", " });
        write_repr(value, out);
    }
    out.push(']');
}

/// A string in quotes: single ones, unless only double ones save an escape.
fn write_quoted(text: &str, out: &mut String) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    for letter in text.chars() {
        match letter {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            _ if letter == quote => out.extend(['\\', quote]),
            _ if is_printable(letter) => out.push(letter),
            _ => write_code(u32::from(letter), out),
        }
    }
    out.push(quote);
}

fn write_code(code: u32, out: &mut String) {
    let written = match code {
        0..0x100 => write!(out, "\\x{code:02x}"),
        0x100..0x1_0000 => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    };
    // Writing to a string cannot fail.
    written.unwrap_or_default();
}

/// Whether Python prints a character as itself: no control, format or private character, and no space but the common one.
fn is_printable(letter: char) -> bool {
    let is_format = matches!(letter,
        '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e000}'..='\u{f8ff}' | '\u{e0001}'..='\u{e007f}' | '\u{f0000}'..='\u{10ffff}');
    letter == ' ' || !(letter.is_control() || is_space(letter) || is_format)
}

/// A number as Python writes it back: whole numbers as they are, all others by the shortest digits.
fn number(text: &str) -> Cow<'_, str> {
    match text {
        "NaN" => return Cow::Borrowed("nan"),
        "-0" => return Cow::Borrowed("0"),
        _ => {}
    }
    if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
        return Cow::Borrowed(text);
    }
    let double = match text {
        "Infinity" => f64::INFINITY,
        "-Infinity" => f64::NEG_INFINITY,
        _ => text.parse().unwrap_or(f64::NAN),
    };
    let written = float(double);
    if written == text { Cow::Borrowed(text) } else { Cow::Owned(written) }
}

/// `repr(double)`.
pub fn float(double: f64) -> String {
    if double.is_nan() {
        return "nan".to_owned();
    }
    if double.is_infinite() {
        return if double > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let scientific = format!("{double:e}");
    let (digits, power) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    if (-4..16).contains(&power) {
        // Rust's own form has a fraction always, and no exponent within these bounds.
        return format!("{double:?}");
    }
    let sign = if power < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", power.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn python(json: &str) -> String {
        let value = BorrowedValue::read_lenient(json).unwrap();
        text_of(&value).into_owned()
    }

    #[test]
    fn constants_and_numbers_are_pythons() {
        for (json, text) in [
            ("null", "None"),
            ("true", "True"),
            ("-0", "0"),
            ("5", "5"),
            ("5.0", "5.0"),
            ("-0.0", "-0.0"),
            ("1.50", "1.5"),
            ("1e16", "1e+16"),
            ("1E5", "100000.0"),
            ("0.00001", "1e-05"),
            ("0.0001", "0.0001"),
            ("123456789012345680.0", "1.2345678901234568e+17"),
            ("9007199254740993.0", "9007199254740992.0"),
            ("1000000000000000000000000000000", "1000000000000000000000000000000"),
            ("1e400", "inf"),
            ("-Infinity", "-inf"),
            ("NaN", "nan"),
        ] {
            assert_eq!(python(json), text, "{json}");
        }
    }

    #[test]
    fn a_string_by_itself_has_no_quotes_and_within_a_list_it_has() {
        assert_eq!(python(r#""it's""#), "it's");
        assert_eq!(
            python(r#"["a", "it's", "\"", "both ' and \"", "\\ \n"]"#),
            r#"['a', "it's", '"', 'both \' and "', '\\ \n']"#
        );
        assert_eq!(python(r#"{"a": [1.0, null], "한": {}}"#), "{'a': [1.0, None], '한': {}}");
    }

    #[test]
    fn a_string_may_be_asked_for_with_its_quotes() {
        assert_eq!([quoted("a"), quoted("it's"), quoted("\n")].join(" "), r#"'a' "it's" '\n'"#);
    }

    #[test]
    fn what_cannot_be_printed_is_escaped() {
        assert_eq!(python(r#"["\u00a0\u200b\u0001\u3000é가"]"#), "['\\xa0\\u200b\\x01\\u3000é가']");
        assert_eq!(python("[\"\u{f0000}\"]"), "['\\U000f0000']");
    }

    #[test]
    fn equality_is_of_texts() {
        let value = BorrowedValue::read_lenient("[5, 5.0, \"5\"]").unwrap();
        let BorrowedValue::List(list) = value else { panic!("a list") };
        assert_eq!(list.iter().map(|value| is_text(value, "5")).collect::<Vec<_>>(), [true, false, true]);
    }
}
