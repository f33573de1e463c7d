//! Tools that were drafted from foreign descriptions, before they are a toolset.

use super::left_out::LeftOut;
use super::losses::Loss;
use super::origins::{Origin, Scheme, Source};
use indexmap::IndexMap;
use serde_json::Value as Json;

/// What became of a foreign file or server.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Draft {
    /// What was imported.
    pub source: Source,
    /// How calls are authorized.
    pub schemes: IndexMap<String, Scheme>,
    /// How many tools or operations it has.
    pub found: usize,
    /// How many of them were wanted.
    pub chosen: usize,
    /// The tools, in their order there.
    pub tools: Vec<DraftedTool>,
    /// What could not be carried over.
    pub losses: Vec<Loss>,
    /// Parameters that were left out on purpose.
    pub left_out: Vec<LeftOut>,
}

/// One drafted tool.
#[derive(Debug, Clone, PartialEq)]
pub struct DraftedTool {
    /// Its name where it comes from.
    pub original: String,
    /// The name that every server accepts.
    pub name: String,
    /// What it belongs to: a tag, or the first word of a path; a file of the toolset.
    pub group: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its parameters: an object.
    pub parameters: Json,
    /// JSON Schema of its answer, where that is known.
    pub returns: Option<Json>,
    /// The way back.
    pub origin: Origin,
}

/// Why a file cannot be imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {message}")]
pub struct ImportError {
    /// Which file.
    pub file: String,
    /// What is wrong, with the place.
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_its_file() {
        let error = ImportError { file: "a.json".to_owned(), message: "line 3, column 1: expected `:`".to_owned() };
        assert_eq!(error.to_string(), "a.json: line 3, column 1: expected `:`");
        assert_eq!(Draft::default().tools.len(), 0);
    }
}
