//! What models said, found again by task, run and question: our own lines, and the files of the authors' scripts.

use super::authors::{self, AuthorsFile};
use crate::callnavi::metric::upstream::Form;
use crate::format::{PredictionsError, Said};
use crate::record::{BorrowedObject, BorrowedValue, PredictionTurn, ValueError, elements};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Our own file.
const OURS: &str = "predictions.jsonl";

/// What models are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// Calls with their parameters.
    Parameters,
    /// The names of the APIs alone.
    Routing,
}

/// By what an answer is found: the sample's id, and where its question stands in its domain.
#[derive(Debug, Clone, Copy)]
pub struct Key<'k> {
    /// The id.
    pub id: &'k str,
    /// The domain.
    pub domain: &'k str,
    /// Which question of the domain it is, from 0.
    pub ordinal: usize,
    /// Names of the right calls; the authors' files have the truth beside each answer.
    pub names: &'k [&'k str],
}

/// A file of predictions, or a folder of the authors' files.
#[derive(Debug)]
pub struct Answers {
    path: PathBuf,
    texts: Vec<String>,
    /// Answers by task, run and id.
    lines: BTreeMap<(Task, u32), BTreeMap<String, Place>>,
    /// Answers by task, run and domain, in the order of questions.
    columns: BTreeMap<(Task, u32), BTreeMap<String, Vec<Place>>>,
    faults: Vec<(usize, String)>,
}

/// Where an answer stands.
#[derive(Debug, Clone)]
struct Place {
    text: usize,
    range: Range<usize>,
    form: Form,
}

impl Answers {
    /// Opens a file, or a folder that holds one or the authors' several. A line that cannot be read is kept as a fault and
    /// stops nothing.
    pub fn open(path: &Path) -> Result<Self, PredictionsError> {
        let ours = path.join(OURS);
        let path = if ours.is_file() { ours } else { path.to_owned() };
        let files = if path.is_dir() { authors::below(&path)? } else { AuthorsFile::of(&path).into_iter().collect() };
        let mut found =
            Self { path, texts: Vec::new(), lines: BTreeMap::new(), columns: BTreeMap::new(), faults: Vec::new() };
        if files.is_empty() {
            let path = found.path.clone();
            found.read(&path)?;
            found.index_lines();
        }
        for (file, run) in authors::runs(files) {
            found.read(&file.path)?;
            found.index_column(&file, run);
        }
        Ok(found)
    }

    /// Rows that nobody put into a file, one a line.
    pub fn of_lines(text: String) -> Self {
        let mut found = Self {
            path: PathBuf::new(),
            texts: vec![text],
            lines: BTreeMap::new(),
            columns: BTreeMap::new(),
            faults: Vec::new(),
        };
        found.index_lines();
        found
    }

    /// The file or folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Lines that could not be read: their places (lines or elements, from 1) and what is wrong.
    pub fn faults(&self) -> &[(usize, String)] {
        &self.faults
    }

    /// The runs that occur, in order.
    pub fn runs(&self) -> Vec<u32> {
        let runs: BTreeSet<u32> = self.lines.keys().chain(self.columns.keys()).map(|(_, run)| *run).collect();
        runs.into_iter().collect()
    }

    /// Whether anything was asked for in a run.
    pub fn has(&self, task: Task, run: u32) -> bool {
        self.lines.contains_key(&(task, run)) || self.columns.contains_key(&(task, run))
    }

    /// What was said, and in which form it was asked for; the error says why it cannot be read.
    pub fn find(&self, task: Task, run: u32, key: Key<'_>) -> Option<Result<(Said, Form), String>> {
        let by_id = self.lines.get(&(task, run)).and_then(|lines| lines.get(key.id));
        if let Some(place) = by_id {
            return Some(Said::read(self.text(place)).map(|said| (said, place.form)));
        }
        let place = self.columns.get(&(task, run))?.get(key.domain)?.get(key.ordinal)?;
        let said = authors::read(self.text(place), key.names);
        Some(
            said.map(|text| {
                (Said::Turn(PredictionTurn { content: Some(text), ..PredictionTurn::default() }), place.form)
            }),
        )
    }

    fn text(&self, place: &Place) -> &str {
        self.texts.get(place.text).and_then(|text| text.get(place.range.clone())).unwrap_or_default()
    }

    fn read(&mut self, path: &Path) -> Result<(), PredictionsError> {
        let text = std::fs::read_to_string(path);
        self.texts.push(text.map_err(|source| PredictionsError::Io { path: path.to_owned(), source })?);
        Ok(())
    }

    fn index_lines(&mut self) {
        let at = self.texts.len().saturating_sub(1);
        let text = std::mem::take(self.texts.get_mut(at).unwrap_or(&mut String::new()));
        for (number, part) in parts(&text) {
            match part.and_then(|part| Ok((Line::read(part)?, place_in(&text, part)))) {
                Err(problem) => self.faults.push((number, problem)),
                Ok((line, range)) => {
                    let place = Place { text: at, range, form: line.form };
                    self.lines.entry((line.task, line.run)).or_default().insert(line.id, place);
                }
            }
        }
        if let Some(place) = self.texts.get_mut(at) {
            *place = text;
        }
    }

    fn index_column(&mut self, file: &AuthorsFile, run: u32) {
        let (Some(text), at) = (self.texts.last(), self.texts.len() - 1) else { return };
        let column = self.columns.entry((file.task, run)).or_default().entry(file.domain.clone()).or_default();
        for (number, element) in elements(text).enumerate() {
            match element {
                Ok(part) => column.push(Place { text: at, range: place_in(text, part), form: Form::Json }),
                Err(error) => self.faults.push((number + 1, format!("{}: {error}", file.path.display()))),
            }
        }
    }
}

/// What a line says of itself.
struct Line {
    id: String,
    run: u32,
    task: Task,
    form: Form,
}

impl Line {
    fn read(line: &str) -> Result<Self, String> {
        let wanted = ["id", "key", "run", "task", "variant"];
        let fields = BorrowedObject::read_fields(line, &wanted).map_err(|error| error.to_string())?;
        let text = |name: &str| match fields.get(name) {
            Some(BorrowedValue::String(text)) => Some(text.clone().into_owned()),
            Some(BorrowedValue::Number(number)) => Some((*number).to_owned()),
            _ => None,
        };
        let id = text("key").or_else(|| text("id")).ok_or("missing `id`")?;
        let variant = text("variant").unwrap_or_default();
        let mut words = variant.split('-');
        let task = text("task").or_else(|| words.next().map(str::to_owned));
        let task = if task.as_deref() == Some("routing") { Task::Routing } else { Task::Parameters };
        let is_yaml = task == Task::Parameters && variant.split('-').nth(1) == Some("yaml");
        let form = if is_yaml { Form::Yaml } else { Form::Json };
        Ok(Self { id, run: text("run").and_then(|run| run.parse().ok()).unwrap_or(0), task, form })
    }
}

/// The lines of a text, or the elements of the list that it is, with their numbers from 1.
fn parts(text: &str) -> Vec<(usize, Result<&str, String>)> {
    if text.trim_start().starts_with('[') {
        let numbered = |(at, part): (usize, Result<_, ValueError>)| (at + 1, part.map_err(|error| error.to_string()));
        return elements(text).enumerate().map(numbered).collect();
    }
    let lines = text.split('\n').enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(at, line)| (at + 1, Ok(line))).collect()
}

/// Where a part of a text stands in it.
fn place_in(text: &str, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    start..start + part.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    const LINES: &str = r#"{"id": "a", "task": "parameters", "variant": "parameters-yaml-json", "turns": [{"content": "one"}]}
{"id": "a", "task": "routing", "variant": "routing-yaml", "run": 1, "turns": [{"content": "getX"}, {"content": "getY"}]}
oops
{"turns": []}
{"id": "b", "turns": [], "error": "HTTP 500"}
{"id": "a", "variant": "parameters-json-yaml", "run": 1, "predict": "two"}
"#;

    fn open(text: &str) -> (tempfile::TempDir, Answers) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(OURS), text).unwrap();
        let answers = Answers::open(folder.path()).unwrap();
        (folder, answers)
    }

    fn said(answers: &Answers, task: Task, run: u32, id: &str) -> String {
        let key = Key { id, domain: "bank", ordinal: 1, names: &["getX"] };
        match answers.find(task, run, key) {
            None => "none".to_owned(),
            Some(Err(problem)) => problem,
            Some(Ok((Said::Failed(detail), _))) => format!("failed: {detail}"),
            Some(Ok((said, form))) => format!("{} {form:?}", said.turn().unwrap().content.unwrap()),
        }
    }

    #[test]
    fn lines_are_found_by_task_run_and_id() {
        let (_folder, it) = open(LINES);
        assert_eq!(said(&it, Task::Parameters, 0, "a"), "one Yaml");
        assert_eq!(said(&it, Task::Parameters, 1, "a"), "two Json");
        assert_eq!(said(&it, Task::Routing, 1, "a"), "getY Json");
        assert_eq!(said(&it, Task::Parameters, 0, "b"), "failed: HTTP 500");
        assert_eq!(said(&it, Task::Routing, 0, "a"), "none");
        assert!(it.runs() == [0, 1] && it.has(Task::Routing, 1) && !it.has(Task::Routing, 0));
        assert_eq!(it.faults().iter().map(|(line, _)| *line).collect::<Vec<_>>(), [3, 4]);
    }

    #[test]
    fn an_array_is_read_as_well() {
        let (_folder, it) = open(r#" [{"id": 7, "predict": "one"}, 5, {"id": "c""#);
        assert_eq!((said(&it, Task::Parameters, 0, "7"), it.faults().len()), ("one Json".to_owned(), 2));
    }

    #[test]
    fn the_authors_files_are_found_by_place_and_their_truth_must_fit() {
        let folder = tempfile::tempdir().unwrap();
        let element = |predict: &str, truth: &str| format!(r#"{{"{predict}": "said", "ground_truth": "{truth}"}}"#);
        let truth = "{'API': ['getX'], 'parameters': [{'a': '1'}]}";
        let column = format!("[{}, {}]", element("predict", truth), element("predict", truth));
        for name in ["bank_0_para_gpt.json", "bank_3_para_gpt.json", "notes.txt"] {
            fs::write(folder.path().join(name), &column).unwrap();
        }
        let routes = format!("[{}, {}]", element("predit", "['getX']"), element("predict", "['getZ']"));
        fs::write(folder.path().join("bank_1_APIonly_gpt.json"), routes).unwrap();
        let it = Answers::open(folder.path()).unwrap();
        assert_eq!((it.runs(), said(&it, Task::Parameters, 1, "x")), (vec![0, 1], "said Json".to_owned()));
        assert!(said(&it, Task::Routing, 0, "x").contains("another question"));
        let one = Answers::open(&folder.path().join("bank_3_para_gpt.json")).unwrap();
        assert_eq!((one.runs(), said(&one, Task::Parameters, 0, "x")), (vec![0], "said Json".to_owned()));
    }

    #[test]
    fn nothing_is_told() {
        assert_eq!(Answers::open(Path::new("/no/such")).unwrap_err().to_string(), "cannot read `/no/such`");
        let (_folder, it) = open("");
        assert!(it.runs().is_empty() && it.faults().is_empty());
    }
}
