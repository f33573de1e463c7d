//! A manifest's figures as lines: stages, kinds, reasons, yields, faults, tokens. `pipeline` and `status` show them.

use super::talk::Colour;
use super::words::{columns, dollars, percent, span, thousands};
use fcgen::llm::StageUsage;
use fcgen::run::{DefectReport, Manifest};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// Everything that a manifest counts, under headings.
pub(crate) fn figures(manifest: &Manifest, colour: Colour) -> Vec<String> {
    let mut lines = Vec::new();
    let mut part = |heading: &str, rows: Vec<String>| {
        if !rows.is_empty() {
            lines.extend([String::new(), colour.bold(heading)]);
            lines.extend(rows.into_iter().map(|row| format!("  {row}")));
        }
    };
    part("Stages", stages(manifest));
    part("Samples", counts(&manifest.samples));
    part("Conversations", counts(&manifest.conversations));
    part("Rejects by reason", counts(&manifest.rejects));
    part("Yield", yields(manifest));
    part("Deliberate faults of the built-in generator", manifest.defects.as_ref().map(faults).unwrap_or_default());
    part("Models", models(manifest));
    part("Notes", manifest.notes.clone());
    lines
}

/// Questions, tokens, money and time in one line.
pub(crate) fn spent(manifest: &Manifest) -> String {
    spent_on(&manifest.usage, Duration::from_secs_f64(manifest.wall_seconds.max(0.0)))
}

/// The same of any work.
pub(crate) fn spent_on(usage: &[StageUsage], wall: Duration) -> String {
    let sum = |of: fn(&StageUsage) -> u64| thousands(usage.iter().map(of).sum());
    format!(
        "{} requests ({} from the journal, {} repeated), {} tokens read and {} written, {}, {}",
        sum(|row| row.requests),
        sum(|row| row.cache_hits),
        sum(|row| row.retries),
        sum(|row| row.prompt_tokens),
        sum(|row| row.completion_tokens),
        dollars(usage.iter().fold(0.0, |sum, row| sum + row.cost)),
        span(wall),
    )
}

fn stages(manifest: &Manifest) -> Vec<String> {
    let mut rows = vec![["", "came", "kept", "rejected"].map(str::to_owned).to_vec()];
    for stage in &manifest.stages {
        let count = |number: usize| thousands(number as u64);
        rows.push(vec![stage.name.clone(), count(stage.came), count(stage.kept), count(stage.rejected)]);
    }
    columns(&rows)
}

fn counts(counts: &BTreeMap<String, usize>) -> Vec<String> {
    let mut counts: Vec<(&String, &usize)> = counts.iter().collect();
    counts.sort_by(|one, other| other.1.cmp(one.1).then(one.0.cmp(other.0)));
    columns(&counts.iter().map(|(name, count)| vec![(*name).clone(), thousands(**count as u64)]).collect::<Vec<_>>())
}

fn yields(manifest: &Manifest) -> Vec<String> {
    let row = |(stage, (owed, accepted)): (&String, &(usize, usize))| {
        let of = format!("{} of {}", thousands(*accepted as u64), thousands(*owed as u64));
        vec![stage.clone(), of, percent(*accepted, *owed)]
    };
    columns(&manifest.owed.iter().map(row).collect::<Vec<_>>())
}

fn faults(report: &DefectReport) -> Vec<String> {
    let heading = ["", "committed", "asked again", "rejected", "slipped through"];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    let total = report.total();
    let kinds = report.kinds.iter().map(|(kind, count)| (word(kind), *count));
    for (kind, count) in kinds.chain([("together".to_owned(), total)]) {
        let numbers = [count.committed, count.asked_again, count.rejected, count.slipped];
        rows.push([kind].into_iter().chain(numbers.map(|number| thousands(number as u64))).collect());
    }
    let lost: usize = report.good_lost.values().sum();
    let mut lines = columns(&rows);
    lines.push(format!(
        "{} of the faults slipped through; {} of {} good items were lost",
        percent(total.slipped, total.committed),
        thousands(lost as u64),
        thousands(report.good as u64)
    ));
    lines
}

/// The word by which a value is written in JSON.
fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

fn models(manifest: &Manifest) -> Vec<String> {
    let row = |(role, model): (&String, &fcgen::run::ManifestModel)| {
        let place = if model.template { "built in" } else { model.base_url.as_str() };
        format!("{role}: {} ({place})", model.model)
    };
    manifest.models.iter().map(row).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A manifest with a little of everything.
    pub(crate) fn manifest() -> Manifest {
        serde_json::from_str(
            r#"{"fcgen": "0.1.0", "pipeline": "hammer", "locale": "en", "seed": 7, "plan_hash": "x", "template": true,
                "notice": "written by the built-in model", "licence": "MIT", "prompts": {}, "counted": {},
                "models": {"generator": {"model": "grammar", "template": true}},
                "stages": [{"name": "toolset", "kind": "toolset", "came": 1200, "kept": 1200, "rejected": 0}],
                "samples": {"b": 3, "a": 3, "c": 1000}, "rejects": {"inconsistent": 7},
                "owed": {"perfect_queries": [200, 199]},
                "usage": [{"stage": "s", "model": "m", "requests": 9, "cache_hits": 4, "attempts": 5, "retries": 1,
                           "failures": 0, "prompt_tokens": 1500, "completion_tokens": 20, "cost": 0.25}],
                "defects": {"kinds": {"missing_parameter": {"committed": 4, "asked_again": 2, "rejected": 1, "slipped": 1}},
                            "good_lost": {"s: r": 2}, "good": 50},
                "wall_seconds": 2.5}"#,
        )
        .unwrap()
    }

    #[test]
    fn everything_that_is_counted_is_shown() {
        insta::assert_snapshot!(figures(&manifest(), Colour::default()).join("\n"));
    }

    #[test]
    fn what_is_not_there_has_no_heading() {
        let mut manifest = manifest();
        (manifest.defects, manifest.rejects) = (None, BTreeMap::new());
        let text = figures(&manifest, Colour::default()).join("\n");
        assert!(!text.contains("Deliberate") && !text.contains("Rejects"), "{text}");
    }

    #[test]
    fn what_was_spent_fits_on_a_line() {
        insta::assert_snapshot!(
            spent(&manifest()),
            @"9 requests (4 from the journal, 1 repeated), 1,500 tokens read and 20 written, $0.2500, 2.5 s"
        );
    }
}
