//! What a locale says about a domain of a declared world, as `<locale>/<domain>.toml` writes it.

use crate::locale::KindText;
use indexmap::IndexMap;
use serde::Deserialize;

/// The text of one file.
#[derive(Debug, Clone, Default)]
pub(super) struct WorldText {
    pub(super) title: String,
    pub(super) scenario: String,
    pub(super) topics: Vec<Vec<String>>,
    pub(super) kinds: IndexMap<String, KindText>,
    /// Descriptions of parameters that have none of their own.
    pub(super) parameters: IndexMap<String, String>,
    /// Messages for calls that are refused.
    pub(super) errors: IndexMap<String, String>,
    pub(super) functions: IndexMap<String, Said>,
}

/// The text of one function.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Said {
    pub(super) description: String,
    #[serde(default)]
    pub(super) parameters: IndexMap<String, String>,
}

impl WorldText {
    /// The description of a parameter of a function.
    pub(super) fn describe(&self, function: &str, parameter: &str) -> Option<&String> {
        let own = self.functions.get(function).and_then(|said| said.parameters.get(parameter));
        own.or_else(|| self.parameters.get(parameter))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_is_described_by_its_function_or_for_all() {
        let said: Said = toml::from_str("description = \"d\"\n[parameters]\nday = \"own\"").unwrap();
        let text = WorldText {
            parameters: IndexMap::from([("day".to_owned(), "all".to_owned()), ("size".to_owned(), "big".to_owned())]),
            functions: IndexMap::from([("F".to_owned(), said)]),
            ..WorldText::default()
        };
        assert_eq!(text.describe("F", "day").unwrap(), "own");
        assert_eq!(text.describe("G", "day").unwrap(), "all");
        assert_eq!(text.describe("F", "size").unwrap(), "big");
        assert!(text.describe("F", "none").is_none());
        assert!(toml::from_str::<Said>("description = \"d\"\nlabel = \"x\"").is_err());
    }
}
