//! `repr(value)`.

use super::value::PythonValue;
use super::{float_text, quoted};
use std::fmt::Write;

/// A value as Python shows it.
pub fn repr(value: &PythonValue<'_>) -> String {
    let mut out = String::new();
    write_repr(value, &mut out);
    out
}

pub(super) fn write_repr(value: &PythonValue<'_>, out: &mut String) {
    match value {
        PythonValue::None => out.push_str("None"),
        PythonValue::Bool(true) => out.push_str("True"),
        PythonValue::Bool(false) => out.push_str("False"),
        PythonValue::Int(number) => out.push_str(&number.to_string()),
        PythonValue::Big(digits) => out.push_str(digits),
        PythonValue::Float(number) => out.push_str(&float_text(*number)),
        PythonValue::Complex(real, imaginary) => write_complex(*real, *imaginary, out),
        PythonValue::Text(text) => out.push_str(&quoted(text)),
        PythonValue::Bytes(bytes) => write_bytes(bytes, out),
        PythonValue::List(list) => write_list("[", list, "]", out),
        PythonValue::Tuple(list) => write_list("(", list, if list.len() == 1 { ",)" } else { ")" }, out),
        PythonValue::Dict(entries) => {
            out.push('{');
            for (at, (key, value)) in entries.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                write_repr(key, out);
                out.push_str(": ");
                write_repr(value, out);
            }
            out.push('}');
        }
    }
}

fn write_list(open: &str, list: &[PythonValue<'_>], close: &str, out: &mut String) {
    out.push_str(open);
    for (at, value) in list.iter().enumerate() {
        out.push_str(if at == 0 { "" } else { ", " });
        write_repr(value, out);
    }
    out.push_str(close);
}

fn write_complex(real: f64, imaginary: f64, out: &mut String) {
    let short = |number: f64| float_text(number).trim_end_matches(".0").to_owned();
    if real == 0.0 && real.is_sign_positive() {
        out.extend([&short(imaginary), "j"]);
        return;
    }
    let sign = if imaginary.is_sign_negative() { "" } else { "+" };
    out.extend(["(", &short(real), sign, &short(imaginary), "j)"]);
}

fn write_bytes(bytes: &[u8], out: &mut String) {
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') { '"' } else { '\'' };
    out.extend(['b', quote]);
    for byte in bytes {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            _ if char::from(*byte) == quote => out.extend(['\\', quote]),
            b' '..=b'~' => out.push(char::from(*byte)),
            // Writing to a string cannot fail.
            _ => write!(out, "\\x{byte:02x}").unwrap_or_default(),
        }
    }
    out.push(quote);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::json;

    #[test]
    fn every_kind_is_shown_as_python_shows_it() {
        let bytes = |bytes: &[u8]| repr(&PythonValue::Bytes(bytes.to_vec()));
        assert_eq!(
            repr(&json(r#"{"a": [1, 1.0, null, true, false, "it's"]}"#)),
            r#"{'a': [1, 1.0, None, True, False, "it's"]}"#
        );
        assert_eq!(repr(&PythonValue::Tuple(vec![PythonValue::Int(1)])), "(1,)");
        assert_eq!(repr(&PythonValue::Tuple(Vec::new())), "()");
        assert_eq!(repr(&PythonValue::Complex(3.0, -4.5)), "(3-4.5j)");
        assert_eq!(repr(&PythonValue::Complex(0.0, 1.0)), "1j");
        assert_eq!(repr(&PythonValue::Complex(3.0, 4.0)), "(3+4j)");
        assert_eq!(
            (bytes(b"x\xff\n'"), bytes(b"'\"\\\t\r")),
            ("b\"x\\xff\\n'\"".to_owned(), "b'\\'\"\\\\\\t\\r'".to_owned())
        );
        assert_eq!(repr(&json("100000000000000000000")), "100000000000000000000");
        assert_eq!((repr(&json("1e400")), repr(&json("NaN"))), ("inf".to_owned(), "nan".to_owned()));
    }
}
