//! Answers of judges and repairers: recorded by item and content, so that a scored run repeats without them.

use super::question::{Pending, Question};
use crate::llm::Prompts;
use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// A recorded answer: one line of judgements.jsonl.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// Id of the sample.
    pub id: String,
    /// What was asked.
    pub question: Question,
    /// Hash of everything that the model was shown of the sample; behind it that of the prompts, where they were not our own.
    pub hash: String,
    /// Which of several votes it is, from 0.
    #[serde(default, skip_serializing_if = "is_first")]
    pub draw: u32,
    /// What it said. Judgements of HammerBench were recorded as `verdict`, true or false, and are read still.
    #[serde(alias = "verdict", deserialize_with = "text_or_verdict")]
    pub reply: String,
    /// Who said so.
    #[serde(alias = "judge")]
    pub model: String,
}

/// An answer that was recorded by the sample's id alone, with what a person says where somebody was asked.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Bare {
    /// Id of the sample.
    pub id: String,
    /// What was said.
    pub reply: String,
    /// What a person says: `pass` or `fail`.
    #[serde(default)]
    pub human: Option<String>,
}

/// What an answer is known by: its question, sample, content and vote.
pub(super) type Place = (Question, String, String, u32);

/// The answers at hand, and the questions that wait.
#[derive(Debug, Default)]
pub struct Replies {
    /// Which questions are asked at all.
    asked: BTreeMap<Question, u64>,
    known: BTreeMap<Place, String>,
    open: IndexMap<Place, Pending>,
    bare: BTreeMap<String, Bare>,
    prompts: Prompts,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_first(draw: &u32) -> bool {
    *draw == 0
}

fn text_or_verdict<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Said {
        Text(String),
        Verdict(bool),
    }
    Ok(match Said::deserialize(deserializer)? {
        Said::Text(text) => text,
        Said::Verdict(true) => "True".to_owned(),
        Said::Verdict(false) => "False".to_owned(),
    })
}

impl Replies {
    /// No answer is known yet; these prompts ask.
    pub fn new(prompts: Prompts) -> Self {
        Self { prompts, ..Self::default() }
    }

    /// The prompts that ask.
    pub fn prompts(&self) -> &Prompts {
        &self.prompts
    }

    /// Has a question asked from now on.
    pub fn ask_for(&mut self, question: Question) {
        self.asked.entry(question).or_default();
    }

    /// Whether a question is asked at all.
    pub fn is_asked(&self, question: Question) -> bool {
        self.asked.contains_key(&question)
    }

    /// How many answers to a question were used so far.
    pub fn used(&self, question: Question) -> u64 {
        self.asked.get(&question).copied().unwrap_or(0)
    }

    /// Reads recorded answers, and has their questions asked. The numbers of lines that cannot be read; lines of other
    /// suites are passed over, and are none of these.
    pub fn read(&mut self, path: &Path) -> io::Result<Vec<usize>> {
        each_line(path, |line| {
            if let Ok(recorded) = serde_json::from_str::<Recorded>(line) {
                self.ask_for(recorded.question);
                self.add(&recorded);
                return true;
            }
            if let Ok(bare) = serde_json::from_str::<Bare>(line) {
                self.bare.insert(bare.id.clone(), bare);
                return true;
            }
            is_of_another_suite(line)
        })
    }

    /// Takes an answer in.
    pub fn add(&mut self, recorded: &Recorded) {
        let place = (recorded.question, recorded.id.clone(), recorded.hash.clone(), recorded.draw);
        self.known.insert(place, recorded.reply.clone());
    }

    /// The answer to a question, where it is asked and known. One that is not known waits.
    pub fn ask(&mut self, question: Question, pending: impl FnOnce() -> Pending) -> Option<&str> {
        let used = self.asked.get_mut(&question)?;
        let pending = pending();
        let place = pending.place(&self.prompts);
        let known = self.known.get(&place);
        if known.is_some() {
            *used += 1;
        } else {
            self.open.insert(place, pending);
        }
        known.map(String::as_str)
    }

    /// Whether answers are known by the ids of samples alone.
    pub fn has_bare(&self) -> bool {
        !self.bare.is_empty()
    }

    /// The answer that is known by a sample's id alone.
    pub fn bare(&self, id: &str) -> Option<&Bare> {
        self.bare.get(id)
    }

    /// The questions of a kind that wait; the others are forgotten.
    pub fn take_open(&mut self, question: Question) -> Vec<Pending> {
        let open = std::mem::take(&mut self.open).into_values();
        open.filter(|pending| pending.question == question).collect()
    }

    /// All questions that wait.
    pub fn take_all(&mut self) -> Vec<Pending> {
        std::mem::take(&mut self.open).into_values().collect()
    }

    /// How many questions wait.
    pub fn waiting(&self) -> usize {
        self.open.len()
    }

    /// Forgets what waits and what was used: the same samples are gone through once more.
    pub fn again(&mut self) {
        self.open.clear();
        self.asked.values_mut().for_each(|used| *used = 0);
    }
}

/// Takes the lines of a file of answers; the numbers of those that were not taken. Whoever was killed while writing left a
/// part of a line, which may end within a letter.
fn each_line(path: &Path, mut take: impl FnMut(&str) -> bool) -> io::Result<Vec<usize>> {
    let bytes = std::fs::read(path)?;
    let lines = bytes.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.trim_ascii().is_empty());
    let faulty = lines.filter(|(_, line)| !std::str::from_utf8(line).is_ok_and(&mut take));
    Ok(faulty.map(|(at, _)| at + 1).collect())
}

/// Whether a line is a whole answer to a question that is not known here.
fn is_of_another_suite(line: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(line).is_ok_and(|line| line.get("question").is_some())
}

/// A file behind whose answers others are written, each as a whole line at once, so that nothing that was paid for is lost.
#[derive(Debug)]
pub struct Ledger {
    file: File,
}

impl Ledger {
    /// Opens a file, or begins it.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file = OpenOptions::new().create(true).append(true).read(true).open(path)?;
        // Whoever was killed while writing left half a line, which must not spoil the next one.
        let mut last = [b'\n'];
        if file.metadata()?.len() > 0 {
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut last)?;
        }
        if last != [b'\n'] {
            file.write_all(b"\n")?;
        }
        Ok(Self { file })
    }

    /// Writes an answer.
    pub fn put(&mut self, recorded: &impl Serialize) -> io::Result<()> {
        self.file.write_all(format!("{}\n", serde_json::to_string(recorded)?).as_bytes())
    }
}

/// Writes answers behind those of a file.
pub fn append(path: &Path, recorded: &[Recorded]) -> io::Result<()> {
    let mut ledger = Ledger::open(path)?;
    recorded.iter().try_for_each(|recorded| ledger.put(recorded))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::tests::pending;
    use crate::record::Value;

    #[test]
    fn arguments_are_known_by_the_hash_and_the_form_of_earlier_versions() {
        let arguments = |output: &str| {
            let mut pending = pending(Question::SameArguments, output);
            pending.variables.insert("query".to_owned(), "at eight".into());
            pending.variables.insert("label".to_owned(), Value::read(r#"{"at": "8", "n": 1}"#).unwrap());
            pending
        };
        let hash = arguments("{}").hash();
        assert_eq!(hash, "4e9a4c2c2038a9bc2c29492ae99388a6");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("judgements.jsonl");
        let line = |verdict: bool, hash: &str| {
            format!(
                r#"{{"id": "q", "question": "call_equivalence", "hash": "{hash}", "verdict": {verdict}, "judge": "j"}}"#
            )
        };
        std::fs::write(&path, [line(true, &hash), line(false, &arguments("[]").hash())].join("\n")).unwrap();
        let mut replies = Replies::new(crate::fixtures::prompts());
        assert!(replies.read(&path).unwrap().is_empty());
        let mut said = |output: &str| replies.ask(Question::SameArguments, || arguments(output)).map(str::to_owned);
        assert_eq!(["{}", "[]", "1"].map(&mut said), [Some("True".to_owned()), Some("False".to_owned()), None]);
    }

    #[test]
    fn all_that_waits_may_be_taken_at_once() {
        let mut replies = Replies::new(crate::fixtures::prompts());
        for question in [Question::Complete, Question::Correct] {
            replies.ask_for(question);
            replies.ask(question, || pending(question, "1"));
        }
        assert_eq!((replies.take_all().len(), replies.waiting()), (2, 0));
    }

    #[test]
    fn nobody_is_asked_unless_somebody_wants_it() {
        let mut replies = Replies::new(crate::fixtures::prompts());
        assert_eq!(replies.ask(Question::Judge, || pending(Question::Judge, "1")), None);
        replies.ask_for(Question::Repair);
        assert_eq!(replies.ask(Question::Judge, || pending(Question::Judge, "1")), None);
        assert_eq!((replies.waiting(), replies.is_asked(Question::Repair)), (0, true));
    }

    #[test]
    fn what_was_recorded_is_known_the_next_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("judgements.jsonl");
        let mut first = Replies::new(crate::fixtures::prompts());
        first.ask_for(Question::Judge);
        assert_eq!(first.ask(Question::Judge, || pending(Question::Judge, "1")), None);
        let open = first.take_open(Question::Judge);
        append(&path, &[open[0].answered("[[1]]".to_owned(), "judge")]).unwrap();
        let others = "oops\n{\"id\": \"q\", \"question\": \"of_a_later_version\", \"answer\": 1}\n";
        std::fs::write(&path, std::fs::read_to_string(&path).unwrap() + others).unwrap();
        let mut second = Replies::new(crate::fixtures::prompts());
        assert_eq!(second.read(&path).unwrap(), [2]);
        assert_eq!(second.ask(Question::Judge, || pending(Question::Judge, "1")), Some("[[1]]"));
        assert_eq!(second.ask(Question::Judge, || pending(Question::Judge, "2")), None);
        assert_eq!((second.used(Question::Judge), second.waiting()), (1, 1));
        second.again();
        assert_eq!((second.used(Question::Judge), second.waiting()), (0, 0));
    }

    #[test]
    fn a_torn_line_is_named_and_the_next_answer_stands_on_a_line_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("judgements.jsonl");
        let answer = |output: &str| pending(Question::Judge, output).answered("[[1]] \u{c544}".to_owned(), "judge");
        append(&path, &[answer("1"), answer("2")]).unwrap();
        let whole = std::fs::read(&path).unwrap();
        // Behind the question, and within a letter of the reply.
        let letter = whole.windows(3).rposition(|bytes| bytes == "\u{c544}".as_bytes()).unwrap();
        for cut in [letter - 3, letter + 1] {
            std::fs::write(&path, &whole[..cut]).unwrap();
            assert_eq!(Replies::new(crate::fixtures::prompts()).read(&path).unwrap(), [2]);
            append(&path, &[answer("3")]).unwrap();
            let mut replies = Replies::new(crate::fixtures::prompts());
            assert_eq!(replies.read(&path).unwrap(), [2]);
            let known = ["1", "2", "3"]
                .map(|output| replies.ask(Question::Judge, || pending(Question::Judge, output)).is_some());
            assert_eq!(known, [true, false, true]);
        }
    }
}
