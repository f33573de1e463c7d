//! The lines of the three files, key by key in the authors' order.

use super::message::{WireMessage, WireTool};
use crate::record::{BorrowedObject, Value};
use serde::{Deserialize, Serialize};

/// A line of `FunctionChat-Singlecall.jsonl`: a function with its queries, and the lists of tools that each is asked with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SinglecallLine {
    /// Which function, from 1.
    pub function_num: u64,
    /// Its name.
    pub function_name: String,
    /// What it takes.
    pub function_info: FunctionInfo,
    /// What people say.
    pub query: Vec<Numbered>,
    /// The right calls, as JSON within a string, whose arguments are JSON within a string again.
    pub ground_truth: Vec<Numbered>,
    /// What else is right.
    pub acceptable_arguments: Vec<Numbered>,
    /// The lists of tools.
    pub tools: Vec<ToolList>,
}

/// What a function takes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FunctionInfo {
    /// How many parameters it must have.
    pub required_parameters_count: usize,
    /// How many more it may have.
    pub optional_parameters_count: usize,
    /// The types that occur; one `null` where it takes nothing.
    pub parameter_type: Vec<Option<String>>,
    /// How its values follow from the words, in the authors' words.
    #[serde(default)]
    pub extraction_type: Option<String>,
}

/// Something that belongs to a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Numbered {
    /// Which query of the file, from 1.
    pub serial_num: u64,
    /// What belongs to it.
    pub content: Value,
}

/// A list of tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolList {
    /// What kind of list it is: `exact`, `4_random` ...
    #[serde(rename = "type")]
    pub kind: String,
    /// The tools.
    pub content: Vec<WireTool>,
}

/// A line of `FunctionChat-Dialog.jsonl`: a dialog with the turns that are to be said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DialogLine {
    /// Which dialog, from 1.
    pub dialog_num: u64,
    /// How many tools there are.
    pub tools_count: usize,
    /// The tools.
    pub tools: Vec<WireTool>,
    /// The turns.
    pub turns: Vec<DialogTurn>,
}

/// A turn that is to be said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DialogTurn {
    /// Which of the dialog, from 1.
    pub turn_num: u32,
    /// Which of the file, from 1.
    pub serial_num: u64,
    /// All that was said before.
    pub query: Vec<WireMessage>,
    /// The right turn.
    pub ground_truth: WireMessage,
    /// `call`, `completion`, `slot` or `relevance`.
    pub type_of_output: String,
    /// What else is right.
    pub acceptable_arguments: Value,
}

/// A line of `FunctionChat-CallDecision.jsonl`, and of any other file in the authors' common format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecisionLine {
    /// Which of the file, from 1.
    pub serial_num: u64,
    /// `CALL`, `REJECT`, `SLOT-all`, `SLOT-some`.
    pub category: String,
    /// All that was said before, from the system's message on.
    pub input_messages: Vec<WireMessage>,
    /// The tools.
    pub input_tools: Vec<WireTool>,
    /// `call`, `completion`, `slot` or `relevance`.
    pub type_of_output: String,
    /// The right turn.
    pub ground_truth: WireMessage,
    /// What else is right.
    pub acceptable_arguments: Value,
}

/// Why a line is no sample.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RowError {
    /// It is no JSON of this shape.
    #[error("{0}")]
    Shape(String),
    /// A list has another length than the queries.
    #[error("`{key}` has {found} entries, and there are {wanted} queries")]
    Uneven {
        /// Which list.
        key: &'static str,
        /// Its length.
        found: usize,
        /// The number of queries.
        wanted: usize,
    },
    /// The right call cannot be read.
    #[error("`ground_truth`: {0}")]
    Gold(String),
    /// Something that was called before cannot be read.
    #[error("a call of `{name}` in an earlier turn: {problem}")]
    Earlier {
        /// The function.
        name: String,
        /// What is wrong with its arguments.
        problem: String,
    },
    /// Nobody knows this kind of turn.
    #[error("no type of output `{0}`; there are `call`, `completion`, `slot` and `relevance`")]
    Type(String),
}

/// Whether a line has all of these keys.
pub(super) fn has_keys(line: &str, keys: &[&str]) -> bool {
    BorrowedObject::read_fields(line, keys).is_ok_and(|fields| fields.len() == keys.len())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) const SINGLECALL: &str = r#"{"function_num":1,"function_name":"find_boat","function_info":{"required_parameters_count":1,"optional_parameters_count":1,"parameter_type":["string","integer"],"extraction_type":"plain"},"query":[{"serial_num":1,"content":"힐 항구 배 두 척"},{"serial_num":2,"content":"밀 항구 배"}],"ground_truth":[{"serial_num":1,"content":"{\"name\":\"find_boat\",\"arguments\":\"{\\\"pier\\\":\\\"힐\\\",\\\"boats\\\":2}\"}"},{"serial_num":2,"content":"{\"name\":\"find_boat\",\"arguments\":\"{\\\"pier\\\":\\\"밀\\\"}\"}"}],"acceptable_arguments":[{"serial_num":1,"content":"{\"pier\": [\"Hill\", \"힐 항구\"], \"boats\": 2.0}"},{"serial_num":2,"content":"Only ground truth is allowed."}],"tools":[{"type":"exact","content":[{"type":"function","function":{"name":"find_boat","description":"배를 찾는다.","parameters":{"type":"object","properties":{"pier":{"type":"string","description":"항구"},"boats":{"type":"integer","description":"몇 척"}},"required":["pier"]}}}]},{"type":"4_close","content":[{"type":"function","function":{"name":"list_boats","description":"배를 모두 보여 준다.","parameters":{}}},{"type":"function","function":{"name":"find_boat","description":"배를 찾는다.","parameters":{"type":"object","properties":{"pier":{"type":"string","description":"항구"},"boats":{"type":"integer","description":"몇 척"}},"required":["pier"]}}}]}]}"#;

    pub(crate) const DIALOG: &str = r#"{"dialog_num":1,"tools_count":1,"tools":[{"type":"function","function":{"name":"list_boats","description":"배를 모두 보여 준다.","parameters":{"type":"object","properties":{},"required":[]}}}],"turns":[{"turn_num":1,"serial_num":1,"query":[{"role":"user","content":"배 있어?"}],"ground_truth":{"role":"assistant","content":null,"tool_calls":[{"id":"random_id","type":"function","function":{"name":"list_boats","arguments":"{}"}}]},"type_of_output":"call","acceptable_arguments":{"at":"noon"}},{"turn_num":2,"serial_num":2,"query":[{"role":"user","content":"배 있어?"},{"role":"assistant","content":null,"tool_calls":[{"id":"random_id","type":"function","function":{"name":"list_boats","arguments":"{}"}}]},{"role":"tool","tool_call_id":"random_id","name":"list_boats","content":"{\"boats\": None}"}],"ground_truth":{"role":"assistant","content":"없습니다."},"type_of_output":"completion","acceptable_arguments":null}]}"#;

    pub(crate) const DECISION: &str = r#"{"serial_num":1,"category":"SLOT-all","input_messages":[{"role":"system","content":"친절하게 답하세요."},{"role":"user","content":"배를 찾아 줘."}],"input_tools":[{"type":"function","function":{"name":"find_boat","description":"배를 찾는다.","parameters":{"type":"object","properties":{"pier":{"type":"string","description":"항구","format":"name"}},"required":["pier"]}}}],"type_of_output":"slot","ground_truth":{"role":"assistant","content":"어느 항구인가요?"},"acceptable_arguments":null}"#;

    #[test]
    fn a_line_is_written_key_by_key_as_it_was_read() {
        let same = |line: &str, written: String| assert_eq!(written, line);
        same(DIALOG, serde_json::to_string(&serde_json::from_str::<DialogLine>(DIALOG).unwrap()).unwrap());
        same(DECISION, serde_json::to_string(&serde_json::from_str::<DecisionLine>(DECISION).unwrap()).unwrap());
        same(SINGLECALL, serde_json::to_string(&serde_json::from_str::<SinglecallLine>(SINGLECALL).unwrap()).unwrap());
    }

    #[test]
    fn lines_are_told_apart_by_their_keys() {
        assert!(has_keys(DIALOG, &["dialog_num", "turns"]) && !has_keys(DIALOG, &["input_messages"]));
        assert!(!has_keys("[", &["dialog_num"]) && !has_keys("", &["dialog_num"]));
    }
}
