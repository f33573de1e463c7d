//! Writes what a run made: `samples.jsonl`, `benchmark/`, `rejects.jsonl`, in the order of ids.

use super::RunError;
use super::aside::Aside;
use super::graph::Graph;
use super::store::Store;
use crate::config::Format;
use crate::format::hammerbench::{ArrayWriter, HammerItem, Numbers, SINGLE_TURN};
use crate::record::{Expected, Item, Record, Reject, Sample, Tool};
use crate::stage::Scan;
use indexmap::IndexMap;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What was written.
#[derive(Debug, Default)]
pub(super) struct Emitted {
    /// Samples by data type; rows and tools by kind.
    pub(super) by_type: BTreeMap<String, usize>,
    /// Rejects by reason.
    pub(super) by_reason: BTreeMap<String, usize>,
}

/// Runs the stages of run scope over all items and writes everything.
pub(super) fn emit(
    store: &Store,
    graph: &Graph,
    folder: &Path,
    locale: &str,
    format: Format,
    tools: &[Arc<Tool>],
) -> Result<Emitted, RunError> {
    let mut emitted = Emitted::default();
    let mut samples = Aside::create(&folder.join("samples.jsonl"))?;
    let mut benchmark = Benchmark::create(&folder.join("benchmark"), locale, format, tools)?;
    let mut late: Vec<Reject> = Vec::new();
    let mut scans: Vec<(usize, Scan)> = graph
        .closing
        .iter()
        .map(|index| (*index, graph.nodes[*index].stage.new_scan(&graph.nodes[*index].context)))
        .collect();
    store.items(|item| {
        for item in close(graph, &mut scans, item, &mut late) {
            *emitted.by_type.entry(kind_of(&item)).or_default() += 1;
            write_line(&mut samples, &item)?;
            benchmark.add(&item)?;
        }
        Ok(())
    })?;
    samples.finish()?;
    benchmark.finish()?;
    emitted.by_reason = emit_rejects(store, folder, &late)?;
    Ok(emitted)
}

/// Passes one item through the stages of run scope.
fn close(graph: &Graph, scans: &mut [(usize, Scan)], item: Item, late: &mut Vec<Reject>) -> Vec<Item> {
    let mut items = vec![item];
    for (index, scan) in scans {
        let node = &graph.nodes[*index];
        let outcome = node.stage.scan(&node.context, scan, items);
        late.extend(outcome.rejected);
        items = outcome.kept;
    }
    items
}

fn emit_rejects(store: &Store, folder: &Path, late: &[Reject]) -> Result<BTreeMap<String, usize>, RunError> {
    let mut by_reason: BTreeMap<String, usize> = BTreeMap::new();
    let mut file = Aside::create(&folder.join("rejects.jsonl"))?;
    let mut write = |reject: &Reject| -> Result<(), RunError> {
        *by_reason.entry(reject.reason.clone()).or_default() += 1;
        serde_json::to_writer(&mut file, reject)?;
        Ok(file.write_all(b"\n")?)
    };
    store.rejects(|reject| write(&reject))?;
    late.iter().try_for_each(&mut write)?;
    file.finish()?;
    Ok(by_reason)
}

fn kind_of(item: &Item) -> String {
    match &item.record {
        Record::Sample(sample) => sample.data_type.0.clone(),
        other => format!("{:?}", other.kind()).to_lowercase(),
    }
}

/// One line: the sample itself, or whatever else the pipeline yields with its id and provenance.
fn write_line(file: &mut Aside, item: &Item) -> Result<(), RunError> {
    match &item.record {
        Record::Sample(sample) => {
            let sample = Sample { provenance: item.provenance.clone(), ..(**sample).clone() };
            serde_json::to_writer(&mut *file, &sample)?;
        }
        _ => serde_json::to_writer(&mut *file, item)?,
    }
    Ok(file.write_all(b"\n")?)
}

/// The suite's own files.
enum Benchmark {
    None,
    Hammer(Box<HammerFiles>),
    Toolset { folder: PathBuf, locale: String, tools: Vec<Arc<Tool>> },
}

struct HammerFiles {
    by_type: IndexMap<&'static str, ArrayWriter<Aside>>,
    snapshots: ArrayWriter<Aside>,
    numbers: Numbers,
    tools: IndexMap<String, Arc<Tool>>,
}

impl Benchmark {
    fn create(folder: &Path, locale: &str, format: Format, tools: &[Arc<Tool>]) -> Result<Self, RunError> {
        match format {
            Format::Jsonl => Ok(Self::None),
            Format::Toolset => {
                Ok(Self::Toolset { folder: folder.to_owned(), locale: locale.to_owned(), tools: Vec::new() })
            }
            Format::Hammerbench => {
                let data = folder.join("data").join(locale);
                let array = |path: PathBuf| -> Result<_, RunError> { Ok(ArrayWriter::new(Aside::create(&path)?)) };
                let by_type = SINGLE_TURN
                    .into_iter()
                    .map(|name| Ok((name, array(data.join("single-turn").join(format!("{name}.json")))?)))
                    .collect::<Result<_, RunError>>()?;
                Ok(Self::Hammer(Box::new(HammerFiles {
                    by_type,
                    snapshots: array(data.join("single-turn.json"))?,
                    numbers: Numbers::default(),
                    tools: tools.iter().map(|tool| (tool.name.clone(), tool.clone())).collect(),
                })))
            }
        }
    }

    fn add(&mut self, item: &Item) -> Result<(), RunError> {
        match (self, &item.record) {
            (Self::Hammer(files), Record::Sample(sample)) => files.add(sample),
            (Self::Toolset { tools, .. }, Record::Tool(tool)) => {
                tools.push(tool.clone());
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn finish(self) -> Result<(), RunError> {
        match self {
            Self::None => Ok(()),
            Self::Hammer(files) => {
                for (_, writer) in files.by_type {
                    writer.finish()?.finish()?;
                }
                Ok(files.snapshots.finish()?.finish()?)
            }
            Self::Toolset { folder, locale, tools } => {
                crate::toolset::write_folder(&folder, &locale, &tools).map_err(RunError::from)
            }
        }
    }
}

impl HammerFiles {
    fn add(&mut self, sample: &Sample) -> Result<(), RunError> {
        let item = HammerItem::of(sample);
        let name = sample.data_type.0.as_str();
        if let Some(writer) = self.by_type.get_mut(name) {
            writer.add(&item)?;
        }
        let call = match &sample.expected {
            Expected::Call(call) => Some(call),
            _ => sample.label.as_ref(),
        };
        let gold = call.and_then(|call| self.tools.get(&call.name));
        let number = self.numbers.number(sample);
        Ok(self.snapshots.add(&item.snapshot(name, number, gold.map(|tool| &**tool)))?)
    }
}
