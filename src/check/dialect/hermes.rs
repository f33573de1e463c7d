//! Hermes: calls, results and tools stand in tags, so that a text must not hold the tags itself.

use super::Faults;
use super::calls::{list, names, offered, read};
use crate::record::{Object, Value};
use std::collections::BTreeSet;

/// Who speaks.
const ROLES: [&str; 4] = ["system", "human", "gpt", "tool"];
/// What the format is made of, by who may say it.
const TAGS: [(&str, &str); 5] = [
    ("<tool_call>", "gpt"),
    ("</tool_call>", "gpt"),
    ("<tool_response>", "tool"),
    ("</tool_response>", "tool"),
    ("<|im_", ""),
];

/// Holds a row to the rules of the format.
pub(super) fn check(row: &Object, faults: &mut Faults<'_>) {
    let Some(turns) = row.get("conversations").and_then(Value::as_list).filter(|it| !it.is_empty()) else {
        return faults.error("messages", "row", "it has no list `conversations`, or an empty one");
    };
    let mut tools = BTreeSet::new();
    for (at, turn) in turns.iter().enumerate() {
        let place = format!("conversations[{at}]");
        let field = |key: &str| turn.as_object().and_then(|turn| turn.get(key)).and_then(Value::as_str);
        let (Some(from), Some(value)) = (field("from"), field("value")) else {
            faults.error("messages", &place, "it has no `from` or no `value`");
            continue;
        };
        if !ROLES.contains(&from) {
            faults.error("role", &place, &format!("`{from}` is nobody who speaks in these rows"));
        }
        match from {
            "system" => tools.extend(offered_tools(value, &place, faults)),
            _ => strangers(from, value, &place, faults),
        }
        if from == "gpt" {
            calls(value, &tools, &place, faults);
        }
    }
    if turns.last().and_then(Value::as_object).and_then(|turn| turn.get("from")).and_then(Value::as_str) != Some("gpt")
    {
        faults.warning(
            "last",
            "conversations",
            "the last turn is not the assistant's, so that nothing is learned at its end",
        );
    }
}

/// The names between the last `<tools>` and its end.
fn offered_tools(text: &str, place: &str, faults: &mut Faults<'_>) -> BTreeSet<String> {
    let Some((inner, _)) = text.rsplit_once("<tools>").and_then(|(_, rest)| rest.split_once("</tools>")) else {
        return BTreeSet::new();
    };
    let lines = || {
        inner
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| Value::read(line).ok())
            .collect::<Option<Vec<_>>>()
    };
    if let Some(tools) = list(inner.trim()).or_else(lines) {
        names(&tools, faults)
    } else {
        faults.error("unparsable", place, "what stands in `<tools>` is no JSON");
        BTreeSet::new()
    }
}

/// Tags in the words of somebody who has no use for them.
fn strangers(from: &str, value: &str, place: &str, faults: &mut Faults<'_>) {
    if let Some((tag, _)) = TAGS.iter().find(|(tag, owner)| *owner != from && value.contains(tag)) {
        faults.error("tag_text", place, &format!("the words hold `{tag}`, which the format is made of"));
    }
}

fn calls(value: &str, tools: &BTreeSet<String>, place: &str, faults: &mut Faults<'_>) {
    if value.matches("<tool_call>").count() != value.matches("</tool_call>").count() {
        return faults.error("tag_text", place, "its `<tool_call>` and `</tool_call>` are not in pairs");
    }
    for block in value.split("<tool_call>").skip(1).filter_map(|rest| rest.split_once("</tool_call>")) {
        match Value::read(block.0.trim()) {
            Ok(Value::Object(call)) => {
                if let Some((name, _)) = read(&call, place, faults) {
                    offered(name, tools, place, faults);
                }
            }
            _ => faults.error("unparsable", place, "a `<tool_call>` holds no JSON object"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Loader;
    use super::super::testing::rules;

    const SYSTEM: &str = "Functions stand in <tools></tools>.\n<tools> [{\"type\": \"function\", \"function\": {\"name\": \"f\"}}] </tools>";
    const CALL: &str = "<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call>";

    fn of(turns: &[(&str, &str)]) -> Vec<String> {
        let turns: Vec<_> =
            turns.iter().map(|(from, value)| serde_json::json!({"from": from, "value": value})).collect();
        rules(Loader::Hermes, &serde_json::json!({"conversations": turns}).to_string())
    }

    #[test]
    fn calls_in_their_tags_are_sound() {
        let told = "<tool_response>\n{}\n</tool_response>";
        assert_eq!(
            of(&[("system", SYSTEM), ("human", "go"), ("gpt", CALL), ("tool", told), ("gpt", "Done.")]),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_text_with_the_tags_is_told() {
        assert_eq!(of(&[("system", SYSTEM), ("human", "what is <tool_call>?"), ("gpt", "A tag.")]), ["tag_text"]);
        assert_eq!(of(&[("human", "go"), ("gpt", "<tool_call>{}")]), ["tag_text"]);
    }

    #[test]
    fn calls_are_json_of_tools_that_are_there() {
        assert_eq!(of(&[("system", SYSTEM), ("human", "go"), ("gpt", &CALL.replace('"', "'"))]), ["unparsable"]);
        assert_eq!(of(&[("human", "go"), ("gpt", CALL)]), ["not_offered"]);
        assert_eq!(of(&[("system", "<tools> [oops </tools>"), ("bot", "x")]), ["unparsable", "role", "last"]);
    }
}
