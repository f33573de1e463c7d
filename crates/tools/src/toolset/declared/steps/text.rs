//! What a locale says about a domain of a declared world, as `<locale>/<domain>.toml` writes it.

use fcgen_core::locale::KindText;
use fcgen_core::record::{QualityWords, TallyWords, Wordings};
use indexmap::IndexMap;
use serde::Deserialize;

/// The text of one file.
#[derive(Debug, Clone, Default)]
pub(crate) struct WorldText {
    pub(crate) title: String,
    pub(crate) scenario: String,
    pub(crate) topics: Vec<Vec<String>>,
    pub(crate) kinds: IndexMap<String, KindText>,
    /// Descriptions of parameters that have none of their own.
    pub(crate) parameters: IndexMap<String, String>,
    /// How arguments are said, by parameter and form.
    pub(crate) said: Wordings,
    /// Messages for calls that are refused.
    pub(crate) errors: IndexMap<String, String>,
    pub(crate) functions: IndexMap<String, Spoken>,
}

/// The text of one function.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Spoken {
    pub(crate) description: String,
    #[serde(default)]
    pub(crate) parameters: IndexMap<String, String>,
    #[serde(default)]
    pub(crate) asks: Vec<String>,
    #[serde(default)]
    pub(crate) things: Vec<String>,
    #[serde(default)]
    pub(crate) picks: IndexMap<String, Vec<String>>,
    #[serde(default)]
    pub(crate) tells: Vec<String>,
    #[serde(default)]
    pub(crate) found: Vec<String>,
    #[serde(default)]
    pub(crate) chosen: Vec<String>,
    #[serde(default)]
    pub(crate) qualities: IndexMap<String, QualityWords>,
    #[serde(default)]
    pub(crate) tallies: IndexMap<String, TallyWords>,
    #[serde(default)]
    pub(crate) said: Wordings,
}

impl WorldText {
    /// The description of a parameter of a function.
    pub(crate) fn describe(&self, function: &str, parameter: &str) -> Option<&String> {
        let own = self.functions.get(function).and_then(|said| said.parameters.get(parameter));
        own.or_else(|| self.parameters.get(parameter))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_is_described_by_its_function_or_for_all() {
        let said: Spoken = toml::from_str("description = \"d\"\n[parameters]\nday = \"own\"").unwrap();
        let text = WorldText {
            parameters: IndexMap::from([("day".to_owned(), "all".to_owned()), ("size".to_owned(), "big".to_owned())]),
            functions: IndexMap::from([("F".to_owned(), said)]),
            ..WorldText::default()
        };
        assert_eq!(text.describe("F", "day").unwrap(), "own");
        assert_eq!(text.describe("G", "day").unwrap(), "all");
        assert_eq!(text.describe("F", "size").unwrap(), "big");
        assert!(text.describe("F", "none").is_none());
        assert!(toml::from_str::<Spoken>("description = \"d\"\nlabel = \"x\"").is_err());
    }

    #[test]
    fn a_function_must_be_described() {
        let error = toml::from_str::<Spoken>("[parameters]\nday = \"d\"").unwrap_err();
        assert_eq!(error.message(), "missing field `description`");
    }
}
