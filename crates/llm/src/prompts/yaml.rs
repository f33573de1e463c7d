//! Writes JSON values as YAML in block style, such that every reader gets the same value back.
//!
//! What YAML 1.1 or 1.2 might read as something else than a text (`no`, `0123`, `2024-01-01`, `1:30`) is quoted.

use crate::record::{Object, Value};

/// Words that some reader takes for a boolean, for nothing or for a number.
const WORDS: [&str; 12] = ["true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf", "infinity"];

/// A value as a YAML document without its last line's end.
pub fn write_yaml(value: &Value) -> String {
    let mut text = String::new();
    write(value, 0, &mut text);
    text
}

fn write(value: &Value, depth: usize, text: &mut String) {
    match value {
        Value::Object(object) if !object.is_empty() => write_object(object, depth, text),
        Value::List(list) if !list.is_empty() => {
            for (index, item) in list.iter().enumerate() {
                begin_line(index, depth, text);
                text.push_str("- ");
                write(item, depth + 1, text);
            }
        }
        other => text.push_str(&flow(other)),
    }
}

fn write_object(object: &Object, depth: usize, text: &mut String) {
    for (index, (key, value)) in object.iter().enumerate() {
        begin_line(index, depth, text);
        text.push_str(&scalar(key));
        text.push(':');
        if is_block(value) {
            text.push('\n');
            text.push_str(&indent(depth + 1));
            write(value, depth + 1, text);
        } else {
            text.push(' ');
            text.push_str(&flow(value));
        }
    }
}

/// The first entry stands where its parent put it: behind a dash, or on a line that is begun already.
fn begin_line(index: usize, depth: usize, text: &mut String) {
    if index > 0 {
        text.push('\n');
        text.push_str(&indent(depth));
    }
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}

fn is_block(value: &Value) -> bool {
    match value {
        Value::Object(object) => !object.is_empty(),
        Value::List(list) => !list.is_empty(),
        _ => false,
    }
}

/// What fits on one line.
fn flow(value: &Value) -> String {
    match value {
        Value::String(text) => scalar(text),
        other => serde_json::to_string(other).unwrap_or_default(),
    }
}

fn scalar(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { quoted(text) }
}

/// Whether a text without quotes is the same text to every reader: it begins with a letter, and nothing in it is a mark.
fn is_plain(text: &str) -> bool {
    let fits = |letter: char| letter.is_alphanumeric() || " _-/.,()'".contains(letter);
    text.starts_with(char::is_alphabetic)
        && !text.ends_with(' ')
        && text.chars().all(fits)
        && !WORDS.contains(&text.to_lowercase().as_str())
}

/// A text in double quotes; what JSON leaves alone and YAML takes for the end of a line is escaped as well.
fn quoted(text: &str) -> String {
    let json = serde_json::to_string(text).unwrap_or_default();
    let special = |letter: char| matches!(letter, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}');
    let escaped = |letter: char| {
        if special(letter) { format!("\\u{:04x}", u32::from(letter)) } else { letter.to_string() }
    };
    json.chars().map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn yaml(json: &str) -> String {
        write_yaml(&Value::read(json).unwrap())
    }

    #[test]
    fn lists_and_objects_are_blocks_and_empty_ones_are_not() {
        let json = r#"{"API": ["getA", "getB"], "parameters": [{"id": "A 1", "n": 1.50, "more": {"a": true, "b": []}}, {}],
            "nested": [["x", null], [[1]]]}"#;
        insta::assert_snapshot!(yaml(json), @r#"
        API:
          - getA
          - getB
        parameters:
          - id: A 1
            "n": 1.50
            more:
              a: true
              b: []
          - {}
        nested:
          - - x
            - null
          - - - 1
        "#);
    }

    #[test]
    fn a_text_that_might_be_something_else_is_quoted() {
        let ambiguous = [
            "123",
            "0123",
            "1e5",
            "-1",
            ".5",
            "0x1F",
            "1_000",
            "1:30",
            "2024-01-01",
            "yes",
            "No",
            "ON",
            "y",
            "null",
            "~",
            "NaN",
            "",
            " a",
            "a ",
            "- a",
            "a: b",
            "a #b",
            "$$$",
            "{a}",
            "[a]",
            "*a",
            "&a",
            "!a",
            "@a",
            "`a",
            "%a",
            "?",
            "a\nb",
            "\"",
            "'",
        ];
        for text in ambiguous {
            let json = serde_json::to_string(text).unwrap();
            assert_eq!(yaml(&json), json);
        }
        for plain in ["getA", "Peter Parker", "a - b", "O'Brien", "AC1", "서울 역", "credit_card", "v1.2 (new)"] {
            assert_eq!(yaml(&format!("\"{plain}\"")), plain);
        }
    }

    #[test]
    fn keys_are_quoted_like_values_and_odd_letters_escaped() {
        assert_eq!(yaml(r#"{"on": 1, "a b": -0, "1": "x\u2028y"}"#), "\"on\": 1\na b: -0\n\"1\": \"x\\u2028y\"");
        assert_eq!(yaml("null"), "null");
    }
}
