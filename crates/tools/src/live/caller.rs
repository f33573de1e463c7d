//! Makes live calls one after another on a thread of its own, so that worlds may wait for an answer as they would compute it.
//!
//! The server is started or connected at the first call, and ended with the caller. Calls keep the distance that the
//! settings name, and come to the server in the order in which they were made.

use super::LiveError;
use super::Server;
use super::Target;
use super::WorldConfig;
use super::http::Api;
use super::server::{Key, Reply};
use crate::toolset::import::{Origin, Origins};
use fcgen_core::record::{Object, Value};
use indexmap::IndexMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::time::{Instant, sleep_until};

/// One call, and where its answer goes.
struct Job {
    tool: String,
    arguments: Object,
    reply: Sender<Result<Reply, LiveError>>,
}

/// Who makes live calls.
#[derive(Debug)]
pub struct Caller {
    jobs: Mutex<Option<Sender<Job>>>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread works with.
struct Work {
    target: Target,
    key: Option<Key>,
    config: WorldConfig,
    origins: Origins,
    server: Option<Server>,
    /// When the next call may be made.
    next: Option<Instant>,
}

impl Caller {
    /// Makes ready; nothing is started yet.
    pub fn new(target: Target, config: &WorldConfig, origins: &Origins) -> Result<Self, LiveError> {
        let (key, config, origins) = (config.key()?, config.clone(), origins.clone());
        let mut work = Work { target, key, config, origins, server: None, next: None };
        let start = |message: String| LiveError::Start { command: work.target.shown(), message };
        let runtime = Builder::new_current_thread().enable_all().build().map_err(|error| start(error.to_string()))?;
        let (sender, receiver) = channel();
        let thread = thread::Builder::new().name("live".to_owned());
        let shown = work.target.shown();
        let thread = thread.spawn(move || work.run(&runtime, &receiver));
        let thread = thread.map_err(|error| LiveError::Start { command: shown, message: error.to_string() })?;
        Ok(Self { jobs: Mutex::new(Some(sender)), thread: Some(thread) })
    }

    /// Makes a call and waits for its answer.
    pub fn call(&self, tool: &str, arguments: &Object) -> Result<Reply, LiveError> {
        let (reply, answer) = channel();
        let job = Job { tool: tool.to_owned(), arguments: arguments.clone(), reply };
        let gone = || LiveError::Failed {
            server: "live".to_owned(),
            what: tool.to_owned(),
            message: "the thread for live calls has ended".to_owned(),
        };
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).clone();
        jobs.and_then(|jobs| jobs.send(job).ok()).ok_or_else(gone)?;
        answer.recv().unwrap_or_else(|_| Err(gone()))
    }
}

impl Drop for Caller {
    fn drop(&mut self) {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = self.thread.take() {
            // The server ends with it; a thread that failed has none any more.
            drop(thread.join());
        }
    }
}

impl Work {
    fn run(&mut self, runtime: &Runtime, jobs: &Receiver<Job>) {
        for job in jobs {
            let answer = runtime.block_on(self.call(&job.tool, &job.arguments));
            // Whoever asked may have gone.
            drop(job.reply.send(answer));
        }
        if let Some(server) = self.server.take() {
            runtime.block_on(server.close());
        }
        runtime.block_on(tokio::task::yield_now());
    }

    async fn call(&mut self, tool: &str, arguments: &Object) -> Result<Reply, LiveError> {
        let shown = self.target.shown();
        let unknown = || LiveError::Failed {
            server: shown.clone(),
            what: tool.to_owned(),
            message: "not listed in `origins.json`".to_owned(),
        };
        let origin = self.origins.tools.get(tool).cloned().ok_or_else(unknown)?;
        self.wait().await;
        match &origin {
            Origin::Mcp { name, parameters, .. } => {
                let arguments = &original(arguments, parameters);
                let server = match self.server.take() {
                    Some(server) => server,
                    None => self.open().await?,
                };
                let answer = server.call(name, arguments).await;
                // A server that does not answer may never again: the next call begins a session anew.
                match &answer {
                    Err(_) => server.close().await,
                    Ok(_) => self.server = Some(server),
                }
                answer
            }
            Origin::Openapi(operation) => {
                let api = Api {
                    config: &self.config,
                    schemes: &self.origins.schemes,
                    key: self.key.as_ref().map(|key| key.value.as_str()),
                };
                api.call(tool, operation, arguments).await
            }
            Origin::List { .. } => Err(unknown()),
        }
    }

    async fn open(&self) -> Result<Server, LiveError> {
        Server::open(&self.target, self.key.as_ref(), self.config.wait()).await
    }

    async fn wait(&mut self) {
        if let Some(next) = self.next {
            sleep_until(next).await;
        }
        self.next = Some(Instant::now() + self.config.pause().min(Duration::from_secs(60)));
    }
}

/// The arguments under the names that the server knows.
fn original(arguments: &Object, names: &IndexMap<String, String>) -> Object {
    let named = |(name, value): (&String, &Value)| (names.get(name).unwrap_or(name).clone(), value.clone());
    arguments.iter().map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(server: &str) -> Caller {
        let config = WorldConfig { timeout: 2, ..WorldConfig::default() };
        let mcp = Origin::Mcp { name: "show".to_owned(), reads: true, parameters: IndexMap::new() };
        let tools = [
            ("show".to_owned(), mcp),
            ("listed".to_owned(), Origin::List { name: "listed".to_owned(), parameters: IndexMap::new() }),
        ]
        .into();
        let origins = Origins { tools, ..Origins::default() };
        Caller::new(Target::read(server).unwrap(), &config, &origins).unwrap()
    }

    #[test]
    fn a_tool_without_an_origin_is_not_called() {
        let caller = caller("no-such-program-anywhere");
        for tool in ["listed", "other"] {
            let error = caller.call(tool, &Object::new()).unwrap_err().to_string();
            assert!(error.contains("not listed in `origins.json`"), "{error}");
        }
    }

    #[test]
    fn a_server_that_does_not_start_is_told_at_the_call() {
        let error = caller("no-such-program-anywhere").call("show", &Object::new()).unwrap_err();
        assert!(matches!(error, LiveError::Start { .. }), "{error}");
    }
}
