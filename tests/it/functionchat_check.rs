//! FunctionChat-Bench's layout against the checks: the authors' own data, whose slips are known and counted.

use crate::shared::upstream;
use fcgen::check::audit::{AuditOptions, Figure, audit};
use fcgen::check::{Ground, LintReport, Replay, lint};
use fcgen::format::Bench;
use indexmap::IndexMap;
use std::path::Path;

/// What the rules find, and the figures of the replay.
fn replayed(path: &Path) -> (LintReport, Vec<Figure>) {
    let bench = Bench::open(path).unwrap();
    let ground = Ground::load(fcgen::assets(), &bench.locale().unwrap()).unwrap();
    let mut replay = Replay::new(&ground).unwrap();
    let report = lint(&bench, &ground, &mut replay);
    (report, replay.finish())
}

#[test]
fn the_authors_data_has_the_slips_that_were_counted_by_hand() {
    let Some(folder) = upstream("functionchat") else { return };
    let (report, figures) = replayed(&folder);
    let found = |rule: &str| report.findings.of(rule);
    // Right answers that the next turn repeats in another form; the list that is not part of the longer one.
    assert_eq!((found("history"), found("nested_list"), found("tool_json")), (3, 1, 4));
    assert_eq!((found("doubled_sentence"), found("instructions"), found("reject_words")), (406, 406, 7));
    for rule in
        ["list_length", "shared_list", "duplicate", "reject", "slot", "acceptable", "told", "roles", "transition"]
    {
        assert_eq!(found(rule), 0, "{rule}");
    }
    // Days in words, for parameters whose format is a date.
    assert_eq!(found("type"), 4);
    for cell in figures.iter().flat_map(|figure| &figure.cells) {
        assert_eq!(cell.mark.is_met(cell.value, None), Some(true), "{cell:?}");
    }
    let calls = figures[0].cell("call, authors' rule").unwrap();
    assert_eq!((calls.value, calls.n), (1.0, 670));
}

#[tokio::test]
async fn the_authors_lists_are_as_close_as_was_measured() {
    let Some(folder) = upstream("functionchat") else { return };
    let bench = Bench::open(&folder).unwrap();
    let options = AuditOptions {
        ground: Ground::load(fcgen::assets(), "ko").unwrap(),
        seed: 7,
        sizes: IndexMap::new(),
        checker: None,
    };
    let figures = audit(&bench, &options).await.unwrap();
    let figure = |name: &str| figures.iter().find(|figure| figure.name == name).unwrap();
    let places = figure("target places").cell("8_close").unwrap();
    assert_eq!((places.value, places.mark.is_met(places.value, None)), (25.0, Some(false)));
    let mean = |kind: &str| {
        let cells = ["4", "8"].map(|length| figure("close tools").cell(&format!("{length}_{kind}")).unwrap());
        cells.iter().map(|cell| cell.value * f64::from(u32::try_from(cell.n).unwrap())).sum::<f64>() / 250.0
    };
    assert!((mean("close") - 0.083).abs() < 0.001 && (mean("random") - 0.026).abs() < 0.001);
}
