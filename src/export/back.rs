//! Rows of TRL (either form) and OpenAI, read back as samples.

use crate::export::lessons::lesson::{Aim, Learn, Lesson, Turn};
use crate::record::{
    Expected, FunctionCall, ItemId, Object, Paradigm, Provenance, Role, Sample, SuiteName, Tool, Value,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The sample that a row teaches; `line` names it where it has no id of its own. The error says what is wrong.
pub fn read_row(line: &str, name: &str) -> Result<Sample, String> {
    let row = Value::read(line).map_err(|error| error.to_string())?;
    let row = row.as_object().ok_or("not an object")?;
    let list = row.get("messages").and_then(Value::as_list).ok_or("`messages` is missing or not a list")?;
    let mut calls = Calls::default();
    let mut turns: Vec<Turn> = Vec::new();
    for (at, message) in list.iter().enumerate() {
        let message = message.as_object().ok_or("a message is not an object")?;
        turns.push(turn(message, &mut calls).map_err(|problem| format!("message {}: {problem}", at + 1))?);
    }
    let tools = tools(row)?;
    Ok(sample(row, name, turns, tools))
}

/// The sample that turns teach; what the row tells of itself stands in it as `fcgen export` writes it.
pub(super) fn sample(row: &Object, name: &str, turns: Vec<Turn>, tools: Vec<Arc<Tool>>) -> Sample {
    let last = turns.iter().rposition(|turn| turn.role != Role::Assistant && turn.role != Role::Tool);
    let target = last.map_or(0, |at| at + 1);
    let text = |key: &str| row.get(key).and_then(Value::as_str);
    let calls = turns.iter().skip(target).any(|turn| !turn.calls.is_empty());
    let aim = text("aim").and_then(Aim::named).unwrap_or(if calls { Aim::Call } else { Aim::Answer });
    let asked = row.get("asked").and_then(Value::as_list).unwrap_or_default();
    let asked = asked.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let id = text("id").unwrap_or(name);
    let own = |key: &str, other: &str| text(key).unwrap_or(other).to_owned();
    let template = row.get("template").and_then(Value::as_bool) == Some(true);
    let suite = text("suite").map_or_else(SuiteName::training, SuiteName::from);
    let sample = Sample {
        locale: own("locale", "en"),
        group: own("group", id),
        licence: own("licence", ""),
        source: own("source", ""),
        provenance: Provenance { template, ..Provenance::default() },
        ..Sample::new(ItemId::root(id), suite, own("data_type", aim.as_str()), Expected::Refusal)
    };
    Lesson { turns, target, aim, asked, paradigm: Paradigm::Ask, tools, sample }.as_sample()
}

/// The calls of an example so far, by which its answers find theirs.
#[derive(Default)]
struct Calls {
    count: usize,
    ids: BTreeMap<String, usize>,
    /// Those of the last turn with calls that nothing answered yet, with their names.
    open: Vec<(usize, String)>,
}

impl Calls {
    /// Adds the calls of a turn, with their ids where they have some. An id that comes again is the later call's.
    fn add(&mut self, calls: &[(Option<String>, FunctionCall)]) {
        if !calls.is_empty() {
            self.open.clear();
        }
        for (id, call) in calls {
            self.ids.extend(id.iter().map(|id| (id.clone(), self.count)));
            self.open.push((self.count, call.name.clone()));
            self.count += 1;
        }
    }

    /// The call that a message answers: that of its id; else the next open one, of its name if there is one.
    fn answered(&mut self, id: Option<&str>, name: Option<&str>) -> Option<usize> {
        let by_name = || self.open.iter().find(|(_, called)| Some(called.as_str()) == name);
        let next = || by_name().or_else(|| self.open.first()).map(|(call, _)| *call);
        let call = id.and_then(|id| self.ids.get(id).copied()).or_else(next)?;
        self.open.retain(|(open, _)| *open != call);
        Some(call)
    }
}

fn turn(message: &Object, known: &mut Calls) -> Result<Turn, String> {
    let text = |key: &str| message.get(key).and_then(Value::as_str).map(str::to_owned);
    let role = match message.get("role").and_then(Value::as_str) {
        Some("system" | "developer") => Role::System,
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("tool" | "function") => Role::Tool,
        other => return Err(format!("unknown role `{}`", other.unwrap_or_default())),
    };
    let listed = message.get("tool_calls").and_then(Value::as_list).unwrap_or_default().iter();
    // Old files have one call, under a key of its own.
    let old = message.get("function_call").filter(|call| !call.is_null());
    let calls = listed.chain(old).map(named_call).collect::<Option<Vec<_>>>();
    let calls = calls.ok_or("a call has no name, or its arguments could not be parsed")?;
    known.add(&calls);
    let calls: Vec<FunctionCall> = calls.into_iter().map(|(_, call)| call).collect();
    let said = said(message).filter(|text| calls.is_empty() || !text.is_empty());
    if role == Role::Assistant && calls.is_empty() && said.as_ref().is_none_or(|text| text.trim().is_empty()) {
        return Err("an assistant message has neither content nor calls".to_owned());
    }
    let is_masked = message.get("train").and_then(Value::as_bool) == Some(false)
        || message.get("weight").and_then(Value::as_number).is_some_and(|weight| weight.as_f64() == 0.0);
    Ok(Turn {
        role,
        text: said,
        calls,
        answers: (role == Role::Tool)
            .then(|| known.answered(text("tool_call_id").as_deref(), text("name").as_deref()))
            .flatten(),
        reasoning: text("reasoning_content"),
        learn: if is_masked { Learn::Wrong } else { Learn::Yes },
    })
}

/// The words: a text, or a list of parts whose texts stand on lines of their own; else those of a refusal.
fn said(message: &Object) -> Option<String> {
    let part = |part: &Value| part.as_str().map(str::to_owned).or_else(|| field(part, "text"));
    match message.get("content") {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::List(parts)) => Some(parts.iter().filter_map(part).collect::<Vec<_>>().join("\n")),
        _ => message.get("refusal").and_then(Value::as_str).map(str::to_owned),
    }
}

fn field(value: &Value, name: &str) -> Option<String> {
    value.as_object()?.get(name)?.as_str().map(str::to_owned)
}

fn named_call(call: &Value) -> Option<(Option<String>, FunctionCall)> {
    Some((field(call, "id"), read_call(call)?))
}

pub(super) fn read_call(call: &Value) -> Option<FunctionCall> {
    let call = call.as_object()?;
    let function = call.get("function").and_then(Value::as_object).unwrap_or(call);
    let arguments = match function.get("arguments")? {
        Value::String(text) => Value::read(text).ok()?,
        other => other.clone(),
    };
    Some(FunctionCall { name: function.get("name")?.as_str()?.to_owned(), arguments: arguments.as_object()?.clone() })
}

/// The tools, as a list or as its text, wrapped or bare.
pub(super) fn tools(row: &Object) -> Result<Vec<Arc<Tool>>, String> {
    let list = match row.get("tools").or_else(|| row.get("functions")) {
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

    fn answers(messages: &str) -> Vec<Option<usize>> {
        let sample = read_row(&format!(r#"{{"messages": {messages}}}"#), "x").unwrap();
        sample.messages.iter().filter(|it| it.role == Role::Tool).map(|it| it.answers).collect()
    }

    #[test]
    fn answers_find_their_calls_with_ids_and_without() {
        let user = r#"{"role":"user","content":"go on"}"#;
        let called = |calls: &str| format!(r#"{{"role":"assistant","tool_calls":[{calls}]}}"#);
        let call = |id: &str, name: &str| format!(r#"{{{id}"function":{{"name":"{name}","arguments":{{}}}}}}"#);
        let (one, two) = (call(r#""id":"call_1","#, "f"), call(r#""id":"call_2","#, "g"));
        let told = |more: &str| format!(r#"{{"role":"tool",{more}"content":"1"}}"#);
        let by_id = |id: &str| told(&format!(r#""tool_call_id":"{id}","#));
        // Later turns count anew.
        let again = [user, &called(&one), &by_id("call_1"), user, &called(&one), &by_id("call_1"), user];
        assert_eq!(answers(&format!("[{}]", again.join(","))), [Some(0), Some(1)]);
        let mixed = called(&format!("{one},{two}"));
        let turned = [user, &mixed, &by_id("call_2"), &by_id("call_1"), user];
        assert_eq!(answers(&format!("[{}]", turned.join(","))), [Some(1), Some(0)]);
        let bare = called(&format!("{},{}", call("", "f"), call("", "g")));
        let unnamed = [user, &bare, &told(""), &told(""), user, &bare, &told(r#""name":"g","#), &told(""), user];
        assert_eq!(answers(&format!("[{}]", unnamed.join(","))), [Some(0), Some(1), Some(3), Some(2)]);
        assert_eq!(answers(&format!("[{user},{},{user}]", told(""))), [None]);
    }

    #[test]
    fn old_keys_and_parts_are_read() {
        let row = r#"{"messages": [
            {"role": "user", "content": [{"type": "text", "text": "to Porto"}, {"type": "text", "text": "at noon"}]},
            {"role": "assistant", "content": null, "function_call": {"name": "book", "arguments": "{\"to\": \"Porto\"}"}},
            {"role": "function", "name": "book", "content": "{}"},
            {"role": "assistant", "content": "Booked."}
        ], "functions": [{"name": "book", "description": "Books", "parameters": {"type": "object", "properties": {}}}]}"#;
        let sample = read_row(row, "x").unwrap();
        assert_eq!((sample.query().as_str(), sample.candidates[0].name.as_str()), ("to Porto\nat noon", "book"));
        let Expected::Steps(steps) = sample.expected else { panic!("{:?}", sample.expected) };
        assert_eq!((steps[0].calls[0].name.as_str(), steps[0].answers.len()), ("book", 1));
        assert_eq!(sample.provenance.facts["final_answer"], "Booked.");
        let refused = r#"{"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "refusal": "No."}]}"#;
        assert_eq!(read_row(refused, "x").unwrap().expected, Expected::Answer("No.".to_owned()));
    }

    #[test]
    fn what_is_no_row_says_why() {
        for (line, told) in [
            ("{", ""),
            ("[]", "not an object"),
            ("{}", "messages"),
            (r#"{"messages": [1]}"#, "not an object"),
            (r#"{"messages": [{"role": "bot"}]}"#, "unknown role `bot`"),
            (
                r#"{"messages": [{"role": "assistant", "tool_calls": [{"name": "f", "arguments": "{"}]}]}"#,
                "could not be parsed",
            ),
            (r#"{"messages": [], "tools": "["}"#, "tools"),
            (
                r#"{"messages": [{"role": "user"}, {"role": "assistant", "content": " "}]}"#,
                "message 2: an assistant message has neither",
            ),
        ] {
            let error = read_row(line, "x").unwrap_err();
            assert!(error.contains(told), "{line}: {error}");
        }
    }
}
