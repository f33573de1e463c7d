//! Write queries with the arguments that they name, several in one answer (E.2).

use super::{Common, TaskInfo};
use crate::record::{Object, Phrases, SaidWords, Tool, Value};
use crate::text::{Unparsable, Way, embedded, find, without_thought};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo = TaskInfo::creative("write_query", "WriteQuery").voiced();

/// Queries are to be written, with the arguments that they name. What `requests` says of each of them, the other fields say
/// of the first: for the built-in model, and for prompts that ask for one query.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WriteVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The tool.
    pub tool: Arc<Tool>,
    /// Names of the parameters that the query must mention; no others.
    pub must_include: Vec<String>,
    /// The manner in which the person asks: one of the pack's styles.
    pub style: String,
    /// What that manner is like, in words.
    pub manner: String,
    /// What people say when they want this tool; absent for tools that people bring along.
    pub phrases: Option<Arc<Phrases>>,
    /// A row of the stage's seed table, if it has one.
    pub seed: Option<Object>,
    /// Whether the person describes the problem alone, and leaves open what is to be done.
    #[serde(default)]
    pub implied: bool,
    /// The time from which days and hours are counted, in ISO 8601.
    #[serde(default)]
    pub reference_time: String,
    /// All queries of the answer, in its order; empty for the built-in model, which writes one.
    #[serde(default)]
    pub requests: Vec<RequestPlan>,
    /// Texts for the same tool that were accepted in earlier rounds: those of the answer are to differ from them.
    #[serde(default)]
    pub written: Vec<String>,
    /// In a conversation, the values that are settled by what the person knows; the sentence itself then says as much as
    /// it can. Absent elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<Vec<PlannedValue>>,
}

/// What is settled of a query before it is written.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RequestPlan {
    /// What it says, and nothing else.
    pub says: Vec<PlannedValue>,
    /// Who says it: a row of the table of people.
    pub person: Option<Object>,
    /// How that person speaks, in words.
    pub manner: String,
    /// Why the person wants it.
    pub situation: Option<String>,
    /// A row of the stage's seed table, if it has one.
    pub seed: Option<Object>,
    /// Whether the person describes the problem alone.
    pub implied: bool,
    /// The app by which the person calls it, where that is to be named.
    #[serde(default)]
    pub app: Option<String>,
}

/// A parameter that a query says.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PlannedValue {
    /// The parameter.
    pub name: String,
    /// Its value; `None` where the writer chooses it.
    pub value: Option<Value>,
    /// Ways in which people say the value.
    pub said: Vec<String>,
}

/// The structured answer to [`super::Task::WriteQuery`] and [`super::Task::SlotAnswer`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WrittenQuery {
    /// The arguments: every parameter that was asked for, with its value.
    pub parameters: Object,
    /// What the person says.
    pub query: String,
    /// The words of the query that say each argument; empty where the answer does not tell them.
    #[serde(default, skip_serializing_if = "SaidWords::is_empty")]
    pub said: SaidWords,
    /// Whether a person would want that at all, in the writer's eyes.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub sensible: bool,
}

pub(super) fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
pub(super) fn is_true(flag: &bool) -> bool {
    *flag
}

impl Default for WrittenQuery {
    fn default() -> Self {
        Self { parameters: Object::new(), query: String::new(), said: SaidWords::new(), sensible: true }
    }
}

const PARAMETER_KEYS: [&str; 2] = ["parameters", "arguments"];
const QUERY_KEYS: [&str; 2] = ["query", "request"];
const LIST_KEY: &str = "requests";

/// Reads the `place`-th of the queries of an answer, from 0. The first may also come alone, in the form that prompts for one
/// query ask for.
pub fn read_request(text: &str, place: usize) -> Result<(WrittenQuery, Way), Unparsable> {
    let list = |value: &Value| match value {
        Value::List(items) => items.iter().all(|item| item.as_object().is_some()).then(|| items.clone()),
        Value::Object(fields) => Some(fields.get(LIST_KEY)?.as_list()?.to_vec()),
        _ => None,
    };
    let Some((items, way)) = find(without_thought(text), list) else {
        let alone = || Err(Unparsable::new("no_query", "there is no JSON object with a list `requests`"));
        return if place == 0 { read_written(text) } else { alone() };
    };
    let Some(item) = items.get(place) else {
        let detail = format!("there are {} requests, and request {} is missing", items.len(), place + 1);
        return Err(Unparsable::new("missing_request", detail));
    };
    let written = structured(item).ok_or_else(|| {
        Unparsable::new("no_query", format!("request {} is no object with `arguments` and `query`", place + 1))
    })?;
    if written.sensible && !written.query.chars().any(char::is_alphanumeric) {
        return Err(Unparsable::new("empty_query", "the request is empty"));
    }
    Ok((written, way))
}

/// Reads a written query; of several, the first.
pub fn read_written(text: &str) -> Result<(WrittenQuery, Way), Unparsable> {
    let text = without_thought(text);
    let (written, way) = match find(text, structured) {
        Some(found) => found,
        None => numbered(text)?,
    };
    if !written.query.chars().any(char::is_alphanumeric) {
        return Err(Unparsable::new("empty_query", "the request is empty"));
    }
    Ok((written, way))
}

/// Both keys are needed: an object with a `query` alone may well be the arguments of a search.
fn structured(value: &Value) -> Option<WrittenQuery> {
    let object = match value {
        Value::List(items) => items.first()?.as_object()?,
        other => other.as_object()?,
    };
    let parameters = PARAMETER_KEYS.iter().find_map(|key| object.get(*key)?.as_object())?;
    let query = QUERY_KEYS.iter().find_map(|key| object.get(*key)?.as_str())?;
    let query = tagged(query).map_or(query, |parts| parts.query);
    // What is not given is `null` where a server's schema wants every name.
    let given = |(name, value): (&String, &Value)| (!value.is_null()).then(|| (name.clone(), value.clone()));
    Some(WrittenQuery {
        parameters: parameters.iter().filter_map(given).collect(),
        query: query.trim().to_owned(),
        said: object.get("said").and_then(Value::as_object).map(sayings).unwrap_or_default(),
        sensible: object.get("sensible").and_then(Value::as_bool).unwrap_or(true),
    })
}

/// Which words say what: a text, or a text for each thing in a list or an object.
fn sayings(said: &Object) -> SaidWords {
    fn words(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::String(text) => found.extend(Some(text.trim().to_owned()).filter(|text| !text.is_empty())),
            Value::List(items) => items.iter().for_each(|item| words(item, found)),
            Value::Object(fields) => fields.values().for_each(|field| words(field, found)),
            Value::Number(number) => found.push(number.to_string()),
            Value::Null | Value::Bool(_) => {}
        }
    }
    let of = |(name, value): (&String, &Value)| {
        let mut found = Vec::new();
        words(value, &mut found);
        (name.clone(), found)
    };
    said.iter().map(of).filter(|(_, words)| !words.is_empty()).collect()
}

fn numbered(text: &str) -> Result<(WrittenQuery, Way), Unparsable> {
    let Some(parts) = tagged(text) else {
        return Err(Unparsable::new("no_query", "there is no request between `<user0>` and `<user1>`"));
    };
    let query = parts.query.trim().to_owned();
    match arguments(parts.before) {
        Some(parameters) => {
            let way = if parts.closed { Way::Text } else { Way::LooseText };
            Ok((WrittenQuery { parameters, query, ..WrittenQuery::default() }, way))
        }
        None if parts.before.contains('{') => {
            Err(Unparsable::new("bad_parameters", "the parameters are not a valid JSON object"))
        }
        None => Ok((WrittenQuery { query, ..WrittenQuery::default() }, Way::LooseText)),
    }
}

/// The last object before the query: what stands earlier may be the tool, said again.
fn arguments(before: &str) -> Option<Object> {
    embedded(before).into_iter().rev().find_map(|(_, value)| value.as_object().cloned())
}

struct Parts<'t> {
    before: &'t str,
    query: &'t str,
    closed: bool,
}

/// What stands between the first two tags; up to the end of its line where the second is missing.
fn tagged(text: &str) -> Option<Parts<'_>> {
    let (before, rest) = split_at_tag(text)?;
    let (query, closed) = match split_at_tag(rest) {
        Some((query, _)) => (query, true),
        None => (rest.trim().lines().next().unwrap_or_default(), false),
    };
    Some(Parts { before, query, closed })
}

/// Splits around the first `<user0>` or a likeness of it: `</user0>`, `<User1>`, `<user>`, `<user 1>`.
fn split_at_tag(text: &str) -> Option<(&str, &str)> {
    text.match_indices('<').find_map(|(start, _)| {
        let (before, tail) = text.split_at_checked(start)?;
        let (inside, after) = tail.strip_prefix('<')?.split_once('>')?;
        let name =
            inside.trim_start_matches('/').trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == ' ');
        name.eq_ignore_ascii_case("user").then_some((before, after))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<(String, String, &'static str), &'static str> {
        let (written, way) = read_written(text).map_err(|error| error.reason)?;
        Ok((serde_json::to_string(&written.parameters).unwrap(), written.query, way.as_str()))
    }

    #[expect(clippy::unnecessary_wraps, reason = "it is compared with what `read` gives")]
    fn alarm(way: &'static str) -> Result<(String, String, &'static str), &'static str> {
        Ok((r#"{"time":"half past six"}"#.to_owned(), "wake me at half past six".to_owned(), way))
    }

    #[test]
    fn the_numbered_form_is_read() {
        let text = "1. Parameters: ```json{\"time\": \"half past six\"}```. <user0>wake me at half past six<user1>";
        assert_eq!(read(text), alarm("text"));
        assert_eq!(read(&format!("{text}\n2. Parameters: ```json{{}}```. <user0>my alarms<user1>")), alarm("text"));
    }

    #[test]
    fn other_tags_and_a_missing_one_are_tolerated() {
        let head = "1. Parameters: ```json\n{\"time\": \"half past six\"}\n```.";
        for tags in
            [("<user0>", "</user0>"), ("<User0>", "<user 1>"), ("<user>", "</user>"), ("<user0>\n", "\n<user1>")]
        {
            assert_eq!(
                read(&format!("{head} {}wake me at half past six{}", tags.0, tags.1)),
                alarm("text"),
                "{tags:?}"
            );
        }
        assert_eq!(read(&format!("{head} <user0>wake me at half past six\n2. Parameters: {{}}")), alarm("loose_text"));
    }

    #[test]
    fn the_structured_form_is_read() {
        let json = r#"{"parameters": {"time": "half past six"}, "query": "wake me at half past six"}"#;
        assert_eq!(read(json), alarm("whole"));
        assert_eq!(read(&format!("Sure!\n```json\n[{json}]\n```")), alarm("fenced"));
        let other = r#"{"request": "<user0>wake me at half past six<user1>", "arguments": {"time": "half past six"}}"#;
        assert_eq!(read(other), alarm("whole"));
    }

    #[test]
    fn a_parameter_named_query_is_not_taken_for_the_query() {
        let text = "1. Parameters: ```json{\"query\": \"red shoes\"}```. <user0>find red shoes<user1>";
        let expected = (r#"{"query":"red shoes"}"#.to_owned(), "find red shoes".to_owned(), "text");
        assert_eq!(read(text), Ok(expected));
        assert_eq!(read(r#"{"query": "red shoes"}"#), Err("no_query"));
    }

    #[test]
    fn a_query_without_parameters_needs_no_object() {
        assert_eq!(
            read("<user0>show my alarms<user1>"),
            Ok(("{}".to_owned(), "show my alarms".to_owned(), "loose_text"))
        );
    }

    #[test]
    fn of_several_each_is_read_at_its_place() {
        let text = r#"{"requests": [
            {"arguments": {"time": "06:30", "label": null}, "said": {"time": "half past six"}, "query": "wake me at half past six"},
            {"arguments": {"days": ["mon", "tue"]}, "said": {"days": ["Monday", "Tuesday"]}, "query": "on Monday and Tuesday", "sensible": true},
            {"arguments": {}, "query": "", "sensible": false}, {"arguments": {}, "query": ""}]}"#;
        let read = |place| read_request(text, place).map(|(written, _)| written).map_err(|error| error.reason);
        let first = read(0).unwrap();
        assert_eq!((first.parameters.len(), first.said["time"].clone()), (1, vec!["half past six".to_owned()]));
        assert_eq!(read(1).unwrap().said["days"], ["Monday", "Tuesday"]);
        assert!(!read(2).unwrap().sensible);
        assert_eq!((read(3), read(4)), (Err("empty_query"), Err("missing_request")));
        let alone = r#"{"parameters": {"time": "six"}, "query": "at six"}"#;
        assert_eq!(read_request(alone, 0).unwrap().0.query, "at six");
        assert_eq!(read_request(alone, 1).unwrap_err().reason, "no_query");
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        assert_eq!(read("I am sorry, I cannot do that."), Err("no_query"));
        assert_eq!(read("1. Parameters: ```json{\"time\": six}```. <user0>at six<user1>"), Err("bad_parameters"));
        assert_eq!(read("1. Parameters: ```json{}```. <user0> ... <user1>"), Err("empty_query"));
        assert_eq!(read(r#"{"parameters": {}, "query": ""}"#), Err("empty_query"));
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(text in any::<String>(), form in "[<>/userUSER01{}\":., \\n`]{0,60}") {
            for text in [text, form] {
                if let Ok((written, _)) = read_written(&text) {
                    prop_assert!(!written.query.is_empty());
                }
            }
        }

        #[test]
        fn any_query_comes_back(query in "[a-zA-Z가-힣0-9 ,.!?'\"]{0,30}[a-z]") {
            let (written, way) = read_written(&format!("1. Parameters: ```json{{}}```. <user0>{query}<user1>")).unwrap();
            prop_assert_eq!((written.query.as_str(), way), (query.trim(), Way::Text));
        }
    }
}
