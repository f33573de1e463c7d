//! The suite's own files, below `benchmark/`.

use super::RunError;
use super::aside::Aside;
use crate::config::Format;
use crate::format::hammerbench::{ArrayWriter, HammerItem, Numbers, SINGLE_TURN};
use crate::record::{Expected, Record, Sample, Tool};
use indexmap::IndexMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files that are being written.
pub(super) enum Benchmark {
    /// The pipeline wants none.
    None,
    /// HammerBench's.
    Hammer(Box<HammerFiles>),
    /// A toolset's; its files hold a category each, so that its tools are gathered.
    Toolset {
        /// Where they are written.
        folder: PathBuf,
        /// Of the tools' texts.
        locale: String,
        /// The tools so far.
        tools: Vec<Arc<Tool>>,
    },
}

/// HammerBench's files.
pub(super) struct HammerFiles {
    by_type: IndexMap<&'static str, ArrayWriter<Aside>>,
    snapshots: ArrayWriter<Aside>,
    numbers: Numbers,
    tools: IndexMap<String, Arc<Tool>>,
}

impl Benchmark {
    /// Begins the files below `folder`.
    pub(super) fn create(folder: &Path, locale: &str, format: Format, tools: &[Arc<Tool>]) -> Result<Self, RunError> {
        Ok(match format {
            Format::Jsonl => Self::None,
            Format::Toolset => {
                Self::Toolset { folder: folder.to_owned(), locale: locale.to_owned(), tools: Vec::new() }
            }
            Format::Hammerbench => {
                Self::Hammer(Box::new(HammerFiles::create(&folder.join("data").join(locale), tools)?))
            }
        })
    }

    /// Adds a record, if it is one that the files are made of.
    pub(super) fn add(&mut self, record: &Record) -> Result<(), RunError> {
        match (self, record) {
            (Self::Hammer(files), Record::Sample(sample)) => files.add(sample),
            (Self::Toolset { tools, .. }, Record::Tool(tool)) => {
                tools.push(tool.clone());
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Writes what is left.
    pub(super) fn finish(self) -> Result<(), RunError> {
        match self {
            Self::None => Ok(()),
            Self::Hammer(files) => {
                for (_, writer) in files.by_type {
                    writer.finish()?.finish()?;
                }
                Ok(files.snapshots.finish()?.finish()?)
            }
            Self::Toolset { folder, locale, tools } => Ok(crate::toolset::write_folder(&folder, &locale, &tools)?),
        }
    }
}

impl HammerFiles {
    fn create(data: &Path, tools: &[Arc<Tool>]) -> Result<Self, RunError> {
        let array = |path: PathBuf| -> Result<_, RunError> { Ok(ArrayWriter::new(Aside::create(&path)?)) };
        let by_type = SINGLE_TURN
            .into_iter()
            .map(|name| Ok((name, array(data.join("single-turn").join(format!("{name}.json")))?)))
            .collect::<Result<_, RunError>>()?;
        Ok(Self {
            by_type,
            snapshots: array(data.join("single-turn.json"))?,
            numbers: Numbers::default(),
            tools: tools.iter().map(|tool| (tool.name.clone(), tool.clone())).collect(),
        })
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn sample() -> Record {
        Record::Sample(Box::new(crate::run::testing::sample("a/x/0")))
    }

    fn write(format: Format, record: &Record) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let mut benchmark = Benchmark::create(&folder.path().join("b"), "en", format, &[]).unwrap();
        benchmark.add(record).unwrap();
        benchmark.finish().unwrap();
        folder
    }

    #[test]
    fn a_sample_goes_into_the_file_of_its_type_and_into_the_snapshots() {
        let folder = write(Format::Hammerbench, &sample());
        let read = |name: &str| fs::read_to_string(folder.path().join("b/data/en").join(name)).unwrap();
        assert!(read("single-turn/ST_Perfect.json").contains("play a song"));
        assert!(read("single-turn.json").contains("play a song"));
        assert_eq!(read("single-turn/ir_ST_Perfect.json").trim(), "[]");
    }

    #[test]
    fn tools_become_a_toolset() {
        let tool = Tool { name: "Media.Radio.play".to_owned(), ..Tool::default() };
        let folder = write(Format::Toolset, &Record::Tool(Arc::new(tool)));
        assert!(folder.path().join("b/tools/Media.Radio.toml").is_file());
        assert!(folder.path().join("b/en/Media.Radio.toml").is_file());
    }

    #[test]
    fn where_no_files_are_wanted_there_are_none() {
        assert!(!write(Format::Jsonl, &sample()).path().join("b").exists());
    }
}
