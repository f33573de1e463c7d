//! Does a question hang together with its calls: names, types, counts, what it says, what feeds what?

use super::Fault;
use super::parameters::{check_type, said};
use crate::locale::Language;
use crate::record::{Argument, Difficulty, Origin, PLACEHOLDER, PlannedCall, Question, Value};

/// Most calls of a medium question, and of a hard one (CallNavi section 4.1: five steps).
const MOST: [usize; 2] = [4, 5];

/// Checks a question as its authors' quality control would (CallNavi section 4): every API is one of the domain's, its
/// arguments are the declared ones and of their types, what stands in the words stands there, what comes from an answer
/// comes from an earlier call that has such a field, and the difficulty is what calls and dependencies make it.
pub fn check_question(question: &Question, language: &Language) -> Result<(), Fault> {
    if !question.text.chars().any(char::is_alphanumeric) {
        return Err(Fault::new("empty_query", "the question is empty"));
    }
    check_difficulty(question)?;
    check_mentions(question)?;
    for (place, planned) in question.calls.iter().enumerate() {
        if !question.catalogue.tools.iter().any(|tool| tool.name == planned.tool.name) {
            let detail = format!("`{}` is no API of `{}`", planned.tool.name, question.catalogue.domain);
            return Err(Fault::new("unknown_api", detail));
        }
        check_call(question, place, planned, language)?;
    }
    Ok(())
}

fn check_difficulty(question: &Question) -> Result<(), Fault> {
    let (calls, chained) = (question.calls.len(), question.is_chained());
    let (fits, name) = match question.difficulty {
        Difficulty::Easy => (calls == 1, "Easy"),
        Difficulty::Medium => ((2..=MOST[0]).contains(&calls) && !chained, "Medium"),
        Difficulty::Hard => ((2..=MOST[1]).contains(&calls) && chained, "Hard"),
    };
    let fed = if chained { "one of which takes an earlier answer" } else { "none of which takes an earlier answer" };
    let detail = || format!("{calls} calls, {fed}, are not {name}");
    if fits { Ok(()) } else { Err(Fault::new("wrong_difficulty", detail())) }
}

/// Every call is mentioned once.
fn check_mentions(question: &Question) -> Result<(), Fault> {
    let mut mentions = question.mentions.clone();
    mentions.sort_unstable();
    let each = mentions.iter().copied().eq(0..question.calls.len());
    if each { Ok(()) } else { Err(Fault::new("unmentioned_call", "the order of mention leaves a call out")) }
}

fn check_call(question: &Question, place: usize, planned: &PlannedCall, language: &Language) -> Result<(), Fault> {
    let (tool, call) = (&planned.tool, &planned.call);
    if call.name != tool.name {
        return Err(Fault::new("wrong_tool", format!("the call names `{}` in place of `{}`", call.name, tool.name)));
    }
    if let Some(name) = tool.parameters.required.iter().find(|name| !call.arguments.contains_key(*name)) {
        return Err(Fault::new("missing_parameter", format!("`{name}` of `{}` is missing", tool.name)));
    }
    for (name, value) in &call.arguments {
        let declared = tool.parameters.properties.get(name);
        let parameter = declared
            .ok_or_else(|| Fault::new("undeclared_parameter", format!("`{}` has no parameter `{name}`", tool.name)))?;
        let note = planned.notes.get(name).cloned().unwrap_or_default();
        if value.as_str() == Some(PLACEHOLDER) {
            check_placeholder(question, place, name, &note)?;
            continue;
        }
        check_type(name, parameter, value)?;
        let stands = match &note {
            Argument { origin: Origin::Inferred, surface: Some(surface), .. } => {
                question.text.contains(surface.as_str())
            }
            _ => said(tool, name, parameter, value, &question.text, language).is_some(),
        };
        if !stands {
            return Err(Fault::new("value_not_in_query", format!("the question does not say {name} = {value}"))
                .naming([name, &value.to_string()]));
        }
    }
    Ok(())
}

fn check_placeholder(question: &Question, place: usize, name: &str, note: &Argument) -> Result<(), Fault> {
    match &note.origin {
        Origin::Answer { call, field } => check_answer(question, place, name, *call, field),
        Origin::Open if note.surface.as_ref().is_some_and(|words| !question.text.contains(words.as_str())) => {
            Err(Fault::new("value_not_in_query", format!("the question does not say anything for {name}"))
                .naming([name]))
        }
        Origin::Open | Origin::Missing => Ok(()),
        other => {
            let origin = origin_name(other);
            Err(Fault::new("unsettled_value", format!("{name} has no value, but its origin is {origin}")))
        }
    }
}

/// What a fault calls an origin. A model that is asked again reads it, so another word would be another question.
fn origin_name(origin: &Origin) -> String {
    let name = match origin {
        Origin::Verbatim => "Verbatim",
        Origin::Normalised => "Normalised",
        Origin::Enum => "Enum",
        Origin::Inferred => "Inferred",
        Origin::Default => "Default",
        Origin::Open => "Open",
        Origin::Missing => "Missing",
        Origin::Answer { call, field } => return format!("Answer {{ call: {call}, field: \"{field}\" }}"),
        Origin::Derived { call, field } => return format!("Derived {{ call: {call}, field: \"{field}\" }}"),
    };
    name.to_owned()
}

fn check_answer(question: &Question, place: usize, name: &str, from: usize, field: &str) -> Result<(), Fault> {
    let Some(source) = question.calls.get(from).filter(|_| from < place) else {
        return Err(Fault::new(
            "no_such_answer",
            format!("{name} is taken from call {}, which is no earlier one", from + 1),
        ));
    };
    if source.answer == Value::Null {
        return Ok(());
    }
    let Some(value) = pointed(&source.answer, field) else {
        return Err(Fault::new("no_such_answer", format!("the answer of `{}` has no {field}", source.tool.name)));
    };
    let given = question.calls.iter().any(|call| call.call.arguments.values().any(|other| other.equals(value)));
    match value.as_str().filter(|text| !given && question.text.contains(*text)) {
        Some(text) => {
            Err(Fault::new("answer_in_query", format!("the question says `{text}`, which is to be found out")))
        }
        None => Ok(()),
    }
}

/// The value at a JSON pointer of plain names and positions.
pub fn pointed<'v>(value: &'v Value, pointer: &str) -> Option<&'v Value> {
    let steps = pointer.split('/').filter(|step| !step.is_empty());
    steps.into_iter().try_fold(value, |value, step| match value {
        Value::Object(fields) => fields.get(step),
        Value::List(items) => items.get(step.parse::<usize>().ok()?),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value as Json, json};

    const TEXT: &str = "Freeze the account behind 555-0107 for 30 days";

    /// Two calls: an account is found by a phone number, then frozen for some days.
    fn question(change: impl FnOnce(&mut Json)) -> Question {
        let find = json!({"name": "bank.find", "parameters": {"properties": {"phone": {"type": "string"}}, "required": ["phone"]}});
        let freeze = json!({"name": "bank.freeze", "parameters": {
            "properties": {"accountId": {"type": "string"}, "days": {"type": "integer"}}, "required": ["accountId", "days"]}});
        let fed = json!({"answer": {"call": 0, "field": "/accountId"}});
        let mut question = json!({
            "difficulty": "hard", "text": TEXT, "mentions": [1, 0], "tags": [],
            "catalogue": {"domain": "bank", "title": "Banking", "tools": [find, freeze]},
            "calls": [
                {"tool": find, "call": {"name": "bank.find", "arguments": {"phone": "555-0107"}},
                 "notes": {"phone": {"surface": "555-0107", "origin": "verbatim"}}, "answer": {"accountId": "AC1"}},
                {"tool": freeze, "call": {"name": "bank.freeze", "arguments": {"accountId": "$$$", "days": 30}},
                 "notes": {"accountId": {"origin": fed}, "days": {"surface": "30", "origin": "verbatim"}}, "answer": {}},
            ],
        });
        change(&mut question);
        serde_json::from_value(question).unwrap()
    }

    fn reason(change: impl FnOnce(&mut Json)) -> Option<&'static str> {
        check_question(&question(change), &Language::load(crate::fixtures::assets(), "en").unwrap())
            .err()
            .map(|fault| fault.reason)
    }

    #[test]
    fn a_sound_question_passes() {
        assert_eq!(reason(|_| ()), None);
    }

    /// What is found, and what was done to the question.
    type Case = (&'static str, fn(&mut Json));

    #[test]
    fn every_fault_that_the_authors_data_have_is_found() {
        let cases: [Case; 12] = [
            ("unknown_api", |it| it["catalogue"]["tools"] = json!([])),
            ("wrong_tool", |it| it["calls"][0]["call"]["name"] = json!("find")),
            ("undeclared_parameter", |it| it["calls"][0]["call"]["arguments"]["number"] = json!("555-0107")),
            ("missing_parameter", |it| {
                drop(it["calls"][0]["call"]["arguments"].as_object_mut().unwrap().remove("phone"));
            }),
            ("wrong_type", |it| it["calls"][1]["call"]["arguments"]["days"] = json!("30")),
            ("value_not_in_query", |it| it["text"] = json!("Freeze the account behind 555-0107")),
            ("wrong_difficulty", |it| it["difficulty"] = json!("medium")),
            ("wrong_difficulty", |it| drop(it["calls"].as_array_mut().unwrap().remove(0))),
            ("unmentioned_call", |it| it["mentions"] = json!([0])),
            ("no_such_answer", |it| it["calls"][0]["answer"] = json!({"id": "AC1"})),
            ("unsettled_value", |it| it["calls"][1]["call"]["arguments"]["days"] = json!("$$$")),
            ("empty_query", |it| it["text"] = json!(" ... ")),
        ];
        for (expected, change) in cases {
            assert_eq!(reason(change), Some(expected));
        }
    }

    #[test]
    fn an_answer_comes_from_an_earlier_call_alone_and_is_not_given_away() {
        let from = |call: u64| {
            move |it: &mut Json| it["calls"][1]["notes"]["accountId"]["origin"]["answer"]["call"] = json!(call)
        };
        assert_eq!(reason(from(1)), Some("no_such_answer"));
        assert_eq!(reason(|it| it["text"] = json!(format!("{TEXT}, it is AC1"))), Some("answer_in_query"));
    }

    #[test]
    fn what_nobody_settles_is_no_fault() {
        let change = |origin: &'static str| {
            move |it: &mut Json| {
                it["calls"][1]["call"]["arguments"]["days"] = json!("$$$");
                it["calls"][1]["notes"]["days"] = json!({"origin": origin});
            }
        };
        assert_eq!((reason(change("open")), reason(change("missing"))), (None, None));
        let unsaid = |it: &mut Json| {
            change("open")(it);
            it["calls"][1]["notes"]["days"]["surface"] = json!("for a month");
        };
        assert_eq!(reason(unsaid), Some("value_not_in_query"));
    }

    #[test]
    fn a_worked_out_value_stands_by_its_words() {
        let change = |words: &'static str| {
            move |it: &mut Json| {
                it["calls"][1]["call"]["arguments"]["days"] = json!(60);
                it["calls"][1]["notes"]["days"] = json!({"origin": "inferred", "surface": words});
            }
        };
        assert_eq!((reason(change("30 days")), reason(change("twice 30"))), (None, Some("value_not_in_query")));
    }

    #[test]
    fn a_pointer_names_fields_and_positions() {
        let value: Value = json!({"ids": ["a", {"b": 2}]}).into();
        assert_eq!(pointed(&value, "/ids/0").and_then(Value::as_str), Some("a"));
        assert_eq!(pointed(&value, "/ids/1/b"), Some(&Value::from(json!(2))));
        assert!(
            pointed(&value, "/ids/2").is_none()
                && pointed(&value, "/ids/x").is_none()
                && pointed(&value, "/ids/0/a").is_none()
        );
    }
}
