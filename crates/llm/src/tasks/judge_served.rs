//! Is a request served in full by its calls, and which of them does nobody need (`ComplexFuncBench`, correction)?

use super::{Common, TaskInfo};
use crate::record::{FunctionCall, Value};
use crate::text::{Unparsable, Way, find, without_thought};
use serde::{Deserialize, Serialize};

pub(super) const INFO: TaskInfo =
    TaskInfo::once("judge_served", "JudgeServed").reply(include_str!("reply_schema/served.json"));

/// Is a request served in full by its calls, and which of them does nobody need?
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ServedVariables {
    /// What every prompt is given.
    pub common: Common,
    /// What the person said.
    pub query: String,
    /// All calls, in their order.
    pub calls: Vec<FunctionCall>,
    /// What they answered.
    pub answers: Vec<Value>,
    /// What the person was told in the end.
    pub said: String,
}

/// The verdict on the calls of a request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Served {
    /// Whether everything that the person asks for is done or answered, truly.
    pub served: bool,
    /// The numbers of needless calls, from 1.
    #[serde(default)]
    pub needless: Vec<usize>,
    /// The numbers of calls that take one item of an earlier answer although nothing tells that it is the one, from 1.
    #[serde(default)]
    pub unsettled: Vec<usize>,
    /// Pairs of calls, by their numbers from 1: the first could not have been made as it was without the answer of the second.
    #[serde(default)]
    pub takes: Vec<[usize; 2]>,
    /// What is lacking or wrong; empty where nothing is.
    #[serde(default)]
    pub lacks: String,
}

/// Reads a verdict.
pub fn read_served(text: &str) -> Result<(Served, Way), Unparsable> {
    let read = |value: &Value| serde_json::from_str::<Served>(&value.to_string()).ok();
    find(without_thought(text), read).ok_or_else(|| {
        Unparsable::new("unparsable_verdict", "expected a JSON object with `served`, `needless`, `lacks`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_names_needless_calls_by_their_numbers() {
        let (read, _) = read_served(
            r#"```json
            {"served": true, "needless": [2], "lacks": ""}```"#,
        )
        .unwrap();
        assert_eq!((read.served, read.needless), (true, vec![2]));
        assert_eq!(read_served("True").unwrap_err().reason, "unparsable_verdict");
    }
}
