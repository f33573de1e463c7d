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

/// Where the calls of a toolset are answered, and how it is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WorldConfig {
    /// The live server: the command of an MCP server, its address, or the base URL of an HTTP API. Absent: recordings alone answer.
    pub server: Option<String>,
    /// Name of the environment variable that holds the key; none is sent where absent.
    pub api_key_env: Option<String>,
    /// Tools that may be called although they may change something.
    pub allow: Vec<String>,
    /// Further hosts that may be asked, beside the one of `server`: `api.example.com` or `localhost:8080`.
    pub hosts: Vec<String>,
    /// Most calls a minute.
    pub requests_per_minute: u32,
    /// Longest wait for one answer, in seconds.
    pub timeout: u32,
    /// A recording that answers in the server's place: the `recording.db` of an earlier run. What is not in it is refused.
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
            return Some(("requests_per_minute", "no call could ever be made; expected at least 1".to_owned()));
        }
        if self.timeout == 0 {
            return Some(("timeout", "nothing can answer at once; expected at least 1".to_owned()));
        }
        if let Some(host) = self.hosts.iter().find(|host| host.is_empty() || host.contains(['/', '@', ' '])) {
            return Some((
                "hosts",
                format!("`{host}` is no host; expected one such as `api.example.com` or `localhost:8080`"),
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
        assert!(fault("hosts = [\"https://a\"]").unwrap().starts_with("hosts: `https://a` is no host"));
    }

    #[test]
    fn a_key_that_is_not_there_is_named() {
        let config = WorldConfig { api_key_env: Some("FCGEN_NO_SUCH_KEY".to_owned()), ..WorldConfig::default() };
        assert_eq!(config.key().unwrap_err().to_string(), "the environment has no `FCGEN_NO_SUCH_KEY`");
        assert_eq!(WorldConfig::default().key().unwrap(), None);
    }

    #[test]
    fn calls_keep_their_distance() {
        let config = WorldConfig { requests_per_minute: 120, timeout: 2, ..WorldConfig::default() };
        assert_eq!((config.pause(), config.wait()), (Duration::from_millis(500), Duration::from_secs(2)));
        assert!(config.target().unwrap().is_none());
    }
}
