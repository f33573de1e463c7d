//! A folder in the authors' layout: `Dataset` with `APIs`, `APISchema` and `Questions`, or what lies above it.

use super::api::{Api, ApiFile, ApiSchema};
use super::item::QuestionItem;
use super::stem::place;
use crate::format::each_element;
use crate::record::Tool;
use indexmap::IndexMap;
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folder of the APIs, of their schemas, and of the questions.
pub const APIS: &str = "APIs";
/// The folder of the schemas.
pub const SCHEMAS: &str = "APISchema";
/// The folder of the questions.
pub const QUESTIONS: &str = "Questions";
/// The folder that holds these.
pub const DATASET: &str = "Dataset";

/// The three files of one domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomainFiles {
    /// The domain: the files' name.
    pub domain: String,
    /// Of the texts. The layout does not say it, and the authors' are English.
    pub locale: String,
    folder: PathBuf,
}

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// The system gives no file.
    #[error("cannot read `{}`", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
    /// Something in it is not what it should be.
    #[error("`{}`, line {line}: {problem}", path.display())]
    Item {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
}

impl DomainFiles {
    /// The domains below a folder: the authors' in their order, then others by name.
    pub fn below(folder: &Path) -> Vec<Self> {
        let roots = ["", DATASET, "benchmark/Dataset", "benchmark"].map(|part| folder.join(part));
        let is_whole = |root: &&PathBuf| root.join(QUESTIONS).is_dir() && root.join(APIS).is_dir();
        let Some(root) = roots.iter().find(is_whole) else { return Vec::new() };
        let entries = std::fs::read_dir(root.join(QUESTIONS)).into_iter().flatten();
        let mut domains: Vec<String> = entries.filter_map(|entry| stem(&entry.ok()?.path())).collect();
        domains.sort_by(|one, other| place(one).cmp(&place(other)));
        let files = |domain| Self { domain, locale: "en".to_owned(), folder: root.clone() };
        domains.into_iter().map(files).collect()
    }

    /// The same in another locale.
    #[must_use]
    pub fn in_locale(self, locale: &str) -> Self {
        Self { locale: locale.to_owned(), ..self }
    }

    /// The file of the questions.
    pub fn questions_path(&self) -> PathBuf {
        self.path(QUESTIONS)
    }

    /// The domain's APIs as tools, shared by whoever shows them.
    pub fn tools(&self) -> Result<Vec<Arc<Tool>>, DatasetError> {
        let schemas = self.schemas();
        let tool = |api: &Api| Arc::new(api.tool(schemas.get(&api.name)));
        Ok(self.apis()?.api_ports.iter().map(tool).collect())
    }

    /// The domain's APIs as they stand.
    pub fn apis(&self) -> Result<ApiFile, DatasetError> {
        self.read(APIS)
    }

    /// The same as text has them: with their own keys, in their own order.
    pub fn declared(&self) -> Result<Vec<serde_json::Value>, DatasetError> {
        let mut file: serde_json::Value = self.read(APIS)?;
        Ok(file["api_ports"].as_array_mut().map(std::mem::take).unwrap_or_default())
    }

    /// The schemas by name. They only tell more of what the APIs say, so that nothing is lost where there are none.
    fn schemas(&self) -> IndexMap<String, ApiSchema> {
        let list: Vec<ApiSchema> = self.read(SCHEMAS).unwrap_or_default();
        list.into_iter().map(|schema| (schema.name.clone(), schema)).collect()
    }

    /// Shows every question with its line, or what is wrong with the line. One is held at a time.
    pub fn each(&self, take: &mut dyn FnMut(usize, Result<QuestionItem, String>)) -> Result<(), DatasetError> {
        let path = self.questions_path();
        let file = File::open(&path).map_err(|source| DatasetError::Io { path: path.clone(), source })?;
        let read = each_element(BufReader::new(file), &mut |line, text| {
            take(line, serde_json::from_str(text).map_err(|error| error.to_string()));
        });
        read.map_err(|(line, problem)| DatasetError::Item { path, line, problem })
    }

    fn read<T: DeserializeOwned>(&self, folder: &str) -> Result<T, DatasetError> {
        let path = self.path(folder);
        let text = std::fs::read_to_string(&path).map_err(|source| DatasetError::Io { path: path.clone(), source })?;
        serde_json::from_str(&text).map_err(|error| DatasetError::Item {
            path,
            line: error.line().max(1),
            problem: error.to_string(),
        })
    }

    fn path(&self, folder: &str) -> PathBuf {
        self.folder.join(folder).join(format!("{}.json", self.domain))
    }
}

/// The name of a JSON file without its end.
fn stem(path: &Path) -> Option<String> {
    let is_json = path.extension().is_some_and(|extension| extension == "json");
    path.file_stem().filter(|_| is_json).map(|stem| stem.to_string_lossy().into_owned())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    pub(in super::super) use crate::fixtures::folder;

    const API: &str =
        r#"{"api_ports": [{"name": "f", "parameters": ["a"], "description": "", "returnParameter": "X"}]}"#;

    #[test]
    fn domains_are_found_from_wherever_one_begins() {
        let folder = folder(&[
            ("benchmark/Dataset/APIs/bank.json", API),
            ("benchmark/Dataset/Questions/zoo.json", "[]"),
            ("benchmark/Dataset/Questions/bank.json", "[]"),
            ("benchmark/Dataset/Questions/notes.txt", ""),
        ]);
        for part in ["", "benchmark", "benchmark/Dataset"] {
            let files = DomainFiles::below(&folder.path().join(part));
            let domains: Vec<&str> = files.iter().map(|files| files.domain.as_str()).collect();
            assert_eq!(domains, ["bank", "zoo"], "{part}");
            assert_eq!(files[0].tools().unwrap()[0].name, "f");
        }
        assert!(DomainFiles::below(&folder.path().join("benchmark/Dataset/APIs")).is_empty());
        assert_eq!(DomainFiles::below(folder.path()).remove(0).in_locale("ko").locale, "ko");
    }

    #[test]
    fn questions_come_one_by_one_with_their_lines() {
        let item =
            r#"{"id": "ban1", "question": [], "ground_truth": {"API": [], "parameters": []}, "difficulty": "easy"}"#;
        let text = format!("[\n{item},\n{{\"id\": 3}}\n]");
        let folder = folder(&[("APIs/bank.json", API), ("Questions/bank.json", &text)]);
        let mut seen = Vec::new();
        let files = DomainFiles::below(folder.path()).remove(0);
        files.each(&mut |line, item| seen.push((line, item.map(|item| item.id)))).unwrap();
        assert_eq!(seen[0], (2, Ok("ban1".to_owned())));
        assert!(seen[1].0 == 3 && seen[1].1.as_ref().unwrap_err().starts_with("missing field"), "{seen:?}");
    }

    #[test]
    fn what_cannot_be_read_has_its_place() {
        let folder = folder(&[
            ("APIs/hr.json", "{\n\"api_ports\": 5}"),
            ("Questions/bank.json", "{}"),
            ("Questions/hr.json", "["),
        ]);
        let files = DomainFiles::below(folder.path());
        let gone = files[0].tools().unwrap_err().to_string();
        assert!(gone.starts_with("cannot read `") && gone.ends_with("APIs/bank.json`"), "{gone}");
        let odd = files[1].tools().unwrap_err().to_string();
        assert!(odd.contains("hr.json`, line 2: invalid type"), "{odd}");
        let broken = files[1].each(&mut |_, _| {}).unwrap_err().to_string();
        assert!(broken.contains("Questions/hr.json`, line 1: EOF"), "{broken}");
    }

    #[test]
    fn schemas_may_be_missing_or_broken() {
        let folder = folder(&[("APIs/bank.json", API), ("APISchema/bank.json", "{}"), ("Questions/bank.json", "[]")]);
        assert_eq!(DomainFiles::below(folder.path())[0].tools().unwrap().len(), 1);
    }
}
