//! A bench as a stream of entries: a run folder, a samples file, or a folder in the authors' layout.

use super::entry::{Entry, Place, Thread};
use super::finding::{Finding, Severity};
use crate::check::layouts::authors::each_file;
use crate::check::layouts::chats::each_chat;
use crate::check::layouts::domains::each_domain;
use crate::check::layouts::rows::each_row;
use crate::record::{Expected, Sample, SharedSnapshots, SuiteId, SuiteName};
use crate::suite::bfcl::layout::BfclFile;
use crate::suite::callnavi::layout::DomainFiles;
use crate::suite::complexfunc::layout::RowFile;
use crate::suite::confetti::layout::ConfettiFiles;
use crate::suite::functionchat::layout::ChatFile;
use crate::suite::hammerbench::layout::DataFile;
use std::collections::BTreeSet;
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
    Authors { files: Vec<DataFile>, locale: String },
    /// The authors' files for each domain, which do not say their locale.
    Domains(Vec<DomainFiles>),
    /// The authors' file of rows, which does not say its locale.
    Rows(RowFile),
    /// BFCL's files of questions, which do not say it either.
    Bfcl(Vec<BfclFile>),
    /// CONFETTI's files, whose names are BFCL's as well.
    Confetti(ConfettiFiles),
    /// `FunctionChat-Bench`'s files, which are Korean where nothing else is said.
    Chats(Vec<ChatFile>),
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
    /// The file of marked turns cannot be read.
    #[error("{0}")]
    Marks(String),
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
        let in_locale = |rows: RowFile| match locale {
            Some(locale) => Layout::Rows(RowFile { locale: locale.to_owned(), ..rows }),
            None => Layout::Rows(rows),
        };
        let layout = match () {
            () if !chats(path, locale).is_empty() => Layout::Chats(chats(path, locale)),
            () if BfclFile::at(path).is_some() => Layout::Bfcl(BfclFile::at(path).into_iter().collect()),
            () if path.is_file() => RowFile::at(path).map_or_else(|| Layout::Samples(path.to_owned()), in_locale),
            () if path.join("samples.jsonl").is_file() => Layout::Samples(path.join("samples.jsonl")),
            () if ConfettiFiles::below(path).is_some() => {
                let told = |files: ConfettiFiles| match locale {
                    Some(locale) => ConfettiFiles { locale: locale.to_owned(), ..files },
                    None => files,
                };
                ConfettiFiles::below(path).map(told).map_or(Layout::Samples(path.to_owned()), Layout::Confetti)
            }
            () => RowFile::below(path).map_or_else(|| authors(path, locale), |rows| Ok(in_locale(rows)))?,
        };
        Ok(Self { path: path.to_owned(), layout })
    }

    /// The path that it was opened by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder that it lies in.
    pub fn folder(&self) -> PathBuf {
        let above = |path: &Path| path.parent().map(Path::to_owned).unwrap_or_default();
        match &self.layout {
            Layout::Samples(path) => above(path),
            Layout::Rows(rows) => above(&rows.path),
            Layout::Authors { .. } | Layout::Domains(_) => self.path.clone(),
            Layout::Bfcl(files) => files.first().map(|file| above(&file.path)).unwrap_or_default(),
            Layout::Confetti(files) => above(&files.calls),
            Layout::Chats(files) => files.first().map(|file| above(&file.path)).unwrap_or_default(),
        }
    }

    /// Whether it is in the authors' layout, which says less of a sample than ours.
    pub fn is_authors(&self) -> bool {
        !matches!(self.layout, Layout::Samples(_))
    }

    /// The locale of its texts: that of the folder, or of the first sample.
    pub fn locale(&self) -> Result<Option<String>, BenchError> {
        match &self.layout {
            Layout::Authors { locale, .. } => Ok(Some(locale.clone())),
            Layout::Domains(domains) => Ok(domains.first().map(|domain| domain.locale.clone())),
            Layout::Rows(rows) => Ok(Some(rows.locale.clone())),
            Layout::Bfcl(files) => Ok(files.first().map(|file| file.locale.clone())),
            Layout::Confetti(files) => Ok(Some(files.locale.clone())),
            Layout::Chats(files) => Ok(files.first().map(|file| file.locale.clone())),
            Layout::Samples(path) => Ok(first_sample(path)?.map(|sample| sample.locale)),
        }
    }

    /// The suite that it belongs to: that of the layout, or of the first sample.
    pub fn suite(&self) -> Result<Option<SuiteName>, BenchError> {
        match &self.layout {
            Layout::Authors { .. } => Ok(Some(SuiteId::HammerBench.into())),
            Layout::Domains(_) => Ok(Some(SuiteId::CallNavi.into())),
            Layout::Rows(_) => Ok(Some(SuiteId::ComplexFuncBench.into())),
            Layout::Bfcl(_) => Ok(Some(SuiteId::Bfcl.into())),
            Layout::Confetti(_) => Ok(Some(SuiteId::Confetti.into())),
            Layout::Chats(_) => Ok(Some(SuiteId::FunctionChat.into())),
            Layout::Samples(path) => Ok(first_sample(path)?.map(|sample| sample.suite)),
        }
    }

    /// Shows every entry, in the order of the files.
    pub fn each(&self, visit: &mut dyn FnMut(Seen<'_>)) -> Result<(), BenchError> {
        match &self.layout {
            Layout::Samples(path) => each_line(path, visit),
            Layout::Authors { files, .. } => each_file(files, visit),
            Layout::Rows(rows) => each_row(rows, visit),
            Layout::Domains(domains) => {
                each_domain(domains, visit);
                Ok(())
            }
            Layout::Chats(files) => {
                for file in files {
                    each_chat(file, visit);
                }
                Ok(())
            }
            Layout::Confetti(files) => {
                each_item(files, visit);
                Ok(())
            }
            Layout::Bfcl(files) => {
                for file in files {
                    each_question(file, visit);
                }
                Ok(())
            }
        }
    }
}

/// Shows every call and every turn; a fault ends it.
fn each_item(files: &ConfettiFiles, visit: &mut dyn FnMut(Seen<'_>)) {
    let names =
        [Some(&files.calls), files.acts.as_ref()].map(|path| path.map(|path| file_name(path)).unwrap_or_default());
    let (mut thread, mut lines) = (Thread::default(), [0, 0]);
    let read = files.each(&mut |sample| {
        // Calls stand in the first file, turns in the second.
        let at = usize::from(matches!(sample.expected, Expected::Acts(_)));
        lines[at] += 1;
        visit(Ok(&thread.entry(Place { file: names[at].clone(), line: lines[at] }, sample)));
    });
    if let Err(error) = read {
        visit(Err(&unreadable(&Place { file: names[0].clone(), line: error.place().1 }, &error.to_string())));
    }
}

/// Shows every question of a file; a fault ends it.
fn each_question(file: &BfclFile, visit: &mut dyn FnMut(Seen<'_>)) {
    let name: Arc<str> = file.path.file_name().unwrap_or_default().to_string_lossy().into();
    let (mut thread, mut line) = (Thread::default(), 0);
    let read = file.each(&mut |sample| {
        line += 1;
        visit(Ok(&thread.entry(Place { file: name.clone(), line }, sample)));
    });
    if let Err(error) = read {
        visit(Err(&unreadable(&Place { file: name, line: error.place().1 }, &error.to_string())));
    }
}

/// The files of chats at a path; those that a run wrote beside its samples are no bench of their own.
fn chats(path: &Path, locale: Option<&str>) -> Vec<ChatFile> {
    let files = match () {
        () if path.is_file() => ChatFile::at(path).into_iter().collect(),
        () if path.join("samples.jsonl").is_file() => Vec::new(),
        () => ChatFile::below(path),
    };
    let told = |file: ChatFile| ChatFile { locale: locale.map_or(file.locale, str::to_owned), ..file };
    files.into_iter().map(told).collect()
}

fn first_sample(path: &Path) -> Result<Option<Sample>, BenchError> {
    let mut lines = open(path)?.lines().map_while(Result::ok);
    Ok(lines.find_map(|line| serde_json::from_str(&line).ok()))
}

/// The authors' files below `path`, of one locale.
fn authors(path: &Path, locale: Option<&str>) -> Result<Layout, BenchError> {
    let text = || path.display().to_string();
    // The name of `.` is that of the folder that it stands for.
    let all = DataFile::below(&path.canonicalize().unwrap_or_else(|_| path.to_owned()));
    let questions = if all.is_empty() { BfclFile::below(path) } else { Vec::new() };
    if !questions.is_empty() {
        let told = |file: BfclFile| BfclFile { locale: locale.unwrap_or("en").to_owned(), ..file };
        return Ok(Layout::Bfcl(questions.into_iter().map(told).collect()));
    }
    let domains = if all.is_empty() { DomainFiles::below(path) } else { Vec::new() };
    if !domains.is_empty() {
        let told = |files: DomainFiles| match locale {
            Some(locale) => files.in_locale(locale),
            None => files,
        };
        return Ok(Layout::Domains(domains.into_iter().map(told).collect()));
    }
    let known: BTreeSet<String> = all.iter().map(|file| file.locale.clone()).collect();
    let found = match locale {
        _ if known.is_empty() => return Err(BenchError::Unknown { path: text() }),
        Some(locale) => known.get(locale),
        None => known.first().filter(|_| known.len() == 1),
    };
    let Some(locale) = found.cloned() else {
        let known = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        return Err(BenchError::Locales { path: text(), known });
    };
    Ok(Layout::Authors { files: all.into_iter().filter(|file| file.locale == locale).collect(), locale })
}

/// Opens a file of the bench.
pub(super) fn open(path: &Path) -> Result<BufReader<File>, BenchError> {
    let file = File::open(path).map_err(|source| BenchError::Io { path: path.display().to_string(), source })?;
    Ok(BufReader::new(file))
}

fn each_line(path: &Path, visit: &mut dyn FnMut(Seen<'_>)) -> Result<(), BenchError> {
    let (name, mut thread, mut shared): (Arc<str>, _, _) =
        (file_name(path), Thread::default(), SharedSnapshots::default());
    for (index, line) in open(path)?.split(b'\n').enumerate() {
        let line = line.map_err(|source| BenchError::Io { path: path.display().to_string(), source })?;
        let place = Place { file: name.clone(), line: index + 1 };
        match serde_json::from_slice::<Sample>(&line) {
            _ if line.trim_ascii().is_empty() => {}
            Ok(sample) => {
                shared.restore(sample).into_iter().for_each(|sample| visit(Ok(&thread.entry(place.clone(), sample))));
            }
            Err(error) => visit(Err(&unreadable(&place, &format!("no sample: {error}")))),
        }
    }
    Ok(())
}

pub(super) fn unreadable(place: &Place, message: &str) -> Finding {
    Finding::new("readable", Severity::Error, place, "", message)
}

pub(super) fn file_name(path: &Path) -> Arc<str> {
    path.file_name().map(|name| name.to_string_lossy().into()).unwrap_or_default()
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
            assert_eq!(seen[0], Ok(("en/Based_4_1".to_owned(), 2, true)));
            assert_eq!(seen[1], Ok(("en/Based_4_2".to_owned(), 2, true)));
            assert!(seen[2].as_ref().unwrap_err().starts_with("HammerBench_Based.json:6 missing field"), "{seen:?}");
            assert_eq!(seen.len(), 6);
        }
    }

    #[test]
    fn one_of_several_locales_must_be_named() {
        let folder = authors();
        fs::create_dir_all(folder.path().join("data/zh/single-turn")).unwrap();
        fs::write(folder.path().join("data/zh/single-turn/ST_Perfect.json"), "[]").unwrap();
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
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("en");
        fs::create_dir(&folder).unwrap();
        let item = |id: &str, rest: &str| {
            format!(
                r#"{{"id": "{id}", "multiple_tools": [], "single_tool": [], "messages": [
            {{"role": "user", "content": "hi"}}, {{"role": "function call", "content": {{"name": "A.B.c", "arguments": {{}}}}}}{rest}]}}"#
            )
        };
        let more = r#", {"role": "assistant", "content": "?"}, {"role": "user", "content": "x"}, {"role": "function call", "content": {"name": "A.B.c", "arguments": {"a": "x"}}}"#;
        let text = format!("[{},\n{}]", item("SO-case1_7_1", ""), item("SO-case1_7_2", more));
        fs::write(folder.join("multi-turn.json"), text).unwrap();
        let ids: Vec<_> = seen(&Bench::open(&folder, None).unwrap()).into_iter().map(Result::unwrap).collect();
        assert_eq!(ids.iter().map(|it| it.0.as_str()).collect::<Vec<_>>(), ["en/SO-case1_7_1", "en/SO-case1_7_2"]);
        assert!(ids[1].2);
    }

    #[test]
    fn a_file_of_rows_is_read_line_by_line_and_its_locale_may_be_told() {
        let folder = tempfile::tempdir().unwrap();
        let row = r#"{"id": "Hotels-0", "conversations": [{"role": "user", "content": "hi"}], "functions": []}"#;
        let path = folder.path().join("ComplexFuncBench.jsonl");
        fs::write(&path, format!("{row}\n\n{}\n", row.replace("\"user\"", "\"nobody\""))).unwrap();
        for at in [folder.path(), &path] {
            let bench = Bench::open(at, Some("ko")).unwrap();
            let seen = seen(&bench);
            assert_eq!(seen[0], Ok(("Hotels-0".to_owned(), 1, true)));
            assert!(seen[1].as_ref().unwrap_err().starts_with("ComplexFuncBench.jsonl:3 turn 1 should be"), "{seen:?}");
            assert_eq!((bench.locale().unwrap().as_deref(), bench.is_authors()), (Some("ko"), true));
            assert_eq!(
                (bench.suite().unwrap(), bench.folder().as_path()),
                (Some(SuiteId::ComplexFuncBench.into()), folder.path())
            );
        }
        assert_eq!(Bench::open(&path, None).unwrap().locale().unwrap().as_deref(), Some("en"));
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
            assert_eq!(bench.suite().unwrap(), Some(SuiteId::HammerBench.into()));
        }
    }
}
