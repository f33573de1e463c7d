//! A run that came to its end may still be one to worry about: rows lost on the way, or too few accepted.

use super::exit::{ENDPOINT, OK, YIELD};
use super::spread::lines_with;
use super::talk::say;
use super::words::{counted, own_command, shell};
use fcgen::config::Plan;
use fcgen::record::Reject;
use fcgen::run::{Manifest, Summary};
use std::path::Path;

/// The exit code of a run that wrote its files; what is wrong is said even to those who want quiet.
pub(crate) fn verdict(plan: &Plan, summary: &Summary) -> u8 {
    let (code, complaint) = judge(&summary.manifest, plan.pipeline.floor.get(), || example(&summary.folder));
    if let Some(complaint) = complaint {
        say(format!("\n{complaint}"));
    }
    code
}

fn judge(manifest: &Manifest, floor: f64, example: impl Fn() -> Option<String>) -> (u8, Option<String>) {
    let lost = manifest.lost();
    if lost > 0 {
        let again = shell(own_command());
        let lost = counted(lost, "item");
        let why = example().map(|detail| format!(", such as this one: {detail}")).unwrap_or_default();
        let complaint = format!("error: {lost} got no answer{why}\n\nhint: ask for them once more with: {again}");
        return (ENDPOINT, Some(complaint));
    }
    if manifest.yielded() < floor {
        return (YIELD, Some(too_few(manifest, floor)));
    }
    (OK, None)
}

/// What happened to the first of the lost rows.
fn example(folder: &Path) -> Option<String> {
    let lines = lines_with(&folder.join("rejects.jsonl"), "\"reason\":\"transport\"", 1).ok()?;
    let reject: Reject = serde_json::from_str(lines.first()?).ok()?;
    Some(reject.detail)
}

fn too_few(manifest: &Manifest, floor: f64) -> String {
    let short = manifest.owed.iter().min_by(|one, other| share(one.1).total_cmp(&share(other.1)));
    let (stage, (owed, accepted)) = short.map_or(("", (0, 0)), |(stage, owed)| (stage.as_str(), *owed));
    format!(
        "error: only {accepted} of {owed} items of `{stage}` were accepted, below the floor of {floor}\n\n\
         hint: `rejects.jsonl` says why; `--rerun-rejects` asks anew, `--set floor=...` moves the floor"
    )
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn share((owed, accepted): &(usize, usize)) -> f64 {
    if *owed == 0 { 1.0 } else { *accepted as f64 / *owed as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::figures::tests::manifest;

    #[test]
    fn lost_rows_go_before_a_low_yield() {
        let mut manifest = manifest();
        assert_eq!(judge(&manifest, 0.5, || None), (OK, None));
        let (code, complaint) = judge(&manifest, 0.999, || None);
        assert_eq!(code, YIELD);
        assert!(complaint.unwrap().starts_with("error: only 199 of 200 items of `perfect_queries` were accepted"));
        manifest.rejects.insert("transport".to_owned(), 1);
        let (code, complaint) = judge(&manifest, 0.999, || Some("HTTP 429".to_owned()));
        assert_eq!(code, ENDPOINT);
        assert!(complaint.unwrap().starts_with("error: 1 item got no answer, such as this one: HTTP 429\n"));
    }

    #[test]
    fn the_stage_that_is_furthest_behind_is_named() {
        let mut manifest = manifest();
        manifest.owed =
            [("a", (10, 9)), ("b", (4, 1)), ("c", (0, 0))].map(|(stage, owed)| (stage.to_owned(), owed)).into();
        insta::assert_snapshot!(judge(&manifest, 0.5, || None).1.unwrap(), @"
        error: only 1 of 4 items of `b` were accepted, below the floor of 0.5

        hint: `rejects.jsonl` says why; `--rerun-rejects` asks anew, `--set floor=...` moves the floor
        ");
        assert_eq!(judge(&manifest, 0.25, || None), (OK, None), "the floor itself is enough");
        manifest.owed.clear();
        assert_eq!(judge(&manifest, 1.0, || None), (OK, None));
    }

    #[test]
    fn the_example_is_the_first_row_that_was_lost() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(example(folder.path()), None);
        let line = |reason: &str, detail: &str| {
            format!("{{\"id\":\"a\",\"stage\":\"s\",\"reason\":\"{reason}\",\"detail\":\"{detail}\"}}\n")
        };
        let lines = [line("odd", "no"), line("transport", "HTTP 500"), line("transport", "HTTP 502")].concat();
        std::fs::write(folder.path().join("rejects.jsonl"), lines).unwrap();
        assert_eq!(example(folder.path()).as_deref(), Some("HTTP 500"));
    }
}
