//! `fcgen toolset enrich`: a model completes a toolset's descriptions, utterances, values and texts, or writes the
//! situations that people are in with it.

use crate::cli::console::exit::{BUDGET, Complaint, ENDPOINT, INPUT, OK, USAGE, YIELD};
use crate::cli::console::interrupt::{interrupted, wish};
use crate::cli::console::talk::{give, say};
use crate::cli::console::words::{clip, counted};
use crate::cli::flags::model_flags::ModelArguments;
use clap::Args;
use fcgen::enrich::{EnrichError, Enrichment, Job, Situations, enrich, write_situations};
use fcgen::llm::{ChatError, ProviderKind};
use std::path::PathBuf;

/// Flags of `toolset enrich`.
#[derive(Debug, Args)]
pub(crate) struct EnrichArguments {
    /// Toolset folder with `tools/`, as written by `toolset import`; with `--scenarios`, any toolset folder
    folder: PathBuf,
    /// Locale whose texts are completed or created
    #[arg(long, value_name = "L", default_value = "en")]
    locale: String,
    /// Write N scenarios instead (6 if no number is given): threads of tools, cases of a declared world, or matters of
    /// each domain
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "6", value_parser = clap::value_parser!(u8).range(1..))]
    scenarios: Option<u8>,
    #[command(flatten)]
    model: ModelArguments,
}

/// Most refusals that are told; all are in the report.
const TOLD: usize = 12;

/// Widest detail of a refusal.
const WIDE: usize = 100;

/// Asks about every tool that lacks something, and tells what became of it.
pub(crate) fn run(arguments: &EnrichArguments) -> anyhow::Result<u8> {
    let model = arguments.model.config()?;
    let is_folder = |part: &&str| arguments.folder.join(part).is_dir();
    let forms: &[&str] = if arguments.scenarios.is_some() { &["tools", "world", "resources"] } else { &["tools"] };
    if model.provider == ProviderKind::Grammar && arguments.scenarios.is_none() {
        let complaint = Complaint::new(USAGE, "the built-in model cannot complete a toolset");
        return Err(complaint
            .hint("use a model: `--model M --base-url URL`; without one, utterances are derived")
            .into());
    }
    if !forms.iter().any(is_folder) {
        let complaint = Complaint::new(
            INPUT,
            format!("`{}` is not a toolset folder: no `{}`", arguments.folder.display(), forms.join("`, no `")),
        );
        return Err(complaint.hint("create one with `fcgen toolset import`").into());
    }
    let job = Job {
        assets: fcgen::assets().clone(),
        folder: arguments.folder.clone(),
        locale: arguments.locale.clone(),
        model,
        max_cost: arguments.model.max_cost(),
        interrupt: wish(),
    };
    let runtime = tokio::runtime::Runtime::new()?;
    let (written, reasons): (usize, Vec<String>) = if let Some(count) = arguments.scenarios {
        let done = runtime.block_on(write_situations(&job, usize::from(count))).map_err(ended)?;
        tell_situations(&done);
        (done.written.len(), done.refused.into_iter().map(|it| it.reason).collect())
    } else {
        let done = runtime.block_on(enrich(&job)).map_err(ended)?;
        tell(&done);
        (done.completed, done.refused.into_iter().map(|it| it.reason).collect())
    };
    give(arguments.folder.display())?;
    Ok(match () {
        () if written > 0 || reasons.is_empty() => OK,
        () if reasons.iter().any(|it| it == "unanswered") => ENDPOINT,
        () => YIELD,
    })
}

pub(crate) fn ended(error: EnrichError) -> anyhow::Error {
    match error {
        EnrichError::Chat(ChatError::Interrupted) => interrupted(),
        EnrichError::Chat(ChatError::Endpoint { detail, hint }) => Complaint::new(ENDPOINT, detail).hint(hint).into(),
        EnrichError::Chat(error @ ChatError::Budget { .. }) => {
            Complaint::new(BUDGET, error.to_string()).hint("raise the limit and run the same command to resume").into()
        }
        EnrichError::Run(error) => error.into(),
        EnrichError::Toolset(error) => error.into(),
        error => Complaint::new(INPUT, error.to_string()).into(),
    }
}

fn tell(done: &Enrichment) {
    let (completed, again) = (counted(done.completed, "tool"), counted(done.asked_again, "answer"));
    say(format!(
        "{}, {}: {completed} completed, {} already complete, {again} retried",
        done.model, done.locale, done.whole
    ));
    if !done.refused.is_empty() {
        say(format!("\n{} not changed:", counted(done.refused.len(), "tool")));
        let refused = done.refused.iter().map(|it| [&it.tool, &it.reason, &it.detail].map(String::as_str));
        list(&refused.collect::<Vec<_>>(), &format!("enrich-{}.json", done.locale));
    }
}

fn tell_situations(done: &Situations) {
    let (written, again) = (counted(done.written.len(), "scenario"), counted(done.asked_again, "scenario"));
    say(format!("{}, {}: {written} written, {again} retried", done.model, done.locale));
    if !done.refused.is_empty() {
        say(format!("\n{} skipped:", counted(done.refused.len(), "scenario")));
        let refused = done.refused.iter().map(|it| [&it.situation, &it.reason, &it.detail].map(String::as_str));
        list(&refused.collect::<Vec<_>>(), &format!("scenarios-{}.json", done.locale));
    }
}

/// The first of what was refused, each with its reason, and the file with all.
fn list(refused: &[[&str; 3]], file: &str) {
    for [name, reason, detail] in refused.iter().take(TOLD) {
        say(format!("  {name}: {reason}: {}", clip(detail, WIDE)));
    }
    if refused.len() > TOLD {
        say(format!("  and {} more", refused.len() - TOLD));
    }
    say(format!("  full list: {file}"));
}
