//! A stub, a model that is asked through it, and what both have counted.

use fcgen::llm::stub::{FaultPlan, Stub, StubOptions};
use fcgen::llm::{
    Budget, Chat, ChatDeps, ChatError, Interrupt, Journal, ModelConfig, ProviderKind, Reply, Request, Task,
    TextDuration, UsageBook, Variables,
};
use fcgen::record::Value;
use std::sync::Arc;

/// Everything that one test needs.
pub(crate) struct Bench {
    pub(crate) stub: Stub,
    pub(crate) chat: Chat,
    pub(crate) config: ModelConfig,
    pub(crate) usage: Arc<UsageBook>,
    pub(crate) interrupt: Interrupt,
    pub(crate) folder: tempfile::TempDir,
    deps: ChatDeps,
}

/// A variable that is set wherever cargo runs a test, and long enough to be taken for a key.
pub(crate) fn key_variable() -> &'static str {
    "CARGO_MANIFEST_DIR"
}

impl Bench {
    /// A stub that fails by this plan and echoes otherwise.
    pub(crate) async fn with_faults(faults: FaultPlan) -> Self {
        Self::new(StubOptions { faults, ..StubOptions::default() }, |_| {}).await
    }

    /// A stub with these options, and a model with changed settings.
    pub(crate) async fn new(options: StubOptions, change: impl FnOnce(&mut ModelConfig)) -> Self {
        let stub = Stub::start(options).await.unwrap();
        let mut config = ModelConfig {
            provider: ProviderKind::Openai,
            base_url: stub.base_url(),
            model: "m".to_owned(),
            api_key_env: Some(key_variable().to_owned()),
            backoff: TextDuration::from_millis(1),
            retries: 3,
            ..ModelConfig::default()
        };
        change(&mut config);
        let folder = tempfile::tempdir().unwrap();
        let deps = deps(Some(Arc::new(Journal::open(&folder.path().join("run.db")).unwrap())));
        let chat = Chat::open("generator", &config, deps.clone()).unwrap();
        let (usage, interrupt) = (deps.usage.clone(), deps.interrupt.clone());
        Self { stub, chat, config, usage, interrupt, folder, deps }
    }

    /// Gives the model a budget.
    pub(crate) fn set_budget(&mut self, budget: Budget) {
        self.deps.budget = Arc::new(budget);
        self.chat = Chat::open("generator", &self.config, self.deps.clone()).unwrap();
    }

    /// The same model over the same file, as another process would have it.
    pub(crate) fn reopen(&self) -> Chat {
        self.deps.journal.as_ref().unwrap().flush().unwrap();
        let journal = Journal::open(&self.folder.path().join("run.db")).unwrap();
        Chat::open("generator", &self.config, deps(Some(Arc::new(journal)))).unwrap()
    }

    pub(crate) async fn ask(&self, item: &str, draw: u32) -> Result<Reply, ChatError> {
        self.chat.ask(&request(item, draw)).await
    }

    /// How many requests have reached the stub.
    pub(crate) fn total(&self) -> u64 {
        self.stub.stats().total
    }

    pub(crate) fn tell(&self, error: &ChatError) -> String {
        tell(error, &self.config)
    }
}

/// Asks a model that nothing is remembered of.
pub(crate) async fn ask_text(config: &ModelConfig, item: &str) -> Result<Reply, ChatError> {
    Chat::open("generator", config, deps(None)).unwrap().ask(&request(item, 0)).await
}

/// What people read, without the port, which changes.
pub(crate) fn tell(error: &ChatError, config: &ModelConfig) -> String {
    let text = match error {
        ChatError::Endpoint { detail, hint } => format!("{detail}; hint: {hint}"),
        other => other.to_string(),
    };
    text.replace(&config.base_url, "URL")
}

/// A question whose echo tells the item.
pub(crate) fn request(item: &str, draw: u32) -> Request {
    Request {
        task: Task::Generate,
        stage: Arc::from("write"),
        item: Arc::from(item),
        draw,
        system: None,
        history: Vec::new(),
        user: format!("say {item}"),
        variables: Arc::new(Variables::Generate([("item".to_owned(), Value::from(item))].into_iter().collect())),
        schema: None,
        tools: Vec::new(),
        temperature: None,
    }
}

fn deps(journal: Option<Arc<Journal>>) -> ChatDeps {
    ChatDeps { journal, ..ChatDeps::new(Arc::new(|_: &Request| Reply::default())) }
}
