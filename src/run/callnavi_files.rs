//! CallNavi's files while they are written: the APIs of each domain at once, its questions as they come.

use super::RunError;
use crate::format::callnavi::{
    APIS, Api, ApiFile, ApiSchema, DATASET, Prefixes, QUESTIONS, QuestionItem, SCHEMAS, domain, file_stem,
};
use crate::format::hammerbench::ArrayWriter;
use crate::fs::AtomicFile;
use crate::record::{Sample, SuiteId, Tool};
use indexmap::IndexMap;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One file of questions for each domain. The layout has one list of APIs for all questions of a domain, so that what a
/// single sample shows has no place in it.
pub(super) struct CallnaviFiles {
    folder: PathBuf,
    domains: IndexMap<String, Questions>,
    prefixes: Prefixes,
}

struct Questions {
    file: ArrayWriter<AtomicFile>,
    count: usize,
}

impl CallnaviFiles {
    /// Begins the files of every domain of the toolset; one without questions has an empty list of them.
    pub(super) fn create(folder: &Path, tools: &[Arc<Tool>]) -> Result<Self, RunError> {
        let mut by_domain: IndexMap<&str, Vec<&Tool>> = IndexMap::new();
        for tool in tools {
            by_domain.entry(tool.category()).or_default().push(tool);
        }
        let mut files = Self { folder: folder.join(DATASET), domains: IndexMap::new(), prefixes: Prefixes::new() };
        by_domain.iter().try_for_each(|(domain, tools)| files.begin(domain, tools))?;
        Ok(files)
    }

    /// Adds a sample's question; samples of other suites have no place here.
    pub(super) fn add(&mut self, sample: &Sample) -> Result<(), RunError> {
        if sample.suite != SuiteId::CallNavi {
            return Ok(());
        }
        let domain = domain(sample);
        if !self.domains.contains_key(domain) {
            // Tools that the run made itself are not in its toolset.
            let tools: Vec<&Tool> = sample.candidates.iter().map(|tool| &**tool).collect();
            self.begin(domain, &tools)?;
        }
        let Some(questions) = self.domains.get_mut(domain) else { return Ok(()) };
        let id = self.prefixes.id(domain, questions.count + 1);
        let Some(item) = QuestionItem::of(sample, domain, id) else { return Ok(()) };
        questions.count += 1;
        Ok(questions.file.add(&item)?)
    }

    /// Writes what is left.
    pub(super) fn finish(self) -> Result<(), RunError> {
        Ok(self.domains.into_values().try_for_each(|questions| questions.file.finish()?.finish())?)
    }

    fn begin(&mut self, domain: &str, tools: &[&Tool]) -> Result<(), RunError> {
        let api_ports = tools.iter().map(|tool| Api::of(tool, domain)).collect();
        let schemas: Vec<ApiSchema> = tools.iter().map(|tool| ApiSchema::of(tool, domain)).collect();
        write(&self.path(APIS, domain), &ApiFile { api_ports })?;
        write(&self.path(SCHEMAS, domain), &schemas)?;
        let file = ArrayWriter::new(AtomicFile::create(&self.path(QUESTIONS, domain))?);
        self.domains.insert(domain.to_owned(), Questions { file, count: 0 });
        Ok(())
    }

    fn path(&self, folder: &str, domain: &str) -> PathBuf {
        self.folder.join(folder).join(format!("{}.json", file_stem(domain)))
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
    use crate::format::callnavi::DomainFiles;
    use serde_json::json;

    fn tool(name: &str) -> Arc<Tool> {
        let tool = json!({
            "name": name, "description": "d", "returns": {"type": "object", "properties": {"id": {"type": "string"}}},
            "parameters": {"properties": {"id": {"type": "string", "description": "Which"}, "n": {"type": "integer"}}, "required": ["id"]},
        });
        Arc::new(serde_json::from_value(tool).unwrap())
    }

    fn sample(domain: &str, text: &str) -> Sample {
        let call = |name: &str, id: &str| json!({"calls": [{"name": name, "arguments": {"id": id}}], "answers": [{"id": "X1"}]});
        let sample = json!({
            "id": "a/x/0", "suite": "callnavi", "data_type": "hard", "difficulty": "hard", "locale": "en", "group": "a",
            "messages": [{"role": "user", "content": text}], "candidates": [tool("kitchen.get")],
            "tags": [format!("domain:{domain}"), "dependent"],
            "expected": {"steps": [call(&format!("{domain}.find"), "7"), call("get", "$$$")]},
            "licence": "", "source": "", "provenance": crate::record::Provenance::default(),
        });
        serde_json::from_value(sample).unwrap()
    }

    fn written(tools: &[Arc<Tool>], samples: &[Sample]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let mut files = CallnaviFiles::create(folder.path(), tools).unwrap();
        for sample in samples {
            files.add(sample).unwrap();
        }
        files.finish().unwrap();
        folder
    }

    fn read(folder: &tempfile::TempDir, name: &str) -> serde_json::Value {
        let text = std::fs::read_to_string(folder.path().join("Dataset").join(name)).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn every_domain_has_its_three_files() {
        let tools = ["bank.find", "bank.get", "hr.find"].map(tool);
        let folder = written(&tools, &[sample("bank", "one"), sample("bank", "two")]);
        assert_eq!(
            read(&folder, "APIs/bank.json")["api_ports"][1]["parameters"],
            json!({"id": "string", "n": "integer"})
        );
        assert_eq!(read(&folder, "APISchema/bank.json")[0]["parameters"]["required"], json!(["id"]));
        assert_eq!(read(&folder, "Questions/hr.json"), json!([]));
        assert_eq!(
            read(&folder, "Questions/bank.json")[1],
            json!({
                "id": "ban002", "question": [{"role": "user", "content": "two"}],
                "ground_truth": {"API": ["find", "get"], "parameters": [{"id": "7"}, {"id": "$$$"}]}, "difficulty": "hard",
            })
        );
    }

    #[test]
    fn what_is_written_is_taken_in_again_with_what_a_call_must_give() {
        let folder = written(&["bank.find", "bank.get"].map(tool), &[sample("bank", "one")]);
        let files = DomainFiles::below(folder.path()).remove(0);
        let (back, ours) = (files.tools().unwrap(), tool("bank.find"));
        assert_eq!(
            (back[0].name.as_str(), &back[0].parameters, &back[0].returns),
            ("find", &ours.parameters, &ours.returns)
        );
        assert!(matches!(Bench::open(folder.path()).unwrap(), Bench::Callnavi(files) if files.len() == 1));
    }

    #[test]
    fn a_domain_that_the_toolset_does_not_have_shows_what_its_first_sample_shows() {
        let folder = written(&[], &[sample("kitchen", "one")]);
        assert_eq!(read(&folder, "APIs/kitchen.json")["api_ports"][0]["name"], "get");
        assert_eq!(read(&folder, "Questions/kitchen.json")[0]["id"], "kit001");
    }

    #[test]
    fn samples_of_other_suites_and_refusals_have_no_place() {
        let refused = Sample { expected: crate::record::Expected::Refusal, ..sample("bank", "one") };
        let other = Sample { suite: "hammerbench".into(), ..sample("bank", "two") };
        let folder = written(&[tool("bank.find")], &[refused, other, sample("bank", "three")]);
        let questions = read(&folder, "Questions/bank.json");
        assert_eq!((questions.as_array().unwrap().len(), &questions[0]["id"]), (1, &json!("ban001")));
    }
}
