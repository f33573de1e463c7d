//! OpenAI's files for fine-tuning: arguments as texts, ids in pairs, names that the service takes.

use super::{Reasoning, Written, call_id, thought_lost, words, wrapped};
use crate::export::lessons::lesson::{Lesson, Turn, object};
use crate::record::{FunctionCall, Object, Role, Value};

/// The row.
#[expect(clippy::unnecessary_wraps, reason = "every format has this shape, and some refuse rows")]
pub(in super::super) fn row(lesson: &Lesson, reasoning: Reasoning) -> Written {
    let losses = thought_lost(lesson, reasoning).into_iter().collect();
    let mut row = object([("messages", messages(&lesson.turns, reasoning))]);
    row.extend(tools(lesson));
    Ok((row, losses))
}

/// The tools and whether calls may be parallel; nothing where there is no tool, since an empty list is refused.
pub(in super::super) fn tools(lesson: &Lesson) -> Object {
    if lesson.tools.is_empty() {
        return Object::new();
    }
    let list = Value::List(lesson.tools.iter().map(|tool| wrapped(tool)).collect());
    object([("tools", list), ("parallel_tool_calls", lesson.turns.iter().any(|turn| turn.calls.len() > 1).into())])
}

/// Messages that begin with the lesson's first.
pub(in super::super) fn messages(turns: &[Turn], reasoning: Reasoning) -> Value {
    let mut ordinal = 0;
    let message = |turn: &Turn| {
        let first = ordinal;
        ordinal += turn.calls.len();
        Value::Object(message(turn, first, reasoning))
    };
    Value::List(turns.iter().map(message).collect())
}

fn message(turn: &Turn, first: usize, reasoning: Reasoning) -> Object {
    let mut message = object([("role", super::trl::role(turn.role).into())]);
    match words(turn, reasoning) {
        Some(text) => drop(message.insert("content".to_owned(), text.into())),
        None if turn.calls.is_empty() => drop(message.insert("content".to_owned(), "".into())),
        None => {}
    }
    if !turn.calls.is_empty() {
        let calls = turn.calls.iter().enumerate().map(|(at, it)| call(it, first + at)).collect();
        message.insert("tool_calls".to_owned(), Value::List(calls));
    }
    if let Some(answers) = turn.answers {
        message.insert("tool_call_id".to_owned(), call_id(answers).into());
    }
    if turn.role == Role::Assistant && !turn.is_learned() {
        message.insert("weight".to_owned(), 0_i64.into());
    }
    message
}

fn call(call: &FunctionCall, ordinal: usize) -> Value {
    let arguments = Value::Object(call.arguments.clone()).to_string();
    let function = object([("name", call.name.as_str().into()), ("arguments", arguments.into())]);
    Value::Object(object([("id", call_id(ordinal).into()), ("type", "function".into()), ("function", function.into())]))
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{lesson, masked, parallel};
    use super::*;

    #[test]
    fn arguments_are_texts_and_every_answer_has_its_call() {
        let (row, losses) = row(&parallel(), Reasoning::Keep).unwrap();
        let text = row["messages"].to_string();
        assert!(text.contains(r#""arguments":"{\"to\":\"Porto\",\"seats\":2}""#), "{text}");
        assert!(text.contains(r#"{"role":"tool","content":"sold out","tool_call_id":"call00001"}"#), "{text}");
        assert_eq!((row["parallel_tool_calls"].as_bool(), losses.len()), (Some(true), 1));
        assert_eq!(row.keys().collect::<Vec<_>>(), ["messages", "tools", "parallel_tool_calls"]);
    }

    #[test]
    fn what_is_wrong_weighs_nothing() {
        let (row, _) = row(&masked(), Reasoning::Drop).unwrap();
        assert_eq!(row["messages"].to_string().matches(r#""weight":0"#).count(), 1);
    }

    #[test]
    fn without_tools_there_is_no_list_of_them() {
        let mut lesson = lesson("refusal");
        lesson.tools.clear();
        assert_eq!(row(&lesson, Reasoning::Drop).unwrap().0.len(), 1);
    }
}
