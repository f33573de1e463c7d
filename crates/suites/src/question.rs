//! What models are asked besides the one under test, and how their answers are read.

use crate::callnavi::metric::strict::read_score;
use crate::confetti::metric::{read_acts, read_hallucinated, read_unit};
use crate::functionchat::metric::strict::{VerdictWords, read_reply};
use crate::llm::Prompts;
use crate::record::{Object, Quoted, Sample, Value};
use crate::replies::{Place, Recorded};
use crate::text::{embedded, read_verdict, without_thought};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt::{Display, Write as _};
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

    /// What its answer is recorded under.
    pub(super) fn place(&self, prompts: &Prompts) -> Place {
        (self.question, self.id.clone(), asked_by(self.hash(), prompts), self.draw)
    }
}

/// What a content's hash becomes where other prompts than our own asked about it: their answers are not the same.
fn asked_by(hash: String, prompts: &Prompts) -> String {
    if prompts.hash().is_empty() { hash } else { format!("{hash}-{}", prompts.hash()) }
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn pending(question: Question, output: &str) -> Pending {
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
}
