//! `fcgen man`: the manual, as `man` reads it, a page for fcgen and one for each command.

use super::exit::OK;
use super::talk::give;
use clap::{Args, Command};
use clap_mangen::Man;
use std::path::{Path, PathBuf};

/// Flags of `man`.
#[derive(Debug, Args)]
pub(crate) struct ManArguments {
    /// Folder for all pages, such as ~/.local/share/man/man1; without it, fcgen's own page is printed
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints the page of `command`, or writes those of all its commands and says where they lie.
pub(crate) fn run(arguments: &ManArguments, mut command: Command) -> anyhow::Result<u8> {
    command.build();
    match &arguments.out {
        Some(folder) => give(write(folder, command)?)?,
        None => give(String::from_utf8(page(command)?)?.trim_end())?,
    }
    Ok(OK)
}

fn write(folder: &Path, command: Command) -> anyhow::Result<std::path::Display<'_>> {
    std::fs::create_dir_all(folder)?;
    clap_mangen::generate_to(command, folder)?;
    Ok(folder.display())
}

fn page(command: Command) -> std::io::Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command() -> Command {
        Command::new("fcgen").about("Makes things").subcommand(Command::new("score").about("Scores things"))
    }

    #[test]
    fn the_page_names_every_command() {
        let page = String::from_utf8(page(command()).unwrap()).unwrap();
        assert!(page.contains(".TH fcgen 1"), "{page}");
        assert!(page.contains("Makes things") && page.contains("fcgen\\-score(1)"), "{page}");
    }

    #[test]
    fn every_command_has_a_page_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let man = folder.path().join("man1");
        assert_eq!(run(&ManArguments { out: Some(man.clone()) }, command()).unwrap(), OK);
        let score = std::fs::read_to_string(man.join("fcgen-score.1")).unwrap();
        assert!(score.contains("Scores things"), "{score}");
        assert!(man.join("fcgen.1").is_file());
    }
}
