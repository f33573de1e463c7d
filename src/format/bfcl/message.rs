//! Messages of a question. What a model called and what it was answered stand as OpenAI has them, and every message has a
//! text, since readers of BFCL's files ask for it.

use crate::record::{BorrowedValue, FunctionCall, Message, Object, Role, Value};

/// Messages as a question has them.
pub(super) fn written(messages: &[Message]) -> Vec<Value> {
    let mut names: Vec<&str> = Vec::new();
    let mut written = Vec::with_capacity(messages.len());
    for message in messages {
        let before = names.len();
        names.extend(message.tool_calls.iter().map(|call| call.name.as_str()));
        written.push(one(message, before, &names));
    }
    written
}

fn one(message: &Message, before: usize, names: &[&str]) -> Value {
    let role = match message.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    let mut fields = object([("role", role.into())]);
    fields.extend(object([("content", message.content.clone().unwrap_or_default().into())]));
    if !message.tool_calls.is_empty() {
        let calls = message.tool_calls.iter().zip(before..).map(|(call, at)| called(call, at));
        fields.insert("tool_calls".to_owned(), Value::List(calls.collect()));
    }
    if let Some(at) = message.answers {
        fields.extend(object([("tool_call_id", id(at).into())]));
        fields.extend(names.get(at).map(|name| ("name".to_owned(), Value::from(*name))));
    }
    Value::Object(fields)
}

fn called(call: &FunctionCall, at: usize) -> Value {
    let arguments = Value::Object(call.arguments.clone()).to_string();
    let function = object([("name", call.name.as_str().into()), ("arguments", arguments.into())]);
    Value::Object(object([("id", id(at).into()), ("type", "function".into()), ("function", function.into())]))
}

fn id(at: usize) -> String {
    format!("call_{at}")
}

fn object<const N: usize>(entries: [(&str, Value); N]) -> Object {
    entries.map(|(name, value)| (name.to_owned(), value)).into()
}

/// Messages of a question; nothing if one of them is none.
pub(super) fn read<'m, 't: 'm>(list: impl Iterator<Item = &'m BorrowedValue<'t>>) -> Option<Vec<Message>> {
    let mut ids: Vec<String> = Vec::new();
    list.map(|value| message(value, &mut ids)).collect()
}

fn message(value: &BorrowedValue<'_>, ids: &mut Vec<String>) -> Option<Message> {
    let fields = value.as_object()?;
    let role = match fields.get("role")?.as_str()? {
        "system" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        _ => return None,
    };
    let tool_calls = match fields.get("tool_calls") {
        Some(BorrowedValue::List(list)) => list.iter().map(|it| call(it, ids)).collect::<Option<Vec<_>>>()?,
        _ => Vec::new(),
    };
    let said = fields.get("content").and_then(BorrowedValue::as_str);
    let content = if tool_calls.is_empty() { Some(said?) } else { said.filter(|text| !text.is_empty()) };
    let answered = fields.get("tool_call_id").and_then(BorrowedValue::as_str);
    let answers = answered.and_then(|wanted| ids.iter().rposition(|id| id == wanted));
    Some(Message { content: content.map(str::to_owned), tool_calls, answers, ..Message::new(role, "") })
}

fn call(value: &BorrowedValue<'_>, ids: &mut Vec<String>) -> Option<FunctionCall> {
    let fields = value.as_object()?;
    let function = fields.get("function")?.as_object()?;
    let arguments = Value::read(function.get("arguments")?.as_str()?).ok()?;
    ids.push(fields.get("id").and_then(BorrowedValue::as_str).unwrap_or_default().to_owned());
    let name = function.get("name")?.as_str()?.to_owned();
    Some(FunctionCall { name, arguments: arguments.as_object()?.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialogue() -> Vec<Message> {
        let call = |name: &str| FunctionCall { name: name.to_owned(), arguments: object([("n", 1.into())]) };
        let calls = |content: Option<&str>, names: &[&str]| Message {
            content: content.map(str::to_owned),
            tool_calls: names.iter().map(|name| call(name)).collect(),
            ..Message::new(Role::Assistant, "")
        };
        let answer = |at: usize| Message { answers: Some(at), ..Message::new(Role::Tool, format!("{{\"at\":{at}}}")) };
        vec![
            Message::new(Role::System, "Be kind."),
            Message::user("Hi"),
            calls(None, &["A_f"]),
            answer(0),
            calls(Some("And"), &["A_g", "A_f"]),
            answer(1),
            answer(2),
            Message::new(Role::Assistant, "Done."),
        ]
    }

    fn again(messages: &[Message]) -> Option<Vec<Message>> {
        let text = Value::List(written(messages)).to_string();
        let BorrowedValue::List(list) = BorrowedValue::read_strict(&text).unwrap() else { panic!("a list") };
        read(list.iter())
    }

    #[test]
    fn calls_and_answers_are_written_and_read_back() {
        assert_eq!(again(&dialogue()).unwrap(), dialogue());
        let told: Vec<String> = written(&dialogue()).iter().map(Value::to_string).collect();
        assert_eq!(
            told[2],
            r#"{"role":"assistant","content":"","tool_calls":[{"id":"call_0","type":"function","function":{"name":"A_f","arguments":"{\"n\":1}"}}]}"#
        );
        assert_eq!(told[5], r#"{"role":"tool","content":"{\"at\":1}","tool_call_id":"call_1","name":"A_g"}"#);
    }

    #[test]
    fn what_is_no_message_is_told() {
        for text in [
            r#"[{"role": "robot", "content": ""}]"#,
            r#"[{"role": "user"}]"#,
            "[5]",
            r#"[{"role": "assistant", "content": "", "tool_calls": [{"id": "x"}]}]"#,
            r#"[{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "5"}}]}]"#,
        ] {
            let BorrowedValue::List(list) = BorrowedValue::read_strict(text).unwrap() else { panic!("a list") };
            assert_eq!(read(list.iter()), None, "{text}");
        }
    }
}
