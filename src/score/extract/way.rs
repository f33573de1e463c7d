//! How a call was found in a reply. Verdicts name it, so that a report shows how well a model keeps to the form.

use std::fmt;

/// Where the call stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The server gave it as a tool call.
    Native,
    /// It is the whole reply.
    Whole,
    /// Between tags that models are trained to write.
    Tag,
    /// In a fenced block.
    Fenced,
    /// Somewhere in running text.
    Embedded,
}

/// How the call was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// One JSON object with a name and arguments.
    Object,
    /// A JSON list of them.
    List,
    /// The shape of `OpenAI`'s messages.
    OpenAi,
    /// A name beside the JSON of its arguments.
    Named,
    /// A Python call.
    Python,
    /// A Python dictionary, or JSON with Python's liberties.
    Literal,
}

/// Where a call stood and how it was written.
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
            Self::Tag => "tag",
            Self::Fenced => "fenced",
            Self::Embedded => "embedded",
        }
    }
}

impl Form {
    fn as_str(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::List => "list",
            Self::OpenAi => "openai",
            Self::Named => "named",
            Self::Python => "python",
            Self::Literal => "literal",
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
    fn a_way_has_one_name() {
        assert_eq!(Way { place: Place::Fenced, form: Form::OpenAi }.to_string(), "fenced_openai");
        assert_eq!(Way { place: Place::Native, form: Form::Named }.to_string(), "native_named");
    }

    #[test]
    fn every_way_has_a_word_of_its_own() {
        let places = [Place::Native, Place::Whole, Place::Tag, Place::Fenced, Place::Embedded];
        let forms = [Form::Object, Form::List, Form::OpenAi, Form::Named, Form::Python, Form::Literal];
        let ways = places.into_iter().flat_map(|place| forms.map(|form| Way { place, form }.to_string()));
        let words: std::collections::BTreeSet<String> = ways.collect();
        assert_eq!(words.len(), places.len() * forms.len());
        let plain = |letter: char| letter.is_ascii_lowercase() || "_/- ".contains(letter);
        assert!(words.iter().all(|word| word.chars().all(plain)), "{words:?}");
    }
}
