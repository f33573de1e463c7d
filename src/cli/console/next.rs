//! What to type next: the same run with a model of one's own, the merge of the shards, what was lost once more.

use crate::cli::console::words::{own_command, shell};
use fcgen::run::Summary;
use std::path::Path;

/// The server that the proposed command names; every local server's documentation uses an address like it.
const ENDPOINT: [&str; 4] = ["--base-url", "http://localhost:8000/v1", "--model", "YOUR-MODEL"];

/// What can be done with the samples of a run.
const LOOK_AT: [(&str, &str); 4] = [
    ("show", "read samples in the terminal"),
    ("report", "write an HTML report"),
    ("check", "validate the samples"),
    ("predict", "run the lexical baseline; a model with `--model`"),
];

/// The next commands, each with its purpose; those on samples where the run has any.
pub(crate) fn next(summary: &Summary, has_samples: bool) -> Vec<String> {
    let manifest = &summary.manifest;
    let mut lines = Vec::new();
    if has_samples && manifest.shard.is_none() {
        lines.extend(look_at(&summary.folder));
    }
    let mut propose = |what: &str, command: String| lines.extend([format!("  {what}:"), format!("    {command}")]);
    if manifest.shard.is_some() {
        propose("merge the shards when all are finished", merge(&summary.folder));
    } else if manifest.template {
        propose("use your own model, on any OpenAI-compatible server", with_endpoint(own_command(), &summary.folder));
    }
    if manifest.lost() > 0 {
        propose("retry the failed requests", shell(own_command()));
    } else if !manifest.template && !manifest.rejects.is_empty() {
        propose("retry the rejected items", shell(with_flag(own_command(), "--rerun-rejects")));
    }
    lines
}

/// The commands on the samples, one on each line.
fn look_at(folder: &Path) -> Vec<String> {
    let program = own_command().into_iter().next().unwrap_or_default();
    let folder = folder.display().to_string();
    let rows = LOOK_AT.map(|(name, purpose)| (shell([program.as_str(), name, folder.as_str()]), purpose));
    let width = rows.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
    rows.iter().map(|(command, purpose)| format!("  {command:<width$}  # {purpose}")).collect()
}

/// The command with an endpoint, into a folder of its own.
fn with_endpoint(command: Vec<String>, folder: &Path) -> String {
    let mut kept = Vec::new();
    let mut arguments = command.into_iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--out" => drop(arguments.next()),
            other if other.starts_with("--out=") => {}
            _ => kept.push(argument),
        }
    }
    kept.extend(ENDPOINT.map(str::to_owned));
    kept.extend(["--out".to_owned(), format!("{}-own", folder.display())]);
    shell(kept)
}

fn merge(folder: &Path) -> String {
    let program = own_command().into_iter().next().unwrap_or_default();
    let name = folder.display().to_string();
    // The part's number becomes a wildcard, and must not be quoted for that.
    let all = name.rsplit_once("-shard-").and_then(|(start, part)| Some((start, part.split_once('-')?.1)));
    let parts = all.map_or_else(|| "SHARD...".to_owned(), |(start, of)| format!("{}-shard-*-{of}", shell([start])));
    format!("{} merge {parts}", shell([program]))
}

fn with_flag(mut command: Vec<String>, flag: &str) -> Vec<String> {
    if !command.iter().any(|argument| argument == flag) {
        command.push(flag.to_owned());
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn the_endpoint_gets_a_folder_of_its_own() {
        for given in ["fcgen pipeline hammer --out a", "fcgen pipeline --out=a hammer", "fcgen pipeline hammer"] {
            assert_eq!(
                with_endpoint(command(given), Path::new("output/hammer-en")),
                "fcgen pipeline hammer --base-url http://localhost:8000/v1 --model YOUR-MODEL --out output/hammer-en-own"
            );
        }
    }

    #[test]
    fn the_merge_names_all_parts() {
        let merge = merge(Path::new("output/hammer-en-shard-2-of-3"));
        assert!(merge.ends_with(" merge output/hammer-en-shard-*-of-3"), "{merge}");
        assert!(super::merge(Path::new("elsewhere")).ends_with(" merge SHARD..."));
    }

    #[test]
    fn a_flag_is_given_once() {
        let again = with_flag(with_flag(command("fcgen x"), "--rerun-rejects"), "--rerun-rejects");
        assert_eq!(again, command("fcgen x --rerun-rejects"));
    }

    use crate::cli::console::figures::tests::manifest;
    use fcgen::run::Manifest;

    /// What is proposed, without the commands.
    fn proposed(change: impl FnOnce(&mut Manifest)) -> Vec<String> {
        let mut manifest = manifest();
        change(&mut manifest);
        let (preview, folder, wall) =
            (fcgen::run::Preview::default(), "output/hammer-en-shard-1-of-2".into(), std::time::Duration::ZERO);
        let lines = next(&Summary { manifest, preview, folder, wall }, false);
        assert!(
            lines.iter().skip(1).step_by(2).all(|line| line.starts_with("    ")),
            "a command after each: {lines:?}"
        );
        lines.into_iter().step_by(2).collect()
    }

    #[test]
    fn a_whole_run_of_the_built_in_model_proposes_a_model() {
        assert_eq!(proposed(|_| ()), ["  use your own model, on any OpenAI-compatible server:"]);
    }

    #[test]
    fn samples_can_be_shown_reported_checked_and_predicted() {
        let lines = look_at(Path::new("output/hammer-en"));
        let names = lines.iter().filter_map(|line| line.split_once(" output/hammer-en")?.0.rsplit(' ').next());
        assert_eq!(names.collect::<Vec<_>>(), ["show", "report", "check", "predict"]);
    }

    #[test]
    fn a_shard_proposes_the_merge_and_nothing_that_would_undo_it() {
        let shard = |manifest: &mut Manifest| manifest.shard = Some("0/2".to_owned());
        assert_eq!(proposed(shard), ["  merge the shards when all are finished:"]);
    }

    #[test]
    fn what_was_lost_goes_before_what_was_rejected() {
        let endpoint = |manifest: &mut Manifest| manifest.template = false;
        assert_eq!(proposed(endpoint), ["  retry the rejected items:"]);
        let lost = |manifest: &mut Manifest| {
            endpoint(manifest);
            manifest.rejects.insert("transport".to_owned(), 2);
        };
        assert_eq!(proposed(lost), ["  retry the failed requests:"]);
        let clean = |manifest: &mut Manifest| {
            endpoint(manifest);
            manifest.rejects.clear();
        };
        assert_eq!(proposed(clean), [""; 0]);
    }
}
