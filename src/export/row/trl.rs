//! TRL, axolotl and every chat template: messages and tools, arguments as objects; or as texts, with every key on every
//! message, for Arrow and Parquet.

use super::{Reasoning, Written, call_id, words, wrapped};
use crate::export::lessons::lesson::{Learn, Lesson, Turn, object};
use crate::record::{FunctionCall, Object, Role, Value};

/// The row.
#[expect(clippy::unnecessary_wraps, reason = "every format has this shape, and some refuse rows")]
pub(in super::super) fn row(lesson: &Lesson, reasoning: Reasoning, is_arrow: bool) -> Written {
    let mut row = object([
        ("messages", messages(lesson, &lesson.turns, reasoning, is_arrow)),
        ("tools", tools(lesson, is_arrow)),
    ]);
    row.extend(about(lesson));
    Ok((row, Vec::new()))
}

/// The row with its messages parted as well: TRL trains a `completion` and reads the `prompt`, but knows no mask of messages.
pub(in super::super) fn completed(lesson: &Lesson, reasoning: Reasoning) -> Written {
    let (mut row, losses) = row(lesson, reasoning, false)?;
    if let Value::List(mut prompt) = messages(lesson, &lesson.turns, reasoning, false) {
        let completion = prompt.split_off(lesson.target.min(prompt.len()));
        row.extend(object([("prompt", Value::List(prompt)), ("completion", Value::List(completion))]));
    }
    Ok((row, losses))
}

/// Messages of the lesson; they begin with its first.
pub(in super::super) fn messages(lesson: &Lesson, turns: &[Turn], reasoning: Reasoning, is_arrow: bool) -> Value {
    let calls: Vec<&FunctionCall> = lesson.numbered().map(|(_, call)| call).collect();
    let mut ordinal = 0;
    let message = |turn: &Turn| {
        let first = ordinal;
        ordinal += turn.calls.len();
        Value::Object(message(turn, &calls, first, reasoning, is_arrow))
    };
    Value::List(turns.iter().map(message).collect())
}

/// The tools.
pub(in super::super) fn tools(lesson: &Lesson, is_arrow: bool) -> Value {
    let list = Value::List(lesson.tools.iter().map(|tool| wrapped(tool)).collect());
    if is_arrow { list.to_string().into() } else { list }
}

fn message(turn: &Turn, calls: &[&FunctionCall], first: usize, reasoning: Reasoning, is_arrow: bool) -> Object {
    let id = turn.answers.map(call_id);
    let name = turn.answers.and_then(|call| calls.get(call)).map(|call| call.name.clone());
    let thought = turn.reasoning.clone().filter(|_| reasoning == Reasoning::Keep);
    let list = turn.calls.iter().enumerate().map(|(at, it)| call(it, first + at, is_arrow)).collect::<Vec<_>>();
    let text = |text: Option<String>| text.map_or(Value::Null, Value::from);
    let train = turn.role == Role::Assistant && turn.learn != Learn::Yes;
    let fields = [
        ("role", role(turn.role).into()),
        ("content", words(turn, reasoning).unwrap_or_default().into()),
        ("reasoning_content", text(thought)),
        ("tool_calls", if list.is_empty() && !is_arrow { Value::Null } else { Value::List(list) }),
        ("tool_call_id", text(id)),
        ("name", text(name)),
        (
            "train",
            if is_arrow {
                (!train).into()
            } else if train {
                false.into()
            } else {
                Value::Null
            },
        ),
    ];
    object(fields).into_iter().filter(|(_, value)| is_arrow || !value.is_null()).collect()
}

fn call(call: &FunctionCall, ordinal: usize, is_arrow: bool) -> Value {
    let arguments = Value::Object(call.arguments.clone());
    let arguments = if is_arrow { arguments.to_string().into() } else { arguments };
    let function = object([("name", call.name.as_str().into()), ("arguments", arguments)]);
    Value::Object(object([("id", call_id(ordinal).into()), ("type", "function".into()), ("function", function.into())]))
}

/// The word for whoever speaks.
pub(in super::super) fn role(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    }
}

/// What a row tells of itself beside its lesson.
pub(in super::super) fn about(lesson: &Lesson) -> Object {
    let sample = &lesson.sample;
    let asked: Vec<Value> = lesson.asked.iter().map(|name| name.as_str().into()).collect();
    object([
        ("id", lesson.id().into()),
        ("suite", sample.suite.as_str().into()),
        ("data_type", sample.data_type.0.as_str().into()),
        ("locale", sample.locale.as_str().into()),
        ("aim", lesson.aim.as_str().into()),
        ("asked", Value::List(asked)),
        ("paradigm", lesson.paradigm.as_str().into()),
        ("template", sample.provenance.template.into()),
        ("group", sample.group.as_str().into()),
        ("licence", sample.licence.as_str().into()),
        ("source", sample.source.as_str().into()),
    ])
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{masked, parallel};
    use super::*;

    fn text(lesson: &Lesson, reasoning: Reasoning, is_arrow: bool) -> String {
        row(lesson, reasoning, is_arrow).unwrap().0["messages"].to_string()
    }

    #[test]
    fn arguments_are_objects_and_answers_know_their_call() {
        let text = text(&parallel(), Reasoning::Keep, false);
        assert!(text.contains(r#"{"id":"call00000","type":"function","function":{"name":"Rail.book","arguments":{"to":"Porto","seats":2}}}"#));
        assert!(text.contains(r#"{"role":"tool","content":"sold out","tool_call_id":"call00001","name":"Rail.book"}"#));
        assert!(text.contains(r#""reasoning_content":"two trains""#) && !text.contains("null"));
    }

    #[test]
    fn arrow_finds_every_key_on_every_message() {
        let (row, _) = row(&parallel(), Reasoning::Drop, true).unwrap();
        for message in row["messages"].as_list().unwrap() {
            let keys: Vec<&str> = message.as_object().unwrap().keys().map(String::as_str).collect();
            assert_eq!(keys, ["role", "content", "reasoning_content", "tool_calls", "tool_call_id", "name", "train"]);
        }
        assert!(row["messages"].to_string().contains(r#""arguments":"{\"to\":\"Porto\",\"seats\":2}""#));
        assert!(row["tools"].as_str().unwrap().starts_with(r#"[{"type":"function","#));
    }

    #[test]
    fn what_is_wrong_says_that_it_is_not_to_be_trained() {
        let text = text(&masked(), Reasoning::Keep, false);
        assert_eq!(text.matches(r#""train":false"#).count(), 1);
    }

    #[test]
    fn a_row_tells_where_it_comes_from() {
        let (row, _) = row(&parallel(), Reasoning::Keep, false).unwrap();
        assert_eq!(
            (row["id"].as_str(), row["paradigm"].as_str(), row["aim"].as_str()),
            (Some("Rail.book/ask/0"), Some("ask"), Some("call"))
        );
    }
}
