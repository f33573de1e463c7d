//! Where BFCL's files lie: questions by category, and accepted answers in a folder beside them.

use super::entry::{Entry, EntryError};
use crate::format::lines::{FileError, first_line, lines};
use crate::format::{LayoutFile, SampleSink};
use crate::record::{BorrowedObject, SuiteId, Value};
use indexmap::IndexMap;
use std::path::{Path, PathBuf};

/// The folder of accepted answers.
const ANSWERS: &str = "possible_answer";

/// A file of questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BfclFile {
    /// The file.
    pub path: PathBuf,
    /// The locale of its texts, which it does not say.
    pub locale: String,
}

impl BfclFile {
    /// The file at this path, if its name is BFCL's and its first line a question.
    pub fn at(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let is_named = name.starts_with("BFCL_v") || name.starts_with("gorilla_openfunctions_v");
        if !is_named || !path.is_file() {
            return None;
        }
        Entry::is_entry(&first_line(path)?).then(|| Self { path: path.to_owned(), locale: "en".to_owned() })
    }

    /// The files in BFCL's layout in a folder, or in its `data`, by name.
    pub fn below(folder: &Path) -> Vec<Self> {
        let found = |folder: &Path| -> Vec<Self> {
            let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
            let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
            paths.sort();
            paths.iter().filter_map(|path| Self::at(path)).collect()
        };
        let files = found(folder);
        if files.is_empty() { found(&folder.join("data")) } else { files }
    }

    /// The category that the file's name ends with.
    pub fn category(&self) -> String {
        let stem = self.path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let after = |prefix: &str| Some(stem.strip_prefix(prefix)?.split_once('_')?.1);
        let rest = after("BFCL_v").or_else(|| after("gorilla_openfunctions_v")).unwrap_or(stem);
        rest.strip_prefix("test_").unwrap_or(rest).to_owned()
    }

    /// The accepted answers' file, where there is one.
    pub fn answers_path(&self) -> Option<PathBuf> {
        let path = self.path.parent()?.join(ANSWERS).join(self.path.file_name()?);
        path.is_file().then_some(path)
    }

    /// Hands out every question with its answers and its line, in the file's order; a faulty line ends it. Questions and
    /// answers are joined by id.
    pub fn each_entry(&self, take: &mut dyn FnMut(usize, Entry)) -> Result<(), FileError> {
        let mut answers = self.answers()?;
        for line in lines(&self.path)? {
            let (at, line) = line?;
            let mut entry = Entry::read(&line).map_err(|problem| FileError::line(&self.path, at, problem))?;
            entry.answers = answers.shift_or_swap(&entry.id).or(entry.answers.take());
            take(at, entry);
        }
        Ok(())
    }

    fn answers(&self) -> Result<Answers, FileError> {
        let mut answers = Answers::default();
        let Some(path) = self.answers_path() else { return Ok(answers) };
        for line in lines(&path)? {
            let (at, line) = line?;
            answers.add(&line).map_err(|problem| FileError::line(&path, at, problem))?;
        }
        Ok(answers)
    }
}

impl LayoutFile for BfclFile {
    const SUITE: SuiteId = SuiteId::Bfcl;

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
        let category = self.category();
        self.each_entry(&mut |line, entry| {
            take(Self::place(&self.path, line), Ok(entry.into_sample(&category, &self.locale)));
        })
    }
}

/// Accepted answers by id; each is wanted once.
#[derive(Default)]
struct Answers(IndexMap<String, Value>);

impl Answers {
    fn add(&mut self, line: &str) -> Result<(), EntryError> {
        let mut fields = BorrowedObject::read_fields(line, &["id", "ground_truth"])?;
        let id = fields.get("id").and_then(|id| id.as_str()).ok_or(EntryError::Field("id"))?.to_owned();
        let truth = fields.take("ground_truth").ok_or(EntryError::Field("ground_truth"))?;
        self.0.insert(id, truth.into());
        Ok(())
    }

    fn shift_or_swap(&mut self, id: &str) -> Option<Value> {
        self.0.get_mut(id).map(std::mem::take)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::fs;

    /// A folder in the layout of the latest version, with two questions.
    pub(crate) fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(ANSWERS)).unwrap();
        let function = r#"[{"name": "f", "description": "d", "parameters": {"type": "dict", "properties": {"a": {"type": "float", "description": "x"}, "b": {"type": "string"}}, "required": ["a"]}}]"#;
        let line = |id: &str| {
            format!(r#"{{"id": "{id}", "question": [[{{"role": "user", "content": "hi"}}]], "function": {function}}}"#)
        };
        let questions = format!("{}\n{}\n", line("simple_python_0"), line("simple_python_1"));
        fs::write(folder.path().join("BFCL_v4_simple_python.json"), questions).unwrap();
        let answers = r#"{"id": "simple_python_1", "ground_truth": [{"f": {"a": [1.5, 2], "b": ["", "x"]}}]}
{"id": "simple_python_0", "ground_truth": [{"f": {"a": [1], "b": ["y", ""]}}]}"#;
        fs::write(folder.path().join(ANSWERS).join("BFCL_v4_simple_python.json"), answers).unwrap();
        fs::write(folder.path().join("BFCL_v4_irrelevance.json"), line("irrelevance_0")).unwrap();
        fs::write(folder.path().join("BFCL_v4_format_sensitivity.json"), "{\"simple_python\": []}").unwrap();
        folder
    }

    #[test]
    fn questions_and_answers_are_joined_by_id() {
        let folder = folder();
        let files = BfclFile::below(folder.path());
        assert_eq!(files.iter().map(BfclFile::category).collect::<Vec<_>>(), ["irrelevance", "simple_python"]);
        let mut found = Vec::new();
        files[1].each_entry(&mut |_, entry| found.push((entry.id, entry.answers.unwrap().to_string()))).unwrap();
        assert_eq!(found[0], ("simple_python_0".to_owned(), r#"[{"f":{"a":[1],"b":["y",""]}}]"#.to_owned()));
        assert!(files[0].answers_path().is_none());
    }

    #[test]
    fn earlier_versions_names_are_known_and_a_faulty_line_has_its_place() {
        let category = |name: &str| BfclFile { path: name.into(), locale: String::new() }.category();
        assert_eq!(category("x/gorilla_openfunctions_v1_test_simple.json"), "simple");
        assert_eq!(category("BFCL_v2_live_parallel_multiple.json"), "live_parallel_multiple");
        let folder = folder();
        let path = folder.path().join(ANSWERS).join("BFCL_v4_simple_python.json");
        fs::write(&path, "{\"id\": \"x\"}").unwrap();
        let told = BfclFile::below(folder.path())[1].each_entry(&mut |_, _| {}).unwrap_err().to_string();
        assert!(told.ends_with("line 1: `ground_truth` is missing or invalid"), "{told}");
    }
}
