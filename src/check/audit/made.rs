//! By whom the texts were written, and what it took.

use super::Measure;
use super::figure::{Cell, Figure, share};
use crate::lint::entry::Entry;
use crate::llm::StageUsage;
use crate::run::Manifest;
use std::collections::BTreeMap;
use std::path::Path;

/// Counts turns with text of templates by data type, where samples say who wrote them.
#[derive(Default)]
pub(super) struct Templates(BTreeMap<String, (usize, usize)>);

const WHAT: &str = "user turns that contain template text (including the assistant message before them) / turns, by \
    data type and overall; the built-in model writes from templates, and some stages insert template text into text \
    that a model wrote";

impl Measure for Templates {
    fn see(&mut self, entry: &Entry) {
        let provenance = &entry.sample.provenance;
        if !provenance.template && provenance.draws.is_empty() {
            return;
        }
        let turns = self.0.entry(entry.sample.data_type.0.clone()).or_default();
        for by_template in entry.sample.own_turns() {
            *turns = (turns.0 + usize::from(by_template), turns.1 + 1);
        }
    }

    fn figure(&self) -> Figure {
        if self.0.is_empty() {
            return Figure::missing("templates", WHAT, "the samples do not record the model that wrote them");
        }
        let (some, all) = self.0.values().fold((0, 0), |sum, turns| (sum.0 + turns.0, sum.1 + turns.1));
        let types = self.0.iter().map(|(name, (some, all))| Cell::share(name.clone(), *some, *all));
        Figure::new("templates", WHAT, std::iter::once(Cell::share("all", some, all)).chain(types).collect())
    }
}

const PRICE: &str = "answered requests, and batch rounds, per accepted item: for each stage per item it let through, \
    overall per sample; includes rejected items and retries. A batch round is the set of requests that can be sent \
    before any answer is needed";

/// What the run in the folder took for each item that a stage let through.
pub(super) fn price(folder: &Path) -> Figure {
    let missing = |why| Figure::missing("price", PRICE, why);
    let Ok(text) = std::fs::read_to_string(folder.join("manifest.json")) else {
        return missing("no `manifest.json` next to the benchmark");
    };
    let Ok(manifest) = serde_json::from_str::<Manifest>(&text) else {
        return missing("the `manifest.json` next to the benchmark could not be parsed");
    };
    let samples: usize = manifest.samples.values().sum();
    let mut cells: Vec<Cell> =
        of("all", &manifest.usage.iter().collect::<Vec<_>>(), samples, |row| row.waves_begun).collect();
    for stage in &manifest.stages {
        let rows: Vec<&StageUsage> = manifest.usage.iter().filter(|row| row.stage == stage.name).collect();
        cells.extend(of(&stage.name, &rows, stage.kept, |row| row.waves));
    }
    // What belongs to no stage: banks that stages fill.
    for row in manifest.usage.iter().filter(|row| manifest.stages.iter().all(|stage| stage.name != row.stage)) {
        cells.extend(of(&row.stage, &[row], samples, |row| row.waves));
    }
    if cells.is_empty() { missing("no remote model was used") } else { Figure::new("price", PRICE, cells) }
}

fn of(name: &str, rows: &[&StageUsage], items: usize, waves: fn(&StageUsage) -> u64) -> impl Iterator<Item = Cell> {
    let sum = |of: &dyn Fn(&StageUsage) -> u64| {
        usize::try_from(rows.iter().map(|row| of(row)).sum::<u64>()).unwrap_or(usize::MAX)
    };
    let cell = |what: &str, count: usize| {
        (count > 0)
            .then(|| Cell::new(format!("{name}: {what}"), share(count, items), items).with(format!("{count} {what}")))
    };
    let answered = sum(&StageUsage::answered);
    [cell("requests", answered), cell("waves", sum(&waves))].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{entry, said, snapshots};
    use crate::record::Draw;

    #[test]
    fn turns_are_counted_where_samples_say_who_wrote_them() {
        let mut measure = Templates::default();
        measure.see(&entry(said("a", "ST_Perfect", "x", "{}")));
        assert!(measure.figure().missing.is_some());
        let draw = Draw { stage: "ask".to_owned(), model: "m".to_owned(), prompt: "p".to_owned(), draw: 0 };
        for mut turn in snapshots("b/0", "SO_case1", &["{}", r#"{"to": "Porto"}"#]) {
            turn.sample.provenance.draws.push(draw.clone());
            turn.sample.provenance.note_templates(&[false, true]);
            measure.see(&turn);
        }
        let figure = measure.figure();
        assert_eq!((figure.cell("all").unwrap().value, figure.cell("SO_case1").unwrap().n), (0.5, 2));
    }

    #[test]
    fn the_price_of_a_run_is_told_by_stage_and_in_all() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(price(folder.path()).missing.as_deref(), Some("no `manifest.json` next to the benchmark"));
        let text = r#"{"fcgen": "0.1.0", "pipeline": "p", "locale": "en", "seed": 7, "plan_hash": "x", "template": false, "licence": "",
            "prompts": {}, "counted": {}, "models": {}, "samples": {"a": 4}, "rejects": {}, "owed": {}, "wall_seconds": 1,
            "stages": [{"name": "ask", "kind": "perfect_queries", "came": 9, "kept": 8, "rejected": 1}],
            "usage": [{"stage": "ask", "model": "m", "requests": 9, "cache_hits": 0, "attempts": 9, "retries": 0, "failures": 1,
                "prompt_tokens": 1, "completion_tokens": 1, "cost": 0, "waves": 2, "waves_begun": 2},
               {"stage": "banks", "model": "m", "requests": 4, "cache_hits": 0, "attempts": 4, "retries": 0, "failures": 0,
                "prompt_tokens": 1, "completion_tokens": 1, "cost": 0, "waves": 2, "waves_begun": 0}]}"#;
        std::fs::write(folder.path().join("manifest.json"), text).unwrap();
        let figure = price(folder.path());
        let cells: Vec<_> = figure.cells.iter().map(|cell| (cell.slice.as_str(), cell.value, cell.n)).collect();
        assert_eq!(
            cells,
            [
                ("all: requests", 3.0, 4),
                ("all: waves", 0.5, 4),
                ("ask: requests", 1.0, 8),
                ("ask: waves", 0.25, 8),
                ("banks: requests", 1.0, 4),
                ("banks: waves", 0.5, 4)
            ]
        );
    }
}
