//! Scenarios: what a conversation is to be about, before anybody says a word (CONFETTI, section 3.1).

use super::complexity::Complexity;
use serde::{Deserialize, Serialize};

/// What a conversation is to be about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scenario {
    /// Its number in the run, from 0.
    pub number: usize,
    /// The complexity that it must have.
    pub complexity: Complexity,
    /// Names of the tools that must be called.
    pub required: Vec<String>,
    /// Names of the tools that may be called.
    pub optional: Vec<String>,
    /// The time at which it takes place, in ISO 8601.
    pub reference_time: String,
    /// The least number of turns of the person.
    pub minimum_turns: usize,
    /// How many tools are offered.
    pub offered: usize,
    /// What the person wants, in words.
    #[serde(default)]
    pub goals: String,
    /// What happens, in order; empty where two models play it freely.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub episodes: Vec<Episode>,
    /// Which of the agent's turns that call are scored as responses by themselves, from 0; all where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_responses: Option<Vec<usize>>,
    /// How many of the agent's replies are scored as responses, the last among them; all where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_responses: Option<usize>,
    /// Whether the person ends with thanks.
    #[serde(default)]
    pub thanks: bool,
    /// The situation from which everything follows, by its name in the toolset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
}

/// A part of a conversation: one thing that the person wants, or two at once, and what comes between.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Episode {
    /// What makes it more than a request and its answer.
    pub way: Complexity,
    /// Names of tools or goals, in the order in which they come up.
    pub aims: Vec<String>,
    /// The number of calls in each of the agent's turns that calls.
    pub chains: Vec<usize>,
    /// The parameter that the person takes back, for a corrected goal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected: Option<String>,
    /// Whether the person asks on about the answer.
    #[serde(default)]
    pub followup: bool,
}

impl Episode {
    /// How many turns the agent has in it.
    pub fn turns(&self) -> usize {
        let own = match self.way {
            Complexity::Underfill
            | Complexity::AmbiguousGoal
            | Complexity::Confirmation
            | Complexity::GoalCorrection
            | Complexity::GoalSwitching
            | Complexity::ExceptionInExecution
            | Complexity::FailedConversation => 2,
            _ => 1,
        };
        own + usize::from(self.followup)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn episode(way: Complexity, followup: bool) -> Episode {
        Episode { way, aims: Vec::new(), chains: Vec::new(), corrected: None, followup }
    }

    #[test]
    fn what_is_asked_back_takes_a_turn_more() {
        assert_eq!(episode(Complexity::NoTargetComplexity, false).turns(), 1);
        assert_eq!(episode(Complexity::Underfill, false).turns(), 2);
        assert_eq!(episode(Complexity::GoalStacking, true).turns(), 2);
    }
}
