//! The text of a domain in one locale, as `<locale>/<domain>.toml` writes it.

use super::source::{Fault, File};
use fcgen_core::locale::KindText;
use indexmap::IndexMap;
use serde::Deserialize;

/// Everything that people say in a domain.
#[derive(Debug, Clone, Default)]
pub(super) struct DomainText {
    pub(super) title: String,
    pub(super) scenario: String,
    pub(super) topics: Vec<Vec<String>>,
    pub(super) kinds: IndexMap<String, KindText>,
    /// Sentences that tell what a matter is about, by its name.
    pub(super) matters: IndexMap<String, Vec<String>>,
    /// What one unit of something is worth in the locale's money.
    pub(super) worth: IndexMap<String, f64>,
    pub(super) resources: IndexMap<String, Spoken>,
}

/// Listed values of fields and parameters with the words for them.
pub(super) type Wordings = IndexMap<String, IndexMap<String, Vec<String>>>;

/// What people say about one resource.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Spoken {
    pub(super) noun: String,
    pub(super) called: Vec<String>,
    #[serde(default)]
    pub(super) again: Vec<String>,
    #[serde(default)]
    pub(super) fresh: Vec<String>,
    #[serde(default)]
    pub(super) fields: IndexMap<String, String>,
    #[serde(default)]
    pub(super) wordings: Wordings,
    #[serde(default)]
    pub(super) tools: IndexMap<String, SpokenApi>,
}

/// What people say about one API.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SpokenApi {
    pub(super) description: String,
    pub(super) intents: Vec<String>,
    #[serde(default)]
    pub(super) phrases: Vec<String>,
    #[serde(default)]
    pub(super) parameters: IndexMap<String, String>,
}

impl DomainText {
    /// Reads a file; what cannot be read is a fault, and the rest is there.
    pub(super) fn read(file: File<'_>, faults: &mut Vec<Fault>) -> Self {
        let (mut text, mut seen) = (Self::default(), Vec::new());
        for entry in file.entries(faults) {
            seen.push(entry.0.clone());
            match entry.0.as_str() {
                "title" => text.title = file.read(entry, faults).unwrap_or_default(),
                "scenario" => text.scenario = file.read(entry, faults).unwrap_or_default(),
                "topics" => text.topics = file.read(entry, faults).unwrap_or_default(),
                "matters" => text.matters = file.read(entry, faults).unwrap_or_default(),
                "worth" => text.worth = file.read(entry, faults).unwrap_or_default(),
                "kinds" => text.kinds = file.read(entry, faults).unwrap_or_default(),
                _ => {
                    let name = entry.0.clone();
                    text.resources.extend(file.read(entry, faults).map(|spoken| (name, spoken)));
                }
            }
        }
        let missing = ["title", "scenario"].into_iter().filter(|key| !seen.iter().any(|it| it == key));
        let fault = |key| Fault { path: file.path.to_owned(), line: None, message: format!("`{key}` is missing") };
        faults.extend(missing.map(fault));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (DomainText, Vec<String>) {
        let mut faults = Vec::new();
        let text = DomainText::read(File::new("en/bank.toml", text), &mut faults);
        (text, faults.iter().map(Fault::to_string).collect())
    }

    #[test]
    fn a_file_is_a_title_words_kinds_and_resources() {
        let (text, faults) = read(
            "title = \"Banking\"\nscenario = \"A bank.\"\ntopics = [[\"a\", \"b\"]]\n[kinds.months]\nrange = [1, 9]\n\
             [card]\nnoun = \"card\"\ncalled = [\"card {id}\"]\n[card.fields]\nlimit = \"limit\"\n",
        );
        assert!(faults.is_empty(), "{faults:?}");
        assert_eq!((text.title.as_str(), text.topics.len(), text.kinds.len()), ("Banking", 1, 1));
        assert_eq!(text.resources["card"].fields["limit"], "limit");
    }

    #[test]
    fn what_is_missing_or_misspelt_is_said_together() {
        let (text, faults) =
            read("title = \"x\"\n[card]\nnoun = \"card\"\n[bill]\nnoun = \"b\"\ncalled = []\nagian = []\n");
        assert!(text.resources.is_empty());
        assert_eq!(faults.len(), 3, "{faults:?}");
        assert!(faults[0].starts_with("en/bank.toml:2: `card`: missing field `called`"), "{faults:?}");
        assert!(faults[1].starts_with("en/bank.toml:7: `bill`: unknown field `agian`"), "{faults:?}");
        assert_eq!(faults[2], "en/bank.toml: `scenario` is missing");
    }
}
