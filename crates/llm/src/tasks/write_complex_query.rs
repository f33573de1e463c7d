//! Write a request that wants several calls in steps (`ComplexFuncBench`, section 3.1).

use super::{Common, TaskInfo};
use crate::record::Object;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

pub(super) const INFO: TaskInfo = TaskInfo::creative("write_complex_query", "WriteComplexQuery").voiced();

/// What a writer of complex queries is given: the calls of a plan as the person would ask for them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BriefVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The domain's title.
    pub title: String,
    /// The day on which the person writes, in words; empty where nothing that is said hangs on it.
    pub today: String,
    /// Why the person asks, in a sentence; empty where nothing says so.
    pub why: String,
    /// What the person wants, in order.
    pub parts: Vec<BriefPart>,
    /// The manner in which the person asks: one of the pack's styles.
    pub style: String,
    /// What that manner is like, in words.
    pub manner: String,
    /// A row of the stage's seed table, if it has one.
    pub seed: Option<Object>,
}

/// One thing that the person wants: a call, or several of one function that differ in one place.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BriefPart {
    /// The function.
    pub function: String,
    /// What it does.
    pub description: String,
    /// Which of the matters of the request it belongs to, from 0.
    pub matter: usize,
    /// Requests for it as the frames of a style wrap them; none where it is only asked about.
    pub asks: Vec<String>,
    /// Noun phrases for what it tells.
    pub things: Vec<String>,
    /// What each of its slots stands for; several where several calls differ in it.
    pub slots: IndexMap<String, Vec<BriefWords>>,
    /// The slots whose words, once said, hold for the whole request: who travels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<String>,
    /// The choice between two items of its answer that the person leaves to what is found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<BriefChoice>,
    /// What it hangs on, where another thing is wanted in its place if that is not so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fork: Option<Box<BriefFork>>,
    /// Whether it is wanted for each of several things that were told apart before.
    pub each: bool,
    /// Whether the person wants it for itself, and not for what follows from it alone.
    pub wanted: bool,
    /// The items of its answer that the person wants to be told.
    pub told: Vec<BriefWords>,
}

/// A choice between two items: the first is taken if it has some quality, the other one if not.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BriefChoice {
    /// The first, in a word: `cheapest`.
    pub first: String,
    /// Noun phrases for it.
    pub one: Vec<String>,
    /// The condition, in words.
    #[serde(rename = "if")]
    pub when: String,
    /// The other, in a word.
    pub second: String,
    /// Noun phrases for it.
    pub other: Vec<String>,
}

/// A choice between two things: one is wanted if an item has some quality, the other one if not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BriefFork {
    /// The item that is looked at.
    pub one: BriefWords,
    /// The condition, in words.
    #[serde(rename = "if")]
    pub when: String,
    /// Whether the part that hangs on it is wanted where it holds, and not where it does not.
    pub met: bool,
    /// The other thing.
    pub other: BriefPart,
}

/// What a slot stands for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BriefWords {
    /// These words.
    Said(String),
    /// The one item of another part's answer that is meant.
    Item {
        /// Which part, from 0.
        part: usize,
        /// What is meant, in a word: `cheapest`.
        pick: String,
        /// Noun phrases for it, over that part's slots and `{name}`.
        phrases: Vec<String>,
        /// The text by which it is named, if it is.
        name: Option<String>,
    },
}

impl BriefVariables {
    /// Everything that must stand in the query letter by letter, or in another form of the same value.
    pub fn said(&self) -> Vec<&str> {
        let mut said: Vec<&str> = Vec::new();
        let words = self.parts.iter().flat_map(|part| part.slots.values().flatten().chain(&part.told));
        for words in words {
            let text = match words {
                BriefWords::Said(text) => Some(text.as_str()),
                BriefWords::Item { name, .. } => name.as_deref(),
            };
            said.extend(text.filter(|text| !said.contains(text)));
        }
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_listed_once() {
        let said = |text: &str| BriefWords::Said(text.to_owned());
        let item = |name: Option<&str>| BriefWords::Item {
            part: 0,
            pick: "cheapest".to_owned(),
            phrases: Vec::new(),
            name: name.map(str::to_owned),
        };
        let part = |words: Vec<BriefWords>| BriefPart {
            slots: IndexMap::from([("a".to_owned(), words)]),
            ..BriefPart::default()
        };
        let variables = BriefVariables {
            common: Common::default(),
            title: String::new(),
            today: String::new(),
            why: String::new(),
            parts: vec![
                part(vec![said("Porto"), said("Lyon")]),
                part(vec![said("Porto"), item(None), item(Some("Twin"))]),
            ],
            style: String::new(),
            manner: String::new(),
            seed: None,
        };
        assert_eq!(variables.said(), ["Porto", "Lyon", "Twin"]);
    }
}
