//! A live world as a pipeline file names it: `[world.TOOLSET]`.
//!
//! It holds names of environment variables and never a key. Nothing is started or connected before a call wants it.

use super::Key;
use super::LiveError;
use super::Target;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// The live server of a toolset and its limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WorldConfig {
    /// Live server: the command or address of an MCP server, or the base URL of an HTTP API. Default: only recordings are used.
    pub server: Option<String>,
    /// Environment variable with the API key; default: no key is sent.
    pub api_key_env: Option<String>,
    /// Tools that may be called although they may have side effects.
    pub allow: Vec<String>,
    /// Additional hosts that may receive requests, such as `api.example.com` or `localhost:8080`.
    pub hosts: Vec<String>,
    /// Maximum calls per minute.
    pub requests_per_minute: u32,
    /// Timeout of a call, in seconds.
    pub timeout: u32,
    /// Recording to replay instead of querying the server: the `recording.db` of an earlier run. Calls that it does not contain fail.
    pub replay: Option<PathBuf>,
}

impl Default for WorldConfig {
    fn default() -> Self {
        Self {
            server: None,
            api_key_env: None,
            allow: Vec::new(),
            hosts: Vec::new(),
            requests_per_minute: 600,
            timeout: 30,
            replay: None,
        }
    }
}

impl WorldConfig {
    /// What is wrong with it, and under which key; nothing is started to find out.
    pub fn fault(&self) -> Option<(&'static str, String)> {
        if let Some(Err(error)) = self.server.as_deref().map(Target::read) {
            return Some(("server", error.to_string()));
        }
        if self.requests_per_minute == 0 {
            return Some(("requests_per_minute", "expected at least 1, found 0".to_owned()));
        }
        if self.timeout == 0 {
            return Some(("timeout", "expected at least 1, found 0".to_owned()));
        }
        if let Some(host) = self.hosts.iter().find(|host| host.is_empty() || host.contains(['/', '@', ' '])) {
            return Some((
                "hosts",
                format!("`{host}` is not a valid host; expected the form `api.example.com` or `localhost:8080`"),
            ));
        }
        None
    }

    /// Where the server is, if there is one.
    pub fn target(&self) -> Result<Option<Target>, LiveError> {
        self.server.as_deref().map(Target::read).transpose()
    }

    /// The key, from the environment.
    pub fn key(&self) -> Result<Option<Key>, LiveError> {
        let named = |name: &String| {
            let value = std::env::var(name).ok().filter(|key| !key.is_empty());
            let value = value.ok_or_else(|| LiveError::Key { name: name.clone() })?;
            Ok(Key { name: name.clone(), value })
        };
        self.api_key_env.as_ref().map(named).transpose()
    }

    /// Longest wait for one answer.
    pub fn wait(&self) -> Duration {
        Duration::from_secs(u64::from(self.timeout))
    }

    /// The least time between two calls.
    pub fn pause(&self) -> Duration {
        Duration::from_secs(60) / self.requests_per_minute.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> Option<String> {
        let config: WorldConfig = toml::from_str(text).unwrap();
        config.fault().map(|(key, message)| format!("{key}: {message}"))
    }

    #[test]
    fn what_cannot_be_is_told_by_its_key() {
        assert_eq!(fault("server = \"npx -y some-server\"\nhosts = [\"a.example.com\", \"localhost:80\"]"), None);
        assert!(fault("server = \"ftp://x\"").unwrap().starts_with("server: `ftp://x` is neither"));
        assert!(fault("requests_per_minute = 0").unwrap().starts_with("requests_per_minute: "));
        assert!(fault("timeout = 0").unwrap().starts_with("timeout: "));
        assert!(fault("hosts = [\"https://a\"]").unwrap().starts_with("hosts: `https://a` is not a valid host"));
    }

    #[test]
    fn a_key_that_is_not_there_is_named() {
        let config = WorldConfig { api_key_env: Some("FCGEN_NO_SUCH_KEY".to_owned()), ..WorldConfig::default() };
        assert_eq!(config.key().unwrap_err().to_string(), "environment variable `FCGEN_NO_SUCH_KEY` is not set");
        assert_eq!(WorldConfig::default().key().unwrap(), None);
    }

    #[test]
    fn calls_keep_their_distance() {
        let config = WorldConfig { requests_per_minute: 120, timeout: 2, ..WorldConfig::default() };
        assert_eq!((config.pause(), config.wait()), (Duration::from_millis(500), Duration::from_secs(2)));
        assert!(config.target().unwrap().is_none());
    }
}
