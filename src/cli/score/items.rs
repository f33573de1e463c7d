//! The file of verdicts.

use super::failures::Failures;
use super::summary::Summary;
use crate::cli::console::exit::{Complaint, INPUT};
use anyhow::Context;
use fcgen::record::{Value, Verdict};
use fcgen::score::Paired;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// A run of a file of predictions: a row of the tables, and a model of the comparison.
#[derive(Debug)]
pub(super) struct Row<'f, T> {
    /// What tables and comparison call it: the file's name, with the run where the file has several.
    pub(super) name: String,
    /// The name of the file.
    pub(super) file: &'f str,
    /// What the file holds.
    pub(super) predictions: &'f T,
    /// The run.
    pub(super) run: u32,
    /// Whether the file has several runs.
    pub(super) is_one_of_several: bool,
}

/// Every run of every file.
pub(super) fn rows<T>(files: &[(String, T)], runs: impl Fn(&T) -> Vec<u32>) -> Vec<Row<'_, T>> {
    let mut rows = Vec::new();
    for (file, predictions) in files {
        let runs = runs(predictions);
        let is_one_of_several = runs.len() > 1;
        rows.extend(runs.into_iter().map(|run| {
            let name = if is_one_of_several { format!("{file} #{run}") } else { file.clone() };
            Row { name, file, predictions, run, is_one_of_several }
        }));
    }
    rows
}

/// Who reads verdicts one by one.
pub(crate) type VerdictReader<'r> = &'r mut dyn FnMut(&Verdict) -> std::io::Result<()>;

/// A verdict on each line, and what the summary, the comparison and the file of failures need of it.
pub(super) struct Items<'r> {
    out: Option<BufWriter<File>>,
    reader: Option<VerdictReader<'r>>,
    /// Whether verdicts on several files of predictions come.
    several: bool,
    found: Found,
}

/// What was found of all items.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) summary: Summary,
    /// Verdicts of several models on the same items, where there are several.
    pub(super) paired: Option<Paired>,
    /// Failed items, where a file of them is wanted.
    pub(super) failures: Option<Failures>,
}

impl<'r> Items<'r> {
    /// Begins the file, if one is wanted. `several` says whether there are several files of predictions.
    pub(super) fn create(path: Option<&Path>, several: bool, compares: bool, tells: bool) -> anyhow::Result<Self> {
        let open = |path: &Path| {
            let file = File::create(path).with_context(|| format!("cannot write `{}`", path.display()));
            file.map(BufWriter::new).map_err(|error| Complaint::new(INPUT, format!("{error:#}")))
        };
        let found = Found {
            summary: Summary::default(),
            paired: compares.then(Paired::default),
            failures: tells.then(Failures::default),
        };
        Ok(Self { out: path.map(open).transpose()?, reader: None, several, found })
    }

    /// The same for somebody who reads each verdict besides.
    pub(super) fn read_by(self, reader: Option<VerdictReader<'r>>) -> Self {
        Self { reader, ..self }
    }

    /// Writes a verdict on a prediction of a row, with its run where the file has several.
    pub(super) fn put_row<T>(&mut self, mut verdict: Verdict, row: &Row<'_, T>) -> std::io::Result<()> {
        if row.is_one_of_several {
            verdict.set_run(row.run);
        }
        self.put(verdict, row.file)
    }

    /// Writes a verdict, with the name of the file of predictions where there are several. A run that it names is a model
    /// of its own in the comparison.
    pub(super) fn put(&mut self, mut verdict: Verdict, file: &str) -> std::io::Result<()> {
        file.clone_into(&mut verdict.predictions);
        if self.several {
            verdict.line.insert("predictions".to_owned(), file.into());
        }
        self.found.summary.see(&verdict);
        if let Some(failures) = &mut self.found.failures {
            failures.see(&verdict);
        }
        if let Some(paired) = &mut self.found.paired {
            paired.add(&verdict);
        }
        if let Some(reader) = &mut self.reader {
            reader(&verdict)?;
        }
        let Some(out) = &mut self.out else { return Ok(()) };
        writeln!(out, "{}", Value::Object(verdict.line))
    }

    /// Ends the file, and hands over what was found.
    pub(super) fn finish(self) -> std::io::Result<Found> {
        self.out.map_or(Ok(()), |mut out| out.flush())?;
        let paired = self.found.paired.filter(|paired| paired.models().len() > 1);
        Ok(Found { paired, ..self.found })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict() -> Verdict {
        Verdict::new("q", None, [("id".to_owned(), Value::from("q"))].into())
    }

    #[test]
    fn a_line_names_its_predictions_where_there_are_several() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("items.jsonl");
        let mut items = Items::create(Some(&path), true, true, false).unwrap();
        items.put(verdict(), "a").unwrap();
        items.put(verdict(), "b").unwrap();
        assert_eq!(items.finish().unwrap().paired.unwrap().models(), ["a", "b"]);
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            "{\"id\":\"q\",\"predictions\":\"a\"}\n{\"id\":\"q\",\"predictions\":\"b\"}\n"
        );
        assert!(Items::create(None, false, false, false).unwrap().finish().unwrap().paired.is_none());
        assert!(Items::create(Some(&folder.path().join("no/such.jsonl")), false, false, false).is_err());
    }

    #[test]
    fn a_line_names_its_run_where_a_file_has_several() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("items.jsonl");
        let files = [("a".to_owned(), vec![0, 2]), ("b".to_owned(), vec![4])];
        let rows = rows(&files, Clone::clone);
        assert_eq!(rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>(), ["a #0", "a #2", "b"]);
        let mut items = Items::create(Some(&path), true, true, false).unwrap();
        for row in &rows {
            items.put_row(verdict(), row).unwrap();
        }
        assert_eq!(items.finish().unwrap().paired.unwrap().models(), ["a #0", "a #2", "b"]);
        insta::assert_snapshot!(std::fs::read_to_string(&path).unwrap(), @r#"
        {"id":"q","run":0,"predictions":"a"}
        {"id":"q","run":2,"predictions":"a"}
        {"id":"q","predictions":"b"}
        "#);
    }
}
