//! A judge and a repairer for `score`: models that are asked, or answers that were recorded.

use crate::cli::console::exit::{Complaint, ENDPOINT, INPUT, USAGE};
use crate::cli::console::interrupt::{interrupted, wish};
use crate::cli::console::talk::say;
use crate::cli::console::words::counted;
use clap::Args;
use fcgen::llm::{Chat, ChatDeps, ChatError, ModelConfig, Prompts, ProviderKind, Reply, Request};
use fcgen::record::{SuiteId, SuiteName};
use fcgen::suite::{AskError, Ledger, Pending, Question, Recorded, Replies, ask_each};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where judgements are kept unless somebody says otherwise.
const RECORDED: &str = "judgements.jsonl";

/// Flags of a judge.
#[derive(Debug, Args)]
pub(crate) struct JudgeArguments {
    /// Judge model that rates answers (its name on the server)
    #[arg(help_heading = "Judge", long, value_name = "M", requires = "judge_base_url")]
    judge_model: Option<String>,
    // Not a doc comment: a bare URL in one is a warning, and a marked one looks odd on a help page.
    #[arg(
        help_heading = "Judge",
        long,
        value_name = "URL",
        requires = "judge_model",
        help = "Base URL of the judge's server, such as http://localhost:8000/v1"
    )]
    judge_base_url: Option<String>,
    /// File of cached judgements, to which new ones are appended; default: judgements.jsonl
    #[arg(help_heading = "Judge", long, value_name = "FILE")]
    judgements: Option<PathBuf>,
    /// Folder of judge prompts, such as the authors' own: DIR/SUITE/PROMPT.md (see docs/prompts.md)
    #[arg(help_heading = "Judge", long, value_name = "DIR")]
    prompts: Option<PathBuf>,
}

/// Flags of a repairer.
#[derive(Debug, Args)]
pub(crate) struct RepairArguments {
    /// Model that repairs answers that could not be parsed; repaired answers are counted separately
    #[arg(help_heading = "CallNavi", long, value_name = "M", requires = "repair_base_url")]
    repair_model: Option<String>,
    #[arg(
        help_heading = "CallNavi",
        long,
        value_name = "URL",
        requires = "repair_model",
        help = "Base URL of the repair model's server"
    )]
    repair_base_url: Option<String>,
}

impl RepairArguments {
    /// Whether a model is to be asked.
    pub(crate) fn asks(&self) -> bool {
        self.repair_model.is_some()
    }
}

impl JudgeArguments {
    /// Whether a model is to be asked.
    pub(crate) fn asks(&self) -> bool {
        self.judge_model.is_some()
    }

    /// Whether anybody judges: a model, or one whose judgements were recorded.
    pub(crate) fn judges(&self) -> bool {
        self.asks() || self.judgements.is_some()
    }

    /// The prompts that a judge of this suite is asked by.
    pub(crate) fn prompts(&self, suite: SuiteId) -> Result<Prompts, Complaint> {
        read_prompts(self.prompts.as_deref(), &suite.into())
    }

    /// The answers that were recorded. A file that is named must be there, unless somebody is asked.
    pub(crate) fn replies(&self, repair: &RepairArguments, suite: SuiteId) -> anyhow::Result<Replies> {
        let (path, mut replies) = (self.path(), Replies::new(self.prompts(suite)?));
        let asks = self.asks() || repair.asks();
        if (self.judgements.is_some() && !asks) || (asks && path.is_file()) {
            let cannot = |error| Complaint::new(INPUT, format!("cannot read `{}`: {error}", path.display()));
            say_unreadable(&path, &replies.read(&path).map_err(cannot)?);
        }
        Ok(replies)
    }

    /// Asks the model about every question of a kind that waits, and records what it says; the number of those that got no
    /// answer.
    pub(crate) fn answer(
        &self,
        question: Question,
        repair: &RepairArguments,
        replies: &mut Replies,
    ) -> anyhow::Result<usize> {
        let open = replies.take_open(question);
        if open.is_empty() {
            return Ok(0);
        }
        let (chat, concurrency) = match question {
            Question::Repair => open_chat("repair", repair.repair_model.as_ref(), repair.repair_base_url.as_ref())?,
            _ => self.chat()?,
        };
        self.record(&chat, concurrency, &open, replies)
    }

    /// Asks the judge, where there is one, about all that waits, and records what it says; the number of questions that got
    /// no answer.
    pub(crate) fn answer_all(&self, replies: &mut Replies) -> anyhow::Result<usize> {
        let open = if self.asks() { replies.take_all() } else { Vec::new() };
        if open.is_empty() {
            return Ok(0);
        }
        let (chat, concurrency) = self.chat()?;
        self.record(&chat, concurrency, &open, replies)
    }

    fn record(
        &self,
        chat: &Chat,
        concurrency: usize,
        open: &[Pending],
        replies: &mut Replies,
    ) -> anyhow::Result<usize> {
        say(format!("querying {} about {}", chat.model_name(), counted(open.len(), "answer")));
        let runtime = tokio::runtime::Runtime::new()?;
        let mut ledger = Ledger::open(&self.path())?;
        let prompts = replies.prompts().clone();
        let mut keep = |answer: &Recorded| ledger.put(answer);
        let asked =
            runtime.block_on(ask_each(chat, &prompts, open, concurrency, &mut keep)).map_err(|error| match error {
                AskError::Chat(ChatError::Interrupted) => interrupted(),
                error => Complaint::new(ENDPOINT, format!("request to {} failed: {error}", chat.model_name())).into(),
            })?;
        asked.recorded.iter().for_each(|recorded| replies.add(recorded));
        prompts.notes().into_iter().for_each(say);
        if asked.lost > 0 {
            say(format!("{} not answered; run the same command to retry", counted(asked.lost, "question")));
        }
        Ok(asked.lost)
    }

    fn chat(&self) -> anyhow::Result<(Chat, usize)> {
        open_chat("judge", self.judge_model.as_ref(), self.judge_base_url.as_ref())
    }

    fn path(&self) -> PathBuf {
        self.judgements.clone().unwrap_or_else(|| PathBuf::from(RECORDED))
    }
}

/// Says which lines of recorded answers cannot be read: what was asked there counts as not asked.
pub(crate) fn say_unreadable(path: &Path, lines: &[usize]) {
    for line in lines.iter().take(10) {
        say(format!("{}, line {line}: incomplete record, skipped", path.display()));
    }
    if lines.len() > 10 {
        say(format!("{}: {} skipped", path.display(), counted(lines.len(), "line")));
    }
}

/// The prompts of a suite in a folder that somebody names; those that ship where nobody does.
pub(crate) fn read_prompts(folder: Option<&Path>, suite: &SuiteName) -> Result<Prompts, Complaint> {
    let Some(folder) = folder else { return Ok(Prompts::shipped(fcgen::assets())) };
    let hint = "docs/prompts.md lists the files of each suite; scripts/authors_prompts.py writes them";
    Prompts::read(fcgen::assets(), folder, suite).map_err(|error| Complaint::new(INPUT, error.to_string()).hint(hint))
}

fn open_chat(role: &str, model: Option<&String>, base_url: Option<&String>) -> anyhow::Result<(Chat, usize)> {
    let (Some(model), Some(base_url)) = (model, base_url) else {
        return Err(Complaint::new(USAGE, "a judge needs a model and a base URL").into());
    };
    let config = ModelConfig {
        provider: ProviderKind::Openai,
        model: model.clone(),
        base_url: base_url.clone(),
        ..ModelConfig::default()
    };
    let nobody = Arc::new(|_: &Request| Reply::default());
    let chat = Chat::open(role, &config, ChatDeps::new(nobody).stopped_by(&wish()));
    let chat = chat.map_err(|error| Complaint::new(ENDPOINT, error.to_string()))?;
    Ok((chat, config.concurrency.min(64)))
}
