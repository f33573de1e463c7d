//! A yes-or-no answer: `True` or `False`, or JSON with a verdict.

use super::Way;
use super::fence::{find, without_thought};
use crate::record::Value;

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
