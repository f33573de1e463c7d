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

/// Makes function-calling benchmarks and fine-tuning data from pipeline files.
#[derive(Debug, Parser)]
#[command(name = "fcgen", version, after_help = crate::cli::console::exit::CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a pipeline file: make, check and write a benchmark
    Pipeline(Box<pipeline::PipelineArguments>),
    /// Ask a model about the samples of a benchmark, and keep what it says
    Predict(Box<predict::PredictArguments>),
    /// Put the shards of a run together; the result is what one process would have written
    Merge(Box<merge::MergeArguments>),
    /// Show how a run stands: stages, counts, rejects, tokens, cost
    Status(status::StatusArguments),
    /// Turn a run's replies into a file that answers the same questions again, without a model
    Script(script::ScriptArguments),
    /// Score what models said to a benchmark, and say why each failed item failed
    Score(Box<score::ScoreArguments>),
    /// Begin a locale, or copy one that ships
    #[command(subcommand)]
    Locale(locale::LocaleCommand),
    /// Make the items of a run once more, in another locale
    Localize(localize::LocalizeArguments),
    /// Turn a benchmark in its authors' layout into fcgen's samples
    Import(import::ImportArguments),
    /// Write samples as the files that trainers read
    Export(Box<export::ExportArguments>),
    /// Look a benchmark over: what is wrong in it, and whether it is worth having
    Check(check::CheckArguments),
    /// Make a page of a run: what was made, what it looks like, every sample, and what models said
    Report(report::ReportArguments),
    /// Show samples in the terminal
    Show(show::ShowArguments),
    /// Write a sheet that people review samples in, or read one back
    Review(review::ReviewArguments),
    /// Make a toolset from what you have, or look one over
    #[command(subcommand)]
    Toolset(toolset::ToolsetCommand),
    /// Print the JSON Schema of a file that fcgen reads or writes
    Schema(schema::SchemaArguments),
    /// Print a shell's completions
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
