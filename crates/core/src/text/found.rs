//! What is found in a reply, and by which way.

use crate::record::{Object, Value};
use std::fmt;
use std::ops::Range;

// Finding JSON in what a model said: the whole text, a fenced block, or the first complete value in running text.

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

// How an answer was found in a reply, and why one was not.

/// How an answer was found in a reply; counted, so that a report shows how well a model keeps to the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// The whole reply is the JSON that was asked for.
    Whole,
    /// JSON in a fenced block.
    Fenced,
    /// JSON after a line that ends in a colon.
    LeadIn,
    /// JSON somewhere in other text.
    Embedded,
    /// The text form that was asked for.
    Text,
    /// The text form with something around it or missing from it.
    LooseText,
}

/// Why a reply cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct Unparsable {
    /// A short name, for counting.
    pub reason: &'static str,
    /// What is wrong, worded for the prompt that asks again.
    pub detail: String,
}

impl Way {
    /// The name under which it is counted.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Fenced => "fenced",
            Self::LeadIn => "lead_in",
            Self::Embedded => "embedded",
            Self::Text => "text",
            Self::LooseText => "loose_text",
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Unparsable {
    /// A reason with its explanation.
    pub fn new(reason: &'static str, detail: impl Into<String>) -> Self {
        Self { reason, detail: detail.into() }
    }
}

// A JSON object, whatever it holds: the answer to a user's own prompt.

/// Reads the first object of the text.
pub fn read_object(text: &str) -> Result<(Object, Way), Unparsable> {
    find(text, |value| value.as_object().cloned())
        .ok_or_else(|| Unparsable::new("no_object", "the reply holds no JSON object"))
}

/// Reads the first object or list of the text.
pub fn read_json(text: &str) -> Result<(Value, Way), Unparsable> {
    let whole = |value: &Value| matches!(value, Value::Object(_) | Value::List(_)).then(|| value.clone());
    find(text, whole).ok_or_else(|| Unparsable::new("no_json", "the reply holds no JSON object or list"))
}

// A yes-or-no answer: `True` or `False`, or JSON with a verdict.

/// Reads a verdict. It would rather read none than take a word of some sentence for it, and a reply that says both is none.
pub fn read_verdict(text: &str) -> Option<(bool, Way)> {
    let text = without_thought(text);
    if let Some(found) = find(text, structured) {
        return Some(found);
    }
    if let Some(verdict) = word(text) {
        return Some((verdict, Way::Text));
    }
    let said: Vec<bool> = text.lines().flat_map(stated).collect();
    let first = *said.first()?;
    said.iter().all(|verdict| *verdict == first).then_some((first, Way::LooseText))
}

fn structured(value: &Value) -> Option<bool> {
    let verdict = ["verdict", "answer", "result"].iter().find_map(|key| value.as_object()?.get(*key))?;
    verdict.as_bool().or_else(|| word(verdict.as_str()?))
}

/// The verdicts that a line states: at its beginning, and after a label and its colon.
fn stated(line: &str) -> impl Iterator<Item = bool> {
    // Such a line is of JSON that could not be read; what it quotes need not be the verdict.
    let spoken = (!line.contains(['{', '"'])).then_some(line);
    let labelled = spoken.and_then(|line| line.rsplit_once([':', '：'])).map(|(_, rest)| rest);
    spoken.into_iter().chain(labelled).filter_map(leading)
}

/// The word at the beginning of a text, where something parts it from what follows.
fn leading(text: &str) -> Option<bool> {
    let clause = text.split([',', '.', ';', ':', '!', '—', '，', '。', '：', '；']).next()?;
    word(clause.split(" - ").next()?)
}

/// The word alone, whatever marks models put around it.
fn word(text: &str) -> Option<bool> {
    let word = text.trim_matches(|letter: char| !letter.is_alphanumeric());
    match () {
        () if word.eq_ignore_ascii_case("true") => Some(true),
        () if word.eq_ignore_ascii_case("false") => Some(false),
        () => None,
    }
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

#[cfg(test)]
mod way_tests {
    use super::*;

    #[test]
    fn ways_have_distinct_names() {
        let ways = [Way::Whole, Way::Fenced, Way::LeadIn, Way::Embedded, Way::Text, Way::LooseText];
        let names: std::collections::BTreeSet<&str> = ways.iter().map(|way| way.as_str()).collect();
        assert_eq!(names.len(), ways.len());
        assert_eq!(Way::LeadIn.to_string(), "lead_in");
    }

    #[test]
    fn what_is_wrong_is_said_in_words() {
        assert_eq!(Unparsable::new("no_call", "there is no call in it").to_string(), "there is no call in it");
    }
}

#[cfg(test)]
mod object_tests {
    use super::*;

    #[test]
    fn an_object_is_found_in_a_fence_and_in_talk() {
        assert_eq!(read_object("```json\n{\"a\": 1}\n```").unwrap().1, Way::Fenced);
        assert_eq!(read_object("Here: {\"a\": 1} as asked").unwrap().0.len(), 1);
        assert_eq!(read_object("[1]").unwrap_err().reason, "no_object");
    }

    #[test]
    fn a_list_is_as_good_where_any_json_is_wanted() {
        assert_eq!(read_json("```json\n[1, {}]\n```").unwrap().0.to_string(), "[1,{}]");
        assert_eq!(read_json("It is {\"a\": 1}.").unwrap().1, Way::Embedded);
        assert_eq!(read_json("7").unwrap_err().reason, "no_json");
    }

    #[test]
    fn numbers_and_order_come_as_they_were_written() {
        let object = read_object("<think>{\"z\": 0}</think>So: {\"b\": 1.50, \"a\": {}}").unwrap();
        assert_eq!(
            (crate::record::Value::from(object.0).to_string().as_str(), object.1),
            (r#"{"b":1.50,"a":{}}"#, Way::LeadIn)
        );
        assert_eq!(read_object("").unwrap_err().to_string(), "the reply holds no JSON object");
    }
}

#[cfg(test)]
mod verdict_tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_way_has_its_name() {
        let cases = [
            ("True", true, Way::Text),
            ("\n**FALSE**.\n", false, Way::Text),
            ("<think>True or False?</think>\n`true`", true, Way::Text),
            (r#"{"verdict": true}"#, true, Way::Whole),
            ("```json\n{\"verdict\": \"False\"}\n```", false, Way::Fenced),
            ("My verdict:\n{\"answer\": false} as the times differ", false, Way::LeadIn),
            ("```\nTrue\n```\nDone", true, Way::LooseText),
            ("False, because the times differ.", false, Way::LooseText),
            ("**True** — they agree", true, Way::LooseText),
            ("True - they agree", true, Way::LooseText),
            ("True\nThey agree.", true, Way::LooseText),
            ("Both name the same place.\nVerdict: True.", true, Way::LooseText),
            ("answer: False, for the time differs", false, Way::LooseText),
            ("判断：False", false, Way::LooseText),
        ];
        for (text, verdict, way) in cases {
            assert_eq!(read_verdict(text), Some((verdict, way)), "{text}");
        }
    }

    #[test]
    fn what_is_no_verdict_is_none() {
        let texts = ["", "Maybe", "True or False", "It is untrue", "truelove", "It is not true", "The answer is false"];
        for text in texts.into_iter().chain(["False friends, these two", "```", "참", r#"{"verdict": 1}"#]) {
            assert_eq!(read_verdict(text), None, "{text}");
        }
    }

    #[test]
    fn a_reply_that_says_both_is_none() {
        assert_eq!(read_verdict("True, at first sight.\nVerdict: False"), None);
    }

    #[test]
    fn what_unreadable_json_quotes_is_no_verdict() {
        assert_eq!(read_verdict(r#"{"verdict": "maybe", "note": "True, at first sight""#), None);
    }

    proptest! {
        #[test]
        fn a_verdict_is_never_made_up(text in any::<String>(), word in "(True|FALSE|maybe)[ .,:\n]{0,2}[a-z]{0,4}") {
            for text in [text, word] {
                if let Some((verdict, _)) = read_verdict(&text) {
                    prop_assert!(text.to_lowercase().contains(&verdict.to_string()));
                }
            }
        }
    }

    proptest! {
        #[test]
        fn a_verdict_is_read_whatever_marks_are_around_it(verdict in any::<bool>(), before in "[*`\"' \\n(]{0,4}", after in "[*`\"' \\n).!]{0,4}") {
            let text = format!("{before}{verdict}{after}");
            prop_assert_eq!(read_verdict(&text).map(|it| it.0), Some(verdict), "{}", text);
        }

        #[test]
        fn whoever_says_both_has_said_nothing(first in any::<bool>(), reason in "[a-z ]{1,12}") {
            let text = format!("{first}, as {reason}.\nVerdict: {}", !first);
            prop_assert_eq!(read_verdict(&text), None);
        }
    }
}
