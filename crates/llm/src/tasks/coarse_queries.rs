//! Write requests that want several calls in steps (`ComplexFuncBench`, figure 8).

use super::{Common, TaskInfo};
use crate::record::{Object, Tool, Value};
use crate::text::{Unparsable, Way, embedded, find, without_thought};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo =
    TaskInfo::creative("coarse_queries", "CoarseQueries").reply(include_str!("reply_schema/written_queries.json"));

/// Several requests are to be written at once, each of which wants calls in steps.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CoarseVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The domain's title.
    pub title: String,
    /// The functions that may be used.
    pub functions: Vec<Arc<Tool>>,
    /// Names of what exists, by place and kind.
    pub existing: Vec<Existing>,
    /// How many requests are wanted.
    pub count: usize,
    /// The fewest calls that must follow one another.
    pub least_steps: usize,
    /// The day on which everything happens; empty where nobody says.
    pub today: String,
    /// A row of the stage's seed table, if it has one.
    pub seed: Option<Object>,
}

/// What exists in a place, or in none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Existing {
    /// The place; empty for what belongs to none.
    pub place: String,
    /// Names, by kind.
    pub kinds: IndexMap<String, Vec<String>>,
}

/// The structured answer to [`super::Task::CoarseQueries`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenQueries {
    /// The requests.
    pub queries: Vec<CoarseQuery>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CoarseQuery {
    /// What the person says.
    pub query: String,
    /// Names of the functions that it takes, in the order of their first call.
    pub function_list: Vec<String>,
    /// How it would be served.
    pub thought: String,
}

const QUERY_KEYS: [&str; 3] = ["query", "question", "request"];
const FUNCTION_KEYS: [&str; 4] = ["function_list", "api_list", "functions", "apis"];

/// Reads written requests: a list, an object with `queries`, or objects one after another. Those without words or
/// functions keep their places, so that nobody's fault moves the others.
pub fn read_queries(text: &str) -> Result<(Vec<CoarseQuery>, Way), Unparsable> {
    let text = without_thought(text);
    let listed = find(text, |value| Some(list(value)?.iter().map(|item| query(item).unwrap_or_default()).collect()));
    let read = listed.or_else(|| {
        let found: Vec<CoarseQuery> = embedded(text).iter().filter_map(|(_, value)| query(value)).collect();
        (!found.is_empty()).then_some((found, Way::Embedded))
    });
    read.ok_or_else(|| {
        Unparsable::new("no_queries", "there is no JSON list of objects with `query`, `function_list` and `thought`")
    })
}

fn list(value: &Value) -> Option<&[Value]> {
    let items = value.as_list().or_else(|| value.as_object()?.values().find_map(Value::as_list))?;
    items.iter().any(|item| query(item).is_some()).then_some(items)
}

fn query(value: &Value) -> Option<CoarseQuery> {
    let object = value.as_object()?;
    let text = |key: &str| object.get(key).and_then(Value::as_str).map(|text| text.trim().to_owned());
    let named = FUNCTION_KEYS.iter().find_map(|key| object.get(*key)?.as_list()).unwrap_or_default();
    Some(CoarseQuery {
        query: QUERY_KEYS.iter().find_map(|key| text(key))?,
        function_list: named.iter().filter_map(name).collect(),
        thought: text("thought").unwrap_or_default(),
    })
}

/// A function's name, alone or in an object; models also write whole calls.
fn name(value: &Value) -> Option<String> {
    let name = value.as_str().or_else(|| value.as_object()?.get("name")?.as_str())?;
    Some(name.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ONE: &str = r#"{"query": " Book it ", "function_list": ["Find", "Book"], "thought": "first find"}"#;

    fn read(text: &str) -> Vec<(String, Vec<String>, String)> {
        let read = read_queries(text).unwrap().0;
        read.into_iter().map(|it| (it.query, it.function_list, it.thought)).collect()
    }

    fn one() -> (String, Vec<String>, String) {
        ("Book it".to_owned(), vec!["Find".to_owned(), "Book".to_owned()], "first find".to_owned())
    }

    #[test]
    fn a_list_is_read_in_every_usual_shape() {
        let other = r#"{"query": "Book it", "api_list": [{"name": "Find"}, "Book "], "thought": "first find"}"#;
        for text in [
            format!("[{ONE}, {other}]"),
            format!("Here you are:\n```json\n[{ONE}, {other}]\n```"),
            format!("{{\"queries\": [{ONE}, {other}]}}"),
            format!("<think>[]</think>{ONE}\n{other}"),
        ] {
            assert_eq!(read(&text), [one(), one()], "{text}");
        }
    }

    #[test]
    fn what_a_broken_list_holds_whole_is_kept() {
        let text = format!("[{ONE}, {ONE}, {{\"query\": \"Cut");
        assert_eq!(read(&text).len(), 2);
    }

    #[test]
    fn a_faulty_one_keeps_its_place() {
        let read = read(&format!("[7, {ONE}, {{\"query\": \"Bare\"}}]"));
        assert_eq!((read[0].0.as_str(), &read[1], read[2].1.len()), ("", &one(), 0));
    }

    #[test]
    fn what_is_no_list_of_requests_says_so() {
        for text in ["", "I cannot help", "[1, 2]", r#"{"functions": ["Find"]}"#] {
            assert_eq!(read_queries(text).unwrap_err().reason, "no_queries", "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd(text in any::<String>(), json in "[\\[\\]{}\",:a1 query]{0,40}") {
            drop(read_queries(&text));
            drop(read_queries(&json));
        }
    }
}
