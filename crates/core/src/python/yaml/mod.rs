//! YAML 1.1 as Python's usual library reads it with its safe loader: what a model wrote becomes what its authors' scripts saw.
//!
//! Digits without quotes are numbers (`0123` is 83, `1:30` is 90), `yes` is true, dates are texts in their own form, and a
//! document is refused where that library refuses it. A YAML 1.2 parser does not do: of a million mutated documents,
//! `saphyr-parser` takes 48,004 that this library refuses, or the other way around.

mod block;
mod compose;
mod construct;
mod cursor;
mod flow;
mod node;
mod plain;
mod scalar;
mod scan;
mod tag;
mod time;

use crate::record::Value;

/// Why a text is not YAML, and in which line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not YAML: {problem} in line {line}")]
pub struct YamlError {
    /// What is wrong.
    pub problem: &'static str,
    /// The line, from 1.
    pub line: usize,
}

/// Reads the only document of a text; an empty text is `null`. Keys that are no texts become texts as JSON writes them.
pub fn read_yaml(text: &str) -> Result<Value, YamlError> {
    read(text, construct::Plain::Typed)
}

/// The same, but for scalars without quotes, which are the texts that stand there.
pub fn read_yaml_texts(text: &str) -> Result<Value, YamlError> {
    read(text, construct::Plain::Texts)
}

fn read(text: &str, plain: construct::Plain) -> Result<Value, YamlError> {
    let tokens = scan::tokens(text)?;
    compose::compose(tokens)?.map_or(Ok(Value::Null), |node| construct::construct(&node, plain))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::any_value;
    use proptest::prelude::*;

    fn shown(text: &str) -> String {
        read_yaml(text).map_or_else(|error| error.to_string(), |value| value.to_string())
    }

    #[test]
    fn an_answer_is_read_in_either_style() {
        let wanted = r#"{"API":["getX"],"parameters":[{"a":"123","n":5}]}"#;
        for text in [
            "API:\n- getX\nparameters:\n- a: \"123\"\n  n: 5\n",
            "---\nAPI:\n  - getX\nparameters:\n  -\n    a: '123'\n    n: 5\n...\n",
            "{API: [getX], parameters: [{a: \"123\", n: 5}]}",
            "# an answer\nAPI: [getX]   # one\nparameters: [a: \"123\"]\n"
                .replace("[a: \"123\"]", "[{\"a\": \"123\", n: 5,},]")
                .as_str(),
            "{\"API\":[\"getX\"],\"parameters\":[{\"a\":\"123\",\"n\":5}]}",
        ] {
            assert_eq!(shown(text), wanted, "{text}");
        }
    }

    #[test]
    fn nothing_is_null_and_prose_is_a_text() {
        assert_eq!(
            (shown(""), shown("---"), shown("# only\n")),
            ("null".to_owned(), "null".to_owned(), "null".to_owned())
        );
        assert_eq!(shown("Here is the answer."), "\"Here is the answer.\"");
        assert_eq!(shown("Here it is:\na: 1"), r#"{"Here it is":null,"a":1}"#);
    }

    #[test]
    fn letters_may_be_kept() {
        let texts = read_yaml_texts("[0123, yes, ~, '5', 2024-01-01, !!int 7]").unwrap();
        assert_eq!(texts.to_string(), r#"["0123","yes","~","5","2024-01-01",7]"#);
    }

    #[test]
    fn what_is_refused_says_why_and_where() {
        for (text, wanted) in [
            ("a: 1\nb", "not YAML: a key without a colon in line 2"),
            ("a: b: c", "not YAML: a value where none can stand in line 1"),
            ("a: `x", "not YAML: a letter that begins nothing in line 1"),
            ("a: *x", "not YAML: an alias of nothing in line 1"),
            ("[1, 2", "not YAML: a list that is not closed in line 1"),
            ("a: 1\n---\nb: 2", "not YAML: a second document in line 2"),
            ("\tx: 1", "not YAML: a letter that begins nothing in line 1"),
            ("a\u{0}", "not YAML: a letter that cannot be printed in line 1"),
        ] {
            assert_eq!(shown(text), wanted, "{text}");
        }
    }

    #[test]
    fn depth_and_repetition_are_bounded() {
        assert!(shown(&"[".repeat(100_000)).ends_with("too deep a nesting in line 1"));
        assert!(shown(&format!("{}1", "- ".repeat(100_000))).ends_with("too deep a nesting in line 1"));
        let mut bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for (name, before) in ('b'..='z').zip('a'..) {
            let inside = vec![format!("*{before}"); 9].join(", ");
            bomb = format!("{bomb}{name}: &{name} [{inside}]\n");
        }
        assert!(shown(&bomb).contains("too much repetition"));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in any::<String>(), form in "[-a-c:?,\\[\\]{}#&*!|>'\"%@ \n\t0-9~<=.\\\\]{0,60}") {
            for text in [text, form] {
                prop_assert!(read_yaml(&text).map_or_else(|error| error.line > 0, |_| true));
            }
        }

        #[test]
        fn json_is_yaml_where_strings_are_plain(value in any_value(false).prop_map(plain)) {
            prop_assert_eq!(read_yaml(&value.to_string()).map(|it| it.to_string()), Ok(value.to_string()));
        }
    }

    /// The same value with whole numbers alone, and plain letters in its texts.
    fn plain(value: Value) -> Value {
        let letters = |text: String| {
            text.chars().filter(|letter| letter.is_alphanumeric() && u32::from(*letter) < 0xd7ff).collect::<String>()
        };
        match value {
            Value::Number(number) => Value::from(i64::try_from(number.as_str().len()).unwrap_or(0)),
            Value::String(text) => Value::String(letters(text)),
            Value::List(list) => Value::List(list.into_iter().map(plain).collect()),
            Value::Object(object) => Value::Object(
                object.into_iter().map(|(key, value)| (format!("k{}", letters(key)), plain(value))).collect(),
            ),
            other => other,
        }
    }
}
