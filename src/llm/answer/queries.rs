//! Several requests with the functions that they take: a JSON list of `query`, `function_list` and `thought`.

use super::fence::{embedded, find, without_thought};
use super::{Unparsable, Way};
use crate::llm::CoarseQuery;
use crate::record::Value;

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
