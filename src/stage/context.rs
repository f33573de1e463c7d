//! What a stage may reach: its models, the locale, the toolset. Stages touch neither files nor sockets by themselves.

use super::outcome::{Failure, Fault};
use crate::llm::{Chat, Common, Prompt, PromptError, Reply, Request, Task, Variables};
use crate::locale::{Language, Pack, RougeL};
use crate::record::{Draw, ItemId, Object};
use crate::toolset::Toolset;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What all stages of a run share.
pub struct Shared {
    /// The run's seed.
    pub seed: u64,
    /// The locale, with what the toolset brings along.
    pub pack: Arc<Pack>,
    /// The language of the locale.
    pub language: Arc<Language>,
    /// How texts of the locale are compared.
    pub rouge: RougeL,
    /// The tools of the run's toolsets together.
    pub toolset: Arc<Toolset>,
    /// The prompts, by task.
    pub prompts: IndexMap<Task, Arc<Prompt>>,
    /// The models, by role.
    pub chats: IndexMap<String, Chat>,
    /// How often rejected items were asked for anew, by stage and id.
    pub reruns: BTreeMap<(String, String), u32>,
    /// What was counted on the way, by stage and word: replies asked for again, ways of reading.
    pub counts: Counts,
}

/// Counts by stage and word.
#[derive(Debug, Default)]
pub struct Counts(Mutex<BTreeMap<(String, String), u64>>);

/// What one stage may reach.
#[derive(Clone)]
pub struct Context {
    /// The stage's name.
    pub stage: Arc<str>,
    /// The role that it asks.
    pub role: Option<String>,
    /// The rows of the table that its config names: seeds, categories, rows to answer.
    pub table: Arc<[Object]>,
    /// The prompt that its config names, where it is not one of those that ship.
    pub prompt: Option<Arc<Prompt>>,
    /// JSON Schema of the answers that it wants, where its config names one.
    pub schema: Option<Arc<Json>>,
    /// The same, ready to check answers.
    pub validator: Option<Arc<jsonschema::Validator>>,
    /// What all stages share.
    pub shared: Arc<Shared>,
}

/// A question about one item, before it is put to a model.
pub struct Question<'a> {
    /// What is asked for.
    pub task: Task,
    /// The role that is asked.
    pub role: &'a str,
    /// The item.
    pub item: &'a ItemId,
    /// How often it may be asked for, the first time included.
    pub asks: u32,
}

impl Counts {
    /// Adds one.
    pub fn add(&self, stage: &str, word: &str) {
        *self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry((stage.to_owned(), word.to_owned()))
            .or_default() += 1;
    }

    /// The counts so far, by stage and word.
    pub fn snapshot(&self) -> BTreeMap<String, BTreeMap<String, u64>> {
        let mut stages: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
        for ((stage, word), count) in self.0.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            stages.entry(stage.clone()).or_default().insert(word.clone(), *count);
        }
        stages
    }
}

impl Shared {
    /// Loads the prompts of every task in the locale.
    pub fn prompts(locale: &str) -> Result<IndexMap<Task, Arc<Prompt>>, PromptError> {
        Task::WITH_PROMPT.into_iter().map(|task| Ok((task, Arc::new(Prompt::load(task.folder(), locale)?)))).collect()
    }
}

impl Context {
    /// The role that this stage asks, for its main questions.
    pub fn role(&self) -> &str {
        self.role.as_deref().unwrap_or("generator")
    }

    /// Asks until `read` is content with a reply, at most `question.asks` times; what was wrong goes into the next
    /// asking. The last fault rejects the item.
    pub async fn obtain<T>(
        &self,
        question: &Question<'_>,
        schema: Option<Arc<Json>>,
        variables: impl Fn(Common) -> Variables,
        mut read: impl FnMut(&Reply) -> Result<T, Fault>,
    ) -> Result<(T, Draw), Failure> {
        let first = self.first_draw(question);
        let mut last = (Fault::new("unparsable", "never asked"), String::new());
        let mut told = String::new();
        for draw in first..first + question.asks.max(1) {
            let (reply, draw) = self.ask(question, draw, schema.clone(), &told, &variables).await?;
            match read(&reply) {
                Ok(result) => return Ok((result, draw)),
                Err(fault) => {
                    self.shared.counts.add(&self.stage, fault.reason);
                    told.clone_from(&fault.detail);
                    last = (fault, reply.text);
                }
            }
        }
        Err(Failure::Item { fault: last.0, text: last.1 })
    }

    /// Asks whether something is so; a verdict that cannot be read is asked for again.
    pub async fn verdict(
        &self,
        question: &Question<'_>,
        variables: impl Fn(Common) -> Variables,
    ) -> Result<bool, Failure> {
        let schema = Arc::new(schemars::schema_for!(crate::llm::Verdict).to_value());
        let read = |reply: &Reply| {
            let (verdict, way) = crate::llm::judge::read_verdict(&reply.text)
                .ok_or_else(|| Fault::new("unparsable_verdict", "expected only True or False"))?;
            self.shared.counts.add(&self.stage, &format!("verdict {way:?}").to_lowercase());
            Ok(verdict)
        };
        Ok(self.obtain(question, Some(schema), variables, read).await?.0)
    }

    /// One question, one reply.
    async fn ask(
        &self,
        question: &Question<'_>,
        draw: u32,
        schema: Option<Arc<Json>>,
        fault: &str,
        variables: &impl Fn(Common) -> Variables,
    ) -> Result<(Reply, Draw), Failure> {
        let Some(chat) = self.shared.chats.get(question.role).or_else(|| self.shared.chats.get("generator")) else {
            return Err(Fault::new("no_model", format!("no model plays `{}`", question.role)).into());
        };
        let common = Common {
            locale: self.shared.pack.code.clone(),
            language: self.shared.pack.name.clone(),
            structured: chat.structured(),
            fault: fault.to_owned(),
        };
        let mut request = Request {
            task: question.task,
            stage: self.stage.clone(),
            item: Arc::from(question.item.as_str()),
            draw,
            system: None,
            user: String::new(),
            variables: Arc::new(variables(common)),
            schema: schema.filter(|_| chat.structured() || question.task == Task::Generate),
            tools: Vec::new(),
            temperature: None,
        };
        let mut prompt_hash = String::new();
        if let Some(prompt) = self.prompt.as_ref().or_else(|| self.shared.prompts.get(&question.task)) {
            prompt_hash.push_str(prompt.hash());
            if !chat.is_builtin() {
                let rendered = prompt
                    .render(&request.variables.fields())
                    .map_err(|error| Fault::new("prompt", error.to_string()))?;
                request.system = rendered.system;
                request.user = rendered.user;
            }
        }
        let reply = chat.ask(&request).await?;
        let draw =
            Draw { stage: self.stage.to_string(), model: chat.model_name().to_owned(), prompt: prompt_hash, draw };
        Ok((reply, draw))
    }

    /// Items that are asked for anew begin behind all draws of the times before.
    fn first_draw(&self, question: &Question<'_>) -> u32 {
        if self.shared.reruns.is_empty() {
            return 0;
        }
        let place = (self.stage.to_string(), question.item.to_string());
        self.shared.reruns.get(&place).copied().unwrap_or(0) * question.asks.max(1)
    }

    /// Whether the role's answers are composed from templates.
    pub fn is_template(&self, role: &str) -> bool {
        self.shared.chats.get(role).is_none_or(Chat::is_builtin)
    }
}

/// JSON Schema of an answer's type.
pub fn answer_schema<T: JsonSchema>() -> Arc<Json> {
    Arc::new(schemars::schema_for!(T).to_value())
}
