//! Rows of TRL (either form) and OpenAI, read back as samples.

use super::lesson::{Aim, Learn, Lesson, Paradigm, Turn};
use crate::record::{DataType, Expected, FunctionCall, ItemId, Object, Provenance, Review, Role, Sample, Tool, Value};
use indexmap::IndexMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The sample that a row teaches; `line` names it where it has no id of its own. The error says what is wrong.
pub fn read_row(line: &str, name: &str) -> Result<Sample, String> {
    let row = Value::read(line).map_err(|error| error.to_string())?;
    let row = row.as_object().ok_or("it is no object")?;
    let list = row.get("messages").and_then(Value::as_list).ok_or("there is no list `messages`")?;
    let mut ids: BTreeMap<String, usize> = BTreeMap::new();
    let mut turns: Vec<Turn> = Vec::new();
    for message in list {
        turns.push(turn(message.as_object().ok_or("a message is no object")?, &mut ids)?);
    }
    let last = turns.iter().rposition(|turn| turn.role != Role::Assistant && turn.role != Role::Tool);
    let target = last.map_or(0, |at| at + 1);
    let tools = tools(row)?;
    let text = |key: &str| row.get(key).and_then(Value::as_str);
    let calls = turns.iter().skip(target).any(|turn| !turn.calls.is_empty());
    let aim = text("aim").and_then(Aim::named).unwrap_or(if calls { Aim::Call } else { Aim::Answer });
    let asked = row.get("asked").and_then(Value::as_list).unwrap_or_default();
    let asked = asked.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let id = text("id").unwrap_or(name);
    let own = |key: &str, other: &str| text(key).unwrap_or(other).to_owned();
    let template = row.get("template").and_then(Value::as_bool) == Some(true);
    let sample = Sample {
        id: ItemId::root(id),
        suite: own("suite", "training"),
        data_type: DataType(own("data_type", aim.as_str())),
        locale: own("locale", "en"),
        reference_time: None,
        messages: Vec::new(),
        candidates: Vec::new(),
        expected: Expected::Refusal,
        arguments: IndexMap::new(),
        acceptable: IndexMap::new(),
        difficulty: None,
        tags: Vec::new(),
        mentions: Vec::new(),
        group: own("group", id),
        base: None,
        snapshot: None,
        label: None,
        authors_candidates: None,
        review: Review::Unreviewed,
        licence: own("licence", ""),
        source: own("source", ""),
        provenance: Provenance { template, ..Provenance::default() },
    };
    Ok(Lesson { turns, target, aim, asked, paradigm: Paradigm::Ask, tools, sample }.as_sample())
}

fn turn(message: &Object, ids: &mut BTreeMap<String, usize>) -> Result<Turn, String> {
    let text = |key: &str| message.get(key).and_then(Value::as_str).map(str::to_owned);
    let role = match message.get("role").and_then(Value::as_str) {
        Some("system" | "developer") => Role::System,
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("tool") => Role::Tool,
        other => return Err(format!("`{}` is no role", other.unwrap_or_default())),
    };
    let mut calls = Vec::new();
    for call in message.get("tool_calls").and_then(Value::as_list).unwrap_or_default() {
        let known = ids.len();
        if let Some(id) = call.as_object().and_then(|call| call.get("id")).and_then(Value::as_str) {
            ids.insert(id.to_owned(), known);
        }
        calls.push(read_call(call).ok_or("a call has no name or no readable arguments")?);
    }
    let is_masked = message.get("train").and_then(Value::as_bool) == Some(false)
        || message.get("weight").and_then(Value::as_number).is_some_and(|weight| weight.as_f64() == 0.0);
    Ok(Turn {
        role,
        text: text("content").filter(|text| calls.is_empty() || !text.is_empty()),
        calls,
        answers: text("tool_call_id").and_then(|id| ids.get(&id).copied()),
        reasoning: text("reasoning_content"),
        learn: if is_masked { Learn::Wrong } else { Learn::Yes },
    })
}

fn read_call(call: &Value) -> Option<FunctionCall> {
    let call = call.as_object()?;
    let function = call.get("function").and_then(Value::as_object).unwrap_or(call);
    let arguments = match function.get("arguments")? {
        Value::String(text) => Value::read(text).ok()?,
        other => other.clone(),
    };
    Some(FunctionCall { name: function.get("name")?.as_str()?.to_owned(), arguments: arguments.as_object()?.clone() })
}

/// The tools, as a list or as its text, wrapped or bare.
fn tools(row: &Object) -> Result<Vec<Arc<Tool>>, String> {
    let list = match row.get("tools") {
        Some(Value::String(text)) => Value::read(text).map_err(|error| format!("`tools`: {error}"))?,
        Some(other) => other.clone(),
        None => return Ok(Vec::new()),
    };
    let read = |tool: &Value| {
        let bare = tool.as_object().and_then(|tool| tool.get("function")).unwrap_or(tool);
        serde_json::from_str(&bare.to_string()).map(Arc::new).map_err(|error| format!("`tools`: {error}"))
    };
    list.as_list().unwrap_or_default().iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::super::row::{Reasoning, openai, trl};
    use super::super::testing::{lesson, masked, parallel};
    use super::*;

    fn again(lesson: &Lesson, is_arrow: bool) -> Sample {
        let row = trl::row(lesson, Reasoning::Keep, is_arrow).unwrap().0;
        read_row(&Value::Object(row).to_string(), "line 1").unwrap()
    }

    #[test]
    fn what_was_exported_is_read_back_whole() {
        for lesson in [lesson("call"), lesson("question"), lesson("refusal"), lesson("answer"), parallel()] {
            for is_arrow in [false, true] {
                let (sample, read) = (lesson.as_sample(), again(&lesson, is_arrow));
                assert_eq!(
                    (&read.id, &read.messages, &read.expected),
                    (&sample.id, &sample.messages, &sample.expected)
                );
                assert_eq!(read.candidates, sample.candidates);
                assert_eq!((read.suite, read.locale, read.group), (sample.suite, sample.locale, sample.group));
            }
        }
        let (sample, read) = (masked().as_sample(), again(&masked(), false));
        assert_eq!(read.messages, sample.messages);
    }

    #[test]
    fn rows_of_the_service_have_the_name_of_their_line() {
        let row = openai::row(&parallel(), Reasoning::Drop).unwrap().0;
        let sample = read_row(&Value::Object(row).to_string(), "train/7").unwrap();
        assert_eq!((sample.id.as_str(), sample.suite.as_str()), ("train/7", "training"));
        assert_eq!(sample.expected, parallel().as_sample().expected);
    }

    #[test]
    fn what_is_no_row_says_why() {
        for (line, told) in [
            ("{", ""),
            ("[]", "no object"),
            ("{}", "messages"),
            (r#"{"messages": [1]}"#, "no object"),
            (r#"{"messages": [{"role": "bot"}]}"#, "`bot` is no role"),
            (r#"{"messages": [{"role": "assistant", "tool_calls": [{"name": "f", "arguments": "{"}]}]}"#, "readable"),
            (r#"{"messages": [], "tools": "["}"#, "tools"),
        ] {
            let error = read_row(line, "x").unwrap_err();
            assert!(error.contains(told), "{line}: {error}");
        }
    }
}
