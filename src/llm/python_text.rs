//! Values as Python writes them: the authors of benchmarks make their prompts with `json.dumps` and `str`.

use minijinja::value::{Kwargs, Serde};
use minijinja::{Environment, Error, ErrorKind, Value};
use serde_json::{Number, Value as Json};
use std::fmt::Write as _;

/// Widest indentation of a level.
const WIDEST: usize = 16;

/// Adds `python_json`, `python_str` and `sorted_keys` to the filters of an environment.
pub(super) fn add_filters(environment: &mut Environment<'static>) {
    environment.add_filter("python_json", python_json);
    environment.add_filter("python_str", python_str);
    environment.add_filter("sorted_keys", sorted_keys);
    environment.add_filter("python_arguments", python_arguments);
}

/// `{{ tool | python_json(indent=4) }}`: as `json.dumps(tool, indent=4, ensure_ascii=False)`; with `ascii=true` as without
/// the last argument.
#[expect(clippy::needless_pass_by_value, reason = "the engine hands arguments over")]
fn python_json(value: &Value, options: Kwargs) -> Result<String, Error> {
    let indent: Option<usize> = options.get("indent")?;
    let ascii = options.get::<Option<bool>>("ascii")?.unwrap_or(false);
    options.assert_all_used()?;
    if indent.is_some_and(|width| width > WIDEST) {
        return Err(Error::new(ErrorKind::InvalidOperation, format!("`indent` is at most {WIDEST}")));
    }
    let mut text = String::new();
    Dump { indent, ascii }.value(&json(value)?, 0, &mut text);
    Ok(text)
}

/// `{{ api.parameters | python_str }}`: as `str(...)`. A text is itself, everything else is as `repr` has it.
fn python_str(value: &Value) -> Result<String, Error> {
    match json(value)? {
        Json::String(text) => Ok(text),
        value => {
            let mut text = String::new();
            repr(&value, &mut text);
            Ok(text)
        }
    }
}

/// `{{ label | sorted_keys | python_json }}`: as `dict(sorted(label.items()))`, the keys of the outermost object alone.
fn sorted_keys(value: &Value) -> Result<Value, Error> {
    let Json::Object(object) = json(value)? else { return Ok(value.clone()) };
    let mut entries: Vec<(String, Json)> = object.into_iter().collect();
    entries.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(Value::from(Serde(Json::Object(entries.into_iter().collect()))))
}

/// `{{ dialog | python_arguments | python_json }}`: messages whose calls have their arguments, which are JSON within a
/// text, spaced as Python does it.
fn python_arguments(value: &Value) -> Result<Value, Error> {
    let mut value = json(value)?;
    space_arguments(&mut value);
    Ok(Value::from(Serde(value)))
}

fn space_arguments(value: &mut Json) {
    match value {
        Json::Array(items) => items.iter_mut().for_each(space_arguments),
        Json::Object(object) => {
            for (key, field) in object.iter_mut() {
                let parsed = field.as_str().filter(|_| key == "arguments").and_then(|it| serde_json::from_str(it).ok());
                match parsed {
                    Some(arguments) => {
                        let mut text = String::new();
                        Dump { indent: None, ascii: false }.value(&arguments, 0, &mut text);
                        *field = Json::String(text);
                    }
                    None => space_arguments(field),
                }
            }
        }
        _ => {}
    }
}

fn json(value: &Value) -> Result<Json, Error> {
    serde_json::to_value(value).map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))
}

/// How `json.dumps` is called.
struct Dump {
    indent: Option<usize>,
    ascii: bool,
}

impl Dump {
    fn value(&self, value: &Json, depth: usize, text: &mut String) {
        match value {
            Json::Null => text.push_str("null"),
            Json::Bool(yes) => text.push_str(if *yes { "true" } else { "false" }),
            Json::Number(it) => number(it, text),
            Json::String(it) => self.string(it, text),
            Json::Array(items) => {
                self.list(('[', ']'), items, depth, text, |item, text| self.value(item, depth + 1, text));
            }
            Json::Object(fields) => self.list(('{', '}'), fields, depth, text, |(key, value), text| {
                self.string(key, text);
                text.push_str(": ");
                self.value(value, depth + 1, text);
            }),
        }
    }

    fn list<I: IntoIterator>(
        &self,
        (open, close): (char, char),
        items: I,
        depth: usize,
        text: &mut String,
        put: impl Fn(I::Item, &mut String),
    ) {
        text.push(open);
        let mut is_empty = true;
        for item in items {
            match (self.indent, is_empty) {
                (None, true) => {}
                (None, false) => text.push_str(", "),
                (Some(width), _) => {
                    text.push_str(if is_empty { "\n" } else { ",\n" });
                    text.push_str(&" ".repeat(width * (depth + 1)));
                }
            }
            put(item, text);
            is_empty = false;
        }
        if let Some(width) = self.indent.filter(|_| !is_empty) {
            text.push('\n');
            text.push_str(&" ".repeat(width * depth));
        }
        text.push(close);
    }

    fn string(&self, string: &str, text: &mut String) {
        text.push('"');
        for letter in string.chars() {
            match letter {
                '"' => text.push_str("\\\""),
                '\\' => text.push_str("\\\\"),
                '\n' => text.push_str("\\n"),
                '\r' => text.push_str("\\r"),
                '\t' => text.push_str("\\t"),
                '\u{8}' => text.push_str("\\b"),
                '\u{c}' => text.push_str("\\f"),
                _ if letter < ' ' || (self.ascii && !letter.is_ascii()) || (self.ascii && letter == '\u{7f}') => {
                    let mut units = [0; 2];
                    letter.encode_utf16(&mut units).iter().for_each(|unit| put(text, format_args!("\\u{unit:04x}")));
                }
                _ => text.push(letter),
            }
        }
        text.push('"');
    }
}

/// As `repr` writes it.
fn repr(value: &Json, text: &mut String) {
    match value {
        Json::Null => text.push_str("None"),
        Json::Bool(yes) => text.push_str(if *yes { "True" } else { "False" }),
        Json::Number(it) => number(it, text),
        Json::String(it) => quoted(it, text),
        Json::Array(items) => {
            text.push('[');
            for (at, item) in items.iter().enumerate() {
                text.push_str(if at == 0 { "" } else { ", " });
                repr(item, text);
            }
            text.push(']');
        }
        Json::Object(fields) => {
            text.push('{');
            for (at, (key, value)) in fields.iter().enumerate() {
                text.push_str(if at == 0 { "" } else { ", " });
                quoted(key, text);
                text.push_str(": ");
                repr(value, text);
            }
            text.push('}');
        }
    }
}

/// A string in the quotes that `repr` takes: single ones, unless these alone stand in it.
fn quoted(string: &str, text: &mut String) {
    let quote = if string.contains('\'') && !string.contains('"') { '"' } else { '\'' };
    text.push(quote);
    for letter in string.chars() {
        match letter {
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            _ if letter == quote => put(text, format_args!("\\{letter}")),
            _ if letter.is_control() => put(text, format_args!("\\x{:02x}", u32::from(letter))),
            _ => text.push(letter),
        }
    }
    text.push(quote);
}

/// Whole numbers as they are; others with the fewest digits, and with an exponent where Python has one.
fn number(number: &Number, text: &mut String) {
    let Some(float) = number.as_f64().filter(|_| number.is_f64()) else { return put(text, format_args!("{number}")) };
    let scientific = format!("{float:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    match exponent.parse::<i32>().unwrap_or(0) {
        power if float != 0.0 && !(-4..16).contains(&power) => {
            let sign = if power < 0 { '-' } else { '+' };
            put(text, format_args!("{digits}e{sign}{:02}", power.unsigned_abs()));
        }
        _ => put(text, format_args!("{number}")),
    }
}

/// Writing to a text cannot fail.
fn put(text: &mut String, what: std::fmt::Arguments<'_>) {
    text.write_fmt(what).unwrap_or_default();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(template: &str, value: &serde_json::Value) -> String {
        let mut environment = Environment::new();
        add_filters(&mut environment);
        let values = minijinja::context! { it => Value::from(Serde(value)) };
        environment.render_str(template, values).unwrap_or_else(|error| error.to_string())
    }

    /// What `CPython` 3.12 prints for the same value.
    fn value() -> serde_json::Value {
        serde_json::from_str(
            r#"{"b": "it's \"so\"\n별", "a": [1, 1.0, 0.00001, 1e22, 123456.789, -0.5, true, null, {}, []], "c": {"d": "\u0001"}}"#,
        )
        .unwrap()
    }

    #[test]
    fn json_is_spaced_as_python_does_it() {
        insta::assert_snapshot!(rendered("{{ it | python_json }}", &value()), @r#"{"b": "it's \"so\"\n별", "a": [1, 1.0, 1e-05, 1e+22, 123456.789, -0.5, true, null, {}, []], "c": {"d": "\u0001"}}"#);
        insta::assert_snapshot!(rendered("{{ it.b | python_json(ascii=true) }}", &value()), @r#""it's \"so\"\n\ubcc4""#);
        let small = serde_json::json!({"a": [1, {"b": {}}], "c": []});
        insta::assert_snapshot!(rendered("{{ it | python_json(indent=4) }}", &small), @r#"
        {
            "a": [
                1,
                {
                    "b": {}
                }
            ],
            "c": []
        }
        "#);
        assert!(rendered("{{ it | python_json(indent=99) }}", &small).contains("`indent` is at most 16"));
    }

    #[test]
    fn a_text_is_itself_and_everything_else_is_its_repr() {
        insta::assert_snapshot!(rendered("{{ it | python_str }}", &value()), @r#"{'b': 'it\'s "so"\n별', 'a': [1, 1.0, 1e-05, 1e+22, 123456.789, -0.5, True, None, {}, []], 'c': {'d': '\x01'}}"#);
        assert_eq!(rendered("{{ it | python_str }}", &serde_json::json!("it's")), "it's");
        assert_eq!(rendered("{{ it | python_str }}", &serde_json::json!(["it's", "so"])), "[\"it's\", 'so']");
    }

    #[test]
    fn the_outermost_keys_are_sorted_and_arguments_are_spaced() {
        let nested = serde_json::json!({"b": {"d": 1, "c": 2}, "a": 3});
        let sorted = rendered("{{ it | sorted_keys | python_json }}", &nested);
        assert_eq!(sorted, r#"{"a": 3, "b": {"d": 1, "c": 2}}"#);
        let calls = serde_json::json!([{"tool_calls": [{"function": {"arguments": "{\"a\":1,\"b\":[2,3]}"}}], "content": "{}"}]);
        insta::assert_snapshot!(rendered("{{ it | python_arguments | python_json }}", &calls), @r#"[{"tool_calls": [{"function": {"arguments": "{\"a\": 1, \"b\": [2, 3]}"}}], "content": "{}"}]"#);
    }
}
