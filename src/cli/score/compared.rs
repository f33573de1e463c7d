//! Several predictions side by side: what the others have more or less than the first.

use super::Outcome;
use crate::cli::console::exit::Complaint;
use crate::cli::console::words::thousands;
use fcgen::format::{Bench, BenchError};
use fcgen::record::Mark;
use fcgen::report::{Cell, Figure, Table};
use fcgen::score::{Difference, Estimate, Paired, RESAMPLES};
use std::collections::{BTreeMap, BTreeSet};

/// Adds the table of differences, where there are several predictions.
pub(super) fn add(outcome: &mut Outcome, bench: &Bench, seed: u64) -> anyhow::Result<()> {
    let Some(paired) = outcome.found.paired.take().filter(|paired| paired.models().len() > 1) else { return Ok(()) };
    let groups = groups(bench)?;
    let found = paired.differences(&groups, seed);
    outcome.tables.extend(table(&paired, &found));
    outcome.differences = found;
    let how = format!(
        "value of the first model, differences of the others; 95 %, {} resamples by group, seed {seed}",
        thousands(RESAMPLES as u64)
    );
    outcome.notes.push(("compared", how));
    Ok(())
}

/// How many groups are enough to resample them.
const ENOUGH: usize = 20;

/// What every sample belongs to, by its key and by that of its id without the locale: its group, or, where there are few
/// groups, its base or its conversation.
fn groups(bench: &Bench) -> anyhow::Result<BTreeMap<u64, u64>> {
    let (mut groups, mut bases) = (BTreeMap::new(), BTreeMap::new());
    let read = bench.each::<BenchError>(&mut |sample| {
        let id = sample.id.as_str();
        let conversation = sample.snapshot.as_ref().map(|snapshot| &snapshot.conversation);
        let base = sample.base.as_ref().or(conversation).map_or(id, |base| base.as_str());
        let bare = id.strip_prefix(&format!("{}/", sample.locale));
        for id in [Some(id), bare].into_iter().flatten() {
            groups.insert(Paired::key(id), Paired::key(&sample.group));
            bases.insert(Paired::key(id), Paired::key(base));
        }
        Ok(())
    });
    // A benchmark that breaks off was told of before; what was read of it is enough here.
    read.or_else(|error| if groups.is_empty() { Err(Complaint::from(error)) } else { Ok(()) })?;
    let is_enough = groups.values().collect::<BTreeSet<_>>().len() >= ENOUGH;
    Ok(if is_enough { groups } else { bases })
}

fn table(paired: &Paired, found: &[Difference]) -> Option<Table> {
    let mut figures: Vec<Mark> = Vec::new();
    for difference in found {
        if !figures.contains(&difference.figure) {
            figures.push(difference.figure);
        }
    }
    let first = paired.models().first()?;
    let titles: Vec<&str> = figures.iter().map(|figure| figure.title()).collect();
    let mut table = Table::new("compared", &format!("Compared with {first}, item by item"), &["Model"], &titles);
    for model in paired.models().iter().skip(1) {
        let of = |figure: &Mark| found.iter().find(|it| it.model == *model && it.figure == *figure);
        let cell = |it: Option<&Difference>| Cell::Change(it.map(|it| shown(it.first)), it.map(|it| shown(it.change)));
        table.add(&[model], figures.iter().map(|figure| cell(of(figure))).collect());
    }
    (!table.is_empty()).then_some(table)
}

fn shown(it: Estimate) -> Figure {
    Figure { value: it.value, low: it.low, high: it.high, n: it.n }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fcgen::record::{Object, Verdict};
    use fcgen::report::{Form, write};

    fn paired() -> Paired {
        let mut paired = Paired::default();
        for at in 0..40 {
            for (model, right) in [("one", at % 2 == 0), ("two", at % 4 == 0), ("three", true)] {
                let verdict = Verdict::new(&format!("i{at}"), None, Object::new()).marked(Mark::Right, right);
                paired.add(&Verdict { predictions: model.to_owned(), ..verdict });
            }
        }
        paired
    }

    #[test]
    fn each_other_model_has_a_row_in_every_form() {
        let it = paired();
        let tables: Vec<Table> = table(&it, &it.differences(&BTreeMap::new(), 7)).into_iter().collect();
        let text = write(&tables, &[], Form::Text).unwrap();
        assert!(text.contains("Compared with one, item by item") && text.contains("50.00% +50.00 ±"), "{text}");
        assert_eq!(write(&tables, &[], Form::Csv).unwrap().lines().count(), 5);
        let json: serde_json::Value = serde_json::from_str(&write(&tables, &[], Form::Json).unwrap()).unwrap();
        assert_eq!(json["tables"][0]["rows"][1]["Right"]["change"]["value"], 0.5);
    }

    #[test]
    fn one_model_has_nothing_beside_it() {
        assert_eq!(table(&Paired::default(), &[]), None);
    }
}
