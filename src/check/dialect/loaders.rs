//! The loaders that drop or refuse rows, each with its rules.

use super::{Faults, Loader};
use crate::record::{Object, Value};
use std::collections::{BTreeMap, BTreeSet};

// What all loaders want of tools and calls.

/// The longest name that OpenAI's service takes.
const LONGEST: usize = 64;

/// Whether a name is made of letters, digits, `_` and `-`.
pub(super) fn is_fit(name: &str) -> bool {
    let fit = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    (1..=LONGEST).contains(&name.chars().count()) && name.chars().all(fit)
}

/// A text as the list that it writes.
pub(super) fn list(text: &str) -> Option<Vec<Value>> {
    if let Ok(Value::List(list)) = Value::read(text) { Some(list) } else { None }
}

/// The names of tools, wrapped or bare; a tool without a name is told.
pub(super) fn names(tools: &[Value], faults: &mut Faults<'_>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (at, tool) in tools.iter().enumerate() {
        let bare = tool.as_object().and_then(|tool| tool.get("function")).unwrap_or(tool).as_object();
        match bare.and_then(|tool| tool.get("name")).and_then(Value::as_str) {
            Some(name) => drop(names.insert(name.to_owned())),
            None => faults.error("tools", &format!("tools[{at}]"), "no name"),
        }
    }
    names
}

/// A call's name and its arguments, which must be an object.
pub(super) fn read<'v>(call: &'v Object, place: &str, faults: &mut Faults<'_>) -> Option<(&'v str, &'v Object)> {
    let name = call.get("name").and_then(Value::as_str);
    let arguments = call.get("arguments").and_then(Value::as_object);
    match (name, arguments) {
        (Some(name), Some(arguments)) => Some((name, arguments)),
        (None, _) => {
            faults.error("call", place, "no `name`");
            None
        }
        (_, None) => {
            faults.error("call", place, "`arguments` is not an object");
            None
        }
    }
}

/// Tells a call of a tool that is not there.
pub(super) fn offered(name: &str, names: &BTreeSet<String>, place: &str, faults: &mut Faults<'_>) {
    if !names.contains(name) {
        faults.warning("not_offered", place, &format!("`{name}` is not one of the row's tools"));
    }
}

// What Arrow makes of rows: one type for each key, so that mixed types fail or become nulls.

/// The types by what has them, over all rows: argument names, and the keys of rows.
#[derive(Debug, Default)]
pub(super) struct Types {
    arguments: BTreeMap<String, &'static str>,
    keys: BTreeMap<String, &'static str>,
    count: Option<usize>,
}

impl Types {
    /// Holds a row to the types of the rows before.
    pub(super) fn check(&mut self, loader: Loader, row: &Object, faults: &mut Faults<'_>) {
        if loader == Loader::TrlArrow {
            return self.keys(row, faults);
        }
        let list = row.get("messages").and_then(Value::as_list).unwrap_or_default();
        let calls = list.iter().filter_map(|message| message.as_object()?.get("tool_calls")?.as_list()).flatten();
        for arguments in calls.filter_map(arguments) {
            for (name, value) in arguments {
                let (kind, known) = (value.type_name(), mixed(&mut self.arguments, name, value));
                if let Some(known) = known {
                    let what = format!(
                        "`{name}` is {kind} here and {known} in earlier rows: `datasets` needs its JSON type for mixed types, or arguments as strings"
                    );
                    faults.warning("mixed_types", "arguments", &what);
                }
            }
        }
    }

    fn keys(&mut self, row: &Object, faults: &mut Faults<'_>) {
        for (key, value) in row {
            if let Some(known) = mixed(&mut self.keys, key, value) {
                faults.error(
                    "mixed_types",
                    key,
                    &format!("type is {} here and {known} in earlier rows", value.type_name()),
                );
            }
        }
        let known = *self.count.get_or_insert(row.len());
        if known != row.len() {
            faults.error("absent_key", "row", &format!("{} keys, but earlier rows have {known}", row.len()));
        }
    }
}

/// The type that a name had before, if it is another one. Null goes with every type.
fn mixed(types: &mut BTreeMap<String, &'static str>, name: &str, value: &Value) -> Option<&'static str> {
    let kind = value.type_name();
    match types.get(name) {
        _ if value.is_null() => None,
        Some(known) if *known != kind => Some(known),
        Some(_) => None,
        None => {
            types.insert(name.to_owned(), kind);
            None
        }
    }
}

fn arguments(call: &Value) -> Option<&Object> {
    let call = call.as_object()?;
    call.get("function").and_then(Value::as_object).unwrap_or(call).get("arguments")?.as_object()
}

// xLAM: a request, and lists that are texts.

/// Holds a row to the rules of the format.
pub(super) fn check_xlam(row: &Object, faults: &mut Faults<'_>) {
    if row.get("query").and_then(Value::as_str).is_none_or(|text| text.trim().is_empty()) {
        faults.error("query", "query", "no request");
    }
    let mut text = |key: &str| {
        if let Some(Value::String(text)) = row.get(key) {
            list(text).unwrap_or_else(|| {
                faults.error("unparsable", key, "not a JSON list");
                Vec::new()
            })
        } else {
            faults.error("not_text", key, "expected a string");
            Vec::new()
        }
    };
    let (answers, tools) = (text("answers"), text("tools"));
    let names = names(&tools, faults);
    for (at, tool) in tools.iter().enumerate() {
        let parameters = tool.as_object().and_then(|tool| tool.get("parameters")).and_then(Value::as_object);
        if parameters.is_some_and(|it| {
            it.get("properties").is_some_and(|it| it.as_object().is_some_and(|it| !it.contains_key("type")))
        }) {
            faults.warning(
                "nested_schema",
                &format!("tools[{at}]"),
                "parameters are a JSON Schema; the format expects a flat map",
            );
        }
    }
    for (at, answer) in answers.iter().enumerate() {
        let place = format!("answers[{at}]");
        let call = answer.as_object().cloned().unwrap_or_default();
        if let Some((name, _)) = read(&call, &place, faults) {
            offered(name, &names, &place, faults);
        }
    }
}

// LLaMA-Factory's `sharegpt`: strict turns, calls that are JSON, tools as a text.

/// Who speaks at even places, and who at odd ones.
const EVEN: [&str; 2] = ["human", "observation"];
const ODD: [&str; 2] = ["gpt", "function_call"];

/// Holds a row to the loader's rules.
pub(super) fn check_sharegpt(row: &Object, faults: &mut Faults<'_>) {
    let Some(turns) = row.get("conversations").and_then(Value::as_list).filter(|it| !it.is_empty()) else {
        return faults.error("messages", "row", "`conversations` is missing or empty");
    };
    let tools = match row.get("tools") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(text)) if text.is_empty() => Vec::new(),
        Some(Value::String(text)) => list(text).unwrap_or_else(|| {
            faults.error("unparsable", "tools", "not a JSON list");
            Vec::new()
        }),
        Some(_) => {
            faults.error("not_text", "tools", "expected a string");
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
            faults.error("messages", &place, "`from` or `value` is missing");
            continue;
        };
        let wanted = if (at - lead).is_multiple_of(2) { EVEN } else { ODD };
        in_turn &= wanted.contains(&from.as_str());
        if !EVEN.iter().chain(&ODD).any(|known| *known == from) {
            faults.error("role", &place, &format!("unknown role `{from}`"));
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
            "user and assistant turns do not alternate in pairs: the loader drops the row",
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
            faults.error("unparsable", place, "the value of a `function_call` is not JSON: loading fails");
            Vec::new()
        }
    }
}

// Hermes: calls, results and tools stand in tags, so that a text must not hold the tags itself.

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
pub(super) fn check_hermes(row: &Object, faults: &mut Faults<'_>) {
    let Some(turns) = row.get("conversations").and_then(Value::as_list).filter(|it| !it.is_empty()) else {
        return faults.error("messages", "row", "`conversations` is missing or empty");
    };
    let mut tools = BTreeSet::new();
    for (at, turn) in turns.iter().enumerate() {
        let place = format!("conversations[{at}]");
        let field = |key: &str| turn.as_object().and_then(|turn| turn.get(key)).and_then(Value::as_str);
        let (Some(from), Some(value)) = (field("from"), field("value")) else {
            faults.error("messages", &place, "`from` or `value` is missing");
            continue;
        };
        if !ROLES.contains(&from) {
            faults.error("role", &place, &format!("unknown role `{from}`"));
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
            "the last turn is not from the assistant: nothing is trained after the last assistant turn",
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
        faults.error("unparsable", place, "the content of `<tools>` is not JSON");
        BTreeSet::new()
    }
}

/// Tags in the words of somebody who has no use for them.
fn strangers(from: &str, value: &str, place: &str, faults: &mut Faults<'_>) {
    if let Some((tag, _)) = TAGS.iter().find(|(tag, owner)| *owner != from && value.contains(tag)) {
        faults.error("tag_text", place, &format!("the text contains the reserved tag `{tag}`"));
    }
}

fn calls(value: &str, tools: &BTreeSet<String>, place: &str, faults: &mut Faults<'_>) {
    if value.matches("<tool_call>").count() != value.matches("</tool_call>").count() {
        return faults.error("tag_text", place, "unbalanced `<tool_call>` and `</tool_call>`");
    }
    for block in value.split("<tool_call>").skip(1).filter_map(|rest| rest.split_once("</tool_call>")) {
        match Value::read(block.0.trim()) {
            Ok(Value::Object(call)) => {
                if let Some((name, _)) = read(&call, place, faults) {
                    offered(name, tools, place, faults);
                }
            }
            _ => faults.error("unparsable", place, "the content of a `<tool_call>` is not a JSON object"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_the_service_takes() {
        assert!(
            is_fit("get_weather-2")
                && !is_fit("get weather")
                && !is_fit("")
                && !is_fit("a.b")
                && !is_fit(&"x".repeat(65))
        );
    }

    #[test]
    fn only_a_list_is_a_list() {
        assert_eq!((list("[1]").map(|it| it.len()), list("{}"), list("[")), (Some(1), None, None));
    }
}

#[cfg(test)]
mod arrow_tests {
    use super::super::testing::found;
    use super::*;

    fn row(value: &str) -> String {
        format!(
            r#"{{"messages": [{{"role": "user", "content": "hi"}}, {{"role": "assistant", "tool_calls": [{{"function": {{"name": "f", "arguments": {{"n": {value}}}}}}}]}}], "tools": [{{"name": "f"}}]}}"#
        )
    }

    #[test]
    fn an_argument_of_two_types_is_told_where_it_changes() {
        let rows = [row("1"), row("null"), row("\"one\"")];
        let told = found(Loader::Trl, &rows.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(told.len(), 1);
        assert!(told[0].starts_with("mixed_types arguments: `n` is"), "{told:?}");
    }

    #[test]
    fn rows_for_arrow_have_the_same_keys_of_the_same_types() {
        let row = |more: &str| {
            format!(
                r#"{{"messages": [{{"role": "assistant", "content": "x", "tool_calls": [], "tool_call_id": null, "name": null}}], "tools": "[]", {more}}}"#
            )
        };
        let rows = [row(r#""id": "a""#), row(r#""id": 7"#), row(r#""id": "c", "more": 1"#)];
        let told = found(Loader::TrlArrow, &rows.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(
            told[0].starts_with("mixed_types id: type is") && told[1].starts_with("absent_key row: 4 keys"),
            "{told:?}"
        );
    }
}

#[cfg(test)]
mod xlam_tests {
    use super::super::Loader;
    use super::super::testing::rules;

    fn of(query: &str, answers: &str, tools: &str) -> Vec<String> {
        rules(Loader::Xlam, &serde_json::json!({"query": query, "answers": answers, "tools": tools}).to_string())
    }

    #[test]
    fn lists_are_texts_and_calls_name_tools() {
        let call = r#"[{"name": "f", "arguments": {"n": 1}}]"#;
        assert_eq!(of("go", call, r#"[{"name": "f", "parameters": {"n": {"type": "int"}}}]"#), Vec::<String>::new());
        assert_eq!(of("go", "[]", "[]"), Vec::<String>::new());
        assert_eq!(of(" ", call, "[]"), ["query", "not_offered"]);
        assert_eq!(
            of("go", "{", r#"[{"name": "f", "parameters": {"type": "object", "properties": {"n": {}}}}]"#),
            ["unparsable", "nested_schema"]
        );
        assert_eq!(of("go", r#"[{"name": "f", "arguments": "{}"}]"#, "[]"), ["call"]);
        assert_eq!(rules(Loader::Xlam, r#"{"query": "go", "answers": [], "tools": []}"#), ["not_text", "not_text"]);
    }
}

#[cfg(test)]
mod sharegpt_tests {
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

#[cfg(test)]
mod hermes_tests {
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
