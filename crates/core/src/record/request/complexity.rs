//! What can make a conversation more than a request and its answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The complexities of conversations (CONFETTI, Table 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Complexity {
    /// A call fails while it is executed.
    ExceptionInExecution,
    /// What the person wants is not achieved.
    FailedConversation,
    /// The person is asked for leave before a call.
    Confirmation,
    /// The person turns to something else before the first is done.
    GoalSwitching,
    /// Nothing in particular.
    #[default]
    NoTargetComplexity,
    /// The person changes a detail after an answer.
    GoalCorrection,
    /// The person wants several things at once.
    GoalStacking,
    /// The person's first words could mean more than one thing.
    AmbiguousGoal,
    /// The person asks on about an answer.
    FollowupQuestion,
    /// The person describes a problem and does not say what to do.
    ImplicitDescriptiveGoal,
    /// The person gives details that nothing needs.
    Overfill,
    /// The person leaves out what a call needs.
    Underfill,
    /// No tool does what the person wants.
    GoalNotSupported,
}

impl Complexity {
    /// All of them, in the paper's order.
    pub const ALL: [Self; 13] = [
        Self::ExceptionInExecution,
        Self::FailedConversation,
        Self::Confirmation,
        Self::GoalSwitching,
        Self::NoTargetComplexity,
        Self::GoalCorrection,
        Self::GoalStacking,
        Self::AmbiguousGoal,
        Self::FollowupQuestion,
        Self::ImplicitDescriptiveGoal,
        Self::Overfill,
        Self::Underfill,
        Self::GoalNotSupported,
    ];

    /// The paper's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ExceptionInExecution => "EXCEPTION_IN_EXECUTION",
            Self::FailedConversation => "FAILED_CONVERSATION",
            Self::Confirmation => "CONFIRMATION",
            Self::GoalSwitching => "GOAL_SWITCHING",
            Self::NoTargetComplexity => "NO_TARGET_COMPLEXITY",
            Self::GoalCorrection => "GOAL_CORRECTION",
            Self::GoalStacking => "GOAL_STACKING",
            Self::AmbiguousGoal => "AMBIGUOUS_GOAL",
            Self::FollowupQuestion => "FOLLOWUP_QUESTION",
            Self::ImplicitDescriptiveGoal => "IMPLICIT_DESCRIPTIVE_GOAL",
            Self::Overfill => "OVERFILL",
            Self::Underfill => "UNDERFILL",
            Self::GoalNotSupported => "GOAL_NOT_SUPPORTED",
        }
    }

    /// The complexity of a name, in either writing.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str().eq_ignore_ascii_case(name.trim()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_papers_and_those_of_files_in_small_letters() {
        for complexity in Complexity::ALL {
            let written = serde_json::to_string(&complexity).unwrap();
            assert_eq!(written.trim_matches('"'), complexity.as_str().to_lowercase());
            assert_eq!(Complexity::of(complexity.as_str()), Some(complexity));
        }
        assert_eq!(Complexity::of("underfill"), Some(Complexity::Underfill));
        assert_eq!(Complexity::of("SINGING"), None);
    }
}
