//! Figures, marks and findings in words; tables and pages say them alike.

use crate::cli::console::words::thousands;
use fcgen::check::audit::Mark;
use fcgen::check::{Finding, Row, Tally, Value};

/// A figure with three places.
pub(super) fn number(value: Option<&Value>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{:.3}", value.value))
}

/// Of how many.
pub(super) fn count(value: Option<&Value>) -> String {
    value.map_or_else(String::new, |value| thousands(value.n as u64))
}

/// What a figure is held to.
pub(super) fn mark(mark: Option<Mark>) -> String {
    match mark {
        None | Some(Mark::Shown | Mark::NotMeasurable) => String::new(),
        Some(Mark::AtMost(most)) => format!("<= {most:.3}"),
        Some(Mark::AtLeast(least)) => format!(">= {least:.3}"),
        Some(Mark::AtMostReference(more)) => format!("<= reference + {more:.2}"),
        Some(Mark::AtLeastReference) => ">= reference".to_owned(),
    }
}

/// Whether it is met.
pub(super) fn met(row: &Row) -> &'static str {
    if row.mark == Some(Mark::NotMeasurable) && row.own.is_some() {
        return "not measurable";
    }
    match (row.met, row.mark.is_some() && row.own.is_some()) {
        (Some(true), _) => "passed",
        (Some(false), _) => "FAILED",
        (None, true) => "no reference",
        (None, false) => "",
    }
}

/// What else there is to say of a figure.
pub(super) fn detail(row: &Row) -> String {
    let of = |value: &Option<Value>| value.as_ref().map(|value| value.detail.clone()).filter(|text| !text.is_empty());
    match (of(&row.own), of(&row.reference)) {
        (Some(own), Some(other)) if own != other => format!("{own} | reference: {other}"),
        (Some(one), _) | (None, Some(one)) => one,
        (None, None) => String::new(),
    }
}

/// A finding on a line.
pub(super) fn finding(finding: &Finding) -> String {
    let id = if finding.id.is_empty() { String::new() } else { format!(" ({})", finding.id) };
    format!("{}{id}: {}", finding.place, finding.message)
}

/// A count of what was right.
pub(super) fn tally(tally: Tally) -> String {
    let share = fcgen::check::audit::share(tally.right, tally.of) * 100.0;
    // Less than all is never shown as all.
    let share = if tally.right < tally.of { share.min(99.99) } else { share };
    format!("{} of {} ({share:.2} %)", thousands(tally.right as u64), thousands(tally.of as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fcgen::check::Report;
    use fcgen::check::audit::{Cell, Figure};

    #[test]
    fn marks_read_as_bounds() {
        assert_eq!(mark(Some(Mark::AtMost(0.05))), "<= 0.050");
        assert_eq!(mark(Some(Mark::AtMostReference(0.05))), "<= reference + 0.05");
        assert_eq!((mark(None), mark(Some(Mark::AtLeastReference))), (String::new(), ">= reference".to_owned()));
    }

    #[test]
    fn what_cannot_be_measured_is_neither_met_nor_missed() {
        let figure = |mark| Figure::new("x", "y", vec![Cell::new("z", 0.5, 4).held_to(mark)]);
        let verdict = |mark| {
            let mut report = Report::default();
            report.add_figures(&[figure(mark)], None);
            (met(&report.rows[0]), report.marks())
        };
        assert_eq!(verdict(Mark::NotMeasurable), ("not measurable", (0, 0)));
        assert_eq!(verdict(Mark::AtMost(0.02)), ("FAILED", (0, 1)));
    }

    #[test]
    fn less_than_all_is_never_all() {
        assert_eq!(tally(Tally { right: 99_999, of: 100_000 }), "99,999 of 100,000 (99.99 %)");
        assert_eq!(tally(Tally { right: 3, of: 3 }), "3 of 3 (100.00 %)");
    }

    #[test]
    fn figures_have_three_places() {
        let value = Value { value: 0.12345, n: 1200, detail: String::new() };
        assert_eq!((number(Some(&value)), count(Some(&value))), ("0.123".to_owned(), "1,200".to_owned()));
        assert_eq!((number(None), count(None)), ("-".to_owned(), String::new()));
    }
}
