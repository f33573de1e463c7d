//! A model as a pipeline file names it: `[model.ROLE]`.
//!
//! It holds names of environment variables and never a key.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// A model: endpoint, sampling parameters and limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ModelConfig {
    /// Model provider: `grammar` (built-in), `openai` (any OpenAI-compatible server) or `scripted` (recorded replies).
    pub provider: ProviderKind,
    /// Base URL of the server, including `/v1`.
    pub base_url: String,
    /// Name of the model on the server; for a recorded model, the name written to rows and manifest.
    pub model: String,
    /// Name of the environment variable that holds the API key. Default: `OPENAI_API_KEY`.
    pub api_key_env: Option<String>,
    /// Identifier of this endpoint in the reply cache. Default: the base URL. Set it to keep cached replies when the
    /// URL changes.
    pub endpoint_id: Option<String>,
    /// Sampling temperature. Default in pipelines: 1 for roles that write, 0 for roles that read or judge.
    pub temperature: Option<f64>,
    /// Whether tasks have temperatures of their own where none is said.
    #[serde(skip)]
    pub by_task: bool,
    /// Nucleus sampling.
    pub top_p: Option<f64>,
    /// Maximum tokens per reply.
    pub max_tokens: Option<u64>,
    /// Sampling seed, for servers that accept one; the draw index is added so that equal prompts get different replies.
    pub seed: Option<u64>,
    /// Maximum requests per minute.
    pub requests_per_minute: Option<u32>,
    /// Maximum tokens per minute, input and output together.
    pub tokens_per_minute: Option<u64>,
    /// Maximum concurrent requests.
    pub concurrency: usize,
    /// Timeout for a complete reply.
    pub timeout: TextDuration,
    /// Timeout for establishing a connection.
    pub connect_timeout: TextDuration,
    /// Maximum number of retries for transient errors.
    pub retries: u32,
    /// Delay before the first retry. It doubles with each retry; a random part of it is waited.
    pub backoff: TextDuration,
    /// Price in dollars per million tokens. Default: free.
    pub price: Price,
    /// Whether to request structured output by a JSON Schema; `auto` stops if the server rejects it.
    pub structured_output: StructuredOutput,
    /// Additional fields of the request body, sent verbatim; they override all others.
    pub extra_body: serde_json::Map<String, serde_json::Value>,
    /// Additional headers: the name of the header, and the environment variable that holds its value.
    pub headers: IndexMap<String, String>,
    /// Sends `fcgen` in the body (task, variables, item, stage, draw), for the stub server and for logging gateways.
    pub send_task: bool,
    /// Built-in model only: rate of injected defects that are typical of LLMs, from 0 to 1.
    pub defect_rate: f64,
    /// Built-in model only: also store its replies in the reply cache.
    pub record: bool,
    /// Scripted model only: the file of recorded replies.
    pub script: Option<PathBuf>,
    /// Uses OpenAI's Batch API (`/files` and `/batches`): slower and cheaper. Submitted batches outlive the process.
    pub batch: bool,
    /// Uses request files: writes `requests-0001.jsonl` into this folder, stops, and resumes when `results-0001.jsonl`
    /// is next to it (the format of `vllm run-batch`).
    pub batch_dir: Option<PathBuf>,
    /// Maximum requests per batch or file.
    pub batch_requests: usize,
    /// Maximum megabytes per batch or file.
    pub batch_megabytes: usize,
    /// A batch is closed when no further request has arrived for this long.
    pub batch_linger: TextDuration,
    /// Initial polling interval of a batch; it grows up to twentyfold.
    pub batch_poll: TextDuration,
    /// Completion window of a batch, in the notation of the server.
    pub batch_window: String,
}

/// Model provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// The built-in model; no network.
    #[default]
    Grammar,
    /// Any server with an OpenAI-compatible chat completions API.
    Openai,
    /// Recorded replies.
    Scripted,
}

/// Whether to request structured output by a JSON Schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StructuredOutput {
    /// Requested until the server rejects it.
    #[default]
    Auto,
    /// Always requested.
    JsonSchema,
    /// Never requested.
    None,
}

/// Dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Price {
    /// Input tokens.
    pub input: f64,
    /// Output tokens.
    pub output: f64,
}

/// What is wrong with a model's settings, and under which key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ConfigFault {
    /// The key that is wrong or missing.
    pub key: &'static str,
    /// What is wrong with it.
    pub message: String,
}

impl Default for ModelConfig {
    fn default() -> Self {
        Self {
            provider: ProviderKind::default(),
            base_url: "https://api.openai.com/v1".to_owned(),
            model: String::new(),
            api_key_env: None,
            endpoint_id: None,
            temperature: None,
            by_task: false,
            top_p: None,
            max_tokens: None,
            seed: None,
            requests_per_minute: None,
            tokens_per_minute: None,
            concurrency: 64,
            timeout: TextDuration::from_millis(300_000),
            connect_timeout: TextDuration::from_millis(10_000),
            retries: 6,
            backoff: TextDuration::from_millis(500),
            price: Price::default(),
            structured_output: StructuredOutput::default(),
            extra_body: serde_json::Map::new(),
            headers: IndexMap::new(),
            send_task: false,
            defect_rate: 0.0,
            record: false,
            script: None,
            batch: false,
            batch_dir: None,
            batch_requests: 50_000,
            batch_megabytes: 200,
            batch_linger: TextDuration::from_millis(5_000),
            batch_poll: TextDuration::from_millis(30_000),
            batch_window: "24h".to_owned(),
        }
    }
}

impl ModelConfig {
    /// Everything that is wrong with the settings by themselves; the environment is not looked at.
    pub fn faults(&self) -> Vec<ConfigFault> {
        let mut faults = self.number_faults();
        match self.provider {
            ProviderKind::Openai => faults.extend(self.endpoint_faults()),
            ProviderKind::Scripted if self.script.is_none() => {
                faults
                    .push(fault("script", "a scripted model requires `script`, the file with its replies".to_owned()));
            }
            ProviderKind::Scripted | ProviderKind::Grammar => {}
        }
        faults.extend(self.batch_fault());
        faults
    }

    /// Whether questions are gathered and answered together.
    pub fn is_batched(&self) -> bool {
        self.batch || self.batch_dir.is_some()
    }

    /// So many questions may wait for an answer at the same time: a batch is not bounded by `concurrency`.
    pub fn most_waiting(&self) -> usize {
        if self.is_batched() { self.concurrency.max(self.batch_requests) } else { self.concurrency }
    }

    /// What the journal and the reports call the endpoint.
    pub fn endpoint_name(&self) -> &str {
        self.endpoint_id.as_deref().unwrap_or(&self.base_url)
    }

    /// The name of the environment variable that holds the API key.
    pub fn key_variable(&self) -> &str {
        self.api_key_env.as_deref().unwrap_or("OPENAI_API_KEY")
    }

    fn number_faults(&self) -> Vec<ConfigFault> {
        let is_amount = |number: f64| number >= 0.0 && number.is_finite();
        let prices_stand = is_amount(self.price.input) && is_amount(self.price.output);
        let rules = [
            ("concurrency", self.concurrency > 0, "from 1"),
            ("requests_per_minute", self.requests_per_minute != Some(0), "from 1"),
            ("tokens_per_minute", self.tokens_per_minute != Some(0), "from 1"),
            ("timeout", !self.timeout.0.is_zero(), "above 0"),
            ("connect_timeout", !self.connect_timeout.0.is_zero(), "above 0"),
            ("price", prices_stand, "from 0"),
            ("defect_rate", (0.0..=1.0).contains(&self.defect_rate), "from 0 to 1"),
            ("temperature", self.temperature.is_none_or(is_amount), "from 0"),
            ("top_p", self.top_p.is_none_or(|number| (0.0..=1.0).contains(&number)), "from 0 to 1"),
            ("batch_requests", self.batch_requests > 0, "from 1"),
            ("batch_megabytes", (1..=1_000).contains(&self.batch_megabytes), "from 1 to 1000"),
            ("batch_linger", !self.batch_linger.0.is_zero(), "above 0"),
            ("batch_poll", !self.batch_poll.0.is_zero(), "above 0"),
        ];
        let broken = rules.iter().filter(|(_, holds, _)| !holds);
        broken.map(|(key, _, range)| fault(key, format!("`{key}` must be {range}"))).collect()
    }

    fn batch_fault(&self) -> Option<ConfigFault> {
        let key = if self.batch { "batch" } else { "batch_dir" };
        let wrong = match self.provider {
            _ if !self.is_batched() => return None,
            ProviderKind::Openai if self.batch && self.batch_dir.is_some() => {
                "`batch` and `batch_dir` are mutually exclusive: remove one of them"
            }
            ProviderKind::Openai => return None,
            ProviderKind::Grammar | ProviderKind::Scripted => "batches require `provider = \"openai\"`",
        };
        Some(fault(key, wrong.to_owned()))
    }

    fn endpoint_faults(&self) -> Vec<ConfigFault> {
        let mut faults = Vec::new();
        if self.model.trim().is_empty() {
            faults.push(fault("model", "`model` is missing: the name of the model on the server".to_owned()));
        }
        let names = self.api_key_env.iter().map(|name| ("api_key_env", name));
        let wrong =
            names.chain(self.headers.values().map(|name| ("headers", name))).filter(|(_, name)| !is_variable(name));
        faults.extend(
            wrong.map(|(key, _)| {
                fault(key, format!("`{key}` must be the name of an environment variable, not its value"))
            }),
        );
        if self.extra_body.contains_key("stream") {
            faults.push(fault(
                "extra_body",
                "`extra_body` must not contain `stream`: streaming is not supported".to_owned(),
            ));
        }
        if let Err(message) = check_url(&self.base_url) {
            faults.push(fault("base_url", message));
        }
        faults
    }
}

/// Whether something can be the name of a variable; keys and the values of headers mostly cannot.
fn is_variable(name: &str) -> bool {
    name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// A URL with a password or a query would carry secrets into messages and into the journal's keys.
fn check_url(text: &str) -> Result<(), String> {
    let url = reqwest::Url::parse(text).map_err(|error| format!("`base_url` is not a URL: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err("`base_url` must start with `http://` or `https://`".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(
            "`base_url` must not contain a user or password; use `headers` with an environment variable instead"
                .to_owned(),
        );
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("`base_url` must not have a query or fragment; expected a URL such as `http://localhost:8000/v1`"
            .to_owned());
    }
    Ok(())
}

fn fault(key: &'static str, message: String) -> ConfigFault {
    ConfigFault { key, message }
}

// Durations as people write them in a pipeline file: `"500ms"`, `"10s"`, `"2m"`.

/// A length of time, written as a number and a unit (`ms`, `s`, `m`, `h`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextDuration(pub Duration);

const UNITS: [(&str, f64); 4] = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];

impl TextDuration {
    /// So many milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self(Duration::from_millis(millis))
    }

    /// Reads `10s`, `1.5s`, `500ms`, `2m`, `1h`; nothing else.
    pub fn read(text: &str) -> Option<Self> {
        let number = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let unit = text.strip_prefix(number)?;
        let (_, seconds) = UNITS.iter().find(|(name, _)| *name == unit)?;
        let amount: f64 = number.trim_end().parse().ok()?;
        Duration::try_from_secs_f64(amount * seconds).ok().map(Self)
    }
}

impl fmt::Display for TextDuration {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.0.as_millis();
        match millis {
            0 => write!(formatter, "0s"),
            _ if millis.is_multiple_of(60_000) => write!(formatter, "{}m", millis / 60_000),
            _ if millis.is_multiple_of(1000) => write!(formatter, "{}s", millis / 1000),
            _ => write!(formatter, "{millis}ms"),
        }
    }
}

impl Serialize for TextDuration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TextDuration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(DurationVisitor)
    }
}

struct DurationVisitor;

impl Visitor<'_> for DurationVisitor {
    type Value = TextDuration;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a duration such as \"10s\" or \"500ms\"")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<TextDuration, E> {
        TextDuration::read(text).ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
    }
}

impl JsonSchema for TextDuration {
    fn schema_name() -> Cow<'static, str> {
        "Duration".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[0-9]+(\\.[0-9]+)? ?(ms|s|m|h)$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;

    fn read(text: &str) -> ModelConfig {
        toml::from_str(text).unwrap()
    }

    fn messages(config: &ModelConfig) -> String {
        config.faults().iter().map(|fault| format!("{}: {fault}", fault.key)).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_default_is_the_built_in_model_and_stands() {
        let config = read("");
        assert_eq!(config.provider, ProviderKind::Grammar);
        assert_eq!(config.key_variable(), "OPENAI_API_KEY");
        assert!(config.faults().is_empty());
    }

    #[test]
    fn every_key_is_read() {
        let config = read(
            r#"
            provider = "openai"
            base_url = "http://localhost:8000/v1"
            model = "some/model"
            timeout = "90s"
            backoff = "50ms"
            price = { input = 0.3, output = 1.2 }
            structured_output = "json_schema"
            extra_body = { top_k = 20, chat_template_kwargs = { enable_thinking = false } }
            headers = { "X-Team" = "TEAM_NAME" }
            "#,
        );
        assert_eq!(config.timeout, TextDuration::from_millis(90_000));
        assert_eq!(config.endpoint_name(), "http://localhost:8000/v1");
        assert_eq!(config.extra_body["chat_template_kwargs"]["enable_thinking"], false);
        assert!(config.faults().is_empty());
    }

    #[test]
    fn a_misspelt_key_is_refused() {
        let error = toml::from_str::<ModelConfig>("modle = \"x\"").unwrap_err();
        assert!(error.message().starts_with("unknown field `modle`, expected one of `provider`"));
    }

    #[test]
    fn all_faults_come_at_once() {
        let config = read("provider = \"openai\"\nbase_url = \"localhost\"\nconcurrency = 0\ndefect_rate = 1.5");
        assert_snapshot!(messages(&config), @r"
        concurrency: `concurrency` must be from 1
        defect_rate: `defect_rate` must be from 0 to 1
        model: `model` is missing: the name of the model on the server
        base_url: `base_url` is not a URL: relative URL without a base
        ");
    }

    #[test]
    fn an_answer_cannot_be_streamed() {
        let config = read("provider = \"openai\"\nmodel = \"m\"\nextra_body = { stream = true }");
        assert_snapshot!(messages(&config), @"extra_body: `extra_body` must not contain `stream`: streaming is not supported");
    }

    #[test]
    fn every_key_is_documented_in_the_schema() {
        let schema = schemars::schema_for!(ModelConfig);
        let properties = schema.get("properties").unwrap().as_object().unwrap();
        assert!(properties.len() > 20);
        for (name, property) in properties {
            assert!(property.get("description").is_some(), "{name}");
        }
        assert_eq!(schema.get("additionalProperties"), Some(&false.into()));
    }

    #[test]
    fn a_url_that_could_hold_a_secret_is_refused() {
        let url = |text: &str| check_url(text).unwrap_err();
        assert_snapshot!(url("http://me:secret@host/v1"), @"`base_url` must not contain a user or password; use `headers` with an environment variable instead");
        assert_snapshot!(url("http://host/v1?key=secret"), @"`base_url` must not have a query or fragment; expected a URL such as `http://localhost:8000/v1`");
        assert_snapshot!(url("localhost:8000/v1"), @"`base_url` must start with `http://` or `https://`");
    }

    #[test]
    fn a_key_in_the_place_of_its_variable_is_refused_and_not_repeated() {
        let text = "provider = \"openai\"\nmodel = \"m\"\napi_key_env = \"sk-abc-123456\"\nheaders = { A = \"Bearer abc\", B = \"TEAM_2\" }";
        assert_snapshot!(messages(&read(text)), @r"
        api_key_env: `api_key_env` must be the name of an environment variable, not its value
        headers: `headers` must be the name of an environment variable, not its value
        ");
    }

    #[test]
    fn a_scripted_model_needs_its_script() {
        assert_snapshot!(messages(&read("provider = \"scripted\"")), @"script: a scripted model requires `script`, the file with its replies");
    }

    #[test]
    fn a_batch_wants_an_endpoint_and_one_way_to_it() {
        let openai = "provider = \"openai\"\nmodel = \"m\"\n";
        assert_snapshot!(messages(&read("batch = true")), @r#"batch: batches require `provider = "openai"`"#);
        assert_snapshot!(messages(&read("batch_dir = \"b\"")), @r#"batch_dir: batches require `provider = "openai"`"#);
        assert_snapshot!(messages(&read(&format!("{openai}batch = true\nbatch_dir = \"b\""))), @"batch: `batch` and `batch_dir` are mutually exclusive: remove one of them");
        assert_snapshot!(messages(&read("batch_requests = 0\nbatch_megabytes = 0\nbatch_linger = \"0s\"\nbatch_poll = \"0s\"")), @r"
        batch_requests: `batch_requests` must be from 1
        batch_megabytes: `batch_megabytes` must be from 1 to 1000
        batch_linger: `batch_linger` must be above 0
        batch_poll: `batch_poll` must be above 0
        ");
        assert!(read(&format!("{openai}batch = true")).faults().is_empty());
    }

    #[test]
    fn a_batch_gathers_more_than_may_be_in_flight() {
        let most = |text: &str| read(text).most_waiting();
        assert_eq!((most("concurrency = 9"), most("batch = true\nconcurrency = 9")), (9, 50_000));
        assert_eq!(most("batch_dir = \"b\"\nbatch_requests = 3\nconcurrency = 9"), 9);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let config = read("provider = \"openai\"\nmodel = \"m\"\nseed = 3");
        assert_eq!(read(&toml::to_string(&config).unwrap()), config);
    }
}

#[cfg(test)]
mod duration_tests {
    use super::*;
    use insta::assert_snapshot;
    use proptest::prelude::*;

    #[test]
    fn every_unit_is_read() {
        let millis = |text: &str| TextDuration::read(text).map(|duration| duration.0.as_millis());
        assert_eq!(millis("500ms"), Some(500));
        assert_eq!(millis("1.5s"), Some(1500));
        assert_eq!(millis("2 m"), Some(120_000));
        assert_eq!(millis("1h"), Some(3_600_000));
    }

    #[test]
    fn a_number_without_a_unit_or_below_nothing_is_no_duration() {
        for text in ["10", "s", "", "-1s", "ten s", "NaNs", "1e300h", "5초"] {
            assert_eq!(TextDuration::read(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for text in ["0s", "500ms", "10s", "2m", "1500ms"] {
            assert_eq!(TextDuration::read(text).unwrap().to_string(), text);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_duration_or_none(text in ".{0,12}", millis in 0..10_000_000_u64) {
            let _ = TextDuration::read(&text);
            let duration = TextDuration::from_millis(millis);
            prop_assert_eq!(TextDuration::read(&duration.to_string()), Some(duration));
        }
    }

    #[test]
    fn a_wrong_duration_shows_a_right_one() {
        let error = serde_json::from_str::<TextDuration>("\"soon\"").unwrap_err();
        assert_snapshot!(error, @r#"invalid value: string "soon", expected a duration such as "10s" or "500ms" at line 1 column 6"#);
        let error = serde_json::from_str::<TextDuration>("10").unwrap_err();
        assert_snapshot!(error, @r#"invalid type: integer `10`, expected a duration such as "10s" or "500ms" at line 1 column 2"#);
    }

    proptest! {
        #[test]
        fn a_unit_is_so_many_of_the_next_smaller_one(number in 0..10_000_u32) {
            let read = |text: String| TextDuration::read(&text).unwrap();
            prop_assert_eq!(read(format!("{number}h")), read(format!("{}m", u64::from(number) * 60)));
            prop_assert_eq!(read(format!("{number}m")), read(format!("{} s", u64::from(number) * 60)));
            prop_assert_eq!(read(format!("{number}s")), read(format!("{number}000ms")));
        }
    }
}
