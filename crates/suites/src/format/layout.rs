//! Layouts: the files in which a benchmark lies, its authors' or our own.

use super::lines::FileError;
use crate::bfcl::layout::BfclFile;
use crate::callnavi::layout::DomainFiles;
use crate::complexfunc::layout::RowFile;
use crate::confetti::layout::ConfettiFiles;
use crate::functionchat::layout::ChatFile;
use crate::hammerbench::layout::DataFile;
use crate::record::{Sample, SharedSnapshots, SuiteId, SuiteName};
use serde::Serialize;
use std::any::Any;
use std::collections::BTreeSet;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file of samples in a run's folder.
pub const SAMPLES: &str = "samples.jsonl";

/// A location in a benchmark.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    /// The file.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: usize,
}

/// Receives each location with its sample, or with the error that replaces it.
pub type SampleSink<'t> = &'t mut dyn FnMut(Place, Result<Sample, FileError>);

/// A benchmark's files, found by [`Bench::open`](super::Bench::open).
pub trait Layout: Any + fmt::Debug + Send + Sync {
    /// The suite, where the files hold samples of one alone.
    fn suite(&self) -> Option<SuiteName>;

    /// The files, in the order in which they are read.
    fn paths(&self) -> Vec<PathBuf>;

    /// The locales of the texts.
    fn locales(&self) -> BTreeSet<String>;

    /// The part in one locale; all of it, relabelled, if the files do not state their locale.
    fn in_locale(&self, locale: &str) -> Arc<dyn Layout>;

    /// Passes every sample to `take`, in order, holding no more than one of them.
    fn each(&self, take: SampleSink<'_>);
}

/// A file of a layout, or several that belong together; a list of them is a [`Layout`].
pub trait LayoutFile: Any + fmt::Debug + Clone + Send + Sync {
    /// The suite of its samples.
    const SUITE: SuiteId;

    /// The file.
    fn path(&self) -> PathBuf;

    /// The locale of its texts.
    fn locale(&self) -> &str;

    /// The same file in a locale, relabelled if the file does not state its locale; `None` if it states another one.
    fn in_locale(&self, locale: &str) -> Option<Self>;

    /// Passes every sample, or the error of its line, to `take`, in order. An error of the file as a whole is returned.
    fn read(&self, take: SampleSink<'_>) -> Result<(), FileError>;

    /// A location in one of its files.
    fn place(path: &Path, line: usize) -> Place {
        Place::of(path, line)
    }
}

impl<F: LayoutFile> Layout for Vec<F> {
    fn suite(&self) -> Option<SuiteName> {
        Some(F::SUITE.into())
    }

    fn paths(&self) -> Vec<PathBuf> {
        self.iter().map(F::path).collect()
    }

    fn locales(&self) -> BTreeSet<String> {
        self.iter().map(|file| file.locale().to_owned()).collect()
    }

    fn in_locale(&self, locale: &str) -> Arc<dyn Layout> {
        Arc::new(self.iter().filter_map(|file| file.in_locale(locale)).collect::<Self>())
    }

    fn each(&self, take: SampleSink<'_>) {
        for file in self {
            if let Err(error) = file.read(take) {
                let (path, line) = error.place();
                take(F::place(path, line), Err(error));
            }
        }
    }
}

/// Looks for a layout at a path.
type Find = fn(&Path) -> Option<Arc<dyn Layout>>;

/// The layouts of folders, in the order in which they are tried: CONFETTI's file names are BFCL's as well.
pub(super) const FOLDERS: [Find; 6] = [
    |path| some(RowFile::below(path).into_iter().collect()),
    |path| some(ChatFile::below(path)),
    |path| some(ConfettiFiles::below(path).into_iter().collect()),
    |path| some(BfclFile::below(path)),
    |path| some(DataFile::below(path)),
    |path| some(DomainFiles::below(path)),
];

/// The layouts that a single file can have.
pub(super) const FILES: [Find; 3] = [
    |path| some(ChatFile::at(path).into_iter().collect()),
    |path| some(BfclFile::at(path).into_iter().collect()),
    |path| some(RowFile::at(path).into_iter().collect()),
];

fn some<F: LayoutFile>(files: Vec<F>) -> Option<Arc<dyn Layout>> {
    (!files.is_empty()).then(|| Arc::new(files) as Arc<dyn Layout>)
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.file, self.line)
    }
}

impl Place {
    /// A line of a file.
    pub fn of(file: &Path, line: usize) -> Self {
        Self { file: file.file_name().unwrap_or_default().to_string_lossy().into(), line }
    }
}

/// A file with a sample on each line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamplesFile(pub PathBuf);

impl SamplesFile {
    fn first(&self) -> Option<Sample> {
        let mut lines = BufReader::new(File::open(&self.0).ok()?).lines().map_while(Result::ok);
        lines.find_map(|line| serde_json::from_str(&line).ok())
    }

    fn read(&self, take: SampleSink<'_>) -> Result<(), FileError> {
        let io = FileError::io(&self.0);
        let mut shared = SharedSnapshots::default();
        let reader = BufReader::with_capacity(1 << 16, File::open(&self.0).map_err(&io)?);
        let file = Place::of(&self.0, 1).file;
        for (at, line) in reader.split(b'\n').enumerate() {
            let line = line.map_err(&io)?;
            let place = Place { file: file.clone(), line: at + 1 };
            if line.trim_ascii().is_empty() {
                continue;
            }
            let text = std::str::from_utf8(&line).map_err(|error| format!("not a sample: {error}"));
            match text.and_then(|text| serde_json::from_str(text).map_err(|error| no_sample(&error))) {
                // What the file leaves out as copies is handed out with it.
                Ok(sample) => shared.restore(sample).into_iter().for_each(|sample| take(place.clone(), Ok(sample))),
                Err(problem) => take(place, Err(FileError::line(&self.0, at + 1, problem))),
            }
        }
        Ok(())
    }
}

fn no_sample(error: &serde_json::Error) -> String {
    let message = error.to_string();
    // The reader counts lines within the text that it was given, which has one.
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
    format!("not a sample: {message}, column {}", error.column())
}

impl Layout for SamplesFile {
    fn suite(&self) -> Option<SuiteName> {
        self.first().map(|sample| sample.suite)
    }

    fn paths(&self) -> Vec<PathBuf> {
        vec![self.0.clone()]
    }

    fn locales(&self) -> BTreeSet<String> {
        self.first().map(|sample| sample.locale).into_iter().collect()
    }

    fn in_locale(&self, _locale: &str) -> Arc<dyn Layout> {
        Arc::new(self.clone())
    }

    fn each(&self, take: SampleSink<'_>) {
        if let Err(error) = self.read(take) {
            take(Place::of(&self.0, 1), Err(error));
        }
    }
}
