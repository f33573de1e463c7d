//! LLaMA-Factory's `formatting: openai`: messages with arguments as objects, `content` on every one, strict turns.

use super::super::loss::{Loss, Rule};
use super::{Reasoning, Written, thought_lost, trl, words};
use crate::export::lessons::lesson::{Learn, Lesson, Turn, object};
use crate::record::{Object, Role, Value};

/// The row.
pub(in super::super) fn row(lesson: &Lesson, reasoning: Reasoning) -> Written {
    if lesson.turns.iter().any(|turn| turn.learn == Learn::Wrong) {
        return Err(Loss::row(
            lesson.id(),
            Rule::Mask,
            "contains a wrong turn that the format cannot exclude from training",
        ));
    }
    if !takes_turns(&lesson.turns) {
        return Err(Loss::row(lesson.id(), Rule::Alternation, "user and assistant messages do not alternate"));
    }
    let beside = lesson.turns.iter().filter(|turn| !turn.calls.is_empty());
    let lost = beside.filter_map(|turn| words(turn, reasoning)).filter(|text| !text.trim().is_empty());
    let mut losses: Vec<Loss> = lost.map(|text| Loss::part(lesson.id(), Rule::TextBesideCall, text)).collect();
    losses.extend(thought_lost(lesson, reasoning));
    // Its loader drops what stands beside a call, so that nothing else may be said there.
    let mut told = lesson.clone();
    told.turns.iter_mut().filter(|turn| !turn.calls.is_empty()).for_each(|turn| turn.text = None);
    let mut row = object([("messages", messages(&told, reasoning)), ("tools", trl::tools(lesson, false))]);
    row.extend(trl::about(lesson));
    Ok((row, losses))
}

/// Messages with `content` on every one.
fn messages(lesson: &Lesson, reasoning: Reasoning) -> Value {
    let kept = if reasoning == Reasoning::Tags { Reasoning::Tags } else { Reasoning::Drop };
    let Value::List(list) = trl::messages(lesson, &lesson.turns, kept, false) else { return Value::Null };
    let whole = |message: Value| {
        let Value::Object(message) = message else { return message };
        let is_call = message.contains_key("tool_calls");
        let role = message.get("role").cloned().unwrap_or_default();
        let content =
            message.get("content").filter(|it| !is_call && !it.is_null()).cloned().unwrap_or_else(|| "".into());
        let mut out = object([("role", role), ("content", content)]);
        out.extend(message.into_iter().filter(|(name, _)| name != "role" && name != "content"));
        Value::Object(out)
    };
    Value::List(list.into_iter().map(whole).collect())
}

/// Whether people and tools stand at even places and the assistant at odd ones, results in a row being one.
fn takes_turns(turns: &[Turn]) -> bool {
    let lead = usize::from(turns.first().is_some_and(|turn| turn.role == Role::System));
    let mut roles: Vec<Role> = turns.iter().skip(lead).map(|turn| turn.role).collect();
    roles.dedup_by(|one, other| one == other && *one == Role::Tool);
    let is_right = |(at, role): (usize, &Role)| (*role == Role::Assistant) == (at % 2 == 1) && *role != Role::System;
    roles.len().is_multiple_of(2) && roles.iter().enumerate().all(is_right)
}

/// The entry of `dataset_info.json` for a file: every tag and every column by its name, since what is left out becomes null.
pub(in super::super) fn dataset_info(file: &str) -> Value {
    let texts = |pairs: &[(&str, &str)]| -> Object {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect()
    };
    let tags = texts(&[
        ("role_tag", "role"),
        ("content_tag", "content"),
        ("user_tag", "user"),
        ("assistant_tag", "assistant"),
        ("observation_tag", "tool"),
        ("function_tag", "function"),
        ("system_tag", "system"),
    ]);
    let columns = texts(&[("messages", "messages"), ("tools", "tools")]);
    Value::Object(object([
        ("file_name", file.into()),
        ("formatting", "openai".into()),
        ("columns", columns.into()),
        ("tags", tags.into()),
    ]))
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{lesson, masked, parallel};
    use super::*;

    #[test]
    fn arguments_are_objects_and_every_message_has_content() {
        let (row, losses) = row(&parallel(), Reasoning::Drop).unwrap();
        let list = row["messages"].as_list().unwrap();
        assert!(
            list.iter().all(|message| message
                .as_object()
                .unwrap()
                .get("content")
                .is_some_and(|it| it.as_str().is_some()))
        );
        assert!(row["messages"].to_string().contains(r#""arguments":{"to":"Porto","seats":2}"#));
        assert!(row["tools"].as_list().is_some() && losses.is_empty());
    }

    #[test]
    fn words_beside_a_call_are_told_as_lost() {
        let mut beside = lesson("call");
        beside.turns[1].text = Some("One moment.".to_owned());
        let (row, losses) = row(&beside, Reasoning::Drop).unwrap();
        assert_eq!(losses.iter().map(|loss| loss.rule).collect::<Vec<_>>(), [Rule::TextBesideCall]);
        assert!(!row["messages"].to_string().contains("One moment."));
        let (_, losses) = super::row(&parallel(), Reasoning::Tags).unwrap();
        assert!(
            losses.iter().any(|loss| loss.rule == Rule::TextBesideCall),
            "a thought beside a call has no place either"
        );
    }

    #[test]
    fn what_its_loader_would_drop_or_teach_wrongly_is_left_out() {
        assert_eq!(row(&masked(), Reasoning::Drop).unwrap_err().rule, Rule::Mask);
        let mut twice = lesson("call");
        twice.turns.insert(0, Turn::said(Role::User, "hello"));
        assert_eq!(row(&twice, Reasoning::Drop).unwrap_err().rule, Rule::Alternation);
        twice.turns[0].role = Role::System;
        assert!(row(&twice, Reasoning::Drop).is_ok());
    }

    #[test]
    fn the_entry_names_all_seven_tags() {
        let entry = dataset_info("train.jsonl").to_string();
        assert_eq!(entry.matches("_tag\"").count(), 7);
        assert!(entry.contains(r#""formatting":"openai""#) && entry.contains(r#""tools":"tools""#));
    }
}
