//! What goes wrong between us and a live server.

use std::time::Duration;

/// Why a live server could not be asked, or what it refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LiveError {
    /// The words say neither a command nor an address.
    #[error("`{given}` is neither a command nor an address that begins with `http://` or `https://`")]
    Target {
        /// What was given.
        given: String,
    },
    /// The command could not be started.
    #[error("`{command}` could not be started: {message}")]
    Start {
        /// The program.
        command: String,
        /// What the system says.
        message: String,
    },
    /// The server did not shake hands.
    #[error("{server} did not begin a session: {message}")]
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
    #[error("`{tool}` may change something, and `allow` does not name it")]
    Writes {
        /// The tool.
        tool: String,
    },
    /// A host that nobody named.
    #[error("the host `{host}` is not named in `hosts`")]
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
    #[error("nothing is recorded for this call of `{tool}`, and no server is asked")]
    Unrecorded {
        /// The tool.
        tool: String,
    },
    /// The key is not in the environment.
    #[error("the environment has no `{name}`")]
    Key {
        /// The variable.
        name: String,
    },
}

impl LiveError {
    /// What one can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Target { .. } => "write `--mcp \"PROGRAM ARGUMENTS\"` or `--mcp https://HOST/PATH`",
            Self::Start { .. } => "run the command by itself in a terminal",
            Self::Begin { .. } | Self::Failed { .. } => "look at what the server says by itself",
            Self::Late { .. } => "raise `timeout` in the `[world.NAME]` of the pipeline file",
            Self::Writes { .. } => "name it in `allow` if it may be called",
            Self::Host { .. } => "name it in `hosts` if it may be asked",
            Self::File { .. } => "import the toolset anew, or explore it",
            Self::Unrecorded { .. } => "leave `replay` out, so that the server is asked",
            Self::Key { .. } => "export it, or name another variable in `api_key_env`",
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
        assert!(writes.to_string().starts_with("`add` may change") && writes.hint().contains("allow"));
    }
}
