//! Write a query with the arguments that it names (E.2).

use super::{Common, TaskInfo};
use crate::record::{Object, Phrases, Tool, Value};
use crate::text::{Unparsable, Way, embedded, find, without_thought};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo = TaskInfo::creative("write_query", "WriteQuery");

/// A query is to be written, with the arguments that it names.
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
}

/// The structured answer to [`super::Task::WriteQuery`] and [`super::Task::SlotAnswer`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WrittenQuery {
    /// The arguments: every parameter that was asked for, with its value.
    pub parameters: Object,
    /// What the person says.
    pub query: String,
}

const PARAMETER_KEYS: [&str; 2] = ["parameters", "arguments"];
const QUERY_KEYS: [&str; 2] = ["query", "request"];

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
    Some(WrittenQuery { parameters: parameters.clone(), query: query.trim().to_owned() })
}

fn numbered(text: &str) -> Result<(WrittenQuery, Way), Unparsable> {
    let Some(parts) = tagged(text) else {
        return Err(Unparsable::new("no_query", "there is no request between `<user0>` and `<user1>`"));
    };
    let query = parts.query.trim().to_owned();
    match arguments(parts.before) {
        Some(parameters) => {
            let way = if parts.closed { Way::Text } else { Way::LooseText };
            Ok((WrittenQuery { parameters, query }, way))
        }
        None if parts.before.contains('{') => {
            Err(Unparsable::new("bad_parameters", "the parameters are not a valid JSON object"))
        }
        None => Ok((WrittenQuery { parameters: Object::new(), query }, Way::LooseText)),
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
