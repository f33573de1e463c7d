//! Rows of `messages` and `tools`: OpenAI's service, TRL in both forms, LLaMA-Factory's `openai`.

use super::loaders::{is_fit, list, names, offered, read};
use super::{Faults, Loader};
use crate::record::{Object, Value};
use std::collections::BTreeSet;

/// Who may speak.
const ROLES: [&str; 5] = ["system", "developer", "user", "assistant", "tool"];
/// The keys that every message has where Arrow must not fill in nulls.
const KEYS: [&str; 5] = ["role", "content", "tool_calls", "tool_call_id", "name"];

/// Holds a row to a loader's rules.
pub(super) fn check(loader: Loader, row: &Object, faults: &mut Faults<'_>) {
    let Some(messages) = row.get("messages").and_then(Value::as_list).filter(|it| !it.is_empty()) else {
        return faults.error("messages", "row", "`messages` is missing or empty");
    };
    let tools = tools(loader, row, faults);
    let mut look = Look { loader, tools, open: Vec::new(), seen: BTreeSet::new() };
    for (at, message) in messages.iter().enumerate() {
        let place = format!("messages[{at}]");
        match message.as_object() {
            Some(message) => look.message(message, &place, faults),
            None => faults.error("messages", &place, "not an object"),
        }
    }
    look.end(messages, faults);
    if loader == Loader::LlamafactoryOpenai {
        alternation(messages, faults);
    }
}

/// The names of the tools, where they are written as the loader reads them.
fn tools(loader: Loader, row: &Object, faults: &mut Faults<'_>) -> BTreeSet<String> {
    let is_text = loader == Loader::TrlArrow;
    let tools = match row.get("tools") {
        None | Some(Value::Null) => {
            match loader {
                Loader::LlamafactoryOpenai => {
                    faults.warning("tools", "row", "without tools the loader changes the system message");
                }
                Loader::TrlArrow => {
                    faults.error("absent_key", "row", "`tools` is missing: every row needs every key");
                }
                _ => {}
            }
            return BTreeSet::new();
        }
        Some(Value::String(text)) if loader == Loader::Openai => {
            faults.error("tools", "tools", "expected a list, found a string");
            list(text).unwrap_or_default()
        }
        Some(Value::String(text)) => list(text).unwrap_or_else(|| {
            faults.error("unparsable", "tools", "not a JSON list");
            Vec::new()
        }),
        Some(Value::List(tools)) => {
            if is_text {
                faults.error(
                    "not_text",
                    "tools",
                    "expected a string, found a list, whose items Arrow converts to a single type",
                );
            }
            tools.clone()
        }
        Some(other) => {
            faults.error("tools", "tools", &format!("expected a list, found {}", other.type_name()));
            Vec::new()
        }
    };
    let names = names(&tools, faults);
    if loader == Loader::Openai {
        if tools.is_empty() {
            faults.error("tools", "tools", "an empty list is rejected; omit the key");
        }
        names.iter().filter(|name| !is_fit(name)).for_each(|name| unfit(name, "tools", faults));
    }
    names
}

fn unfit(name: &str, place: &str, faults: &mut Faults<'_>) {
    faults.error(
        "name",
        place,
        &format!("`{name}` is not a valid name: expected 1 to 64 letters, digits, `_` and `-`"),
    );
}

struct Look {
    loader: Loader,
    tools: BTreeSet<String>,
    /// Ids of calls without an answer yet.
    open: Vec<String>,
    seen: BTreeSet<String>,
}

impl Look {
    fn message(&mut self, message: &Object, place: &str, faults: &mut Faults<'_>) {
        let role = message.get("role").and_then(Value::as_str).unwrap_or_default();
        if !ROLES.contains(&role) {
            let what =
                if role == "function" { "the role `function` is deprecated; use `tool`" } else { "unknown role" };
            faults.error("role", place, what);
        }
        if ["function_call", "functions"].into_iter().any(|key| message.contains_key(key)) {
            faults.error("deprecated", place, "`function_call` is deprecated; use `tool_calls`");
        }
        let calls = message.get("tool_calls").and_then(Value::as_list).unwrap_or_default();
        self.content(message, !calls.is_empty(), place, faults);
        if role != "tool" && !self.open.is_empty() {
            faults.error(
                "unpaired",
                place,
                &format!("no answer to the call `{}` before this message", self.open.join("`, `")),
            );
            self.open.clear();
        }
        for (at, call) in calls.iter().enumerate() {
            self.call(call, &format!("{place}.tool_calls[{at}]"), faults);
        }
        if role == "tool" {
            self.answer(message, place, faults);
        }
    }

    fn content(&self, message: &Object, calls: bool, place: &str, faults: &mut Faults<'_>) {
        let content = message.get("content");
        let is_there = content.is_some_and(|content| !content.is_null());
        match self.loader {
            Loader::LlamafactoryOpenai if content.is_none() => {
                faults.error("content", place, "`content` is missing: loading fails");
            }
            Loader::LlamafactoryOpenai
                if calls && content.and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty()) =>
            {
                faults.warning("text_beside_call", place, "the loader drops the text beside the calls");
            }
            Loader::TrlArrow => {
                let absent: Vec<&str> = KEYS.into_iter().filter(|key| !message.contains_key(*key)).collect();
                if !absent.is_empty() {
                    faults.error(
                        "absent_key",
                        place,
                        &format!("`{}` is missing: every message needs every key", absent.join("`, `")),
                    );
                }
            }
            Loader::Openai | Loader::Trl if !calls && !is_there => {
                faults.error("content", place, "neither `content` nor a call");
            }
            _ => {}
        }
    }

    fn call(&mut self, call: &Value, place: &str, faults: &mut Faults<'_>) {
        let Some(call) = call.as_object() else { return faults.error("call", place, "not an object") };
        let mut function = call.get("function").and_then(Value::as_object).unwrap_or(call).clone();
        self.form(&mut function, place, faults);
        if let Some((name, _)) = read(&function, place, faults) {
            offered(name, &self.tools, place, faults);
            if self.loader == Loader::Openai && !is_fit(name) {
                unfit(name, place, faults);
            }
        }
        match call.get("id").and_then(Value::as_str) {
            Some(id) if !self.seen.insert(id.to_owned()) => {
                faults.error("unpaired", place, &format!("duplicate id `{id}`"));
            }
            Some(id) => self.open.push(id.to_owned()),
            None if self.loader == Loader::Openai => faults.error("unpaired", place, "no `id`"),
            None => {}
        }
    }

    /// Whether the arguments are written as the loader reads them: a text, or an object.
    fn form(&self, function: &mut Object, place: &str, faults: &mut Faults<'_>) {
        let wants_text = matches!(self.loader, Loader::Openai | Loader::TrlArrow);
        let Some(arguments) = function.get_mut("arguments") else { return };
        match (&*arguments, wants_text) {
            (Value::String(text), _) => {
                match Value::read(text) {
                    Ok(read) => *arguments = read,
                    Err(_) => return faults.error("unparsable", place, "`arguments` is a string that is not JSON"),
                }
                if !wants_text {
                    faults.error(
                        "not_object",
                        place,
                        "`arguments` is a string, which the loader encodes a second time",
                    );
                }
            }
            (_, true) => faults.error("not_text", place, "expected `arguments` to be a string"),
            _ => {}
        }
    }

    fn answer(&mut self, message: &Object, place: &str, faults: &mut Faults<'_>) {
        let id = message.get("tool_call_id").and_then(Value::as_str);
        match id.map(|id| (id, self.open.iter().position(|open| open == id))) {
            Some((_, Some(at))) => drop(self.open.remove(at)),
            Some((id, None)) => faults.error("unpaired", place, &format!("`{id}` is not the id of an unanswered call")),
            None if self.loader == Loader::Openai => faults.error("unpaired", place, "no `tool_call_id`"),
            None => {}
        }
    }

    fn end(&self, messages: &[Value], faults: &mut Faults<'_>) {
        let role = messages.last().and_then(Value::as_object).and_then(|it| it.get("role")).and_then(Value::as_str);
        if role != Some("assistant") {
            let what =
                "the last message is not from the assistant: nothing is trained after the last assistant message";
            match self.loader {
                Loader::LlamafactoryOpenai | Loader::Openai => faults.error("last", "messages", what),
                _ => faults.warning("last", "messages", what),
            }
        }
    }
}

/// People and tools at even places, the assistant at odd ones, once answers in a row are one.
fn alternation(messages: &[Value], faults: &mut Faults<'_>) {
    let role = |message: &Value| {
        message.as_object().and_then(|it| it.get("role")).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let mut roles: Vec<String> = messages.iter().map(role).collect();
    if matches!(roles.first().map(String::as_str), Some("system" | "developer")) {
        roles.remove(0);
    }
    roles.dedup_by(|one, other| one == other && *one == "tool");
    let is_wrong = |(at, role): (usize, &String)| (role == "assistant") != (at % 2 == 1);
    if roles.iter().enumerate().any(is_wrong) || roles.len() % 2 == 1 {
        faults.error(
            "alternation",
            "messages",
            "user and assistant messages do not alternate: the loader drops the row",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{found, rules};
    use super::*;

    const SOUND: &str = r#"{"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\"n\": 1}"}}]}, {"role": "tool", "tool_call_id": "c1", "content": "2"}, {"role": "assistant", "content": "Two."}], "tools": [{"type": "function", "function": {"name": "f"}}]}"#;

    #[test]
    fn a_row_of_the_service_is_sound_there_and_encoded_twice_elsewhere() {
        assert_eq!(rules(Loader::Openai, SOUND), Vec::<String>::new());
        assert_eq!(rules(Loader::Trl, SOUND), ["not_object"]);
        let objects = SOUND.replace(r#""{\"n\": 1}""#, r#"{"n": 1}"#);
        assert_eq!(
            (rules(Loader::Trl, &objects), rules(Loader::Openai, &objects)),
            (vec![], vec!["not_text".to_owned()])
        );
        assert_eq!(rules(Loader::LlamafactoryOpenai, &objects), Vec::<String>::new());
        assert_eq!(rules(Loader::TrlArrow, SOUND)[0], "not_text");
    }

    #[test]
    fn ids_are_unique_and_in_pairs() {
        let other = SOUND.replace(r#""tool_call_id": "c1""#, r#""tool_call_id": "c2""#);
        assert_eq!(
            found(Loader::Openai, &[&other]),
            [
                "unpaired messages[2]: `c2` is not the id of an unanswered call",
                "unpaired messages[3]: no answer to the call `c1` before this message",
            ]
        );
        assert_eq!(rules(Loader::Openai, &SOUND.replace(r#""id": "c1", "#, "")), ["unpaired", "unpaired"]);
    }

    #[test]
    fn calls_may_end_a_row_and_answers_may_not() {
        let row = |messages: &str| {
            format!(
                r#"{{"messages": [{{"role": "user", "content": "hi"}}, {messages}], "tools": [{{"function": {{"name": "f"}}}}]}}"#
            )
        };
        let call =
            r#"{"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]}"#;
        assert_eq!(rules(Loader::Openai, &row(call)), Vec::<String>::new());
        let answered = format!(r#"{call}, {{"role": "tool", "tool_call_id": "c", "content": ""}}"#);
        assert_eq!(rules(Loader::Openai, &row(&answered)), ["last"]);
    }

    #[test]
    fn names_texts_and_roles_are_looked_at() {
        assert_eq!(rules(Loader::Openai, &SOUND.replace("\"f\"", "\"a.b\"")), ["name", "name"]);
        assert_eq!(rules(Loader::Openai, &SOUND.replace(r#"{\"n\": 1}"#, "{n}")), ["unparsable", "call"]);
        assert_eq!(rules(Loader::Openai, &SOUND.replace(r#""role": "user""#, r#""role": "bot""#)), ["role"]);
        assert_eq!(rules(Loader::Openai, &SOUND.replace(r#", "content": "Two.""#, "")), ["content"]);
        assert_eq!(rules(Loader::Openai, r#"{"messages": []}"#), ["messages"]);
    }

    #[test]
    fn llamafactory_wants_turns_and_every_content() {
        let objects = SOUND.replace(r#""{\"n\": 1}""#, r#"{"n": 1}"#);
        let twice = objects.replace(
            r#"[{"role": "user", "content": "hi"}"#,
            r#"[{"role": "user", "content": "hi"}, {"role": "user", "content": "hi"}"#,
        );
        assert_eq!(rules(Loader::LlamafactoryOpenai, &twice), ["alternation"]);
        assert_eq!(rules(Loader::LlamafactoryOpenai, &objects.replace(r#""content": null, "#, "")), ["content"]);
        assert_eq!(
            rules(Loader::LlamafactoryOpenai, &objects.replace("null", "\"One moment.\"")),
            ["text_beside_call"]
        );
    }
}
