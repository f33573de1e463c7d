//! Whether a text asks for something: by the marks and turns of phrase of its locale, or by naming what is missing.

use super::rename::words;
use super::wording::Training;
use crate::data;
use serde::Deserialize;
use std::collections::BTreeSet;

/// The fewest letters of a word in Latin script that says what a parameter is about.
const LEAST: usize = 3;

/// How a locale asks.
#[derive(Debug, Default)]
pub(super) struct Asking {
    signs: Vec<String>,
    stop: BTreeSet<String>,
}

/// What is read of `locales/<code>/reading.toml`: words without a meaning of their own.
#[derive(Deserialize, Default)]
#[serde(default)]
struct ReadingFile {
    stop: String,
}

impl Asking {
    /// A locale without signs of its own has those of English.
    pub(super) fn load(code: &str) -> Self {
        let own = Training::load(code).signs;
        let signs = if own.is_empty() { Training::load("en").signs } else { own };
        let text = data::read(&format!("locales/{code}/reading.toml")).unwrap_or_default();
        let file: ReadingFile = toml::from_str(&text).unwrap_or_default();
        Self { signs, stop: file.stop.split_whitespace().map(str::to_lowercase).collect() }
    }

    /// Whether a text asks; `about` are names and descriptions of the parameters that it may ask for.
    pub(super) fn asks(&self, text: &str, about: &[String]) -> bool {
        let text = text.to_lowercase();
        let said = words(&text);
        let is_said = |word: &String| if word.is_ascii() { said.contains(word) } else { text.contains(word.as_str()) };
        self.signs.iter().any(|sign| !sign.is_empty() && text.contains(sign.as_str()))
            || about.iter().flat_map(|it| words(it)).any(|word| self.tells(&word) && is_said(&word))
    }

    /// Whether a text asks for one thing at most: by no sign more than once.
    pub(super) fn is_single(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        self.signs.iter().all(|sign| text.matches(sign.as_str()).count() <= 1)
    }

    /// Whether a word says what something is about.
    fn tells(&self, word: &str) -> bool {
        let least = if word.is_ascii() { LEAST } else { 2 };
        word.chars().count() >= least && !self.stop.contains(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(code: &str, text: &str, about: &str) -> bool {
        Asking::load(code).asks(text, &[about.to_owned()])
    }

    #[test]
    fn a_mark_a_phrase_or_the_name_of_what_is_missing_asks() {
        assert!(asks("en", "Where to?", "") && asks("en", "I still need the station.", "The station"));
        assert!(asks("en", "Your departure date, please.", "departure_date"));
        assert!(
            asks("ko", "출발역을 알려 주세요.", "")
                && asks("zh", "去哪里？", "")
                && asks("ja", "どちらの駅ですか。", "")
        );
    }

    #[test]
    fn other_words_ask_nothing() {
        for (code, text) in [("en", "Done."), ("ko", "완료했습니다."), ("zh", "办好了。"), ("ja", "できました。")]
        {
            assert!(!asks(code, text, "The station to go to"), "{text}");
        }
        assert!(
            !asks("en", "I will go to it with the others.", "What to do with the"),
            "no word of these tells anything"
        );
        assert!(!asks("en", "", ""));
    }

    #[test]
    fn a_text_of_two_questions_is_not_single() {
        let is_single = |code: &str, text: &str| Asking::load(code).is_single(text);
        assert!(is_single("en", "Where to?") && is_single("ko", "출발역을 알려 주시겠어요?"));
        assert!(!is_single("en", "What should it say? To whom?") && !is_single("ja", "駅はどこですか。何時ですか。"));
    }

    #[test]
    fn a_locale_without_signs_has_those_of_english() {
        assert!(asks("xx", "Wohin?", "") && !asks("xx", "Ja.", ""));
    }
}
