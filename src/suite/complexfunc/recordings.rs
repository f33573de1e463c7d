//! A file of trajectories: predictions and result lines, one for each sample and run, or scripted trajectories, of which a
//! sample may have many.

use super::script::Script;
use crate::format::complexfunc::Trajectory;
use crate::format::{Predictions, PredictionsError};
use crate::record::BorrowedObject;
use indexmap::IndexMap;
use std::path::Path;

/// What is recorded in a file.
#[derive(Debug)]
pub struct Recordings {
    predictions: Predictions,
    /// Scripts by the sample that they play, where the file holds scripts.
    scripts: Option<IndexMap<String, Vec<Script>>>,
}

/// What is recorded of a sample.
#[derive(Debug)]
pub(super) enum Recorded<'r> {
    /// What a model said.
    Said(Trajectory),
    /// What a script says.
    Script(&'r Script),
    /// A line that cannot be read, because of this.
    Unreadable(String),
}

impl Recordings {
    /// Opens a file. A line that cannot be read is kept as a fault and stops nothing.
    pub fn open(path: &Path) -> Result<Self, PredictionsError> {
        let predictions = Predictions::open(path)?;
        let text = std::fs::read_to_string(predictions.path()).unwrap_or_default();
        let mut scripts: IndexMap<String, Vec<Script>> = IndexMap::new();
        if !text.lines().find(|line| !line.trim().is_empty()).is_some_and(is_script) {
            return Ok(Self { predictions, scripts: None });
        }
        for script in text.lines().filter_map(|line| Script::read(line).ok()) {
            scripts.entry(script.sample_id.clone()).or_default().push(script);
        }
        Ok(Self { predictions, scripts: Some(scripts) })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.predictions.path()
    }

    /// Lines that could not be read: their places and what is wrong.
    pub fn faults(&self) -> &[(usize, String)] {
        self.predictions.faults()
    }

    /// The runs that occur, in order.
    pub fn runs(&self) -> Vec<u32> {
        self.predictions.runs()
    }

    /// Whether a sample may have many trajectories, or none.
    pub(super) fn is_scripted(&self) -> bool {
        self.scripts.is_some()
    }

    /// What is recorded of a sample in a run.
    pub(super) fn of(&self, id: &str, run: u32) -> Vec<Recorded<'_>> {
        if let Some(scripts) = &self.scripts {
            return scripts.get(id).into_iter().flatten().map(Recorded::Script).collect();
        }
        let line = self.predictions.line(id, run).map(|line| line.and_then(|line| Trajectory::read(&line)));
        line.map(|read| read.map_or_else(Recorded::Unreadable, Recorded::Said)).into_iter().collect()
    }
}

/// Whether a line is a script: it says which sample it plays, and how.
fn is_script(line: &str) -> bool {
    BorrowedObject::read_fields(line, &["sample_id", "behaviour"]).is_ok_and(|fields| fields.len() == 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(text: &str) -> Recordings {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.jsonl");
        std::fs::write(&path, text).unwrap();
        Recordings::open(&path).unwrap()
    }

    fn shown(recordings: &Recordings, id: &str) -> String {
        let word = |recorded: Recorded<'_>| match recorded {
            Recorded::Said(_) => "said".to_owned(),
            Recorded::Script(script) => script.id.clone(),
            Recorded::Unreadable(problem) => problem,
        };
        recordings.of(id, 0).into_iter().map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_sample_has_one_prediction_in_a_run() {
        let it = open("{\"id\": \"a\", \"turns\": []}\n{\"id\": \"b\"}\noops\n");
        assert_eq!((shown(&it, "a"), shown(&it, "c"), it.is_scripted()), ("said".to_owned(), String::new(), false));
        assert_eq!(shown(&it, "b"), "there is neither `turns` nor `gen_convs`");
        assert_eq!((it.runs(), it.faults().len(), it.path().ends_with("x.jsonl")), (vec![0], 1, true));
        assert!(it.of("a", 1).is_empty() && Recordings::open(Path::new("/no/such")).is_err());
    }

    #[test]
    fn and_as_many_scripts_as_there_are() {
        let line =
            |id: &str| format!("{{\"id\": \"{id}\", \"sample_id\": \"a\", \"behaviour\": \"x\", \"turns\": []}}\n");
        let it = open(&format!("\n{}{}", line("a#1"), line("a#2")));
        assert_eq!((shown(&it, "a"), shown(&it, "b"), it.is_scripted()), ("a#1 a#2".to_owned(), String::new(), true));
    }
}
