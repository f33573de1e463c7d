//! The lines of the three files, key by key in the authors' order.

use crate::record::{
    BorrowedObject, Expected, FunctionCall, GOLD_TEXT_FACT, Message, Object, Parameters, Role, Sample, Tool, Value,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

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
    #[error("`{key}` has {found} entries for {wanted} queries")]
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
    #[error("unknown type of output `{0}`; expected `call`, `completion`, `slot` or `relevance`")]
    Type(String),
}

/// Whether a line has all of these keys.
pub(super) fn has_keys(line: &str, keys: &[&str]) -> bool {
    BorrowedObject::read_fields(line, keys).is_ok_and(|fields| fields.len() == keys.len())
}

// Messages and tools as the authors write them, and ours.

/// The id of every call in these files.
const CALL_ID: &str = "random_id";

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireMessage {
    /// `system`, `user`, `assistant` or `tool`.
    pub role: Role,
    /// Which call is answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The function that answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What is said; `null` beside calls. A tool's answer need not be JSON.
    #[serde(default)]
    pub content: Option<String>,
    /// The calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<Vec<WireCall>>,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireCall {
    /// Its id.
    #[serde(default)]
    pub id: String,
    /// Always `function`.
    #[serde(rename = "type", default)]
    pub kind: String,
    /// What is called.
    pub function: WireFunction,
}

/// What is called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WireFunction {
    /// The name.
    pub name: String,
    /// The arguments, as JSON within a string.
    pub arguments: String,
}

/// A tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WireTool {
    /// Always `function`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The function.
    pub function: Schema,
}

/// A function's schema.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    /// The name.
    pub name: String,
    /// What it does.
    #[serde(default)]
    pub description: String,
    /// What it takes.
    #[serde(default)]
    pub parameters: Parameters,
}

impl WireTool {
    /// A tool as the authors write it.
    pub fn of(tool: &Tool) -> Self {
        let Tool { name, description, parameters, .. } = tool;
        let function = Schema { name: name.clone(), description: description.clone(), parameters: parameters.clone() };
        Self { kind: "function".to_owned(), function }
    }

    /// The tool as ours.
    pub fn into_tool(self) -> Arc<Tool> {
        let Schema { name, description, parameters } = self.function;
        Arc::new(Tool { name, description, parameters, ..Tool::default() })
    }
}

impl WireFunction {
    /// A call with its arguments as a string.
    pub fn of(call: &FunctionCall) -> Self {
        Self { name: call.name.clone(), arguments: Value::Object(call.arguments.clone()).to_string() }
    }

    /// The call; the problem where the arguments are no object.
    pub fn read(&self) -> Result<FunctionCall, String> {
        Ok(FunctionCall { name: self.name.clone(), arguments: object(&self.arguments)? })
    }
}

impl WireMessage {
    /// Words.
    pub fn text(role: Role, content: impl Into<String>) -> Self {
        Self { role, tool_call_id: None, name: None, content: Some(content.into()), tool_calls: None }
    }

    /// Calls without words.
    pub fn calls<'c>(calls: impl IntoIterator<Item = &'c FunctionCall>) -> Self {
        let call = |call: &FunctionCall| WireCall {
            id: CALL_ID.to_owned(),
            kind: "function".to_owned(),
            function: WireFunction::of(call),
        };
        let calls = calls.into_iter().map(call).collect();
        Self { role: Role::Assistant, tool_call_id: None, name: None, content: None, tool_calls: Some(calls) }
    }

    /// The call, if it is the only one that is made.
    pub fn only_call(&self) -> Option<&WireFunction> {
        match self.tool_calls.as_deref() {
            Some([call]) => Some(&call.function),
            _ => None,
        }
    }

    /// Ours as the authors write them; an answer bears the name of what was called.
    pub fn all(messages: &[Message]) -> Vec<Self> {
        let called: Vec<&str> = messages.iter().flat_map(|it| &it.tool_calls).map(|call| call.name.as_str()).collect();
        let wire = |message: &Message| {
            if !message.tool_calls.is_empty() {
                return Self { content: message.content.clone(), ..Self::calls(&message.tool_calls) };
            }
            let text = Self::text(message.role, message.content.clone().unwrap_or_default());
            if message.role != Role::Tool {
                return text;
            }
            let name = message.answers.and_then(|at| called.get(at)).map(|name| (*name).to_owned());
            Self { tool_call_id: Some(CALL_ID.to_owned()), name, ..text }
        };
        messages.iter().map(wire).collect()
    }

    /// The authors' as ours. An answer belongs to the first call with its id that has none yet.
    pub fn read_all(messages: Vec<Self>) -> Result<Vec<Message>, RowError> {
        let (mut calls, mut is_answered): (Vec<String>, Vec<bool>) = (Vec::new(), Vec::new());
        let mut read = Vec::with_capacity(messages.len());
        for message in messages {
            let mut ours = Message { content: message.content, ..Message::new(message.role, "") };
            for call in message.tool_calls.unwrap_or_default() {
                let name = call.function.name.clone();
                let fault = |problem| RowError::Earlier { name, problem };
                ours.tool_calls.push(call.function.read().map_err(fault)?);
                calls.push(call.id);
                is_answered.push(false);
            }
            if message.role == Role::Tool {
                let id = message.tool_call_id.unwrap_or_default();
                ours.answers = (0..calls.len()).find(|at| !is_answered[*at] && calls[*at] == id);
                ours.answers.into_iter().for_each(|at| is_answered[at] = true);
            }
            read.push(ours);
        }
        Ok(read)
    }

    /// The right turn of a sample.
    pub fn gold(sample: &Sample) -> Self {
        match &sample.expected {
            Expected::Call(call) => Self::calls([call]),
            _ => Self::text(Role::Assistant, gold_text(sample)),
        }
    }
}

/// The right words of a sample; empty where a call is right.
pub fn gold_text(sample: &Sample) -> &str {
    match &sample.expected {
        Expected::Answer(text) => text,
        _ => sample.provenance.facts.get(GOLD_TEXT_FACT).map_or("", String::as_str),
    }
}

/// An object within a string.
pub(super) fn object(text: &str) -> Result<Object, String> {
    match Value::read_lenient(text).map_err(|error| error.to_string())?.0 {
        Value::Object(object) => Ok(object),
        _ => Err("not an object".to_owned()),
    }
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

#[cfg(test)]
mod message_tests {
    use super::*;

    fn read(json: &str) -> Result<Vec<Message>, RowError> {
        WireMessage::read_all(serde_json::from_str(json).unwrap())
    }

    const TALK: &str = r#"[{"role":"user","content":"a"},{"role":"assistant","content":null,"tool_calls":[{"id":"random_id","type":"function","function":{"name":"f","arguments":"{\"n\":1.50}"}}]},{"role":"tool","tool_call_id":"random_id","name":"f","content":"{'x': None}"},{"role":"assistant","content":"b"},{"role":"assistant","content":null,"tool_calls":[{"id":"random_id","type":"function","function":{"name":"g","arguments":"{}"}}]},{"role":"tool","tool_call_id":"random_id","name":"g","content":""}]"#;

    #[test]
    fn a_dialog_goes_and_comes_back() {
        let messages = read(TALK).unwrap();
        assert_eq!(
            messages.iter().map(|it| it.answers).collect::<Vec<_>>(),
            [None, None, Some(0), None, None, Some(1)]
        );
        assert_eq!(
            (messages[1].content.as_ref(), messages[1].tool_calls[0].arguments["n"].to_string()),
            (None, "1.50".to_owned())
        );
        assert_eq!(serde_json::to_string(&WireMessage::all(&messages)).unwrap(), TALK);
    }

    #[test]
    fn an_answer_goes_by_its_id() {
        let json = r#"[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"g","arguments":"{}"}}]},
            {"role":"tool","tool_call_id":"b","content":"2"},{"role":"tool","tool_call_id":"a","content":"1"},{"role":"tool","tool_call_id":"c","content":"?"}]"#;
        assert_eq!(read(json).unwrap().iter().map(|it| it.answers).collect::<Vec<_>>(), [None, Some(1), Some(0), None]);
    }

    #[test]
    fn arguments_that_are_no_object_are_told_with_their_function() {
        let told = |arguments: &str| read(&TALK.replace("{\\\"n\\\":1.50}", arguments)).unwrap_err().to_string();
        assert_eq!(told("[]"), "a call of `f` in an earlier turn: not an object");
        assert!(told("{").starts_with("a call of `f` in an earlier turn: not JSON"), "{}", told("{"));
    }

    #[test]
    fn a_tool_goes_and_comes_back_without_what_models_may_not_know() {
        let json = r#"{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","properties":{"at":{"type":"string","description":"when","format":"time"}},"required":["at"]}}}"#;
        let tool: WireTool = serde_json::from_str(json).unwrap();
        let ours =
            Tool { kinds: [("at".to_owned(), "time".to_owned())].into_iter().collect(), ..(*tool.into_tool()).clone() };
        assert_eq!(serde_json::to_string(&WireTool::of(&ours)).unwrap(), json);
    }

    #[test]
    fn only_one_call_is_the_only_one() {
        let call = FunctionCall { name: "f".to_owned(), arguments: Object::new() };
        assert_eq!(WireMessage::calls([&call]).only_call().unwrap().arguments, "{}");
        assert_eq!(WireMessage::calls([&call, &call]).only_call(), None);
        assert_eq!(WireMessage::text(Role::User, "x").only_call(), None);
    }
}
