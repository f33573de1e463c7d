//! A line of a log: what a model was shown, what it said, and what would have been right.

use crate::record::{BorrowedObject, BorrowedValue, ValueError};
use std::borrow::Cow;

/// What scoring needs of a line. What the model was shown is not even read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LogLine<'t> {
    /// The snapshot's id; our own vectors put the locale before it and call it `key`.
    pub id: Option<Cow<'t, str>>,
    /// The locale, where the line says it.
    pub locale: Option<Cow<'t, str>>,
    /// What the line is about, where it says so.
    pub kind: Option<Cow<'t, str>>,
    /// What the model said: its text, or something that was read from it.
    pub predict: Option<BorrowedValue<'t>>,
    /// What is right: a call, or the sentence that refuses.
    pub label: Option<BorrowedValue<'t>>,
}

impl<'t> LogLine<'t> {
    /// Reads a line, or one element of a log that is an array.
    pub fn read(text: &'t str) -> Result<Self, ValueError> {
        let mut fields = BorrowedObject::read_fields(text, &["key", "id", "lang", "kind", "predict", "label"])?;
        let (key, id) = (fields.take("key").and_then(text_of), fields.take("id").and_then(text_of));
        Ok(Self {
            id: key.or(id),
            locale: fields.take("lang").and_then(text_of),
            kind: fields.take("kind").and_then(text_of),
            predict: fields.take("predict"),
            label: fields.take("label"),
        })
    }
}

fn text_of(value: BorrowedValue<'_>) -> Option<Cow<'_, str>> {
    match value {
        BorrowedValue::String(text) => Some(text),
        BorrowedValue::Number(text) => Some(Cow::Borrowed(text)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_authors_lines_and_our_own_are_read() {
        let line =
            r#"{"id": "Based_1_2", "input": "user:hi", "predict": "x\ny", "label": {"name": "A", "arguments": {}}}"#;
        let line = LogLine::read(line).unwrap();
        assert_eq!((line.id.as_deref(), line.locale), (Some("Based_1_2"), None));
        assert_eq!(line.predict.unwrap().as_str(), Some("x\ny"));
        assert_eq!(line.label.unwrap().as_object().unwrap().get("name").unwrap().as_str(), Some("A"));
        let own = LogLine::read(r#"{"key": "ko/IS_0_2", "id": "IS_0_2", "lang": "ko", "predict": null, "label": "s"}"#);
        let own = own.unwrap();
        assert_eq!((own.id.as_deref(), own.locale.as_deref()), (Some("ko/IS_0_2"), Some("ko")));
        assert_eq!((own.predict, own.label.unwrap().as_str()), (Some(BorrowedValue::Null), Some("s")));
    }

    #[test]
    fn a_line_may_lack_anything_but_must_be_an_object() {
        assert_eq!(LogLine::read("{}").unwrap(), LogLine::default());
        assert_eq!(LogLine::read(r#"{"id": 7, "predict": {"name": "A"}}"#).unwrap().id.as_deref(), Some("7"));
        for text in ["", "[]", "5", "{\"id\""] {
            assert!(LogLine::read(text).is_err(), "{text}");
        }
    }
}
