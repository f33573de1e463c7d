//! Samples (scored items) and predictions.

use super::call::{ArgumentNotes, FunctionCall};
use super::item::ItemId;
use super::message::{Message, Role};
use super::provenance::{Provenance, Review};
use super::suite::SuiteName;
use super::tool::Tool;
use super::value::Value;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Data type of an item, named by its suite: `ST_Perfect`, `ir_ST_Perfect`, `easy`, `exact` ...
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct DataType(pub String);

/// The expected answer of a sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    /// One call.
    Call(FunctionCall),
    /// Calls in steps, with their answers; the calls of a step are parallel.
    Steps(Vec<Step>),
    /// A refusal: no candidate tool can serve the request.
    Refusal,
    /// A question that asks for these parameters.
    Question(Vec<String>),
    /// A text reply.
    Answer(String),
    /// Dialog acts.
    Acts(Vec<String>),
}

/// One step of an expected chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// The calls, in any order.
    pub calls: Vec<FunctionCall>,
    /// Their answers, aligned with `calls`.
    pub answers: Vec<Value>,
    /// Surface form and provenance of their arguments, aligned with `calls`; empty if unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<ArgumentNotes>,
}

/// Difficulty of a sample, as defined by its suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Difficulty {
    /// One call, all values given.
    #[default]
    Easy,
    /// Several calls, all values given.
    Medium,
    /// Dependent, ambiguous or incomplete.
    Hard,
}

impl Difficulty {
    /// The word in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Easy => "easy",
            Self::Medium => "medium",
            Self::Hard => "hard",
        }
    }
}

/// One scored item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sample {
    /// Item id.
    pub id: ItemId,
    /// The suite: `hammerbench`, `callnavi` ...
    #[schemars(with = "String")]
    pub suite: SuiteName,
    /// The suite's data type.
    pub data_type: DataType,
    /// Locale of texts and values.
    pub locale: String,
    /// Reference time of relative dates, in ISO 8601, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference_time: Option<String>,
    /// The dialogue up to the scored turn.
    pub messages: Vec<Message>,
    /// The tools listed for a model, in order.
    pub candidates: Vec<Arc<Tool>>,
    /// The expected answer.
    pub expected: Expected,
    /// Surface form and provenance of each gold argument.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub arguments: ArgumentNotes,
    /// Further values that are as correct as the gold value, by parameter.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub acceptable: IndexMap<String, Vec<Value>>,
    /// Difficulty, if the suite defines it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difficulty: Option<Difficulty>,
    /// Free labels for slices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Ordinals of the expected calls in the order in which the text mentions them, if known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<usize>,
    /// Samples that must not be split between training and test share a group.
    pub group: String,
    /// Id of the sample that this one is a variant of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<ItemId>,
    /// Position in its conversation, if it is a snapshot of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Snapshot>,
    /// In a file that leaves out what variants share, the sample of the base that this one was restored from.
    #[serde(skip)]
    pub copy_of: Option<ItemId>,
    /// The call that the original format stores as the label although no call is expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<FunctionCall>,
    /// Names of the tools listed in the original format, if it lists fewer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authors_candidates: Option<Vec<String>>,
    /// Human review.
    #[serde(default)]
    pub review: Review,
    /// Licence of the data.
    pub licence: String,
    /// Source of the tools.
    pub source: String,
    /// How it was made.
    pub provenance: Provenance,
}

/// Position of a snapshot in its conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Snapshot {
    /// Id of the conversation.
    pub conversation: ItemId,
    /// The user turn that it ends with, from 1.
    pub turn: u32,
    /// Number of user turns of the conversation.
    pub turns: u32,
    /// Whether this turn has the transformation that defines the data type; HammerBench only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marked: Option<bool>,
    /// The earlier snapshots that the file leaves out because another conversation has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared: Option<Shared>,
    /// Name of the tool of the conversation; the original format lists it alone from the second turn on.
    pub tool: String,
}

/// The first snapshots of a conversation, which an earlier conversation has as well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Shared {
    /// Id of the other conversation: the base, or another variant of it.
    pub conversation: ItemId,
    /// Number of snapshots, from the first on.
    pub turns: u32,
}

impl Sample {
    /// A sample without messages, tools, origin and whatever else is optional.
    pub fn new(id: ItemId, suite: impl Into<SuiteName>, data_type: impl Into<String>, expected: Expected) -> Self {
        Self {
            id,
            suite: suite.into(),
            data_type: DataType(data_type.into()),
            locale: String::new(),
            reference_time: None,
            messages: Vec::new(),
            candidates: Vec::new(),
            expected,
            arguments: ArgumentNotes::new(),
            acceptable: IndexMap::new(),
            difficulty: None,
            tags: Vec::new(),
            mentions: Vec::new(),
            group: String::new(),
            base: None,
            snapshot: None,
            copy_of: None,
            label: None,
            authors_candidates: None,
            review: Review::default(),
            licence: String::new(),
            source: String::new(),
            provenance: Provenance::default(),
        }
    }

    /// What a model is shown to read: the words of a single request, or a dialogue with a line for each turn.
    pub fn shown(&self) -> String {
        if self.messages.len() == 1 { self.query() } else { super::request::dialogue::history(&self.messages) }
    }

    /// Whether a language model wrote it, so that its label obeys the tool's schema and its text says values as people do.
    pub fn is_written_by_model(&self) -> bool {
        self.reference_time.is_some() && !self.provenance.template
    }

    /// The turns of the person that it adds to its conversation, each with whether it contains template text: the last
    /// turn of a snapshot, and all turns of any other sample.
    pub fn own_turns(&self) -> impl Iterator<Item = bool> {
        let count = self.messages.iter().filter(|message| message.role == Role::User).count();
        let last = u32::try_from(count).unwrap_or(u32::MAX);
        let turns = self.snapshot.as_ref().map_or(1..=last, |snapshot| snapshot.turn..=snapshot.turn);
        turns.map(|turn| self.provenance.has_template_in(turn))
    }

    /// What the person says last.
    pub fn query(&self) -> String {
        let said = self.messages.iter().rev().find(|message| message.role == Role::User);
        said.and_then(|message| message.content.clone()).unwrap_or_default()
    }
}

/// A model's prediction for one sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Prediction {
    /// Id of the sample.
    pub id: ItemId,
    /// Run index, from 0.
    #[serde(default)]
    pub run: u32,
    /// Task of the suite, if it has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// How the model was prompted: `tools`, `prompt`, or a name of the suite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// The output: one turn, or a trajectory.
    pub turns: Vec<PredictionTurn>,
    /// Finish reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// Input and output tokens, if the server reported them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<(u64, u64)>,
    /// Transport error; a prediction with an error is never scored as an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// One turn of a prediction.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct PredictionTurn {
    /// The text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Native tool calls: name and argument text as returned by the server.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<(String, String)>,
    /// Reasoning, if the server returned it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Result of the routing, if this turn chose the tools for the next one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub routing: Option<Routing>,
}

/// Result of a turn that chose the tools for the next one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Routing {
    /// Names of the tools that were passed on; empty if all were, because the turn could not be used.
    pub passed: Vec<String>,
    /// Names that match no listed tool.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub invented: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_difficulties_are_those_in_files() {
        for difficulty in [Difficulty::Easy, Difficulty::Medium, Difficulty::Hard] {
            assert_eq!(serde_json::to_value(difficulty).unwrap(), difficulty.word());
        }
    }

    fn sample(messages: &[(&str, &str)]) -> Sample {
        let messages: Vec<_> =
            messages.iter().map(|(role, content)| serde_json::json!({"role": role, "content": content})).collect();
        serde_json::from_value(serde_json::json!({
            "id": "t/0", "suite": "s", "data_type": "d", "locale": "en", "messages": messages, "candidates": [],
            "expected": "refusal", "group": "t", "licence": "", "source": "", "provenance": Provenance::default(),
        }))
        .unwrap()
    }

    #[test]
    fn a_single_request_is_shown_bare_and_a_dialogue_with_its_speakers() {
        assert_eq!(sample(&[("user", "a train")]).shown(), "a train");
        let talk = sample(&[("user", "a train"), ("assistant", "Where to?"), ("user", "Porto")]);
        assert_eq!(talk.shown(), "user:a train\nassistant:Where to?\nuser:Porto");
        assert_eq!(sample(&[]).shown(), "");
    }

    #[test]
    fn a_snapshot_adds_its_last_turn_and_any_other_sample_all_of_them() {
        let mut talk = sample(&[("user", "a train"), ("assistant", "Where to?"), ("user", "Porto")]);
        talk.provenance.note_templates(&[false, true]);
        assert_eq!(talk.own_turns().collect::<Vec<_>>(), [false, true]);
        let (conversation, tool) = (ItemId::root("t"), String::new());
        talk.snapshot = Some(Snapshot { conversation, turn: 1, turns: 3, marked: None, shared: None, tool });
        assert_eq!(talk.own_turns().collect::<Vec<_>>(), [false]);
    }

    #[test]
    fn the_query_is_what_the_person_said_last_whoever_spoke_after() {
        let talk = sample(&[("user", "a train"), ("user", "Porto"), ("assistant", "Fine"), ("tool", "{}")]);
        assert_eq!(talk.query(), "Porto");
        assert_eq!(sample(&[("assistant", "Hello")]).query(), "");
    }

    #[test]
    fn every_right_answer_is_written_as_it_is_read() {
        for json in [
            r#"{"call":{"name":"f","arguments":{"n":1.50}}}"#,
            r#"{"steps":[{"calls":[{"name":"f","arguments":{}}],"answers":[{"n":10000000000000000000000}]}]}"#,
            r#""refusal""#,
            r#"{"question":["to","day"]}"#,
            r#"{"answer":"at noon"}"#,
            r#"{"acts":["greet"]}"#,
        ] {
            let expected: Expected = serde_json::from_str(json).unwrap();
            assert_eq!(serde_json::to_string(&expected).unwrap(), json);
        }
    }

    #[test]
    fn a_sample_is_written_without_what_it_does_not_have() {
        let text = serde_json::to_string(&sample(&[("user", "hi")])).unwrap();
        for absent in
            ["reference_time", "acceptable", "difficulty", "tags", "mentions", "base", "snapshot", "label", "null"]
        {
            assert!(!text.contains(absent), "{absent} in {text}");
        }
        assert!(text.contains(r#""review":"unreviewed""#));
        assert_eq!(serde_json::from_str::<Sample>(&text).unwrap(), sample(&[("user", "hi")]));
    }

    #[test]
    fn a_prediction_needs_only_an_id_and_its_turns() {
        let line = r#"{"id":"t/0","turns":[{"tool_calls":[["f","{}"]]}]}"#;
        let read: Prediction = serde_json::from_str(line).unwrap();
        assert_eq!((read.run, read.error.as_ref(), read.usage), (0, None, None));
        assert_eq!(read.turns[0].tool_calls, [("f".to_owned(), "{}".to_owned())]);
        assert!(serde_json::from_str::<Prediction>(r#"{"id":"t/0"}"#).is_err());
    }
}
