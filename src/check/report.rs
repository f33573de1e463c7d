//! Everything that was found of a bench, side by side with the reference, for programs and for people.

use super::audit::{Cell, Figure, Mark, label};
use super::lint::LintReport;
use crate::lint::finding::{Finding, Findings, Severity, Tally};
use indexmap::IndexMap;
use serde::Serialize;

/// What a check found.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Report {
    /// The bench's path.
    pub bench: String,
    /// Its locale.
    pub locale: String,
    /// Whose loader's rules it was held to, where it is training files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loader: Option<&'static str>,
    /// Whether its texts were derived from the names and descriptions of tools: then its figures prove nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub derived: bool,
    /// Samples by data type; of training files, rows by part.
    pub samples: IndexMap<String, usize>,
    /// What the rules found.
    pub rules: Vec<RuleReport>,
    /// What the rules counted.
    pub tallies: IndexMap<String, Tally>,
    /// The rows of replay and audit.
    pub rows: Vec<Row>,
}

/// What one rule found.
#[derive(Debug, Clone, Serialize)]
pub struct RuleReport {
    /// Its name.
    pub rule: &'static str,
    /// How bad its findings are.
    pub severity: Severity,
    /// How many there are.
    pub count: usize,
    /// The first of them.
    pub findings: Vec<Finding>,
}

/// One figure beside the reference's.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The metric's key.
    pub figure: &'static str,
    /// The metric's title, for people.
    pub label: &'static str,
    /// What is measured.
    pub what: &'static str,
    /// The slice; empty where there is no figure.
    pub slice: String,
    /// The bench's own figure.
    pub own: Option<Value>,
    /// The reference's.
    pub reference: Option<Value>,
    /// What it is held to; nothing where it is only shown.
    pub mark: Option<Mark>,
    /// Whether the mark is met, where that can be told.
    pub met: Option<bool>,
    /// Whether the reference meets it.
    pub reference_met: Option<bool>,
    /// Why there is no figure.
    pub missing: Option<String>,
}

/// A figure of one bench.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Value {
    /// The figure.
    pub value: f64,
    /// Of how many.
    pub n: usize,
    /// More of it in words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

impl Report {
    /// Adds what the rules found.
    pub fn add_lint(&mut self, lint: LintReport) {
        self.samples = lint.by_type;
        self.add_findings(&lint.findings);
    }

    /// Adds findings and what was counted.
    pub fn add_findings(&mut self, found: &Findings) {
        // The same may be counted of several sets of other data.
        for (what, tally) in found.tallies() {
            let known = self.tallies.entry(what.to_owned()).or_default();
            (known.right, known.of) = (known.right + tally.right, known.of + tally.of);
        }
        self.rules.extend(found.rules().map(|(rule, severity, count, first)| RuleReport {
            rule,
            severity,
            count,
            findings: first.to_vec(),
        }));
        self.rules.sort_by_key(|rule| rule.severity);
    }

    /// Adds figures, beside those of a reference where there is one.
    pub fn add_figures(&mut self, own: &[Figure], reference: Option<&[Figure]>) {
        for figure in own {
            let other = reference.and_then(|figures| figures.iter().find(|other| other.name == figure.name));
            self.rows.extend(rows(figure, other));
        }
    }

    /// How many findings there are of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.rules.iter().filter(|rule| rule.severity == severity).map(|rule| rule.count).sum()
    }

    /// Marks that are met, and marks that can be told.
    pub fn marks(&self) -> (usize, usize) {
        let told: Vec<bool> = self.rows.iter().filter_map(|row| row.met).collect();
        (told.iter().filter(|met| **met).count(), told.len())
    }
}

/// A figure's rows: its own slices in their order, and those that only the reference has.
fn rows(own: &Figure, reference: Option<&Figure>) -> Vec<Row> {
    let mut slices: Vec<&str> = own.cells.iter().map(|cell| cell.slice.as_str()).collect();
    let others = reference.iter().flat_map(|figure| &figure.cells).map(|cell| cell.slice.as_str());
    others.for_each(|slice| {
        if !slices.contains(&slice) {
            slices.push(slice);
        }
    });
    let mut rows: Vec<Row> = slices.into_iter().map(|slice| row(own, reference, slice)).collect();
    if let Some(why) = &own.missing {
        rows.insert(0, Row { missing: Some(why.clone()), ..row(own, None, "") });
    }
    rows
}

fn row(own: &Figure, reference: Option<&Figure>, slice: &str) -> Row {
    let (cell, other) = (own.cell(slice), reference.and_then(|figure| figure.cell(slice)));
    let other_value = other.map(|cell| cell.value);
    let mark = cell.or(other).map(|cell| cell.mark).filter(|mark| *mark != Mark::Shown);
    Row {
        figure: own.name,
        label: label(own.name),
        what: own.what,
        slice: slice.to_owned(),
        own: cell.map(Value::of),
        reference: other.map(Value::of),
        mark,
        met: cell.and_then(|cell| cell.mark.is_met(cell.value, other_value)),
        reference_met: other.and_then(|cell| cell.mark.is_met(cell.value, None)),
        missing: None,
    }
}

impl Value {
    fn of(cell: &Cell) -> Self {
        Self { value: cell.value, n: cell.n, detail: cell.detail.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{entry, sample};

    fn figure(cells: &[(&str, f64)]) -> Figure {
        let cells =
            cells.iter().map(|(slice, value)| Cell::new(*slice, *value, 10).held_to(Mark::AtMostReference(0.05)));
        Figure::new("picker", "what", cells.collect())
    }

    #[test]
    fn slices_stand_side_by_side() {
        let mut report = Report::default();
        report.add_figures(&[figure(&[("a", 0.5), ("b", 0.9)])], Some(&[figure(&[("b", 0.8), ("c", 0.1)])]));
        let told: Vec<_> = report
            .rows
            .iter()
            .map(|row| (row.slice.as_str(), row.own.is_some(), row.reference.is_some(), row.met))
            .collect();
        assert_eq!(told, [("a", true, false, None), ("b", true, true, Some(false)), ("c", false, true, None)]);
        assert_eq!(report.marks(), (0, 1));
    }

    #[test]
    fn a_row_without_a_figure_gives_the_reason() {
        let mut report = Report::default();
        report.add_figures(&[Figure::missing("chains", "what", "there are none")], None);
        assert_eq!(report.rows[0].missing.as_deref(), Some("there are none"));
        assert_eq!((report.rows.len(), report.marks()), (1, (0, 0)));
    }

    #[test]
    fn errors_stand_before_warnings() {
        let (mut findings, entry) = (Findings::default(), entry(sample("a", "ST_Perfect")));
        findings.warning("script", &entry, "x");
        findings.error("id", &entry, "y");
        findings.tally("values", true);
        let mut report = Report::default();
        report.add_lint(LintReport { findings, ..LintReport::default() });
        assert_eq!(report.rules.iter().map(|rule| rule.rule).collect::<Vec<_>>(), ["id", "script"]);
        assert_eq!((report.count(Severity::Error), report.count(Severity::Warning)), (1, 1));
        assert_eq!(report.tallies["values"].of, 1);
        let mut more = Findings::default();
        more.tally("values", false);
        report.add_findings(&more);
        assert_eq!(report.tallies["values"], Tally { right: 1, of: 2 });
    }
}
