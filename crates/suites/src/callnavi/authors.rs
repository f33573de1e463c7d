//! The files that hand on answers from one of the authors' scripts to the next: `bank_0_para_gpt.json` holds the answers to the
//! bank's questions in their order, and beside each the truth as Python writes it.

use super::answers::Task;
use crate::format::PredictionsError;
use crate::python::read_literal;
use crate::record::{BorrowedObject, BorrowedValue, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The word in a file's name, by what was asked for.
const KINDS: [(&str, Task); 2] = [("para", Task::Parameters), ("APIonly", Task::Routing)];
/// The two spellings of the key under which the answer stands.
const SAID: [&str; 2] = ["predict", "predit"];

/// One of the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AuthorsFile {
    pub path: PathBuf,
    pub domain: String,
    pub task: Task,
    iteration: u32,
    model: String,
}

impl AuthorsFile {
    /// What a file's name says: domain, iteration, kind and model.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let stem = path.file_name()?.to_str()?.strip_suffix(".json")?;
        let parts: Vec<&str> = stem.split('_').collect();
        let find = |(word, task): &(&str, Task)| Some((parts.iter().rposition(|part| part == word)?, *task));
        let (at, task) = KINDS.iter().find_map(find)?;
        let (before, model) = (parts.get(..at)?, parts.get(at + 1..)?);
        let (iteration, domain) = before.split_last()?;
        Some(Self {
            path: path.to_owned(),
            domain: domain.join("_"),
            task,
            iteration: iteration.parse().ok()?,
            model: model.join("_"),
        })
    }
}

/// The files in a folder; they must be of one model.
pub(super) fn below(folder: &Path) -> Result<Vec<AuthorsFile>, PredictionsError> {
    let io = |source| PredictionsError::Io { path: folder.to_owned(), source };
    let entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .map_err(io)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()
        .map_err(io)?;
    let mut files: Vec<AuthorsFile> = entries.iter().filter_map(|path| AuthorsFile::of(path)).collect();
    files.sort_by(|one, other| one.path.cmp(&other.path));
    let mut models: Vec<&str> = files.iter().map(|file| file.model.as_str()).collect();
    models.sort_unstable();
    models.dedup();
    let problem = match models.as_slice() {
        [_] => return Ok(files),
        [] => "no predictions.jsonl and no output files of the original scripts in the folder".to_owned(),
        several => {
            format!("answers of {} models ({}); expected one model per folder", several.len(), several.join(", "))
        }
    };
    Err(PredictionsError::Format { path: folder.to_owned(), problem })
}

/// The files with their runs: iterations are counted from 0 within each task, however they are numbered.
pub(super) fn runs(files: Vec<AuthorsFile>) -> Vec<(AuthorsFile, u32)> {
    let mut iterations: BTreeMap<Task, Vec<u32>> = BTreeMap::new();
    for file in &files {
        iterations.entry(file.task).or_default().push(file.iteration);
    }
    for known in iterations.values_mut() {
        known.sort_unstable();
        known.dedup();
    }
    let run = |file: AuthorsFile| {
        let place = iterations.get(&file.task).and_then(|known| known.iter().position(|it| *it == file.iteration));
        let run = place.and_then(|place| u32::try_from(place).ok()).unwrap_or(0);
        (file, run)
    };
    files.into_iter().map(run).collect()
}

/// The answer of an element, if the truth beside it is of the question that these calls answer.
pub(super) fn read(element: &str, names: &[&str]) -> Result<String, String> {
    let wanted = [SAID[0], SAID[1], "ground_truth"];
    let fields = BorrowedObject::read_fields(element, &wanted).map_err(|error| error.to_string())?;
    let truth = fields.get("ground_truth").and_then(BorrowedValue::as_str).and_then(read_literal);
    if truth.as_ref().and_then(names_of).is_some_and(|of| of != names) {
        return Err("its `ground_truth` belongs to another question".to_owned());
    }
    let said = SAID.iter().find_map(|name| fields.get(name)).ok_or("missing `predict` (or `predit`)")?;
    Ok(said.as_str().map_or_else(|| Value::from(said.clone()).to_string(), str::to_owned))
}

fn names_of<'v>(truth: &'v BorrowedValue<'_>) -> Option<Vec<&'v str>> {
    let list = truth.as_object().map_or(Some(truth), |truth| truth.get("API"))?;
    let BorrowedValue::List(list) = list else { return None };
    list.iter().map(BorrowedValue::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str) -> Option<(String, u32, String)> {
        AuthorsFile::of(Path::new(name)).map(|file| (file.domain, file.iteration, file.model))
    }

    #[test]
    fn names_say_what_files_hold() {
        assert_eq!(file("x/bank_0_para_gpt-4o.json"), Some(("bank".to_owned(), 0, "gpt-4o".to_owned())));
        assert_eq!(file("my_shop_12_APIonly_a_b.json"), Some(("my_shop".to_owned(), 12, "a_b".to_owned())));
        for name in [
            "predictions.jsonl",
            "bank_0_para_gpt.txt",
            "bank_x_para_gpt.json",
            "bank_1_washed_gpt.json",
            "para_gpt.json",
        ] {
            assert_eq!(file(name), None, "{name}");
        }
    }

    #[test]
    fn iterations_are_runs_of_their_task() {
        let files = ["a_1_APIonly_m.json", "a_4_para_m.json", "b_4_para_m.json", "a_0_para_m.json"];
        let files = files.iter().filter_map(|name| AuthorsFile::of(Path::new(name))).collect();
        assert_eq!(runs(files).iter().map(|(_, run)| *run).collect::<Vec<_>>(), [0, 1, 1, 0]);
    }

    #[test]
    fn an_answer_is_text_whatever_it_was() {
        let names = ["getX"];
        assert_eq!(read(r#"{"predict": "hi", "ground_truth": "{'API': ['getX']}"}"#, &names), Ok("hi".to_owned()));
        assert_eq!(
            read(r#"{"predit": {"API": []}, "ground_truth": "['getX']"}"#, &names),
            Ok(r#"{"API":[]}"#.to_owned())
        );
        assert_eq!(read(r#"{"predict": "hi"}"#, &names), Ok("hi".to_owned()));
        assert!(
            read(r#"{"predict": "hi", "ground_truth": "['getY']"}"#, &names).is_err() && read("{}", &names).is_err()
        );
    }

    #[test]
    fn a_folder_is_of_one_model() {
        let folder = tempfile::tempdir().unwrap();
        let told = |folder: &Path| below(folder).unwrap_err().to_string();
        assert!(
            told(folder.path())
                .ends_with("no predictions.jsonl and no output files of the original scripts in the folder")
        );
        for model in ["a", "b"] {
            std::fs::write(folder.path().join(format!("bank_0_para_{model}.json")), "[]").unwrap();
        }
        assert!(told(folder.path()).ends_with("answers of 2 models (a, b); expected one model per folder"));
    }
}
