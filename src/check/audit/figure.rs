//! Metrics with their thresholds.

use serde::Serialize;

/// One row of the audit: what is measured, slice by slice.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// Its short name.
    pub name: &'static str,
    /// What is measured, and how.
    pub what: &'static str,
    /// The figures; empty where there are none.
    pub cells: Vec<Cell>,
    /// Why there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// A figure of one slice.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cell {
    /// The slice: a data type, mostly.
    pub slice: String,
    /// The figure; shares and accuracies from 0 to 1.
    pub value: f64,
    /// Of how many.
    pub n: usize,
    /// What it is held to.
    pub mark: Mark,
    /// More of it in words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

/// What a figure is held to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Nothing: it is shown.
    Shown,
    /// No more than this.
    AtMost(f64),
    /// No less than this.
    AtLeast(f64),
    /// No more than the reference's figure and this.
    AtMostReference(f64),
    /// No less than the reference's figure.
    AtLeastReference,
    /// What it would be held to cannot be told: the checker that measures it fails a threshold of its own.
    NotMeasurable,
}

impl Figure {
    /// A row of figures.
    pub fn new(name: &'static str, what: &'static str, cells: Vec<Cell>) -> Self {
        let missing = cells.is_empty().then(|| "the benchmark has no items of this kind".to_owned());
        Self { name, what, cells, missing }
    }

    /// A row that has none, with the reason.
    pub fn missing(name: &'static str, what: &'static str, why: impl Into<String>) -> Self {
        Self { name, what, cells: Vec::new(), missing: Some(why.into()) }
    }

    /// The figure of a slice.
    pub fn cell(&self, slice: &str) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.slice == slice)
    }
}

impl Cell {
    /// A figure that is only shown.
    pub fn new(slice: impl Into<String>, value: f64, n: usize) -> Self {
        Self { slice: slice.into(), value, n, mark: Mark::Shown, detail: String::new() }
    }

    /// A share.
    pub fn share(slice: impl Into<String>, part: usize, n: usize) -> Self {
        Self::new(slice, share(part, n), n)
    }

    /// The same, held to a mark.
    #[must_use]
    pub fn held_to(self, mark: Mark) -> Self {
        Self { mark, ..self }
    }

    /// The same with more in words.
    #[must_use]
    pub fn with(self, detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), ..self }
    }
}

impl Mark {
    /// Whether a figure meets it; none where there is no mark, or no reference that it needs.
    pub fn is_met(self, value: f64, reference: Option<f64>) -> Option<bool> {
        // Rounding must not decide.
        let slack = 1e-9;
        match self {
            Self::Shown | Self::NotMeasurable => None,
            Self::AtMost(most) => Some(value <= most + slack),
            Self::AtLeast(least) => Some(value >= least - slack),
            Self::AtMostReference(more) => reference.map(|reference| value <= reference + more + slack),
            Self::AtLeastReference => reference.map(|reference| value >= reference - slack),
        }
    }
}

/// The title of a metric in tables; `name` is the metric's key in `--format json`.
pub(crate) fn label(name: &'static str) -> &'static str {
    match name {
        "replay" | "golden replay" => "oracle replay",
        "authors' replay" => "oracle replay (authors' scorer)",
        "wrong mutants" => "negative controls",
        "equal forms" => "format variants",
        "giveaway" => "label leakage",
        "decisions given away" => "label leakage of decisions",
        "frames" => "template diversity",
        "variety" => "lexical diversity",
        "values" => "value diversity",
        "questions" => "question diversity",
        "wordings" => "answer diversity",
        "examples" => "copied prompt examples",
        "repeats" => "duplicates",
        "picker" => "lexical-overlap baseline",
        "origins" => "value provenance",
        "scaffold" => "artefacts",
        "chains" => "call order",
        "named" => "identifiers in requests",
        "misfits" => "invalid values",
        "templates" => "template text",
        "price" => "requests per item",
        "target places" => "target positions",
        "close tools" => "similarity of distractor tools",
        "habits" => "stylistic patterns",
        "beginnings" => "opening words",
        "second right tool" => "second valid tool",
        name => name,
    }
}

/// A part of a whole; 0 of nothing.
#[expect(clippy::cast_precision_loss, reason = "counts are below 2^52")]
pub fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_met_or_not_or_cannot_be_told() {
        assert_eq!(Mark::Shown.is_met(1.0, None), None);
        assert_eq!(Mark::AtMost(0.3).is_met(0.1 + 0.2, None), Some(true));
        assert_eq!(Mark::AtLeast(0.8).is_met(0.79, None), Some(false));
        assert_eq!(Mark::AtMostReference(0.05).is_met(0.7, Some(0.66)), Some(true));
        assert_eq!(Mark::AtMostReference(0.05).is_met(0.7, None), None);
        assert_eq!(Mark::AtLeastReference.is_met(0.5, Some(0.6)), Some(false));
    }

    #[test]
    fn a_row_without_figures_says_why() {
        assert!(Figure::new("a", "b", Vec::new()).missing.is_some());
        assert_eq!(Figure::missing("a", "b", "no chains").missing.as_deref(), Some("no chains"));
        let figure = Figure::new("a", "b", vec![Cell::share("x", 1, 4).with("of them").held_to(Mark::AtMost(0.5))]);
        let cell = figure.cell("x").unwrap();
        assert_eq!((cell.value, cell.n, cell.detail.as_str()), (0.25, 4, "of them"));
        assert!(figure.missing.is_none() && figure.cell("y").is_none() && share(1, 0) == 0.0);
    }
}
