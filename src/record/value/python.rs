//! Renders a value as Python's `str()` shows what `json.loads` read: `True`, `None`, `5.0`, `['a']`.

use super::{Number, Value};

impl Value {
    /// The text that Python's `str()` gives. A string stands bare on its own and quoted within a list or an object.
    pub fn to_python_text(&self) -> String {
        if let Self::String(text) = self {
            return text.clone();
        }
        let mut text = String::new();
        write_value(self, &mut text);
        text
    }
}

fn write_value(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("None"),
        Value::Bool(bool) => out.push_str(if *bool { "True" } else { "False" }),
        Value::Number(number) => out.push_str(&number_text(number)),
        Value::String(text) => write_quoted(text, out),
        Value::List(list) => {
            out.push('[');
            for (index, value) in list.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                write_value(value, out);
            }
            out.push(']');
        }
        Value::Object(object) => {
            out.push('{');
            for (index, (key, value)) in object.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                write_quoted(key, out);
                out.push_str(": ");
                write_value(value, out);
            }
            out.push('}');
        }
    }
}

fn number_text(number: &Number) -> String {
    match number.as_str() {
        "-0" => "0".to_owned(),
        text if number.is_integer_text() => text.to_owned(),
        _ => float_text(number.as_f64()),
    }
}

fn float_text(float: f64) -> String {
    if float.is_nan() {
        return "nan".to_owned();
    }
    if float.is_infinite() {
        return if float > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let scientific = format!("{float:e}");
    let (mantissa, power) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    if (-4..16).contains(&power) {
        let plain = format!("{float}");
        return if plain.contains('.') { plain } else { plain + ".0" };
    }
    format!("{mantissa}e{}{:02}", if power < 0 { '-' } else { '+' }, power.abs())
}

fn write_quoted(text: &str, out: &mut String) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    for char in text.chars() {
        match char {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if char == quote || char == '\\' => out.extend(['\\', char]),
            _ if is_printable(char) => out.push(char),
            _ => out.push_str(&code_text(u32::from(char))),
        }
    }
    out.push(quote);
}

fn code_text(code: u32) -> String {
    match code {
        0..=0xff => format!("\\x{code:02x}"),
        0x100..=0xffff => format!("\\u{code:04x}"),
        _ => format!("\\U{code:08x}"),
    }
}

fn is_printable(char: char) -> bool {
    if char.is_ascii() {
        return !char.is_ascii_control();
    }
    // Rust's table of printable characters is drawn up by the same rule as Python's. It also escapes a combining mark,
    // but only at the head of a string, hence the letter before it.
    String::from_iter(['a', char]).escape_debug().count() == 2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn python(text: &str) -> String {
        Value::read_lenient(text).unwrap().0.to_python_text()
    }

    #[test]
    fn values_look_as_in_python() {
        assert_eq!(python(r#"{"a": [1, true, null], "b": "x"}"#), "{'a': [1, True, None], 'b': 'x'}");
        assert_eq!(python(r#"["it's", "say \"hi\"", "it's \"so\""]"#), r#"["it's", 'say "hi"', 'it\'s "so"']"#);
        assert_eq!(python(r#"["a\nb\\", "\u0000", "한글"]"#), r"['a\nb\\', '\x00', '한글']");
        assert_eq!(
            python(r#"["\u00a0", "\u200b", "e\u0301", "\ud83d\ude00"]"#),
            "['\\xa0', '\\u200b', 'e\u{301}', '😀']"
        );
        assert_eq!(python(r#""it's""#), "it's");
        assert_eq!(python("[]"), "[]");
    }

    #[test]
    fn numbers_look_as_in_python() {
        let cases = [
            ("5.0", "5.0"),
            ("5", "5"),
            ("-0", "0"),
            ("-0.0", "-0.0"),
            ("1e5", "100000.0"),
            ("1e16", "1e+16"),
            ("1e15", "1000000000000000.0"),
            ("123456789012345678.0", "1.2345678901234568e+17"),
            ("0.0001", "0.0001"),
            ("0.00001", "1e-05"),
            ("1.5e-7", "1.5e-07"),
            ("1e400", "inf"),
            ("-Infinity", "-inf"),
            ("NaN", "nan"),
            ("1e100", "1e+100"),
            ("1000000000000000000000000000000", "1000000000000000000000000000000"),
        ];
        for (text, expected) in cases {
            assert_eq!(python(text), expected);
        }
    }
}
