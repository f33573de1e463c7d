//! The short, readable part of an error's body: JSON of many shapes, plain text, or a proxy's HTML page.

use super::body::WireNames;
use super::completion::{self, Completion};
use super::service::fault;
use crate::fault::Fault;
use crate::limit::retry_after::{machine_clock, wait_asked};
use crate::request::Reply;
use async_openai::error::OpenAIError;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use std::time::Duration;

/// What an error's body says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ErrorText {
    /// The message, on one line and cut to a readable length.
    pub(super) message: String,
    /// The code or type that the server gives, as text.
    pub(super) code: Option<String>,
}

/// Longer messages are cut; some servers repeat the whole prompt.
const LONGEST: usize = 300;

impl ErrorText {
    /// Reads any body.
    pub(super) fn read(body: &[u8]) -> Self {
        match serde_json::from_slice::<Value>(body) {
            Ok(json) => Self::from_json(&json),
            Err(_) => Self::from_text(&String::from_utf8_lossy(body)),
        }
    }

    /// Reads JSON: `{"error": {"message", "code", "type"}}`, `{"error": ".."}`, `{"message": ".."}`, `{"detail": ..}`.
    pub(super) fn from_json(json: &Value) -> Self {
        let error = json.get("error").filter(|error| !error.is_null()).unwrap_or(json);
        let said = |key: &&str| error.get(key).filter(|said| !said.is_null());
        let message = ["message", "detail", "error", "msg"].iter().find_map(said).map(words);
        let code = ["code", "type"].iter().find_map(|key| error.get(key).and_then(scalar));
        Self { message: shorten(&message.unwrap_or_else(|| words(error))), code: quota_first(error).or(code) }
    }

    fn from_text(text: &str) -> Self {
        let looks_like_html = text.trim_start().starts_with('<');
        let message = if looks_like_html { page_title(text) } else { text.to_owned() };
        Self { message: shorten(&message), code: None }
    }
}

/// Some servers put the telling word into `type` and a number into `code`.
fn quota_first(error: &Value) -> Option<String> {
    let telling = |key: &str| error.get(key).and_then(Value::as_str) == Some("insufficient_quota");
    (telling("code") || telling("type")).then(|| "insufficient_quota".to_owned())
}

fn words(value: &Value) -> String {
    let list = || Some(value.as_array()?.iter().map(complaint).collect::<Option<Vec<_>>>()?.join("; "));
    scalar(value).or_else(list).unwrap_or_else(|| value.to_string())
}

/// One fault of a request, as web frameworks list them: where, and what.
fn complaint(value: &Value) -> Option<String> {
    let place: Vec<String> = value.get("loc")?.as_array()?.iter().filter_map(scalar).collect();
    Some(format!("{}: {}", place.join("."), value.get("msg")?.as_str()?))
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The title of an HTML page, or its text without tags.
fn page_title(page: &str) -> String {
    let lower = page.to_ascii_lowercase();
    let title = lower.find("<title>").and_then(|start| {
        let start = start + "<title>".len();
        page.get(start..start + lower.get(start..)?.find("</title>")?)
    });
    let text = title.map_or_else(|| without_tags(page), str::to_owned);
    format!("an HTML page: {text}")
}

fn without_tags(page: &str) -> String {
    let texts = page.split('<').filter_map(|part| part.split_once('>').map(|(_, text)| text));
    texts.collect::<Vec<_>>().join(" ")
}

/// On one line, cut by characters.
fn shorten(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LONGEST { line } else { line.chars().take(LONGEST).chain(['…']).collect() }
}

// What a server's answer comes to, without a server: by the same readers that an endpoint uses.

/// The reply in the body of a chat completion; the error says why there is none.
pub fn read_completion(body: &[u8]) -> Result<Reply, String> {
    let shown = |error| fault(OpenAIError::JSONDeserialize(error, String::from_utf8_lossy(body).into_owned()));
    let completion: Result<Completion, Fault> = serde_json::from_slice(body).map_err(shown);
    completion.and_then(|completion| completion.into_reply(&WireNames::new([]))).map_err(|fault| fault.to_string())
}

/// The vectors in the body of an answer to `count` texts, as the text of a reply; the error says why there are none.
pub fn read_vectors(body: &[u8], count: usize) -> Result<Reply, String> {
    completion::read(body, count).map_err(|fault| fault.to_string())
}

/// What the body of a status that is no success says, on one line.
pub fn read_refusal(body: &[u8]) -> String {
    ErrorText::read(body).message
}

/// How long the headers of such a status ask to wait. What is no header is passed over.
pub fn read_wait(headers: &[(&str, &str)]) -> Option<Duration> {
    let header = |(name, value): &(&str, &str)| {
        Some((HeaderName::from_bytes(name.as_bytes()).ok()?, HeaderValue::from_str(value).ok()?))
    };
    wait_asked(&headers.iter().filter_map(header).collect::<HeaderMap>(), machine_clock)
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;
    use proptest::prelude::*;

    fn read(body: &str) -> (String, Option<String>) {
        let text = ErrorText::read(body.as_bytes());
        (text.message, text.code)
    }

    #[test]
    fn json_with_codes_of_any_kind() {
        let text =
            |code: &str| read(&format!(r#"{{"error": {{"message": "too long", "type": "bad", "code": {code}}}}}"#));
        assert_eq!(text("\"context_length\""), ("too long".to_owned(), Some("context_length".to_owned())));
        assert_eq!(text("400"), ("too long".to_owned(), Some("400".to_owned())));
        assert_eq!(text("null"), ("too long".to_owned(), Some("bad".to_owned())));
    }

    #[test]
    fn json_of_other_shapes() {
        assert_eq!(read(r#"{"error": "model not found"}"#).0, "model not found");
        assert_eq!(
            read(r#"{"object": "error", "message": "no", "code": 40303}"#),
            ("no".to_owned(), Some("40303".to_owned()))
        );
        assert_eq!(read(r#"{"detail": [{"msg": "field required"}]}"#).0, r#"[{"msg":"field required"}]"#);
        let listed =
            r#"{"detail": [{"loc": ["body", "messages", 0], "msg": "Field required"}, {"loc": [], "msg": "odd"}]}"#;
        assert_eq!(read(listed).0, "body.messages.0: Field required; : odd");
        assert_eq!(read(r#"["odd"]"#).0, r#"["odd"]"#);
        assert_eq!(read("null").0, "null");
    }

    #[test]
    fn an_empty_account_is_recognized_by_code_or_type() {
        let quota = Some("insufficient_quota".to_owned());
        assert_eq!(read(r#"{"error": {"message": "x", "type": "insufficient_quota", "code": 429}}"#).1, quota);
        assert_eq!(read(r#"{"error": {"message": "x", "code": "insufficient_quota"}}"#).1, quota);
    }

    #[test]
    fn text_and_pages() {
        assert_snapshot!(read("Too Many\nRequests").0, @"Too Many Requests");
        assert_snapshot!(read("<html><head><TITLE>502 Bad Gateway</TITLE></head>").0, @"an HTML page: 502 Bad Gateway");
        assert_snapshot!(read("<!doctype html><body><h1>No</h1><p>route</p>").0, @"an HTML page: No route");
        assert_snapshot!(read("<html><title>half").0, @"an HTML page: half");
        assert_eq!(read("").0, "");
    }

    proptest! {
        #[test]
        fn any_body_gives_one_short_line(body in prop::collection::vec(any::<u8>(), 0..600), page in "<.{0,80}(<title>)?.{0,400}") {
            for body in [body, page.into_bytes()] {
                let message = ErrorText::read(&body).message;
                prop_assert!(message.chars().count() <= LONGEST + 1 && !message.contains('\n'));
            }
        }
    }

    #[test]
    fn a_long_message_is_cut_by_characters() {
        let (message, _) = read(&"요".repeat(1000));
        assert_eq!(message.chars().count(), LONGEST + 1);
        assert!(message.ends_with("요…"));
    }

    #[test]
    fn what_is_null_says_nothing() {
        assert_eq!(
            read(r#"{"error": {"message": null, "detail": "too long", "code": null}}"#),
            ("too long".to_owned(), None)
        );
        assert_eq!(read(r#"{"error": null, "message": "no"}"#).0, "no");
        assert_eq!(read(r#"{"error": {"message": null}}"#).0, r#"{"message":null}"#);
    }
}

#[cfg(test)]
mod reading_tests {
    use super::*;

    #[test]
    fn a_completion_is_read_and_what_is_none_is_shown() {
        let body = br#"{"choices": [{"message": {"content": "hi"}}]}"#;
        assert_eq!(read_completion(body).unwrap().text, "hi");
        assert_eq!(read_completion(b"{}").unwrap_err(), "the answer has no choices");
        let error = read_completion(b"<html>\xff").unwrap_err();
        assert!(error.starts_with("the answer is not the JSON of a completion"), "{error}");
    }

    #[test]
    fn vectors_are_counted() {
        let body = br#"{"data": [{"embedding": [0.5, 1]}]}"#;
        assert_eq!(read_vectors(body, 1).unwrap().text, "[[0.5,1.0]]");
        assert_eq!(read_vectors(body, 2).unwrap_err(), "the answer has 1 vectors for 2 texts");
    }

    #[test]
    fn a_refusal_says_why_and_how_long_to_wait() {
        assert_eq!(read_refusal(br#"{"error": {"message": "slow\ndown"}}"#), "slow down");
        assert_eq!(
            read_wait(&[("Retry-After", "1.5"), ("no header", "x"), ("x", "\n")]),
            Some(Duration::from_millis(1500))
        );
        assert_eq!(read_wait(&[]), None);
    }
}
