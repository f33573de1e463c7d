//! A file of foreign tools as a value: JSON or YAML, told apart by what stands in it.

use super::super::lines;
use super::yaml;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

/// A file that was read, with its text, so that places in it can be named by lines.
#[derive(Debug)]
pub(crate) struct Document {
    /// What stands in it.
    pub(crate) root: Json,
    text: String,
    syntax: Syntax,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Syntax {
    Json,
    Yaml,
}

/// Why a text is neither JSON nor YAML.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub(crate) struct Fault {
    /// From 1.
    pub(crate) line: usize,
    /// From 1.
    pub(crate) column: usize,
    /// What is wrong.
    pub(crate) message: String,
}

impl Document {
    /// Reads a text: one that begins with a bracket is JSON, or YAML that looks like it; all else is YAML.
    pub(crate) fn read(text: &str) -> Result<Self, Fault> {
        let text = text.trim_start_matches('\u{feff}');
        let looks_like_json = text.trim_start().starts_with(['{', '[']);
        let json = looks_like_json.then(|| serde_json::from_str(text));
        let (root, syntax) = match json {
            Some(Ok(root)) => (root, Syntax::Json),
            // Of two faults in what looks like JSON, the one that a JSON reader finds is the helpful one.
            Some(Err(error)) => (yaml::read(text).map_err(|_| of_json(&error))?, Syntax::Yaml),
            None => (yaml::read(text)?, Syntax::Yaml),
        };
        Ok(Self { root, text: text.to_owned(), syntax })
    }

    /// The lines, from 1, on which the wanted places (JSON pointers) stand.
    pub(crate) fn lines(&self, wanted: &BTreeSet<String>) -> BTreeMap<String, usize> {
        match self.syntax {
            Syntax::Json => lines::of_json(&self.text, wanted),
            Syntax::Yaml => lines::of_yaml(&self.text, wanted),
        }
    }
}

fn of_json(error: &serde_json::Error) -> Fault {
    let text = error.to_string();
    let message = text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message);
    Fault { line: error.line(), column: error.column(), message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_and_yaml_are_told_apart() {
        assert_eq!(Document::read("\u{feff} {\"a\": 1}").unwrap().syntax, Syntax::Json);
        let flow = Document::read("{a: 1}").unwrap();
        assert_eq!((flow.syntax, flow.root), (Syntax::Yaml, json!({"a": 1})));
        assert_eq!(Document::read("a: 1").unwrap().root, json!({"a": 1}));
    }

    #[test]
    fn a_fault_is_told_by_the_reader_that_fits() {
        assert_eq!(Document::read("{\"a\": 1,\n \"b\" 2}").unwrap_err().to_string(), "line 2, column 6: expected `:`");
        assert!(Document::read("a: 'x").unwrap_err().to_string().starts_with("line 1, column "));
        assert!(Document::read(&"[".repeat(100_000)).is_err(), "depth is bounded");
    }

    #[test]
    fn places_have_lines_in_either_syntax() {
        let wanted = BTreeSet::from(["/a/b".to_owned()]);
        for text in ["{\"a\":\n{\"b\": 1}}", "a:\n  b: 1\n"] {
            assert_eq!(Document::read(text).unwrap().lines(&wanted), BTreeMap::from([("/a/b".to_owned(), 2)]));
        }
    }
}
