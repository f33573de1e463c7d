//! `fcgen completions`: what a shell needs to complete fcgen's commands and flags.

use crate::cli::console::exit::OK;
use crate::cli::console::talk::give;
use clap::{Args, Command};
use clap_complete::{Shell, generate};

/// Flags of `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// Shell to complete for
    shell: Shell,
}

/// Prints the script.
pub(crate) fn run(arguments: &CompletionsArguments, mut command: Command) -> anyhow::Result<u8> {
    let mut script = Vec::new();
    generate(arguments.shell, &mut command, "fcgen", &mut script);
    give(String::from_utf8(script)?.trim_end())?;
    Ok(OK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shell_has_a_script() {
        for shell in [Shell::Bash, Shell::Elvish, Shell::Fish, Shell::PowerShell, Shell::Zsh] {
            let command = Command::new("fcgen").arg(clap::Arg::new("seed").long("seed"));
            assert_eq!(run(&CompletionsArguments { shell }, command).unwrap(), OK);
        }
    }
}
