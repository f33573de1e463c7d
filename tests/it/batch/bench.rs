//! A stub with batches, a model that is asked by them, and many who ask at once.

use fcgen::llm::stub::{Stub, StubOptions};
use fcgen::llm::{
    Budget, Chat, ChatDeps, ChatError, Interrupt, Journal, ModelConfig, ProviderKind, Reply, Request, Task,
    TextDuration, UsageBook, Variables,
};
use fcgen::record::Value;
use futures::future::join_all;
use std::path::PathBuf;
use std::sync::Arc;

/// So many ask at once.
pub(crate) const MANY: u32 = 20;

/// Everything that one test needs.
pub(crate) struct Bench {
    pub(crate) stub: Arc<Stub>,
    pub(crate) config: ModelConfig,
    pub(crate) usage: Arc<UsageBook>,
    pub(crate) interrupt: Interrupt,
    pub(crate) closing: Interrupt,
    pub(crate) budget: Arc<Budget>,
    journal: Arc<Journal>,
    chat: Chat,
    folder: Arc<tempfile::TempDir>,
}

impl Bench {
    /// A stub with these options, and a model with changed settings.
    pub(crate) async fn new(options: StubOptions, change: impl FnOnce(&mut ModelConfig)) -> Self {
        let stub = Arc::new(Stub::start(options).await.unwrap());
        let mut config = ModelConfig {
            provider: ProviderKind::Openai,
            base_url: stub.base_url(),
            model: "m".to_owned(),
            api_key_env: Some("CARGO_MANIFEST_DIR".to_owned()),
            backoff: TextDuration::from_millis(1),
            batch: true,
            batch_linger: TextDuration::from_millis(150),
            batch_poll: TextDuration::from_millis(1),
            ..ModelConfig::default()
        };
        change(&mut config);
        Self::open(stub, config, Arc::new(tempfile::tempdir().unwrap()), Arc::default())
    }

    fn open(stub: Arc<Stub>, config: ModelConfig, folder: Arc<tempfile::TempDir>, budget: Arc<Budget>) -> Self {
        let journal = Arc::new(Journal::open(&folder.path().join("run.db")).unwrap());
        let model = Arc::new(|_: &Request| Reply::default());
        let deps = ChatDeps { journal: Some(journal.clone()), budget: budget.clone(), ..ChatDeps::new(model) };
        let chat = Chat::open("generator", &config, deps.clone()).unwrap();
        let ChatDeps { usage, interrupt, closing, .. } = deps;
        Self { stub, config, usage, interrupt, closing, budget, journal, chat, folder }
    }

    /// The same over the same file, as another process would have it.
    pub(crate) fn reopen(&self) -> Self {
        self.journal.flush().unwrap();
        Self::open(self.stub.clone(), self.config.clone(), self.folder.clone(), Arc::default())
    }

    /// The same after the end of this one.
    pub(crate) fn next(self) -> Self {
        self.reopen()
    }

    /// The same with a budget.
    pub(crate) fn with_budget(&self, budget: Budget) -> Self {
        Self::open(self.stub.clone(), self.config.clone(), self.folder.clone(), Arc::new(budget))
    }

    pub(crate) async fn ask(&self, item: &str) -> Result<Reply, ChatError> {
        self.chat.ask(&request(item)).await
    }

    /// Many questions at once.
    pub(crate) async fn ask_many(&self) -> Vec<Result<Reply, ChatError>> {
        let items: Vec<String> = (0..MANY).map(|number| number.to_string()).collect();
        join_all(items.iter().map(|item| self.ask(item))).await
    }

    /// Many ask, and each gets its own answer.
    pub(crate) async fn assert_all_answered(&self) {
        for (number, answer) in self.ask_many().await.into_iter().enumerate() {
            assert_eq!(answer.unwrap().text, format!("say {number}"));
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What people read, without what changes.
    pub(crate) fn tell(&self, error: &ChatError) -> String {
        let text = match error {
            ChatError::Endpoint { detail, hint } | ChatError::Waiting { detail, hint } => {
                format!("{detail}; hint: {hint}")
            }
            other => other.to_string(),
        };
        text.replace(&self.config.base_url, "URL").replace(&self.folder.path().display().to_string(), "[dir]")
    }
}

fn request(item: &str) -> Request {
    Request {
        task: Task::Generate,
        stage: Arc::from("write"),
        item: Arc::from(item),
        draw: 0,
        system: None,
        history: Vec::new(),
        user: format!("say {item}"),
        variables: Arc::new(Variables::Generate([("item".to_owned(), Value::from(item))].into_iter().collect())),
        schema: None,
        tools: Vec::new(),
        temperature: None,
    }
}
