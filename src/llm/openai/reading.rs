//! What a server's answer comes to, without a server: by the same readers that an endpoint uses.

use super::completion::Completion;
use super::embedding;
use super::error_text::ErrorText;
use super::names::WireNames;
use super::service::fault;
use crate::llm::fault::Fault;
use crate::llm::request::Reply;
use crate::llm::retry_after::{machine_clock, wait_asked};
use async_openai::error::OpenAIError;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use std::time::Duration;

/// The reply in the body of a chat completion; the error says why there is none.
pub fn read_completion(body: &[u8]) -> Result<Reply, String> {
    let shown = |error| fault(OpenAIError::JSONDeserialize(error, String::from_utf8_lossy(body).into_owned()));
    let completion: Result<Completion, Fault> = serde_json::from_slice(body).map_err(shown);
    completion.and_then(|completion| completion.into_reply(&WireNames::new([]))).map_err(|fault| fault.to_string())
}

/// The vectors in the body of an answer to `count` texts, as the text of a reply; the error says why there are none.
pub fn read_vectors(body: &[u8], count: usize) -> Result<Reply, String> {
    embedding::read(body, count).map_err(|fault| fault.to_string())
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
