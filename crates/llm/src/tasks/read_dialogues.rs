//! Read dialogues: which call do they ask for at each marked place (HammerBench, appendix D)?

use super::{CallExample, Common, TaskInfo};
use crate::record::{Object, Tool, Value};
use crate::text::{ReadAnswer, Unparsable, Way, find, read_call, without_thought};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo = TaskInfo::once("read_dialogues", "ReadDialogues");

/// Dialogues that show the same tools are to be read, each by itself.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DialoguesVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The tools that they show.
    pub tools: Vec<Arc<Tool>>,
    /// The dialogues.
    pub dialogues: Vec<ShownDialogue>,
    /// A request of one of the tools with its call, for one-shot reading.
    pub example: Option<CallExample>,
    /// The sentence that refuses.
    pub refusal: String,
    /// The time that days and hours are counted from, in ISO 8601, where the values have a form of their own.
    pub reference_time: Option<String>,
}

/// A dialogue as a reader is shown it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ShownDialogue {
    /// Its name: a letter.
    pub id: String,
    /// Its lines, in order.
    pub lines: Vec<ShownLine>,
}

/// A line of a dialogue.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ShownLine {
    /// `user` or `assistant`.
    pub speaker: String,
    /// What is said.
    pub text: String,
    /// The name of the place behind it, where a call is wanted; otherwise empty.
    pub point: String,
}

/// What a reader finds in dialogues.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DialoguesRead {
    /// The calls, by the names of their places.
    pub calls: Vec<(String, Result<ReadAnswer, Unparsable>)>,
    /// The dialogues that make no sense, by their letters, each with the reason.
    pub senseless: Vec<(String, String)>,
}

/// What an answer finds in dialogues.
pub fn read_calls(text: &str, refusal: &str) -> Result<(DialoguesRead, Way), Unparsable> {
    let object = |value: &Value| value.as_object().filter(|it| it.contains_key("calls")).cloned();
    let (fields, way) = find(without_thought(text), object)
        .ok_or_else(|| Unparsable::new("no_calls", "there is no JSON object with a list `calls`"))?;
    let list = |key: &str| fields.get(key).and_then(Value::as_list).unwrap_or_default();
    let call = |value: &Value| {
        let mut fields: Object = value.as_object()?.clone();
        let point = fields.shift_remove("point")?.as_str()?.trim().to_owned();
        if let Some(Value::Object(parameters)) = fields.get_mut("parameters") {
            parameters.retain(|_, value| !value.is_null());
        }
        let answer = read_call(&Value::Object(fields).to_string(), refusal).map(|(answer, _)| answer);
        Some((point, answer))
    };
    let odd = |value: &Value| {
        let fields = value.as_object()?;
        let text = |key: &str| fields.get(key)?.as_str().map(|text| text.trim().to_owned());
        Some((text("id")?, text("why").unwrap_or_default()))
    };
    let calls = list("calls").iter().filter_map(call).collect();
    Ok((DialoguesRead { calls, senseless: list("senseless").iter().filter_map(odd).collect() }, way))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_has_its_call_or_a_refusal() {
        let text = r#"{"calls": [{"point": "A1", "name": "book", "parameters": {"to": "Faro", "at": null}}, {"point": "A2", "name": "no", "parameters": {}},
            {"name": "lost", "parameters": {}}], "senseless": [{"id": "A", "why": "nobody would"}]}"#;
        let DialoguesRead { calls, senseless } = read_calls(text, "no").unwrap().0;
        assert_eq!(senseless, [("A".to_owned(), "nobody would".to_owned())]);
        let [(first, Ok(ReadAnswer::Call(call))), (second, Ok(ReadAnswer::Refusal))] = &calls[..] else {
            panic!("{calls:?}")
        };
        assert_eq!((first.as_str(), second.as_str(), call.arguments["to"].as_str()), ("A1", "A2", Some("Faro")));
        assert_eq!(call.arguments.len(), 1, "what is null was not said");
        assert_eq!(read_calls("to Faro", "no").unwrap_err().reason, "no_calls");
    }
}
