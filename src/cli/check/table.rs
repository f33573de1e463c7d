//! A report in columns.

use super::show::{count, detail, finding, mark, met, number, tally};
use crate::cli::console::words::{columns, counted, thousands};
use fcgen::check::{Report, Row, RuleReport, Severity, tally_label};

/// The report; of each rule the first `show` findings.
pub(super) fn table(report: &Report, show: usize) -> String {
    let mut lines = vec![format!("{}: {}", report.bench, report.locale)];
    let samples = report.samples.iter().map(|(kind, n)| vec![kind.clone(), thousands(*n as u64)]);
    lines.extend(indented(columns(&samples.collect::<Vec<_>>())));
    lines.extend(rules(report, show));
    let tallies = report.tallies.iter().map(|(what, count)| vec![tally_label(what).to_owned(), tally(*count)]);
    lines.extend(indented(columns(&tallies.collect::<Vec<_>>())));
    let mut rest = report.rows.as_slice();
    while let Some(first) = rest.first() {
        let length = rest.iter().take_while(|row| row.figure == first.figure).count();
        let (own, others) = rest.split_at(length);
        lines.extend([String::new(), format!("{}: {}", first.label, first.what)]);
        lines.extend(indented(figure(own)));
        rest = others;
    }
    lines.join("\n")
}

fn rules(report: &Report, show: usize) -> Vec<String> {
    let mut lines = vec![String::new(), "Rules".to_owned()];
    if report.rules.is_empty() {
        lines.push("  no violations".to_owned());
    }
    for RuleReport { rule, severity, count, findings } in &report.rules {
        let noun = if *severity == Severity::Error { "error" } else { "warning" };
        lines.push(format!("  {rule}: {}", counted(*count, noun)));
        lines.extend(findings.iter().take(show).map(|it| format!("    {}", finding(it))));
    }
    lines
}

fn figure(rows: &[Row]) -> Vec<String> {
    let has_reference = rows.iter().any(|row| row.reference.is_some());
    let mut cells = Vec::new();
    let mut notes = Vec::new();
    for row in rows {
        if let Some(why) = &row.missing {
            notes.push(format!("not applicable: {why}"));
            continue;
        }
        let reference = || [number(row.reference.as_ref()), count(row.reference.as_ref())];
        let own = [row.slice.clone(), number(row.own.as_ref()), count(row.own.as_ref())];
        let verdict = [mark(row.mark), met(row).to_owned()];
        cells.push(own.into_iter().chain(has_reference.then(reference).into_iter().flatten()).chain(verdict).collect());
        let more = detail(row);
        if !more.is_empty() {
            notes.push(format!("{}: {more}", row.slice));
        }
    }
    if !cells.is_empty() {
        let heading =
            ["", "value", "n"].into_iter().chain(has_reference.then_some(["reference", "n"]).into_iter().flatten());
        cells.insert(0, heading.chain(["threshold", ""]).map(str::to_owned).collect::<Vec<_>>());
    }
    columns(&cells).into_iter().chain(notes).collect()
}

fn indented(lines: Vec<String>) -> impl Iterator<Item = String> {
    lines.into_iter().map(|line| format!("  {line}"))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use fcgen::check::audit::{Cell, Figure, Mark};
    use fcgen::check::{Finding, Tally};
    use fcgen::format::Place;

    /// A report with a little of everything.
    pub(crate) fn report() -> Report {
        let place = Place { file: "samples.jsonl".into(), line: 7 };
        let finding = Finding::new("value", Severity::Error, &place, "a/0", "the text does not say to = \"Porto\"");
        let mut report = Report { bench: "output/x".to_owned(), locale: "en".to_owned(), ..Report::default() };
        report.samples.insert("ST_Perfect".to_owned(), 1200);
        report.rules.push(RuleReport {
            rule: "value",
            severity: Severity::Error,
            count: 2,
            findings: vec![finding; 2],
        });
        report.tallies.insert("values stand in their text".to_owned(), Tally { right: 1198, of: 1200 });
        let cell = |value: f64, n| Cell::new("ST_Perfect", value, n).held_to(Mark::AtMostReference(0.05));
        let own = [
            Figure::new("picker", "accuracy of a picker", vec![cell(0.75, 1200).with("by words")]),
            Figure::missing("chains", "order of calls", "there are none"),
        ];
        report.add_figures(&own, Some(&[Figure::new("picker", "accuracy of a picker", vec![cell(0.66, 100)])]));
        report
    }

    #[test]
    fn everything_has_its_place() {
        insta::assert_snapshot!(table(&report(), 1));
    }

    #[test]
    fn a_bench_without_faults_says_so() {
        let text = table(&Report { rules: Vec::new(), ..report() }, 3);
        assert!(text.contains("no violations") && !text.contains("error"), "{text}");
    }
}
