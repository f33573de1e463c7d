//! A table: rows of figures under headings, each figure with its interval.

use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A figure with how it came about.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Figure {
    /// The figure; a share.
    pub value: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end of its 95 % interval.
    pub high: f64,
    /// Of how many.
    pub n: u64,
}

/// What stands in a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A code with a label for people: machine-readable output has the code alone.
    Named {
        /// The code.
        code: String,
        /// What people see instead of it.
        label: String,
    },
    /// A count.
    Count(u64),
    /// A share.
    Share(Option<Figure>),
    /// A figure that is no share, such as a correlation.
    Number(Option<Figure>),
    /// A share without the situation, and what the situation changes.
    Change(Option<Figure>, Option<Figure>),
}

/// Rows under headings.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// A short name: `3`, `12`, `slices`.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// The headings, as machine-readable output has them.
    pub columns: Vec<String>,
    /// Headings that people see instead of these.
    shown: BTreeMap<&'static str, &'static str>,
    /// How many of the first columns name a row.
    pub labels: usize,
    /// The rows; each has a cell for each heading.
    pub rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows.
    pub fn new(name: &str, title: &str, labels: &[&str], columns: &[&str]) -> Self {
        let headings = labels.iter().chain(columns).map(|it| (*it).to_owned()).collect();
        Self {
            name: name.to_owned(),
            title: title.to_owned(),
            columns: headings,
            shown: BTreeMap::new(),
            labels: labels.len(),
            rows: Vec::new(),
        }
    }

    /// Gives columns headings for people, by the headings of machine-readable output.
    #[must_use]
    pub fn headed(mut self, headings: &[(&'static str, &'static str)]) -> Self {
        self.shown.extend(headings.iter().copied());
        self
    }

    /// Gives codes in a column their labels for people.
    #[must_use]
    pub fn labelled(mut self, column: usize, label: impl Fn(&str) -> Option<String>) -> Self {
        for cell in self.rows.iter_mut().filter_map(|row| row.get_mut(column)) {
            if let Cell::Text(code) = cell
                && let Some(label) = label(code)
            {
                *cell = Cell::Named { code: std::mem::take(code), label };
            }
        }
        self
    }

    /// The headings for people.
    pub fn headings(&self) -> Vec<String> {
        let columns = self.columns.iter().map(String::as_str);
        columns.map(|column| self.shown.get(column).copied().unwrap_or(column).to_owned()).collect()
    }

    /// Adds a row, unless there is nothing in it.
    pub fn add(&mut self, labels: &[&str], cells: Vec<Cell>) {
        if cells.iter().any(Cell::is_filled) {
            let labels = labels.iter().map(|label| Cell::Text((*label).to_owned()));
            self.rows.push(labels.chain(cells).collect());
        }
    }

    /// Adds a row for each name that is counted in some column, behind the labels that these rows share.
    pub fn add_counts<'c>(&mut self, labels: &[&str], columns: impl Iterator<Item = &'c BTreeMap<String, u64>>) {
        let columns: Vec<_> = columns.collect();
        let names: BTreeSet<&String> = columns.iter().flat_map(|counts| counts.keys()).collect();
        for name in names {
            let cells = columns.iter().map(|counts| Cell::Count(counts.get(name).copied().unwrap_or_default()));
            self.add(&[labels, &[name]].concat(), cells.collect());
        }
    }

    /// Adds a row of numbers, unless all of them are 0.
    pub fn add_number(&mut self, name: &str, columns: impl Iterator<Item = u64>) {
        let numbers: Vec<u64> = columns.collect();
        if numbers.iter().any(|number| *number > 0) {
            self.add(&["number", name], numbers.into_iter().map(Cell::Count).collect());
        }
    }

    /// Leaves out the columns in which there is nothing.
    #[must_use]
    pub fn compact(mut self) -> Self {
        let is_kept: Vec<bool> = (0..self.columns.len())
            .map(|at| at < self.labels || self.rows.iter().any(|row| row.get(at).is_some_and(Cell::is_filled)))
            .collect();
        self.columns = kept(self.columns, &is_kept);
        self.rows = self.rows.into_iter().map(|row| kept(row, &is_kept)).collect();
        self
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

impl Cell {
    /// Whether there is anything in it.
    pub fn is_filled(&self) -> bool {
        match self {
            Self::Text(text) => !text.is_empty(),
            Self::Named { .. } | Self::Count(_) => true,
            Self::Share(figure) | Self::Number(figure) => figure.is_some(),
            Self::Change(figure, change) => figure.is_some() || change.is_some(),
        }
    }

    /// The cell for people: shares in percent, with the larger half of the interval and the number behind it.
    pub fn shown(&self) -> String {
        match self {
            Self::Text(text) | Self::Named { label: text, .. } => text.clone(),
            Self::Count(count) => count.to_string(),
            Self::Share(figure) => figure.map_or_else(|| "-".to_owned(), |figure| figure.shown()),
            Self::Number(figure) => figure.map_or_else(|| "-".to_owned(), |figure| figure.bare()),
            Self::Change(figure, change) => {
                let base = figure.map_or_else(|| "-".to_owned(), |figure| format!("{:.2}%", 100.0 * figure.value));
                let change = change.map(|it| format!(" {:+.2} ±{:.2} (n {})", 100.0 * it.value, it.half(), it.n));
                base + &change.unwrap_or_default()
            }
        }
    }

    /// The cell as a name in machine-readable output: a code without its label.
    pub fn code(&self) -> String {
        match self {
            Self::Named { code, .. } => code.clone(),
            other => other.shown(),
        }
    }
}

impl Figure {
    fn shown(&self) -> String {
        format!("{:.2}% ±{:.2} (n {})", 100.0 * self.value, self.half(), self.n)
    }

    fn bare(&self) -> String {
        format!("{:.3} ±{:.3} (n {})", self.value, self.half() / 100.0, self.n)
    }

    /// The larger half of the interval, in percent.
    fn half(&self) -> f64 {
        100.0 * (self.high - self.value).max(self.value - self.low)
    }
}

/// The label of a code that stands before counts by name: what is counted in the rows.
pub fn count_label(code: &str) -> Option<String> {
    let label = match code {
        "way" => "parsed from",
        "way, routing" => "parsed from (routing)",
        "fault" => "error",
        "fault, routing" => "error (routing)",
        "end" => "outcome",
        "number" => "count",
        _ => return None,
    };
    Some(label.to_owned())
}

fn kept<T>(items: Vec<T>, is_kept: &[bool]) -> Vec<T> {
    items.into_iter().zip(is_kept).filter(|(_, is_kept)| **is_kept).map(|(item, _)| item).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "cells take it so")]
    pub(crate) fn figure(value: f64) -> Option<Figure> {
        Some(Figure { value, low: value - 0.1, high: value + 0.2, n: 40 })
    }

    pub(crate) fn table() -> Table {
        let mut table = Table::new("3", "Leaderboard", &["Model"], &["Acc.", "Empty", "Change"]);
        table.add(
            &["one"],
            vec![Cell::Share(figure(0.5)), Cell::Share(None), Cell::Change(figure(0.25), figure(-0.125))],
        );
        table.add(&["two, too"], vec![Cell::Share(figure(0.25)), Cell::Share(None), Cell::Change(None, None)]);
        table.add(&["none"], vec![Cell::Share(None), Cell::Share(None), Cell::Change(None, None)]);
        table
    }

    #[test]
    fn what_is_empty_is_left_out() {
        let table = table();
        assert_eq!((table.rows.len(), table.is_empty()), (2, false));
        let table = table.compact();
        assert_eq!(table.columns, ["Model", "Acc.", "Change"]);
        assert!(table.rows.iter().all(|row| row.len() == 3));
    }

    #[test]
    fn people_see_labels_and_headings_in_place_of_codes() {
        let table = table().labelled(0, |code| (code == "one").then(|| "the first".to_owned()));
        let table = table.headed(&[("Acc.", "Accuracy")]).compact();
        assert_eq!(table.headings(), ["Model", "Accuracy", "Change"]);
        assert_eq!(table.columns, ["Model", "Acc.", "Change"]);
        let names: Vec<String> = table.rows.iter().flat_map(|row| [row[0].shown(), row[0].code()]).collect();
        assert_eq!(names, ["the first", "one", "two, too", "two, too"]);
    }

    #[test]
    fn cells_read_well() {
        assert_eq!(Cell::Share(figure(0.5)).shown(), "50.00% ±20.00 (n 40)");
        assert_eq!(Cell::Change(figure(0.25), figure(-0.125)).shown(), "25.00% -12.50 ±20.00 (n 40)");
        assert_eq!(Cell::Number(figure(0.5)).shown(), "0.500 ±0.200 (n 40)");
        assert_eq!((Cell::Number(None).shown(), Cell::Number(None).is_filled()), ("-".to_owned(), false));
        assert_eq!((Cell::Share(None).shown(), Cell::Count(7).shown()), ("-".to_owned(), "7".to_owned()));
    }
}
