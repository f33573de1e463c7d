//! Habits of speech by their words: fillers, acknowledgements, openers, levels of politeness. From `locales/<code>/talk.toml`;
//! a locale without that file has none.

use super::super::LocaleError;
use super::derived::optional;
use crate::assets::Assets;
use serde::Deserialize;

/// Words of one locale.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TalkWords {
    /// What begins an answer without being a part of it.
    pub fillers: Vec<String>,
    /// What ends an answer without being a part of it.
    pub tails: Vec<String>,
    /// What an assistant says before its question.
    pub acknowledgements: Vec<String>,
    /// What begins a request without being a part of it.
    pub openers: Vec<String>,
    /// What stands before an example in a description.
    pub examples: Vec<String>,
    /// Levels of politeness, by the endings of sentences.
    #[serde(rename = "level")]
    pub levels: Vec<Level>,
    /// The largest shares that are accepted.
    pub most: Most,
}

/// A level of politeness.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// Its name.
    pub name: String,
    /// How its sentences end.
    pub endings: Vec<String>,
}

/// The largest shares that are accepted; a share without one is only shown.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Most {
    /// Of answers with a filler or a tail.
    pub decorated: Option<f64>,
    /// Of requests with a stock opener.
    pub openers: Option<f64>,
    /// Of questions with an acknowledgement before them.
    pub acknowledgements: Option<f64>,
    /// Of turns whose level is another than the speaker's last one.
    pub level_changes: Option<f64>,
    /// Amounts of five figures that are said in bare digits.
    pub bare_amounts: Option<f64>,
}

impl TalkWords {
    /// The words of a locale.
    pub fn load(assets: &Assets, code: &str) -> Result<Self, LocaleError> {
        optional(assets, &format!("locales/{code}/talk.toml"))
    }

    /// Whether an answer begins with a filler or ends with a tail, and is more than that.
    pub fn is_decorated(&self, text: &str) -> bool {
        begins(text, &self.fillers) || ends(text, &self.tails)
    }

    /// Which level the last sentence of a text has; the longest ending decides.
    pub fn level(&self, text: &str) -> Option<&str> {
        let text = text.trim_end_matches(|letter: char| !letter.is_alphanumeric());
        let fits = self.levels.iter().flat_map(|level| level.endings.iter().map(move |ending| (ending, level)));
        let longest = fits.filter(|(ending, _)| text.ends_with(ending.as_str())).max_by_key(|(ending, _)| ending.len());
        longest.map(|(_, level)| level.name.as_str())
    }
}

/// Whether a text begins with one of some phrases, as words, and goes on after it.
pub fn begins(text: &str, phrases: &[String]) -> bool {
    let text = text.trim_start().to_lowercase();
    phrases.iter().filter(|phrase| !phrase.is_empty()).any(|phrase| {
        let rest = text.strip_prefix(&phrase.to_lowercase());
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric) && rest.contains(char::is_alphanumeric))
    })
}

/// Whether a text ends with one of some phrases, as words, and has something before it.
fn ends(text: &str, phrases: &[String]) -> bool {
    let text = text.trim_end_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
    phrases.iter().filter(|phrase| !phrase.is_empty()).any(|phrase| {
        let rest = text.strip_suffix(&phrase.to_lowercase());
        rest.is_some_and(|rest| !rest.ends_with(char::is_alphanumeric) && rest.contains(char::is_alphanumeric))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_count_as_words_at_the_beginning_or_the_end() {
        let words =
            TalkWords { fillers: vec!["so".to_owned()], tails: vec!["thanks".to_owned()], ..TalkWords::default() };
        for text in ["So, Porto", "so Porto", "Porto, thanks.", "Porto thanks!"] {
            assert!(words.is_decorated(text), "{text}");
        }
        for text in ["Sofia", "so", "thanks", "Porto", ""] {
            assert!(!words.is_decorated(text), "{text}");
        }
    }

    #[test]
    fn a_korean_sentence_has_the_level_of_its_ending() {
        let words = TalkWords::load(crate::fixtures::assets(), "ko").unwrap();
        let level = |text| words.level(text);
        assert_eq!(
            (level("알려 줘."), level("알려 주세요!"), level("부탁드립니다")),
            (Some("banmal"), Some("haeyo"), Some("hapsyo"))
        );
        assert_eq!((level("서울"), level("")), (None, None));
    }

    #[test]
    fn every_shipped_list_is_read_and_others_are_empty() {
        for code in ["en", "ko", "zh", "ja"] {
            let words = TalkWords::load(crate::fixtures::assets(), code).unwrap();
            assert!(
                !words.fillers.is_empty() && !words.acknowledgements.is_empty() && !words.openers.is_empty(),
                "{code}"
            );
        }
        assert_eq!(TalkWords::load(crate::fixtures::assets(), "xx").unwrap(), TalkWords::default());
    }
}
