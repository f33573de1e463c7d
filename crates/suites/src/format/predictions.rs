//! What models said, found again by the id of the sample: our own lines, and the logs of HammerBench's authors.
//!
//! Of a long file only ids and places are kept; a line is read again when its sample is scored.

use super::said::Said;
use crate::hammerbench::layout::SINGLE_TURN;
use crate::record::{BorrowedObject, BorrowedValue, MULTI_TURN, Paradigm, SuiteName, elements};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The authors' file of conversations, and the one of what was said in them.
const CONVERSATIONS: [&str; 2] = ["MT_0.json", "MT_res.json"];
/// Our own file.
pub(super) const OURS: &str = "predictions.jsonl";

/// A file of predictions.
#[derive(Debug)]
pub struct Predictions {
    path: PathBuf,
    source: Source,
    /// Where the predictions of a sample stand, by id and run.
    places: IndexMap<String, Vec<(u32, Range<u64>)>>,
    /// Lines that could not be read, with their places and what is wrong.
    faults: Vec<(usize, String)>,
}

/// Where the text is.
#[derive(Debug)]
enum Source {
    Lines(RefCell<BufReader<File>>),
    Text(String),
}

/// Why there are no predictions.
#[derive(Debug, thiserror::Error)]
pub enum PredictionsError {
    /// A file cannot be read.
    #[error("cannot read `{}`", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// A file is not what it seemed to be.
    #[error("`{}`: {problem}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}

#[derive(Deserialize)]
struct Conversation<'t> {
    #[serde(rename = "FC_res", borrow)]
    turns: Vec<&'t RawValue>,
}

impl Predictions {
    /// Opens a file, or a folder that holds one. A line that cannot be read is kept as a fault and stops nothing.
    pub fn open(path: &Path) -> Result<Self, PredictionsError> {
        let inside = [CONVERSATIONS[1], OURS].map(|name| path.join(name)).into_iter().find(|path| path.is_file());
        let path = inside.filter(|_| path.is_dir()).unwrap_or_else(|| path.to_owned());
        let io = |source| PredictionsError::Io { path: path.clone(), source };
        let mut file = BufReader::new(File::open(&path).map_err(io)?);
        let first = first_letter(&mut file).map_err(io)?;
        let mut found = Self { source: Source::Text(String::new()), places: IndexMap::new(), faults: Vec::new(), path };
        if first == Some(b'[') {
            let mut text = String::new();
            let io = |source| PredictionsError::Io { path: found.path.clone(), source };
            file.read_to_string(&mut text).map_err(io)?;
            found.index_array(&text)?;
            found.source = Source::Text(text);
        } else {
            let indexed = found.index_lines(&mut file);
            indexed.map_err(|source| PredictionsError::Io { path: found.path.clone(), source })?;
            found.source = Source::Lines(RefCell::new(file));
        }
        Ok(found)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Lines that could not be read: their places (lines or elements, from 1) and what is wrong.
    pub fn faults(&self) -> &[(usize, String)] {
        &self.faults
    }

    /// How many samples there are predictions of.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The runs that occur, in order.
    pub fn runs(&self) -> Vec<u32> {
        let mut runs: Vec<u32> = self.places.values().flatten().map(|(run, _)| *run).collect();
        runs.sort_unstable();
        runs.dedup();
        runs
    }

    /// What was said to a sample in a run; the error says why it cannot be read. Of several the last counts.
    pub fn find(&self, id: &str, run: u32) -> Option<Result<Said, String>> {
        Some(self.line(id, run)?.and_then(|text| Said::read(&text)))
    }

    /// The line of a sample in a run, as it stands in the file; the error says why it cannot be read. Of several the last
    /// counts.
    pub fn line(&self, id: &str, run: u32) -> Option<Result<String, String>> {
        let (_, place) = self.places.get(id)?.iter().rev().find(|(number, _)| *number == run)?;
        Some(self.text(place))
    }

    fn text(&self, place: &Range<u64>) -> Result<String, String> {
        let index = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        match &self.source {
            Source::Text(text) => Ok(text.get(index(place.start)..index(place.end)).unwrap_or_default().to_owned()),
            Source::Lines(file) => {
                let mut bytes = vec![0; index(place.end - place.start)];
                let mut file = file.borrow_mut();
                // Lines are mostly asked for in their order; then the next one is in the buffer already.
                let here = file.stream_position().map_err(|error| error.to_string())?;
                file.seek_relative(place.start.cast_signed() - here.cast_signed())
                    .map_err(|error| error.to_string())?;
                file.read_exact(&mut bytes).map_err(|error| error.to_string())?;
                String::from_utf8(bytes).map_err(|error| error.to_string())
            }
        }
    }

    fn index_lines(&mut self, file: &mut BufReader<File>) -> io::Result<()> {
        file.seek(SeekFrom::Start(0))?;
        let (mut line, mut start) = (Vec::new(), 0_u64);
        for number in 1.. {
            line.clear();
            let length = file.read_until(b'\n', &mut line)?;
            if length == 0 {
                break;
            }
            let place = start..start + length as u64;
            start = place.end;
            match std::str::from_utf8(&line).map(str::trim) {
                Ok("") => {}
                Ok(text) => self.index(number, text, place),
                Err(error) => self.faults.push((number, error.to_string())),
            }
        }
        Ok(())
    }

    /// An array: of lines as above, or of conversations with their turns.
    fn index_array(&mut self, text: &str) -> Result<(), PredictionsError> {
        let names = self
            .path
            .file_name()
            .is_some_and(|name| name == CONVERSATIONS[1])
            .then(|| self.conversations())
            .transpose()?;
        for (at, element) in elements(text).enumerate() {
            match element {
                Err(error) => self.faults.push((at + 1, error.to_string())),
                Ok(element) => match &names {
                    Some(names) => self.index_conversation(at, element, text, names),
                    None => self.index(at + 1, element, place_in(text, element)),
                },
            }
        }
        Ok(())
    }

    fn index_conversation(&mut self, at: usize, element: &str, text: &str, names: &[String]) {
        let read = serde_json::from_str::<Conversation<'_>>(element).map_err(|error| error.to_string());
        let named = names.get(at).ok_or_else(|| format!("`{}` does not have this conversation", CONVERSATIONS[0]));
        match read.and_then(|conversation| Ok((conversation, named?))) {
            Err(problem) => self.faults.push((at + 1, problem)),
            Ok((conversation, name)) => {
                for (turn, raw) in conversation.turns.iter().enumerate() {
                    self.add(format!("{name}_{}", turn + 1), 0, place_in(text, raw.get()));
                }
            }
        }
    }

    fn index(&mut self, number: usize, text: &str, place: Range<u64>) {
        let fields = match BorrowedObject::read_fields(text, &["id", "key", "run"]) {
            Ok(fields) => fields,
            Err(error) => return self.faults.push((number, error.to_string())),
        };
        let text = |value: &BorrowedValue<'_>| match value {
            BorrowedValue::Number(number) => Some((*number).to_owned()),
            other => other.as_str().map(str::to_owned),
        };
        let id = ["key", "id"].iter().find_map(|name| text(fields.get(name)?));
        let run = match fields.get("run") {
            Some(BorrowedValue::Number(run)) => run.parse().unwrap_or(0),
            _ => 0,
        };
        match id {
            Some(id) => self.add(id, run, place),
            None => self.faults.push((number, "missing `id`".to_owned())),
        }
    }

    fn add(&mut self, id: String, run: u32, place: Range<u64>) {
        self.places.entry(id).or_default().push((run, place));
    }

    /// The names of the conversations in the file beside this one: data type by the folder's name, and number.
    fn conversations(&self) -> Result<Vec<String>, PredictionsError> {
        let path = self.path.with_file_name(CONVERSATIONS[0]);
        let text =
            std::fs::read_to_string(&path).map_err(|source| PredictionsError::Io { path: path.clone(), source })?;
        let problem = |problem: String| PredictionsError::Format { path: path.clone(), problem };
        let known = || MULTI_TURN.iter().map(|(name, file)| (*name, *file)).chain(SINGLE_TURN.map(|name| (name, name)));
        let mut folders = self.path.ancestors().filter_map(|folder| folder.file_name()?.to_str());
        let data_type = folders.find_map(|folder| known().find(|(name, file)| folder == *name || folder == *file));
        let (data_type, _) =
            data_type.ok_or_else(|| problem("no parent folder is named after a data type".to_owned()))?;
        let name = |(at, element): (usize, Result<&str, crate::record::ValueError>)| {
            let element = element.map_err(|error| problem(error.to_string()))?;
            let fields = BorrowedObject::read_fields(element, &["id"]).map_err(|error| problem(error.to_string()))?;
            let number = match fields.get("id") {
                Some(BorrowedValue::Number(number)) => (*number).to_owned(),
                _ => at.to_string(),
            };
            Ok(format!("{}_{number}", data_type.replace('_', "-")))
        };
        elements(&text).enumerate().map(name).collect()
    }
}

/// Where a part of a text stands in it.
fn place_in(text: &str, part: &str) -> Range<u64> {
    let start = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize) as u64;
    start..start + part.len() as u64
}

fn first_letter(file: &mut BufReader<File>) -> io::Result<Option<u8>> {
    Ok(file.fill_buf()?.iter().copied().find(|byte| !byte.is_ascii_whitespace()))
}

// What a file of predictions was asked for and how: `predictions.meta.json` beside `predictions.jsonl`.

/// The number of this file's form.
const FORMAT: u32 = 1;

/// What predictions were asked for and how. `fcgen predict` writes it, `fcgen score` and `fcgen report` follow it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PredictionMeta {
    /// The number of the file's form.
    pub format: u32,
    /// Hash of the benchmark, by `Bench::fingerprint`.
    pub bench_hash: String,
    /// The suite of its samples.
    pub suite: SuiteName,
    /// What is right while required arguments are missing.
    pub paradigm: Paradigm,
    /// How the tools were handed to the model: `tools`, `prompt`, or `built-in`.
    pub mode: String,
    /// Whose prompts were used.
    #[serde(default)]
    pub prompts: PromptSource,
    /// The most samples that were asked about, where there was a limit.
    #[serde(default)]
    pub limit: Option<u64>,
    /// What the samples were drawn by, where they were drawn.
    #[serde(default)]
    pub seed: Option<u64>,
    /// Ids of the samples that were asked about, in the order of the benchmark.
    pub ids: Vec<String>,
    /// The model; absent for the built-in reader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The version that asked.
    pub fcgen: String,
}

/// Whose prompts were used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptSource {
    /// `fcgen` for those that ship, else the name of the folder that they were read from.
    pub name: String,
    /// Hash of that folder.
    #[serde(default)]
    pub hash: Option<String>,
}

impl Default for PromptSource {
    fn default() -> Self {
        Self { name: "fcgen".to_owned(), hash: None }
    }
}

impl PredictionMeta {
    /// The number that a new file bears.
    pub const FORMAT: u32 = FORMAT;

    /// Where it lies beside a file of predictions.
    pub fn path(predictions: &Path) -> PathBuf {
        predictions.with_extension("meta.json")
    }

    /// Reads what lies beside a file of predictions, or in the folder that holds one; nothing where there is no such file.
    pub fn read(predictions: &Path) -> Result<Option<Self>, PredictionsError> {
        let inside = predictions.is_dir().then(|| predictions.join(OURS));
        let path = Self::path(inside.as_deref().unwrap_or(predictions));
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(PredictionsError::Io { path, source }),
        };
        let meta: Self = serde_json::from_str(&text)
            .map_err(|error| PredictionsError::Format { path: path.clone(), problem: error.to_string() })?;
        if meta.format > FORMAT {
            let problem = format!("its `format` is {}, but this version of fcgen supports up to {FORMAT}", meta.format);
            return Err(PredictionsError::Format { path, problem });
        }
        Ok(Some(meta))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs;

    fn open(name: &str, text: &str) -> (tempfile::TempDir, Predictions) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let predictions = Predictions::open(&path).unwrap();
        (folder, predictions)
    }

    fn said(predictions: &Predictions, id: &str, run: u32) -> Option<String> {
        predictions.find(id, run).map(|said| said.unwrap().turn().unwrap().content.unwrap())
    }

    const LINES: &str = "{\"id\": \"a\", \"predict\": \"one\"}\n\noops\n{\"predict\": \"x\"}\n{\"id\": \"b\", \"run\": 1, \"predict\": \"두\"}\n{\"id\": \"a\", \"predict\": \"three\"}";

    #[test]
    fn lines_are_found_by_id_and_run_in_whatever_order() {
        let (_folder, it) = open("x.jsonl", LINES);
        assert_eq!(
            (said(&it, "b", 1), said(&it, "a", 0), said(&it, "b", 1)),
            (Some("두".to_owned()), Some("three".to_owned()), Some("두".to_owned()))
        );
        assert_eq!((said(&it, "b", 0), said(&it, "c", 0), it.len(), it.runs()), (None, None, 2, vec![0, 1]));
        let places: Vec<usize> = it.faults().iter().map(|(place, _)| *place).collect();
        assert_eq!(places, [3, 4]);
    }

    #[test]
    fn an_array_is_read_as_well() {
        let (_folder, it) =
            open("log.json", r#" [{"id": "a", "predict": "one"}, 5, {"id": "b", "predict": "two"}, {"id": "c""#);
        assert_eq!((said(&it, "a", 0), said(&it, "b", 0)), (Some("one".to_owned()), Some("two".to_owned())));
        assert_eq!((it.faults().len(), it.faults()[1].0), (2, 4));
    }

    #[test]
    fn conversations_are_named_by_folder_and_number() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("model/HammerBench_SO_case1");
        fs::create_dir_all(&at).unwrap();
        fs::write(at.join("MT_0.json"), r#"[{"id": 7, "messages": []}, {"id": 9}]"#).unwrap();
        fs::write(
            at.join("MT_res.json"),
            r#"[{"FC_res": [{"input": "", "predict": "one"}, {"predict": "two"}]}, {"FC_res": 5}, {"FC_res": []}]"#,
        )
        .unwrap();
        let it = Predictions::open(&at).unwrap();
        assert_eq!(
            (said(&it, "SO-case1_7_1", 0), said(&it, "SO-case1_7_2", 0)),
            (Some("one".to_owned()), Some("two".to_owned()))
        );
        assert_eq!(it.faults().len(), 2);
        fs::rename(&at, folder.path().join("model/other")).unwrap();
        let error = Predictions::open(&folder.path().join("model/other")).unwrap_err().to_string();
        assert!(error.ends_with("no parent folder is named after a data type"), "{error}");
    }

    #[test]
    fn nothing_is_told() {
        assert_eq!(Predictions::open(Path::new("/no/such")).unwrap_err().to_string(), "cannot read `/no/such`");
        let (_folder, it) = open("empty.jsonl", "");
        assert!(it.is_empty() && it.faults().is_empty());
    }

    #[test]
    fn an_id_may_be_a_number_and_a_key_goes_before_it() {
        let (_folder, it) = open(
            "x.jsonl",
            "{\"id\": 7, \"predict\": \"one\"}\n{\"id\": \"7\", \"key\": \"en/7\", \"predict\": \"two\"}\n",
        );
        assert_eq!((said(&it, "7", 0), said(&it, "en/7", 0)), (Some("one".to_owned()), Some("two".to_owned())));
    }

    #[test]
    fn a_line_that_is_no_text_is_a_fault_and_stops_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.jsonl");
        fs::write(
            &path,
            [
                b"{\"id\": \"a\", \"predict\": \"one\"}\n".as_slice(),
                &[0xff, b'\n'],
                b"{\"id\": \"b\", \"predict\": \"two\"}",
            ]
            .concat(),
        )
        .unwrap();
        let it = Predictions::open(&path).unwrap();
        assert_eq!((said(&it, "a", 0), said(&it, "b", 0)), (Some("one".to_owned()), Some("two".to_owned())));
        assert!(matches!(it.faults(), [(2, problem)] if problem.contains("utf-8")), "{:?}", it.faults());
    }

    #[test]
    fn what_is_found_may_still_be_unreadable_or_lost() {
        let lines =
            "{\"id\": \"a\"}\n{\"id\": \"b\", \"turns\": [], \"error\": \"HTTP 500\"}\n{\"id\": \"c\", \"turns\": 5}\n";
        let (_folder, it) = open("x.jsonl", lines);
        assert_eq!(it.find("a", 0).unwrap().unwrap_err(), "missing `turns` (or `predict`)");
        assert_eq!(it.find("b", 0).unwrap().unwrap(), Said::Failed("HTTP 500".to_owned()));
        assert!(it.find("c", 0).unwrap().is_err() && it.find("d", 0).is_none());
    }

    #[test]
    fn a_conversation_without_a_number_is_counted_and_one_too_many_is_a_fault() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("ST_Perfect");
        fs::create_dir_all(&at).unwrap();
        fs::write(at.join("MT_res.json"), r#"[{"FC_res": [{"predict": "one"}]}, {"FC_res": []}]"#).unwrap();
        assert!(
            Predictions::open(&at).unwrap_err().to_string().ends_with("MT_0.json`"),
            "the names are in the other file"
        );
        fs::write(at.join("MT_0.json"), r#"[{"messages": []}]"#).unwrap();
        let it = Predictions::open(&at).unwrap();
        assert_eq!(said(&it, "ST-Perfect_0_1", 0).unwrap(), "one");
        assert_eq!(it.faults(), [(2, "`MT_0.json` does not have this conversation".to_owned())]);
        assert!(it.path().ends_with("ST_Perfect/MT_res.json"));
    }

    proptest! {
        #[test]
        fn every_line_is_found_by_its_id_in_any_order(ids in prop::collection::btree_set("[a-z가]{1,4}", 1..12), text in ".{0,9}") {
            let line = |id: &String| serde_json::json!({"id": id, "predict": format!("{id} says {text}")}).to_string();
            let lines: Vec<String> = ids.iter().map(line).collect();
            for text_of in [lines.join("\n\n"), format!("[{}]", lines.join(", "))] {
                let (_folder, it) = open("x.jsonl", &text_of);
                prop_assert!(it.faults().is_empty() && it.len() == ids.len());
                for id in ids.iter().rev() {
                    prop_assert_eq!(said(&it, id, 0), Some(format!("{id} says {text}")));
                }
            }
        }
    }
}

#[cfg(test)]
mod prediction_meta_tests {
    use super::*;

    fn meta() -> PredictionMeta {
        PredictionMeta {
            format: FORMAT,
            bench_hash: "b".to_owned(),
            suite: "hammerbench".into(),
            paradigm: Paradigm::Snapshot,
            mode: "tools".to_owned(),
            prompts: PromptSource::default(),
            limit: Some(2),
            seed: None,
            ids: vec!["b".to_owned(), "a".to_owned()],
            model: None,
            fcgen: "1.0.0".to_owned(),
        }
    }

    #[test]
    fn it_is_written_in_plain_words() {
        insta::assert_snapshot!(serde_json::to_string(&meta()).unwrap(), @r#"{"format":1,"bench_hash":"b","suite":"hammerbench","paradigm":"snapshot","mode":"tools","prompts":{"name":"fcgen","hash":null},"limit":2,"seed":null,"ids":["b","a"],"fcgen":"1.0.0"}"#);
    }

    #[test]
    fn it_lies_beside_the_predictions_or_in_their_folder() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("predictions.jsonl");
        assert_eq!(PredictionMeta::read(&file).unwrap(), None);
        let path = PredictionMeta::path(&file);
        assert!(path.ends_with("predictions.meta.json"), "{}", path.display());
        std::fs::write(&path, serde_json::to_string(&meta()).unwrap()).unwrap();
        assert_eq!(PredictionMeta::read(&file).unwrap(), Some(meta()));
        assert_eq!(PredictionMeta::read(folder.path()).unwrap(), Some(meta()));
    }

    #[test]
    fn a_file_that_is_broken_or_newer_is_an_error_with_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("p.jsonl");
        let error = |text: &str| {
            std::fs::write(PredictionMeta::path(&file), text).unwrap();
            PredictionMeta::read(&file).unwrap_err().to_string()
        };
        assert!(error("{").contains("p.meta.json`: EOF while parsing"));
        let newer = serde_json::to_string(&PredictionMeta { format: 2, ..meta() }).unwrap();
        assert!(error(&newer).ends_with("p.meta.json`: its `format` is 2, but this version of fcgen supports up to 1"));
    }
}
