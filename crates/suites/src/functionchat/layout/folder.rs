//! Files in the authors' layout, found in a folder or given by themselves.

use super::import::samples_of;
use super::row::has_keys;
use crate::format::lines::{FileError, lines};
use crate::format::{LayoutFile, SampleSink};
use crate::record::SuiteId;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// The names of the three files.
pub const FILES: [&str; 3] =
    ["FunctionChat-Singlecall.jsonl", "FunctionChat-Dialog.jsonl", "FunctionChat-CallDecision.jsonl"];
/// The folder that they are in.
const DATA: &str = "data";
/// What the names begin with.
const PREFIX: &str = "FunctionChat-";

/// The shape of a file's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// A function with queries and lists of tools.
    Singlecall,
    /// A dialog with its turns.
    Dialog,
    /// A turn with all that belongs to it.
    Common,
}

/// A file, with the locale of its texts, which it does not say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatFile {
    /// The file.
    pub path: PathBuf,
    /// The shape of its lines.
    pub layout: Layout,
    /// The locale; the authors' is Korean.
    pub locale: String,
}

impl Layout {
    /// The keys by which each layout is known.
    const KEYS: [(Self, [&'static str; 3]); 3] = [
        (Self::Singlecall, ["function_num", "ground_truth", "tools"]),
        (Self::Dialog, ["dialog_num", "tools", "turns"]),
        (Self::Common, ["serial_num", "input_messages", "input_tools"]),
    ];

    /// The layout of a line.
    pub fn of_line(line: &str) -> Option<Self> {
        Self::KEYS.iter().find(|(_, keys)| has_keys(line, keys)).map(|(layout, _)| *layout)
    }
}

impl ChatFile {
    /// The file at this path, if its first line is of one of the layouts.
    pub fn at(path: &Path) -> Option<Self> {
        let mut lines = BufReader::new(File::open(path).ok()?).lines().map_while(Result::ok);
        let layout = Layout::of_line(&lines.find(|line| !line.trim().is_empty())?)?;
        Some(Self { path: path.to_owned(), layout, locale: "ko".to_owned() })
    }

    /// The files below a folder, or below what a run writes there.
    pub fn below(folder: &Path) -> Vec<Self> {
        let roots = ["", DATA, "benchmark/data", "benchmark"].map(|part| folder.join(part));
        let files = |root: &PathBuf| FILES.iter().filter_map(|name| Self::at(&root.join(name))).collect::<Vec<_>>();
        roots.iter().map(files).find(|files| !files.is_empty()).unwrap_or_default()
    }

    /// The name of its set, as ids begin: `singlecall`, `dialog`, `calldecision`, or what the file is called.
    pub fn set(&self) -> String {
        let stem = self.path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        match self.layout {
            Layout::Singlecall => "singlecall".to_owned(),
            Layout::Dialog => "dialog".to_owned(),
            Layout::Common => stem.strip_prefix(PREFIX).unwrap_or(&stem).to_lowercase(),
        }
    }

    /// The hash that tells one version of the data from another.
    pub fn sha256(&self) -> Result<String, FileError> {
        let hash = Sha256::digest(std::fs::read(&self.path).map_err(FileError::io(&self.path))?);
        Ok(hash.iter().fold(String::new(), |digits, byte| digits + &format!("{byte:02x}")))
    }
}

impl LayoutFile for ChatFile {
    const SUITE: SuiteId = SuiteId::FunctionChat;

    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    fn locale(&self) -> &str {
        &self.locale
    }

    fn in_locale(&self, locale: &str) -> Option<Self> {
        Some(Self { locale: locale.to_owned(), ..self.clone() })
    }

    fn read(&self, take: SampleSink<'_>) -> Result<(), FileError> {
        let set = self.set();
        for line in lines(&self.path)? {
            let (at, line) = line?;
            let place = Self::place(&self.path, at);
            match samples_of(&line, self.layout, &set, &self.locale) {
                Ok(samples) => samples.into_iter().for_each(|sample| take(place.clone(), Ok(sample))),
                Err(problem) => take(place, Err(FileError::line(&self.path, at, problem))),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::{DECISION, DIALOG, SINGLECALL};
    use super::*;
    use crate::fixtures::folder;
    use crate::format::samples_of;

    #[test]
    fn files_are_found_wherever_one_begins() {
        let folder = folder(&[
            ("benchmark/data/FunctionChat-CallDecision.jsonl", DECISION),
            ("benchmark/data/FunctionChat-Singlecall.jsonl", SINGLECALL),
            ("benchmark/data/FunctionChat-Dialog.jsonl", "{}"),
        ]);
        for part in ["", "benchmark", "benchmark/data"] {
            let files = ChatFile::below(&folder.path().join(part));
            assert_eq!(files.iter().map(ChatFile::set).collect::<Vec<_>>(), ["singlecall", "calldecision"], "{part}");
        }
        assert!(ChatFile::below(Path::new("/no/such")).is_empty());
    }

    #[test]
    fn a_file_of_the_common_format_is_a_set_by_its_own_name() {
        let folder = folder(&[("Chats.jsonl", &format!("\n{DECISION}\n")), ("d.jsonl", DIALOG)]);
        let file = ChatFile::at(&folder.path().join("Chats.jsonl")).unwrap();
        let samples = samples_of(vec![file.clone()]).unwrap();
        assert_eq!((file.layout, samples.len(), samples[0].id.as_str()), (Layout::Common, 1, "chats/1"));
        assert_eq!(ChatFile::at(&folder.path().join("d.jsonl")).unwrap().layout, Layout::Dialog);
        std::fs::write(&file.path, "abc").unwrap();
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(file.sha256().unwrap(), hash, "the example of the standard");
    }

    #[test]
    fn a_broken_line_is_told_with_its_place() {
        let folder = folder(&[("FunctionChat-CallDecision.jsonl", &format!("{DECISION}\n\n{{\"serial_num\": 2}}\n"))]);
        let file = ChatFile::below(folder.path()).remove(0);
        let error = samples_of(vec![file.clone()]).unwrap_err().to_string();
        assert!(error.contains("FunctionChat-CallDecision.jsonl`, line 3: missing field"), "{error}");
        let gone = ChatFile { path: "/no/such".into(), ..file };
        assert!(gone.sha256().is_err());
        assert_eq!(samples_of(vec![gone]).unwrap_err().to_string(), "cannot read `/no/such`");
    }
}
