//! Verdicts on ComplexFuncBench's vectors: trajectories of scripted models, each gone through by the rules of three runners.

use super::lines::{fields, steps};
use super::script::{Script, Tables, Toolset};
use crate::format::complexfunc::Row;
use crate::record::Object;
use crate::score::complexfunc::{Dialect, Golden, Machine, Rules, Similarity, play};
use crate::suite::VectorError;
use crate::suite::vectors::{each_line, read};
use indexmap::IndexMap;
use std::path::Path;
use std::sync::Arc;

/// A sample made ready for each of the three.
type Sample = [Golden; 3];

/// Judges a set, one line for each trajectory and dialect.
pub fn verdicts(folder: &Path, set: &str, give: &mut dyn FnMut(Object)) -> Result<(), VectorError> {
    let toolset = Toolset::read(&folder.join("toolset.json"))?;
    let samples = samples(&folder.join("samples.jsonl"), &toolset)?;
    let path = folder.join(format!("api-{set}.json"));
    let tables = Tables::read(&path)?;
    let path = folder.join(format!("trajectories-{set}.jsonl"));
    let text = read(&path)?;
    let mut faults = None;
    each_line(&path, &text, |line| {
        let script = Script::read(line)?;
        match samples.get(&script.sample_id) {
            Some(sample) => sample.iter().for_each(|golden| give(verdict(golden, &script, &toolset, &tables))),
            None => faults = faults.take().or(Some(script.sample_id)),
        }
        Ok(())
    })?;
    let unknown = |id| VectorError::Line { path: path.clone(), line: 0, problem: format!("no sample `{id}`") };
    faults.map_or(Ok(()), |id| Err(unknown(id)))
}

fn samples(path: &Path, toolset: &Toolset) -> Result<IndexMap<String, Sample>, VectorError> {
    let (text, mut samples) = (read(path)?, IndexMap::new());
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let fault = |error: crate::format::complexfunc::RowError| VectorError::Line {
            path: path.to_owned(),
            line: at + 1,
            problem: error.to_string(),
        };
        let row = Row::read(line).map_err(fault)?;
        let (steps, tools) = (row.steps().map_err(fault)?, row.tools().map_err(fault)?);
        let settings = Arc::new(toolset.settings.clone());
        let golden = Dialect::ALL.map(|it| Golden::new(&steps, &tools, settings.clone(), Rules::Upstream(it)));
        samples.insert(row.id, golden);
    }
    Ok(samples)
}

fn verdict(golden: &Golden, script: &Script, toolset: &Toolset, tables: &Tables) -> Object {
    let machine = Machine::new(golden, Similarity::Trigram256).traced();
    let outcome = play(machine, &mut script.oracle(toolset, tables));
    let dialect = if let Rules::Upstream(dialect) = golden.rules() { dialect.as_str() } else { "strict" };
    let mut line = Object::new();
    let key = format!("{}/{dialect}", script.id);
    let names = [
        ("key", key.as_str()),
        ("id", &script.id),
        ("dialect", dialect),
        ("sample_id", &script.sample_id),
        ("behaviour", &script.behaviour),
    ];
    line.extend(names.map(|(name, text)| (name.to_owned(), text.into())));
    line.extend(fields(golden, &outcome));
    line.insert("steps".to_owned(), steps(golden, &outcome));
    line
}
