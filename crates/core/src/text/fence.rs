//! Finding JSON in what a model said: the whole text, a fenced block, or the first complete value in running text.

use super::Way;
use crate::record::Value;
use std::ops::Range;

/// Marks that open and close a fenced block; models also write the second one.
const FENCES: [&str; 2] = ["```", "'''"];
const THOUGHT_END: &str = "</think>";

/// The first JSON value in the text that `accept` takes, with the way it was found.
pub fn find<T>(text: &str, mut accept: impl FnMut(&Value) -> Option<T>) -> Option<(T, Way)> {
    let text = without_thought(text);
    if let Some(found) = Value::read(text.trim()).ok().as_ref().and_then(&mut accept) {
        return Some((found, Way::Whole));
    }
    for block in blocks(text) {
        if let Some(found) = Value::read(without_language(block)).ok().as_ref().and_then(&mut accept) {
            return Some((found, Way::Fenced));
        }
    }
    embedded(text).into_iter().find_map(|(way, value)| Some((accept(&value)?, way)))
}

/// The objects and lists that stand in the text, in their order; not those inside others.
pub fn embedded(text: &str) -> Vec<(Way, Value)> {
    let leads = |start: usize| text.get(..start).is_some_and(|before| before.trim_end().ends_with([':', '：']));
    let way = |start: usize| if leads(start) { Way::LeadIn } else { Way::Embedded };
    values(text).into_iter().map(|(place, value)| (way(place.start), value)).collect()
}

/// The same with their places.
fn values(text: &str) -> Vec<(Range<usize>, Value)> {
    let (mut found, mut from) = (Vec::new(), 0);
    while let Some((start, tail)) = next_opening(text, from) {
        // The parser itself finds the end, so that brackets inside strings do not count. It gives up at the first fault
        // and at a set depth, so that a text of nothing but brackets costs no more than its length.
        from = start + 1;
        if let Some((value, length)) = Value::read_beginning(tail) {
            from = start + length;
            found.push((start..from, value));
        }
    }
    found
}

fn next_opening(text: &str, from: usize) -> Option<(usize, &str)> {
    let rest = text.get(from..)?;
    let at = rest.find(['{', '['])?;
    Some((from + at, rest.get(at..)?))
}

/// The contents of the fenced blocks, in their order; the last one may lack its end.
pub fn blocks(text: &str) -> Vec<&str> {
    let mut blocks = Vec::new();
    for fence in FENCES {
        blocks.extend(text.split(fence).skip(1).step_by(2).map(str::trim).filter(|block| !block.is_empty()));
    }
    blocks
}

/// What follows the thought, for models whose server leaves it in the text. A mark in a string of a JSON value ends none.
pub fn without_thought(text: &str) -> &str {
    if !text.contains(THOUGHT_END) {
        return text;
    }
    let values = values(text);
    let is_said = |at: usize| values.iter().any(|(place, _)| place.contains(&at));
    let end = text.rmatch_indices(THOUGHT_END).find(|(at, _)| !is_said(*at));
    end.and_then(|(at, mark)| text.get(at + mark.len()..)).unwrap_or(text)
}

/// A block without the language's name after its opening mark (`json{...}` and `json` on a line of its own).
pub fn without_language(block: &str) -> &str {
    block.trim_start_matches(|letter: char| letter.is_ascii_alphabetic()).trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn object(text: &str) -> Option<(String, &'static str)> {
        let found = find(text, |value| value.as_object().map(|_| serde_json::to_string(value).unwrap()));
        found.map(|(json, way)| (json, way.as_str()))
    }

    #[expect(clippy::unnecessary_wraps, reason = "it is compared with what `object` gives")]
    fn found(json: &str, way: &'static str) -> Option<(String, &'static str)> {
        Some((json.to_owned(), way))
    }

    #[test]
    fn a_whole_reply_is_json() {
        assert_eq!(object("  {\"a\": 1}\n"), found(r#"{"a":1}"#, "whole"));
    }

    #[test]
    fn a_fenced_block_of_any_kind_is_read() {
        for text in [
            "Here:\n```json\n{\"a\": 1}\n```\nDone.",
            "```json{\"a\": 1}```",
            "``` {\"a\": 1} ```",
            "'''json{\"a\":1}'''",
            "```python\nprint(1)\n```\n```\n{\"a\": 1}\n```",
            "```json\n{\"a\": 1}",
        ] {
            assert_eq!(object(text), found(r#"{"a":1}"#, "fenced"), "{text}");
        }
    }

    #[test]
    fn brackets_in_strings_and_in_running_text_do_not_confuse() {
        assert_eq!(object("call f{x}: {\"a\": \"} {\\\" [\"} and so on"), found(r#"{"a":"} {\" ["}"#, "lead_in"));
        assert_eq!(object("I [would] say {\"a\": {\"b\": [1]}} is it"), found(r#"{"a":{"b":[1]}}"#, "embedded"));
        assert_eq!(object("답은: {\"a\": \"별\"}입니다"), found(r#"{"a":"별"}"#, "lead_in"));
    }

    #[test]
    fn what_is_not_accepted_is_passed_over_with_all_that_is_in_it() {
        assert_eq!(object("[{\"a\": 1}] then {\"b\": 2}"), found(r#"{"b":2}"#, "embedded"));
        assert_eq!(object("nothing {here} [at all"), None);
        assert_eq!(object(""), None);
    }

    #[test]
    fn a_thought_is_not_an_answer() {
        assert_eq!(object("<think>maybe {\"a\": 1}</think>\n{\"b\": 2}"), found(r#"{"b":2}"#, "whole"));
        assert_eq!(without_thought("{\"a\": 1}</think> {\"b\": 2}"), " {\"b\": 2}");
    }

    #[test]
    fn a_mark_inside_a_string_ends_no_thought() {
        let said = r#"{"a":"9 <think></think>am"}"#;
        assert_eq!(object(said), found(said, "whole"));
        assert_eq!(object(&format!("<think>no {{\"</think>So: {said}")), found(said, "lead_in"));
    }

    #[test]
    fn many_brackets_are_no_burden() {
        assert_eq!(object(&"[{".repeat(20_000)), None);
        assert_eq!(object(&"{\"a\":[".repeat(20_000)), None);
    }

    proptest! {
        #[test]
        fn any_text_can_be_searched(text in any::<String>(), json in "[\\[\\]{}\",:a1 `'\\\\]{0,40}") {
            for text in [format!("{text}```{json}"), text, json] {
                if let Some((found, _)) = object(&text) {
                    let braces = found.starts_with('{') && text.contains('{');
                    prop_assert!(braces);
                }
                prop_assert!(blocks(&text).iter().all(|block| !block.is_empty()));
            }
        }

        #[test]
        fn an_object_is_found_in_any_surroundings(before in "[^{}\\[\\]`'\"]{0,20}", text in "[^\"\\\\\\p{C}]{0,20}") {
            let json = format!("{{\"key\":\"{text}\"}}");
            let found = object(&format!("{before}{json} end"));
            prop_assert_eq!(found.map(|it| it.0), Some(json));
        }
    }
}
