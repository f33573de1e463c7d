//! What a model gave: a file of results, or a folder of such files by category.

use crate::bfcl::layout::ResultLine;
use crate::format::PredictionsError;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The texts of results; lines are read as they are needed.
#[derive(Debug)]
pub struct Results {
    path: PathBuf,
    texts: Vec<String>,
}

impl Results {
    /// Opens a file; of a folder all files whose names end as BFCL's do, at any depth of its folders.
    pub fn open(path: &Path) -> Result<Self, PredictionsError> {
        let mut paths = if path.is_dir() { below(path) } else { vec![path.to_owned()] };
        if paths.is_empty() {
            paths.push(path.join("BFCL_v4_simple_python_result.json"));
        }
        let read = |path: &PathBuf| {
            std::fs::read_to_string(path).map_err(|source| PredictionsError::Io { path: path.clone(), source })
        };
        Ok(Self { path: path.to_owned(), texts: paths.iter().map(read).collect::<Result<_, _>>()? })
    }

    /// Where they lie.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The lines of all files, with their places.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.texts.iter().flat_map(|text| text.lines().enumerate());
        lines.filter(|(_, line)| !line.trim().is_empty()).map(|(at, line)| (at + 1, line))
    }

    /// The runs that occur, in order; without a line there still is the first.
    pub fn runs(&self) -> Vec<u32> {
        if !self.lines().any(|(_, text)| text.contains("\"run\"")) {
            return vec![0];
        }
        let runs: BTreeSet<u32> =
            self.lines().filter_map(|(_, text)| Some(ResultLine::read(text).ok()??.run)).collect();
        if runs.is_empty() { vec![0] } else { runs.into_iter().collect() }
    }
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let is_result = |path: &Path| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.ends_with("_result.json"))
    };
    let found = paths.into_iter().flat_map(|path| {
        if path.is_dir() { below(&path) } else { Some(path).filter(|path| is_result(path)).into_iter().collect() }
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_and_a_folder_of_files_are_read_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("live")).unwrap();
        std::fs::write(at("BFCL_v4_multiple_result.json"), "1\n\n2\n").unwrap();
        std::fs::write(at("live/BFCL_v4_live_simple_result.json"), "3").unwrap();
        std::fs::write(at("notes.json"), "4").unwrap();
        let all = Results::open(folder.path()).unwrap();
        assert_eq!(all.lines().collect::<Vec<_>>(), [(1, "1"), (3, "2"), (1, "3")]);
        let one = Results::open(&at("live/BFCL_v4_live_simple_result.json")).unwrap();
        assert_eq!(one.lines().count(), 1);
        assert!(one.path().ends_with("BFCL_v4_live_simple_result.json"));
    }

    #[test]
    fn runs_are_those_of_lines_that_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        let runs = |lines: &str| {
            std::fs::write(&path, lines).unwrap();
            Results::open(&path).unwrap().runs()
        };
        assert_eq!(
            [runs(""), runs(r#"{"id": "a", "result": ""}"#), runs(r#"{"run": 2}"#)],
            [vec![0], vec![0], vec![0]],
        );
        let line = |run: u32| format!("{{\"id\": \"a\", \"run\": {run}, \"turns\": [{{}}]}}\n");
        assert_eq!(runs(&(line(2) + &line(1) + &line(2) + "oops")), [1, 2]);
    }

    #[test]
    fn nothing_to_read_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Results::open(folder.path()).is_err() && Results::open(&folder.path().join("no")).is_err());
    }
}
