//! Whether an assistant's call can be accepted: its form, and where each of its values comes from.

use crate::complexfunc::stage::model::trace::{Answered, Tracer, check_form};
use crate::record::{
    Argument, ArgumentNotes, FunctionCall, MadeCall, Message, Origin, Parameters, Role, Tool, Value, Violation,
};
use crate::stage::context::Context;
use crate::stage::outcome::Fault;
use serde_json::Value as Json;
use std::sync::Arc;

/// What stands before a call.
pub(crate) struct Before<'a> {
    pub context: &'a Context,
    /// The time of the conversation, in ISO 8601.
    pub time: &'a str,
    pub messages: &'a [Message],
    pub made: &'a [MadeCall],
}

/// The notes of a call that can be made; else what is wrong with it.
pub(crate) fn check_call(
    before: &Before<'_>,
    tools: &[Arc<Tool>],
    call: &FunctionCall,
) -> Result<ArgumentNotes, Fault> {
    let Some(tool) = tools.iter().find(|tool| tool.name == call.name) else {
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        let detail = format!("there is no function `{}`; there are: {}", call.name, names.join(", "));
        return Err(Fault::new("unknown_tool", detail));
    };
    let malformed = |detail: String| Fault::new("malformed_call", format!("`{}`: {detail}", tool.name));
    keywords(tool, call).map_err(malformed)?;
    check_form(tool, call).map_err(|fault| malformed(fault.to_string()))?;
    notes(before, tool, call)
}

/// The notes of the arguments that there are; those that are missing may be given later.
pub(crate) fn said_notes(before: &Before<'_>, tool: &Tool, call: &FunctionCall) -> Result<ArgumentNotes, Fault> {
    let given = Parameters { required: Vec::new(), ..tool.parameters.clone() };
    let malformed = |fault| Fault::new("malformed_call", format!("`{}`: {fault}", tool.name));
    check_form(&Tool { parameters: given, ..Tool::default() }, call).map_err(malformed)?;
    notes(before, tool, call)
}

fn notes(before: &Before<'_>, tool: &Tool, call: &FunctionCall) -> Result<ArgumentNotes, Fault> {
    let texts = before.texts();
    let note = |name: &String| {
        let missing = || {
            let value = call.arguments.get(name).map(Value::to_string).unwrap_or_default();
            let detail =
                format!("`{name}` of `{}` is {value}, which nobody said and no earlier answer holds", tool.name);
            Fault::new("no_source", format!("{detail}: ask the person for it, or leave it out if it is not required"))
        };
        Ok((name.clone(), before.source(tool, name, call, &texts).ok_or_else(missing)?))
    };
    call.arguments.keys().map(note).collect()
}

/// Whether the values obey more than the types of their parameters.
fn keywords(tool: &Tool, call: &FunctionCall) -> Result<(), String> {
    let mut given = call.arguments.iter();
    let broken = given.find_map(|(name, value)| match tool.parameters.properties.get(name)?.check(value) {
        Err(Violation::Keyword(text)) => Some(format!("`{name}`: {text}")),
        _ => None,
    });
    broken.map_or(Ok(()), Err)
}

impl Before<'_> {
    /// Everything said: the person's words before the assistant's, of each the last first.
    fn texts(&self) -> Vec<&str> {
        let said = |role: Role| {
            let own = self.messages.iter().rev().filter(move |message| message.role == role);
            own.filter_map(|message| message.content.as_deref())
        };
        said(Role::User).chain(said(Role::Assistant)).collect()
    }

    /// Where a value comes from; `None` where nothing tells.
    fn source(&self, tool: &Tool, name: &str, call: &FunctionCall, texts: &[&str]) -> Option<Argument> {
        let whole = texts.join("\n");
        if let Some(found) = self.traced(tool, name, call, &whole) {
            // The last words that say it are those that it is called for.
            let said = found.surface.is_some() && found.origin.answer().is_none();
            let last = texts.iter().filter(|_| said).find_map(|text| {
                self.traced(tool, name, call, text).filter(|it| it.surface.is_some() && it.origin.answer().is_none())
            });
            return Some(last.unwrap_or(found));
        }
        let schema = serde_json::to_value(tool.parameters.properties.get(name)?).ok()?;
        match unchosen(call.arguments.get(name)?, &schema) {
            None => Some(Argument { origin: Origin::Enum, ..Argument::default() }),
            Some(rest) => {
                let mut call = call.clone();
                call.arguments.insert(name.to_owned(), rest);
                self.traced(tool, name, &call, &whole)
            }
        }
    }

    fn traced(&self, tool: &Tool, name: &str, call: &FunctionCall, text: &str) -> Option<Argument> {
        let tracer = Tracer::at(self.context, text, &[], self.time.to_owned());
        let succeeded = self.made.iter().enumerate().filter(|(_, made)| !made.failed);
        let earlier: Vec<Answered<'_>> =
            succeeded.map(|(call, made)| Answered { call, tool: &made.call.name, answer: &made.answer }).collect();
        let found = tracer.argument(tool, name, &call.arguments, &earlier).argument;
        (found.origin != Origin::Missing).then_some(found)
    }
}

/// What is left of a value without what the schema lets one choose: listed values, flags, and defaults.
fn unchosen(value: &Value, schema: &Json) -> Option<Value> {
    let is = |key: &str| schema.get(key).is_some_and(|it| Value::from(it.clone()).equals(value));
    let listed = schema.get("enum").and_then(Json::as_array);
    let is_listed = listed.is_some_and(|list| list.iter().any(|it| Value::from(it.clone()).equals(value)));
    if value.as_bool().is_some() || is_listed || is("default") || is("const") {
        return None;
    }
    match value {
        Value::List(items) if !items.is_empty() => {
            let part = schema.get("items").unwrap_or(&Json::Null);
            let rest: Vec<Value> = items.iter().filter_map(|item| unchosen(item, part)).collect();
            (!rest.is_empty()).then_some(Value::List(rest))
        }
        Value::Object(fields) if !fields.is_empty() => {
            let part = |name: &str| schema.get("properties").and_then(|it| it.get(name)).unwrap_or(&Json::Null);
            let rest = fields.iter().filter_map(|(name, value)| Some((name.clone(), unchosen(value, part(name))?)));
            let rest: crate::record::Object = rest.collect();
            (!rest.is_empty()).then_some(Value::Object(rest))
        }
        other => Some(other.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::testing::silent;

    const TOOL: &str = r#"{"name": "order", "parameters": {"required": ["what"], "properties": {
        "what": {"type": "string"}, "on": {"type": "string"}, "size": {"type": "string", "enum": ["small", "large"]},
        "gift": {"type": "boolean"}, "copies": {"type": "integer", "default": 1}, "id": {"type": "string"},
        "lines": {"type": "array", "items": {"type": "object", "required": ["of"], "properties": {
            "of": {"type": "string"}, "kind": {"type": "string", "enum": ["hot", "iced"]}}}}}}}"#;

    /// What is noted of the arguments of a call, after what a person and an assistant said, and one answer.
    fn checked(name: &str, arguments: &str) -> Result<ArgumentNotes, Fault> {
        let answer = Value::read(r#"{"id": "CUP-4471"}"#).unwrap();
        let made = |failed| MadeCall {
            call: FunctionCall { name: "find".to_owned(), ..FunctionCall::default() },
            notes: ArgumentNotes::new(),
            answer: answer.clone(),
            failed,
        };
        let context = silent();
        let messages = [
            Message::user("Two cups of green tea for tomorrow"),
            Message::new(Role::Assistant, "Do you mean Sencha?"),
            Message::user("Yes, green tea it is, and 3 biscuits"),
        ];
        let made = [made(true), made(false)];
        let before = Before { context: &context, time: "2026-01-02T09:00:00", messages: &messages, made: &made };
        let tools = [Arc::new(serde_json::from_str(TOOL).unwrap())];
        let call = FunctionCall { name: name.to_owned(), arguments: serde_json::from_str(arguments).unwrap() };
        check_call(&before, &tools, &call)
    }

    fn noted(name: &str, value: &str) -> (Origin, Option<String>) {
        let mut arguments = format!(r#"{{"what": "green tea", "{name}": {value}}}"#);
        if name == "what" {
            arguments = format!(r#"{{"what": {value}}}"#);
        }
        let note = checked("order", &arguments).unwrap().swap_remove(name).unwrap();
        (note.origin, note.surface)
    }

    fn refused(name: &str, arguments: &str) -> (&'static str, String) {
        let fault = checked(name, arguments).unwrap_err();
        (fault.reason, fault.detail)
    }

    #[test]
    fn values_come_from_what_was_said_or_answered() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(noted("what", "\"green tea\""), (Origin::Verbatim, some("green tea")));
        assert_eq!(noted("what", "\"Sencha\""), (Origin::Verbatim, some("Sencha")), "the assistant offered it");
        assert_eq!(noted("on", "\"2026-01-03\""), (Origin::Inferred, some("tomorrow")));
        assert_eq!(noted("copies", "2"), (Origin::Normalised, some("Two")));
        let answered = Origin::Answer { call: 1, field: "/id".to_owned() };
        assert_eq!(noted("id", "\"CUP-4471\""), (answered, None), "an error answers nothing");
    }

    #[test]
    fn what_can_be_chosen_needs_no_words() {
        assert_eq!(noted("size", "\"large\""), (Origin::Enum, None));
        assert_eq!(noted("gift", "true"), (Origin::Enum, None));
        assert_eq!(noted("copies", "1"), (Origin::Default, None));
        let lines = r#"[{"of": "biscuits", "kind": "iced"}]"#;
        assert_eq!(noted("lines", lines), (Origin::Verbatim, Some("biscuits".to_owned())));
    }

    #[test]
    fn an_invented_value_has_no_source() {
        for (name, value) in [("id", "\"CUP-9\""), ("copies", "7"), ("on", "\"2026-01-09\"")] {
            let (reason, detail) = refused("order", &format!(r#"{{"what": "green tea", "{name}": {value}}}"#));
            assert!(
                reason == "no_source" && detail.starts_with(&format!("`{name}` of `order` is {value}, ")),
                "{detail}"
            );
        }
        let lines = r#"{"what": "green tea", "lines": [{"of": "cake", "kind": "iced"}]}"#;
        assert_eq!(refused("order", lines).0, "no_source");
    }

    #[test]
    fn what_is_malformed_is_told_with_the_place() {
        assert_eq!(refused("sing", "{}"), ("unknown_tool", "there is no function `sing`; there are: order".to_owned()));
        assert_eq!(refused("order", "{}"), ("malformed_call", "`order`: `what` is missing".to_owned()));
        let more = |text: &str| refused("order", &format!(r#"{{"what": "green tea", {text}}}"#)).1;
        assert_eq!(more(r#""colour": 1"#), "`order`: unknown parameter `colour`");
        assert_eq!(more(r#""copies": "two""#), "`order`: invalid value for `copies`: expected integer, found \"two\"");
        assert_eq!(more(r#""lines": [{}]"#), "`order`: `lines`: \"of\" is a required property at `/0`");
    }
}
