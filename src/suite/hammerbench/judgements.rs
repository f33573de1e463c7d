//! What a judge said of pairs of arguments: recorded by item and content, so that a scored run repeats without a judge.

use crate::llm::Prompts;
use crate::record::{Object, Value};
use crate::suite::replies::{asked_by, each_line, is_of_another_suite};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// The question that is asked (HammerBench, appendix E.4).
const QUESTION: &str = "call_equivalence";

/// A pair of arguments that a judge is asked about.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// Id of the sample.
    pub id: String,
    /// Its locale.
    pub locale: String,
    /// What was said.
    pub query: String,
    /// The right arguments.
    pub label: Object,
    /// The predicted ones.
    pub output: Object,
}

/// A recorded judgement: one line of judgements.jsonl.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// Id of the sample.
    pub id: String,
    /// What was asked.
    pub question: String,
    /// Hash of everything that the judge was shown of the pair.
    pub hash: String,
    /// Whether both mean the same.
    pub verdict: bool,
    /// Who said so.
    pub judge: String,
}

/// The judgements at hand, and the pairs that somebody should judge.
#[derive(Debug, Default)]
pub struct Judgements {
    is_asked: bool,
    known: BTreeMap<(String, String), bool>,
    open: IndexMap<String, Pair>,
    /// How many judgements were used.
    used: u64,
    prompts: Prompts,
}

impl Pair {
    /// The hash of its content; the order of keys says nothing.
    pub fn hash(&self) -> String {
        let sorted = |object: &Object| {
            let mut object = object.clone();
            object.sort_keys();
            Value::Object(object).to_string()
        };
        let content = Value::List(vec![
            QUESTION.into(),
            self.query.as_str().into(),
            sorted(&self.label).into(),
            sorted(&self.output).into(),
        ]);
        blake3::hash(content.to_string().as_bytes()).to_hex().chars().take(32).collect()
    }

    /// The judgement of this pair, by our own prompt.
    pub fn judged(&self, verdict: bool, judge: &str) -> Judgement {
        self.judged_by(&Prompts::default(), verdict, judge)
    }

    /// The judgement of this pair, as these prompts asked.
    pub fn judged_by(&self, prompts: &Prompts, verdict: bool, judge: &str) -> Judgement {
        let (id, judge, hash) = (self.id.clone(), judge.to_owned(), asked_by(self.hash(), prompts));
        Judgement { id, question: QUESTION.to_owned(), hash, verdict, judge }
    }
}

impl Judgements {
    /// A judge who is asked; nothing is known yet.
    pub fn asked() -> Self {
        Self { is_asked: true, ..Self::default() }
    }

    /// The same where these prompts ask.
    #[must_use]
    pub fn prompted(self, prompts: Prompts) -> Self {
        Self { prompts, ..self }
    }

    /// The prompts that ask.
    pub fn prompts(&self) -> &Prompts {
        &self.prompts
    }

    /// Reads recorded judgements. The numbers of lines that cannot be read; lines of other suites are passed over, and are
    /// none of these.
    pub fn read(&mut self, path: &Path) -> io::Result<Vec<usize>> {
        self.is_asked = true;
        each_line(path, |line| {
            let Ok(judgement) = serde_json::from_str::<Judgement>(line) else { return is_of_another_suite(line) };
            if judgement.question == QUESTION {
                self.add(&judgement);
            }
            true
        })
    }

    /// Takes a judgement in.
    pub fn add(&mut self, judgement: &Judgement) {
        self.known.insert((judgement.id.clone(), judgement.hash.clone()), judgement.verdict);
    }

    /// What the judge says of a pair; nothing where no judge is asked at all. A pair that nobody judged waits, and does not
    /// agree meanwhile.
    pub fn ask(&mut self, pair: impl FnOnce() -> Pair) -> Option<bool> {
        if !self.is_asked {
            return None;
        }
        let pair = pair();
        let hash = asked_by(pair.hash(), &self.prompts);
        let known = self.known.get(&(pair.id.clone(), hash.clone())).copied();
        match known {
            Some(_) => self.used += 1,
            None => drop(self.open.insert(format!("{} {hash}", pair.id), pair)),
        }
        Some(known.unwrap_or(false))
    }

    /// Whether a judge is asked at all.
    pub fn is_asked(&self) -> bool {
        self.is_asked
    }

    /// The pairs that wait.
    pub fn take_open(&mut self) -> Vec<Pair> {
        std::mem::take(&mut self.open).into_values().collect()
    }

    /// How many judgements were used so far.
    pub fn used(&self) -> u64 {
        self.used
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::replies::Ledger;

    fn pair(output: &str) -> Pair {
        let object = |json: &str| serde_json::from_str(json).unwrap();
        Pair {
            id: "t/0".to_owned(),
            locale: "en".to_owned(),
            query: "at eight".to_owned(),
            label: object(r#"{"at": "8", "n": 1}"#),
            output: object(output),
        }
    }

    #[test]
    fn the_hash_is_of_the_content_without_order() {
        assert_eq!(pair(r#"{"a": 1, "b": 2}"#).hash(), pair(r#"{"b": 2, "a": 1}"#).hash());
        assert_ne!(pair(r#"{"a": 1}"#).hash(), pair(r#"{"a": 2}"#).hash());
    }

    #[test]
    fn nobody_is_asked_unless_somebody_wants_it() {
        let mut none = Judgements::default();
        assert_eq!((none.ask(|| pair("{}")), none.take_open().len()), (None, 0));
    }

    #[test]
    fn what_was_recorded_is_known_the_next_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("judgements.jsonl");
        let mut first = Judgements::asked();
        assert_eq!((first.ask(|| pair("{}")), first.ask(|| pair("{}"))), (Some(false), Some(false)));
        let open = first.take_open();
        assert_eq!(open.len(), 1);
        Ledger::open(&path).unwrap().put(&open[0].judged(true, "judge")).unwrap();
        let others = r#"{"id": "q", "question": "callnavi_judge", "hash": "", "reply": "[[1]]", "model": "j"}"#;
        let torn = r#"{"id": "t/0", "question": "call_equi"#;
        std::fs::write(&path, format!("{}{others}\n{torn}", std::fs::read_to_string(&path).unwrap())).unwrap();
        let mut second = Judgements::default();
        assert_eq!(second.read(&path).unwrap(), [3]);
        assert_eq!((second.ask(|| pair("{}")), second.used(), second.take_open().len()), (Some(true), 1, 0));
        assert_eq!(second.ask(|| pair(r#"{"a": 1}"#)), Some(false));
    }
}
