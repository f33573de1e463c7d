//! `fcgen toolset enrich`: a model completes a toolset's descriptions, utterances, values and texts.

use super::exit::{BUDGET, Complaint, ENDPOINT, INPUT, OK, USAGE, YIELD};
use super::interrupt::{interrupted, wish};
use super::model_flags::ModelArguments;
use super::talk::{give, say};
use super::words::{clip, counted};
use clap::Args;
use fcgen::enrich::{EnrichError, Enrichment, Job, enrich};
use fcgen::llm::{ChatError, ProviderKind};
use std::path::PathBuf;

/// Flags of `toolset enrich`.
#[derive(Debug, Args)]
pub(crate) struct EnrichArguments {
    /// Folder of a toolset with `tools/`, such as `toolset import` writes
    folder: PathBuf,
    /// Locale whose text is completed, or begun
    #[arg(long, value_name = "L", default_value = "en")]
    locale: String,
    #[command(flatten)]
    model: ModelArguments,
}

/// Most refused tools that are told; all are in the report.
const TOLD: usize = 12;

/// Widest detail of a refusal.
const WIDE: usize = 100;

/// Asks about every tool that lacks something, and tells what became of it.
pub(crate) fn run(arguments: &EnrichArguments) -> anyhow::Result<u8> {
    let model = arguments.model.config()?;
    if model.provider == ProviderKind::Grammar {
        let complaint = Complaint::new(USAGE, "the built-in model cannot write what is missing");
        return Err(complaint
            .hint("name a model: `--model M --base-url URL`; without one, utterances are derived")
            .into());
    }
    if !arguments.folder.join("tools").is_dir() {
        let complaint =
            Complaint::new(INPUT, format!("`{}` is no toolset folder: no `tools`", arguments.folder.display()));
        return Err(complaint.hint("make one of a list or a description: `fcgen toolset import`").into());
    }
    let job = Job {
        assets: fcgen::assets().clone(),
        folder: arguments.folder.clone(),
        locale: arguments.locale.clone(),
        model,
        max_cost: arguments.model.max_cost(),
        interrupt: wish(),
    };
    let done = tokio::runtime::Runtime::new()?.block_on(enrich(&job)).map_err(ended)?;
    tell(&done);
    give(arguments.folder.display())?;
    Ok(match () {
        () if done.completed > 0 || done.refused.is_empty() => OK,
        () if done.refused.iter().any(|it| it.reason == "unanswered") => ENDPOINT,
        () => YIELD,
    })
}

pub(crate) fn ended(error: EnrichError) -> anyhow::Error {
    match error {
        EnrichError::Chat(ChatError::Interrupted) => interrupted(),
        EnrichError::Chat(ChatError::Endpoint { detail, hint }) => Complaint::new(ENDPOINT, detail).hint(hint).into(),
        EnrichError::Chat(error @ ChatError::Budget { .. }) => {
            Complaint::new(BUDGET, error.to_string()).hint("with a higher bound the same command goes on").into()
        }
        EnrichError::Run(error) => error.into(),
        EnrichError::Toolset(error) => error.into(),
        error => Complaint::new(INPUT, error.to_string()).into(),
    }
}

fn tell(done: &Enrichment) {
    let (completed, again) = (counted(done.completed, "tool"), counted(done.asked_again, "answer"));
    say(format!(
        "{}, {}: {completed} completed, {} whole already, {again} asked for again",
        done.model, done.locale, done.whole
    ));
    if done.refused.is_empty() {
        return;
    }
    say(format!("\n{} as they were:", counted(done.refused.len(), "tool")));
    for refused in done.refused.iter().take(TOLD) {
        say(format!("  {}: {}: {}", refused.tool, refused.reason, clip(&refused.detail, WIDE)));
    }
    if done.refused.len() > TOLD {
        say(format!("  and {} more", done.refused.len() - TOLD));
    }
    say(format!("  all of them: enrich-{}.json", done.locale));
}
