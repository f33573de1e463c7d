//! A batch as servers describe it, and a line of its results; both are read as loosely as completions are.

use super::completion::{error_in_disguise, malformed};
use super::error_text::ErrorText;
use crate::fault::Fault;
use serde::Deserialize;
use serde_json::Value;

/// A batch as the server sees it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Batch {
    pub(crate) id: String,
    status: Value,
    output_file_id: Value,
    error_file_id: Value,
    errors: Value,
    request_counts: Value,
    metadata: Value,
}

/// How far a batch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Not at its end.
    Running,
    /// All requests had their turn.
    Completed,
    /// It was not accepted; nothing was done.
    Failed,
    /// Its time ended first.
    Expired,
    /// Somebody ended it.
    Cancelled,
}

/// Why a batch was not accepted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Complaint {
    /// A word for machines.
    pub(crate) code: String,
    /// Words for people.
    pub(crate) message: String,
    /// The line that it is about, from 1.
    pub(crate) line: Option<u32>,
}

impl Batch {
    /// How far it is. A word that nobody knows is no end.
    pub(crate) fn state(&self) -> State {
        match self.status.as_str().unwrap_or_default().to_ascii_lowercase().as_str() {
            "completed" => State::Completed,
            "failed" => State::Failed,
            "expired" => State::Expired,
            "cancelled" | "canceled" => State::Cancelled,
            _ => State::Running,
        }
    }

    /// The files of its results: what was answered, and what was not.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        let files = [&self.output_file_id, &self.error_file_id].into_iter().filter_map(Value::as_str);
        files.filter(|file| !file.is_empty())
    }

    /// So many lines its files must have together, where the server says it.
    pub(crate) fn lines(&self) -> u64 {
        let count = |name: &str| self.request_counts.get(name).and_then(Value::as_u64).unwrap_or(0);
        count("completed")
    }

    /// The mark that it was made with.
    pub(crate) fn mark(&self) -> Option<&str> {
        self.metadata.get(MARK)?.as_str()
    }

    /// What was wrong with it.
    pub(crate) fn complaints(&self) -> Vec<Complaint> {
        let list = self.errors.get("data").unwrap_or(&self.errors);
        list.as_array().into_iter().flatten().map(Complaint::read).collect()
    }
}

/// Under this name a batch says who made it.
pub(super) const MARK: &str = "fcgen";

impl Complaint {
    fn read(value: &Value) -> Self {
        let text = ErrorText::from_json(value);
        let line = value.get("line").and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok());
        Self { code: text.code.unwrap_or_default(), message: text.message, line }
    }
}

/// Whose answer a line of results is, and what it says: the body of a completion, or what went wrong.
pub(crate) fn answer_of(line: &str) -> Option<(String, Result<Value, Fault>)> {
    let mut line: Line = serde_json::from_str(line).ok()?;
    let id = line.custom_id.as_str()?.to_owned();
    Some((id, line.answer()))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Line {
    custom_id: Value,
    response: Value,
    error: Value,
}

impl Line {
    fn answer(&mut self) -> Result<Value, Fault> {
        let status = self.response.get("status_code").and_then(Value::as_u64).and_then(|it| u16::try_from(it).ok());
        let response = self.response.take();
        // Some engines leave out what lies around the completion.
        let is_bare = response.get("choices").is_some();
        let body = if is_bare { response } else { response.get("body").cloned().unwrap_or_default() };
        match status {
            Some(status) if !(200..300).contains(&status) => Err(self.refusal(status, &body)),
            _ if body.is_object() => Ok(body),
            _ if self.error.is_null() => Err(malformed("a line of the results holds neither an answer nor an error")),
            _ => Err(self.unanswered()),
        }
    }

    fn refusal(&self, status: u16, body: &Value) -> Fault {
        let said = if body.is_null() { &self.error } else { body };
        let ErrorText { message, code } = ErrorText::from_json(said);
        Fault::Status { status, code, message, wait: None }
    }

    fn unanswered(&self) -> Fault {
        let ErrorText { message, code } = ErrorText::from_json(&self.error);
        match code.as_deref() {
            Some("batch_expired" | "batch_cancelled") => Fault::Unserved { detail: message },
            _ => error_in_disguise(&self.error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use State::{Cancelled, Completed, Expired, Failed};
    use insta::assert_snapshot;
    use serde_json::json;

    fn batch(value: Value) -> Batch {
        serde_json::from_value(value).unwrap()
    }

    fn answer(line: &Value) -> Result<Value, Fault> {
        let (id, answer) = answer_of(&line.to_string()).unwrap();
        assert_eq!(id, "a");
        answer
    }

    fn fault(line: &Value) -> String {
        answer(line).unwrap_err().to_string()
    }

    #[test]
    fn every_word_of_a_status_is_known_and_strange_ones_are_no_end() {
        let state = |word: &str| batch(json!({ "id": "b", "status": word })).state();
        for word in ["validating", "in_progress", "finalizing", "cancelling", "IN_PROGRESS", "queued", ""] {
            assert_eq!(state(word), State::Running, "{word}");
        }
        let ends = ["completed", "COMPLETED", "failed", "expired", "cancelled", "canceled"].map(state);
        assert_eq!(ends, [Completed, Completed, Failed, Expired, Cancelled, Cancelled]);
        assert_eq!(batch(json!({ "status": null })).state(), State::Running);
    }

    #[test]
    fn files_counts_and_mark_are_there_or_not() {
        let full = batch(json!({
            "output_file_id": "o", "error_file_id": null, "metadata": { "fcgen": "m" },
            "request_counts": { "total": 3, "completed": 2, "failed": 1 },
        }));
        assert_eq!((full.files().collect::<Vec<_>>(), full.lines(), full.mark()), (vec!["o"], 2, Some("m")));
        let empty = batch(json!({ "output_file_id": "", "metadata": null }));
        assert_eq!((empty.files().count(), empty.lines(), empty.mark(), empty.complaints().len()), (0, 0, None, 0));
    }

    #[test]
    fn complaints_come_with_their_lines() {
        let list =
            json!([{ "code": "invalid_json_line", "message": "not JSON", "line": 2 }, { "message": "and more" }]);
        let complaints = batch(json!({ "errors": { "object": "list", "data": list } })).complaints();
        let first = Complaint { code: "invalid_json_line".to_owned(), message: "not JSON".to_owned(), line: Some(2) };
        assert_eq!(complaints[0], first);
        assert_eq!((complaints[1].message.as_str(), complaints[1].line), ("and more", None));
        assert_eq!(batch(json!({ "errors": [{ "message": "bare" }] })).complaints().len(), 1);
    }

    #[test]
    fn an_answer_is_found_with_and_without_what_lies_around_it() {
        let body = json!({ "choices": [] });
        let full = json!({ "custom_id": "a", "response": { "status_code": 200, "body": body }, "error": null });
        assert_eq!(answer(&full).unwrap(), body);
        assert_eq!(answer(&json!({ "custom_id": "a", "response": body })).unwrap(), body);
        assert_eq!(answer(&json!({ "custom_id": "a", "response": { "body": body } })).unwrap(), body);
    }

    #[test]
    fn what_went_wrong_is_told_as_over_http() {
        let line = |status: u16| {
            let body = json!({ "error": { "message": "too long", "code": "context_length_exceeded" } });
            json!({ "custom_id": "a", "response": { "status_code": status, "body": body } })
        };
        assert_snapshot!(fault(&line(400)), @"HTTP 400: too long");
        assert!(matches!(answer(&line(429)), Err(Fault::Status { status: 429, .. })));
        let bare = json!({ "custom_id": "a", "response": { "status_code": 500, "body": null }, "error": "no GPU" });
        assert_snapshot!(fault(&bare), @"HTTP 500: no GPU");
        let expired = json!({ "code": "batch_expired", "message": "its time is over" });
        let expired = answer(&json!({ "custom_id": "a", "response": null, "error": expired }));
        assert_eq!(expired, Err(Fault::Unserved { detail: "its time is over".to_owned() }));
        assert_snapshot!(fault(&json!({ "custom_id": "a", "error": { "message": "odd" } })), @"the answer is an error: odd");
        assert_snapshot!(fault(&json!({ "custom_id": "a" })), @"a line of the results holds neither an answer nor an error");
    }

    #[test]
    fn a_line_without_a_name_is_nobody_s() {
        for line in ["", "{", "[]", "null", r#"{"custom_id": 3}"#, r#"{"response": {}}"#] {
            assert_eq!(answer_of(line), None, "{line}");
        }
    }
}
