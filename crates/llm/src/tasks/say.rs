//! Say one line of a conversation (CONFETTI).

use super::{Common, TaskInfo};
use crate::record::{Followup, FunctionCall, Object, Phrases, SlotPhrases, Tool, Value};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo =
    TaskInfo::creative("say", "Say").reply(include_str!("reply_schema/plain_text.json")).voiced();

/// One line of a conversation is to be said.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SayVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The conversation so far, a line for each turn.
    pub history: String,
    /// The manner in which the person speaks: one of the pack's styles.
    pub style: String,
    /// What that manner is like, in words.
    pub manner: String,
    /// What is to be said.
    pub line: Line,
}

/// What is to be said, and by whom.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Line {
    /// The person wants to be asked before the assistant acts.
    #[default]
    Caution,
    /// The assistant asks leave for the next call, with what it found out.
    Confirm {
        /// What the person wants, as a tool.
        tool: Arc<Tool>,
        /// What the person said of it.
        said: Object,
        /// The answers so far, by step.
        answers: Value,
        /// The call that comes next.
        next: FunctionCall,
        /// How it is asked; absent for tools that people bring along.
        phrases: Option<Arc<Phrases>>,
    },
    /// The person gives leave.
    Agree,
    /// The person says something that could mean either of two things.
    Vague {
        /// What the two do.
        between: Vec<String>,
        /// How people say it; empty for tools that people bring along.
        says: Vec<String>,
    },
    /// The assistant asks which of the two is meant.
    Which {
        /// What the two do.
        between: Vec<String>,
        /// How it is asked; empty for tools that people bring along.
        questions: Vec<String>,
    },
    /// The assistant reports that a call failed, and asks whether to try again.
    Report {
        /// What the tool answered.
        error: Value,
    },
    /// The person wants it tried again.
    Retry {
        /// What the tool answered.
        error: Value,
    },
    /// The assistant tells that it cannot be done.
    Sorry {
        /// What the tool answered.
        error: Value,
    },
    /// The person asks on about what was answered.
    Ask {
        /// The answers so far.
        answers: Value,
        /// How people ask; absent for tools that people bring along.
        followup: Option<Followup>,
    },
    /// The person gives a detail that nothing needs.
    Aside,
    /// The person drops what is under way and wants something else.
    Switch {
        /// The new request.
        query: String,
    },
    /// The person puts two requests into one message.
    Stack {
        /// The first request.
        first: String,
        /// The second request.
        second: String,
    },
    /// The person takes back a detail of what was done.
    Correct {
        /// What the person wants, as a tool.
        tool: Arc<Tool>,
        /// The parameter.
        parameter: String,
        /// Its new value.
        value: Value,
        /// How the person says the value.
        surface: String,
        /// How the person said what it takes the place of.
        old: String,
        /// What people say about it; absent for tools that people bring along.
        phrases: Option<SlotPhrases>,
    },
}

impl Line {
    /// Whether the person says it, in words of their own: not where another's request stands in it.
    pub fn is_the_persons(&self) -> bool {
        matches!(
            self,
            Self::Caution | Self::Agree | Self::Vague { .. } | Self::Retry { .. } | Self::Ask { .. } | Self::Aside
        )
    }
}
