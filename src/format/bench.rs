//! A benchmark wherever it lies: a run's folder, a file of samples, or a folder in the authors' layout.

use super::lines::{FileError, lines};
use crate::record::{Sample, SharedSnapshots};
use crate::suite::bfcl::layout::BfclFile;
use crate::suite::callnavi::layout::{DomainFiles, import_domain};
use crate::suite::complexfunc::layout::RowFile;
use crate::suite::confetti::layout::ConfettiFiles;
use crate::suite::functionchat::layout::ChatFile;
use crate::suite::hammerbench::layout::{DataFile, FolderError, import_file};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file of samples in a run's folder.
pub const SAMPLES: &str = "samples.jsonl";

/// A benchmark that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bench {
    /// A file with a sample on each line.
    Samples(PathBuf),
    /// Files in HammerBench's layout.
    Hammerbench(Vec<DataFile>),
    /// Files in CallNavi's layout.
    Callnavi(Vec<DomainFiles>),
    /// A file in ComplexFuncBench's layout.
    Complexfuncbench(RowFile),
    /// Files in FunctionChat-Bench's layout.
    Functionchat(Vec<ChatFile>),
    /// Files in BFCL's layout.
    Bfcl(Vec<BfclFile>),
    /// Files in CONFETTI's layout.
    Confetti(ConfettiFiles),
    /// The samples of another one that have these ids.
    Part(Box<Self>, Arc<BTreeSet<String>>),
}

/// Why a benchmark cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// Nothing is there.
    #[error("`{}` is not there", .0.display())]
    Missing(PathBuf),
    /// Something is there, and nobody knows what.
    #[error("`{}` is no run folder, no file of samples and no folder in the layout of a known benchmark", .0.display())]
    Unknown(PathBuf),
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file in HammerBench's layout cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

impl Bench {
    /// Finds out what lies at a path.
    pub fn open(path: &Path) -> Result<Self, BenchError> {
        if path.is_file() {
            return Ok(Self::of_file(path.to_owned()));
        }
        if !path.is_dir() {
            return Err(BenchError::Missing(path.to_owned()));
        }
        if path.join(SAMPLES).is_file() {
            return Ok(Self::of_file(path.join(SAMPLES)));
        }
        if let Some(rows) = RowFile::below(path) {
            return Ok(Self::Complexfuncbench(rows));
        }
        let chats = ChatFile::below(path);
        if !chats.is_empty() {
            return Ok(Self::Functionchat(chats));
        }
        // Its names are BFCL's as well, so that it is looked for first.
        if let Some(files) = ConfettiFiles::below(path) {
            return Ok(Self::Confetti(files));
        }
        let questions = BfclFile::below(path);
        if !questions.is_empty() {
            return Ok(Self::Bfcl(questions));
        }
        let (files, domains) = (DataFile::below(path), DomainFiles::below(path));
        match (files.is_empty(), domains.is_empty()) {
            (false, _) => Ok(Self::Hammerbench(files)),
            (true, false) => Ok(Self::Callnavi(domains)),
            (true, true) => Err(BenchError::Unknown(path.to_owned())),
        }
    }

    /// A file has our samples on its lines, or the authors' rows.
    fn of_file(path: PathBuf) -> Self {
        if let Some(chats) = ChatFile::at(&path) {
            return Self::Functionchat(vec![chats]);
        }
        if let Some(file) = BfclFile::at(&path) {
            return Self::Bfcl(vec![file]);
        }
        RowFile::at(&path).map_or(Self::Samples(path), Self::Complexfuncbench)
    }

    /// Where it lies: a folder, or the folder that its file is in.
    pub fn folder(&self) -> PathBuf {
        let above = |path: &Path| path.parent().map(Path::to_owned).unwrap_or_default();
        match self {
            Self::Part(bench, _) => bench.folder(),
            Self::Samples(path) => above(path),
            Self::Complexfuncbench(rows) => above(&rows.path),
            Self::Functionchat(files) => files.first().map(|file| above(&file.path)).unwrap_or_default(),
            Self::Hammerbench(files) => files.first().map(|file| above(&file.path)).unwrap_or_default(),
            Self::Confetti(files) => above(&files.calls),
            Self::Bfcl(files) => files.first().map(|file| above(&file.path)).unwrap_or_default(),
            Self::Callnavi(domains) => {
                domains.first().map(|domain| above(&domain.questions_path())).unwrap_or_default()
            }
        }
    }

    /// The same with its texts in another locale, where its layout does not say in which they are.
    #[must_use]
    pub fn in_locale(self, locale: &str) -> Self {
        match self {
            Self::Callnavi(domains) => {
                Self::Callnavi(domains.into_iter().map(|domain| domain.in_locale(locale)).collect())
            }
            Self::Complexfuncbench(rows) => Self::Complexfuncbench(RowFile { locale: locale.to_owned(), ..rows }),
            Self::Functionchat(files) => {
                let locale = || locale.to_owned();
                Self::Functionchat(files.into_iter().map(|file| ChatFile { locale: locale(), ..file }).collect())
            }
            Self::Confetti(files) => Self::Confetti(ConfettiFiles { locale: locale.to_owned(), ..files }),
            Self::Bfcl(files) => {
                let told = |file: BfclFile| BfclFile { locale: locale.to_owned(), ..file };
                Self::Bfcl(files.into_iter().map(told).collect())
            }
            Self::Part(bench, ids) => Self::Part(Box::new(bench.in_locale(locale)), ids),
            other => other,
        }
    }

    /// Those of its samples that have these ids.
    #[must_use]
    pub fn only(self, ids: impl IntoIterator<Item = String>) -> Self {
        Self::Part(Box::new(self), Arc::new(ids.into_iter().collect()))
    }

    /// A hash that changes with its samples, and how many there are.
    pub fn fingerprint(&self) -> Result<(String, u64), BenchError> {
        let (mut hasher, mut count) = (blake3::Hasher::new(), 0);
        let mut add = |sample: &str| {
            hasher.update(sample.as_bytes()).update(b"\n");
            count += 1;
        };
        if let Self::Samples(path) = self {
            for line in lines(path)? {
                add(&line?.1);
            }
        } else {
            self.each::<BenchError>(&mut |sample| {
                add(&serde_json::to_string(&sample).unwrap_or_default());
                Ok(())
            })?;
        }
        Ok((hasher.finalize().to_hex().to_string(), count))
    }

    /// Hands out the samples in their order; `take` ends the reading by its own error. No more than a file of the authors'
    /// layout is held at a time.
    pub fn each<E: From<BenchError>>(&self, take: &mut dyn FnMut(Sample) -> Result<(), E>) -> Result<(), E> {
        match self {
            Self::Part(bench, ids) => {
                bench.each(&mut |sample| if ids.contains(sample.id.as_str()) { take(sample) } else { Ok(()) })
            }
            Self::Samples(path) => each_sample(path, take),
            Self::Hammerbench(files) => files.iter().try_for_each(|file| until(take, |take| import_file(file, take))),
            Self::Callnavi(domains) => {
                domains.iter().try_for_each(|domain| until(take, |take| import_domain(domain, take)))
            }
            Self::Complexfuncbench(rows) => until(take, |take| rows.each(take)),
            Self::Functionchat(files) => files.iter().try_for_each(|file| until(take, |take| file.each(take))),
            Self::Confetti(files) => until(take, |take| files.each(take)),
            Self::Bfcl(files) => files.iter().try_for_each(|file| until(take, |take| file.each(take))),
        }
    }
}

/// Hands out the samples of a file with one on each line, those that it leaves out as copies included.
fn each_sample<E: From<BenchError>>(path: &Path, take: &mut dyn FnMut(Sample) -> Result<(), E>) -> Result<(), E> {
    let mut shared = SharedSnapshots::default();
    for line in lines(path).map_err(BenchError::from)? {
        let (at, line) = line.map_err(BenchError::from)?;
        let sample = serde_json::from_str(&line).map_err(|error| FileError::line(path, at, error));
        shared.restore(sample.map_err(BenchError::from)?).into_iter().try_for_each(&mut *take)?;
    }
    Ok(())
}

/// Reads a file to its end, and hands out its samples until `take` has had enough.
fn until<E: From<BenchError>, F: Into<BenchError>>(
    take: &mut dyn FnMut(Sample) -> Result<(), E>,
    read: impl FnOnce(&mut dyn FnMut(Sample)) -> Result<(), F>,
) -> Result<(), E> {
    let mut result = Ok(());
    let whole = read(&mut |sample| {
        if result.is_ok() {
            result = take(sample);
        }
    });
    whole.map_err(Into::into)?;
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const SAMPLE: &str = r#"{"id": "t/0", "suite": "hammerbench", "data_type": "ST_Perfect", "locale": "en", "messages": [],
        "candidates": [], "expected": "refusal", "group": "t", "licence": "CC0", "source": "test", "provenance": {"template": false, "draws": []}}"#;

    fn ids(bench: &Bench) -> Result<Vec<String>, BenchError> {
        let mut ids = Vec::new();
        bench.each::<BenchError>(&mut |sample| {
            ids.push(sample.id.to_string());
            Ok(())
        })?;
        Ok(ids)
    }

    #[test]
    fn a_run_a_file_and_a_folder_of_the_authors_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("run")).unwrap();
        fs::write(at("run/samples.jsonl"), format!("{}\n\n", SAMPLE.replace('\n', " "))).unwrap();
        fs::create_dir_all(at("theirs/data/en/single-turn")).unwrap();
        let item = r#"[{"messages": [{"role": "user", "content": "hi"}, {"role": "function call", "content": {"name": "A", "arguments": {}}}], "multiple_tools": []}]"#;
        fs::write(at("theirs/data/en/single-turn/ST_Perfect.json"), item).unwrap();
        for (path, wanted) in [("run", "t/0"), ("run/samples.jsonl", "t/0"), ("theirs", "en/ST-Perfect_0_1")] {
            assert_eq!(ids(&Bench::open(&at(path)).unwrap()).unwrap(), [wanted], "{path}");
        }
    }

    #[test]
    fn a_folder_of_domains_is_found_and_its_locale_may_be_told() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join("Dataset").join(name);
        fs::create_dir_all(at("APIs")).unwrap();
        fs::create_dir_all(at("Questions")).unwrap();
        fs::write(at("APIs/bank.json"), r#"{"api_ports": []}"#).unwrap();
        let item = r#"[{"id": "ban001", "question": [], "ground_truth": {"API": [], "parameters": []}, "difficulty": "easy"}]"#;
        fs::write(at("Questions/bank.json"), item).unwrap();
        let mut locales = Vec::new();
        let bench = Bench::open(folder.path()).unwrap();
        for bench in [bench.clone(), bench.in_locale("ko")] {
            assert_eq!(ids(&bench).unwrap(), ["ban001"]);
            bench
                .each::<BenchError>(&mut |sample| {
                    locales.push(sample.locale);
                    Ok(())
                })
                .unwrap();
        }
        assert_eq!(locales, ["en", "ko"]);
    }

    #[test]
    fn a_file_of_rows_is_found_alone_and_in_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ComplexFuncBench.jsonl");
        let row = r#"{"id": "Hotels-0", "conversations": [{"role": "user", "content": "hi"}], "functions": []}"#;
        fs::write(&path, row).unwrap();
        for at in [folder.path(), &path] {
            let bench = Bench::open(at).unwrap();
            assert_eq!((ids(&bench).unwrap(), bench.folder()), (vec!["Hotels-0".to_owned()], folder.path().to_owned()));
            assert!(matches!(bench.in_locale("ko"), Bench::Complexfuncbench(rows) if rows.locale == "ko"));
        }
        fs::rename(&path, folder.path().join(SAMPLES)).unwrap();
        assert!(matches!(Bench::open(folder.path()), Ok(Bench::Complexfuncbench(_))));
    }

    #[test]
    fn files_of_chats_are_found_alone_and_in_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("FunctionChat-CallDecision.jsonl");
        let row = r#"{"serial_num": 7, "category": "REJECT", "input_messages": [], "input_tools": [], "type_of_output": "relevance", "ground_truth": {"role": "assistant", "content": "No."}, "acceptable_arguments": null}"#;
        fs::write(&path, row).unwrap();
        for at in [folder.path(), &path] {
            let bench = Bench::open(at).unwrap();
            assert_eq!(
                (ids(&bench).unwrap(), bench.folder()),
                (vec!["calldecision/7".to_owned()], folder.path().to_owned())
            );
            assert!(matches!(bench.in_locale("zh"), Bench::Functionchat(files) if files[0].locale == "zh"));
        }
    }

    #[test]
    fn what_is_no_benchmark_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let told = |path: &Path| Bench::open(path).unwrap_err().to_string();
        assert!(told(&folder.path().join("gone")).ends_with("/gone` is not there"));
        assert!(told(folder.path()).contains("is no run folder"));
        let path = folder.path().join("x.jsonl");
        fs::write(&path, "{\"id\": 1}\n").unwrap();
        let error = ids(&Bench::open(&path).unwrap()).unwrap_err().to_string();
        assert!(error.contains("x.jsonl`, line 1: invalid type"), "{error}");
    }

    #[test]
    fn a_part_has_the_samples_of_its_ids_and_lies_where_the_whole_does() {
        let folder = tempfile::tempdir().unwrap();
        let line = |id: &str| SAMPLE.replace('\n', " ").replace("t/0", id) + "\n";
        fs::write(folder.path().join(SAMPLES), ["a", "b", "c"].map(line).concat()).unwrap();
        let whole = Bench::open(folder.path()).unwrap();
        let part = whole.clone().only(["c", "a", "z"].map(str::to_owned)).in_locale("ko");
        assert_eq!((ids(&part).unwrap(), part.folder()), (vec!["a".to_owned(), "c".to_owned()], whole.folder()));
    }

    #[test]
    fn a_fingerprint_changes_with_the_samples_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(SAMPLES);
        let of = |text: &str| {
            fs::write(&path, text).unwrap();
            Bench::open(&path).unwrap().fingerprint().unwrap()
        };
        let line = SAMPLE.replace('\n', " ");
        let (hash, count) = of(&format!("{line}\n{line}\n"));
        assert_eq!(((hash.as_str(), count), hash.len()), ((of(&format!("{line}\n\n{line}")).0.as_str(), 2), 64));
        assert_ne!(of(&format!("{line}\n")).0, hash);
        let rows = folder.path().join("ComplexFuncBench.jsonl");
        let row = r#"{"id": "Hotels-0", "conversations": [{"role": "user", "content": "hi"}], "functions": []}"#;
        fs::write(&rows, row).unwrap();
        assert_eq!(Bench::open(&rows).unwrap().fingerprint().unwrap().1, 1);
    }

    #[test]
    fn whoever_takes_may_stop() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("samples.jsonl");
        fs::write(&path, format!("{}\n", SAMPLE.replace('\n', " ")).repeat(3)).unwrap();
        let mut taken = 0;
        let result = Bench::open(&path).unwrap().each::<BenchError>(&mut |_| {
            taken += 1;
            Err(BenchError::Missing("enough".into()))
        });
        assert!(result.is_err() && taken == 1);
    }

    #[test]
    fn a_fault_in_the_authors_files_has_its_place_and_comes_after_what_is_sound() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("en/single-turn");
        fs::create_dir_all(&at).unwrap();
        let item = r#"{"messages": [{"role": "user", "content": "hi"}, {"role": "function call", "content": {"name": "A", "arguments": {}}}], "multiple_tools": []}"#;
        fs::write(at.join("ST_Perfect.json"), format!("[{item}, {{}}]")).unwrap();
        let bench = Bench::open(folder.path()).unwrap();
        let mut taken = 0;
        let result = bench.each::<BenchError>(&mut |_| {
            taken += 1;
            Ok(())
        });
        let error = result.unwrap_err().to_string();
        assert!(error.contains("ST_Perfect.json`, item 2: missing field `messages`") && taken == 1, "{taken}: {error}");
    }
}
