//! LLaMA-Factory's `sharegpt`: strict turns, calls that are JSON, tools as a text.

use super::Faults;
use super::calls::{list, names, offered, read};
use crate::record::{Object, Value};

/// Who speaks at even places, and who at odd ones.
const EVEN: [&str; 2] = ["human", "observation"];
const ODD: [&str; 2] = ["gpt", "function_call"];

/// Holds a row to the loader's rules.
pub(super) fn check(row: &Object, faults: &mut Faults<'_>) {
    let Some(turns) = row.get("conversations").and_then(Value::as_list).filter(|it| !it.is_empty()) else {
        return faults.error("messages", "row", "it has no list `conversations`, or an empty one");
    };
    let tools = match row.get("tools") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(text)) if text.is_empty() => Vec::new(),
        Some(Value::String(text)) => list(text).unwrap_or_else(|| {
            faults.error("unparsable", "tools", "the text is no list in JSON");
            Vec::new()
        }),
        Some(_) => {
            faults.error("not_text", "tools", "it must be a text");
            Vec::new()
        }
    };
    let names = names(&tools, faults);
    let field = |turn: &Value, key: &str| {
        turn.as_object().and_then(|turn| turn.get(key)).and_then(Value::as_str).map(str::to_owned)
    };
    let lead = usize::from(field(&turns[0], "from").as_deref() == Some("system"));
    let ranked = usize::from(row.contains_key("chosen") && row.contains_key("rejected"));
    let mut in_turn = (turns.len() - lead + ranked).is_multiple_of(2);
    for (at, turn) in turns.iter().enumerate().skip(lead) {
        let place = format!("conversations[{at}]");
        let (Some(from), Some(value)) = (field(turn, "from"), field(turn, "value")) else {
            faults.error("messages", &place, "it has no `from` or no `value`");
            continue;
        };
        let wanted = if (at - lead).is_multiple_of(2) { EVEN } else { ODD };
        in_turn &= wanted.contains(&from.as_str());
        if !EVEN.iter().chain(&ODD).any(|known| *known == from) {
            faults.error("role", &place, &format!("`{from}` is nobody who speaks in these rows"));
        }
        if from == "function_call" {
            for call in called(&value, &place, faults) {
                let call = call.as_object().cloned().unwrap_or_default();
                if let Some((name, _)) = read(&call, &place, faults) {
                    offered(name, &names, &place, faults);
                }
            }
        }
    }
    if !in_turn {
        faults.error(
            "alternation",
            "conversations",
            "people and assistant do not take turns in pairs, so that the row is dropped",
        );
    }
}

/// The calls of a turn, behind a thought in its tags if there is one.
fn called(value: &str, place: &str, faults: &mut Faults<'_>) -> Vec<Value> {
    let text = value.rsplit_once("</think>").map_or(value, |(_, rest)| rest);
    match Value::read(text.trim()) {
        Ok(Value::List(list)) => list,
        Ok(one) => vec![one],
        Err(_) => {
            faults.error("unparsable", place, "the value of a `function_call` is no JSON, which ends the loading");
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Loader;
    use super::super::testing::{found, rules};

    fn row(turns: &[(&str, &str)], tools: &str) -> String {
        let turns: Vec<_> =
            turns.iter().map(|(from, value)| serde_json::json!({"from": from, "value": value})).collect();
        serde_json::json!({"conversations": turns, "tools": tools}).to_string()
    }

    const CALL: (&str, &str) = ("function_call", r#"{"name": "f", "arguments": {}}"#);
    const TOOLS: &str = r#"[{"name": "f"}]"#;

    #[test]
    fn strict_turns_are_kept() {
        let sound = [("human", "hi"), CALL, ("observation", "1"), ("gpt", "One.")];
        assert_eq!(found(Loader::Llamafactory, &[&row(&sound, TOOLS)]), Vec::<String>::new());
        for broken in [&sound[..3], &sound[1..], &[("human", "a"), CALL, CALL, ("gpt", "b")]] {
            assert_eq!(rules(Loader::Llamafactory, &row(broken, TOOLS)), ["alternation"], "{broken:?}");
        }
    }

    #[test]
    fn calls_and_tools_are_json() {
        let of = |call: &str, tools: &str| {
            rules(Loader::Llamafactory, &row(&[("human", "hi"), ("function_call", call)], tools))
        };
        assert_eq!(of("f()", TOOLS), ["unparsable"]);
        assert_eq!(of(r#"[{"name": "f", "arguments": {}}, {"name": "f"}]"#, TOOLS), ["call"]);
        assert_eq!(of(CALL.1, "["), ["unparsable", "not_offered"]);
        assert_eq!(of(&format!("<think>\nhm\n</think>\n{}", CALL.1), TOOLS), Vec::<String>::new());
        assert_eq!(rules(Loader::Llamafactory, &row(&[("human", "hi"), ("bot", "x")], "[]")), ["role", "alternation"]);
    }

    #[test]
    fn a_pair_ends_with_the_person() {
        let row = r#"{"conversations": [{"from": "human", "value": "hi"}], "chosen": {}, "rejected": {}}"#;
        assert_eq!(rules(Loader::Llamafactory, row), Vec::<String>::new());
        assert_eq!(rules(Loader::Llamafactory, r#"{"conversations": []}"#), ["messages"]);
    }
}
