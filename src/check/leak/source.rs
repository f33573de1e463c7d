//! What a bench is compared with: another bench, or files that somebody trains on. They are streamed, never whole in memory.

use super::print::Print;
use super::words::Words;
use crate::export::read_any;
use crate::format::{Bench, BenchError, Place, each_element};
use crate::record::{Sample, Value};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Other data.
#[derive(Debug, Clone)]
pub enum Other {
    /// A bench.
    Bench(Bench),
    /// Files of rows; the folder or the file that was named comes first.
    Rows(PathBuf, Vec<PathBuf>),
}

/// Why other data cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// It is a bench that cannot be read.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// A file cannot be read.
    #[error("failed to read `{path}`: {source}")]
    Io {
        /// The file.
        path: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// There is nothing to compare with.
    #[error("`{path}` is neither a benchmark nor files of rows")]
    Nothing {
        /// The path.
        path: String,
    },
}

/// The endings of files of rows.
const ENDINGS: [&str; 4] = ["jsonl", "json", "ndjson", "txt"];

/// A row of other data: where it stands, its text as it is, and its prints.
pub struct Row<'r> {
    /// The sample's id, or file and line.
    pub name: &'r str,
    /// Its place, where it stands in a file of rows.
    pub place: Option<Place>,
    /// The prints.
    pub prints: &'r [Print],
}

impl Other {
    /// Finds out what lies at a path.
    pub fn open(path: &Path, locale: Option<&str>) -> Result<Self, SourceError> {
        let rows = || Self::Rows(path.to_owned(), files(path));
        if path.is_file() && holds_rows(path) {
            return Ok(rows());
        }
        match Bench::open_in(path, locale) {
            Ok(bench) => Ok(Self::Bench(bench)),
            Err(error @ BenchError::Locales { .. }) => Err(error.into()),
            Err(_) if !files(path).is_empty() => Ok(rows()),
            Err(_) => Err(SourceError::Nothing { path: path.display().to_string() }),
        }
    }

    /// The path that it was opened by.
    pub fn path(&self) -> &Path {
        match self {
            Self::Bench(bench) => bench.path(),
            Self::Rows(path, _) => path,
        }
    }

    /// About how large it is, in bytes.
    pub fn size(&self) -> u64 {
        match self {
            Self::Bench(bench) => size(bench.path()),
            Self::Rows(_, files) => files.iter().map(|file| size(file)).sum(),
        }
    }

    /// Shows every row; how many there were of which nothing could be made.
    pub fn each(&self, words: &Words, visit: &mut dyn FnMut(Row<'_>)) -> Result<usize, SourceError> {
        let mut unread = 0;
        match self {
            Self::Bench(bench) => bench.each_place(&mut |place, found| match found {
                Ok(sample) => {
                    visit(Row { name: sample.id.as_str(), place: Some(place), prints: &Print::all(&sample, words) });
                }
                Err(_) => unread += 1,
            }),
            Self::Rows(_, files) => {
                for file in files {
                    each_row(file, &mut |line, text| match prints(text, words) {
                        Some((id, prints)) => {
                            let name = id.unwrap_or_else(|| place(file, line));
                            visit(Row { name: &name, place: Some(Place::of(file, line)), prints: &prints });
                        }
                        None => unread += 1,
                    })?;
                }
            }
        }
        Ok(unread)
    }
}

/// Shows every row of a file with its line: those of a list in JSON, or a row on each line.
pub fn each_row(file: &Path, visit: &mut dyn FnMut(usize, &str)) -> Result<(), SourceError> {
    let io = |source| SourceError::Io { path: file.display().to_string(), source };
    let mut reader = BufReader::new(File::open(file).map_err(io)?);
    if reader.fill_buf().map_err(io)?.trim_ascii_start().starts_with(b"[") {
        return each_element(reader, visit)
            .map_err(|(line, problem)| io(io::Error::other(format!("line {line}: {problem}"))));
    }
    for (at, line) in reader.split(b'\n').enumerate() {
        let line = line.map_err(io)?;
        let text = String::from_utf8_lossy(&line);
        if !text.trim().is_empty() {
            visit(at + 1, &text);
        }
    }
    Ok(())
}

/// The name of a row by its place.
pub(crate) fn place(file: &Path, line: usize) -> String {
    format!("{}:{line}", file.file_name().unwrap_or_default().to_string_lossy())
}

/// The prints of a row: of a sample, of a trainer's row, or of whatever texts it holds.
fn prints(text: &str, words: &Words) -> Option<(Option<String>, Vec<Print>)> {
    let sample = |sample: &Sample| (Some(sample.id.to_string()).filter(|id| !id.is_empty()), Print::all(sample, words));
    if let Ok(own) = serde_json::from_str::<Sample>(text) {
        return Some(sample(&own));
    }
    if let Ok((read, _)) = read_any(text, "") {
        return Some(sample(&read));
    }
    let mut texts = Vec::new();
    match Value::read(text) {
        Ok(value) => gather(&value, &mut texts),
        Err(_) => texts.push(text.to_owned()),
    }
    let prints: Vec<Print> =
        texts.iter().map(|text| Print::plain(text, words)).filter(|print| !print.text.is_empty()).collect();
    (!prints.is_empty()).then_some((None, prints))
}

/// Every text of a value.
fn gather(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::List(list) => list.iter().for_each(|it| gather(it, texts)),
        Value::Object(object) => object.values().for_each(|it| gather(it, texts)),
        _ => {}
    }
}

/// Whether the first row of a file is no sample, and the file none of a benchmark's authors.
fn holds_rows(path: &Path) -> bool {
    let is_bench = Bench::open(path).is_ok_and(|bench| bench.is_authors());
    let mut first = None;
    let read = each_first(path, &mut first);
    !is_bench && read && first.is_some_and(|text| serde_json::from_str::<Sample>(&text).is_err())
}

fn each_first(path: &Path, first: &mut Option<String>) -> bool {
    let Ok(file) = File::open(path) else { return false };
    let line = BufReader::new(file).lines().map_while(Result::ok).find(|line| !line.trim().is_empty());
    *first = line;
    first.is_some()
}

/// The files of rows at a path: itself, the parts of an export, or all that lie directly in it.
pub(crate) fn files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let parts = super::super::parts::files(path);
    if !parts.is_empty() {
        return parts.into_iter().map(|(_, file)| file).collect();
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_rows = |file: &PathBuf| file.extension().and_then(|it| it.to_str()).is_some_and(|it| ENDINGS.contains(&it));
    let mut files: Vec<PathBuf> = entries.filter(|file| file.is_file() && is_rows(file)).collect();
    files.sort();
    files
}

/// The bytes of a file, or of everything below a folder.
pub(super) fn size(path: &Path) -> u64 {
    if let Ok(entries) = std::fs::read_dir(path) {
        return entries.flatten().map(|entry| size(&entry.path())).sum();
    }
    std::fs::metadata(path).map_or(0, |data| data.len())
}

#[cfg(test)]
mod tests {
    use super::super::super::Ground;
    use super::*;
    use crate::lint::testing::sample;

    fn rows(name: &str, text: &str) -> (Vec<String>, usize, Other, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let other = Other::open(&path, None).unwrap();
        let mut names = Vec::new();
        let words = Words::of(&Ground::load(crate::fixtures::assets(), "en").unwrap());
        let unread = other.each(&words, &mut |row| names.push(format!("{} {}", row.name, row.prints.len()))).unwrap();
        (names, unread, other, folder)
    }

    #[test]
    fn samples_rows_and_texts_are_read() {
        let line = serde_json::to_string(&sample("s0", "ST_Perfect")).unwrap();
        let (names, _, other, _folder) = rows("samples.jsonl", &line);
        assert!(matches!(other, Other::Bench(_)) && names == ["s0 1"]);
        let row = r#"{"messages": [{"role": "user", "content": "book two seats to Porto"}, {"role": "assistant", "content": "When?"}]}"#;
        let (names, unread, other, _folder) = rows(
            "train.jsonl",
            &format!("{row}\n\n{{\"text\": \"some words of a corpus\"}}\n7\nplain words in a line"),
        );
        assert_eq!(
            (names, unread),
            (vec!["train.jsonl:1 1".to_owned(), "train.jsonl:3 1".to_owned(), "train.jsonl:5 1".to_owned()], 1)
        );
        assert!(other.size() > 100 && other.path().ends_with("train.jsonl"));
    }

    #[test]
    fn a_list_is_read_element_by_element() {
        let turns = r#"{"conversations": [{"from": "human", "value": "book two seats"}, {"from": "gpt", "value": "When?"}], "tools": "[]"}"#;
        let (names, ..) = rows("data.json", &format!("[\n{turns},\n{turns}\n]"));
        assert_eq!(names, ["data.json:2 1", "data.json:3 1"]);
    }

    #[test]
    fn where_nothing_is_there_that_is_told() {
        let folder = tempfile::tempdir().unwrap();
        assert!(
            Other::open(folder.path(), None)
                .unwrap_err()
                .to_string()
                .ends_with("is neither a benchmark nor files of rows")
        );
        std::fs::write(folder.path().join("a.jsonl"), "{\"text\": \"words\"}").unwrap();
        assert!(matches!(Other::open(folder.path(), None).unwrap(), Other::Rows(_, files) if files.len() == 1));
    }
}
