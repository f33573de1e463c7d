//! A bench as a stream of entries: a run folder, a samples file, or a folder in the authors' layout.

use super::array::each_element;
use super::authors::{Origin, samples};
use super::entry::{Entry, Place, Thread};
use super::finding::{Finding, Severity};
use crate::format::hammerbench::{HammerId, HammerItem, MARKED, MULTI_TURN, SINGLE_TURN};
use crate::record::Sample;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A bench that was found; nothing of it is in memory.
#[derive(Debug, Clone)]
pub struct Bench {
    path: PathBuf,
    layout: Layout,
}

#[derive(Debug, Clone)]
enum Layout {
    /// One sample on each line.
    Samples(PathBuf),
    /// The authors' files for one locale.
    Authors { folder: PathBuf, locale: String },
}

/// Why there is no bench.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The path holds nothing of the kind.
    #[error("`{path}` is no bench: expected a run folder, a samples.jsonl, or a folder in the authors' layout")]
    Unknown {
        /// The path.
        path: String,
    },
    /// There are several locales, or not the one that was asked for.
    #[error("`{path}` has the locales {known}: say which one")]
    Locales {
        /// The path.
        path: String,
        /// What there is.
        known: String,
    },
    /// A file cannot be read.
    #[error("`{path}` cannot be read: {source}")]
    Io {
        /// The file.
        path: String,
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// What a bench shows: an entry, or a line that is none.
pub type Seen<'a> = Result<&'a Entry, &'a Finding>;

impl Bench {
    /// Finds out what `path` is. The locale tells apart what the authors' layout holds side by side.
    pub fn open(path: &Path, locale: Option<&str>) -> Result<Self, BenchError> {
        let path_text = || path.display().to_string();
        let layout = match () {
            () if path.is_file() => Layout::Samples(path.to_owned()),
            () if path.join("samples.jsonl").is_file() => Layout::Samples(path.join("samples.jsonl")),
            () => {
                let folders = locales(path);
                let known = || folders.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                let found = match locale {
                    _ if folders.is_empty() => return Err(BenchError::Unknown { path: path_text() }),
                    Some(locale) => folders.iter().find(|(name, _)| name == locale),
                    None => folders.first().filter(|_| folders.len() == 1),
                };
                let (locale, folder) =
                    found.ok_or_else(|| BenchError::Locales { path: path_text(), known: known() })?.clone();
                Layout::Authors { folder, locale }
            }
        };
        Ok(Self { path: path.to_owned(), layout })
    }

    /// The path that it was opened by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is in the authors' layout, which says less of a sample than ours.
    pub fn is_authors(&self) -> bool {
        matches!(self.layout, Layout::Authors { .. })
    }

    /// The locale of its texts: that of the folder, or of the first sample.
    pub fn locale(&self) -> Result<Option<String>, BenchError> {
        match &self.layout {
            Layout::Authors { locale, .. } => Ok(Some(locale.clone())),
            Layout::Samples(path) => {
                let lines = open(path)?.lines().map_while(Result::ok);
                let mut read = lines.filter_map(|line| serde_json::from_str::<Sample>(&line).ok());
                Ok(read.next().map(|sample| sample.locale))
            }
        }
    }

    /// Shows every entry, in the order of the files.
    pub fn each(&self, visit: &mut dyn FnMut(Seen<'_>)) -> Result<(), BenchError> {
        match &self.layout {
            Layout::Samples(path) => each_line(path, visit),
            Layout::Authors { folder, locale } => Authors { locale, thread: Thread::default(), visit }.folder(folder),
        }
    }
}

/// The folders of the authors' layout below `path`, with their locales.
fn locales(path: &Path) -> Vec<(String, PathBuf)> {
    let holds = |folder: &Path| ["single-turn", "multi-turn"].iter().any(|name| {
        folder.join(name).is_dir() || folder.join(format!("{name}.json")).is_file()
    });
    let named = |folder: PathBuf| Some((folder.file_name()?.to_str()?.to_owned(), folder));
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if holds(&whole) {
        return named(whole).into_iter().collect();
    }
    let above = [whole.clone(), whole.join("data"), whole.join("benchmark/data")];
    let below = above.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().filter_map(Result::ok);
    let mut found: Vec<_> = below.map(|it| it.path()).filter(|folder| holds(folder)).filter_map(named).collect();
    found.sort();
    found
}

fn open(path: &Path) -> Result<BufReader<File>, BenchError> {
    let file = File::open(path).map_err(|source| BenchError::Io { path: path.display().to_string(), source })?;
    Ok(BufReader::new(file))
}

fn each_line(path: &Path, visit: &mut dyn FnMut(Seen<'_>)) -> Result<(), BenchError> {
    let (name, mut thread): (Arc<str>, _) = (file_name(path), Thread::default());
    for (index, line) in open(path)?.split(b'\n').enumerate() {
        let line = line.map_err(|source| BenchError::Io { path: path.display().to_string(), source })?;
        let place = Place { file: name.clone(), line: index + 1 };
        match serde_json::from_slice::<Sample>(&line) {
            _ if line.trim_ascii().is_empty() => {}
            Ok(sample) => visit(Ok(&thread.entry(place, sample))),
            Err(error) => visit(Err(&unreadable(&place, &format!("no sample: {error}")))),
        }
    }
    Ok(())
}

fn unreadable(place: &Place, message: &str) -> Finding {
    Finding::new("readable", Severity::Error, place, "", message)
}

fn file_name(path: &Path) -> Arc<str> {
    path.file_name().map(|name| name.to_string_lossy().into()).unwrap_or_default()
}

/// The authors' files while they are read.
struct Authors<'a> {
    locale: &'a str,
    thread: Thread,
    visit: &'a mut dyn FnMut(Seen<'_>),
}

impl Authors<'_> {
    /// Conversations where they are there, else snapshots: both say the same.
    fn folder(mut self, folder: &Path) -> Result<(), BenchError> {
        let single = SINGLE_TURN.map(|name| (name, folder.join(format!("single-turn/{name}.json"))));
        let multi = MULTI_TURN.map(|(name, file)| (name, folder.join(format!("multi-turn/{file}.json"))));
        for (files, snapshots) in [(&single[..], "single-turn.json"), (&multi[..], "multi-turn.json")] {
            let there: Vec<_> = files.iter().filter(|(_, path)| path.is_file()).collect();
            match there.is_empty() {
                true if folder.join(snapshots).is_file() => self.snapshots(&folder.join(snapshots))?,
                _ => there.into_iter().try_for_each(|(name, path)| self.conversations(folder, name, path))?,
            }
        }
        Ok(())
    }

    fn conversations(&mut self, folder: &Path, data_type: &str, path: &Path) -> Result<(), BenchError> {
        let marked = marked(folder, data_type)?;
        let mut position = 0;
        self.items(path, &mut |item| {
            let number = match item.id {
                Some(HammerId::Conversation(number)) => number,
                _ => position as u64,
            };
            let marked = marked.get(position).cloned().unwrap_or_default();
            position += 1;
            (data_type.to_owned(), number, marked, None)
        })
    }

    fn snapshots(&mut self, path: &Path) -> Result<(), BenchError> {
        self.items(path, &mut |item| {
            let id = match &item.id {
                Some(HammerId::Snapshot(id)) => id.as_str(),
                _ => "",
            };
            let mut parts = id.rsplitn(3, '_');
            let mut number = || parts.next().and_then(|part| part.parse().ok()).unwrap_or_default();
            let (turn, conversation) = (number(), number());
            (parts.next().unwrap_or_default().replace('-', "_"), conversation, Vec::new(), Some(turn))
        })
    }

    /// Shows the items of a file, each named by `name`: its type, number, marked turns, and its turn if it is one snapshot.
    fn items(
        &mut self,
        path: &Path,
        name: &mut dyn FnMut(&HammerItem) -> (String, u64, Vec<usize>, Option<u64>),
    ) -> Result<(), BenchError> {
        let file = file_name(path);
        let read = each_element(open(path)?, &mut |line, text| {
            let place = Place { file: file.clone(), line };
            let read = serde_json::from_str::<HammerItem>(text).map_err(|error| error.to_string()).and_then(|item| {
                let (data_type, number, marked, turn) = name(&item);
                let origin = Origin { data_type: &data_type, number, locale: self.locale, marked: &marked };
                let all = samples(&item, origin)?;
                // A snapshot repeats the turns before its own.
                let skipped = turn.map_or(0, |_| all.len().saturating_sub(1));
                Ok(all.into_iter().skip(skipped).collect::<Vec<_>>())
            });
            match read {
                Ok(all) => all.into_iter().for_each(|one| (self.visit)(Ok(&self.thread.entry(place.clone(), one)))),
                Err(message) => (self.visit)(Err(&unreadable(&place, &message))),
            }
        });
        if let Err((line, message)) = read {
            (self.visit)(Err(&unreadable(&Place { file: file_name(path), line }, &message)));
        }
        Ok(())
    }
}

/// The marked turns of each item of a file, where the authors list them.
fn marked(folder: &Path, data_type: &str) -> Result<Vec<Vec<usize>>, BenchError> {
    let path = folder.join(format!("multi-turn/snapshot_id/snap_shot_id_{data_type}.json"));
    if !MARKED.contains(&data_type) || !path.is_file() {
        return Ok(Vec::new());
    }
    serde_json::from_reader(open(&path)?)
        .map_err(|error| BenchError::Io { path: path.display().to_string(), source: error.into() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn seen(bench: &Bench) -> Vec<Result<(String, usize, bool), String>> {
        let mut seen = Vec::new();
        bench
            .each(&mut |it| {
                seen.push(match it {
                    Ok(entry) => Ok((entry.sample.id.to_string(), entry.place.line, entry.has_past())),
                    Err(finding) => Err(format!("{} {}", finding.place, finding.message)),
                });
            })
            .unwrap();
        seen
    }

    const TALK: &str = r#"[
  {"id": 4, "multiple_tools": [], "single_tool": [], "messages": [
    {"role": "user", "content": "hi"}, {"role": "function call", "content": {"name": "A.B.c", "arguments": {}}},
    {"role": "assistant", "content": "when?"},
    {"role": "user", "content": "noon"}, {"role": "function call", "content": {"name": "A.B.c", "arguments": {"at": "noon"}}}]},
  {"id": 5}
]"#;

    fn authors() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let turns = folder.path().join("data/en/multi-turn");
        fs::create_dir_all(turns.join("snapshot_id")).unwrap();
        fs::write(turns.join("HammerBench_Based.json"), TALK).unwrap();
        fs::write(turns.join("HammerBench_External.json"), TALK).unwrap();
        fs::write(turns.join("snapshot_id/snap_shot_id_External.json"), "[[1], []]").unwrap();
        folder
    }

    #[test]
    fn the_authors_folder_is_found_from_above_and_from_within() {
        let folder = authors();
        for below in ["", "data", "data/en"] {
            let bench = Bench::open(&folder.path().join(below), None).unwrap();
            assert!(bench.is_authors() && bench.locale().unwrap().as_deref() == Some("en"), "{below}");
            let seen = seen(&bench);
            assert_eq!(seen[0], Ok(("Based/4/turn/0".to_owned(), 2, true)));
            assert_eq!(seen[1], Ok(("Based/4/turn/1".to_owned(), 2, true)));
            assert!(seen[2].as_ref().unwrap_err().starts_with("HammerBench_Based.json:6 missing field"), "{seen:?}");
            assert_eq!(seen.len(), 6);
        }
    }

    #[test]
    fn one_of_several_locales_must_be_named() {
        let folder = authors();
        fs::create_dir_all(folder.path().join("data/zh/single-turn")).unwrap();
        let error = Bench::open(folder.path(), None).unwrap_err().to_string();
        assert!(error.ends_with("has the locales `en`, `zh`: say which one"), "{error}");
        assert_eq!(Bench::open(folder.path(), Some("zh")).unwrap().locale().unwrap().as_deref(), Some("zh"));
        assert!(Bench::open(folder.path(), Some("fr")).is_err());
        assert!(matches!(Bench::open(&folder.path().join("nowhere"), None), Err(BenchError::Unknown { .. })));
    }

    #[test]
    fn marked_turns_come_from_the_file_beside() {
        let folder = authors();
        let mut marked = Vec::new();
        let bench = Bench::open(folder.path(), None).unwrap();
        bench.each(&mut |it| marked.extend(it.ok().map(Entry::is_marked))).unwrap();
        assert_eq!(marked, [false, false, false, true]);
    }

    #[test]
    fn snapshots_are_read_where_there_are_no_conversations() {
        let folder = tempfile::tempdir().unwrap();
        let item = |id: &str, rest: &str| format!(r#"{{"id": "{id}", "multiple_tools": [], "single_tool": [], "messages": [
            {{"role": "user", "content": "hi"}}, {{"role": "function call", "content": {{"name": "A.B.c", "arguments": {{}}}}}}{rest}]}}"#);
        let more = r#", {"role": "assistant", "content": "?"}, {"role": "user", "content": "x"}, {"role": "function call", "content": {"name": "A.B.c", "arguments": {"a": "x"}}}"#;
        let text = format!("[{},\n{}]", item("SO-case1_7_1", ""), item("SO-case1_7_2", more));
        fs::write(folder.path().join("multi-turn.json"), text).unwrap();
        let ids: Vec<_> = seen(&Bench::open(folder.path(), None).unwrap()).into_iter().map(Result::unwrap).collect();
        assert_eq!(ids.iter().map(|it| it.0.as_str()).collect::<Vec<_>>(), ["SO_case1/7/turn/0", "SO_case1/7/turn/1"]);
        assert!(ids[1].2);
    }

    #[test]
    fn a_samples_file_is_read_line_by_line() {
        let folder = tempfile::tempdir().unwrap();
        let line = serde_json::to_string(&super::super::testing::sample("a", "ST_Perfect")).unwrap();
        fs::write(folder.path().join("samples.jsonl"), format!("{line}\n\n{{}}\n")).unwrap();
        for path in [folder.path().to_owned(), folder.path().join("samples.jsonl")] {
            let bench = Bench::open(&path, None).unwrap();
            let seen = seen(&bench);
            assert_eq!(seen[0], Ok(("a".to_owned(), 1, true)));
            assert!(seen[1].as_ref().unwrap_err().starts_with("samples.jsonl:3 no sample: missing field"), "{seen:?}");
            assert_eq!((bench.locale().unwrap().as_deref(), bench.is_authors()), (Some("en"), false));
        }
    }
}
