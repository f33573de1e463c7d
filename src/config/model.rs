//! A `[model.ROLE]` table: which model plays a role, and how it is called.

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Which model plays a role, and how it is called.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ModelConfig {
    /// What answers: the built-in model, a server, or a recording.
    pub provider: ProviderKind,
    /// Address of an OpenAI-compatible server, with its `/v1`.
    pub base_url: String,
    /// The model's name on the server.
    pub model: String,
    /// Name of the environment variable that holds the key; `OPENAI_API_KEY` where it is absent.
    pub api_key_env: Option<String>,
    /// Stands for the server in the journal's keys, so that a moved server keeps its replies; its address where absent.
    pub endpoint_id: Option<String>,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// Nucleus sampling.
    pub top_p: Option<f64>,
    /// Most tokens of a reply.
    pub max_tokens: Option<u64>,
    /// Seed that is sent to the server.
    pub seed: Option<u64>,
    /// Most requests a minute.
    pub requests_per_minute: Option<u32>,
    /// Most tokens a minute, read and written.
    pub tokens_per_minute: Option<u64>,
    /// Most requests at a time.
    pub concurrency: usize,
    /// How long an answer may take, such as `"60s"`.
    pub timeout: TextDuration,
    /// How long a connection may take, such as `"10s"`.
    pub connect_timeout: TextDuration,
    /// How often a failed request is tried again.
    pub retries: u32,
    /// The pause before the first retry, such as `"500ms"`; it doubles with each.
    pub backoff: TextDuration,
    /// What tokens cost, for the budget and the report.
    pub price: Price,
    /// How an answer's schema is asked of the server.
    pub structured_output: StructuredOutput,
    /// Further fields of the request's body.
    pub extra_body: serde_json::Map<String, serde_json::Value>,
    /// Further headers: name, and the environment variable that holds the value.
    pub headers: IndexMap<String, String>,
    /// Whether the kind of task is sent along, for servers that play a part in tests.
    pub send_task: bool,
    /// Share of replies in which the built-in generator commits a fault on purpose.
    pub defect_rate: f64,
    /// Whether the built-in model's replies go into the journal too.
    pub record: bool,
    /// File of recorded replies.
    pub script: Option<PathBuf>,
}

/// What answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// The built-in model: no network.
    #[default]
    Grammar,
    /// Any OpenAI-compatible server.
    Openai,
    /// Recorded replies.
    Scripted,
}

/// How an answer's schema is asked of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StructuredOutput {
    /// As `json_schema`, until the server refuses it.
    #[default]
    Auto,
    /// As `response_format` of type `json_schema`.
    JsonSchema,
    /// Only in the prompt's words.
    None,
}

/// Price of a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Price {
    /// Of a million tokens read.
    pub input: f64,
    /// Of a million tokens written.
    pub output: f64,
}

/// A setting that is wrong by itself, or missing beside another.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ConfigFault {
    /// The key.
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
            top_p: None,
            max_tokens: None,
            seed: None,
            requests_per_minute: None,
            tokens_per_minute: None,
            concurrency: 64,
            timeout: TextDuration(Duration::from_secs(300)),
            connect_timeout: TextDuration(Duration::from_secs(10)),
            retries: 6,
            backoff: TextDuration(Duration::from_millis(500)),
            price: Price::default(),
            structured_output: StructuredOutput::default(),
            extra_body: serde_json::Map::new(),
            headers: IndexMap::new(),
            send_task: false,
            defect_rate: 0.0,
            record: false,
            script: None,
        }
    }
}

impl ModelConfig {
    /// Everything that is wrong with the settings by themselves.
    pub fn faults(&self) -> Vec<ConfigFault> {
        let rules = [
            ("concurrency", self.concurrency > 0, "must be from 1"),
            ("defect_rate", (0.0..=1.0).contains(&self.defect_rate), "must be from 0 to 1"),
            ("top_p", self.top_p.is_none_or(|share| (0.0..=1.0).contains(&share)), "must be from 0 to 1"),
            ("temperature", self.temperature.is_none_or(|number| number >= 0.0), "must be from 0"),
            ("price", self.price.input >= 0.0 && self.price.output >= 0.0, "must be from 0"),
            ("model", self.provider != ProviderKind::Openai || !self.model.is_empty(), "is missing"),
            ("script", self.provider != ProviderKind::Scripted || self.script.is_some(), "is missing"),
        ];
        let broken = rules.into_iter().filter(|(_, holds, _)| !holds);
        broken.map(|(key, _, fault)| ConfigFault { key, message: format!("`{key}` {fault}") }).collect()
    }
}

/// A stretch of time, written `"500ms"`, `"10s"`, `"2m"` or `"1h"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextDuration(pub Duration);

impl TextDuration {
    fn parse(text: &str) -> Option<Self> {
        let unit_at = text.find(|letter: char| letter.is_ascii_alphabetic())?;
        let (number, unit) = text.split_at(unit_at);
        let milliseconds = match unit {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            _ => return None,
        };
        number.parse::<u64>().ok()?.checked_mul(milliseconds).map(|total| Self(Duration::from_millis(total)))
    }
}

impl<'de> Deserialize<'de> for TextDuration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Words;
        impl Visitor<'_> for Words {
            type Value = TextDuration;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a duration, such as \"60s\" or \"500ms\"")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<TextDuration, E> {
                TextDuration::parse(text).ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_str(Words)
    }
}

impl Serialize for TextDuration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        format!("{}ms", self.0.as_millis()).serialize(serializer)
    }
}

impl JsonSchema for TextDuration {
    fn schema_name() -> Cow<'static, str> {
        "TextDuration".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[0-9]+(ms|s|m|h)$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::section::read_text;

    #[test]
    fn an_empty_table_is_the_built_in_model() {
        assert_eq!(read_text::<ModelConfig>("").unwrap(), ModelConfig::default());
        assert!(ModelConfig::default().faults().is_empty());
    }

    #[test]
    fn a_server_is_described_in_full() {
        let text = "provider = \"openai\"\nmodel = \"m\"\ntimeout = \"60s\"\nprice = { input = 0.3, output = 1 }\n\
                    extra_body = { top_k = 5, nested = { a = [1] } }\nheaders = { x-team = \"TEAM\" }";
        let config: ModelConfig = read_text(text).unwrap();
        assert_eq!(config.timeout.0, Duration::from_secs(60));
        assert_eq!(config.extra_body["nested"]["a"][0], 1);
        assert_eq!(config.headers["x-team"], "TEAM");
        assert!(config.faults().is_empty());
    }

    #[test]
    fn every_fault_names_its_key() {
        let text =
            "provider = \"openai\"\nconcurrency = 0\ndefect_rate = 2\ntop_p = -1\ntemperature = -1\nprice.input = -1";
        let faults = read_text::<ModelConfig>(text).unwrap().faults();
        let keys: Vec<&str> = faults.iter().map(|fault| fault.key).collect();
        assert_eq!(keys, ["concurrency", "defect_rate", "top_p", "temperature", "price", "model"]);
        assert_eq!(faults[5].to_string(), "`model` is missing");
    }

    #[test]
    fn durations_have_a_number_and_a_unit() {
        let millis = |text| TextDuration::parse(text).map(|duration| duration.0.as_millis());
        assert_eq!(["500ms", "10s", "2m", "1h"].map(millis), [Some(500), Some(10_000), Some(120_000), Some(3_600_000)]);
        assert_eq!(["", "10", "s", "-1s", "1 s", "1d", "99999999999999999999h"].map(millis), [None; 7]);
        assert_eq!(serde_json::to_value(TextDuration::parse("2s").unwrap()).unwrap(), "2000ms");
    }

    #[test]
    fn a_bad_duration_shows_a_good_one() {
        let messages = read_text::<ModelConfig>("timeout = \"soon\"\nbackoff = 3").unwrap_err();
        assert!(messages[0].contains("expected a duration, such as \"60s\""), "{messages:?}");
        assert_eq!(messages.len(), 2);
    }
}
