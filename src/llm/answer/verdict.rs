//! A yes-or-no answer: `True` or `False`, or JSON with a verdict.

use super::Way;
use super::fence::{find, without_thought};
use crate::record::Value;

/// Reads a verdict, with the name of the way it was found. A reply that says both is none.
pub fn read_verdict(text: &str) -> Option<(bool, &'static str)> {
    let text = without_thought(text);
    if let Some((verdict, way)) = find(text, structured) {
        return Some((verdict, way.as_str()));
    }
    if let Some(verdict) = word(text) {
        return Some((verdict, Way::Text.as_str()));
    }
    let said: Vec<bool> = text.split(|letter: char| !letter.is_alphanumeric()).filter_map(word).collect();
    let first = *said.first()?;
    said.iter().all(|verdict| *verdict == first).then_some((first, Way::LooseText.as_str()))
}

fn structured(value: &Value) -> Option<bool> {
    let verdict = ["verdict", "answer", "result"].iter().find_map(|key| value.as_object()?.get(*key))?;
    verdict.as_bool().or_else(|| word(verdict.as_str()?))
}

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
    fn a_word_is_a_verdict() {
        for (text, verdict) in
            [("True", true), ("false.", false), ("\n**TRUE**\n", true), ("`False`", false), ("true", true)]
        {
            assert_eq!(read_verdict(text), Some((verdict, "text")), "{text}");
        }
    }

    #[test]
    fn json_is_a_verdict() {
        assert_eq!(read_verdict(r#"{"verdict": true}"#), Some((true, "whole")));
        assert_eq!(read_verdict("```json\n{\"verdict\": \"False\"}\n```"), Some((false, "fenced")));
    }

    #[test]
    fn a_word_in_a_sentence_is_a_verdict_unless_both_are_said() {
        assert_eq!(read_verdict("answer: False, for the time differs"), Some((false, "loose_text")));
        assert_eq!(read_verdict("<think>True or False?</think>True"), Some((true, "text")));
        assert_eq!(read_verdict("True or False"), None);
        assert_eq!(read_verdict("It is untrue"), None);
        assert_eq!(read_verdict(""), None);
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(text in any::<String>()) {
            let said = text.to_lowercase();
            if let Some((verdict, _)) = read_verdict(&text) {
                prop_assert!(said.contains(&verdict.to_string()));
            }
        }
    }
}
