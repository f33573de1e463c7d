//! How a language describes what follows from APIs that are declared by resource.

use super::super::LocaleError;
use super::super::pack::read_toml;
use crate::assets::Assets;
use serde::Deserialize;

/// Descriptions of parameters and answers, over `{label}`, `{noun}` and `{shape}`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResourcePhrases {
    /// The identifier of the resource that an API works on.
    pub identifier: String,
    /// A list of such identifiers.
    pub identifiers: String,
    /// The identifier of another resource, by the role that it has.
    pub reference: String,
    /// Any other value.
    pub value: String,
    /// A day of the calendar.
    pub day: String,
    /// A text for which any wording is right.
    pub open: String,
    /// What a call that changes something says about it.
    pub status: String,
    /// Words that must not stand right before the slot of an identifier.
    pub before: Vec<String>,
    /// What must not stand right behind such a slot.
    pub behind: Vec<String>,
}

impl ResourcePhrases {
    /// Loads `locales/<code>/resources.toml`.
    pub fn load(assets: &Assets, code: &str) -> Result<Self, LocaleError> {
        read_toml(assets, code, "resources.toml")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_language_describes_identifiers_by_their_shape() {
        for code in ["en", "ko", "zh", "ja"] {
            let phrases = ResourcePhrases::load(crate::fixtures::assets(), code).unwrap();
            for text in [&phrases.identifier, &phrases.identifiers] {
                assert!(text.contains("{noun}") && text.contains("{shape}"), "{code}: {text}");
            }
            assert!(phrases.reference.contains("{label}") && phrases.reference.contains("{shape}"), "{code}");
            for text in [&phrases.value, &phrases.day, &phrases.open] {
                assert!(text.contains("{label}"), "{code}: {text}");
            }
            assert!(!phrases.before.is_empty() && !phrases.behind.is_empty(), "{code}");
        }
    }

    #[test]
    fn a_language_without_them_is_named() {
        let error = ResourcePhrases::load(crate::fixtures::assets(), "xx").unwrap_err().to_string();
        assert_eq!(error, "`locales/xx/resources.toml` is missing");
    }
}
