//! What an import could not carry over, each thing once with its place in the file.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Something that could not be carried over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loss {
    /// Where it stands in the file, as a JSON pointer.
    pub place: String,
    /// The line of it, from 1, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// What could not be carried over, and what stands for it.
    pub message: String,
    /// How many times it was come upon: what many operations refer to is lost for each of them.
    pub times: usize,
}

/// The losses so far, by place and message.
#[derive(Debug, Default)]
pub(super) struct Losses(IndexMap<(String, String), usize>);

impl Losses {
    /// Notes a loss.
    pub(super) fn add(&mut self, place: &str, message: impl Into<String>) {
        *self.0.entry((place.to_owned(), message.into())).or_default() += 1;
    }

    /// The places of all.
    pub(super) fn places(&self) -> BTreeSet<String> {
        self.0.keys().map(|(place, _)| place.clone()).collect()
    }

    /// All of them, in the order in which they were come upon; `line` knows the lines of places.
    pub(super) fn listed(self, line: impl Fn(&str) -> Option<usize>) -> Vec<Loss> {
        let loss =
            |((place, message), times): ((String, String), usize)| Loss { line: line(&place), place, message, times };
        self.0.into_iter().map(loss).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_is_listed_once_with_its_line() {
        let mut losses = Losses::default();
        losses.add("/a", "x");
        losses.add("/b", "x");
        losses.add("/a", "x");
        assert_eq!(losses.places(), BTreeSet::from(["/a".to_owned(), "/b".to_owned()]));
        let listed = losses.listed(|place| (place == "/a").then_some(7));
        assert_eq!(listed.iter().map(|it| (it.line, it.times)).collect::<Vec<_>>(), [(Some(7), 2), (None, 1)]);
        let text = serde_json::to_string(&listed[1]).unwrap();
        assert_eq!(text, r#"{"place":"/b","message":"x","times":1}"#);
    }
}
