//! The transport below async-openai: it looks at status and headers before anybody parses the body.
//!
//! async-openai loses the status of an error whose body is not in OpenAI's shape, and repeats requests on its own; with
//! this service it does neither.

use super::error_text::ErrorText;
use super::secrets::Secrets;
use crate::fault::{Fault, Unreachable};
use crate::limit::limiter::{Allowances, Answer};
use crate::limit::retry_after::{WallClock, wait_asked};
use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, LOCATION};
use reqwest::{Client, Request, RequestBuilder, Response};
use std::error::Error;
use std::future::Future;
use std::io::ErrorKind;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tower_service::Service;

/// Sends one request once.
#[derive(Clone)]
pub(super) struct Transport {
    client: Client,
    secrets: Secrets,
    clock: WallClock,
    allowances: Allowances,
}

impl Transport {
    pub(super) fn new(client: Client, secrets: Secrets, clock: WallClock) -> Self {
        Self { client, secrets, clock, allowances: Allowances::default() }
    }

    /// What the server says is left.
    pub(super) fn allowances(&self) -> Allowances {
        self.allowances.clone()
    }

    async fn send(self, factory: HttpRequestFactory) -> Result<Response, OpenAIError> {
        let request = factory.build().await?;
        // It keeps headers and body for another try, which would come from us.
        drop(factory);
        self.execute(request).await.map_err(boxed)
    }

    /// Posts JSON to a place that the client has no method for, and gives the bytes of the answer.
    pub(super) async fn post(&self, url: &str, body: String) -> Result<Vec<u8>, Fault> {
        self.exchange(self.client.post(url).header(CONTENT_TYPE, "application/json").body(body)).await
    }

    /// Posts a body of this kind, for which the usual time may be too short.
    pub(super) async fn post_as(&self, url: &str, kind: &str, body: Vec<u8>, time: Duration) -> Result<Vec<u8>, Fault> {
        self.exchange(self.client.post(url).header(CONTENT_TYPE, kind).body(body).timeout(time)).await
    }

    /// Gets what lies at a place.
    pub(super) async fn get(&self, url: &str, time: Duration) -> Result<Vec<u8>, Fault> {
        self.exchange(self.client.get(url).timeout(time)).await
    }

    async fn exchange(&self, request: RequestBuilder) -> Result<Vec<u8>, Fault> {
        let request = request.build().map_err(|error| read_error(&error))?;
        let response = self.execute(request).await?;
        Ok(response.bytes().await.map_err(|error| read_error(&error))?.to_vec())
    }

    fn execute(&self, mut request: Request) -> impl Future<Output = Result<Response, Fault>> {
        // async-openai sends an empty bearer token where there is no key.
        request.headers_mut().remove(AUTHORIZATION);
        request.headers_mut().extend(self.secrets.headers().clone());
        let mark = self.allowances.mark();
        let asked = self.client.execute(request);
        async move {
            let response = asked.await.map_err(|error| read_error(&error))?;
            let (headers, success, clock) = (response.headers(), response.status().is_success(), self.clock);
            self.allowances.hear(Answer { headers, success, mark, clock });
            if success && foreign_content(headers).is_none() {
                return Ok(response);
            }
            // Seldom taken, and larger than all the rest.
            Err(Box::pin(self.fault_of(response)).await)
        }
    }

    async fn fault_of(&self, response: Response) -> Fault {
        match foreign_content(response.headers()) {
            Some(kind) if response.status().is_success() => {
                let text = ErrorText::read(&response.bytes().await.unwrap_or_default()).message;
                Fault::Malformed { detail: format!("the answer is `{kind}`, not JSON: {text}") }
            }
            _ => self.status_fault(response).await,
        }
    }

    async fn status_fault(&self, response: Response) -> Fault {
        let status = response.status().as_u16();
        let wait = wait_asked(response.headers(), self.clock);
        let redirect = response.headers().get(LOCATION).and_then(|place| place.to_str().ok()).map(redirect_text);
        // A body that breaks off does not change what the status says.
        let text = ErrorText::read(&response.bytes().await.unwrap_or_default());
        let message = redirect.filter(|_| (300..400).contains(&status)).unwrap_or(text.message);
        Fault::Status { status, code: text.code, message, wait }
    }
}

impl Service<HttpRequestFactory> for Transport {
    type Response = Response;
    type Error = OpenAIError;
    type Future = Pin<Box<dyn Future<Output = Result<Response, OpenAIError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), OpenAIError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, factory: HttpRequestFactory) -> Self::Future {
        Box::pin(self.clone().send(factory))
    }
}

fn redirect_text(place: &str) -> String {
    format!("redirected to `{}`", place.trim_end_matches("/chat/completions").trim_end_matches("/embeddings"))
}

/// The fault in what async-openai hands up.
pub(super) fn fault(error: OpenAIError) -> Fault {
    match error {
        OpenAIError::Boxed(inner) => match inner.downcast::<Fault>() {
            Ok(fault) => *fault,
            Err(other) => Fault::Malformed { detail: other.to_string() },
        },
        OpenAIError::Reqwest(error) => read_error(&error),
        OpenAIError::JSONDeserialize(error, body) => {
            let text = ErrorText::read(body.as_bytes()).message;
            Fault::Malformed { detail: format!("the answer is not the JSON of a completion ({error}): {text}") }
        }
        other => Fault::Malformed { detail: other.to_string() },
    }
}

/// A content type that cannot hold a completion. None, plain text and bytes may: the body will tell.
fn foreign_content(headers: &HeaderMap) -> Option<String> {
    // Told as it came, because a secret in it is known by its letters.
    let told = headers.get(CONTENT_TYPE)?.to_str().ok()?.split(';').next()?.trim();
    let kind = told.to_ascii_lowercase();
    let may_be_json =
        kind.is_empty() || kind.contains("json") || matches!(kind.as_str(), "text/plain" | "application/octet-stream");
    (!may_be_json).then(|| told.to_owned())
}

fn read_error(error: &reqwest::Error) -> Fault {
    let detail = |what: &str| format!("{what}{}", deepest_cause(error));
    if error.is_timeout() && !error.is_connect() {
        return Fault::Broken { detail: "the server did not answer in time (`timeout`)".to_owned() };
    }
    if error.is_connect() {
        let reason = unreachable_reason(error);
        return Fault::Unreachable { detail: detail(reason.text()), reason };
    }
    Fault::Broken { detail: detail("the connection broke") }
}

impl Unreachable {
    fn text(self) -> &'static str {
        match self {
            Self::UnknownHost => "the host is not known",
            Self::Refused => "the server refuses connections",
            Self::Certificate => "the server's certificate is not accepted",
            Self::Other => "no connection to the server",
        }
    }
}

fn unreachable_reason(error: &reqwest::Error) -> Unreachable {
    let refused = causes(error).any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == ErrorKind::ConnectionRefused)
    });
    if causes(error).any(|cause| cause.to_string().contains("invalid peer certificate")) {
        return Unreachable::Certificate;
    }
    let unknown = causes(error).any(|cause| cause.to_string().starts_with("dns error"));
    match (unknown, refused) {
        (true, _) => Unreachable::UnknownHost,
        (_, true) => Unreachable::Refused,
        _ => Unreachable::Other,
    }
}

/// The last cause says most; the outer ones repeat the URL.
fn deepest_cause(error: &reqwest::Error) -> String {
    causes(error).last().map(|cause| format!(" ({cause})")).unwrap_or_default()
}

fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let mut next = error.source();
    std::iter::from_fn(move || {
        let cause = next?;
        next = cause.source();
        Some(cause)
    })
}

fn boxed(fault: Fault) -> OpenAIError {
    OpenAIError::Boxed(Box::new(fault))
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    fn kind(text: &'static str) -> Option<String> {
        foreign_content(&[(CONTENT_TYPE, HeaderValue::from_static(text))].into_iter().collect())
    }

    #[test]
    fn what_may_hold_json_is_read_and_what_cannot_is_named() {
        for text in ["application/json", "application/json; charset=utf-8", "application/problem+json", "text/plain"] {
            assert_eq!(kind(text), None, "{text}");
        }
        assert_eq!(foreign_content(&HeaderMap::new()), None);
        assert_eq!(kind("text/html; charset=utf-8").as_deref(), Some("text/html"));
        assert_eq!(kind("Text/HTML").as_deref(), Some("Text/HTML"));
        assert_eq!(kind("Application/JSON"), None);
        assert_eq!(kind("text/event-stream").as_deref(), Some("text/event-stream"));
    }

    #[test]
    fn our_own_fault_comes_back_through_the_client() {
        let inner = Fault::Broken { detail: "x".to_owned() };
        assert_eq!(fault(boxed(inner.clone())), inner);
    }

    #[test]
    fn a_body_that_is_not_a_completion_is_shown() {
        let error = serde_json::from_str::<Vec<u8>>("[").unwrap_err();
        insta::assert_snapshot!(fault(OpenAIError::JSONDeserialize(error, "[".to_owned())), @"the answer is not the JSON of a completion (EOF while parsing a list at line 1 column 1): [");
    }
}
