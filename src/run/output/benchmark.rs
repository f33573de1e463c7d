//! The suite's own files, below `benchmark/`.

use crate::assets::Assets;
use crate::config::{BfclVersion, Format, PipelineConfig};
use crate::failure::RunError;
use crate::fs::AtomicFile;
use crate::record::{Dialogue, Expected, Item, ItemId, MULTI_TURN, Record, Sample, Tool};
use crate::run::output::functionchat_files::FunctionchatFiles;
use crate::run::output::suite_files::{BfclFiles, CallnaviFiles, ComplexfuncFiles};
use crate::suite::bfcl::layout::Version;
use crate::suite::hammerbench::layout::{ArrayWriter, HammerItem, MARKED, Numbers, SINGLE_TURN};
use crate::toolset::Toolset;
use indexmap::IndexMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files that are being written.
pub(crate) enum Benchmark {
    /// The pipeline wants none.
    None,
    /// HammerBench's.
    Hammer(Box<HammerFiles>),
    /// CallNavi's.
    Callnavi(CallnaviFiles),
    /// ComplexFuncBench's.
    Complexfunc(ComplexfuncFiles),
    /// FunctionChat-Bench's.
    Functionchat(Box<FunctionchatFiles>),
    /// BFCL's, or CONFETTI's in its shape.
    Bfcl(Box<BfclFiles>),
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
pub(crate) struct HammerFiles {
    by_type: IndexMap<&'static str, ArrayWriter<AtomicFile>>,
    /// Of the data types whose marked turns have a file of their own.
    marked: IndexMap<&'static str, ArrayWriter<AtomicFile>>,
    snapshots: ArrayWriter<AtomicFile>,
    multi_turn: ArrayWriter<AtomicFile>,
    numbers: Numbers,
    tools: IndexMap<String, Arc<Tool>>,
}

impl Benchmark {
    /// Begins the files below `folder`.
    pub(crate) fn create(
        assets: &Assets,
        folder: &Path,
        locale: &str,
        pipeline: &PipelineConfig,
        toolset: &Toolset,
    ) -> Result<Self, RunError> {
        let tools = &toolset.tools;
        let version = match pipeline.bfcl_version {
            BfclVersion::V2 => Version::V2,
            BfclVersion::V4 => Version::V4,
        };
        Ok(match pipeline.format {
            Format::Jsonl => Self::None,
            Format::Callnavi => Self::Callnavi(CallnaviFiles::create(folder, tools)?),
            Format::Complexfunc => Self::Complexfunc(ComplexfuncFiles::create(folder, toolset)?),
            Format::Functionchat => Self::Functionchat(Box::new(FunctionchatFiles::create(assets, folder, locale))),
            Format::Confetti => Self::Bfcl(Box::new(BfclFiles::confetti(folder, version))),
            Format::Bfcl => Self::Bfcl(Box::new(BfclFiles::bfcl(folder, version))),
            Format::Toolset => {
                Self::Toolset { folder: folder.to_owned(), locale: locale.to_owned(), tools: Vec::new() }
            }
            Format::Hammerbench => {
                Self::Hammer(Box::new(HammerFiles::create(&folder.join("data").join(locale), tools)?))
            }
        })
    }

    /// Adds a record, if it is one that the files are made of.
    pub(crate) fn add(&mut self, item: &Item) -> Result<(), RunError> {
        match (self, &item.record) {
            (Self::Hammer(files), Record::Sample(sample)) => files.add(sample),
            (Self::Callnavi(files), Record::Sample(sample)) => files.add(sample),
            (Self::Complexfunc(files), Record::Sample(sample)) => files.add(sample),
            (Self::Functionchat(files), Record::Sample(sample)) => {
                files.add(sample);
                Ok(())
            }
            (Self::Hammer(files), Record::Dialogue(dialogue)) => files.add_dialogue(&item.id, dialogue),
            (Self::Toolset { tools, .. }, Record::Tool(tool)) => {
                tools.push(tool.clone());
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Adds a sample as it is written everywhere: with everything that is as right, and of a dialogue each turn.
    pub(crate) fn add_sample(&mut self, sample: &Sample) -> Result<(), RunError> {
        if let Self::Bfcl(files) = self { files.add(sample) } else { Ok(()) }
    }

    /// Writes what is left.
    pub(crate) fn finish(self) -> Result<(), RunError> {
        match self {
            Self::None => Ok(()),
            Self::Bfcl(files) => files.finish(),
            Self::Callnavi(files) => files.finish(),
            Self::Complexfunc(files) => files.finish(),
            Self::Functionchat(files) => files.finish(),
            Self::Hammer(files) => {
                let HammerFiles { by_type, marked, snapshots, multi_turn, .. } = *files;
                let writers = by_type.into_values().chain(marked.into_values()).chain([snapshots, multi_turn]);
                Ok(writers.into_iter().try_for_each(|writer| writer.finish()?.finish())?)
            }
            Self::Toolset { folder, locale, tools } => Ok(crate::toolset::write_folder(&folder, &locale, &tools)?),
        }
    }
}

impl HammerFiles {
    fn create(data: &Path, tools: &[Arc<Tool>]) -> Result<Self, RunError> {
        let array = |path: PathBuf| -> Result<_, RunError> { Ok(ArrayWriter::new(AtomicFile::create(&path)?)) };
        let dialogues = data.join("multi-turn");
        let single = SINGLE_TURN.map(|name| (name, data.join("single-turn").join(format!("{name}.json"))));
        let multi = MULTI_TURN.map(|(name, file)| (name, dialogues.join(format!("{file}.json"))));
        let marked = MARKED.map(|name| (name, dialogues.join("snapshot_id").join(format!("snap_shot_id_{name}.json"))));
        let open = |(name, path): (&'static str, PathBuf)| Ok((name, array(path)?));
        Ok(Self {
            by_type: single.into_iter().chain(multi).map(open).collect::<Result<_, RunError>>()?,
            marked: marked.into_iter().map(open).collect::<Result<_, RunError>>()?,
            snapshots: array(data.join("single-turn.json"))?,
            multi_turn: array(data.join("multi-turn.json"))?,
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

    /// A dialogue: once whole, once for each of its turns, and the places of its marked turns.
    fn add_dialogue(&mut self, id: &ItemId, dialogue: &Dialogue) -> Result<(), RunError> {
        let name = dialogue.data_type.0.as_str();
        let Some(number) = self.numbers.conversation(id, &dialogue.frame.group, dialogue) else { return Ok(()) };
        let turns = dialogue.turns.len();
        if let Some(writer) = self.by_type.get_mut(name) {
            writer.add(&HammerItem::dialogue(dialogue, number, turns))?;
        }
        if let Some(writer) = self.marked.get_mut(name) {
            let places = dialogue.turns.iter().enumerate().filter(|(_, turn)| turn.marked).map(|(at, _)| at);
            writer.add(&places.collect::<Vec<_>>())?;
        }
        for turn in 0..turns {
            let item = HammerItem::dialogue(dialogue, number, turn);
            self.multi_turn.add(&item.with_snapshot_id(name, number, turn + 1))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Provenance;
    use std::fs;

    fn sample() -> Record {
        Record::Sample(Box::new(crate::run::testing::sample("a/x/0")))
    }

    fn write(format: Format, record: &Record) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let pipeline = PipelineConfig { format, ..PipelineConfig::default() };
        let mut benchmark = Benchmark::create(
            crate::fixtures::assets(),
            &folder.path().join("b"),
            "en",
            &pipeline,
            &Toolset::default(),
        )
        .unwrap();
        let id = ItemId::root("a/x/0");
        let item = Item { root: id.clone(), id, record: record.clone(), provenance: Provenance::default() };
        benchmark.add(&item).unwrap();
        if let Record::Sample(sample) = record {
            benchmark.add_sample(sample).unwrap();
        }
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
    fn a_question_goes_into_the_file_of_its_domain() {
        let mut sample = crate::run::testing::sample("bank.play/x/0");
        (sample.suite, sample.group) = ("callnavi".into(), "bank".to_owned());
        let folder = write(Format::Callnavi, &Record::Sample(Box::new(sample)));
        let text = fs::read_to_string(folder.path().join("b/Dataset/Questions/bank.json")).unwrap();
        assert!(text.contains(r#""id": "ban001""#) && text.contains("play a song"), "{text}");
    }

    #[test]
    fn a_chain_of_calls_goes_into_the_file_of_rows() {
        let mut sample = crate::run::testing::sample("inns/x/0");
        sample.suite = "complexfuncbench".into();
        sample.data_type.0 = "Inns".to_owned();
        sample.expected = Expected::Steps(Vec::new());
        let folder = write(Format::Complexfunc, &Record::Sample(Box::new(sample)));
        let text = fs::read_to_string(folder.path().join("b/ComplexFuncBench.jsonl")).unwrap();
        assert!(text.starts_with(r#"{"id":"Inns-0","conversations":[{"role":"user""#), "{text}");
    }

    #[test]
    fn a_call_goes_into_the_file_of_its_category_and_a_conversations_into_its_own() {
        let sample = crate::suite::confetti::layout::testing::call_item("t/0", 1);
        let record = Record::Sample(Box::new(sample));
        let bfcl = write(Format::Bfcl, &record);
        assert!(bfcl.path().join("b/data/possible_answer/BFCL_v4_multiple.json").is_file());
        let confetti = write(Format::Confetti, &record);
        assert!(confetti.path().join("b/data/BFCL_v4_conversationsclean.json").is_file());
        assert!(write(Format::Confetti, &self::sample()).path().read_dir().unwrap().next().is_none());
    }

    #[test]
    fn where_no_files_are_wanted_there_are_none() {
        assert!(!write(Format::Jsonl, &sample()).path().join("b").exists());
    }
}
