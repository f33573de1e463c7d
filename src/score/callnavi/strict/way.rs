//! How an answer was found in a reply. Verdicts name it, so that a report shows how well a model keeps to the form.

use std::fmt;

/// Where the answer stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The server gave it as tool calls.
    Native,
    /// It is the whole reply.
    Whole,
    /// In a fenced block.
    Fenced,
    /// Somewhere in running text.
    Embedded,
}

/// How the answer was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// JSON.
    Json,
    /// A Python value, or JSON with Python's liberties.
    Literal,
    /// YAML.
    Yaml,
    /// Names alone, without brackets.
    Names,
    /// Calls with their arguments.
    Calls,
}

/// Where an answer stood and how it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Way {
    /// Where it stood.
    pub place: Place,
    /// How it was written.
    pub form: Form,
}

impl Place {
    fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Whole => "whole",
            Self::Fenced => "fenced",
            Self::Embedded => "embedded",
        }
    }
}

impl Form {
    fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Literal => "literal",
            Self::Yaml => "yaml",
            Self::Names => "names",
            Self::Calls => "calls",
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}_{}", self.place.as_str(), self.form.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_has_a_word_of_its_own() {
        let places = [Place::Native, Place::Whole, Place::Fenced, Place::Embedded];
        let forms = [Form::Json, Form::Literal, Form::Yaml, Form::Names, Form::Calls];
        let words: std::collections::BTreeSet<String> =
            places.into_iter().flat_map(|place| forms.map(|form| Way { place, form }.to_string())).collect();
        assert_eq!(words.len(), places.len() * forms.len());
        assert!(words.contains("fenced_json") && words.contains("embedded_yaml"));
    }
}
