//! `fcgen script`: turns a run's replies into a file that answers the same questions again, without a model.

use crate::cli::console::exit::{Complaint, INPUT, OK};
use crate::cli::console::talk::{give, say};
use crate::cli::console::words::counted;
use clap::Args;
use fcgen::llm::{Journal, ScriptError, write_script};
use serde::Deserialize;
use std::path::PathBuf;

/// Flags of `script`.
#[derive(Debug, Args)]
pub(crate) struct ScriptArguments {
    /// Run folder with cached replies
    run: PathBuf,
    /// Output file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// What of a manifest is looked at.
#[derive(Deserialize)]
struct Named {
    locale: String,
}

/// Writes the script, and says how it is used.
pub(crate) fn run(arguments: &ScriptArguments) -> anyhow::Result<u8> {
    let path = arguments.run.join("run.db");
    if !path.is_file() {
        let complaint = Complaint::new(INPUT, format!("`{}` is not a run folder: no run.db", arguments.run.display()));
        return Err(complaint.into());
    }
    let journal = Journal::open(&path).map_err(ScriptError::from)?;
    // A run that was stopped before its end may have none yet; its lines are for all locales then.
    let manifest = std::fs::read_to_string(arguments.run.join("manifest.json")).unwrap_or_default();
    let locale = serde_json::from_str::<Named>(&manifest).ok().map(|it| it.locale);
    let count = write_script(&journal, &arguments.out, locale.as_deref())?;
    if count == 0 {
        let complaint = Complaint::new(INPUT, format!("`{}` contains no replies", path.display()));
        let hint = "scripts are made from the replies of an endpoint; the built-in model needs none";
        return Err(complaint.hint(hint).into());
    }
    say(format!(
        "{} written; use the script with `provider = \"scripted\"` and `script = \"{}\"`",
        counted(count, "line"),
        arguments.out.display()
    ));
    give(arguments.out.display())?;
    Ok(OK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_replies_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let arguments = ScriptArguments { run: folder.path().to_owned(), out: folder.path().join("script.jsonl") };
        assert!(run(&arguments).unwrap_err().to_string().ends_with("is not a run folder: no run.db"));
        std::fs::write(folder.path().join("run.db"), "").unwrap();
        assert!(run(&arguments).unwrap_err().to_string().ends_with("contains no replies"));
    }

    #[test]
    fn what_is_no_journal_is_a_fault_of_the_folder_and_not_of_ours() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("run.db"), "no database at all, and long enough. ".repeat(40)).unwrap();
        let arguments = ScriptArguments { run: folder.path().to_owned(), out: folder.path().join("script.jsonl") };
        let error = run(&arguments).unwrap_err();
        assert!(error.is::<ScriptError>(), "{error:?}");
        assert!(error.to_string().contains("is damaged or not a reply cache of fcgen"), "{error}");
        assert!(!arguments.out.exists());
    }
}
