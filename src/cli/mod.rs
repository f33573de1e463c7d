//! The command line: one file for each command. Only here is anything printed.

pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod console;
pub(crate) mod export;
pub(crate) mod flags;
pub(crate) mod import;
pub(crate) mod live;
pub(crate) mod locale;
pub(crate) mod predict;
pub(crate) mod report;
pub(crate) mod review;
pub(crate) mod runs;
pub(crate) mod schema;
pub(crate) mod score;
pub(crate) mod show;
pub(crate) mod toolset;
pub(crate) mod toolset_enrich;
pub(crate) mod toolset_import;

use runs::{localize, merge, pipeline, script, status};

use clap::{CommandFactory, Parser, Subcommand};
use std::process::ExitCode;

/// Generate function-calling benchmarks and fine-tuning data from TOML pipelines
#[derive(Debug, Parser)]
#[command(name = "fcgen", version, after_help = crate::cli::console::exit::CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a pipeline file: generate, validate and write a benchmark
    Pipeline(Box<pipeline::PipelineArguments>),
    /// Run a model on the samples of a benchmark and record its predictions
    Predict(Box<predict::PredictArguments>),
    /// Merge the shards of a run; the result is identical to a run in one process
    Merge(Box<merge::MergeArguments>),
    /// Show a run's progress: stages, counts, rejects, tokens, cost
    Status(status::StatusArguments),
    /// Convert a run's replies to a script that replays them offline
    Script(script::ScriptArguments),
    /// Score predictions and report the reason of each failure
    Score(Box<score::ScoreArguments>),
    /// Create a locale, or copy a built-in one
    #[command(subcommand)]
    Locale(locale::LocaleCommand),
    /// Regenerate the items of a run in another locale
    Localize(localize::LocalizeArguments),
    /// Convert a published benchmark or training rows to fcgen samples
    Import(import::ImportArguments),
    /// Export samples as training data
    Export(Box<export::ExportArguments>),
    /// Validate a benchmark, and optionally measure its quality
    Check(check::CheckArguments),
    /// Write an HTML report of a run: counts, samples and scores
    Report(report::ReportArguments),
    /// Show samples in the terminal
    Show(show::ShowArguments),
    /// Write a review sheet, or apply a completed one
    Review(review::ReviewArguments),
    /// Create, complete or validate a toolset
    #[command(subcommand)]
    Toolset(toolset::ToolsetCommand),
    /// Print the JSON Schema of a file that fcgen reads or writes
    Schema(schema::SchemaArguments),
    /// Print shell completions
    Completions(completions::CompletionsArguments),
}

/// Does what the command line says.
pub(crate) fn run() -> ExitCode {
    match Cli::try_parse() {
        Ok(cli) => crate::cli::console::exit::conclude(|| dispatch(&cli.command)),
        Err(error) => usage(&error),
    }
}

fn dispatch(command: &Command) -> anyhow::Result<u8> {
    match command {
        Command::Pipeline(arguments) => pipeline::run(arguments),
        Command::Predict(arguments) => predict::run(arguments),
        Command::Merge(arguments) => merge::run(arguments),
        Command::Status(arguments) => status::run(arguments),
        Command::Script(arguments) => script::run(arguments),
        Command::Score(arguments) => score::run(arguments),
        Command::Locale(command) => locale::run(command),
        Command::Localize(arguments) => localize::run(arguments),
        Command::Import(arguments) => import::run(arguments),
        Command::Export(arguments) => export::run(arguments),
        Command::Check(arguments) => check::run(arguments),
        Command::Report(arguments) => report::run(arguments),
        Command::Show(arguments) => show::run(arguments),
        Command::Review(arguments) => review::run(arguments),
        Command::Toolset(command) => toolset::run(command),
        Command::Schema(arguments) => schema::run(arguments),
        Command::Completions(arguments) => completions::run(arguments, Cli::command()),
    }
}

/// Help that was asked for is data; a senseless command line is a fault.
fn usage(error: &clap::Error) -> ExitCode {
    error.print().unwrap_or_default();
    ExitCode::from(if error.use_stderr() { crate::cli::console::exit::USAGE } else { crate::cli::console::exit::OK })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }
}
