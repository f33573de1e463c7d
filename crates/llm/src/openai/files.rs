//! Files and batches at a server: put, make, look, get. Each is sent once.

use super::batch::{Batch, MARK};
use super::completion::malformed;
use super::endpoint::Endpoint;
use super::error_text::ErrorText;
use crate::fault::Fault;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;

/// Whole files take longer than single answers.
const PATIENCE: u32 = 12;
/// Most pages of a list of batches that are looked through, a hundred on each.
const PAGES: usize = 50;
/// The path of what each line asks for.
pub(crate) const COMPLETIONS: &str = "/v1/chat/completions";

impl Endpoint {
    /// Puts a file of requests, and gives its id.
    pub(crate) async fn put_file(&self, name: &str, text: &[u8]) -> Result<String, Fault> {
        let (kind, form) = form(name, text);
        let answer = self.transport().post_as(&self.place("files"), &kind, form, self.long()).await;
        let file: File = self.heard(answer.and_then(|answer| read(&answer, "a file")))?;
        if file.id.is_empty() { Err(malformed("the server took the file and gave it no id")) } else { Ok(file.id) }
    }

    /// Makes a batch of a file.
    pub(crate) async fn make_batch(&self, file: &str, mark: Option<&str>) -> Result<Batch, Fault> {
        let mut wish = json!({
            "input_file_id": file, "endpoint": COMPLETIONS, "completion_window": self.config().batch_window,
        });
        if let Some(mark) = mark {
            wish["metadata"] = json!({ MARK: mark });
        }
        let answer = self.transport().post(&self.place("batches"), wish.to_string()).await;
        self.heard(answer.and_then(|answer| read_batch(&answer)))
    }

    /// How far a batch is.
    pub(crate) async fn look_at_batch(&self, id: &str) -> Result<Batch, Fault> {
        let answer = self.transport().get(&self.place(&format!("batches/{id}")), self.config().timeout.0).await;
        self.heard(answer.and_then(|answer| read_batch(&answer)))
    }

    /// The batch that was made with this mark, among the latest few thousand.
    pub(crate) async fn find_batch(&self, mark: &str) -> Result<Option<Batch>, Fault> {
        let mut after = String::new();
        for _ in 0..PAGES {
            let list = self.batches(&after).await?;
            let last = list.batches().last().map(|batch| batch.id);
            if let Some(batch) = list.batches().find(|batch| batch.mark() == Some(mark)) {
                return Ok(Some(batch));
            }
            match last.filter(|_| list.has_more) {
                Some(last) => after = format!("&after={last}"),
                None => break,
            }
        }
        Ok(None)
    }

    async fn batches(&self, after: &str) -> Result<List, Fault> {
        let place = self.place(&format!("batches?limit=100{after}"));
        let answer = self.transport().get(&place, self.config().timeout.0).await;
        self.heard(answer.and_then(|answer| read(&answer, "a list of batches")))
    }

    /// What a file holds.
    pub(crate) async fn get_file(&self, id: &str) -> Result<Vec<u8>, Fault> {
        let answer = self.transport().get(&self.place(&format!("files/{id}/content")), self.long()).await;
        self.heard(answer)
    }

    fn long(&self) -> Duration {
        self.config().timeout.0.saturating_mul(PATIENCE)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct File {
    id: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct List {
    data: Vec<Value>,
    has_more: bool,
}

impl List {
    /// What of it can be read, the latest first.
    fn batches(&self) -> impl Iterator<Item = Batch> {
        self.data.iter().filter_map(|batch| Batch::deserialize(batch).ok())
    }
}

fn read_batch(answer: &[u8]) -> Result<Batch, Fault> {
    let batch: Batch = read(answer, "a batch")?;
    if batch.id.is_empty() { Err(malformed("the server gave a batch without an id")) } else { Ok(batch) }
}

fn read<T: DeserializeOwned>(answer: &[u8], what: &str) -> Result<T, Fault> {
    let shown = |error| {
        let said = ErrorText::read(answer).message;
        malformed(&format!("the answer is not the JSON of {what} ({error}): {said}"))
    };
    serde_json::from_slice(answer).map_err(shown)
}

/// A form with the purpose and the file, and its content type.
fn form(name: &str, text: &[u8]) -> (String, Vec<u8>) {
    // The hash of a text does not stand in it.
    let boundary = format!("fcgen-{}", blake3::hash(text).to_hex());
    let head = format!(
        "--{boundary}\r\ncontent-disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n\
         --{boundary}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
         content-type: application/jsonl\r\n\r\n"
    );
    let foot = format!("\r\n--{boundary}--\r\n");
    (format!("multipart/form-data; boundary={boundary}"), [head.as_bytes(), text, foot.as_bytes()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ModelConfig, ProviderKind};
    use crate::stub::{Stub, StubOptions};

    fn endpoint(stub: &Stub) -> Endpoint {
        let (base_url, model) = (format!("{}/", stub.base_url()), "m".to_owned());
        Endpoint::open(&ModelConfig { provider: ProviderKind::Openai, base_url, model, ..ModelConfig::default() })
            .unwrap()
    }

    #[test]
    fn a_form_holds_the_file_between_its_bounds() {
        let (kind, form) = form("requests.jsonl", b"{}\n");
        let boundary = kind.strip_prefix("multipart/form-data; boundary=").unwrap();
        let text = String::from_utf8(form).unwrap();
        assert_eq!(text.matches(&format!("--{boundary}")).count(), 3);
        assert!(text.contains("name=\"purpose\"\r\n\r\nbatch\r\n"), "{text}");
        assert!(text.contains("filename=\"requests.jsonl\"") && text.contains("\r\n\r\n{}\n\r\n--"), "{text}");
    }

    #[tokio::test]
    async fn what_is_put_is_made_looked_at_and_got() {
        let stub = Stub::start(StubOptions::default()).await.unwrap();
        let endpoint = endpoint(&stub);
        let line = r#"{"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": {"messages": []}}"#;
        let file = endpoint.put_file("requests.jsonl", line.as_bytes()).await.unwrap();
        let made = endpoint.make_batch(&file, Some("mark")).await.unwrap();
        let found = endpoint.find_batch("mark").await.unwrap().unwrap();
        assert_eq!((found.id.as_str(), found.mark()), (made.id.as_str(), Some("mark")));
        assert!(endpoint.find_batch("other").await.unwrap().is_none());
        let mut batch = made;
        while batch.state() == super::super::State::Running {
            batch = endpoint.look_at_batch(&batch.id).await.unwrap();
        }
        let text = endpoint.get_file(batch.files().next().unwrap()).await.unwrap();
        assert!(String::from_utf8(text).unwrap().contains(r#""custom_id":"a""#));
        assert!(endpoint.circumstances().answered_before);
    }

    #[tokio::test]
    async fn what_is_not_there_is_refused() {
        let stub = Stub::start(StubOptions::default()).await.unwrap();
        let endpoint = endpoint(&stub);
        assert!(matches!(endpoint.look_at_batch("none").await, Err(Fault::Status { status: 404, .. })));
        assert!(matches!(endpoint.get_file("none").await, Err(Fault::Status { status: 404, .. })));
        assert!(endpoint.make_batch("none", None).await.is_err());
    }

    #[test]
    fn answers_that_are_nothing_of_the_kind_are_shown() {
        let told = |answer: &[u8]| read_batch(answer).unwrap_err().to_string();
        insta::assert_snapshot!(told(b"{}"), @"the server gave a batch without an id");
        insta::assert_snapshot!(told(b"sorry"), @"the answer is not the JSON of a batch (expected value at line 1 column 1): sorry");
    }
}
