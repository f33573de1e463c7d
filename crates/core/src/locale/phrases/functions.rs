//! How a language describes the parameters of declared functions, and says what is wrong with a call.

use super::super::LocaleError;
use super::super::pack::read_toml;
use crate::assets::Assets;
use serde::Deserialize;

/// Sentences over `{value}`, `{tools}`, `{least}`, `{most}` and `{parameter}`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FunctionPhrases {
    /// What stands between two sentences.
    pub joiner: String,
    /// The value that a parameter has where it is left out.
    pub default: String,
    /// The answers that hold a value.
    pub source: String,
    /// What stands between two sources.
    pub or: String,
    /// A required argument is missing.
    pub missing: String,
    /// There is no such parameter.
    pub unknown: String,
    /// A value of another type.
    pub type_name: String,
    /// A value that is not one of those listed.
    pub listed: String,
    /// A number out of its range.
    pub range: String,
    /// A text in another form.
    pub format: String,
    /// A value that names nothing.
    pub not_found: String,
    /// No such function.
    pub unknown_tool: String,
    /// The declaration cannot answer.
    pub broken: String,
}

impl FunctionPhrases {
    /// Loads `locales/<code>/functions.toml`.
    pub fn load(assets: &Assets, code: &str) -> Result<Self, LocaleError> {
        read_toml(assets, code, "functions.toml")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_language_says_what_is_wrong() {
        for code in ["en", "ko", "zh", "ja"] {
            let phrases = FunctionPhrases::load(crate::fixtures::assets(), code).unwrap();
            for text in [&phrases.default, &phrases.not_found, &phrases.listed, &phrases.type_name, &phrases.format] {
                assert!(text.contains("{value}"), "{code}: {text}");
            }
            assert!(phrases.source.contains("{tools}") && phrases.range.contains("{least}"), "{code}");
            assert!(!phrases.missing.is_empty() && !phrases.unknown.is_empty() && !phrases.broken.is_empty(), "{code}");
        }
        let error = FunctionPhrases::load(crate::fixtures::assets(), "xx").unwrap_err().to_string();
        assert_eq!(error, "`locales/xx/functions.toml` is missing");
    }
}
