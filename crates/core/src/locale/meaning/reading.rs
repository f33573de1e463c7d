//! What a reader knows of a language before it sees any tool: empty words, verbs that do the same, cue words.

use super::super::Cutter;
use super::super::LocaleError;
use super::super::read_toml;
use crate::assets::Assets;
use indexmap::{IndexMap, IndexSet};
use serde::Deserialize;
use std::sync::Arc;

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
    /// Whether no spaces set words apart.
    unspaced: bool,
    /// Where words begin and end.
    cutter: Arc<Cutter>,
    /// Kinds whose values no list can hold: any thing may be one.
    pub open: Vec<String>,
    /// Kinds whose values are sentences, which go on to the end of their clause.
    pub sentences: Vec<String>,
    /// Words for saying something to somebody, who stands behind them: `tell the driver`.
    pub telling: Vec<String>,
    /// Signs with the words that they stand for: `%` for `percent`.
    pub signs: IndexMap<String, String>,
    /// Words that say yes.
    pub yes: Vec<String>,
    /// Words that say no.
    pub no: Vec<String>,
    /// Words that take back what was just said, or something before.
    pub corrections: Vec<String>,
    /// Words that take back something said in an earlier turn.
    pub earlier: Vec<String>,
    /// Words that drop a request for another one.
    pub shifts: Vec<String>,
    /// Words that may drop a request, or only take something back.
    pub turns: Vec<String>,
    /// Words of a question, with the kinds and forms of values that answer it.
    pub question_words: IndexMap<String, Vec<String>>,
    /// Words before an answer that are no part of it.
    pub leads: Vec<String>,
    /// Words behind an answer that are no part of it.
    pub tails: Vec<String>,
    /// Words at the head of a request that asks to be told something.
    pub asking: Vec<String>,
    /// Words that stand between two requests in one text.
    pub connectives: Vec<String>,
    /// Words at the end of the name of a parameter that holds an identifier.
    pub identifiers: Vec<String>,
    /// Words for things, by the words for their sort: `curry` and `soup` are dishes.
    sorts: IndexMap<String, Vec<String>>,
    /// The sort of each of these words.
    sort_of: IndexMap<String, usize>,
    /// Endings of more than one, each with what it takes the place of.
    plurals: Vec<(String, String)>,
    /// Words of a parameter's name, with the words that announce its value.
    pub roles: IndexMap<String, Vec<String>>,
    /// Words and two-word phrases (as stems) with the meanings that they share with others.
    meanings: IndexMap<String, Vec<Meaning>>,
    groups: usize,
    /// How many of the groups are the language's own, and no tool's.
    general: usize,
    strong: IndexSet<usize>,
    informing: IndexSet<usize>,
    light: IndexSet<String>,
    announcing: IndexSet<String>,
    /// The words of all actions, as they are listed.
    verbs: IndexSet<String>,
}

/// What stands in a text for a letter of a value.
pub const MASK: char = '\u{1}';

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
    #[serde(default)]
    unspaced: bool,
    actions: Vec<Vec<String>>,
    strong: Vec<String>,
    #[serde(default)]
    informing: Vec<String>,
    #[serde(default)]
    light: Vec<String>,
    #[serde(default)]
    asking: Vec<String>,
    #[serde(default)]
    topics: Vec<Vec<String>>,
    #[serde(default)]
    sorts: IndexMap<String, Vec<String>>,
    #[serde(default)]
    open: Vec<String>,
    #[serde(default)]
    sentences: Vec<String>,
    #[serde(default)]
    yes: Vec<String>,
    #[serde(default)]
    no: Vec<String>,
    #[serde(default)]
    corrections: Vec<String>,
    #[serde(default)]
    earlier: Vec<String>,
    #[serde(default)]
    shifts: Vec<String>,
    #[serde(default)]
    turns: Vec<String>,
    #[serde(default)]
    question_words: IndexMap<String, Vec<String>>,
    #[serde(default)]
    leads: Vec<String>,
    #[serde(default)]
    tails: Vec<String>,
    #[serde(default)]
    telling: Vec<String>,
    #[serde(default)]
    connectives: Vec<String>,
    #[serde(default)]
    identifiers: Vec<String>,
    #[serde(default)]
    signs: IndexMap<String, String>,
    roles: IndexMap<String, Vec<String>>,
}

/// What the language's own file says of words.
#[derive(Deserialize)]
struct Forms {
    #[serde(default)]
    plurals: Vec<(String, String)>,
}

impl Reading {
    /// Loads `locales/<code>/reading.toml`.
    pub fn load(assets: &Assets, code: &str) -> Result<Self, LocaleError> {
        let text: ReadingText = read_toml(assets, code, "reading.toml")?;
        let mut reading = Self {
            stop: text.stop.split_whitespace().map(str::to_owned).collect(),
            determiners: text.determiners,
            definite: text.definite,
            denials: text.denials,
            suffixes: text.suffixes,
            postpositions: text.postpositions,
            unspaced: text.unspaced,
            announcing: text.roles.values().flatten().cloned().collect(),
            roles: text.roles,
            light: text.light.into_iter().collect(),
            open: text.open,
            sentences: text.sentences,
            telling: text.telling,
            yes: text.yes,
            no: text.no,
            corrections: text.corrections,
            earlier: text.earlier,
            shifts: text.shifts,
            turns: text.turns,
            question_words: text.question_words,
            leads: text.leads,
            tails: text.tails,
            signs: text.signs,
            plurals: read_toml::<Forms>(assets, code, "language.toml")?.plurals,
            asking: text.asking,
            connectives: text.connectives,
            identifiers: text.identifiers,
            ..Self::default()
        };
        reading.verbs = text.actions.iter().flatten().cloned().collect();
        for group in &text.actions {
            reading.add_group(group, Meaning::Action);
            if group.iter().any(|word| text.strong.contains(word)) {
                reading.strong.insert(reading.groups);
            }
            if group.iter().any(|word| text.informing.contains(word)) {
                reading.informing.insert(reading.groups);
            }
        }
        for group in &text.topics {
            reading.add_group(group, Meaning::Topic);
        }
        reading.general = reading.groups;
        for (index, words) in text.sorts.values().enumerate() {
            reading.sort_of.extend(words.iter().map(|word| (word.clone(), index)));
        }
        reading.sorts = text.sorts;
        reading.cutter = Arc::new(Cutter::new(&reading, !reading.unspaced));
        Ok(reading)
    }

    /// Adds groups of words that people use for one thing, in the place of what the language itself says of them.
    pub fn add_topics(&mut self, groups: &[Vec<String>]) {
        for group in groups {
            self.add_group(group, Meaning::Topic);
        }
        let general = self.general;
        for words in groups.iter().flatten() {
            let key = self.key(&words.to_lowercase());
            if let Some(meanings) = self.meanings.get_mut(&key) {
                meanings.retain(|meaning| !matches!(meaning, Meaning::Topic(group) if *group <= general));
            }
        }
        self.cutter = Arc::new(Cutter::new(self, !self.unspaced));
    }

    /// Whether a word in lower case may stand for any action: `get the floors swept`.
    pub fn is_light(&self, word: &str) -> bool {
        self.light.contains(word)
    }

    /// Whether a word in lower case announces a value as it stands.
    pub fn announces(&self, word: &str) -> bool {
        self.announcing.contains(word)
    }

    /// Whether a word in lower case announces a value and does nothing: `called` names something, it does not call.
    pub fn only_announces(&self, word: &str) -> bool {
        self.announces(word) && !self.verbs.contains(word)
    }

    /// Whether an action is never meant by words for another.
    pub fn is_strong(&self, action: usize) -> bool {
        self.strong.contains(&action)
    }

    /// The actions of which a question asks for one.
    pub fn informing(&self) -> impl Iterator<Item = usize> + '_ {
        self.informing.iter().copied()
    }

    /// The words for the sort of things that a word or a two-word phrase in lower case names.
    pub fn sort(&self, words: &str) -> Option<&str> {
        let singular = |(ending, base): &(String, String)| {
            words.strip_suffix(ending.as_str()).and_then(|stem| self.sort_of.get(&format!("{stem}{base}")))
        };
        let index = self.sort_of.get(words).or_else(|| self.plurals.iter().find_map(singular))?;
        self.sorts.get_index(*index).map(|(sort, _)| sort.as_str())
    }

    /// The sorts of things that a parameter wants, by the stems of its words and by its kind.
    pub fn sorts_of(&self, stems: &[String], kind: Option<&str>) -> Vec<String> {
        let wanted = |sort: &&String| {
            let mut names = sort.split_whitespace();
            names.any(|name| kind == Some(name) || stems.iter().any(|stem| stem == self.stem(name)))
        };
        self.sorts.keys().filter(wanted).cloned().collect()
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

    /// Whether a meaning is one that some tool's own file gives to words.
    pub fn is_particular(&self, meaning: Meaning) -> bool {
        matches!(meaning, Meaning::Topic(group) if group > self.general)
    }

    /// What a word or a two-word phrase in lower case may mean.
    pub fn meanings(&self, words: &str) -> &[Meaning] {
        self.meanings.get(&self.key(words)).map_or(&[], Vec::as_slice)
    }

    /// Where words begin and end.
    pub fn cutter(&self) -> &Arc<Cutter> {
        &self.cutter
    }

    /// The words of a text in lower case, empty ones included; what is masked is a word that nobody knows.
    pub fn words<'t>(&self, text: &'t str) -> Vec<&'t str> {
        if !self.unspaced {
            let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != MASK);
            return words.filter(|word| !word.is_empty()).collect();
        }
        let letters: Vec<char> = text.chars().collect();
        let mut places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        places.push(text.len());
        self.cutter
            .pieces(&letters)
            .into_iter()
            .filter_map(|word| text.get(places[word.start]..places[word.end]))
            .collect()
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
            let meaning = meaning(self.groups);
            if !meanings.contains(&meaning) {
                meanings.push(meaning);
            }
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
        let mut reading = Reading::load(crate::fixtures::assets(), "en").unwrap();
        assert_eq!(reading.stem("charging"), reading.stem("charge"));
        assert_eq!(reading.stem("batteries"), reading.stem("battery"));
        reading.add_topics(&[vec!["taxi".to_owned(), "cab".to_owned()]]);
        assert_eq!(reading.meanings("taxis"), reading.meanings("cab"));
        assert!(!reading.meanings("call off").is_empty());
        assert!(reading.meanings("zebra").is_empty());
        assert!(reading.is_empty_word("please"));
    }

    #[test]
    fn a_thing_has_a_sort_in_its_singular_and_its_plural() {
        let reading = Reading::load(crate::fixtures::assets(), "en").unwrap();
        let dish = reading.sort("dumplings").unwrap();
        assert_eq!((reading.sort("soup"), reading.sort("curries")), (Some(dish), Some(dish)));
        assert!(reading.sort("living room").is_some() && reading.sort("gizmo").is_none());
        assert_eq!(reading.sorts_of(&["x".to_owned()], Some("dish")), [dish]);
        assert_eq!(reading.sorts_of(&[reading.stem("meals").to_owned()], None), [dish]);
    }

    #[test]
    fn a_word_that_announces_may_do_something_as_well() {
        let mut reading = Reading::load(crate::fixtures::assets(), "en").unwrap();
        assert!(reading.only_announces("called") && !reading.only_announces("write"));
        assert!(reading.is_light("get") && reading.informing().count() >= 3);
        reading.add_topics(&[vec!["gizmo".to_owned()]]);
        assert!(
            reading.is_particular(reading.meanings("gizmo")[0]) && !reading.is_particular(reading.meanings("cash")[0])
        );
    }

    #[test]
    fn every_shipped_language_loads() {
        for code in ["en", "ko", "zh", "ja"] {
            Reading::load(crate::fixtures::assets(), code).unwrap();
        }
    }
}
