//! LLaMA-Factory's `ShareGPT` rows: strict turns, parallel calls as one list, tools as a text.

use super::super::loss::{Loss, Rule};
use super::{Reasoning, Written, bare, call_value, context_lost, thought_lost, words};
use crate::export::lessons::lesson::{Learn, Lesson, Turn, object, read};
use crate::record::{Object, Role, Value};

/// The row.
pub(in super::super) fn row(lesson: &Lesson, reasoning: Reasoning) -> Written {
    let mut losses: Vec<Loss> = thought_lost(lesson, reasoning).into_iter().chain(context_lost(lesson)).collect();
    let turns = conversation(lesson, &lesson.turns, reasoning, &mut losses)?;
    let mut row = object([("conversations", Value::List(turns))]);
    row.extend(around(lesson));
    row.extend(super::trl::about(lesson));
    Ok((row, losses))
}

/// System text and tools.
pub(in super::super) fn around(lesson: &Lesson) -> Object {
    let system = lesson.turns.first().filter(|turn| turn.role == Role::System).and_then(|turn| turn.text.clone());
    let tools = Value::List(lesson.tools.iter().map(|tool| bare(tool)).collect());
    object([("system", system.unwrap_or_default().into()), ("tools", tools.to_string().into())])
}

/// The turns as its converter wants them.
pub(in super::super) fn conversation(
    lesson: &Lesson,
    turns: &[Turn],
    reasoning: Reasoning,
    losses: &mut Vec<Loss>,
) -> Result<Vec<Value>, Loss> {
    if turns.iter().any(|turn| turn.learn == Learn::Wrong) {
        return Err(Loss::row(
            lesson.id(),
            Rule::Mask,
            "contains a wrong turn that the format cannot exclude from training",
        ));
    }
    let turns = turns.strip_prefix(&turns[..usize::from(turns.first().is_some_and(is_system))]).unwrap_or(turns);
    let mut out: Vec<(bool, &str, String)> = Vec::new();
    let mut at = 0;
    while let Some(turn) = turns.get(at) {
        let results = turns.iter().skip(at).take_while(|turn| turn.role == Role::Tool).count();
        out.push(match turn.role {
            Role::Tool => (false, "observation", observation(turns.get(at..at + results).unwrap_or_default())),
            Role::User | Role::System => (false, "human", turn.text.clone().unwrap_or_default()),
            Role::Assistant => (true, "", String::new()),
        });
        if let (Role::Assistant, Some(last)) = (turn.role, out.last_mut()) {
            *last = assistant(lesson, turn, reasoning, losses);
        }
        at += results.max(1);
    }
    if out.iter().enumerate().any(|(at, (is_assistant, ..))| *is_assistant != (at % 2 == 1)) {
        return Err(Loss::row(lesson.id(), Rule::Alternation, "user and assistant messages do not alternate"));
    }
    Ok(out.into_iter().map(|(_, from, value)| said(from, value)).collect())
}

/// A turn as its rows have it.
pub(in super::super) fn said(from: &str, value: String) -> Value {
    Value::Object(object([("from", from.into()), ("value", value.into())]))
}

fn is_system(turn: &Turn) -> bool {
    turn.role == Role::System
}

fn assistant(
    lesson: &Lesson,
    turn: &Turn,
    reasoning: Reasoning,
    losses: &mut Vec<Loss>,
) -> (bool, &'static str, String) {
    let text = words(turn, reasoning).unwrap_or_default();
    let mut calls: Vec<Value> = turn.calls.iter().map(call_value).collect();
    match calls.len() {
        0 => return (true, "gpt", text),
        _ if text.trim().is_empty() => {}
        // A thought in its tags may stand before the call, parted as the converter's own words for it end: it takes these
        // off and reads the rest as JSON. Other words have no place.
        _ if turn.text.as_deref().is_none_or(|text| text.trim().is_empty()) => {
            let calls = if calls.len() == 1 { calls.remove(0) } else { Value::List(calls) };
            return (true, "function_call", format!("{text}\n\n{calls}"));
        }
        _ => losses.push(Loss::part(lesson.id(), Rule::TextBesideCall, text)),
    }
    let calls = if calls.len() == 1 { calls.remove(0) } else { Value::List(calls) };
    (true, "function_call", calls.to_string())
}

/// Several results stand in one turn, as a list.
fn observation(turns: &[Turn]) -> String {
    match turns {
        [only] => only.text.clone().unwrap_or_default(),
        several => {
            Value::List(several.iter().map(|it| read(it.text.as_deref().unwrap_or_default())).collect()).to_string()
        }
    }
}

/// The entry of `dataset_info.json` for a file.
pub(in super::super) fn dataset_info(file: &str, is_ranked: bool) -> Value {
    let mut columns =
        object([("messages", "conversations".into()), ("system", "system".into()), ("tools", "tools".into())]);
    let mut entry = object([("file_name", file.into()), ("formatting", "sharegpt".into())]);
    if is_ranked {
        columns.extend(object([("chosen", "chosen".into()), ("rejected", "rejected".into())]));
        entry.insert("ranking".to_owned(), true.into());
    }
    entry.insert("columns".to_owned(), columns.into());
    entry.into()
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{lesson, masked, parallel};
    use super::*;

    fn shown(lesson: &Lesson, reasoning: Reasoning) -> (Vec<String>, usize) {
        let (row, losses) = row(lesson, reasoning).unwrap();
        (row["conversations"].as_list().unwrap().iter().map(ToString::to_string).collect(), losses.len())
    }

    #[test]
    fn parallel_calls_and_results_are_one_turn_each() {
        let (turns, losses) = shown(&parallel(), Reasoning::Drop);
        assert_eq!((turns.len(), losses), (4, 0));
        assert!(turns[1].starts_with(r#"{"from":"function_call","value":"[{\"name\":\"Rail.book\""#), "{}", turns[1]);
        assert_eq!(turns[2], r#"{"from":"observation","value":"[{\"to\":\"Porto\",\"price\":10.50},\"sold out\"]"}"#);
    }

    #[test]
    fn one_call_is_no_list_and_tools_are_a_text() {
        let (row, _) = row(&lesson("call"), Reasoning::Drop).unwrap();
        assert!(
            row["conversations"]
                .to_string()
                .contains(r#""value":"{\"name\":\"Rail.book\",\"arguments\":{\"to\":\"Porto\"}}""#)
        );
        assert!(row["tools"].as_str().unwrap().starts_with(r#"[{"name":"Rail.book","#));
    }

    #[test]
    fn words_beside_a_call_are_told_as_lost_and_thoughts_may_stay() {
        let mut lesson = lesson("call");
        lesson.turns[1].text = Some("One moment.".to_owned());
        assert_eq!(shown(&lesson, Reasoning::Drop).1, 1);
        let (row, _) = row(&parallel(), Reasoning::Tags).unwrap();
        let turn = row["conversations"].as_list().unwrap()[1].as_object().unwrap();
        let (thought, calls) = turn["value"].as_str().unwrap().split_once("\n</think>\n\n").unwrap();
        assert_eq!(thought, "<think>\ntwo trains");
        assert_eq!(Value::read(calls).unwrap().as_list().unwrap().len(), 2);
    }

    #[test]
    fn what_it_would_drop_or_teach_wrongly_is_left_out() {
        assert_eq!(row(&masked(), Reasoning::Drop).unwrap_err().rule, Rule::Mask);
        let mut lesson = lesson("call");
        lesson.turns.insert(0, Turn::said(Role::User, "hello"));
        assert_eq!(row(&lesson, Reasoning::Drop).unwrap_err().rule, Rule::Alternation);
        lesson.turns[0].role = Role::System;
        assert_eq!(row(&lesson, Reasoning::Drop).unwrap().0["system"].as_str(), Some("hello"));
    }

    #[test]
    fn the_entry_names_every_column() {
        let entry = dataset_info("train.jsonl", true).to_string();
        assert!(entry.contains(r#""ranking":true"#) && entry.contains(r#""chosen":"chosen""#), "{entry}");
    }
}
