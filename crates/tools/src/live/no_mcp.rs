//! A build without the feature `mcp` opens no MCP server, and says so.

use super::server::{Key, Listed, Reply};
use super::{LiveError, Target};
use fcgen_core::record::Object;
use std::time::Duration;

/// A session with a live MCP server, of which there is none in this build.
#[derive(Debug)]
pub enum Server {}

impl Server {
    /// Names the feature that is missing.
    #[expect(clippy::unused_async, reason = "with the feature, it waits for the server")]
    pub async fn open(target: &Target, _key: Option<&Key>, _wait: Duration) -> Result<Self, LiveError> {
        let message = "this build of fcgen does not support MCP; rebuild it with the feature `mcp`".to_owned();
        Err(LiveError::Start { command: target.shown(), message })
    }

    /// The name that the server gives itself.
    pub fn name(&self) -> String {
        match *self {}
    }

    /// Everything that the server offers.
    #[expect(clippy::unused_async, reason = "with the feature, it waits for the server")]
    pub async fn tools(&self) -> Result<Vec<Listed>, LiveError> {
        match *self {}
    }

    /// Calls a tool by its name there.
    #[expect(clippy::unused_async, reason = "with the feature, it waits for the server")]
    pub async fn call(&self, _tool: &str, _arguments: &Object) -> Result<Reply, LiveError> {
        match *self {}
    }

    /// Ends the session.
    #[expect(clippy::unused_async, reason = "with the feature, it waits for the server")]
    pub async fn close(self) {
        match self {}
    }
}
