//! What judges and repairers said: recorded by item and content, so that a scored run repeats without them.

use crate::llm::Prompts;
use crate::record::{Object, Quoted, Sample, Value};
use crate::suite::callnavi::metric::strict::read_score;
use crate::suite::confetti::metric::{read_acts, read_hallucinated, read_unit};
use crate::suite::functionchat::metric::strict::{VerdictWords, read_reply};
use crate::text::{embedded, read_verdict, without_thought};
use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Display, Write as _};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::OnceLock;

/// What a model is asked besides the one under test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Question {
    /// Do the arguments of a call mean what the right ones mean (HammerBench, appendix E.4)?
    #[serde(rename = "call_equivalence")]
    SameArguments,
    /// How close does an answer come?
    #[serde(rename = "callnavi_judge")]
    Judge,
    /// What should an answer have been that cannot be read?
    #[serde(rename = "callnavi_repair")]
    Repair,
    /// Does a call say what the right one says?
    #[serde(rename = "complexfunc_equal")]
    SameCall,
    /// Does an answer in words say all that was asked for?
    #[serde(rename = "complexfunc_complete")]
    Complete,
    /// Does it say what the APIs answered?
    #[serde(rename = "complexfunc_correct")]
    Correct,
    /// Is a call right (FunctionChat-Bench)?
    #[serde(rename = "functionchat_call")]
    ChatCall,
    /// Do words say what a tool answered?
    #[serde(rename = "functionchat_completion")]
    ChatCompletion,
    /// Does a question ask for what is missing?
    #[serde(rename = "functionchat_slot")]
    ChatSlot,
    /// Is it noticed that no tool is wanted?
    #[serde(rename = "functionchat_relevance")]
    ChatRelevance,
    /// How much of one text does another say (CONFETTI)?
    #[serde(rename = "confetti_string")]
    TextScore,
    /// Which arguments of calls were made up (CONFETTI)?
    #[serde(rename = "confetti_validity")]
    Validity,
    /// Which dialog acts does a text perform (CONFETTI)?
    #[serde(rename = "confetti_acts")]
    DialogActs,
}

/// A question that waits for its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Pending {
    /// What is asked.
    pub question: Question,
    /// Id of the sample.
    pub id: String,
    /// Its locale.
    pub locale: String,
    /// What the prompt is given.
    pub variables: Object,
    /// What a prompt of other people is given besides. It follows from the sample, and is no part of the hash.
    pub besides: Object,
    /// Which of several votes it is, from 0.
    pub draw: u32,
    /// How freely it is answered; several votes are only worth their price where they may differ.
    pub temperature: f64,
    /// The hash of its content, once somebody wanted it.
    pub hashed: OnceLock<String>,
}

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
type Place = (Question, String, String, u32);

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

impl Question {
    /// The folder of its prompt.
    pub fn folder(self) -> &'static str {
        match self {
            Self::SameArguments => "judge_call",
            Self::Judge => "judge_callnavi",
            Self::Repair => "repair_callnavi",
            Self::SameCall => "judge_same_call",
            Self::Complete => "judge_complete",
            Self::Correct => "judge_correct",
            Self::ChatCall => "judge_functionchat_call",
            Self::ChatCompletion => "judge_functionchat_completion",
            Self::ChatSlot => "judge_functionchat_slot",
            Self::ChatRelevance => "judge_functionchat_relevance",
            Self::TextScore => "judge_confetti_string",
            Self::Validity => "judge_confetti_validity",
            Self::DialogActs => "classify_dialog_acts",
        }
    }

    /// What is wrong with a reply that cannot be used; asking once more may help then.
    pub fn fault(self, reply: &str) -> Option<&'static str> {
        let (is_usable, fault) = match self {
            Self::SameArguments => (read_verdict(reply).is_some(), NO_WORD),
            Self::Judge => (read_score(reply).is_some(), NO_SCORE),
            Self::Repair => (true, ""),
            Self::SameCall => (read_same(reply).is_some(), NO_SAME),
            Self::Complete | Self::Correct => (read_points(reply).is_some(), NO_POINTS),
            Self::ChatCall | Self::ChatCompletion | Self::ChatSlot | Self::ChatRelevance => {
                (read_reply(reply, &asked_for()).is_some(), NO_VERDICT)
            }
            Self::TextScore => (read_unit(reply).is_some(), NO_UNIT),
            // What its lists must be hangs on the calls that it is asked about.
            Self::Validity => (true, ""),
            Self::DialogActs => (!read_acts(without_thought(reply)).0.is_empty(), NO_ACT),
        };
        (!is_usable).then_some(fault)
    }
}

const NO_WORD: &str = "it says neither True nor False";
const NO_SCORE: &str = "there is no number between 0 and 1 in two pairs of brackets";
const NO_SAME: &str = "there is no JSON object with `is_equal`, true or false";
const NO_POINTS: &str = "there is no JSON object with `score`, 0, 1 or 2";

const NO_UNIT: &str = "there is no JSON object with `score`, a number from 0 to 1";
const NO_LISTS: &str =
    "there is no JSON object with `hallucinated_parameters`, one list for each call, of names that this call has";
const NO_ACT: &str = "none of the labels is in it";
const NO_VERDICT: &str = "there is neither `pass` nor `fail` in it";

/// The words that a judge of turns is asked for, whatever else can be read.
fn asked_for() -> VerdictWords {
    VerdictWords { pass: vec!["pass".to_owned()], fail: vec!["fail".to_owned()], negations: Vec::new() }
}

/// Whether a judge takes two calls for the same.
pub(super) fn read_same(reply: &str) -> Option<bool> {
    field(reply, "is_equal")?.as_bool()
}

/// What a judge gives for an answer: 0, 1 or 2.
pub(super) fn read_points(reply: &str) -> Option<i8> {
    let points = field(reply, "score")?;
    let number = points.as_number()?.as_f64();
    [0_i8, 1, 2].into_iter().find(|points| (f64::from(*points) - number).abs() < f64::EPSILON)
}

/// A field of the first object in a reply that has it. Models write Python's constants as well.
fn field(reply: &str, name: &str) -> Option<Value> {
    let reply = reply.replace(": True", ": true").replace(": False", ": false");
    embedded(&reply).into_iter().find_map(|(_, value)| value.as_object()?.get(name).cloned())
}

/// The parameters of the calls that a judge of validity is asked about.
fn parameters<'v>(variables: &'v Object) -> Vec<BTreeSet<&'v str>> {
    let calls = variables.get("calls").and_then(Value::as_list).unwrap_or_default();
    let names = |call: &'v Value| -> BTreeSet<&'v str> {
        let arguments = call.as_object().and_then(|call| call.get("arguments")?.as_object());
        arguments.into_iter().flatten().map(|(name, _)| name.as_str()).collect()
    };
    calls.iter().map(names).collect()
}

impl Pending {
    /// A question about a sample, asked once.
    pub fn new(question: Question, sample: &Sample, variables: Object) -> Self {
        Self {
            question,
            id: sample.id.to_string(),
            locale: sample.locale.clone(),
            variables,
            besides: Object::new(),
            draw: 0,
            temperature: 0.0,
            hashed: OnceLock::new(),
        }
    }

    /// What is wrong with a reply to it that cannot be used.
    pub fn fault(&self, reply: &str) -> Option<&'static str> {
        match self.question {
            Question::Validity => self.hallucinated(reply).is_none().then_some(NO_LISTS),
            question => question.fault(reply),
        }
    }

    /// How many arguments a reply to a question of validity takes for made up.
    pub fn hallucinated(&self, reply: &str) -> Option<u64> {
        let lists = read_hallucinated(reply, &parameters(&self.variables))?;
        Some(lists.iter().map(|names| names.len() as u64).sum())
    }

    /// The hash of its content; the order of keys says nothing.
    pub fn hash(&self) -> String {
        self.hashed.get_or_init(|| self.content_hash()).clone()
    }

    fn content_hash(&self) -> String {
        let content = match self.question {
            Question::SameArguments => self.arguments(),
            _ => self.sorted(),
        };
        blake3::hash(content.as_bytes()).to_hex().chars().take(32).collect()
    }

    /// The content of a pair of arguments, in the form by which the first versions recorded judgements.
    fn arguments(&self) -> String {
        let text = |name: &str| match self.variables.get(name) {
            Some(Value::String(text)) => text.as_str().into(),
            other => other.map(Value::to_string).unwrap_or_default().into(),
        };
        Value::List(vec!["call_equivalence".into(), text("query"), text("label"), text("output")]).to_string()
    }

    fn sorted(&self) -> String {
        let mut content = String::from("{");
        let mut entries: Vec<(&String, &Value)> = self.variables.iter().collect();
        entries.sort_by_key(|(key, _)| *key);
        for (at, (key, value)) in entries.into_iter().enumerate() {
            content.push_str(if at == 0 { "" } else { "," });
            push(&mut content, &Quoted(key));
            content.push(':');
            write_sorted(value, &mut content);
        }
        content.push('}');
        content
    }

    /// The answer to it, by our own prompts.
    pub fn answered(&self, reply: String, model: &str) -> Recorded {
        self.answered_by(&Prompts::default(), reply, model)
    }

    /// The answer to it, as these prompts asked.
    pub fn answered_by(&self, prompts: &Prompts, reply: String, model: &str) -> Recorded {
        let (id, model, hash) = (self.id.clone(), model.to_owned(), asked_by(self.hash(), prompts));
        Recorded { id, question: self.question, hash, draw: self.draw, reply, model }
    }

    fn place(&self, prompts: &Prompts) -> Place {
        (self.question, self.id.clone(), asked_by(self.hash(), prompts), self.draw)
    }
}

/// What a content's hash becomes where other prompts than our own asked about it: their answers are not the same.
fn asked_by(hash: String, prompts: &Prompts) -> String {
    if prompts.hash().is_empty() { hash } else { format!("{hash}-{}", prompts.hash()) }
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

/// Writes compact JSON whose keys are in order, whatever order they came in.
fn write_sorted(value: &Value, out: &mut String) {
    match value {
        Value::Object(object) => {
            let mut entries: Vec<(&String, &Value)> = object.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            let mut before = '{';
            for (key, value) in entries {
                out.push(before);
                push(out, &Quoted(key));
                out.push(':');
                write_sorted(value, out);
                before = ',';
            }
            out.push_str(if before == '{' { "{}" } else { "}" });
        }
        Value::List(list) => {
            let mut before = '[';
            for value in list {
                out.push(before);
                write_sorted(value, out);
                before = ',';
            }
            out.push_str(if before == '[' { "[]" } else { "]" });
        }
        plain => push(out, plain),
    }
}

/// Writes behind a text; a text takes everything.
fn push(out: &mut String, shown: &dyn Display) {
    write!(out, "{shown}").unwrap_or_default();
}

// Values in files of verdicts.

/// What no JSON file can hold is written as a text: `__NaN__`, `__Infinity__`.
pub(super) fn speakable(value: Value) -> Value {
    match value {
        Value::Number(number) => match number.as_f64() {
            _ if number.is_integer_text() => Value::Number(number),
            double if double.is_nan() => "__NaN__".into(),
            f64::INFINITY => "__Infinity__".into(),
            f64::NEG_INFINITY => "__-Infinity__".into(),
            _ => Value::Number(number),
        },
        Value::List(list) => Value::List(list.into_iter().map(speakable).collect()),
        Value::Object(object) => {
            Value::Object(object.into_iter().map(|(name, value)| (name, speakable(value))).collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pending(question: Question, output: &str) -> Pending {
        let variables = [("output".to_owned(), Value::read(output).unwrap())].into();
        Pending {
            question,
            id: "q".to_owned(),
            locale: "en".to_owned(),
            variables,
            besides: Object::new(),
            draw: 0,
            temperature: 0.0,
            hashed: std::sync::OnceLock::new(),
        }
    }

    #[test]
    fn the_hash_is_of_the_content_without_order() {
        let hash = |output| pending(Question::Judge, output).hash();
        assert_eq!(hash(r#"{"a": 1, "b": {"c": 2, "d": 3}}"#), hash(r#"{"b": {"d": 3, "c": 2}, "a": 1}"#));
        assert_ne!(hash(r#"{"a": 1}"#), hash(r#"{"a": 2}"#));
    }

    #[test]
    fn content_is_written_as_json_with_its_keys_in_order() {
        let mut text = String::new();
        write_sorted(&Value::read(r#"{"b":[1.50,{}],"a":{"d":[],"c":"x\"y"}}"#).unwrap(), &mut text);
        assert_eq!(text, r#"{"a":{"c":"x\"y","d":[]},"b":[1.50,{}]}"#);
        // Judgements that were recorded earlier are found again.
        let written = r#"{"output":{"a":1}}"#;
        let hash: String = blake3::hash(written.as_bytes()).to_hex().chars().take(32).collect();
        assert_eq!(pending(Question::Judge, r#"{"a":1}"#).hash(), hash);
    }

    #[test]
    fn what_judges_say_is_read_however_they_wrap_it() {
        for (reply, same) in [
            (r#"{"is_equal": true, "reason": "NY is New York"}"#, Some(true)),
            ("```json\n{\"reason\": \"x\", \"is_equal\": False}\n```", Some(false)),
            ("yes", None),
            (r#"{"is_equal": "yes"}"#, None),
        ] {
            assert_eq!(
                (read_same(reply), Question::SameCall.fault(reply).is_none()),
                (same, same.is_some()),
                "{reply}"
            );
        }
        for (reply, points) in
            [(r#"so {"score": 2}"#, Some(2)), (r#"{"score": 1.0}"#, Some(1)), (r#"{"score": 3}"#, None), ("2", None)]
        {
            assert_eq!(
                (read_points(reply), Question::Correct.fault(reply).is_none()),
                (points, points.is_some()),
                "{reply}"
            );
        }
        assert_eq!(
            (Question::Repair.fault("x"), Question::Judge.fault("[[1]]"), Question::Judge.fault("x")),
            (None, None, Some(NO_SCORE))
        );
    }

    #[test]
    fn what_a_judge_of_arguments_says_is_measured_by_the_calls() {
        let it = |reply: &str| {
            let mut pending = pending(Question::Validity, "0");
            let calls = r#"[{"name": "f", "arguments": {"a": 1, "b": 2}}]"#;
            pending.variables.insert("calls".to_owned(), Value::read(calls).unwrap());
            (pending.hallucinated(reply), pending.fault(reply))
        };
        assert_eq!(it(r#"{"hallucinated_parameters": [["b"]]}"#), (Some(1), None));
        assert_eq!(it(r#"{"hallucinated_parameters": []}"#), (None, Some(NO_LISTS)));
        assert_eq!(it(r#"{"hallucinated_parameters": [["c"]]}"#), (None, Some(NO_LISTS)));
        let judged = pending(Question::TextScore, "0");
        assert_eq!((judged.fault(r#"{"score": 0.5}"#), judged.fault("half")), (None, Some(NO_UNIT)));
        let acts = pending(Question::DialogActs, "0");
        assert_eq!((acts.fault("<think>hm</think> agent_other"), acts.fault("sings")), (None, Some(NO_ACT)));
    }

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
        let mut replies = Replies::default();
        assert!(replies.read(&path).unwrap().is_empty());
        let mut said = |output: &str| replies.ask(Question::SameArguments, || arguments(output)).map(str::to_owned);
        assert_eq!(["{}", "[]", "1"].map(&mut said), [Some("True".to_owned()), Some("False".to_owned()), None]);
    }

    #[test]
    fn all_that_waits_may_be_taken_at_once() {
        let mut replies = Replies::default();
        for question in [Question::Complete, Question::Correct] {
            replies.ask_for(question);
            replies.ask(question, || pending(question, "1"));
        }
        assert_eq!((replies.take_all().len(), replies.waiting()), (2, 0));
    }

    #[test]
    fn nobody_is_asked_unless_somebody_wants_it() {
        let mut replies = Replies::default();
        assert_eq!(replies.ask(Question::Judge, || pending(Question::Judge, "1")), None);
        replies.ask_for(Question::Repair);
        assert_eq!(replies.ask(Question::Judge, || pending(Question::Judge, "1")), None);
        assert_eq!((replies.waiting(), replies.is_asked(Question::Repair)), (0, true));
    }

    #[test]
    fn what_was_recorded_is_known_the_next_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("judgements.jsonl");
        let mut first = Replies::default();
        first.ask_for(Question::Judge);
        assert_eq!(first.ask(Question::Judge, || pending(Question::Judge, "1")), None);
        let open = first.take_open(Question::Judge);
        append(&path, &[open[0].answered("[[1]]".to_owned(), "judge")]).unwrap();
        let others = "oops\n{\"id\": \"q\", \"question\": \"of_a_later_version\", \"answer\": 1}\n";
        std::fs::write(&path, std::fs::read_to_string(&path).unwrap() + others).unwrap();
        let mut second = Replies::default();
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
            assert_eq!(Replies::default().read(&path).unwrap(), [2]);
            append(&path, &[answer("3")]).unwrap();
            let mut replies = Replies::default();
            assert_eq!(replies.read(&path).unwrap(), [2]);
            let known = ["1", "2", "3"]
                .map(|output| replies.ask(Question::Judge, || pending(Question::Judge, output)).is_some());
            assert_eq!(known, [true, false, true]);
        }
    }
}

#[cfg(test)]
mod speakable_tests {
    use super::*;
    use crate::fixtures::any_value;
    use proptest::prelude::*;

    #[test]
    fn what_is_no_json_is_a_text() {
        let value = Value::read_lenient(r#"{"a": [NaN, 1e400, -Infinity, -0, 1.50]}"#).unwrap().0;
        assert_eq!(speakable(value).to_string(), r#"{"a":["__NaN__","__Infinity__","__-Infinity__",-0,1.50]}"#);
    }

    proptest! {
        #[test]
        fn every_json_reader_takes_what_is_speakable(value in any_value(true)) {
            let text = speakable(value).to_string();
            prop_assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{}", text);
        }
    }
}
