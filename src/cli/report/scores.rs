//! What a page tells besides its samples.

use crate::cli::console::exit::{Complaint, INPUT};
use crate::cli::runs::manifest::read_manifest;
use crate::cli::score::{ScoreArguments, scored};
use fcgen::check::Report;
use fcgen::format::Bench;
use fcgen::fs::AtomicFile;
use fcgen::record::Verdict;
use fcgen::report::page::{Page, RejectGroup};
use fcgen::report::{Cell, Figure, Table};
use fcgen::run::Manifest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Everything that is told of a run as a whole.
#[derive(Debug, Default, Serialize)]
pub(super) struct Summary {
    /// The run's name.
    pub(super) title: String,
    /// The manifest, where it is a run.
    manifest: Option<Manifest>,
    rejects: Vec<RejectGroup>,
    /// Lines that are no samples.
    pub(super) faults: usize,
    /// What a check found.
    pub(super) check: Option<Report>,
    /// Why there is no check.
    pub(super) unchecked: String,
    /// Tables of scores, where models were scored.
    pub(super) scores: Option<Tables>,
}

impl Summary {
    /// What lies beside a bench.
    pub(super) fn new(path: &Path, bench: &Bench) -> Self {
        let folder = bench.folder();
        let name = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let title = name.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let manifest = read_manifest(&folder).ok();
        Self { title, manifest, rejects: super::rejects(&folder).groups(), ..Self::default() }
    }
}

// What models said and what a scorer found of it, put on a page.

/// Tables as a page has them.
#[derive(Debug, Serialize)]
pub(super) struct Tables {
    tables: Vec<TableCard>,
    notes: Vec<(&'static str, String)>,
}

#[derive(Debug, Serialize)]
struct TableCard {
    title: String,
    columns: Vec<String>,
    labels: usize,
    rows: Vec<Vec<Option<CellCard>>>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum CellCard {
    Text(String),
    Count(u64),
    Figure { text: String, half: String, low: String, high: String, n: u64 },
}

/// The fields of a prediction that the page joins by.
#[derive(Deserialize)]
struct Named {
    id: String,
    #[serde(default)]
    run: u32,
}

/// Scores, and puts verdicts and predictions on the page, one by one; the tables.
pub(super) fn put(arguments: &ScoreArguments, page: &mut Page<AtomicFile>) -> anyhow::Result<Tables> {
    // Of a file with several runs each is a model of its own.
    let mut in_runs = BTreeSet::new();
    let mut reader = |verdict: &Verdict| {
        if verdict.run.is_some() && !in_runs.contains(&verdict.predictions) {
            in_runs.insert(verdict.predictions.clone());
        }
        page.verdict(verdict)
    };
    let scored = scored(arguments, Some(&mut reader))?;
    for (name, path) in arguments.named() {
        let inside = path.join("predictions.jsonl");
        let is_in_runs = in_runs.contains(&name);
        each_line(if inside.is_file() { &inside } else { path }, &mut |line| {
            match serde_json::from_str::<Named>(line) {
                Ok(Named { id, run }) if is_in_runs => Ok(page.prediction(&format!("{name} #{run}"), &id, line)?),
                Ok(Named { id, .. }) => Ok(page.prediction(&name, &id, line)?),
                // The authors' logs are scored as well, but have no line for each sample.
                Err(_) => Ok(()),
            }
        })?;
    }
    Ok(Tables { tables: scored.tables.iter().map(TableCard::from).collect(), notes: scored.notes })
}

fn each_line(path: &Path, take: &mut dyn FnMut(&str) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let cannot = |error| Complaint::new(INPUT, format!("`{}` cannot be read: {error}", path.display()));
    for line in BufReader::new(File::open(path).map_err(cannot)?).lines() {
        take(&line.map_err(cannot)?)?;
    }
    Ok(())
}

impl From<&Table> for TableCard {
    fn from(table: &Table) -> Self {
        let rows = table.rows.iter().map(|row| row.iter().map(card).collect()).collect();
        Self { title: table.title.clone(), columns: table.headings(), labels: table.labels, rows }
    }
}

fn card(cell: &Cell) -> Option<CellCard> {
    match cell {
        Cell::Text(text) | Cell::Named { label: text, .. } => Some(CellCard::Text(text.clone())),
        Cell::Count(count) => Some(CellCard::Count(*count)),
        Cell::Share(figure) => figure.map(|it| shown(&it, |share| format!("{:.1} %", 100.0 * share))),
        Cell::Number(figure) => figure.map(|it| shown(&it, |number| format!("{number:.3}"))),
        Cell::Change(..) => cell.is_filled().then(|| CellCard::Text(cell.shown())),
    }
}

fn shown(figure: &Figure, text: fn(f64) -> String) -> CellCard {
    let Figure { value, low, high, n } = *figure;
    let half = text((high - value).max(value - low)).trim_end_matches(" %").to_owned();
    CellCard::Figure { text: text(value), half, low: text(low), high: text(high), n }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bench_without_a_run_has_a_name_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.jsonl");
        std::fs::write(&path, "").unwrap();
        let summary = Summary::new(&path, &Bench::open(&path).unwrap());
        assert_eq!((summary.title.as_str(), summary.manifest.is_none()), ("mine.jsonl", true));
        let json = serde_json::to_value(&summary).unwrap();
        assert_eq!((json["check"].is_null(), json["rejects"].as_array().map(Vec::len)), (true, Some(0)));
    }
}

#[cfg(test)]
mod scores_tests {
    use super::*;

    #[test]
    fn cells_are_words_or_figures_with_their_interval() {
        let figure = Some(Figure { value: 0.5, low: 0.4, high: 0.55, n: 40 });
        let cells = [
            Cell::Text("a".to_owned()),
            Cell::Count(3),
            Cell::Share(figure),
            Cell::Number(figure),
            Cell::Share(None),
            Cell::Change(None, None),
        ];
        let cells: Vec<_> = cells.iter().map(card).collect();
        insta::assert_snapshot!(serde_json::to_string(&cells).unwrap(), @r#"["a",3,{"text":"50.0 %","half":"10.0","low":"40.0 %","high":"55.0 %","n":40},{"text":"0.500","half":"0.100","low":"0.400","high":"0.550","n":40},null,null]"#);
    }

    #[test]
    fn lines_are_read_one_by_one_and_a_missing_file_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        assert!(each_line(&path, &mut |_| Ok(())).unwrap_err().to_string().contains("cannot be read"));
        std::fs::write(&path, "1\n2").unwrap();
        let mut lines = Vec::new();
        each_line(&path, &mut |line| {
            lines.push(line.to_owned());
            Ok(())
        })
        .unwrap();
        assert_eq!(lines, ["1", "2"]);
    }
}
