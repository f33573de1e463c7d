//! The authors' files of three suites, while they are written.

use crate::failure::RunError;
use crate::fs::AtomicFile;
use crate::record::{Object, Sample, SuiteId, Tool, Value};
use crate::suite::bfcl::layout::{Unfit, Version, answer_line, category_of, question_line};
use crate::suite::callnavi::layout::{
    APIS, Api, ApiFile, ApiSchema, DATASET, Prefixes, QUESTIONS, QuestionItem, SCHEMAS, domain, file_stem,
};
use crate::suite::complexfunc::layout::{FILE, Row};
use crate::suite::complexfunc::{FunctionFacts, declared_settings, toolset_file, undeclared_settings};
use crate::suite::confetti::call_text;
use crate::suite::confetti::layout::Export;
use crate::suite::hammerbench::layout::ArrayWriter;
use crate::toolset::Toolset;
use indexmap::IndexMap;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

// BFCL's files while they are written: of each category the questions, and the accepted answers where calls are wanted.

/// The folder of the files, as in the authors' repository, and that of answers in it.
const DATA: &str = "data";
const ANSWERS: &str = "possible_answer";
/// What was left out, where anything was.
const LEFT_OUT: &str = "left_out.json";

/// The files that are being written.
pub(crate) struct BfclFiles {
    folder: PathBuf,
    version: Version,
    by_category: IndexMap<&'static str, Category>,
    left_out: BTreeMap<Unfit, usize>,
    /// The lines of CONFETTI, where that layout is wanted.
    confetti: Option<Export>,
}

struct Category {
    questions: AtomicFile,
    answers: Option<AtomicFile>,
    count: usize,
}

impl BfclFiles {
    /// No files yet, in BFCL's layout.
    pub(crate) fn bfcl(folder: &Path, version: Version) -> Self {
        Self {
            folder: folder.to_owned(),
            version,
            by_category: IndexMap::new(),
            left_out: BTreeMap::new(),
            confetti: None,
        }
    }

    /// No files yet, in CONFETTI's layout, which is BFCL's with data types in place of categories.
    pub(crate) fn confetti(folder: &Path, version: Version) -> Self {
        Self { confetti: Some(Export::new(version)), ..Self::bfcl(folder, version) }
    }

    /// Adds a sample. What this layout cannot hold is left out, and counted; CONFETTI's has its own samples alone.
    pub(crate) fn add(&mut self, sample: &Sample) -> Result<(), RunError> {
        if let Some(export) = &mut self.confetti {
            let Some(lines) = export.lines(sample, &call_text) else { return Ok(()) };
            return self.write(lines.kind, lines.question, Some(lines.answer));
        }
        match category_of(sample, self.version) {
            Ok(category) => {
                let number = self.by_category.get(category).map_or(0, |category| category.count);
                let id = format!("{category}_{number}");
                self.write(category, question_line(&id, sample, self.version), answer_line(&id, sample))
            }
            Err(unfit) => {
                *self.left_out.entry(unfit).or_default() += 1;
                Ok(())
            }
        }
    }

    /// Writes what is left.
    pub(crate) fn finish(self) -> Result<(), RunError> {
        for category in self.by_category.into_values() {
            category.questions.finish()?;
            category.answers.map(AtomicFile::finish).transpose()?;
        }
        if self.left_out.is_empty() {
            return Ok(());
        }
        let counts: BTreeMap<String, usize> =
            self.left_out.into_iter().map(|(unfit, count)| (unfit.to_string(), count)).collect();
        let mut file = AtomicFile::create(&self.folder.join(LEFT_OUT))?;
        serde_json::to_writer_pretty(&mut file, &counts)?;
        file.write_all(b"\n")?;
        Ok(file.finish()?)
    }

    fn write(&mut self, category: &'static str, question: Object, answer: Option<Object>) -> Result<(), RunError> {
        let (data, name) = (self.folder.join(DATA), self.version.file_name(category));
        if !self.by_category.contains_key(category) {
            let questions = AtomicFile::create(&data.join(&name))?;
            let answers = answer.as_ref().map(|_| AtomicFile::create(&data.join(ANSWERS).join(&name))).transpose()?;
            self.by_category.insert(category, Category { questions, answers, count: 0 });
        }
        let Some(files) = self.by_category.get_mut(category) else { return Ok(()) };
        files.count += 1;
        writeln!(files.questions, "{}", Value::Object(question))?;
        if let (Some(file), Some(answer)) = (&mut files.answers, answer) {
            writeln!(file, "{}", Value::Object(answer))?;
        }
        Ok(())
    }
}

// CallNavi's files while they are written: the APIs of each domain at once, its questions as they come.

/// One file of questions for each domain. The layout has one list of APIs for all questions of a domain, so that what a
/// single sample shows has no place in it.
pub(crate) struct CallnaviFiles {
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
    pub(crate) fn create(folder: &Path, tools: &[Arc<Tool>]) -> Result<Self, RunError> {
        let mut by_domain: IndexMap<&str, Vec<&Tool>> = IndexMap::new();
        for tool in tools {
            by_domain.entry(tool.category()).or_default().push(tool);
        }
        let mut files = Self { folder: folder.join(DATASET), domains: IndexMap::new(), prefixes: Prefixes::new() };
        by_domain.iter().try_for_each(|(domain, tools)| files.begin(domain, tools))?;
        Ok(files)
    }

    /// Adds a sample's question; samples of other suites have no place here.
    pub(crate) fn add(&mut self, sample: &Sample) -> Result<(), RunError> {
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
    pub(crate) fn finish(self) -> Result<(), RunError> {
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

// `ComplexFuncBench`'s files while they are written: its rows as they come, and what its evaluator must know at once.

/// What the evaluator must know of the functions.
const TOOLSET: &str = "toolset.json";
/// A part of it that the authors keep in a file of its own.
const EXACT: &str = "exact_match_values.json";

/// The file of rows, with how many there are of each domain.
pub(crate) struct ComplexfuncFiles {
    rows: AtomicFile,
    counts: IndexMap<String, usize>,
}

impl ComplexfuncFiles {
    /// Writes what the evaluator must know, and begins the rows.
    pub(crate) fn create(folder: &Path, toolset: &Toolset) -> Result<Self, RunError> {
        let world = toolset.world.as_deref();
        let settings = world.map_or_else(|| undeclared_settings(&toolset.tools), declared_settings);
        let facts = world.map(FunctionFacts::of).unwrap_or_default();
        write(&folder.join(TOOLSET), &toolset_file(&settings, &facts))?;
        write(&folder.join(EXACT), &settings.exact_match_values)?;
        Ok(Self { rows: AtomicFile::create(&folder.join(FILE))?, counts: IndexMap::new() })
    }

    /// Adds a sample's row, under the next number of its domain; samples of other suites have no place here.
    pub(crate) fn add(&mut self, sample: &Sample) -> Result<(), RunError> {
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
    pub(crate) fn finish(self) -> Result<(), RunError> {
        Ok(self.rows.finish()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{Bench, BenchError};
    use crate::record::Expected;
    use crate::suite::bfcl::layout::truth_of;
    use crate::suite::confetti::layout::testing::{act_item, call_item};

    fn written(mut files: BfclFiles, samples: &[Sample]) {
        for sample in samples {
            files.add(sample).unwrap();
        }
        files.finish().unwrap();
    }

    fn read(folder: &Path) -> Vec<Sample> {
        let mut read = Vec::new();
        Bench::open(folder)
            .unwrap()
            .each::<BenchError>(&mut |sample| {
                read.push(sample);
                Ok(())
            })
            .unwrap();
        read
    }

    #[test]
    fn a_conversations_items_are_read_back_with_their_meaning() {
        let acts = act_item("t/2", &["agent_function_calling", "agent_inform_user"]);
        let samples = [call_item("t/0", 0), call_item("t/1", 1), acts];
        for version in [Version::V4, Version::V2] {
            let folder = tempfile::tempdir().unwrap();
            written(BfclFiles::confetti(folder.path(), version), &samples);
            let again = read(folder.path());
            let ids: Vec<&str> = again.iter().map(|sample| sample.id.as_str()).collect();
            assert_eq!(ids, ["conversationsclean_0", "conversationsclean_1", "dialogacts_0"]);
            for (sample, again) in samples.iter().zip(&again) {
                assert_eq!((&again.messages, &again.expected), (&sample.messages, &sample.expected));
                assert_eq!((&again.candidates, &again.snapshot), (&sample.candidates, &sample.snapshot));
                assert_eq!((&again.group, &again.reference_time), (&sample.group, &sample.reference_time));
                assert_eq!(truth_of(again), truth_of(sample));
                for fact in ["complexity", "observed"] {
                    assert_eq!(again.provenance.facts[fact], sample.provenance.facts[fact]);
                }
            }
            assert_eq!(again[2].provenance.facts["turn_text"], "It's booked.");
        }
    }

    #[test]
    fn samples_of_any_suite_become_questions_of_their_category() {
        let folder = tempfile::tempdir().unwrap();
        let mut refusal = call_item("t/1", 0);
        refusal.expected = Expected::Refusal;
        let samples = [call_item("t/0", 1), refusal, act_item("t/2", &["agent_other"])];
        written(BfclFiles::bfcl(folder.path(), Version::V4), &samples);
        let again = read(folder.path());
        let ids: Vec<&str> = again.iter().map(|sample| sample.id.as_str()).collect();
        assert_eq!(ids, ["irrelevance_0", "multiple_0"]);
        assert_eq!((&again[0].expected, &again[1].expected), (&samples[1].expected, &samples[0].expected));
        assert_eq!(again[1].messages, samples[0].messages);
        let data = folder.path().join(DATA);
        assert!(!data.join(ANSWERS).join("BFCL_v4_irrelevance.json").exists());
        let left_out = std::fs::read_to_string(folder.path().join(LEFT_OUT)).unwrap();
        assert_eq!(left_out.split_whitespace().collect::<String>(), r#"{"ananswerinwords":1}"#);
    }

    #[test]
    fn confettis_layout_has_its_own_samples_alone() {
        let folder = tempfile::tempdir().unwrap();
        let mut other = call_item("t/0", 0);
        other.suite = "hammerbench".into();
        let files = BfclFiles::confetti(folder.path(), Version::V4);
        written(files, &[other]);
        assert!(!folder.path().join(DATA).exists() && !folder.path().join(LEFT_OUT).exists());
    }
}

#[cfg(test)]
mod callnavi_files_tests {
    use super::*;
    use crate::format::Bench;
    use crate::suite::callnavi::layout::DomainFiles;
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
        assert_eq!(Bench::open(folder.path()).unwrap().layout::<Vec<DomainFiles>>().unwrap().len(), 1);
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

#[cfg(test)]
mod complexfunc_files_tests {
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
