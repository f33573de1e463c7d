//! One server and one model on it: sends a request once, and keeps what was learned about the server.

use super::body::{WireNames, body};
use super::completion::{self, Completion, malformed};
use super::secrets::Secrets;
use super::service::{Transport, fault};
use crate::config::{ModelConfig, StructuredOutput};
use crate::fault::{Circumstances, Fault};
use crate::http;
use crate::limit::limiter::Allowances;
use crate::limit::open_files;
use crate::limit::retry_after::{WallClock, machine_clock};
use crate::request::{ChatError, Reply, Request};
use crate::tasks::Task;
use async_openai::Client;
use async_openai::config::OpenAIConfig;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// One server and one model on it.
pub(crate) struct Endpoint {
    config: ModelConfig,
    client: Client<OpenAIConfig>,
    transport: Transport,
    secrets: Secrets,
    answered: AtomicBool,
    /// Hashes of the schemas that the server refuses.
    refused_schemas: Mutex<BTreeSet<[u8; 32]>>,
    /// Whether the server refuses a temperature.
    refuses_temperature: AtomicBool,
    notes: Mutex<Vec<String>>,
}

impl Endpoint {
    /// Prepares the connection; nothing is sent yet.
    pub(crate) fn open(config: &ModelConfig) -> Result<Self, ChatError> {
        Self::with_surroundings(config, |name| std::env::var(name).ok(), machine_clock)
    }

    /// The same for a server that is no model's, and is shown no key.
    pub(crate) fn open_without_key(config: &ModelConfig) -> Result<Self, ChatError> {
        Self::with_surroundings(config, |_| None, machine_clock)
    }

    fn with_surroundings(
        config: &ModelConfig,
        variable: impl Fn(&str) -> Option<String>,
        clock: WallClock,
    ) -> Result<Self, ChatError> {
        let secrets = Secrets::read(config, variable)?;
        let transport = Transport::new(http_client(config)?, secrets.clone(), clock);
        // Everything is said here, because the client would take the rest from variables meant for another server.
        let settings = OpenAIConfig::default()
            .with_api_base(config.base_url.trim_end_matches('/'))
            .with_api_key("")
            .with_org_id("")
            .with_project_id("");
        Ok(Self {
            config: config.clone(),
            client: Client::with_config(settings).with_http_service(transport.clone()),
            transport,
            secrets,
            answered: AtomicBool::new(false),
            refused_schemas: Mutex::default(),
            refuses_temperature: AtomicBool::new(false),
            notes: Mutex::new(open_files::make_room(config.concurrency).into_iter().collect()),
        })
    }

    /// Sends the request once.
    pub(crate) async fn send(&self, request: &Request, with_format: bool) -> Result<Reply, Fault> {
        let reply = match request.task {
            Task::Embed => Box::pin(self.embed(request)).await,
            Task::Score => Box::pin(self.post(request)).await,
            _ => Box::pin(self.chat(request, with_format)).await,
        };
        self.heard(self.cleansed(reply))
    }

    /// The place at the server where a path lies.
    pub(super) fn place(&self, path: &str) -> String {
        format!("{}/{path}", self.config.base_url.trim_end_matches('/'))
    }

    /// Remembers that the server has answered, and takes secrets out of what it says.
    pub(super) fn heard<T>(&self, answer: Result<T, Fault>) -> Result<T, Fault> {
        if answer.is_ok() {
            self.answered.store(true, Ordering::Relaxed);
        }
        answer.map_err(|fault| self.redacted(fault))
    }

    pub(super) fn transport(&self) -> &Transport {
        &self.transport
    }

    /// The fault without any secret in its words.
    pub(crate) fn redacted(&self, fault: Fault) -> Fault {
        fault.map_words(|words| self.secrets.redact(words))
    }

    /// The reply without any secret that the server repeated in it.
    fn cleansed(&self, reply: Result<Reply, Fault>) -> Result<Reply, Fault> {
        reply.map(|reply| self.secrets.cleanse(reply)).map_err(|fault| self.redacted(fault))
    }

    async fn chat(&self, request: &Request, with_format: bool) -> Result<Reply, Fault> {
        let names = names_of(request);
        let body = body(&self.config, request, &names, (with_format, self.temperature(request)));
        let answer: Result<Completion, _> = self.client.chat().create_byot(body).await;
        answer.map_err(fault).and_then(|completion| completion.into_reply(&names))
    }

    async fn embed(&self, request: &Request) -> Result<Reply, Fault> {
        let url = self.place("embeddings");
        let answer = self.transport.post(&url, completion::body(&self.config, request).to_string()).await?;
        completion::read(&answer, request.history.len())
    }

    /// Sends a body that is written already to the very place, and gives the answer as it came.
    async fn post(&self, request: &Request) -> Result<Reply, Fault> {
        let answer = self.transport.post(&self.config.base_url, request.user.clone()).await?;
        Ok(Reply { text: String::from_utf8_lossy(&answer).into_owned(), ..Reply::default() })
    }

    /// The body that the request is asked with, for whoever carries it in another way.
    pub(crate) fn body_of(&self, request: &Request, with_format: bool) -> Value {
        body(&self.config, request, &names_of(request), (with_format, self.temperature(request)))
    }

    /// The reply in a body that came in another way.
    pub(crate) fn read(&self, request: &Request, answer: Value) -> Result<Reply, Fault> {
        let no_completion = |error| malformed(&format!("the answer is not the JSON of a completion ({error})"));
        let reply = serde_json::from_value::<Completion>(answer)
            .map_err(no_completion)
            .and_then(|completion| completion.into_reply(&names_of(request)));
        self.cleansed(reply)
    }

    /// What the consequences of a fault depend on.
    pub(crate) fn circumstances(&self) -> Circumstances<'_> {
        Circumstances {
            answered_before: self.answered.load(Ordering::Relaxed),
            key_variable: self.config.key_variable(),
            has_key: self.secrets.has_key(),
        }
    }

    /// Whether the server is asked to hold to this schema; without one, whether to any.
    pub(crate) fn structured(&self, task: Task, schema: Option<&Value>) -> bool {
        if self.config.structured_output == StructuredOutput::None {
            return false;
        }
        let refused = self.refused_schemas.lock().unwrap_or_else(PoisonError::into_inner);
        // Hardly any server refuses one, and then nothing need be hashed.
        refused.is_empty() || schema.is_none_or(|schema| !refused.contains(&schema_hash(task, schema)))
    }

    /// The temperature that a request is asked at: its own, the file's, or that of its task.
    pub(super) fn temperature(&self, request: &Request) -> Option<f64> {
        let of_task = if request.task.creates() { 1.0 } else { 0.0 };
        request.temperature.or(self.config.temperature).or_else(|| self.has_own_temperatures().then_some(of_task))
    }

    /// Whether tasks are asked at temperatures of their own.
    pub(crate) fn has_own_temperatures(&self) -> bool {
        self.config.by_task && self.config.temperature.is_none() && !self.refuses_temperature.load(Ordering::Relaxed)
    }

    /// Whether a refusal is for the sake of a temperature that nobody asked for; it is left out from then on, with a note.
    pub(crate) fn drops_temperature(&self, status: u16, words: &str) -> bool {
        let is_it = matches!(status, 400 | 422) && words.to_lowercase().contains("temperature");
        if is_it && !self.refuses_temperature.swap(true, Ordering::Relaxed) {
            let note = format!(
                "`{}` does not accept a temperature; requests are sent without one from now on, so all roles use the server's default",
                self.config.model
            );
            self.notes.lock().unwrap_or_else(PoisonError::into_inner).push(note);
        }
        is_it
    }

    /// Whether a refusal may be for the schema's sake, so that the request is worth sending without it.
    pub(crate) fn may_drop_schema(&self, status: u16) -> bool {
        self.config.structured_output == StructuredOutput::Auto && matches!(status, 400 | 422)
    }

    /// Remembers that the server answers this request only without its schema, and notes it once.
    pub(crate) fn drop_schema(&self, request: &Request) {
        let Some(schema) = request.schema.as_deref() else { return };
        let hash = schema_hash(request.task, schema);
        if self.refused_schemas.lock().unwrap_or_else(PoisonError::into_inner).insert(hash) {
            let note = format!(
                "`{}` rejects the schema of `{}` (stage `{}`) in `response_format`; requests are sent without it from now on \
                 (`structured_output = \"none\"` never sends schemas)",
                self.config.model,
                request.task.folder(),
                request.stage
            );
            let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
            // Schemas of one task may differ from question to question.
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }

    /// What people should know about this endpoint.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the server says is left; it is heard of with every answer.
    pub(crate) fn allowances(&self) -> Allowances {
        self.transport.allowances()
    }

    /// The settings.
    pub(crate) fn config(&self) -> &ModelConfig {
        &self.config
    }
}

fn schema_hash(task: Task, schema: &Value) -> [u8; 32] {
    let hash = blake3::Hasher::new()
        .update(task.folder().as_bytes())
        .update(b"\n")
        .update(schema.to_string().as_bytes())
        .finalize();
    *hash.as_bytes()
}

fn names_of(request: &Request) -> WireNames {
    WireNames::new(request.tools.iter().map(|tool| tool.name.as_str()))
}

fn http_client(config: &ModelConfig) -> Result<reqwest::Client, ChatError> {
    let mut builder = http::client()
        .connect_timeout(config.connect_timeout.0)
        .timeout(config.timeout.0)
        .retry(reqwest::retry::never())
        .user_agent(concat!("fcgen/", env!("CARGO_PKG_VERSION")));
    if is_loopback(&config.base_url) {
        // A proxy cannot reach this machine by that name, or reaches itself.
        builder = builder.no_proxy();
    }
    builder.build().map_err(|error| ChatError::Endpoint {
        detail: format!("cannot create an HTTP client: {error}"),
        hint: "check the system's certificates and the proxy settings".to_owned(),
    })
}

fn is_loopback(url: &str) -> bool {
    let host = reqwest::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(structured_output: StructuredOutput) -> Endpoint {
        let config = ModelConfig { model: "m".to_owned(), structured_output, ..ModelConfig::default() };
        Endpoint::with_surroundings(&config, |_| None, machine_clock).unwrap()
    }

    #[test]
    fn loopback_goes_without_a_proxy() {
        for url in ["http://127.0.0.1:1/v1", "http://localhost:8000/v1", "http://[::1]:80/v1"] {
            assert!(is_loopback(url), "{url}");
        }
        assert!(!is_loopback("https://api.openai.com/v1"));
    }

    fn asked(schema: &Value) -> Request {
        Request { schema: Some(std::sync::Arc::new(schema.clone())), ..crate::testing::request("a", 0) }
    }

    #[test]
    fn writers_are_warm_and_readers_cold_where_nobody_says_a_temperature() {
        let config = ModelConfig { model: "m".to_owned(), by_task: true, ..ModelConfig::default() };
        let asked = |task: Task| Request::new(task, "stage", "a", 0, crate::Variables::empty(task));
        let open = |config: &ModelConfig| Endpoint::open(config).unwrap();
        let endpoint = open(&config);
        assert_eq!(endpoint.temperature(&asked(Task::WriteQuery)), Some(1.0));
        assert_eq!(endpoint.temperature(&asked(Task::Call)), Some(0.0));
        let said = Request { temperature: Some(0.3), ..asked(Task::Call) };
        assert_eq!(endpoint.temperature(&said), Some(0.3));
        assert_eq!(
            open(&ModelConfig { temperature: Some(0.5), ..config.clone() }).temperature(&asked(Task::Call)),
            Some(0.5)
        );
        assert_eq!(open(&ModelConfig { by_task: false, ..config }).temperature(&asked(Task::Call)), None);
        assert!(!endpoint.drops_temperature(400, "no such model") && !endpoint.drops_temperature(500, "temperature"));
        for _ in 0..2 {
            assert!(endpoint.drops_temperature(400, "Unsupported value: 'temperature'"));
        }
        assert_eq!((endpoint.temperature(&asked(Task::Call)), endpoint.notes().len()), (None, 1));
    }

    #[test]
    fn a_refused_schema_is_noted_once_and_the_others_stay() {
        let endpoint = endpoint(StructuredOutput::Auto);
        let (one, other) = (serde_json::json!({"type": "object"}), serde_json::json!({"type": "array"}));
        assert!(endpoint.may_drop_schema(422) && !endpoint.may_drop_schema(413));
        endpoint.drop_schema(&asked(&one));
        endpoint.drop_schema(&asked(&one));
        assert!(!endpoint.structured(Task::JudgeCall, Some(&one)));
        assert!(endpoint.structured(Task::JudgeCall, Some(&other)) && endpoint.structured(Task::Call, Some(&one)));
        assert!(endpoint.structured(Task::JudgeCall, None));
        insta::assert_snapshot!(endpoint.notes().join("\n"), @r#"`m` rejects the schema of `judge_call` (stage `judge`) in `response_format`; requests are sent without it from now on (`structured_output = "none"` never sends schemas)"#);
    }

    #[test]
    fn who_insists_on_a_schema_keeps_it() {
        assert!(!endpoint(StructuredOutput::JsonSchema).may_drop_schema(400));
        assert!(!endpoint(StructuredOutput::None).structured(Task::Call, None));
    }
}
