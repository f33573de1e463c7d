//! A report as a page.

use super::show::{count, detail, finding, mark, met, number, tally};
use fcgen::check::{Report, Row, Severity, tally_label};

/// The report; of each rule the first `show` findings.
pub(super) fn markdown(report: &Report, show: usize) -> String {
    let mut lines = vec![format!("# {} ({})", report.bench, report.locale), String::new()];
    lines.extend(grid(["data type", "samples"], report.samples.iter().map(|(kind, n)| [kind.clone(), n.to_string()])));
    lines.extend(["## Rules".to_owned(), String::new()]);
    for rule in &report.rules {
        let severity = if rule.severity == Severity::Error { "Error" } else { "Warning" };
        lines.push(format!("- {severity}, `{}`: {}", rule.rule, rule.count));
        lines.extend(rule.findings.iter().take(show).map(|it| format!("  - {}", finding(it))));
    }
    lines.push(String::new());
    lines.extend(grid(
        ["count", "correct"],
        report.tallies.iter().map(|(what, it)| [tally_label(what).to_owned(), tally(*it)]),
    ));
    if !report.rows.is_empty() {
        lines.extend(["## Metrics".to_owned(), String::new()]);
        let heading = ["metric", "slice", "value", "n", "reference", "n", "threshold", "", "detail"];
        lines.extend(grid(heading, report.rows.iter().map(cells)));
    }
    lines.join("\n").trim_end().to_owned()
}

fn cells(row: &Row) -> [String; 9] {
    let (own, other) = (row.own.as_ref(), row.reference.as_ref());
    let more = row.missing.as_ref().map_or_else(|| detail(row), |why| format!("not applicable: {why}"));
    [
        row.label.to_owned(),
        row.slice.clone(),
        number(own),
        count(own),
        number(other),
        count(other),
        mark(row.mark),
        met(row).to_owned(),
        more,
    ]
}

/// A table; nothing where there are no rows.
fn grid<const N: usize>(heading: [&str; N], rows: impl Iterator<Item = [String; N]>) -> Vec<String> {
    let line = |cells: [String; N]| format!("| {} |", cells.map(|cell| cell.replace('|', "\\|")).join(" | "));
    let rows: Vec<String> = rows.map(line).collect();
    if rows.is_empty() {
        return rows;
    }
    let top = [line(heading.map(str::to_owned)), format!("|{}", " --- |".repeat(N))];
    top.into_iter().chain(rows).chain([String::new()]).collect()
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::report;
    use super::*;

    #[test]
    fn the_page_says_what_the_table_says() {
        insta::assert_snapshot!(markdown(&report(), 1));
    }

    #[test]
    fn what_is_not_there_has_no_table() {
        assert_eq!(markdown(&Report::default(), 1), "#  ()\n\n## Rules");
        assert_eq!(grid(["a", "b"], [["x|y".to_owned(), String::new()]].into_iter())[2], "| x\\|y |  |");
    }
}
