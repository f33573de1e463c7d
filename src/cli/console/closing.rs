//! The closing screen of a run: some of what it made, some of what it dropped, its figures, and what to do next.

use crate::cli::console::figures::{figures, per_thousand, spent};
use crate::cli::console::misread::{Misread, Reader};
use crate::cli::console::next::next;
use crate::cli::console::shown::{Shown, reject_lines, sample_lines};
use crate::cli::console::talk::Colour;
use crate::cli::console::words::{SMOKE_TEST, counted, lines_with, percent, some_lines, spread, thousands};
use fcgen::config::Plan;
use fcgen::record::Reject;
use fcgen::run::Summary;
use std::path::Path;

/// Lines of a file that are drawn for this screen, about.
const READ: usize = 200;

/// The whole screen.
pub(crate) fn screen(plan: &Plan, summary: &Summary, colour: Colour) -> anyhow::Result<String> {
    let manifest = &summary.manifest;
    let samples = drawn(&summary.folder, manifest.samples.values().sum())?;
    let rejects = two_rejects(&summary.folder, manifest.rejects.values().sum())?;
    let mut lines = Vec::new();
    section(&mut lines, "Example samples", some(&samples, colour), colour);
    section(&mut lines, "Example rejects", rejects.iter().flat_map(|it| reject_lines(it, colour)), colour);
    section(&mut lines, "Round-trip check", misread(plan, summary, &samples, colour)?, colour);
    lines.extend(figures(manifest, colour));
    section(&mut lines, "Summary", made(summary), colour);
    section(&mut lines, "Next", next(summary, samples.iter().any(|it| it.sample().is_some())), colour);
    if manifest.is_derived() {
        lines.extend([String::new(), colour.bold(SMOKE_TEST)]);
    }
    Ok(lines.join("\n"))
}

fn section(lines: &mut Vec<String>, heading: &str, rows: impl IntoIterator<Item = String>, colour: Colour) {
    let rows: Vec<String> = rows.into_iter().collect();
    if !rows.is_empty() {
        lines.extend([String::new(), colour.bold(heading)]);
        lines.extend(rows);
    }
}

fn drawn(folder: &Path, total: usize) -> anyhow::Result<Vec<Shown>> {
    let lines = some_lines(&folder.join("samples.jsonl"), total, READ)?;
    Ok(lines.iter().filter_map(|line| Shown::read(line)).collect())
}

fn some(samples: &[Shown], colour: Colour) -> Vec<String> {
    let kinds: Vec<String> = samples.iter().map(Shown::kind).collect();
    spread(&kinds, 5).into_iter().flat_map(|position| samples[position].lines(colour)).collect()
}

/// Two rejects, for different reasons where there are two.
fn two_rejects(folder: &Path, total: usize) -> anyhow::Result<Vec<Reject>> {
    let lines = some_lines(&folder.join("rejects.jsonl"), total, READ)?;
    let rejects: Vec<Reject> = lines.iter().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let reasons: Vec<String> = rejects.iter().map(|reject| reject.reason.clone()).collect();
    Ok(spread(&reasons, 2).into_iter().map(|position| rejects[position].clone()).collect())
}

fn misread(plan: &Plan, summary: &Summary, samples: &[Shown], colour: Colour) -> anyhow::Result<Vec<String>> {
    let reader = Reader::open(plan)?;
    let Misread { shown, wrong, mut first } = reader.read_all(samples.iter().filter_map(Shown::sample));
    if shown == 0 {
        return Ok(Vec::new());
    }
    let mut lines = vec![
        format!(
            "  accuracy of the built-in verifier on an evenly spaced sample of {}: {} ({})",
            thousands(shown as u64),
            percent(shown - wrong, shown),
            counted(wrong, "error")
        ),
        "  (it knows the phrases of the built-in templates; it is not the lexical baseline of `predict`)".to_owned(),
    ];
    if first.is_none() {
        first = reader.read_all(hard(&summary.folder)?.iter().filter_map(Shown::sample)).first;
    }
    let Some((sample, said)) = first else {
        lines.push("  no errors either on samples that needed an example to be verified".to_owned());
        return Ok(lines);
    };
    lines.push("  first error:".to_owned());
    lines.extend(sample_lines(&sample, colour));
    lines.push(format!("    predicted:  {said}"));
    Ok(lines)
}

/// Samples that a reader of the run got right only with an example.
fn hard(folder: &Path) -> anyhow::Result<Vec<Shown>> {
    let lines = lines_with(&folder.join("samples.jsonl"), "\"tier\":\"one_shot\"", READ)?;
    Ok(lines.iter().filter_map(|line| Shown::read(line)).collect())
}

fn made(summary: &Summary) -> Vec<String> {
    let manifest = &summary.manifest;
    let samples = counted(manifest.samples.values().sum(), "item");
    let rejects = counted(manifest.rejects.values().sum(), "reject");
    let mut lines = vec![
        format!("  {samples} and {rejects} written to {}", summary.folder.display()),
        format!("  {}", spent(manifest)),
    ];
    lines.extend(per_thousand(manifest).map(|line| format!("  {line}")));
    if !manifest.notice.is_empty() {
        lines.push(format!("  {}", manifest.notice));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_rejects_have_two_reasons() {
        let folder = tempfile::tempdir().unwrap();
        let line =
            |reason: &str| format!("{{\"id\":\"a\",\"stage\":\"s\",\"reason\":\"{reason}\",\"detail\":\"d\"}}\n");
        let text = format!("{}{}{}", line("one"), line("one"), line("two"));
        std::fs::write(folder.path().join("rejects.jsonl"), text).unwrap();
        let rejects = two_rejects(folder.path(), 3).unwrap();
        let reasons: Vec<&str> = rejects.iter().map(|reject| reject.reason.as_str()).collect();
        assert_eq!(reasons, ["one", "two"]);
    }

    #[test]
    fn a_section_without_rows_is_left_out() {
        let mut lines = Vec::new();
        section(&mut lines, "Empty", Vec::new(), Colour::default());
        section(&mut lines, "Full", vec!["row".to_owned()], Colour::default());
        assert_eq!(lines, ["", "Full", "row"]);
    }

    use crate::cli::console::figures::tests::manifest;
    use std::path::PathBuf;
    use std::time::Duration;

    fn summary(folder: &Path) -> Summary {
        Summary {
            manifest: manifest(),
            preview: fcgen::run::Preview::default(),
            folder: folder.to_owned(),
            wall: Duration::ZERO,
        }
    }

    #[test]
    fn what_was_made_is_summed_up() {
        insta::assert_snapshot!(made(&summary(Path::new("output/hammer-en"))).join("\n"), @"
        1,006 items and 7 rejects written to output/hammer-en
        9 requests (4 cached, 1 retried), 1,500 input tokens, 20 output tokens, $0.2500, 2.5 s
        Synthetic templates (no LLM)
        ");
        let mut endpoint = summary(&PathBuf::from("o"));
        endpoint.manifest.notice.clear();
        assert_eq!(made(&endpoint).len(), 2, "where no template wrote there is nothing to announce");
    }

    #[test]
    fn samples_are_drawn_over_the_whole_file_and_hard_ones_by_their_tier() {
        let folder = tempfile::tempdir().unwrap();
        let line = |id: usize, tier: &str| {
            let provenance = format!(r#"{{"template":true,"draws":[],"tier":"{tier}"}}"#);
            format!(r#"{{"id":"a/{id}","root":"a","record":{{"Row":{{"fields":{{}}}}}},"provenance":{provenance}}}"#)
        };
        let tier = |id| if id == 7 { "one_shot" } else { "zero_shot" };
        let lines: Vec<String> = (0..600).map(|id| line(id, tier(id))).collect();
        std::fs::write(folder.path().join("samples.jsonl"), format!("{}\nbroken\n", lines.join("\n"))).unwrap();
        let drawn = drawn(folder.path(), 601).unwrap();
        assert_eq!(drawn.len(), READ);
        assert_eq!(drawn[READ - 1].lines(Colour::default())[0], "  a/597");
        let hard = hard(folder.path()).unwrap();
        assert_eq!(hard.iter().map(|it| it.lines(Colour::default()).remove(0)).collect::<Vec<_>>(), ["  a/7"]);
        assert_eq!(some(&drawn, Colour::default()).len(), 10, "five of them, two lines each");
    }

    #[test]
    fn a_folder_without_its_files_is_a_fault() {
        let folder = tempfile::tempdir().unwrap();
        assert!(
            drawn(folder.path(), 3).is_err() && two_rejects(folder.path(), 3).is_err() && hard(folder.path()).is_err()
        );
    }
}
