//! What does an agent do with its words (CONFETTI, Table 8)?

use super::{Common, TaskInfo};
use serde::{Deserialize, Serialize};

pub(super) const INFO: TaskInfo = TaskInfo::once("classify_dialog_acts", "ClassifyDialogActs");

/// What does an agent do with its words?
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ActsVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The conversation before the words, a line for each turn.
    pub dialog: String,
    /// The words.
    pub text: String,
}
