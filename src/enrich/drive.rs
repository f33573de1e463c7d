//! Asks a model about every tool that lacks something, and writes what passed the gates.

use super::writer::{ASKS, Writer};
use super::{check, text};
use crate::assets::Assets;
use crate::failure::RunError;
use crate::gate::Fault;
use crate::llm::{ChatError, EnrichVariables, EnrichedTool, Interrupt, ModelConfig, Task, Variables};
use crate::locale::Pack;
use crate::record::Tool;
use crate::toolset::{Toolset, ToolsetError};
use futures::stream::{self, StreamExt};
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;

/// What is to be completed, by whom.
#[derive(Debug, Clone)]
pub struct Job {
    /// Where locales and prompts are read.
    pub assets: Assets,
    /// The toolset's folder, with `tools/`.
    pub folder: PathBuf,
    /// The locale whose text is completed, or begun.
    pub locale: String,
    /// The model.
    pub model: ModelConfig,
    /// Stop when so many dollars are spent.
    pub max_cost: Option<f64>,
    /// Thrown when somebody wants it to stop.
    pub interrupt: Interrupt,
}

/// What came of it; `enrich-LOCALE.json` of the folder.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Enrichment {
    /// The locale.
    pub locale: String,
    /// The model.
    pub model: String,
    /// Tools that lacked nothing, and were not asked about.
    pub whole: usize,
    /// Tools that were completed.
    pub completed: usize,
    /// Answers that a gate refused and that were asked for again.
    pub asked_again: usize,
    /// Tools that stay as they were, with the last fault.
    pub refused: Vec<Refused>,
}

/// A tool whose answers were all refused, or that got none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// The tool.
    pub tool: String,
    /// Short name of the fault.
    pub reason: String,
    /// What was found and what was expected.
    pub detail: String,
}

/// Why nothing can go on.
#[derive(Debug, thiserror::Error)]
pub enum EnrichError {
    /// The toolset cannot be read.
    #[error(transparent)]
    Toolset(#[from] ToolsetError),
    /// The model, its journal or the folder cannot be used.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The model stopped answering, or somebody stopped it.
    #[error(transparent)]
    Chat(#[from] ChatError),
    /// A file cannot be read or written.
    #[error("cannot complete `{}`: {error}", folder.display())]
    Io {
        /// The folder.
        folder: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
}

/// What was asked about one tool, and what came of it.
struct Asked {
    answer: Result<EnrichedTool, Fault>,
    again: usize,
}

/// Everything that a question is made of.
struct Desk {
    writer: Writer,
    from: String,
    toolset: Toolset,
}

/// Completes the folder. Answers are kept in a journal beside it, so that the same command resumes and pays for nothing twice.
pub async fn enrich(job: &Job) -> Result<Enrichment, EnrichError> {
    let cannot = |error| EnrichError::Io { folder: job.folder.clone(), error };
    let (desk, source) = Desk::open(job)?;
    let lacking: Vec<Arc<Tool>> =
        desk.toolset.tools.iter().filter(|tool| source != job.locale || desk.lacks(tool)).cloned().collect();
    let mut done = Enrichment {
        locale: job.locale.clone(),
        model: desk.writer.chat.model_name().to_owned(),
        whole: desk.toolset.tools.len() - lacking.len(),
        ..Enrichment::default()
    };
    let asked = lacking.iter().map(|tool| desk.ask(tool));
    let mut answers = stream::iter(asked).buffered(job.model.concurrency.max(1));
    let mut parts = text::read(&job.folder, &source, &job.locale).map_err(cannot)?;
    let mut tools = lacking.iter();
    while let (Some(asked), Some(tool)) = (answers.next().await, tools.next()) {
        let asked = asked?;
        done.asked_again += asked.again;
        match asked.answer {
            Ok(answer) => {
                let function = desk.toolset.key(&tool.name).rsplit('.').next().unwrap_or(&tool.name).to_owned();
                parts
                    .iter_mut()
                    .filter(|part| part.has(&function))
                    .take(1)
                    .for_each(|part| part.take(&function, &answer));
                done.completed += 1;
            }
            Err(fault) => {
                let (reason, detail) = (fault.reason.to_owned(), fault.detail);
                done.refused.push(Refused { tool: tool.name.clone(), reason, detail });
            }
        }
    }
    for part in &parts {
        part.write().map_err(cannot)?;
    }
    let report = serde_json::to_string_pretty(&done).map_err(|error| cannot(error.into()))?;
    text::put(&job.folder.join(format!("enrich-{}.json", job.locale)), &(report + "\n")).map_err(cannot)?;
    Ok(done)
}

impl Desk {
    fn open(job: &Job) -> Result<(Self, String), EnrichError> {
        let folder = job.folder.to_string_lossy();
        let (toolset, source) = match Toolset::load(&job.assets, &folder, &job.locale) {
            // What has no text in this locale yet is read in another one that it has.
            Err(ToolsetError::Locale { .. }) => {
                let known = Toolset::locales(&job.assets, &folder);
                let from = known.iter().find(|code| *code == "en").or(known.first()).cloned().unwrap_or_default();
                (Toolset::load(&job.assets, &folder, &from)?, from)
            }
            loaded => (loaded?, job.locale.clone()),
        };
        let from = Pack::load(&job.assets, &source).map_or_else(|_| source.clone(), |pack| pack.name);
        Ok((Self { writer: Writer::open(job, Task::Enrich)?, from, toolset }, source))
    }

    /// Whether a tool lacks a description or words that people say.
    fn lacks(&self, tool: &Tool) -> bool {
        let blank = |text: &str| text.trim().is_empty();
        let described =
            tool.parameters.properties.values().all(|it| !blank(it.description.as_deref().unwrap_or_default()));
        blank(&tool.description) || !described || !self.toolset.phrases.contains_key(&tool.name)
    }

    /// The parameters of which no locale knows values: texts of no kind, or of one that only this toolset has.
    fn valueless(&self, tool: &Tool) -> Vec<String> {
        let unknown =
            |name: &String| tool.kinds.get(name).is_none_or(|kind| !self.writer.pack.kinds.contains_key(kind));
        let parameters = tool.parameters.properties.iter();
        let texts = parameters
            .filter(|(_, it)| it.type_name() == "string" && it.values.is_none() && !it.more.contains_key("format"));
        texts.map(|(name, _)| name.clone()).filter(unknown).collect()
    }

    /// Asks until an answer passes, or often enough.
    async fn ask(&self, tool: &Arc<Tool>) -> Result<Asked, ChatError> {
        let values = self.valueless(tool);
        let mut fault = Fault::new("unanswered", "never asked");
        let mut told = String::new();
        for draw in 0..ASKS {
            let variables = |common| {
                let (from, tool, values) = (self.from.clone(), tool.clone(), values.clone());
                Variables::Enrich(EnrichVariables { common, from, tool, values })
            };
            let request = match self.writer.request((&tool.name, draw, &told), variables) {
                Ok(request) => request,
                Err(fault) => return Ok(Asked { answer: Err(fault), again: 0 }),
            };
            match self.writer.chat.ask(&request).await {
                Ok(reply) => match check::read(&reply.text, tool, &values, &self.writer.language) {
                    Ok(answer) => return Ok(Asked { answer: Ok(answer), again: draw as usize }),
                    Err(found) => fault = found,
                },
                // Only this tool is lost.
                Err(
                    error @ (ChatError::Transport { .. } | ChatError::Refused { .. } | ChatError::Unscripted { .. }),
                ) => {
                    return Ok(Asked {
                        answer: Err(Fault::new("unanswered", error.to_string())),
                        again: draw as usize,
                    });
                }
                Err(error) => return Err(error),
            }
            told.clone_from(&fault.detail);
        }
        Ok(Asked { answer: Err(fault), again: ASKS as usize - 1 })
    }
}
