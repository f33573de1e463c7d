//! How an answer was found in a reply, and why one was not.

use std::fmt;

/// How an answer was found in a reply; counted, so that a report shows how well a model keeps to the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// The whole reply is the JSON that was asked for.
    Whole,
    /// JSON in a fenced block.
    Fenced,
    /// JSON after a line that ends in a colon.
    LeadIn,
    /// JSON somewhere in other text.
    Embedded,
    /// The text form that was asked for.
    Text,
    /// The text form with something around it or missing from it.
    LooseText,
}

/// Why a reply cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct Unparsable {
    /// A short name, for counting.
    pub reason: &'static str,
    /// What is wrong, in words that a model can be told.
    pub detail: String,
}

impl Way {
    /// The name under which it is counted.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Fenced => "fenced",
            Self::LeadIn => "lead_in",
            Self::Embedded => "embedded",
            Self::Text => "text",
            Self::LooseText => "loose_text",
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Unparsable {
    /// A reason with its explanation.
    pub fn new(reason: &'static str, detail: impl Into<String>) -> Self {
        Self { reason, detail: detail.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_have_distinct_names() {
        let ways = [Way::Whole, Way::Fenced, Way::LeadIn, Way::Embedded, Way::Text, Way::LooseText];
        let names: std::collections::BTreeSet<&str> = ways.iter().map(|way| way.as_str()).collect();
        assert_eq!(names.len(), ways.len());
        assert_eq!(Way::LeadIn.to_string(), "lead_in");
    }

    #[test]
    fn what_is_wrong_is_said_in_words() {
        assert_eq!(Unparsable::new("no_call", "there is no call in it").to_string(), "there is no call in it");
    }
}
