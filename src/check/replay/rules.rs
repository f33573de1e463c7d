//! What the strict scorer needs to know of a locale, from `locales/<code>/scoring.toml`.

use crate::score::hammerbench::strict::Rules;
use crate::score::{RefusalWords, Refusals, ValueWords};
use serde::Deserialize;

/// Why a locale's scoring words cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("in `{path}`: {source}")]
pub struct RulesError {
    path: String,
    #[source]
    source: Box<toml::de::Error>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    refusals: RefusalWords,
    values: ValueWords,
}

/// The rules of a locale, and a sentence that refuses in it. A locale without a file has neither.
pub(super) fn load(locale: &str) -> Result<(Rules, String), RulesError> {
    let path = format!("locales/{locale}/scoring.toml");
    let file: File = match crate::data::read(&path) {
        Some(text) => toml::from_str(&text).map_err(|source| RulesError { path, source: Box::new(source) })?,
        None => File::default(),
    };
    let sentence = file.refusals.sentences.first().cloned().unwrap_or_default();
    Ok((Rules { refusals: Refusals::new([&file.refusals]), values: file.values }, sentence))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locale_refuses_in_its_own_words() {
        for locale in ["en", "ko", "zh"] {
            let (rules, sentence) = load(locale).unwrap();
            assert!(rules.refusals.in_words(&sentence).is_some(), "{locale}: {sentence}");
        }
        assert_eq!(load("fr").unwrap().1, "");
    }
}
