//! A benchmark wherever it lies: a run's folder, a file of samples, or a folder in the layout of its authors.

use super::layout::{FILES, FOLDERS, Layout, Place, SAMPLES, SamplesFile};
use super::lines::{FileError, lines};
use crate::record::{REFUSAL_FACT, Sample, SuiteName};
use std::any::Any;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A benchmark that was found; nothing of it is in memory.
#[derive(Debug, Clone)]
pub struct Bench {
    path: PathBuf,
    files: Arc<dyn Layout>,
    /// The samples that are wanted, where it is a part of the whole.
    only: Option<Arc<BTreeSet<String>>>,
}

/// Why a benchmark cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The path does not exist.
    #[error("`{}` does not exist", .0.display())]
    Missing(PathBuf),
    /// It is in no known layout.
    #[error("`{}` is not a benchmark: expected a run folder, a samples file, or a folder in the layout of a known benchmark", .0.display())]
    Unknown(PathBuf),
    /// There are several locales, or not the one that is wanted.
    #[error("`{}` contains the locales {known}: choose one", path.display())]
    Locales {
        /// The path.
        path: PathBuf,
        /// What there is.
        known: String,
    },
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Bench {
    /// Finds out what lies at a path.
    pub fn open(path: &Path) -> Result<Self, BenchError> {
        let file = |path: &Path| {
            let authors = FILES.iter().find_map(|find| find(path));
            authors.unwrap_or_else(|| Arc::new(SamplesFile(path.to_owned())))
        };
        let files = match path.join(SAMPLES) {
            _ if path.is_file() => file(path),
            _ if !path.is_dir() => return Err(BenchError::Missing(path.to_owned())),
            samples if samples.is_file() => file(&samples),
            _ => FOLDERS.iter().find_map(|find| find(path)).ok_or_else(|| BenchError::Unknown(path.to_owned()))?,
        };
        Ok(Self { path: path.to_owned(), files, only: None })
    }

    /// Finds out what lies at a path, in one locale: in this one, or in the only one that there is.
    pub fn open_in(path: &Path, locale: Option<&str>) -> Result<Self, BenchError> {
        let whole = Self::open(path)?;
        let bench = locale.map_or_else(|| whole.clone(), |locale| whole.in_locale(locale));
        let locales = bench.files.locales();
        if locales.len() > 1 || (locales.is_empty() && bench.files.paths().is_empty()) {
            let known = whole.files.locales().iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            return Err(BenchError::Locales { path: path.to_owned(), known });
        }
        Ok(bench)
    }

    /// A benchmark of these files.
    pub fn of(files: impl Layout) -> Self {
        let path = files.paths().into_iter().next().unwrap_or_default();
        Self { path, files: Arc::new(files), only: None }
    }

    /// The path that it was opened by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where it lies: the folder that it was opened by, or the one that its first file is in.
    pub fn folder(&self) -> PathBuf {
        if self.path.is_dir() {
            return self.path.clone();
        }
        self.path.parent().map(Path::to_owned).unwrap_or_default()
    }

    /// Its files, where they are in this layout.
    pub fn layout<L: Layout>(&self) -> Option<&L> {
        let files: &dyn Any = &*self.files;
        files.downcast_ref()
    }

    /// Whether it is in the layout of its authors, which says less of a sample than ours.
    pub fn is_authors(&self) -> bool {
        self.layout::<SamplesFile>().is_none()
    }

    /// The locale of its texts, where there is one.
    pub fn locale(&self) -> Option<String> {
        self.files.locales().pop_first()
    }

    /// The suite that it belongs to: that of the layout, or of the first sample.
    pub fn suite(&self) -> Option<SuiteName> {
        self.files.suite()
    }

    /// The same in one locale: the part that is in it, or all where the layout does not say in which the texts are.
    #[must_use]
    pub fn in_locale(&self, locale: &str) -> Self {
        Self { files: self.files.in_locale(locale), ..self.clone() }
    }

    /// Those of its samples that have these ids.
    #[must_use]
    pub fn only(self, ids: impl IntoIterator<Item = String>) -> Self {
        Self { only: Some(Arc::new(ids.into_iter().collect())), ..self }
    }

    /// A hash that changes with its samples, and how many there are.
    pub fn fingerprint(&self) -> Result<(String, u64), BenchError> {
        let (mut hasher, mut count) = (blake3::Hasher::new(), 0);
        let mut add = |sample: &str| {
            hasher.update(sample.as_bytes()).update(b"\n");
            count += 1;
        };
        if let Some(SamplesFile(path)) = self.layout() {
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

    /// Hands out the samples in their order, up to the first that cannot be read; `take` ends the reading by its own error.
    pub fn each<E: From<BenchError>>(&self, take: &mut dyn FnMut(Sample) -> Result<(), E>) -> Result<(), E> {
        let (mut result, is_authors) = (Ok(()), self.is_authors());
        self.each_place(&mut |_, found| {
            if result.is_ok() {
                let sample = found.map_err(|error| BenchError::File(error).into());
                result = sample.and_then(|mut sample| {
                    // Fingerprints of predictions and imported files are of samples without the authors' words of refusal.
                    if is_authors {
                        sample.provenance.facts.shift_remove(REFUSAL_FACT);
                    }
                    take(sample)
                });
            }
        });
        result
    }

    /// Hands out what stands at each place: the samples in their order, and why some cannot be read.
    pub fn each_place(&self, take: &mut dyn FnMut(Place, Result<Sample, FileError>)) {
        let is_wanted = |sample: &Sample| self.only.as_ref().is_none_or(|ids| ids.contains(sample.id.as_str()));
        self.files.each(&mut |place, found| {
            if found.as_ref().map_or(true, is_wanted) {
                take(place, found);
            }
        });
    }
}

/// All samples of some files, or why they cannot be read.
#[cfg(test)]
pub(crate) fn samples_of(files: impl Layout) -> Result<Vec<Sample>, BenchError> {
    let mut samples = Vec::new();
    Bench::of(files).each::<BenchError>(&mut |sample| {
        samples.push(sample);
        Ok(())
    })?;
    Ok(samples)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complexfunc::layout::RowFile;
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
            assert_eq!(bench.in_locale("ko").locale().as_deref(), Some("ko"));
        }
        fs::rename(&path, folder.path().join(SAMPLES)).unwrap();
        assert!(Bench::open(folder.path()).unwrap().layout::<Vec<RowFile>>().is_some());
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
            assert_eq!(bench.in_locale("zh").locale().as_deref(), Some("zh"));
        }
    }

    #[test]
    fn what_is_no_benchmark_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let told = |path: &Path| Bench::open(path).unwrap_err().to_string();
        assert!(told(&folder.path().join("gone")).ends_with("/gone` does not exist"));
        assert!(told(folder.path()).contains("is not a benchmark"));
        let path = folder.path().join("x.jsonl");
        fs::write(&path, "{\"id\": 1}\n").unwrap();
        let error = ids(&Bench::open(&path).unwrap()).unwrap_err().to_string();
        assert!(error.contains("x.jsonl`, line 1: not a sample: invalid type"), "{error}");
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
        assert!(error.contains("ST_Perfect.json`, line 1: missing field `messages`") && taken == 1, "{taken}: {error}");
    }

    /// Each place with its sample's id and locale, or what is wrong there.
    fn places(bench: &Bench) -> Vec<String> {
        let mut places = Vec::new();
        bench.each_place(&mut |place, found| {
            places.push(match found {
                Ok(sample) => format!("{place} {} {}", sample.id, sample.locale),
                Err(error) => format!("{place} {}", error.problem()),
            });
        });
        places
    }

    const TALK: &str = r#"[
  {"id": 4, "multiple_tools": [], "single_tool": [], "messages": [
    {"role": "user", "content": "hi"}, {"role": "function call", "content": {"name": "A.B.c", "arguments": {}}},
    {"role": "assistant", "content": "when?"},
    {"role": "user", "content": "noon"}, {"role": "function call", "content": {"name": "A.B.c", "arguments": {"at": "noon"}}}]},
  {"id": 5}
]"#;

    #[test]
    fn the_authors_folder_is_found_from_above_and_from_within_and_reading_goes_on_after_a_fault() {
        let folder = tempfile::tempdir().unwrap();
        let turns = folder.path().join("data/en/multi-turn");
        fs::create_dir_all(&turns).unwrap();
        fs::write(turns.join("HammerBench_Based.json"), TALK).unwrap();
        fs::write(turns.join("HammerBench_External.json"), TALK).unwrap();
        for below in ["", "data", "data/en"] {
            let bench = Bench::open_in(&folder.path().join(below), None).unwrap();
            assert!(bench.is_authors() && bench.locale().as_deref() == Some("en"), "{below}");
            let places = places(&bench);
            assert_eq!(places[0], "HammerBench_Based.json:2 en/Based_4_1 en");
            assert_eq!(places[1], "HammerBench_Based.json:2 en/Based_4_2 en");
            assert!(places[2].starts_with("HammerBench_Based.json:6 missing field"), "{places:?}");
            assert_eq!(places.len(), 6);
        }
        fs::create_dir_all(folder.path().join("data/zh/single-turn")).unwrap();
        fs::write(folder.path().join("data/zh/single-turn/ST_Perfect.json"), "[]").unwrap();
        let error = Bench::open_in(folder.path(), None).unwrap_err().to_string();
        assert!(error.ends_with("contains the locales `en`, `zh`: choose one"), "{error}");
        assert_eq!(Bench::open_in(folder.path(), Some("zh")).unwrap().locale().as_deref(), Some("zh"));
        assert!(Bench::open_in(folder.path(), Some("fr")).is_err());
    }

    #[test]
    fn what_cannot_be_read_stands_at_its_place_in_every_layout() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            path
        };
        let row = r#"{"id": "Hotels-0", "conversations": [{"role": "user", "content": "hi"}], "functions": []}"#;
        let rows = write("rows.jsonl", &format!("{row}\n\n{}\n", row.replace("\"user\"", "\"nobody\"")));
        let found = places(&Bench::open_in(&rows, Some("ko")).unwrap());
        assert!(
            found[0] == "rows.jsonl:1 Hotels-0 ko" && found[1].starts_with("rows.jsonl:3 turn 1: expected"),
            "{found:?}"
        );
        let decision = r#"{"serial_num": 4, "category": "SLOT-all", "input_messages": [{"role": "user", "content": "a boat"}], "input_tools": [], "type_of_output": "slot", "ground_truth": {"role": "assistant", "content": "which?"}, "acceptable_arguments": null}"#;
        let chats = write("chats.jsonl", &format!("{decision}\n{{\"serial_num\": 5}}\n"));
        let found = places(&Bench::open(&chats).unwrap());
        assert!(found[0] == "chats.jsonl:1 chats/4 ko" && found[1].starts_with("chats.jsonl:2 missing"), "{found:?}");
        let samples = write("mine.jsonl", &format!("{}\n\n{{}}\n", SAMPLE.replace('\n', " ")));
        let found = places(&Bench::open(&samples).unwrap());
        assert!(found[0] == "mine.jsonl:1 t/0 en" && found[1].starts_with("mine.jsonl:3 not a sample"), "{found:?}");
        write("Dataset/APIs/bank.json", r#"{"api_ports": []}"#);
        let questions = r#"[
  {"id": "ban001", "question": [], "ground_truth": {"API": [], "parameters": []}, "difficulty": "easy"}, {"id": "ban002"}]"#;
        write("Dataset/Questions/bank.json", questions);
        write("Dataset/Questions/zoo.json", questions);
        let found = places(&Bench::open_in(folder.path(), Some("ko")).unwrap());
        assert_eq!(found[0], "Questions/bank.json:2 ban001 ko");
        assert!(found[1].starts_with("Questions/bank.json:2 missing field `question`"), "{found:?}");
        assert!(found[2].starts_with("APIs/zoo.json:1 cannot read `") && found.len() == 3, "{found:?}");
    }
}
