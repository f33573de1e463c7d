//! The card of a data set: what is in it, where it comes from, and how it was made.

use super::options::{Dialect, Objective, Options};
use super::stats::{Counts, Stats};
use crate::run::PerThousand;
use std::fmt::Write;

/// The card as Markdown, with the header that hubs read. The words are in `profiles/card.md`.
pub(super) fn card(stats: &Stats, options: &Options, files: &[String]) -> String {
    let text = crate::assets().read("profiles/card.md").unwrap_or_default();
    let rows = stats.rows();
    let fields = [
        ("{header}", header(stats, files)),
        ("{rows}", rows.to_string()),
        ("{dialect}", options.to.as_str().to_owned()),
        ("{objective}", options.objective.as_str().to_owned()),
        ("{paradigm}", options.paradigm.as_str().to_owned()),
        ("{scored_by}", stats.scored_by(options.paradigm).map(|line| format!("  {line}")).join("\n")),
        ("{seed}", options.seed.to_string()),
        ("{version}", env!("CARGO_PKG_VERSION").to_owned()),
        ("{template}", templates(stats)),
        ("{price}", price(stats)),
        ("{renamed}", stats.renamed.to_string()),
        ("{masked}", stats.masked.to_string()),
        ("{mix}", stats.mix()),
        ("{turns}", turns(stats, options)),
        ("{sides}", table(&stats.sides)),
        ("{types}", types(stats)),
        ("{locales}", table(&stats.locales)),
        ("{aims}", table(&stats.aims)),
        ("{readings}", readings(stats)),
        ("{tiers}", table(&stats.tiers)),
        ("{licences}", table(&stats.licences)),
        ("{models}", table(&stats.models)),
        ("{losses}", losses(stats)),
    ];
    fields.into_iter().fold(text, |text, (name, value)| text.replace(name, &value))
}

fn share(part: u64, whole: u64) -> String {
    // Rounded down: less than all is never told as all.
    format!("{} %", (part * 100).checked_div(whole).unwrap_or(0))
}

fn table(counts: &Counts) -> String {
    let mut out = "| | rows |\n|---|---|".to_owned();
    for (name, count) in counts {
        write!(out, "\n| {} | {count} |", name.replace('|', "\\|")).unwrap_or_default();
    }
    out
}

/// How many rows and turns hold text of templates.
fn templates(stats: &Stats) -> String {
    let (some, all) = stats.template_turns.values().fold((0, 0), |sum, turns| (sum.0 + turns.0, sum.1 + turns.1));
    let rows = format!("{} rows ({})", stats.template, share(stats.template, stats.rows()));
    format!("{rows} contain template text, in {some} of {all} user turns ({})", share(some, all))
}

/// Rows by suite and data type, with the number of turns that contain template text.
fn types(stats: &Stats) -> String {
    let mut out = "| | rows | turns with template text |\n|---|---|---|".to_owned();
    for (name, count) in &stats.types {
        let (some, all) = stats.template_turns.get(name).copied().unwrap_or_default();
        write!(out, "\n| {} | {count} | {some} of {all} |", name.replace('|', "\\|")).unwrap_or_default();
    }
    out
}

/// What the samples took, where the run's manifest lies beside and counted tokens.
fn price(stats: &Stats) -> String {
    match stats.per_thousand {
        Some(PerThousand { requests, tokens, usd }) => format!(
            "Per 1,000 samples, the run used {requests} requests, {tokens} tokens and {usd:.2} USD (0 for models without a price), including rejected items and retries"
        ),
        None => "Cost unknown: no `manifest.json` with token counts next to the samples".to_owned(),
    }
}

/// How many turns are trained, and what becomes of earlier ones.
fn turns(stats: &Stats, options: &Options) -> String {
    if options.objective != Objective::Sft {
        return "Earlier turns of a dialogue are part of the prompt and are not trained".to_owned();
    }
    let (trained, distinct) = (stats.trained, stats.distinct.len());
    format!("Assistant turns trained / distinct: {trained} / {distinct}; {}", history(options))
}

fn history(options: &Options) -> &'static str {
    match (options.train_history, options.masks_history(), options.to) {
        (true, ..) => "earlier turns are trained in every row that contains them (`--train-history`)",
        (_, true, Dialect::Trl) => {
            "earlier turns are context only: TRL trains only the `completion`, other trainers skip messages with `train: false`"
        }
        (_, true, Dialect::Openai) => "earlier turns are context only (`weight: 0`)",
        (_, true, Dialect::Bfcl | Dialect::Xlam) => "rows have no trained earlier turns",
        (_, true, _) => "earlier turns are context only (`train: false`)",
        (_, false, _) => {
            "the format cannot mask turns: each conversation is exported as one row, the longest, and all its turns are trained"
        }
    }
}

/// The stages that compared readings with labels, each with what had to agree.
fn readings(stats: &Stats) -> String {
    let stages = stats.readings.iter().map(|(stage, word)| format!("`{stage}` ({word})")).collect::<Vec<_>>();
    if stages.is_empty() { "no known stage".to_owned() } else { stages.join(", ") }
}

fn losses(stats: &Stats) -> String {
    let mut out = "| rule | rows excluded | parts excluded |\n|---|---|---|".to_owned();
    for (rule, (rows, parts)) in &stats.losses {
        write!(out, "\n| {} | {rows} | {parts} |", rule.as_str()).unwrap_or_default();
    }
    out
}

/// The YAML header: languages, licences, size, and which file is which part.
fn header(stats: &Stats, files: &[String]) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let mut out = "---\n".to_owned();
    let mut list = |name: &str, values: Vec<String>| {
        if !values.is_empty() {
            writeln!(out, "{name}:").unwrap_or_default();
            for value in values {
                writeln!(out, "- {value}").unwrap_or_default();
            }
        }
    };
    list("language", stats.locales.keys().map(|it| quoted(it.split('-').next().unwrap_or(it))).collect());
    list("license", vec!["other".to_owned()]);
    list("task_categories", vec!["text-generation".to_owned()]);
    list("tags", ["function-calling", "tool-use", "synthetic", "fcgen"].map(str::to_owned).to_vec());
    list("size_categories", vec![size(stats.rows()).to_owned()]);
    if !files.is_empty() {
        out += "configs:\n- config_name: default\n  data_files:\n";
        for file in files {
            let stem = file.split('.').next().unwrap_or(file);
            writeln!(out, "  - split: {stem}\n    path: {}", quoted(file)).unwrap_or_default();
        }
    }
    out + "---"
}

fn size(rows: u64) -> &'static str {
    match rows {
        0..1_000 => "n<1K",
        1_000..10_000 => "1K<n<10K",
        10_000..100_000 => "10K<n<100K",
        100_000..1_000_000 => "100K<n<1M",
        _ => "1M<n<10M",
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::lesson;
    use super::*;

    #[test]
    fn the_card_tells_counts_licences_and_the_share_of_templates() {
        let mut stats = Stats::default();
        stats.add(&lesson("call"), "train", false);
        stats.add(&lesson("refusal"), "test", false);
        stats.template = 1;
        stats.template_turns.insert("hammerbench ST_Perfect".to_owned(), (1, 2));
        stats.per_thousand = Some(PerThousand { requests: 1500, tokens: 250_000, usd: 187.5 });
        stats.readings = vec![("consistency".to_owned(), "all")];
        let card = card(&stats, &Options::default(), &["train.jsonl".to_owned(), "test.jsonl".to_owned()]);
        for part in [
            "language:\n- \"en\"\n",
            "- n<1K\n",
            "  - split: test\n    path: \"test.jsonl\"\n",
            "| test (CC0-1.0) | 2 |",
            "1 rows (50 %) contain template text, in 1 of 2 user turns (50 %)",
            "| hammerbench ST_Perfect | 2 | 1 of 2 |",
            "used 1500 requests, 250000 tokens and 187.50 USD",
            "| m | 2 |",
            "recovered its label): `consistency` (all).",
            "| not read | 2 |",
            "fcgen predict BENCH --model M --base-url URL --paradigm ask\n  fcgen score BENCH --predictions",
        ] {
            assert!(card.contains(part), "{part} in\n{card}");
        }
        assert!(card.starts_with("---\n") && !card.contains('{'), "{card}");
    }

    #[test]
    fn sizes_have_the_names_of_hubs() {
        assert_eq!(
            [0, 5_000, 50_000, 500_000, 5_000_000].map(size),
            ["n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M"]
        );
        assert_eq!((share(0, 0), share(999, 1000)), ("0 %".to_owned(), "99 %".to_owned()));
    }
}
