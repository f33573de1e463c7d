//! A manifest's figures as lines: stages, kinds, reasons, yields, faults, tokens. `pipeline` and `status` show them.

use crate::cli::console::talk::Colour;
use crate::cli::console::words::{columns, dollars, percent, span, thousands};
use fcgen::llm::StageUsage;
use fcgen::run::{DefectReport, Localized, Manifest, PerThousand};
use fcgen::suite::complexfunc::{Composition, DomainRow};
use indexmap::IndexMap;
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
    part("Turns with template text", templates(manifest));
    part("Composition", manifest.composition.as_ref().map(composition).unwrap_or_default());
    part("Rejects by reason", counts(&manifest.rejects));
    part("Localization", manifest.localized.as_ref().map(|made| localized(made, manifest)).unwrap_or_default());
    part("Yield", yields(manifest));
    part("Injected defects of the built-in generator", manifest.defects.as_ref().map(faults).unwrap_or_default());
    part("Models", models(manifest));
    part("Notes", manifest.notes.clone());
    lines
}

/// Questions, tokens, money and time in one line.
pub(crate) fn spent(manifest: &Manifest) -> String {
    spent_on(&manifest.usage, Duration::from_secs_f64(manifest.wall_seconds.max(0.0)))
}

/// What a thousand samples took, in one line.
pub(crate) fn per_thousand(manifest: &Manifest) -> Option<String> {
    let PerThousand { requests, tokens, usd } = manifest.per_thousand?;
    let (requests, tokens) = (thousands(requests), thousands(tokens));
    Some(format!("per 1,000 samples: {requests} requests, {tokens} tokens, {}", dollars(usd)))
}

/// The same of any work.
pub(crate) fn spent_on(usage: &[StageUsage], wall: Duration) -> String {
    let sum = |of: fn(&StageUsage) -> u64| thousands(usage.iter().map(of).sum());
    format!(
        "{} requests ({} cached, {} retried), {} input tokens, {} output tokens, {}, {}",
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
    let mut rows = vec![["", "in", "out", "rejected"].map(str::to_owned).to_vec()];
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

/// Turns by data type that contain template text; one line where all or none do.
fn templates(manifest: &Manifest) -> Vec<String> {
    let types = &manifest.template_turns;
    let (some, all) = types.values().fold((0, 0), |(some, all), turns| (some + turns.0, all + turns.1));
    let of = |(some, all): (usize, usize)| format!("{} of {}", thousands(some as u64), thousands(all as u64));
    match (some, all) {
        (_, 0) => Vec::new(),
        (0, _) => vec![format!("none of {}", thousands(all as u64))],
        _ if some == all => vec![format!("all {}", thousands(all as u64))],
        _ => {
            let row =
                |(name, turns): (&str, (usize, usize))| vec![name.to_owned(), of(turns), percent(turns.0, turns.1)];
            let rows = types.iter().map(|(name, turns)| row((name, *turns)));
            columns(&rows.chain([row(("total", (some, all)))]).collect::<Vec<_>>())
        }
    }
}

/// The paper's third table, and what it says of values and contexts.
fn composition(made: &Composition) -> Vec<String> {
    let mut rows = vec![["", "samples", "steps", "calls"].map(str::to_owned).to_vec()];
    let row = |(name, row): (&str, &DomainRow)| {
        vec![name.to_owned(), thousands(row.samples as u64), format!("{:.2}", row.steps), format!("{:.2}", row.calls)]
    };
    rows.extend(made.domains.iter().map(|(name, of)| row((name, of))).chain([row(("total", &made.total))]));
    let (long, context) = (&made.long_values, &made.context);
    let mut lines = columns(&rows);
    lines.push(format!(
        "values of {} characters or more: {} of {} samples ({}), longest {}",
        long.characters,
        thousands(long.samples as u64),
        thousands(made.total.samples as u64),
        percent(long.samples, made.total.samples),
        thousands(long.longest as u64)
    ));
    lines.push(format!(
        "context tokens: mean {:.0}, maximum {}, 100,000 or more in {} samples ({})",
        context.mean,
        thousands(context.max),
        thousands(context.at_least_100k as u64),
        context.estimate
    ));
    let kinds = |heading: &str, counts: &IndexMap<String, usize>| {
        let counts: Vec<String> = counts.iter().map(|(name, n)| format!("{name} {}", thousands(*n as u64))).collect();
        format!("{heading}: {}", if counts.is_empty() { "-".to_owned() } else { counts.join(", ") })
    };
    lines.push(kinds("arguments by constraint", &made.constraints));
    lines.push(kinds("arguments by value provenance", &made.origins));
    lines
}

fn yields(manifest: &Manifest) -> Vec<String> {
    let row = |(stage, (owed, accepted)): (&String, &(usize, usize))| {
        let of = format!("{} of {}", thousands(*accepted as u64), thousands(*owed as u64));
        vec![stage.clone(), of, percent(*accepted, *owed)]
    };
    columns(&manifest.owed.iter().map(row).collect::<Vec<_>>())
}

/// What the reasons mean that only a run in another locale has.
const REASONS: [(&str, &str); 2] = [
    ("no_counterpart", "no item was accepted for an item of the source run; see the reasons above"),
    ("not_in_source", "an item that the source run does not have"),
];

/// How many samples of the other run are here as well, by data type.
fn localized(made: &Localized, manifest: &Manifest) -> Vec<String> {
    let row = |(name, (all, kept)): (&str, (usize, usize))| {
        let of = format!("{} of {}", thousands(kept as u64), thousands(all as u64));
        vec![name.to_owned(), of, percent(kept, all)]
    };
    let types = made.samples.iter().map(|(name, counts)| row((name, *counts)));
    let mut lines = vec![format!("same items as {} ({})", made.from, made.locale)];
    lines.extend(columns(&types.chain([row(("total", made.total()))]).collect::<Vec<_>>()));
    let meant = REASONS.iter().filter(|(reason, _)| manifest.rejects.contains_key(*reason));
    lines.extend(meant.map(|(reason, meaning)| format!("{reason}: {meaning}")));
    lines
}

fn faults(report: &DefectReport) -> Vec<String> {
    let heading = ["", "injected", "retried", "rejected", "undetected"];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    let total = report.total();
    let kinds = report.kinds.iter().map(|(kind, count)| (word(kind), *count));
    for (kind, count) in kinds.chain([("total".to_owned(), total)]) {
        let numbers = [count.committed, count.asked_again, count.rejected, count.slipped];
        rows.push([kind].into_iter().chain(numbers.map(|number| thousands(number as u64))).collect());
    }
    let lost: usize = report.good_lost.values().sum();
    let mut lines = columns(&rows);
    lines.push(format!(
        "{} of the defects undetected; {} of {} valid items rejected",
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
        let place = match model.base_url.as_str() {
            _ if model.template => "built-in",
            "" => "recorded",
            url => url,
        };
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
                "notice": "Synthetic templates (no LLM)", "licence": "MIT", "prompts": {}, "counted": {},
                "models": {"generator": {"model": "grammar", "template": true}},
                "stages": [{"name": "toolset", "kind": "toolset", "came": 1200, "kept": 1200, "rejected": 0}],
                "samples": {"b": 3, "a": 3, "c": 1000}, "rejects": {"inconsistent": 7},
                "owed": {"perfect_queries": [200, 199]}, "template_turns": {"a": [3, 3], "b": [1, 4], "c": [0, 1000]},
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
    fn turns_that_are_all_alike_take_one_line() {
        let mut manifest = manifest();
        let mut told = |turns: &[(&str, (usize, usize))]| {
            manifest.template_turns = turns.iter().map(|(name, turns)| ((*name).to_owned(), *turns)).collect();
            templates(&manifest)
        };
        assert_eq!(told(&[("a", (0, 3)), ("b", (0, 2000))]), ["none of 2,003"]);
        assert_eq!(told(&[("a", (3, 3)), ("b", (2, 2))]), ["all 5"]);
        assert!(told(&[]).is_empty());
    }

    #[test]
    fn what_is_not_there_has_no_heading() {
        let mut manifest = manifest();
        (manifest.defects, manifest.rejects) = (None, BTreeMap::new());
        let text = figures(&manifest, Colour::default()).join("\n");
        assert!(!text.contains("defects") && !text.contains("Rejects"), "{text}");
    }

    #[test]
    fn a_benchmark_of_complex_queries_is_told_in_the_papers_table() {
        let made: Composition = serde_json::from_str(
            r#"{"domains": {"Car-Rental": {"samples": 150, "steps": 2.87, "calls": 4.57}, "Cross": {"samples": 1000, "steps": 3.5, "calls": 6}},
                "total": {"samples": 1150, "steps": 3.418, "calls": 5.8},
                "long_values": {"characters": 500, "samples": 230, "share": 0.2, "longest": 1200},
                "context": {"estimate": "by hand", "max": 120000, "mean": 9000.4, "at_least_100k": 3},
                "arguments": 9, "constraints": {"token": 5, "date": 2}, "origins": {}}"#,
        )
        .unwrap();
        insta::assert_snapshot!(composition(&made).join("\n"), @r"
                    samples  steps  calls
        Car-Rental      150   2.87   4.57
        Cross         1,000   3.50   6.00
        total         1,150   3.42   5.80
        values of 500 characters or more: 230 of 1,150 samples (20 %), longest 1,200
        context tokens: mean 9000, maximum 120,000, 100,000 or more in 3 samples (by hand)
        arguments by constraint: token 5, date 2
        arguments by value provenance: -
        ");
    }

    #[test]
    fn what_was_spent_fits_on_a_line() {
        insta::assert_snapshot!(
            spent(&manifest()),
            @"9 requests (4 cached, 1 retried), 1,500 input tokens, 20 output tokens, $0.2500, 2.5 s"
        );
    }
}
