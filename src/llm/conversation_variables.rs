//! What prompts are given where a scenario is thought out and a conversation played (CONFETTI).

use super::Common;
use crate::record::{Complexity, Followup, FunctionCall, Object, Phrases, SlotPhrases, Tool, Value};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One line of a conversation is to be said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Line {
    /// The person wants to be asked before the assistant acts.
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

/// What a person wants is to be written down, before a conversation is played.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScenarioVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The complexity that the conversation must have, by the paper's name.
    pub complexity: String,
    /// The tools that must be called.
    pub required: Vec<Arc<Tool>>,
    /// The tools that may be called.
    pub optional: Vec<Arc<Tool>>,
    /// What happens, where that is planned: what the person wants of each episode.
    pub wants: Vec<String>,
    /// The time at which it takes place.
    pub reference_time: String,
    /// The least number of turns of the person.
    pub minimum_turns: usize,
}

/// A scenario is to be looked over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReviewVariables {
    /// The same as its writer was given.
    #[serde(flatten)]
    pub asked: ScenarioVariables,
    /// What was written.
    pub goals: String,
}

/// What does an agent do with its words?
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActsVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The conversation before the words, a line for each turn.
    pub dialog: String,
    /// The words.
    pub text: String,
}

/// Does a conversation have a complexity that no rule can prove?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComplexityVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The complexity.
    pub complexity: Complexity,
    /// The conversation up to the agent's turn, a line for each turn.
    pub history: String,
    /// What the person says in the turn.
    pub said: String,
    /// What the agent says in the turn.
    pub reply: String,
    /// What is called in the turn, or where nothing is, in the next: the tools.
    pub called: Vec<Arc<Tool>>,
    /// The arguments of those calls.
    pub arguments: Vec<Object>,
    /// The tools that are offered.
    pub tools: Vec<Arc<Tool>>,
}
