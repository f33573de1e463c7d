//! A folder that all nodes see, and what an engine does in it.

use crate::cli::bench::{Bench, written};
use crate::cli::server::Server;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::Receiver;
use std::time::Duration;

/// Replies of the last moment, which are put on disk together; a kill may come before that.
pub(crate) const LATE: u64 = 100;

/// A working folder, and the flags of its runs.
pub(crate) struct Cluster {
    pub(crate) bench: Bench,
    pub(crate) flags: String,
}

impl Cluster {
    /// The built-in model, and few tools.
    pub(crate) fn new() -> Self {
        Self { bench: Bench::new(), flags: "--limit 3 --quiet".to_owned() }
    }

    /// A server, and word of the `nth` question to it.
    pub(crate) fn asking(nth: u64) -> (Self, Server, Receiver<()>) {
        let (server, word) = Server::builtin(nth, Duration::from_millis(2));
        let line = server.line("--limit 2");
        let flags = line.strip_prefix("pipeline hammer ").unwrap().to_owned();
        (Self { bench: Bench::new(), flags }, server, word)
    }

    /// A recipe's file.
    pub(crate) fn recipe(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("recipes").join(name)
    }

    pub(crate) fn text(name: &str) -> String {
        std::fs::read_to_string(Self::recipe(name)).unwrap()
    }

    /// A program in the folder, with `fcgen` and then what lies in `bin/` before all others.
    pub(crate) fn command(&self, program: &str) -> Command {
        let own = Path::new(env!("CARGO_BIN_EXE_fcgen")).parent().unwrap();
        let path = format!("{}:{}:{}", self.bench.path("bin").display(), own.display(), std::env::var("PATH").unwrap());
        let mut command = Command::new(program);
        command.current_dir(self.bench.path("")).env("PATH", path).env_remove("OPENAI_API_KEY");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The run at `merged` is what one process makes.
    pub(crate) fn assert_as_one_process(&self, merged: &str) {
        self.bench.must(&format!("pipeline hammer {} --out one", self.flags));
        assert_eq!(written(&self.bench.path(merged)), written(&self.bench.path("one")));
        assert!(!self.bench.read("one/samples.jsonl").is_empty());
    }
}

/// Lets a program come to its end, where all must go well.
pub(crate) fn must(mut command: Command) -> Output {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Sends a signal, and waits for the end.
pub(crate) fn end(child: Child, signal: &str) -> Output {
    must({
        let mut kill = Command::new("kill");
        kill.args([signal, &child.id().to_string()]);
        kill
    });
    child.wait_with_output().unwrap()
}
