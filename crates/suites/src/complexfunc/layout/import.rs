//! The authors' rows as fcgen's samples, and back.

use super::row::{Row, RowError, RowTurn};
use crate::format::lines::{FileError, first_line, lines};
use crate::format::{LayoutFile, SampleSink};
use crate::record::{
    Expected, FINAL_ANSWER_FACT, ItemId, Message, Object, Provenance, Role, Sample, Step, SuiteId, Tool, Value,
};
use serde_json::json;
use std::path::{Path, PathBuf};

/// The file's name in the authors' layout.
pub const FILE: &str = "ComplexFuncBench.jsonl";

/// The fact that has the path of a sample whose calls were planned.
pub const PATH_FACT: &str = "path";

/// A file of rows, and the locale of its texts, which it does not say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowFile {
    /// The file.
    pub path: PathBuf,
    /// The locale.
    pub locale: String,
}

impl RowFile {
    /// The file at this path, if its first line is a row of this benchmark.
    pub fn at(path: &Path) -> Option<Self> {
        Row::is_row(&first_line(path)?).then(|| Self { path: path.to_owned(), locale: "en".to_owned() })
    }

    /// The file in the authors' layout below a folder.
    pub fn below(folder: &Path) -> Option<Self> {
        [folder.join(FILE), folder.join("data").join(FILE)].iter().find_map(|path| Self::at(path))
    }
}

impl LayoutFile for RowFile {
    const SUITE: SuiteId = SuiteId::ComplexFuncBench;

    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    fn locale(&self) -> &str {
        &self.locale
    }

    fn in_locale(&self, locale: &str) -> Option<Self> {
        Some(Self { locale: locale.to_owned(), ..self.clone() })
    }

    fn read(&self, take: SampleSink<'_>) -> Result<(), FileError> {
        for line in lines(&self.path)? {
            let (at, line) = line?;
            let sample = Row::read(&line).and_then(|row| row.into_sample(&self.locale));
            let sample = sample.map_err(|problem| FileError::line(&self.path, at, problem));
            take(Self::place(&self.path, at), sample);
        }
        Ok(())
    }
}

impl Row {
    /// The row as a sample.
    pub fn into_sample(self, locale: &str) -> Result<Sample, RowError> {
        let (query, steps, candidates) = (self.query()?.to_owned(), self.steps()?, self.tools()?);
        let mut provenance = Provenance::default();
        if let Some(answer) = self.final_answer() {
            provenance.facts.insert(FINAL_ANSWER_FACT.to_owned(), answer.to_owned());
        }
        Ok(Sample {
            group: self.id.clone(),
            locale: locale.to_owned(),
            messages: vec![Message::user(query)],
            candidates,
            licence: "unknown".to_owned(),
            source: "ComplexFuncBench's layout".to_owned(),
            provenance,
            ..Sample::new(
                ItemId::root(self.id.as_str()),
                SuiteId::ComplexFuncBench,
                self.domain(),
                Expected::Steps(steps),
            )
        })
    }

    /// The row of a sample; nothing where its right answer is no chain of calls.
    pub fn of(sample: &Sample) -> Option<Self> {
        let Expected::Steps(steps) = &sample.expected else { return None };
        let user = sample.messages.iter().rev().find(|message| message.role == Role::User)?;
        let text = |role: &str, content: &str| RowTurn {
            role: role.to_owned(),
            content: Some(content.into()),
            function_call: None,
        };
        let answer = sample.provenance.facts.get(FINAL_ANSWER_FACT).map(|answer| text("assistant", answer));
        let mut conversations = vec![text("user", user.content.as_deref().unwrap_or_default())];
        conversations.extend(steps.iter().flat_map(turns));
        conversations.extend(answer);
        let functions = sample.candidates.iter().map(|tool| function(tool)).collect();
        Some(Self { id: sample.id.to_string(), conversations, functions })
    }
}

/// A step's two turns.
fn turns(step: &Step) -> [RowTurn; 2] {
    let calls = RowTurn { role: "assistant".to_owned(), content: None, function_call: Some(step.calls.clone()) };
    let answers = RowTurn {
        role: "observation".to_owned(),
        content: Some(Value::List(step.answers.clone())),
        function_call: None,
    };
    [calls, answers]
}

/// A tool as a bare schema.
fn function(tool: &Tool) -> Object {
    let Tool { name, description, parameters, .. } = tool;
    let schema = json!({"name": name, "description": description, "parameters": parameters});
    Value::from(schema).as_object().cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::ROW;
    use super::*;
    use crate::format::samples_of;

    #[test]
    fn a_row_is_a_sample_and_the_sample_the_row() {
        let sample = Row::read(ROW).unwrap().into_sample("ko").unwrap();
        assert_eq!(
            (sample.id.as_str(), sample.suite.as_str(), sample.locale.as_str()),
            ("Car-Rental-5", "complexfuncbench", "ko")
        );
        assert_eq!((sample.data_type.0.as_str(), sample.query().as_str()), ("Car-Rental", "A boat at Hill"));
        assert_eq!(sample.provenance.facts[FINAL_ANSWER_FACT], "It is booked.");
        let again = serde_json::to_string(&sample).unwrap();
        let row = Row::of(&serde_json::from_str(&again).unwrap()).unwrap();
        assert_eq!(serde_json::to_string(&row).unwrap(), ROW);
    }

    #[test]
    fn what_is_no_chain_of_calls_has_no_row() {
        let mut sample = Row::read(ROW).unwrap().into_sample("en").unwrap();
        sample.provenance.facts.clear();
        assert_eq!(Row::of(&sample).unwrap().final_answer(), None);
        sample.expected = Expected::Refusal;
        assert_eq!(Row::of(&sample), None);
    }

    #[test]
    fn a_file_is_known_by_its_first_line_and_a_broken_one_told_with_its_place() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(RowFile::below(folder.path()), None);
        std::fs::create_dir(folder.path().join("data")).unwrap();
        let path = folder.path().join("data").join(FILE);
        std::fs::write(&path, format!("\n{ROW}\n\n{ROW}\n{}\n", ROW.replace("\"user\"", "\"nobody\""))).unwrap();
        let file = RowFile::below(folder.path()).unwrap();
        let error = samples_of(vec![file]).unwrap_err().to_string();
        assert!(error.ends_with("ComplexFuncBench.jsonl`, line 5: turn 1: expected a user message"), "{error}");
        std::fs::write(&path, "{\"id\": \"t/0\"}\n").unwrap();
        assert_eq!((RowFile::at(&path), RowFile::at(Path::new("/no/such"))), (None, None));
        let gone = RowFile { path: "/no/such".into(), locale: String::new() };
        assert_eq!(samples_of(vec![gone]).unwrap_err().to_string(), "cannot read `/no/such`");
    }
}
