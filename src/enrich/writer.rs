//! The model that writes: its chat with a journal beside the folder, the prompt of its task, and the locale.

use super::Job;
use crate::failure::{RunError, SetupError};
use crate::fs::{Lock, make_folder};
use crate::gate::Fault;
use crate::llm::{Budget, Chat, ChatDeps, Common, Journal, Prompt, Request, Task, Variables};
use crate::locale::{Language, Pack};
use crate::model::Grammar;
use std::path::PathBuf;
use std::sync::Arc;

/// How often something may be asked for, the first time included.
pub(super) const ASKS: u32 = 3;

/// Everything that a question is made of.
pub(super) struct Writer {
    pub(super) chat: Chat,
    pub(super) language: Language,
    pub(super) pack: Arc<Pack>,
    /// The folder beside the toolset with the journal of answers.
    pub(super) journal: PathBuf,
    task: Task,
    prompt: Prompt,
    _lock: Lock,
}

impl Writer {
    /// Opens the model for a task.
    pub(super) fn open(job: &Job, task: Task) -> Result<Self, super::EnrichError> {
        let journal = job.folder.with_extension("journal");
        make_folder(&journal).map_err(|error| super::EnrichError::Io { folder: job.folder.clone(), error })?;
        let lock = Lock::take(&journal).map_err(RunError::from)?;
        let pack = Arc::new(Pack::load(&job.assets, &job.locale).map_err(SetupError::from).map_err(RunError::from)?);
        let grammar = Grammar::new(pack.clone(), 0);
        let deps = ChatDeps {
            journal: Some(Arc::new(Journal::open(&journal.join("run.db")).map_err(RunError::from)?)),
            budget: Arc::new(Budget::new(job.max_cost, None)),
            ..ChatDeps::new(Arc::new(move |request: &Request| grammar.reply(request))).stopped_by(&job.interrupt)
        }
        .counting_on("")
        .map_err(RunError::from)?;
        let prompt = Prompt::load(&job.assets, task.folder(), &job.locale);
        Ok(Self {
            chat: Chat::open("enrich", &job.model, deps)?,
            language: Language::load(&job.assets, &job.locale).map_err(SetupError::from).map_err(RunError::from)?,
            prompt: prompt.map_err(SetupError::from).map_err(RunError::from)?,
            pack,
            journal,
            task,
            _lock: lock,
        })
    }

    /// A question; `fault` is what was wrong with the last answer.
    pub(super) fn request(
        &self,
        (item, draw, fault): (&str, u32, &str),
        variables: impl FnOnce(Common) -> Variables,
    ) -> Result<Request, Fault> {
        let schema = self.task.reply_schema();
        let structured = self.chat.structured(self.task, schema.as_deref());
        let variables = variables(Common {
            locale: self.pack.code.clone(),
            language: self.pack.name.clone(),
            structured,
            fault: fault.to_owned(),
            ..Common::default()
        });
        let rendered =
            self.prompt.render(&variables.fields()).map_err(|error| Fault::new("prompt", error.to_string()))?;
        Ok(Request {
            system: rendered.system,
            user: rendered.user,
            schema: schema.filter(|_| structured),
            ..Request::new(self.task, "enrich", item, draw, variables)
        })
    }
}
