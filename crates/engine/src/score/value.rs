//! When two values of an argument are the same: typed, and forgiving of spelling alone.

use crate::locale::{Language, same_meaning};
use crate::record::{Number, Value};
use serde::Deserialize;
use std::sync::Arc;
use unicode_normalization::UnicodeNormalization;

/// So many words, or letters of a script without capitals, make a sentence.
const SENTENCE_WORDS: usize = 4;
const SENTENCE_LETTERS: usize = 8;
/// Least Rouge-L of texts of which one may be the other in other words.
const ALIKE: f64 = 0.2;

/// Marks that may stand around a value without changing it. Signs of currency, percent, plus and minus may not.
const OUTER: &[char] = &[
    '.', ',', '!', '?', ';', ':', '\'', '"', '`', '(', ')', '[', ']', '\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}',
    '\u{2026}', '\u{3001}', '\u{3002}', '\u{300a}', '\u{300b}', '\u{300c}', '\u{300d}', '\u{300e}', '\u{300f}',
    '\u{3010}', '\u{3011}', '\u{ff01}', '\u{ff08}', '\u{ff09}', '\u{ff0c}', '\u{ff1a}', '\u{ff1b}', '\u{ff1f}',
];

/// What a locale knows of values.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueWords {
    /// Words before a value that do not change it.
    pub articles: Vec<String>,
    /// The language, by which dates, times and numbers within texts are the same in any form.
    #[serde(skip)]
    pub language: Option<Arc<Language>>,
}

impl ValueWords {
    /// Whether two values are the same. Numbers go by quantity, also where one of them is written as a text; booleans are
    /// equal to booleans alone; texts but for capitals, white space, outer marks and an article. A changed value is another.
    pub fn same(&self, one: &Value, other: &Value) -> bool {
        match (one, other) {
            (Value::String(one), Value::String(other)) => one == other || self.same_text(one, other),
            (Value::Number(number), Value::String(text)) | (Value::String(text), Value::Number(number)) => {
                as_number(text).is_some_and(|other| number.equals(&other))
            }
            (Value::List(one), Value::List(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| self.same(one, other))
            }
            (Value::Object(one), Value::Object(other)) => {
                one.len() == other.len()
                    && one.iter().all(|(name, one)| other.get(name).is_some_and(|other| self.same(one, other)))
            }
            _ => one.equals(other),
        }
    }

    fn same_text(&self, one: &str, other: &str) -> bool {
        match (as_number(one), as_number(other)) {
            (Some(one), Some(other)) => one.equals(&other),
            _ => self.plain(one) == self.plain(other) || self.means_the_same(one, other),
        }
    }

    fn means_the_same(&self, one: &str, other: &str) -> bool {
        let plain = |text: &str| self.plain(text);
        self.language.as_ref().is_some_and(|language| same_meaning(&plain(one), &plain(other), language))
    }

    /// Whether a text is a sentence of its own, such as a message: others may say the same in words that only a judge can
    /// compare. Names in capitals are none.
    pub fn is_sentence(&self, text: &str) -> bool {
        let words: Vec<&str> = text.split_whitespace().collect();
        let small = words.iter().filter(|word| !word.starts_with(char::is_uppercase)).count();
        let is_cased = text.chars().any(|letter| letter.is_ascii_alphabetic());
        if is_cased {
            return words.len() >= SENTENCE_WORDS && 2 * small >= words.len();
        }
        text.chars().filter(|letter| letter.is_alphabetic()).count() >= SENTENCE_LETTERS
    }

    /// Whether two texts share so many of their words that one may be the other in other words.
    pub fn are_alike(&self, one: &str, other: &str) -> bool {
        let language = self.language.as_ref();
        language.is_some_and(|language| language.rouge_l().score(&self.plain(one), &self.plain(other)) >= ALIKE)
    }

    /// A text as it is compared. Where nothing but marks would be left off, they stay.
    fn plain(&self, text: &str) -> String {
        let text = text.nfc().collect::<String>().to_lowercase();
        let trimmed = trim(&text);
        let mut words: Vec<&str> = (if trimmed.is_empty() { &text } else { trimmed }).split_whitespace().collect();
        if words.len() > 1 && words.first().is_some_and(|word| self.articles.iter().any(|article| article == word)) {
            words.remove(0);
        }
        words.join(" ")
    }
}

/// A number's text, outer marks aside: a period behind it ends a sentence, one before it does not.
fn as_number(text: &str) -> Option<Number> {
    Number::parse(trim(text)).filter(Number::is_finite)
}

fn trim(text: &str) -> &str {
    text.trim_matches(|letter: char| letter.is_whitespace() || OUTER.contains(&letter))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words() -> ValueWords {
        ValueWords { articles: ["a", "an", "the"].map(str::to_owned).to_vec(), language: None }
    }

    fn same(one: &str, other: &str) -> bool {
        let read = |text: &str| Value::read_lenient(text).unwrap().0;
        let (one, other) = (read(one), read(other));
        let result = words().same(&one, &other);
        assert_eq!(result, words().same(&other, &one), "{one} {other}");
        result
    }

    #[test]
    fn numbers_are_quantities_however_they_are_written() {
        for other in ["5.0", "5e0", "\"5\"", "\" 5.00 \"", "\"5.\""] {
            assert!(same("5", other), "{other}");
        }
        for other in ["6", "\"-5\"", "\"5%\"", "\"five\"", "true", "[5]", "null", "\"5 km\"", "\"1,5\""] {
            assert!(!same("5", other), "{other}");
        }
    }

    #[test]
    fn booleans_are_typed() {
        assert!(same("true", "true"));
        for other in ["false", "1", "\"true\"", "null"] {
            assert!(!same("true", other), "{other}");
        }
    }

    #[test]
    fn texts_are_forgiven_their_spelling_alone() {
        for (one, other) in [
            ("the Harbor Lights", "harbor  lights."),
            ("\u{201c}Blue Moon\u{201d}", "blue moon"),
            ("caf\u{e9}", "Cafe\u{301}"),
            ("8 a.m.", "8 A.M"),
            ("...", "..."),
            ("The", "the"),
            ("서울역", "서울역."),
            ("明天上午。", "明天上午"),
        ] {
            assert!(words().same(&one.into(), &other.into()), "{one} {other}");
        }
        for (one, other) in [
            ("tomorrow", "tomorrow morning"),
            ("C", "C++"),
            ("5", "-5"),
            ("50", "50%"),
            ("$5", "5"),
            ("the a", "the b"),
            ("...", "!!!"),
            ("서울역", "서울역에서"),
            ("April 1", "April 01"),
        ] {
            assert!(!words().same(&one.into(), &other.into()), "{one} {other}");
        }
    }

    #[test]
    fn lists_and_objects_are_the_same_part_by_part() {
        assert!(same(r#"["A", 1]"#, r#"["a", "1.0"]"#) && !same("[1, 2]", "[2, 1]"));
        assert!(
            same(r#"{"a": 1, "b": "X"}"#, r#"{"b": "x", "a": 1.0}"#) && !same(r#"{"a": 1}"#, r#"{"a": 1, "b": null}"#)
        );
    }

    #[test]
    fn with_a_language_dates_and_numbers_are_the_same_in_any_form() {
        let language = Some(Arc::new(Language::load(crate::fixtures::assets(), "en").unwrap()));
        let words = ValueWords { language, ..words() };
        let same = |one: &str, other: &str| words.same(&one.into(), &other.into());
        assert!(same("December 1st", "1 December") && same("three nights", "3 nights"));
        assert!(!same("December 1st", "December 2nd") && !same("in three nights", "3 nights"));
        assert!(!words.same(&3.into(), &"three".into()), "what has to be a number is no word");
    }

    #[test]
    fn a_message_is_a_sentence_and_a_name_is_none() {
        let words = ValueWords {
            language: Some(Arc::new(Language::load(crate::fixtures::assets(), "en").unwrap())),
            ..words()
        };
        for text in [
            "call me when you land",
            "the wifi password is taped to the fridge",
            "\u{c800}\u{b141}\u{c740} \u{c0b4}\u{ac8c} \u{ba39}\u{c744}\u{ac8c}",
        ] {
            assert!(words.is_sentence(text), "{text}");
        }
        for text in ["Blue Lantern Grill Bar", "two weeks", "Salt Lake City", "A15"] {
            assert!(!words.is_sentence(text), "{text}");
        }
        assert!(words.are_alike("call me when you land", "please call me once you have landed"));
        assert!(!words.are_alike("call me when you land", "the rent is due on Monday"));
    }

    proptest! {
        #[test]
        fn a_text_is_itself_in_capitals_and_marks_and_another_with_a_letter_more(text in "[a-z가-힣 ]{1,12}[b-z가-힣]") {
            let value = Value::from(text.as_str());
            let (loud, longer) = (format!("\"{}\".", text.to_uppercase()), format!("{text}q"));
            prop_assert!(words().same(&value, &loud.into()));
            prop_assert!(!words().same(&value, &longer.into()));
        }
    }
}
