//! The command line: one file for each command. Only here is anything printed.

mod closing;
mod exit;
mod figures;
mod interrupt;
mod misread;
mod next;
mod pipeline;
mod plan;
mod preview;
mod progress;
mod shown;
mod spread;
mod talk;
mod verdict;
mod words;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Makes function-calling benchmarks and fine-tuning data from pipeline files.
#[derive(Debug, Parser)]
#[command(name = "fcgen", version, after_help = exit::CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a pipeline file: make, check and write a benchmark
    Pipeline(pipeline::PipelineArguments),
}

/// Does what the command line says.
pub(crate) fn run() -> ExitCode {
    let cli = Cli::parse();
    exit::conclude(|| match &cli.command {
        Command::Pipeline(arguments) => pipeline::run(arguments),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }
}
