//! Write every line of a conversation whose calls are made and answered already (CONFETTI).

use super::write_dialogue::{FaultyLine, FinishedLine};
use super::{Common, TaskInfo};
use crate::record::{FunctionCall, Value};
use serde::{Deserialize, Serialize};

pub(super) const INFO: TaskInfo = TaskInfo::creative("write_conversation", "WriteConversation").voiced();

/// All lines of a conversation are to be written, or some of them once more.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ConversationVariables {
    /// What every prompt is given.
    pub common: Common,
    /// What the person wants and why, in words.
    pub scenario: String,
    /// The time that days and hours are counted from, in ISO 8601.
    pub reference_time: String,
    /// How the person speaks, in words.
    pub manner: String,
    /// What there is of the kinds that the lines speak of.
    pub things: Vec<KnownThings>,
    /// Lines and calls, in order.
    pub steps: Vec<ConversationStep>,
    /// Those lines that stand already, where some are written once more.
    pub written: Vec<FinishedLine>,
    /// Those that are written once more; all where there are none.
    pub repair: Vec<FaultyLine>,
}

/// Things of one kind, by the names that people use.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct KnownThings {
    /// What they are: the description of a parameter that takes them.
    pub about: String,
    /// Those of the plan.
    pub planned: Vec<String>,
    /// A few others that there are.
    pub others: Vec<String>,
}

/// A line, or a call with its answer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ConversationStep {
    /// The number of a line, from 1; 0 of a call.
    pub n: usize,
    /// Whether the person speaks.
    pub is_person: bool,
    /// What a line does; one after the other where it does several things.
    pub acts: Vec<PlannedAct>,
    /// The call, where it is one.
    pub call: Option<FunctionCall>,
    /// What the call is answered.
    pub answer: Option<Value>,
}

/// What a line does, or a part of it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PlannedAct {
    /// What it does.
    pub act: SpeechAct,
    /// What the person wants by it, where it is about that.
    pub wish: String,
    /// The values that it says.
    pub says: Vec<PlannedWords>,
    /// Descriptions of what it asks for or leaves out; of both readings, where words could mean either of two things.
    pub about: Vec<String>,
    /// What it tells of an answer, at least.
    pub tells: Vec<Value>,
    /// The call that leave is asked for.
    pub next: Option<FunctionCall>,
}

/// A value that a line says.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PlannedWords {
    /// Its key in the answer's `said`: the parameter's name, with a number where the line says two of that name.
    pub key: String,
    /// What it is: the parameter's description.
    pub about: String,
    /// The value.
    pub value: Value,
    /// Words that people say for it.
    pub words: String,
    /// Whether the line says it letter by letter: the call takes the person's own words.
    pub exact: bool,
}

/// What a line of a conversation can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpeechAct {
    /// The person asks for something.
    #[default]
    Request,
    /// The person tells the situation from which the wish follows, and does not ask.
    Describe,
    /// The assistant asks for what is missing.
    Ask,
    /// The person gives what was asked for.
    Answer,
    /// The assistant tells what was found or done.
    Tell,
    /// The assistant cannot help with that.
    Decline,
    /// The person thanks; the assistant answers.
    Thank,
    /// The person wants to be asked before anything is done for good.
    Caution,
    /// The assistant tells what it found and asks leave for the next call.
    Confirm,
    /// The person gives leave.
    Agree,
    /// The person's words could mean either of two things.
    Vague,
    /// The assistant asks which of the two is meant.
    Which,
    /// The assistant reports a failure and asks whether to try again.
    Report,
    /// The person wants it tried again.
    Retry,
    /// It failed once more, and the assistant gives up.
    GiveUp,
    /// The person asks on about what was told.
    AskOn,
    /// The person adds details of the matter that nothing needs.
    Aside,
    /// The person drops what is under way for what follows.
    Switch,
    /// The person wants both things at once.
    Stack,
    /// The person takes back a value and gives another.
    Correct,
}
