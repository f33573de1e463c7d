//! What to type next: the same run with a model of one's own, the merge of the shards, what was lost once more.

use crate::cli::console::words::{own_command, shell};
use fcgen::run::Summary;
use std::path::Path;

/// The server that the proposed command names; every local server's documentation uses an address like it.
const ENDPOINT: [&str; 4] = ["--base-url", "http://localhost:8000/v1", "--model", "YOUR-MODEL"];

/// The next commands, each with a word on what it does.
pub(crate) fn next(summary: &Summary) -> Vec<String> {
    let manifest = &summary.manifest;
    let mut lines = Vec::new();
    let mut propose = |what: &str, command: String| lines.extend([format!("  {what}:"), format!("    {command}")]);
    if manifest.shard.is_some() {
        propose("when all parts are done, put them together", merge(&summary.folder));
    } else if manifest.template {
        propose("the same with any OpenAI-compatible endpoint", with_endpoint(own_command(), &summary.folder));
    }
    if manifest.lost() > 0 {
        propose("ask once more for what was lost on the way", shell(own_command()));
    } else if !manifest.template && !manifest.rejects.is_empty() {
        propose("ask anew for what was rejected", shell(with_flag(own_command(), "--rerun-rejects")));
    }
    lines
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
        let lines = next(&Summary { manifest, preview, folder, wall });
        assert!(
            lines.iter().skip(1).step_by(2).all(|line| line.starts_with("    ")),
            "a command after each: {lines:?}"
        );
        lines.into_iter().step_by(2).collect()
    }

    #[test]
    fn a_whole_run_of_the_built_in_model_proposes_a_model() {
        assert_eq!(proposed(|_| ()), ["  the same with any OpenAI-compatible endpoint:"]);
    }

    #[test]
    fn a_shard_proposes_the_merge_and_nothing_that_would_undo_it() {
        let shard = |manifest: &mut Manifest| manifest.shard = Some("0/2".to_owned());
        assert_eq!(proposed(shard), ["  when all parts are done, put them together:"]);
    }

    #[test]
    fn what_was_lost_goes_before_what_was_rejected() {
        let endpoint = |manifest: &mut Manifest| manifest.template = false;
        assert_eq!(proposed(endpoint), ["  ask anew for what was rejected:"]);
        let lost = |manifest: &mut Manifest| {
            endpoint(manifest);
            manifest.rejects.insert("transport".to_owned(), 2);
        };
        assert_eq!(proposed(lost), ["  ask once more for what was lost on the way:"]);
        let clean = |manifest: &mut Manifest| {
            endpoint(manifest);
            manifest.rejects.clear();
        };
        assert_eq!(proposed(clean), [""; 0]);
    }
}
