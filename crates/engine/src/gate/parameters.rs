//! Are these exactly the arguments that were wanted, of the declared types, and does the text say each?

use super::Fault;
use super::request::{check_request, check_words};
use super::weekday::check_weekdays;
use crate::locale::{Folded, Language, Stamp, Stand, numbers_in, resolve, value_stands};
use crate::record::{Argument, ArgumentNotes, FunctionCall, Origin, Parameter, SaidWords, Tool, Value, Violation};

/// Checks a label against the tool, the preset list of parameters and the text (HammerBench 4.1.1, E.2). Gives the
/// surface form and origin of each argument.
pub fn check_parameters(
    tool: &Tool,
    preset: &[String],
    call: &FunctionCall,
    text: &str,
    language: &Language,
) -> Result<ArgumentNotes, Fault> {
    let ground = |name: &str, parameter: &Parameter, value: &Value| {
        said(tool, name, parameter, value, text, language).ok_or_else(|| unsaid(name, value))
    };
    let notes = check_label(tool, preset, call, text, ground)?;
    check_distinct(&notes, text)?;
    check_request(tool, call, &notes, text, language)?;
    Ok(notes)
}

/// What a writer tells of a text besides its label, and what is known of its values.
#[derive(Clone, Copy)]
pub struct Wording<'a> {
    /// The words that say each argument, as the writer tells them.
    pub said: &'a SaidWords,
    /// What people are known to say for a value of a parameter.
    pub known: &'a dyn Fn(&str, &Value) -> Vec<String>,
    /// The time that days and hours are counted from.
    pub reference_time: &'a str,
}

/// Checks a label whose values may have another form than their words: "2026-12-01" is said as "next Tuesday". A rule finds
/// the value in the text, or the writer's words for it stand there and no rule says that they mean another one: then a
/// reader has the last word.
pub fn check_wording(
    tool: &Tool,
    preset: &[String],
    call: &FunctionCall,
    (text, wording): (&str, Wording<'_>),
    language: &Language,
) -> Result<ArgumentNotes, Fault> {
    let letters = letters(text);
    let ground = |name: &str, parameter: &Parameter, value: &Value| {
        let known = (wording.known)(name, value);
        let more = (known.as_slice(), Some(wording.reference_time));
        let found = stands((tool, name, parameter), value, text, more, language);
        if let Some(found) =
            found.filter(|it| !is_converted(parameter, value, it.surface.as_deref().unwrap_or_default()))
        {
            return Ok(found);
        }
        let stand = |told: &&Vec<String>| told.iter().all(|words| letters.contains(&self::letters(words)));
        let told = wording.said.get(name).filter(stand);
        let Some(told) = told.filter(|told| !told.is_empty()) else { return Err(unsaid(name, value)) };
        let is_known = |words: &&String| known.iter().any(|it| self::letters(it) == self::letters(words));
        let is_free = value.as_str().is_some() && parameter.values.is_none() && !parameter.more.contains_key("format");
        let known = told.iter().find(is_known);
        if known.is_none() && (is_free || means_another(value, &told.join(" "), wording.reference_time, language)) {
            let detail = format!("the words `{}` do not say {name} = {}", told.join(", "), shown(value));
            return Err(Fault::new("value_not_grounded", detail).naming([&told.join(", "), name, &shown(value)]));
        }
        let origin =
            if parameter.values.is_some() || value.as_bool().is_some() { Origin::Enum } else { Origin::Inferred };
        Ok(Argument { surface: Some(told.join(JOINT)), origin, ..Argument::default() })
    };
    let notes = check_label(tool, preset, call, text, ground)?;
    check_weekdays(&call.arguments, &notes, text, language)?;
    check_words(tool, &notes, text, language)?;
    Ok(notes)
}

/// What stands between the words of a list's elements in a note.
const JOINT: &str = ", ";

/// The words that a note tells of a value, those of a list or an object apart.
pub fn told_words(value: &Value, surface: &str) -> Vec<String> {
    let is_several = value.as_list().is_some() || value.as_object().is_some();
    let parts: Vec<String> = surface.split(JOINT).filter(|_| is_several).map(str::to_owned).collect();
    if parts.is_empty() { vec![surface.to_owned()] } else { parts }
}

/// A text without what people write in more than one way: case, spaces.
pub(super) fn letters(text: &str) -> String {
    Folded::new(text).text().split_whitespace().collect()
}

/// Whether the words for a value say another one beyond doubt: they are one number, or a day with its year. What takes more
/// than a rule to understand (half six, the day after payday) is left to readers.
fn means_another(value: &Value, words: &str, reference_time: &str, language: &Language) -> bool {
    match value {
        Value::Number(_) => {
            let numbers = numbers_in(words, language);
            numbers.first().is_some_and(|it| numbers.len() == 1 && words.get(it.range.clone()) == Some(words.trim()))
        }
        Value::String(text) => {
            let said = resolve(words, Stamp::read(reference_time), language);
            Stamp::read(text).is_some() && said.iter().any(|it| it.date.as_ref().is_some_and(|date| date.exact))
        }
        _ => false,
    }
}

/// Checks that the call has the wanted arguments, each obeying its schema and grounded in the text.
fn check_label(
    tool: &Tool,
    preset: &[String],
    call: &FunctionCall,
    text: &str,
    ground: impl Fn(&str, &Parameter, &Value) -> Result<Argument, Fault>,
) -> Result<ArgumentNotes, Fault> {
    if text.trim().is_empty() {
        return Err(Fault::new("empty_query", "the request is empty"));
    }
    if call.name != tool.name {
        return Err(Fault::new("wrong_tool", format!("the call names `{}` in place of `{}`", call.name, tool.name)));
    }
    check_names(tool, preset, call)?;
    let notes = call.arguments.iter().map(|(name, value)| {
        let parameter = tool.parameters.properties.get(name).ok_or_else(|| undeclared(name))?;
        check_type(name, parameter, value)?;
        Ok((name.clone(), ground(name, parameter, value)?))
    });
    notes.collect()
}

fn unsaid(name: &str, value: &Value) -> Fault {
    Fault::new("value_not_in_query", format!("the request does not say {name} = {}", shown(value)))
        .naming([name, &shown(value)])
}

fn check_names(tool: &Tool, preset: &[String], call: &FunctionCall) -> Result<(), Fault> {
    if let Some(name) = call.arguments.keys().find(|name| !tool.parameters.properties.contains_key(*name)) {
        return Err(undeclared(name));
    }
    if let Some(name) = preset.iter().find(|name| !call.arguments.contains_key(*name)) {
        return Err(Fault::new("missing_parameter", format!("`{name}` was to be given and is not")));
    }
    match call.arguments.keys().find(|name| !preset.contains(name)) {
        Some(name) => Err(Fault::new("invented_parameter", format!("`{name}` was not to be given"))),
        None => Ok(()),
    }
}

fn undeclared(name: &str) -> Fault {
    Fault::new("undeclared_parameter", format!("the tool has no parameter `{name}`"))
}

/// Checks that a value obeys its parameter's JSON Schema.
pub fn check_type(name: &str, parameter: &Parameter, value: &Value) -> Result<(), Fault> {
    parameter.check(value).map_err(|violation| match violation {
        Violation::Unlisted(_) => {
            Fault::new("unlisted_value", format!("{name} = {violation}")).naming([name, &violation.to_string()])
        }
        Violation::Type { .. } => {
            Fault::new("wrong_type", format!("{name} = {violation}")).naming([name, &violation.to_string()])
        }
        Violation::Keyword(_) => {
            Fault::new("schema_violation", format!("{name}: {violation}")).naming([name, &violation.to_string()])
        }
    })
}

/// How the text says a value, if it does.
pub fn said(
    tool: &Tool,
    name: &str,
    parameter: &Parameter,
    value: &Value,
    text: &str,
    language: &Language,
) -> Option<Argument> {
    let found = stands((tool, name, parameter), value, text, (&[], None), language);
    found.filter(|found| !is_converted(parameter, value, found.surface.as_deref().unwrap_or_default()))
}

/// How the text says a value of a tool's parameter in whatever form, if it does. `more` are wordings besides the tool's
/// own, and the time that relative dates refer to.
pub fn stands(
    (tool, name, parameter): (&Tool, &str, &Parameter),
    value: &Value,
    text: &str,
    (more, reference_time): (&[String], Option<&str>),
    language: &Language,
) -> Option<Argument> {
    let worded = parameter.values.is_some() || value.as_bool().is_some();
    let listed = worded.then(|| value.as_str().map_or_else(|| shown(value), str::to_owned));
    let wordings = listed.and_then(|value| tool.wordings.get(name)?.get(&value)).map(Vec::as_slice);
    let names = [name, parameter.description.as_deref().unwrap_or_default()];
    // Only a flag is said by its names.
    let others = if value.as_bool().is_some() { other_names(tool, name) } else { Vec::new() };
    let stand = Stand {
        kind: tool.kinds.get(name).map(String::as_str),
        type_name: parameter.type_name(),
        wordings: wordings.or(Some(more).filter(|more| !more.is_empty())),
        reference_time,
        names: &names,
        others: &others,
    };
    let found = value_stands(text, value, &stand, language)?;
    Some(Argument { surface: Some(found.surface), origin: found.origin, ..Argument::default() })
}

/// A date or a time in another form than it is said in: only a parameter with a declared format wants that, be it by the
/// schema's key or in its description.
fn is_converted(parameter: &Parameter, value: &Value, surface: &str) -> bool {
    let Some(text) = value.as_str().filter(|text| Stamp::read(text).is_some()) else { return false };
    let plain = |text: &str| Folded::new(text).text();
    let described = parameter.description.as_deref().is_some_and(|it| it.contains("YYYY-MM-DD"));
    !parameter.more.contains_key("format") && !described && parameter.values.is_none() && plain(text) != plain(surface)
}

/// Names and descriptions of a tool and of its parameters but one.
fn other_names<'t>(tool: &'t Tool, name: &str) -> Vec<&'t str> {
    let parameters = tool.parameters.properties.iter().filter(|(other, _)| *other != name);
    let texts = parameters.flat_map(|(other, parameter)| [Some(other.as_str()), parameter.description.as_deref()]);
    texts.flatten().chain([tool.function(), tool.description.as_str()]).collect()
}

/// Two arguments that one and the same word says cannot both be right.
fn check_distinct(notes: &ArgumentNotes, text: &str) -> Result<(), Fault> {
    let surfaces: Vec<(&String, &str)> =
        notes.iter().filter_map(|(name, note)| Some((name, note.surface.as_deref()?))).collect();
    for (index, (name, surface)) in surfaces.iter().enumerate() {
        let double = surfaces[..index].iter().find(|(_, other)| other == surface);
        if let Some((other, _)) = double.filter(|_| text.matches(surface).count() < 2) {
            let detail = format!("`{surface}` stands once and is given both as {other} and as {name}");
            return Err(Fault::new("doubled_value", detail).naming([surface, other, name]));
        }
    }
    Ok(())
}

fn shown(value: &Value) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Object;

    fn check(preset: &[&str], call: &str, arguments: &str, text: &str) -> Result<Vec<String>, &'static str> {
        let tool: Tool = serde_json::from_str(
            r#"{"name": "A.B.book", "description": "Book", "kinds": {"when": "time"},
                "wordings": {"class": {"first": ["first class"], "second": ["second class", "standard"]}},
                "parameters": {"type": "object", "properties": {
                    "to": {"type": "string", "description": "Place"}, "when": {"type": "string", "description": "Time"},
                    "seats": {"type": "integer", "description": "Seats"},
                    "quiet": {"type": "boolean", "description": "Quiet car"},
                    "class": {"type": "string", "enum": ["first", "second"], "description": "Class"}}}}"#,
        )
        .unwrap();
        let arguments: Object = serde_json::from_str(arguments).unwrap();
        let call = FunctionCall { name: call.to_owned(), arguments };
        let preset: Vec<String> = preset.iter().map(|name| (*name).to_owned()).collect();
        check_parameters(&tool, &preset, &call, text, &Language::load(crate::fixtures::assets(), "en").unwrap())
            .map(|notes| notes.into_values().filter_map(|note| note.surface).collect())
            .map_err(|fault| fault.reason)
    }

    #[test]
    fn a_sound_label_tells_how_each_value_is_said() {
        let said = check(
            &["to", "seats", "quiet", "class"],
            "A.B.book",
            r#"{"to": "Porto", "seats": 3, "quiet": false, "class": "second"}"#,
            "three standard seats to Porto, not in the quiet car",
        );
        let said = said.unwrap();
        assert_eq!((said[0].as_str(), said[1].as_str(), said[3].as_str()), ("Porto", "three", "standard"));
        assert_eq!(check(&[], "A.B.book", "{}", "book me a ride"), Ok(vec![]));
    }

    #[test]
    fn every_fault_has_its_reason() {
        let text = "two seats to Porto at noon";
        let reason = |preset: &[&str], arguments: &str| check(preset, "A.B.book", arguments, text).unwrap_err();
        assert_eq!(check(&[], "A.B.buy", "{}", text), Err("wrong_tool"));
        assert_eq!(check(&[], "A.B.book", "{}", "  "), Err("empty_query"));
        assert_eq!(reason(&[], r#"{"place": "Porto"}"#), "undeclared_parameter");
        assert_eq!(reason(&["to", "when"], r#"{"to": "Porto"}"#), "missing_parameter");
        assert_eq!(reason(&["to"], r#"{"to": "Porto", "when": "noon"}"#), "invented_parameter");
        assert_eq!(reason(&["to"], r#"{"to": "Lisbon"}"#), "value_not_in_query");
        assert_eq!(reason(&["seats"], r#"{"seats": "two"}"#), "wrong_type");
        assert_eq!(reason(&["seats"], r#"{"seats": 20}"#), "value_not_in_query");
        assert_eq!(reason(&["class"], r#"{"class": "third"}"#), "unlisted_value");
        assert_eq!(reason(&["to", "when"], r#"{"to": "Porto", "when": "Porto"}"#), "doubled_value");
        assert_eq!(reason(&["to"], r#"{"to": ""}"#), "wrong_type");
    }

    #[test]
    fn a_time_is_converted_only_where_a_format_is_declared() {
        let said = |declared: &str, value: &str| {
            let parameter: Parameter = serde_json::from_str(declared).unwrap();
            said(
                &Tool::default(),
                "at",
                &parameter,
                &value.into(),
                "at 8 pm or 9:30",
                &Language::load(crate::fixtures::assets(), "en").unwrap(),
            )
            .is_some()
        };
        assert!(said(r#"{"type": "string", "format": "time"}"#, "20:00"));
        assert!(!said(r#"{"type": "string"}"#, "20:00") && said(r#"{"type": "string"}"#, "8 PM"));
        assert!(said(r#"{"type": "string"}"#, "9:30") && !said(r#"{"type": "string"}"#, "09:30"));
    }

    #[test]
    fn each_type_takes_its_own_values() {
        let kind = |kind: &str, json: &str| {
            let parameter: Parameter = serde_json::from_value(serde_json::json!({"type": kind})).unwrap();
            check_type("x", &parameter, &Value::read(json).unwrap()).is_ok()
        };
        for (name, good, bad) in [
            ("string", "\"a\"", "\" \""),
            ("integer", "3.0", "3.5"),
            ("number", "3.5", "\"3.5\""),
            ("float", "3.5", "true"),
            ("boolean", "false", "0"),
            ("array", "[1]", "1"),
            ("object", "{\"a\": 1}", "[]"),
        ] {
            assert!(kind(name, good) && !kind(name, bad), "{name}");
            assert!(!kind(name, "null"), "{name}");
        }
        assert!(kind("any", "null"), "what is not declared is not checked");
    }

    #[test]
    fn listed_numbers_and_texts_are_compared_as_values() {
        let parameter: Parameter = serde_json::from_str(r#"{"type": "integer", "enum": [1, 2]}"#).unwrap();
        assert!(check_type("x", &parameter, &Value::read("2.0").unwrap()).is_ok());
        let fault = check_type("x", &parameter, &Value::read("3").unwrap()).unwrap_err();
        assert_eq!((fault.reason, fault.detail.as_str()), ("unlisted_value", "x = 3 is not listed"));
    }

    #[test]
    fn a_flag_is_said_by_its_own_words_alone() {
        let reason = |arguments: &str, text: &str| check(&["quiet"], "A.B.book", arguments, text);
        assert!(reason(r#"{"quiet": true}"#, "a seat in the quiet car").is_ok());
        assert_eq!(reason(r#"{"quiet": true}"#, "book a seat"), Err("value_not_in_query"));
        assert_eq!(reason(r#"{"quiet": false}"#, "in the quiet car"), Err("value_not_in_query"));
        assert!(reason(r#"{"quiet": false}"#, "not in the quiet car").is_ok());
    }
}
