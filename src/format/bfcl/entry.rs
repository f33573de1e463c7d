//! A question with what is offered, and the answers that are accepted.

use super::message::read;
use crate::record::{BorrowedObject, BorrowedValue, Message, Value, ValueError};

/// A question of BFCL's, in any version's shape.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Its id.
    pub id: String,
    /// What is said before the model has to act: the first turn.
    pub messages: Vec<Message>,
    /// How many turns it has.
    pub turns: usize,
    /// The functions that are offered, as they stand in the file; none where a world offers them.
    pub functions: Option<Value>,
    /// The accepted answers, as they stand in their file.
    pub answers: Option<Value>,
}

/// Why a line is no question.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EntryError {
    /// It is no JSON.
    #[error(transparent)]
    Json(#[from] ValueError),
    /// A field is not what it should be.
    #[error("`{0}` is missing, or not what it should be")]
    Field(&'static str),
}

impl Entry {
    /// Reads a line of a file of questions.
    pub fn read(line: &str) -> Result<Self, EntryError> {
        let mut fields = BorrowedObject::read_fields(line, &["id", "question", "function", "ground_truth"])?;
        let id = fields.get("id").and_then(BorrowedValue::as_str).ok_or(EntryError::Field("id"))?.to_owned();
        let question = fields.take("question").ok_or(EntryError::Field("question"))?;
        let (messages, turns) = said(&question).ok_or(EntryError::Field("question"))?;
        let functions = fields.take("function").map(Value::from);
        Ok(Self { id, messages, turns, functions, answers: fields.take("ground_truth").map(Value::from) })
    }

    /// Whether a line is a question of BFCL's: it offers functions to a question under an id with a number.
    pub fn is_entry(line: &str) -> bool {
        let fields = BorrowedObject::read_fields(line, &["id", "question", "function", "involved_classes"]);
        fields.is_ok_and(|fields| {
            let has = |name: &str| fields.get(name).is_some();
            has("id") && has("question") && (has("function") || has("involved_classes"))
        })
    }
}

/// The messages of the first turn, and the number of turns. Earlier versions have a text, or messages without turns.
fn said(question: &BorrowedValue<'_>) -> Option<(Vec<Message>, usize)> {
    match question {
        BorrowedValue::String(text) => Some((vec![Message::user(&**text)], 1)),
        BorrowedValue::List(list) if list.iter().any(|it| matches!(it, BorrowedValue::List(_))) => {
            let BorrowedValue::List(first) = list.first()? else { return None };
            Some((read(first.iter())?, list.len()))
        }
        BorrowedValue::List(list) => Some((read(list.iter())?, 1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(question: &str) -> Option<(String, usize)> {
        let entry = Entry::read(&format!(r#"{{"id": "simple_0", "question": {question}, "function": []}}"#)).ok()?;
        let texts: Vec<String> = entry.messages.into_iter().filter_map(|message| message.content).collect();
        Some((texts.join("|"), entry.turns))
    }

    #[test]
    fn questions_of_all_versions_are_read() {
        assert_eq!(said("\"hi\"").unwrap(), ("hi".to_owned(), 1));
        assert_eq!(
            said(r#"[{"role": "system", "content": "a"}, {"role": "user", "content": "b"}]"#).unwrap(),
            ("a|b".to_owned(), 1)
        );
        assert_eq!(
            said(r#"[[{"role": "user", "content": "b"}], [{"role": "user", "content": "c"}]]"#).unwrap(),
            ("b".to_owned(), 2)
        );
        assert_eq!(said("[]").unwrap(), (String::new(), 1));
    }

    #[test]
    fn what_is_no_question_is_told() {
        assert_eq!((said("5"), said(r#"[{"role": "robot", "content": ""}]"#), said("[[5]]")), (None, None, None));
        assert_eq!(Entry::read("{}").unwrap_err().to_string(), "`id` is missing, or not what it should be");
        assert!(matches!(Entry::read("["), Err(EntryError::Json(_))));
        assert!(Entry::is_entry(r#"{"id": "a_1", "question": [], "function": []}"#));
        assert!(!Entry::is_entry(r#"{"id": "a_1", "question": []}"#) && !Entry::is_entry("x"));
    }
}
