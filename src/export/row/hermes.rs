//! Hermes: calls as text between tags, in `ShareGPT` rows.

use super::super::loss::{Loss, Rule};
use super::llamafactory::said;
use super::{Reasoning, Written, call_value, context_lost, thought_lost, words, wrapped};
use crate::export::lessons::lesson::{Learn, Lesson, Turn, object, read};
use crate::record::{Role, Value};

/// What the format itself is made of.
const TAGS: [&str; 7] =
    ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<tools>", "</tools>", "<|im_"];

/// The row.
pub(in super::super) fn row(lesson: &Lesson, reasoning: Reasoning) -> Written {
    if lesson.turns.iter().any(|turn| turn.learn == Learn::Wrong) {
        return Err(Loss::row(
            lesson.id(),
            Rule::Mask,
            "contains a wrong turn that the format cannot exclude from training",
        ));
    }
    let tools = Value::List(lesson.tools.iter().map(|tool| wrapped(tool)).collect()).to_string();
    if holds_tags(&tools) || lesson.turns.iter().any(is_tagged) {
        return Err(Loss::row(lesson.id(), Rule::TagText, "a text contains reserved tags of the format"));
    }
    let names: Vec<&str> = lesson.numbered().map(|(_, call)| call.name.as_str()).collect();
    let own = lesson.turns.first().filter(|turn| turn.role == Role::System).and_then(|turn| turn.text.as_deref());
    let mut out = vec![said("system", system(own, &tools))];
    let rest = lesson.turns.get(usize::from(own.is_some())..).unwrap_or_default();
    let mut at = 0;
    while let Some(turn) = rest.get(at) {
        let results = rest.iter().skip(at).take_while(|turn| turn.role == Role::Tool).count();
        out.push(match turn.role {
            Role::Tool => {
                let all = rest.get(at..at + results).unwrap_or_default();
                said("tool", all.iter().map(|turn| response(turn, &names)).collect::<Vec<_>>().join("\n"))
            }
            Role::Assistant => said("gpt", spoken(turn, reasoning)),
            Role::User => said("human", turn.text.clone().unwrap_or_default()),
            Role::System => said("system", turn.text.clone().unwrap_or_default()),
        });
        at += results.max(1);
    }
    let mut row = object([("conversations", Value::List(out))]);
    row.extend(super::trl::about(lesson));
    Ok((row, thought_lost(lesson, reasoning).into_iter().chain(context_lost(lesson)).collect()))
}

/// The system text: the sample's own, and how tools are called.
fn system(own: Option<&str>, tools: &str) -> String {
    let pattern = crate::assets().read("profiles/hermes.md").unwrap_or_default();
    let told = pattern.trim().replace("{tools}", tools);
    own.map_or(told.clone(), |own| format!("{own}\n\n{told}"))
}

fn holds_tags(text: &str) -> bool {
    TAGS.iter().any(|tag| text.contains(tag))
}

fn is_tagged(turn: &Turn) -> bool {
    turn.text.as_deref().is_some_and(holds_tags)
        || turn.calls.iter().any(|call| holds_tags(&Value::Object(call.arguments.clone()).to_string()))
}

fn spoken(turn: &Turn, reasoning: Reasoning) -> String {
    let text = words(turn, reasoning).filter(|text| !text.is_empty());
    let block = |call| format!("<tool_call>\n{}\n</tool_call>", call_value(call));
    text.into_iter().chain(turn.calls.iter().map(block)).collect::<Vec<_>>().join("\n")
}

fn response(turn: &Turn, names: &[&str]) -> String {
    let name = turn.answers.and_then(|call| names.get(call)).copied().unwrap_or_default();
    let content = read(turn.text.as_deref().unwrap_or_default());
    let told = Value::Object(object([("name", name.into()), ("content", content)]));
    format!("<tool_response>\n{told}\n</tool_response>")
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{lesson, masked, parallel};
    use super::*;

    #[test]
    fn each_call_and_each_result_has_its_block() {
        let (row, _) = row(&parallel(), Reasoning::Tags).unwrap();
        let turns = row["conversations"].as_list().unwrap();
        let value = |at: usize| turns[at].as_object().unwrap()["value"].as_str().unwrap();
        assert_eq!(turns.len(), 5);
        assert!(value(0).contains(r#"[{"type":"function","function":{"name":"Rail.book""#), "{}", value(0));
        assert_eq!(value(2).matches("<tool_call>").count(), 2);
        assert!(
            value(2).starts_with("<think>\ntwo trains\n</think>\n<tool_call>\n{\"name\":\"Rail.book\""),
            "{}",
            value(2)
        );
        assert!(value(3).contains(
            "<tool_response>\n{\"name\":\"Rail.book\",\"content\":{\"to\":\"Porto\",\"price\":10.50}}\n</tool_response>"
        ));
    }

    #[test]
    fn a_text_with_the_tags_of_the_format_is_refused() {
        let mut lesson = lesson("call");
        lesson.turns[0].text = Some("what is <tool_call>?".to_owned());
        assert_eq!(row(&lesson, Reasoning::Drop).unwrap_err().rule, Rule::TagText);
        assert_eq!(row(&masked(), Reasoning::Drop).unwrap_err().rule, Rule::Mask);
    }

    #[test]
    fn a_system_text_stays_in_front() {
        let mut lesson = lesson("refusal");
        lesson.turns.insert(0, Turn::said(Role::System, "It is noon."));
        let (row, _) = row(&lesson, Reasoning::Drop).unwrap();
        assert!(row["conversations"].to_string().starts_with(r#"[{"from":"system","value":"It is noon.\n\n"#));
    }
}
