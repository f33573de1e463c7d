//! Suites: the benchmarks that are known here, and the open name of a suite that a sample bears.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::sync::Arc;

/// A suite whose samples can be scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SuiteId {
    /// A call at each turn of a conversation.
    HammerBench,
    /// Calls in order, and the names of their APIs.
    CallNavi,
    /// Several steps of calls, each with its answers.
    ComplexFuncBench,
    /// Single calls, turns of dialogs, decisions whether to call.
    FunctionChat,
    /// Calls of one turn.
    Bfcl,
    /// Calls and replies in conversations, turn by turn.
    Confetti,
}

/// The suite of a sample. Pipeline files, training rows and newer versions bring names that are not known here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuiteName(Name);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Name {
    Known(SuiteId),
    Other(Arc<str>),
}

/// The suite of samples that were imported from rows of other trainers, which are of no benchmark.
const TRAINING: &str = "training";

/// HammerBench's multi-turn data types, in the authors' order, each with the name of its file.
pub const MULTI_TURN: [(&str, &str); 9] = [
    ("Based", "HammerBench_Based"),
    ("mQmA", "HammerBench_mQmA"),
    ("mQsA", "HammerBench_mQsA"),
    ("sQmA", "HammerBench_sQmA"),
    ("IS", "HammerBench_IS"),
    ("SO_case1", "HammerBench_SO_case1"),
    ("SO_case2", "HammerBench_SO_case2"),
    ("mSv", "HammerBench_mSv"),
    ("External", "HammerBench_External"),
];

/// What HammerBench's data types hold, in a few words. Machine-readable output has the codes alone.
const LABELS: [(&str, &str); 15] = [
    ("ST_Perfect", "single turn, all parameters given"),
    ("ST_Imperfect", "single turn, parameters left out"),
    ("ST_External", "single turn, value referenced externally"),
    ("ir_ST_Perfect", "ST_Perfect without the right tool"),
    ("ir_ST_Imperfect", "ST_Imperfect without the right tool"),
    ("ir_ST_External", "ST_External without the right tool"),
    ("Based", "one question, one answer per turn"),
    ("mQmA", "several questions, several answers"),
    ("mQsA", "several questions, one answer"),
    ("sQmA", "one question, several answers"),
    ("IS", "intent shift"),
    ("SO_case1", "value corrected within an answer"),
    ("SO_case2", "value corrected in a separate turn"),
    ("mSv", "request repeated with another value"),
    ("External", "values referenced externally"),
];

/// The label of a data type for people, where its suite has one.
pub fn data_type_label(suite: &SuiteName, data_type: &str) -> Option<&'static str> {
    let is_known = *suite == SuiteId::HammerBench;
    LABELS.iter().find(|(code, _)| is_known && *code == data_type).map(|(_, label)| *label)
}

impl SuiteId {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 6] =
        [Self::HammerBench, Self::CallNavi, Self::ComplexFuncBench, Self::FunctionChat, Self::Bfcl, Self::Confetti];

    /// Its name in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::HammerBench => "hammerbench",
            Self::CallNavi => "callnavi",
            Self::ComplexFuncBench => "complexfuncbench",
            Self::FunctionChat => "functionchat",
            Self::Bfcl => "bfcl",
            Self::Confetti => "confetti",
        }
    }

    /// The suite of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|suite| suite.as_str() == name)
    }
}

impl SuiteName {
    /// The name for samples of no benchmark, which were imported from rows of other trainers.
    pub fn training() -> Self {
        TRAINING.into()
    }

    /// Whether it is the name for samples of no benchmark.
    pub fn is_training(&self) -> bool {
        self.as_str() == TRAINING
    }

    /// The suite, where it is one that is known here.
    pub fn known(&self) -> Option<SuiteId> {
        match &self.0 {
            Name::Known(suite) => Some(*suite),
            Name::Other(_) => None,
        }
    }

    /// The name as it is in files.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Name::Known(suite) => suite.as_str(),
            Name::Other(name) => name,
        }
    }
}

impl From<&str> for SuiteName {
    fn from(name: &str) -> Self {
        Self(SuiteId::named(name).map_or_else(|| Name::Other(name.into()), Name::Known))
    }
}

impl From<SuiteId> for SuiteName {
    fn from(suite: SuiteId) -> Self {
        Self(Name::Known(suite))
    }
}

impl PartialEq<SuiteId> for SuiteName {
    fn eq(&self, suite: &SuiteId) -> bool {
        self.known() == Some(*suite)
    }
}

impl fmt::Display for SuiteId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl fmt::Display for SuiteName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Serialize for SuiteName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for SuiteName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|name| name.as_str().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_written_as_it_is_read() {
        for name in SuiteId::ALL.map(SuiteId::as_str).into_iter().chain(["training", "mine", ""]) {
            let read: SuiteName = serde_json::from_value(name.into()).unwrap();
            assert_eq!((read.known(), read.as_str()), (SuiteId::named(name), name));
            assert_eq!(serde_json::to_value(&read).unwrap(), name);
        }
    }

    #[test]
    fn every_data_type_of_hammerbench_has_a_label() {
        let label = |code| data_type_label(&SuiteId::HammerBench.into(), code);
        assert!(MULTI_TURN.iter().map(|(code, _)| *code).all(|code| label(code).is_some()));
        assert_eq!(label("mQmA"), Some("several questions, several answers"));
        assert_eq!((label("mine"), data_type_label(&"mine".into(), "mQmA")), (None, None));
    }

    #[test]
    fn a_name_is_the_suite_only_where_it_is_known() {
        assert!(SuiteName::from("bfcl") == SuiteId::Bfcl && SuiteName::from("BFCL") != SuiteId::Bfcl);
        assert!(SuiteName::training().is_training() && SuiteName::training().known().is_none());
    }
}
