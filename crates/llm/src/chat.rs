//! The one way to ask a model.
//!
//! The order of a call: the journal, an equal question in flight, and only then attempts (see `attempts`). What the
//! journal or another asker answers costs nothing and is limited by nothing.

use super::attempts::Line;
use super::batch::Batches;
use super::config::{ModelConfig, ProviderKind, StructuredOutput};
use super::interrupt::Interrupt;
use super::journal::{Journal, JournalError};
use super::key::Key;
use super::openai::Endpoint;
use super::request::{ChatError, Reply, Request};
use super::scripted::Script;
use super::tasks::Task;
use super::tokens::Estimator;
use super::usage::{Event, UsageBook};
use crate::assets::Assets;
use crate::limit::budget::Budget;
use crate::limit::limiter::Limiter;
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::OnceCell;

/// A model to ask; cheap to clone.
#[derive(Clone)]
pub struct Chat {
    shared: Arc<Shared>,
}

/// What all models of a run share.
#[derive(Clone)]
pub struct ChatDeps {
    /// Where recorded replies are read that are not on disk.
    pub assets: Option<Assets>,
    /// Where replies are kept; without one, nothing is remembered.
    pub journal: Option<Arc<Journal>>,
    /// What may be spent.
    pub budget: Arc<Budget>,
    /// What was spent, by stage and model.
    pub usage: Arc<UsageBook>,
    /// The built-in model, for `provider = "grammar"`.
    pub builtin: Arc<dyn BuiltIn>,
    /// The wish to stop, which nobody waits for longer than a moment.
    pub interrupt: Interrupt,
    /// The wish to send nothing more, which comes with the other one at the latest; what was sent already may come in.
    pub closing: Interrupt,
}

impl ChatDeps {
    /// Nothing kept, nothing bounded, nobody who stops it.
    pub fn new(builtin: Arc<dyn BuiltIn>) -> Self {
        let interrupt = Interrupt::new();
        let closing = interrupt.child();
        Self { assets: None, journal: None, budget: Arc::default(), usage: Arc::default(), builtin, interrupt, closing }
    }

    /// The same, with accounts that count on from those of earlier processes of the run, where there is a journal.
    pub fn counting_on(self, run: &str) -> Result<Self, JournalError> {
        if let Some(journal) = &self.journal {
            journal.keep_accounts(run, &self.usage, &self.budget)?;
        }
        Ok(self)
    }

    /// The same, stopped by this wish: nothing is sent from then on, and what was sent is waited for a moment longer.
    #[must_use]
    pub fn stopped_by(self, interrupt: &Interrupt) -> Self {
        Self { interrupt: interrupt.clone(), closing: interrupt.child(), ..self }
    }
}

struct Shared {
    name: String,
    config: ModelConfig,
    provider: Provider,
    journal: Option<Arc<Journal>>,
    usage: Arc<UsageBook>,
    interrupt: Interrupt,
    flights: Flights,
}

/// Model provider.
enum Provider {
    BuiltIn(Arc<dyn BuiltIn>),
    OpenAi(Box<Line>),
    Scripted { script: Script, structured: bool },
}

/// The name of the built-in model.
pub const BUILT_IN: &str = "grammar";

impl Chat {
    /// The built-in model by itself: nothing is kept, limited or charged.
    pub fn builtin(name: &str, model: Arc<dyn BuiltIn>) -> Self {
        Self::assemble(name, &ModelConfig::default(), Provider::BuiltIn(model), None, Arc::default(), Interrupt::new())
    }

    /// The model that `[model.ROLE]` describes. Nothing is sent yet.
    pub fn open(role: &str, config: &ModelConfig, deps: ChatDeps) -> Result<Self, ChatError> {
        if let Some(fault) = config.faults().into_iter().next() {
            let hint = format!("check `{}` in `[model.{role}]`", fault.key);
            return Err(ChatError::Endpoint { detail: fault.message, hint });
        }
        let (provider, name) = match config.provider {
            ProviderKind::Grammar => (Provider::BuiltIn(deps.builtin), BUILT_IN),
            ProviderKind::Scripted => (scripted(config, deps.assets.as_ref())?, "scripted"),
            ProviderKind::Openai => (Provider::OpenAi(Box::new(line(config, &deps)?)), ""),
        };
        let name = if config.model.is_empty() { name } else { &config.model };
        // The built-in model answers faster than the journal would.
        let journal = deps.journal.filter(|_| config.provider == ProviderKind::Openai || config.record);
        Ok(Self::assemble(name, config, provider, journal, deps.usage, deps.interrupt))
    }

    /// Asks, and gives the answer or the reason why there is none.
    pub async fn ask(&self, request: &Request) -> Result<Reply, ChatError> {
        self.count(request, Event::Request);
        let answer = tokio::select! {
            biased;
            () = self.stopped() => Err(self.left_behind()),
            answer = self.answer(request) => answer,
        };
        match &answer {
            Ok(reply) if reply.cached => self.count(request, Event::CacheHit),
            Ok(_) => {}
            Err(_) => self.count(request, Event::Failure),
        }
        answer
    }

    /// The model's name, as reports and rows give it.
    pub fn model_name(&self) -> &str {
        &self.shared.name
    }

    /// Whether it is the built-in model.
    pub fn is_builtin(&self) -> bool {
        matches!(self.shared.provider, Provider::BuiltIn(_))
    }

    /// Whether its answers are composed from templates: those of the built-in model, and those that were recorded of it, which
    /// a script plays back under its name.
    pub fn is_template(&self) -> bool {
        let is_local = matches!(self.shared.provider, Provider::Scripted { .. } | Provider::BuiltIn(_));
        is_local && *self.shared.name == *BUILT_IN
    }

    /// Whether this schema of a request is sent along, so that the answer can be read as JSON and nothing else; without
    /// one, whether any is.
    pub fn structured(&self, task: Task, schema: Option<&serde_json::Value>) -> bool {
        match &self.shared.provider {
            Provider::OpenAi(line) => line.endpoint.structured(task, schema),
            Provider::Scripted { structured, .. } => *structured,
            Provider::BuiltIn(_) => false,
        }
    }

    /// What people should know after the run, such as what the server refused.
    pub fn notes(&self) -> Vec<String> {
        match &self.shared.provider {
            Provider::OpenAi(line) => {
                line.endpoint.notes().into_iter().chain(line.batches.iter().flat_map(Batches::notes)).collect()
            }
            Provider::BuiltIn(_) | Provider::Scripted { .. } => Vec::new(),
        }
    }

    fn assemble(
        name: &str,
        config: &ModelConfig,
        provider: Provider,
        journal: Option<Arc<Journal>>,
        usage: Arc<UsageBook>,
        interrupt: Interrupt,
    ) -> Self {
        let (name, config, flights) = (name.to_owned(), config.clone(), Flights::default());
        Self { shared: Arc::new(Shared { name, config, provider, journal, usage, interrupt, flights }) }
    }

    async fn answer(&self, request: &Request) -> Result<Reply, ChatError> {
        // What costs nothing and takes no time needs neither memory nor company.
        match &self.shared.provider {
            Provider::BuiltIn(model) if self.shared.journal.is_none() => return Ok(model.answer(request)),
            Provider::Scripted { script, .. } if self.shared.journal.is_none() => return script.answer(request),
            _ => {}
        }
        let key = Key::new(&self.shared.config, request);
        if let Some(reply) = self.look_up(&key)? {
            return Ok(reply);
        }
        let landed = self.shared.flights.share(key, self.ask_and_keep(key, request)).await;
        landed.answer.map(|reply| Reply { cached: reply.cached || !landed.own, ..reply })
    }

    async fn ask_and_keep(&self, key: Key, request: &Request) -> Result<Reply, ChatError> {
        // An equal question may have landed between the first look and this flight.
        if let Some(reply) = self.look_up(&key)? {
            return Ok(reply);
        }
        let reply = self.fresh(&key, request).await?;
        if let Some(journal) = &self.shared.journal {
            journal.keep(key, request, &reply)?;
        }
        Ok(reply)
    }

    async fn fresh(&self, key: &Key, request: &Request) -> Result<Reply, ChatError> {
        match &self.shared.provider {
            Provider::BuiltIn(model) => Ok(model.answer(request)),
            Provider::Scripted { script, .. } => script.answer(request),
            Provider::OpenAi(line) => line.ask(key, request).await,
        }
    }

    /// Returns when an answer is not waited for any longer. A batch outlives the run, and who computes is paid nothing.
    async fn stopped(&self) {
        match &self.shared.provider {
            Provider::OpenAi(line) if line.batches.is_none() => self.shared.interrupt.landing().await,
            _ => self.shared.interrupt.wait().await,
        }
    }

    /// What is said when the run is stopped.
    fn left_behind(&self) -> ChatError {
        let batches = match &self.shared.provider {
            Provider::OpenAi(line) => line.batches.as_ref().map_or(0, Batches::under_way),
            Provider::BuiltIn(_) | Provider::Scripted { .. } => 0,
        };
        if batches > 0 { ChatError::Submitted { batches } } else { ChatError::Interrupted }
    }

    fn look_up(&self, key: &Key) -> Result<Option<Reply>, ChatError> {
        let Some(journal) = &self.shared.journal else { return Ok(None) };
        let reply = journal.look_up(key)?;
        Ok(reply.map(|reply| Reply { cached: true, ..reply }))
    }

    fn count(&self, request: &Request, event: Event) {
        self.shared.usage.count(&request.stage, &self.shared.name, event);
    }
}

impl From<JournalError> for ChatError {
    fn from(error: JournalError) -> Self {
        Self::Journal { detail: error.to_string() }
    }
}

/// An endpoint with its limits.
pub(super) fn line(config: &ModelConfig, deps: &ChatDeps) -> Result<Line, ChatError> {
    line_to(Endpoint::open(config)?, config, deps)
}

/// The limits of an endpoint that is open already.
pub(super) fn line_to(endpoint: Endpoint, config: &ModelConfig, deps: &ChatDeps) -> Result<Line, ChatError> {
    let endpoint = Arc::new(endpoint);
    let batches = Batches::open(config, &endpoint, deps)?;
    let estimator = Estimator::new(config.max_tokens);
    let (budget, usage, closing) = (deps.budget.clone(), deps.usage.clone(), deps.closing.clone());
    let limiter = Limiter::new(config, endpoint.allowances());
    Ok(Line { endpoint, batches, limiter, estimator, budget, usage, closing })
}

/// Recorded replies; whether they were asked for as JSON is said in the file, as for a server.
fn scripted(config: &ModelConfig, assets: Option<&Assets>) -> Result<Provider, ChatError> {
    let structured = config.structured_output == StructuredOutput::JsonSchema;
    Ok(Provider::Scripted { script: open_script(config, assets)?, structured })
}

fn open_script(config: &ModelConfig, assets: Option<&Assets>) -> Result<Script, ChatError> {
    let path = config.script.as_deref().unwrap_or_else(|| std::path::Path::new(""));
    Script::open(path, assets).map_err(|error| ChatError::Endpoint {
        detail: error.to_string(),
        hint: "`script` must be a file of recorded replies, one JSON object per line".to_owned(),
    })
}

// One question in flight per key: whoever asks the same meanwhile waits, and shares the answer.
//
// If the first asker is cancelled, one of those who wait asks in its place; nobody hangs.

type Cell = Arc<OnceCell<Result<Reply, ChatError>>>;

/// The questions in flight.
#[derive(Debug, Default)]
pub(super) struct Flights {
    cells: Mutex<BTreeMap<Key, Cell>>,
}

/// An answer, and whether this very asker got it.
pub(super) struct Landed {
    pub(super) answer: Result<Reply, ChatError>,
    pub(super) own: bool,
}

impl Flights {
    /// The answer of `ask`, or of an equal question that is in flight already.
    pub(super) fn share<'a>(
        &'a self,
        key: Key,
        ask: impl Future<Output = Result<Reply, ChatError>> + 'a,
    ) -> impl Future<Output = Landed> + 'a {
        // The cell keeps what it is given several times over, and an asynchronous function what it is called with;
        // thousands may be in flight.
        let ask = Box::pin(ask);
        async move {
            let seat = Seat { flights: self, key, cell: self.lock().entry(key).or_default().clone() };
            let mut own = false;
            let started = async {
                own = true;
                ask.await
            };
            let answer = seat.cell.get_or_init(|| started).await.clone();
            Landed { answer, own }
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Key, Cell>> {
        self.cells.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A share in a flight; the last one to leave, answered or cancelled, clears it away.
struct Seat<'a> {
    flights: &'a Flights,
    key: Key,
    cell: Cell,
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        let mut cells = self.flights.lock();
        // The map's own and this one: nobody else sits in it, and nobody can enter while the map is locked.
        if Arc::strong_count(&self.cell) <= 2 {
            cells.remove(&self.key);
        }
    }
}

// The seam to the built-in model.

/// A model inside this program: it answers at once, for nothing, and the same way every time.
pub trait BuiltIn: Send + Sync {
    /// Answers; it reads the request's task and variables, never its text.
    fn answer(&self, request: &Request) -> Reply;
}

impl<F: Fn(&Request) -> Reply + Send + Sync> BuiltIn for F {
    fn answer(&self, request: &Request) -> Reply {
        self(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::request;
    use futures::FutureExt;
    use insta::assert_snapshot;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn deps(journal: Option<Arc<Journal>>, asked: &Arc<AtomicUsize>) -> ChatDeps {
        let asked = asked.clone();
        let model = move |request: &Request| {
            let count = asked.fetch_add(1, Ordering::Relaxed);
            Reply { text: format!("{} {count}", request.item), ..Reply::default() }
        };
        ChatDeps { journal, ..ChatDeps::new(Arc::new(model)) }
    }

    fn endpoint_error(config: &ModelConfig) -> String {
        match Chat::open("judge", config, deps(None, &Arc::default())).err().unwrap() {
            ChatError::Endpoint { detail, hint } => format!("{detail}\nhint: {hint}"),
            other => other.to_string(),
        }
    }

    #[tokio::test]
    async fn the_built_in_model_answers_at_once_and_remembers_nothing() {
        let deps = deps(None, &Arc::default());
        let chat = Chat::open("generator", &ModelConfig::default(), deps.clone()).unwrap();
        assert_eq!(chat.ask(&request("a", 0)).now_or_never().unwrap().unwrap().text, "a 0");
        assert_eq!(chat.ask(&request("a", 0)).await.unwrap().text, "a 1");
        assert!(chat.is_builtin() && !chat.structured(Task::JudgeCall, None) && chat.notes().is_empty());
        assert_eq!((chat.model_name(), deps.usage.snapshot()[0].requests), ("grammar", 2));
    }

    #[tokio::test]
    async fn recorded_it_answers_from_the_journal() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Arc::new(Journal::open(&folder.path().join("run.db")).unwrap());
        let asked = Arc::default();
        let deps = deps(Some(journal), &asked);
        let config = ModelConfig { record: true, ..ModelConfig::default() };
        let chat = Chat::open("generator", &config, deps.clone()).unwrap();
        let first = chat.ask(&request("a", 0)).await.unwrap();
        let second = chat.ask(&request("a", 0)).await.unwrap();
        assert_eq!((first.cached, second.cached, first.text), (false, true, second.text));
        assert_eq!(chat.ask(&request("a", 1)).await.unwrap().text, "a 1", "another draw is another question");
        assert_eq!(asked.load(Ordering::Relaxed), 2);
        assert_eq!(deps.usage.snapshot()[0].cache_hits, 1);
    }

    #[tokio::test]
    async fn a_scripted_model_says_what_was_recorded_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("replies.jsonl");
        std::fs::write(&script, "{\"task\":\"judge_call\",\"item\":\"a\",\"reply\":{\"text\":\"True\"}}").unwrap();
        let config = ModelConfig { provider: ProviderKind::Scripted, script: Some(script), ..ModelConfig::default() };
        let chat = Chat::open("judge", &config, deps(None, &Arc::default())).unwrap();
        assert_eq!(chat.ask(&request("a", 0)).await.unwrap().text, "True");
        let error = chat.ask(&request("b", 0)).await.unwrap_err();
        assert_snapshot!(error, @"no reply is recorded for JudgeCall of `b`, draw 0");
        assert!(!chat.is_builtin());
    }

    #[tokio::test]
    async fn a_journal_that_fails_stops_the_run() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Arc::new(Journal::open(&folder.path().join("run.db")).unwrap());
        rusqlite::Connection::open(journal.connection_path()).unwrap().execute("DROP TABLE reply", []).unwrap();
        let config = ModelConfig { record: true, ..ModelConfig::default() };
        let chat = Chat::open("generator", &config, deps(Some(journal), &Arc::default())).unwrap();
        let error = chat.ask(&request("a", 0)).await.unwrap_err();
        assert!(matches!(&error, ChatError::Journal { detail } if detail.contains("no such table")), "{error}");
    }

    #[tokio::test]
    async fn who_asks_after_the_end_is_told() {
        let deps = deps(None, &Arc::default());
        deps.interrupt.trigger();
        let chat = Chat::open("generator", &ModelConfig::default(), deps).unwrap();
        assert_eq!(chat.ask(&request("a", 0)).await, Err(ChatError::Interrupted));
    }

    #[tokio::test]
    async fn by_itself_it_needs_nothing() {
        let chat = Chat::builtin(
            "parrot",
            Arc::new(|request: &Request| Reply { text: request.user.clone(), ..Reply::default() }),
        );
        assert_eq!(chat.ask(&request("a", 0)).await.unwrap().text, "Is a right?");
        assert_eq!(chat.model_name(), "parrot");
    }

    #[test]
    fn settings_that_cannot_work_are_named() {
        let openai = ModelConfig { provider: ProviderKind::Openai, ..ModelConfig::default() };
        assert_snapshot!(endpoint_error(&openai), @r"
        `model` is missing: the name of the model on the server
        hint: check `model` in `[model.judge]`
        ");
        let scripted = ModelConfig {
            provider: ProviderKind::Scripted,
            script: Some("no/such.jsonl".into()),
            ..ModelConfig::default()
        };
        assert_snapshot!(endpoint_error(&scripted), @r"
        `no/such.jsonl` cannot be read: No such file or directory (os error 2)
        hint: `script` must be a file of recorded replies, one JSON object per line
        ");
    }
}

#[cfg(test)]
mod flight_tests {
    use super::*;
    use crate::testing::request;
    use futures::FutureExt;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::sync::oneshot;

    fn key() -> Key {
        Key::of_question(&request("a", 0))
    }

    fn reply(text: &str) -> Reply {
        Reply { text: text.to_owned(), ..Reply::default() }
    }

    #[tokio::test]
    async fn equal_questions_are_asked_once() {
        let (flights, asked) = (Flights::default(), AtomicUsize::new(0));
        let ask = || async {
            asked.fetch_add(1, Ordering::Relaxed);
            tokio::task::yield_now().await;
            Ok(reply("x"))
        };
        let (first, second) = tokio::join!(flights.share(key(), ask()), flights.share(key(), ask()));
        assert_eq!(asked.load(Ordering::Relaxed), 1);
        assert_eq!(first.answer, second.answer);
        assert_eq!((first.own, second.own), (true, false));
    }

    #[tokio::test]
    async fn if_the_first_asker_is_cancelled_the_next_one_asks() {
        let flights = Flights::default();
        let mut first = Box::pin(flights.share(key(), std::future::pending()));
        assert!(first.as_mut().now_or_never().is_none());
        let mut second = Box::pin(flights.share(key(), async { Ok(reply("second")) }));
        assert!(second.as_mut().now_or_never().is_none());
        drop(first);
        let landed = second.await;
        assert_eq!(landed.answer, Ok(reply("second")));
        assert!(landed.own);
    }

    #[tokio::test]
    async fn what_has_landed_is_forgotten() {
        let flights = Flights::default();
        assert_eq!(
            flights.share(key(), async { Err(ChatError::Interrupted) }).await.answer,
            Err(ChatError::Interrupted)
        );
        assert_eq!(flights.share(key(), async { Ok(reply("later")) }).await.answer, Ok(reply("later")));
        assert!(flights.lock().is_empty());
    }

    #[tokio::test]
    async fn a_failure_is_shared_and_not_repeated_by_those_who_wait() {
        let flights = Flights::default();
        let (sender, receiver) = oneshot::channel();
        let first = flights.share(key(), async {
            receiver.await.unwrap();
            Err(ChatError::Interrupted)
        });
        let second = flights.share(key(), async { unreachable!("the first one's answer is shared") });
        let (first, second, ()) = tokio::join!(first, second, async { sender.send(()).unwrap() });
        assert_eq!(first.answer, second.answer);
    }
}

#[cfg(test)]
mod builtin_tests {
    use super::*;
    use crate::testing::request;

    #[test]
    fn a_function_is_a_model() {
        let model = |request: &Request| Reply { text: request.item.to_string(), ..Reply::default() };
        assert_eq!(model.answer(&request("a/b", 0)).text, "a/b");
    }
}
