//! Turns that nobody should learn: calls that their tools do not take, and calls that were answered by an error.

use super::lesson::{Learn, Turn, read};
use crate::record::{FunctionCall, Tool, Value};
use std::sync::Arc;

/// Marks them, all but the last turn, which is the right one by what it is.
pub(super) fn mask(turns: &mut [Turn], tools: &[Arc<Tool>]) {
    let failed: Vec<usize> = turns
        .iter()
        .filter(|turn| turn.text.as_deref().is_some_and(|text| is_error(&read(text))))
        .filter_map(|turn| turn.answers)
        .collect();
    let (mut ordinal, last) = (0, turns.len().saturating_sub(1));
    for turn in turns.iter_mut().take(last) {
        let own = ordinal..ordinal + turn.calls.len();
        ordinal = own.end;
        let is_wrong =
            own.clone().any(|call| failed.contains(&call)) || turn.calls.iter().any(|call| !is_taken(call, tools));
        if is_wrong {
            turn.learn = Learn::Wrong;
        }
    }
}

/// Whether the tools offer the call: the tool, all that it requires, and nothing that it does not have.
pub(super) fn is_taken(call: &FunctionCall, tools: &[Arc<Tool>]) -> bool {
    tools.iter().find(|tool| tool.name == call.name).is_some_and(|tool| {
        tool.parameters.required.iter().all(|name| call.arguments.contains_key(name))
            && call.arguments.keys().all(|name| has(tool, name))
    })
}

/// Whether a tool has a parameter.
pub(super) fn has(tool: &Tool, name: &str) -> bool {
    tool.parameters.properties.contains_key(name)
}

/// Whether a tool's answer says that the call failed.
fn is_error(answer: &Value) -> bool {
    let Some(answer) = answer.as_object() else { return false };
    let is_there = |value: &Value| !value.is_null() && value.as_bool() != Some(false) && value.as_str() != Some("");
    let says =
        |name: &str, words: &[&str]| answer.get(name).and_then(Value::as_str).is_some_and(|it| words.contains(&it));
    let denies = |name: &str| answer.get(name).and_then(Value::as_bool) == Some(false);
    answer.get("error").is_some_and(is_there)
        || says("status", &["error", "failed"])
        || denies("ok")
        || denies("success")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{call, lesson};
    use super::*;
    use crate::record::Role;

    fn masked(first: FunctionCall, answer: &str) -> Vec<Learn> {
        let lesson = lesson("call");
        let mut turns = lesson.turns.clone();
        turns.splice(
            1..1,
            [Turn::called(vec![first]), Turn::answered(0, answer), Turn::said(Role::Assistant, "Once more?")],
        );
        mask(&mut turns, &lesson.tools);
        turns.into_iter().map(|turn| turn.learn).collect()
    }

    #[test]
    fn calls_that_failed_are_not_learned_and_what_follows_is() {
        let right = call("Rail.book", r#"{"to":"Faro"}"#);
        for answer in [r#"{"error":{"code":503}}"#, r#"{"status":"failed"}"#, r#"{"success":false}"#] {
            assert_eq!(
                masked(right.clone(), answer)[1..],
                [Learn::Wrong, Learn::Yes, Learn::Yes, Learn::Yes],
                "{answer}"
            );
        }
        for answer in [r#"{"error":null}"#, r#"{"title":"an error"}"#, "error", r#"{"status":"open"}"#] {
            assert!(masked(right.clone(), answer).iter().all(|it| *it == Learn::Yes), "{answer}");
        }
    }

    #[test]
    fn calls_that_no_tool_takes_are_not_learned() {
        for wrong in [call("Rail.book", "{}"), call("Rail.sell", "{}"), call("Rail.cancel", r#"{"x":1}"#)] {
            assert_eq!(masked(wrong, "{}")[1], Learn::Wrong);
        }
    }

    #[test]
    fn the_last_turn_is_not_judged() {
        let tools = lesson("call").tools;
        let mut turns = [Turn::called(vec![call("Rail.book", "{}")])];
        mask(&mut turns, &tools);
        assert_eq!(turns[0].learn, Learn::Yes);
        mask(&mut [], &tools);
    }
}
