//! Read a question: which APIs does it want, in which order (CallNavi's routing)?

use super::{Common, TaskInfo};
use crate::record::{Tool, Value};
use crate::text::{Unparsable, Way, blocks, find, without_language, without_thought};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo = TaskInfo::once("route", "Route");

/// A question is to be read: which APIs does it want, in which order?
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RouteVariables {
    /// What every prompt is given.
    pub common: Common,
    /// What the person said.
    pub query: String,
    /// The APIs to choose from.
    pub tools: Vec<Arc<Tool>>,
    /// The same as the prompt shows them; empty for the built-in model, which reads `tools`.
    pub candidates: String,
}

/// What models put around a name.
const AROUND: [char; 7] = ['\'', '"', '`', '‘', '’', '“', '”'];
/// Under which key models put the names where they write an object.
const KEYS: [&str; 4] = ["API", "APIs", "api", "apis"];

/// Reads the names between brackets, in whatever quotes; bare names with commas between them as well. There may be none.
pub fn read_route(text: &str) -> Result<(Vec<String>, Way), Unparsable> {
    let text = without_thought(text).trim();
    if let Some(found) = find(text, names_of) {
        return Ok(found);
    }
    let block = blocks(text).first().map_or(text, |block| without_language(block));
    let bracketed = bracketed(block).or_else(|| bracketed(text)).and_then(listed);
    if let Some(names) = bracketed {
        return Ok((names, Way::LooseText));
    }
    let bare = listed(block).filter(|names| !names.is_empty());
    bare.map(|names| (names, Way::LooseText))
        .ok_or_else(|| Unparsable::new("no_names", "there are no names of APIs between brackets"))
}

/// A list of texts, or an object that holds one.
fn names_of(value: &Value) -> Option<Vec<String>> {
    if let Some(object) = value.as_object() {
        return KEYS.iter().find_map(|key| names_of(object.get(*key)?));
    }
    value.as_list()?.iter().map(|item| item.as_str().map(bare)).collect()
}

/// What stands between the first bracket and the one that closes it.
fn bracketed(text: &str) -> Option<&str> {
    text.split_once('[')?.1.split_once(']').map(|(inside, _)| inside)
}

/// Names with commas between them; `None` where something else than a name is among them.
fn listed(text: &str) -> Option<Vec<String>> {
    let names: Vec<String> = text.trim().split([',', '，']).map(bare).filter(|name| !name.is_empty()).collect();
    names.iter().all(|name| is_name(name)).then_some(names)
}

/// A name without its quotes, and without the brackets of a call.
fn bare(text: &str) -> String {
    let text = text.trim().trim_matches(AROUND).trim();
    text.strip_suffix("()").unwrap_or(text).to_owned()
}

fn is_name(text: &str) -> bool {
    let fits = |letter: char| letter.is_alphanumeric() || "_.-".contains(letter);
    text.starts_with(char::is_alphabetic) && text.chars().all(fits) && !text.ends_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<String, &'static str> {
        read_route(text).map(|(names, way)| format!("{} {way}", names.join("+"))).map_err(|error| error.reason)
    }

    #[test]
    fn names_are_read_in_every_usual_shape() {
        for (text, way) in [
            (r#"["getA", "bank.getB"]"#, "whole"),
            ("```json\n[\"getA\", \"bank.getB\"]\n```", "fenced"),
            (r#"<think>[no]</think>{"API": ["getA", "bank.getB"]}"#, "whole"),
            (r#"These: ["getA", "bank.getB"]"#, "lead_in"),
            ("['getA', 'bank.getB']", "loose_text"),
            ("[getA,bank.getB]", "loose_text"),
            ("[getA(), bank.getB()]", "loose_text"),
            ("```python\n['getA', 'bank.getB']\n```", "loose_text"),
            ("I would call [‘getA’, `bank.getB`] here.", "loose_text"),
            ("getA, bank.getB", "loose_text"),
            ("`getA`，`bank.getB`,\n", "loose_text"),
        ] {
            assert_eq!(read(text), Ok(format!("getA+bank.getB {way}")), "{text}");
        }
    }

    #[test]
    fn an_empty_list_is_a_routing_to_nothing() {
        assert_eq!(read("[]"), Ok(" whole".to_owned()));
        assert_eq!(read(r#"{"API": []}"#), Ok(" whole".to_owned()));
    }

    #[test]
    fn what_names_nothing_is_no_routing() {
        for text in ["", "I cannot help with that.", "[see above]", "{\"name\": \"getA\"}", "[1, 2]", "```\n```"] {
            assert_eq!(read(text), Err("no_names"), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(text in any::<String>(), form in "[a-c\\[\\]'\"`,{}: ]{0,40}") {
            for text in [text, form] {
                if let Ok((names, _)) = read_route(&text) {
                    prop_assert!(names.len() <= text.len());
                }
            }
        }
    }
}
