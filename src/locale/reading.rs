//! What a reader knows of a language before it sees any tool: empty words, verbs that do the same, cue words.

use super::{LocaleError, read_toml};
use indexmap::{IndexMap, IndexSet};
use serde::Deserialize;

/// Cue words of one language.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    stop: IndexSet<String>,
    suffixes: Vec<String>,
    /// Words that begin the name of a thing.
    pub determiners: Vec<String>,
    /// Those of them that point at a thing that both know.
    pub definite: Vec<String>,
    /// Words that deny a clause.
    pub denials: Vec<String>,
    /// Whether the words that announce a value stand behind it, and particles behind its last letter.
    pub postpositions: bool,
    /// Words of a parameter's name, with the words that announce its value.
    pub roles: IndexMap<String, Vec<String>>,
    /// Words and two-word phrases (as stems) with the meanings that they share with others.
    meanings: IndexMap<String, Vec<Meaning>>,
    groups: usize,
    strong: IndexSet<usize>,
    announcing: IndexSet<String>,
}

/// What a word may mean: one number for each group of words that mean the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Meaning {
    /// A thing done.
    Action(usize),
    /// A thing.
    Topic(usize),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadingText {
    stop: String,
    determiners: Vec<String>,
    definite: Vec<String>,
    denials: Vec<String>,
    suffixes: Vec<String>,
    #[serde(default)]
    postpositions: bool,
    actions: Vec<Vec<String>>,
    strong: Vec<String>,
    #[serde(default)]
    topics: Vec<Vec<String>>,
    roles: IndexMap<String, Vec<String>>,
}

impl Reading {
    /// Loads `locales/<code>/reading.toml`.
    pub(crate) fn load(code: &str) -> Result<Self, LocaleError> {
        let text: ReadingText = read_toml(code, "reading.toml")?;
        let mut reading = Self {
            stop: text.stop.split_whitespace().map(str::to_owned).collect(),
            determiners: text.determiners,
            definite: text.definite,
            denials: text.denials,
            suffixes: text.suffixes,
            postpositions: text.postpositions,
            announcing: text.roles.values().flatten().cloned().collect(),
            roles: text.roles,
            ..Self::default()
        };
        for group in &text.actions {
            reading.add_group(group, Meaning::Action);
            if group.iter().any(|word| text.strong.contains(word)) {
                reading.strong.insert(reading.groups);
            }
        }
        reading.add_topics(&text.topics);
        Ok(reading)
    }

    /// Adds groups of words that people use for one thing.
    pub fn add_topics(&mut self, groups: &[Vec<String>]) {
        for group in groups {
            self.add_group(group, Meaning::Topic);
        }
    }

    /// Whether a word in lower case announces a value as it stands: `called` names something, it does not call.
    pub fn announces(&self, word: &str) -> bool {
        self.announcing.contains(word)
    }

    /// Whether an action is never meant by words for another.
    pub fn is_strong(&self, action: usize) -> bool {
        self.strong.contains(&action)
    }

    /// Whether a word in lower case carries no meaning of its own.
    pub fn is_empty_word(&self, word: &str) -> bool {
        self.stop.contains(word)
    }

    /// A word in lower case without its ending.
    pub fn stem<'a>(&self, word: &'a str) -> &'a str {
        self.suffixes
            .iter()
            .find_map(|suffix| word.strip_suffix(suffix.as_str()).filter(|stem| stem.chars().count() >= 2))
            .unwrap_or(word)
    }

    /// What a word or a two-word phrase in lower case may mean.
    pub fn meanings(&self, words: &str) -> &[Meaning] {
        self.meanings.get(&self.key(words)).map_or(&[], Vec::as_slice)
    }

    /// Every word that is known, as it stands in the files.
    pub fn vocabulary(&self) -> impl Iterator<Item = &str> {
        let words = self.stop.iter().chain(&self.denials).chain(&self.announcing).chain(self.meanings.keys());
        words.map(String::as_str)
    }

    /// What may stand behind a word without a space; nothing in a language without postpositions.
    pub fn particles(&self) -> &[String] {
        if self.postpositions { &self.suffixes } else { &[] }
    }

    fn add_group(&mut self, group: &[String], meaning: fn(usize) -> Meaning) {
        self.groups += 1;
        for words in group {
            let key = self.key(&words.to_lowercase());
            let meanings = self.meanings.entry(key).or_default();
            meanings.push(meaning(self.groups));
        }
    }

    fn key(&self, words: &str) -> String {
        words.split_whitespace().map(|word| self.stem(word)).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inflected_words_share_a_stem_and_groups_a_meaning() {
        let mut reading = Reading::load("en").unwrap();
        assert_eq!(reading.stem("charging"), reading.stem("charge"));
        assert_eq!(reading.stem("batteries"), reading.stem("battery"));
        reading.add_topics(&[vec!["taxi".to_owned(), "cab".to_owned()]]);
        assert_eq!(reading.meanings("taxis"), reading.meanings("cab"));
        assert!(!reading.meanings("call off").is_empty());
        assert!(reading.meanings("zebra").is_empty());
        assert!(reading.is_empty_word("please"));
    }

    #[test]
    fn every_shipped_language_loads() {
        for code in ["en", "ko", "zh"] {
            Reading::load(code).unwrap();
        }
    }
}
