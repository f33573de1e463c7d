//! What goes wrong between us and a live server.

use std::time::Duration;

/// Why a live server could not be asked, or what it refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LiveError {
    /// The words say neither a command nor an address.
    #[error("`{given}` is neither a command nor a URL that starts with `http://` or `https://`")]
    Target {
        /// What was given.
        given: String,
    },
    /// The command could not be started.
    #[error("failed to start `{command}`: {message}")]
    Start {
        /// The program.
        command: String,
        /// What the system says.
        message: String,
    },
    /// The server did not shake hands.
    #[error("{server}: session initialization failed: {message}")]
    Begin {
        /// The server, without what may be secret.
        server: String,
        /// What it said.
        message: String,
    },
    /// The server gave no usable answer.
    #[error("{server}: `{what}` failed: {message}")]
    Failed {
        /// The server, without what may be secret.
        server: String,
        /// What was asked.
        what: String,
        /// What it said.
        message: String,
    },
    /// Nothing came in time.
    #[error("{server}: no answer to `{what}` within {} s", .after.as_secs_f64())]
    Late {
        /// The server, without what may be secret.
        server: String,
        /// What was asked.
        what: String,
        /// How long was waited.
        after: Duration,
    },
    /// A call that changes something, and that nobody allowed.
    #[error("`{tool}` may have side effects and is not listed in `allow`")]
    Writes {
        /// The tool.
        tool: String,
    },
    /// A host that nobody named.
    #[error("the host `{host}` is not listed in `hosts`")]
    Host {
        /// The host.
        host: String,
    },
    /// A recording or the folder of a toolset that cannot be used.
    #[error("{path}: {message}")]
    File {
        /// Which file.
        path: String,
        /// What is wrong.
        message: String,
    },
    /// A replay has nothing for a call.
    #[error("no recorded answer for this call of `{tool}`, and the server is not queried")]
    Unrecorded {
        /// The tool.
        tool: String,
    },
    /// The key is not in the environment.
    #[error("environment variable `{name}` is not set")]
    Key {
        /// The variable.
        name: String,
    },
}

impl LiveError {
    /// What one can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Target { .. } => "use `--mcp \"PROGRAM ARGUMENTS\"` or `--mcp https://HOST/PATH`",
            Self::Start { .. } => "run the command in a terminal to see its error",
            Self::Begin { .. } | Self::Failed { .. } => "check the output of the server",
            Self::Late { .. } => "increase `timeout` in `[world.NAME]` of the pipeline file",
            Self::Writes { .. } => "add it to `allow` to permit the call",
            Self::Host { .. } => "add it to `hosts` to permit requests",
            Self::File { .. } => "import the toolset again, or run `fcgen toolset explore`",
            Self::Unrecorded { .. } => "remove `replay` to query the server",
            Self::Key { .. } => "export it, or set another variable in `api_key_env`",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_says_what_was_asked_and_a_way_out() {
        let late = LiveError::Late {
            server: "archive".to_owned(),
            what: "find".to_owned(),
            after: Duration::from_millis(1500),
        };
        assert_eq!(late.to_string(), "archive: no answer to `find` within 1.5 s");
        assert!(late.hint().contains("timeout"));
        let writes = LiveError::Writes { tool: "add".to_owned() };
        assert!(writes.to_string().starts_with("`add` may have side effects") && writes.hint().contains("allow"));
    }
}
