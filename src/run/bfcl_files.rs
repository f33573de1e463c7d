//! BFCL's files while they are written: of each category the questions, and the accepted answers where calls are wanted.

use super::RunError;
use crate::format::bfcl::{Unfit, Version, answer_line, category_of, question_line};
use crate::format::confetti::Export;
use crate::fs::AtomicFile;
use crate::record::{Object, Sample, Value};
use crate::suite::confetti::call_text;
use indexmap::IndexMap;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder of the files, as in the authors' repository, and that of answers in it.
const DATA: &str = "data";
const ANSWERS: &str = "possible_answer";
/// What was left out, where anything was.
const LEFT_OUT: &str = "left_out.json";

/// The files that are being written.
pub(super) struct BfclFiles {
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
    pub(super) fn bfcl(folder: &Path, version: Version) -> Self {
        Self {
            folder: folder.to_owned(),
            version,
            by_category: IndexMap::new(),
            left_out: BTreeMap::new(),
            confetti: None,
        }
    }

    /// No files yet, in CONFETTI's layout, which is BFCL's with data types in place of categories.
    pub(super) fn confetti(folder: &Path, version: Version) -> Self {
        Self { confetti: Some(Export::new(version)), ..Self::bfcl(folder, version) }
    }

    /// Adds a sample. What this layout cannot hold is left out, and counted; CONFETTI's has its own samples alone.
    pub(super) fn add(&mut self, sample: &Sample) -> Result<(), RunError> {
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
    pub(super) fn finish(self) -> Result<(), RunError> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::bfcl::truth_of;
    use crate::format::confetti::testing::{act_item, call_item};
    use crate::format::{Bench, BenchError};
    use crate::record::Expected;

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
