//! What is sent in headers and shown nowhere.

use crate::config::ModelConfig;
use crate::request::{ChatError, FinishReason, Reply};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use std::sync::Arc;

/// The API key and the values of the further headers. It has no `Debug`, so that none of them is printed by accident.
#[derive(Clone)]
pub(super) struct Secrets {
    headers: Arc<HeaderMap>,
    texts: Arc<[String]>,
    has_key: bool,
}

/// Shorter values (`EMPTY`, `none`) are placeholders, and taking them out would garble messages.
const SHORTEST_SECRET: usize = 8;

/// So many first characters of a secret give nothing away, and may as well be another word's.
const SHORTEST_PART: usize = 3;

impl Secrets {
    /// Reads the variables that the settings name.
    pub(super) fn read(config: &ModelConfig, read: impl Fn(&str) -> Option<String>) -> Result<Self, ChatError> {
        let mut headers = HeaderMap::new();
        let mut texts = Vec::new();
        let key = read(config.key_variable()).map(|key| key.trim().to_owned()).filter(|key| !key.is_empty());
        if let Some(key) = &key {
            headers.insert(AUTHORIZATION, header_value(config.key_variable(), &format!("Bearer {key}"))?);
            texts.push(key.clone());
        } else if let Some(variable) = &config.api_key_env {
            return Err(missing(variable, "api_key_env"));
        }
        for (name, variable) in &config.headers {
            let text = read(variable).ok_or_else(|| missing(variable, "headers"))?;
            headers.insert(header_name(name)?, header_value(variable, text.trim())?);
            texts.push(text.trim().to_owned());
        }
        texts.retain(|text| text.chars().count() >= SHORTEST_SECRET);
        Ok(Self { headers: Arc::new(headers), texts: texts.into(), has_key: key.is_some() })
    }

    /// The headers to send.
    pub(super) fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// Whether there is an API key.
    pub(super) fn has_key(&self) -> bool {
        self.has_key
    }

    /// The text without any secret in it; some servers repeat the key that they refuse.
    pub(super) fn redact(&self, text: &str) -> String {
        let whole = |text: String, secret: &String| without_cut(text.replace(secret.as_str(), "***"), secret);
        self.texts.iter().fold(text.to_owned(), whole)
    }
}

impl Secrets {
    /// The reply without any secret in it: what a gateway repeats would else be kept in the journal and in rows.
    pub(super) fn cleanse(&self, mut reply: Reply) -> Reply {
        let clean = |text: &mut String| {
            if self.texts.iter().any(|secret| text.contains(secret.as_str())) {
                *text = self.redact(text);
            }
        };
        clean(&mut reply.text);
        reply.reasoning.iter_mut().for_each(clean);
        reply.tool_calls.iter_mut().flat_map(|call| [&mut call.name, &mut call.arguments]).for_each(clean);
        if let FinishReason::Other(word) = &mut reply.finish {
            clean(word);
        }
        reply
    }
}

/// A long message is cut before it comes here, maybe in the middle of a secret, whose beginning goes as well.
fn without_cut(text: String, secret: &str) -> String {
    let beginnings = (SHORTEST_PART..secret.len()).rev().filter_map(|end| secret.get(..=end));
    let cut = beginnings.map(|beginning| format!("{beginning}…")).find(|cut| text.contains(cut.as_str()));
    match cut {
        Some(cut) => text.replace(&cut, "***…"),
        None => text,
    }
}

fn header_name(name: &str) -> Result<HeaderName, ChatError> {
    HeaderName::from_bytes(name.as_bytes()).map_err(|_| ChatError::Endpoint {
        detail: format!("`{name}` is not a valid header name"),
        hint: "header names consist of letters, digits and hyphens".to_owned(),
    })
}

fn header_value(variable: &str, text: &str) -> Result<HeaderValue, ChatError> {
    let mut value = HeaderValue::from_str(text).map_err(|_| ChatError::Endpoint {
        detail: format!("the environment variable `{variable}` contains characters that are invalid in a header"),
        hint: "check it for line breaks and quotation marks".to_owned(),
    })?;
    value.set_sensitive(true);
    Ok(value)
}

fn missing(variable: &str, key: &str) -> ChatError {
    ChatError::Endpoint {
        detail: format!("the environment variable `{variable}` is not set"),
        hint: format!("it is used by `{key}`: set the variable or remove the key"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToolCallText;
    use insta::assert_snapshot;

    fn config(variable: Option<&str>) -> ModelConfig {
        ModelConfig { api_key_env: variable.map(str::to_owned), ..ModelConfig::default() }
    }

    fn read(config: &ModelConfig, value: &str) -> Result<Secrets, ChatError> {
        Secrets::read(config, |name| (name != "UNSET").then(|| value.to_owned()))
    }

    fn error(result: Result<Secrets, ChatError>) -> String {
        match result.map(|_| ()).unwrap_err() {
            ChatError::Endpoint { detail, hint } => format!("{detail}; {hint}"),
            other => other.to_string(),
        }
    }

    #[test]
    fn a_key_becomes_a_header_and_leaves_messages() {
        let secrets = read(&config(None), " sk-secret-1\n").unwrap();
        assert_eq!(secrets.headers()[AUTHORIZATION], "Bearer sk-secret-1");
        assert_eq!(secrets.redact("bad key sk-secret-1."), "bad key ***.");
        assert!(!format!("{:?}", secrets.headers()).contains("secret"));
    }

    #[test]
    fn a_key_that_was_cut_leaves_messages_as_well() {
        let secrets = read(&config(Some("KEY")), "sk-0123456789").unwrap_or_else(|_| panic!("a plain key"));
        let told = |text: &str| secrets.redact(text);
        assert_eq!(told("wrong: sk-012345…"), "wrong: ***…");
        assert_eq!(told("wrong: sk-…"), "wrong: sk-…");
        assert_eq!(told("task-0…"), "ta***…");
        assert_eq!(told("sk-012 and more"), "sk-012 and more");
    }

    #[test]
    fn a_reply_that_repeats_a_key_is_kept_without_it() {
        let secrets = read(&config(None), "sk-secret-1").unwrap_or_else(|_| panic!("a plain key"));
        let said = || "it was sk-secret-1.".to_owned();
        let reply = Reply {
            text: said(),
            reasoning: Some(said()),
            tool_calls: vec![ToolCallText { name: said(), arguments: said() }],
            finish: FinishReason::Other(said()),
            ..Reply::default()
        };
        let kept = format!("{:?}", secrets.cleanse(reply));
        assert_eq!((kept.matches("secret").count(), kept.matches("it was ***.").count()), (0, 5), "{kept}");
        let plain = Reply { text: "sk- is how keys begin".to_owned(), ..Reply::default() };
        assert_eq!(secrets.cleanse(plain.clone()), plain);
    }

    #[test]
    fn a_placeholder_is_no_secret() {
        assert_eq!(read(&config(None), "none").unwrap().redact("none of them"), "none of them");
    }

    #[test]
    fn a_local_server_needs_no_key() {
        let secrets = Secrets::read(&config(None), |_| None).unwrap();
        assert!(!secrets.has_key() && secrets.headers().is_empty());
    }

    #[test]
    fn what_is_named_must_be_there() {
        assert_snapshot!(error(read(&config(Some("UNSET")), "")), @"the environment variable `UNSET` is not set; it is used by `api_key_env`: set the variable or remove the key");
        let mut with_header = config(None);
        with_header.headers.insert("X-Team".to_owned(), "UNSET".to_owned());
        assert_snapshot!(error(read(&with_header, "k")), @"the environment variable `UNSET` is not set; it is used by `headers`: set the variable or remove the key");
    }

    #[test]
    fn what_no_header_can_carry_is_named_and_not_shown() {
        assert_snapshot!(error(read(&config(None), "sk-sec\nret")), @"the environment variable `OPENAI_API_KEY` contains characters that are invalid in a header; check it for line breaks and quotation marks");
        let mut with_header = config(None);
        with_header.headers.insert("X Team".to_owned(), "TEAM".to_owned());
        assert_snapshot!(error(read(&with_header, "value")), @"`X Team` is not a valid header name; header names consist of letters, digits and hyphens");
    }
}
