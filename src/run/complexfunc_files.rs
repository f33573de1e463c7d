//! `ComplexFuncBench`'s files while they are written: its rows as they come, and what its evaluator must know at once.

use super::RunError;
use crate::format::complexfunc::{FILE, Row};
use crate::fs::AtomicFile;
use crate::record::{Sample, SuiteId};
use crate::suite::complexfunc::{FunctionFacts, declared_settings, toolset_file, undeclared_settings};
use crate::toolset::Toolset;
use indexmap::IndexMap;
use serde::Serialize;
use std::io::Write;
use std::path::Path;

/// What the evaluator must know of the functions.
const TOOLSET: &str = "toolset.json";
/// A part of it that the authors keep in a file of its own.
const EXACT: &str = "exact_match_values.json";

/// The file of rows, with how many there are of each domain.
pub(super) struct ComplexfuncFiles {
    rows: AtomicFile,
    counts: IndexMap<String, usize>,
}

impl ComplexfuncFiles {
    /// Writes what the evaluator must know, and begins the rows.
    pub(super) fn create(folder: &Path, toolset: &Toolset) -> Result<Self, RunError> {
        let world = toolset.world.as_deref();
        let settings = world.map_or_else(|| undeclared_settings(&toolset.tools), declared_settings);
        let facts = world.map(FunctionFacts::of).unwrap_or_default();
        write(&folder.join(TOOLSET), &toolset_file(&settings, &facts))?;
        write(&folder.join(EXACT), &settings.exact_match_values)?;
        Ok(Self { rows: AtomicFile::create(&folder.join(FILE))?, counts: IndexMap::new() })
    }

    /// Adds a sample's row, under the next number of its domain; samples of other suites have no place here.
    pub(super) fn add(&mut self, sample: &Sample) -> Result<(), RunError> {
        let Some(mut row) = Row::of(sample).filter(|_| sample.suite == SuiteId::ComplexFuncBench) else {
            return Ok(());
        };
        let domain = &sample.data_type.0;
        let count = self.counts.entry(domain.clone()).or_default();
        row.id = format!("{domain}-{count}");
        *count += 1;
        serde_json::to_writer(&mut self.rows, &row)?;
        Ok(self.rows.write_all(b"\n")?)
    }

    /// Writes what is left.
    pub(super) fn finish(self) -> Result<(), RunError> {
        Ok(self.rows.finish()?)
    }
}

fn write(path: &Path, whole: &impl Serialize) -> Result<(), RunError> {
    let mut file = AtomicFile::create(path)?;
    serde_json::to_writer_pretty(&mut file, whole)?;
    file.write_all(b"\n")?;
    Ok(file.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Bench;
    use crate::record::{DataType, Expected, Step};
    use crate::suite::complexfunc::settings_of;

    fn sample(id: &str, domain: &str) -> Sample {
        let mut sample = crate::run::testing::sample(id);
        (sample.suite, sample.data_type) = (SuiteId::ComplexFuncBench.into(), DataType(domain.to_owned()));
        let step: Step = serde_json::from_str(
            r#"{"calls": [{"name": "Find_Town", "arguments": {"query": "Hill", "n": 1.50}}], "answers": [{"status": true, "data": []}],
                "notes": [{"query": {"surface": "Hill", "origin": "verbatim"}}]}"#,
        )
        .unwrap();
        sample.expected = Expected::Steps(vec![step.clone(), step]);
        sample.provenance.facts.insert("final_answer".to_owned(), format!("All of {id}."));
        sample
    }

    fn written(samples: &[Sample], toolset: &Toolset) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let mut files = ComplexfuncFiles::create(&folder.path().join("benchmark"), toolset).unwrap();
        for sample in samples {
            files.add(sample).unwrap();
        }
        files.finish().unwrap();
        folder
    }

    fn read(folder: &Path) -> Vec<Sample> {
        let mut samples = Vec::new();
        let mut take = |sample| {
            samples.push(sample);
            Ok::<(), crate::format::BenchError>(())
        };
        Bench::open(folder).unwrap().each(&mut take).unwrap();
        samples
    }

    #[test]
    fn what_is_written_is_read_back_with_numbers_of_each_domain() {
        let given = [sample("a/0", "Inns"), sample("a/1", "Cross"), sample("b/0", "Inns")];
        let toolset = crate::fixtures::toolset("tests/fixtures/toolsets/inn", "en");
        let folder = written(&given, &toolset);
        let read = read(&folder.path().join("benchmark"));
        assert_eq!(read.iter().map(|it| it.id.as_str()).collect::<Vec<_>>(), ["Inns-0", "Cross-0", "Inns-1"]);
        for (one, other) in given.iter().zip(&read) {
            let rows = [one, other].map(|sample| Row { id: String::new(), ..Row::of(sample).unwrap() });
            assert_eq!(serde_json::to_string(&rows[0]).unwrap(), serde_json::to_string(&rows[1]).unwrap());
            assert_eq!((&one.messages, &one.data_type), (&other.messages, &other.data_type));
        }
        let settings = declared_settings(toolset.world.as_ref().unwrap());
        for place in [folder.path().to_owned(), folder.path().join("benchmark")] {
            assert_eq!(settings_of(crate::fixtures::assets(), &place).unwrap(), settings);
        }
        let exact = std::fs::read_to_string(folder.path().join("benchmark/exact_match_values.json")).unwrap();
        assert_eq!(serde_json::from_str::<IndexMap<String, Vec<String>>>(&exact).unwrap(), settings.exact_match_values);
    }

    #[test]
    fn tools_without_a_world_are_told_as_such_and_other_suites_have_no_row() {
        let tool = std::sync::Arc::new(crate::record::Tool { name: "Find_Town".to_owned(), ..Default::default() });
        let toolset = Toolset { tools: vec![tool], ..Toolset::default() };
        let folder = written(&[crate::run::testing::sample("a/0")], &toolset);
        let settings = settings_of(crate::fixtures::assets(), folder.path()).unwrap();
        assert_eq!((settings.free_functions.len(), settings.exact_match_values["Find_Town"].len()), (0, 0));
        assert_eq!(std::fs::read_to_string(folder.path().join("benchmark").join(FILE)).unwrap(), "");
    }
}
