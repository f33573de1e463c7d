//! Patterns: one line of text that stands for many sentences.
//!
//! `(a|b)` is a choice, `[ ...]` may be left out, `{slot}` is a value, `{slot|을}` is a value with the particle that
//! agrees with its last sound. An optional part that holds slots stands exactly when all of them are given; one
//! without slots stands half of the time. A backslash takes the meaning from the character after it.

use crate::record::Chance;
use std::iter::Peekable;
use std::str::CharIndices;

/// How deep choices and optional parts may nest.
const DEEPEST: usize = 32;

/// A parsed pattern.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pattern(Vec<Part>);

/// One part of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Letters as they stand.
    Text(String),
    /// One of several.
    Choice(Vec<Pattern>),
    /// May be left out.
    Optional(Pattern),
    /// A value, with a particle where the language asks for one.
    Slot {
        /// The slot's name.
        name: String,
        /// The particle, in its form after a consonant.
        particle: Option<String>,
    },
}

/// Why a text is not a pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// A bracket was opened and not closed.
    #[error("`{open}` at character {at} is not closed")]
    Unclosed {
        /// The opening bracket.
        open: char,
        /// Its place, from 1.
        at: usize,
    },
    /// A closing bracket without its opening one.
    #[error("`{close}` at character {at} is not opened")]
    Unopened {
        /// The closing bracket.
        close: char,
        /// Its place, from 1.
        at: usize,
    },
    /// Brackets within brackets, more than anybody writes: each of them takes up stack.
    #[error("`{open}` at character {at} is nested deeper than {DEEPEST} levels; write several patterns instead")]
    Deep {
        /// The opening bracket.
        open: char,
        /// Its place, from 1.
        at: usize,
    },
    /// A slot without a name.
    #[error("the slot at character {at} has no name")]
    Unnamed {
        /// Its place, from 1.
        at: usize,
    },
}

/// What a pattern asks of whoever renders it.
pub trait Fill {
    /// Whether `slot` is given (and not yet said).
    fn has(&self, slot: &str) -> bool;
    /// The words of `slot`, with `particle` attached where one is asked for.
    fn say(&mut self, slot: &str, particle: Option<&str>, chance: &mut Chance) -> String;
}

impl Pattern {
    /// Reads a pattern.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let mut reader = Reader { rest: text.char_indices().peekable(), at: 0, depth: 0 };
        let pattern = reader.sequence(&[])?;
        match reader.next() {
            Some(close) => Err(PatternError::Unopened { close, at: reader.at }),
            None => Ok(pattern),
        }
    }

    /// Its parts, in order.
    pub fn parts(&self) -> &[Part] {
        &self.0
    }

    /// The slots that it always says, in order; those of choices and optional parts are not among them.
    pub fn needed(&self) -> Vec<&str> {
        self.0
            .iter()
            .filter_map(|part| if let Part::Slot { name, .. } = part { Some(name.as_str()) } else { None })
            .collect()
    }

    /// Every slot that it can say, in order.
    pub fn slots(&self) -> Vec<&str> {
        let mut slots = Vec::new();
        self.collect_slots(&mut slots);
        slots
    }

    /// Whether any of `words` stands in its letters as a word of its own.
    pub fn mentions(&self, words: &[String]) -> bool {
        self.0.iter().any(|part| match part {
            Part::Text(letters) => letters
                .split(|letter: char| !letter.is_alphanumeric())
                .any(|word| words.iter().any(|avoided| avoided == word)),
            Part::Choice(choices) => choices.iter().any(|choice| choice.mentions(words)),
            Part::Optional(inner) => inner.mentions(words),
            Part::Slot { .. } => false,
        })
    }

    /// Whether it begins with a slot, or with words that a mark sets apart from it.
    pub fn begins_open(&self) -> bool {
        match self.0.as_slice() {
            [Part::Slot { .. }, ..] => true,
            [Part::Text(letters), Part::Slot { .. }, ..] => {
                letters.trim_end().chars().next_back().is_some_and(|letter| !letter.is_alphanumeric())
            }
            _ => false,
        }
    }

    /// Whether it ends in a slot, or in punctuation behind one: no words follow.
    pub fn ends_open(&self) -> bool {
        match self.0.as_slice() {
            [.., Part::Slot { .. }] => true,
            [.., Part::Slot { .. }, Part::Text(letters)] => !letters.chars().any(char::is_alphanumeric),
            _ => false,
        }
    }

    /// The texts that it stands for, at most `most` of them; none where it says a value.
    pub fn variants(&self, most: usize) -> Vec<String> {
        let mut texts = vec![String::new()];
        for part in &self.0 {
            let ends: Vec<String> = match part {
                Part::Text(letters) => vec![letters.clone()],
                Part::Choice(choices) => choices.iter().flat_map(|choice| choice.variants(most)).collect(),
                Part::Optional(inner) => inner.variants(most).into_iter().chain([String::new()]).collect(),
                Part::Slot { .. } => Vec::new(),
            };
            texts =
                texts.iter().flat_map(|text| ends.iter().map(move |end| format!("{text}{end}"))).take(most).collect();
        }
        texts
    }

    /// Its longest stretch that says no value.
    #[must_use]
    pub fn fixed(&self) -> Self {
        let runs = self.0.split(|part| matches!(part, Part::Slot { .. }));
        let length = |run: &&[Part]| Self(run.to_vec()).variants(1).first().map_or(0, |text| text.chars().count());
        Self(runs.max_by_key(length).unwrap_or_default().to_vec())
    }

    /// Whether everything that it must say is given.
    pub fn fits(&self, fill: &impl Fill) -> bool {
        self.0.iter().all(|part| match part {
            Part::Slot { name, .. } => fill.has(name),
            Part::Choice(choices) => choices.iter().any(|choice| choice.fits(fill)),
            Part::Text(_) | Part::Optional(_) => true,
        })
    }

    /// One sentence of those that it stands for.
    pub fn render(&self, fill: &mut impl Fill, chance: &mut Chance) -> String {
        let mut text = String::new();
        self.write(fill, chance, &mut text);
        text
    }

    fn write(&self, fill: &mut impl Fill, chance: &mut Chance, text: &mut String) {
        for part in &self.0 {
            match part {
                Part::Text(letters) => text.push_str(letters),
                Part::Slot { name, particle } => text.push_str(&fill.say(name, particle.as_deref(), chance)),
                Part::Choice(choices) => {
                    let fitting: Vec<&Pattern> = choices.iter().filter(|choice| choice.fits(fill)).collect();
                    if let Some(choice) = chance.pick(&fitting) {
                        choice.write(fill, chance, text);
                    }
                }
                Part::Optional(inner) => {
                    let stands = if inner.slots().is_empty() { chance.happens(0.5) } else { inner.fits(fill) };
                    if stands {
                        inner.write(fill, chance, text);
                    }
                }
            }
        }
    }

    fn collect_slots<'a>(&'a self, slots: &mut Vec<&'a str>) {
        for part in &self.0 {
            match part {
                Part::Slot { name, .. } => slots.push(name),
                Part::Choice(choices) => choices.iter().for_each(|choice| choice.collect_slots(slots)),
                Part::Optional(inner) => inner.collect_slots(slots),
                Part::Text(_) => {}
            }
        }
    }
}

struct Reader<'a> {
    rest: Peekable<CharIndices<'a>>,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        self.at += 1;
        self.rest.next().map(|(_, letter)| letter)
    }

    fn peek(&mut self) -> Option<char> {
        self.rest.peek().map(|(_, letter)| *letter)
    }

    fn sequence(&mut self, stops: &[char]) -> Result<Pattern, PatternError> {
        let mut parts = Vec::new();
        let mut letters = String::new();
        while let Some(letter) = self.peek() {
            if stops.contains(&letter) || matches!(letter, ')' | ']' | '}') {
                break;
            }
            self.next();
            match letter {
                '\\' => letters.extend(self.next()),
                '(' | '[' | '{' => {
                    push_text(&mut parts, &mut letters);
                    parts.push(self.group(letter)?);
                }
                _ => letters.push(letter),
            }
        }
        push_text(&mut parts, &mut letters);
        Ok(Pattern(parts))
    }

    fn group(&mut self, open: char) -> Result<Part, PatternError> {
        let at = self.at;
        if self.depth == DEEPEST {
            return Err(PatternError::Deep { open, at });
        }
        self.depth += 1;
        let part = match open {
            '(' => self.choice()?,
            '[' => Part::Optional(self.sequence(&[']'])?),
            _ => self.slot(at)?,
        };
        let close = match open {
            '(' => ')',
            '[' => ']',
            _ => '}',
        };
        self.depth -= 1;
        if self.next() == Some(close) { Ok(part) } else { Err(PatternError::Unclosed { open, at }) }
    }

    fn choice(&mut self) -> Result<Part, PatternError> {
        let mut choices = vec![self.sequence(&['|', ')'])?];
        while self.peek() == Some('|') {
            self.next();
            choices.push(self.sequence(&['|', ')'])?);
        }
        Ok(Part::Choice(choices))
    }

    fn slot(&mut self, at: usize) -> Result<Part, PatternError> {
        let mut text = String::new();
        while let Some(letter) = self.peek().filter(|letter| *letter != '}') {
            text.push(letter);
            self.next();
        }
        let (name, particle) = match text.split_once('|') {
            Some((name, particle)) => (name, Some(particle.to_owned())),
            None => (text.as_str(), None),
        };
        if name.is_empty() {
            return Err(PatternError::Unnamed { at });
        }
        Ok(Part::Slot { name: name.to_owned(), particle })
    }
}

fn push_text(parts: &mut Vec<Part>, letters: &mut String) {
    if !letters.is_empty() {
        parts.push(Part::Text(std::mem::take(letters)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    struct Given(Vec<(&'static str, &'static str)>);

    impl Fill for Given {
        fn has(&self, slot: &str) -> bool {
            self.0.iter().any(|(name, _)| *name == slot)
        }
        fn say(&mut self, slot: &str, particle: Option<&str>, _chance: &mut Chance) -> String {
            let words = self.0.iter().find(|(name, _)| *name == slot).map_or("", |(_, words)| words);
            format!("{words}{}", particle.unwrap_or_default())
        }
    }

    fn all(pattern: &str, given: &[(&'static str, &'static str)]) -> Vec<String> {
        let pattern = Pattern::parse(pattern).unwrap();
        let mut texts: Vec<String> = (0..64_u32)
            .map(|draw| pattern.render(&mut Given(given.to_vec()), &mut Chance::new(1, "test", "item", draw)))
            .collect();
        texts.sort();
        texts.dedup();
        texts
    }

    #[test]
    fn choices_nest_and_slots_are_filled() {
        assert_eq!(all("(find|look for) {what}", &[("what", "a charger")]), ["find a charger", "look for a charger"]);
        assert_eq!(all("(a(b|c)|)", &[]), ["", "ab", "ac"]);
    }

    #[test]
    fn an_optional_part_with_slots_stands_exactly_when_they_are_given() {
        assert_eq!(all("wake me[ at {time}]", &[]), ["wake me"]);
        assert_eq!(all("wake me[ at {time}]", &[("time", "six")]), ["wake me at six"]);
        assert_eq!(all("wake me[ up]", &[]), ["wake me", "wake me up"]);
    }

    #[test]
    fn a_choice_leaves_out_what_cannot_be_said() {
        assert_eq!(all("(go to {place}|go)", &[]), ["go"]);
        assert!(!Pattern::parse("(go to {place}|ride {line})").unwrap().fits(&Given(vec![])));
    }

    #[test]
    fn the_longest_words_between_slots_are_fixed() {
        let fixed = |pattern: &str| Pattern::parse(pattern).unwrap().fixed().variants(9);
        assert_eq!(fixed("{a} is (free|open) until {b}"), [" is free until ", " is open until "]);
        assert_eq!(fixed("go {a}, then stay there"), [", then stay there"]);
        assert!(fixed("{a}{b}").concat().is_empty());
    }

    #[test]
    fn particles_reach_the_filler_and_a_backslash_takes_meaning_away() {
        assert_eq!(all("{city|을} \\(x\\)", &[("city", "A")]), ["A을 (x)"]);
    }

    #[test]
    fn needed_slots_are_those_outside_choices_and_options() {
        let pattern = Pattern::parse("send {text}[ to {person}] (by {app}|now)").unwrap();
        assert_eq!(pattern.needed(), ["text"]);
        assert_eq!(pattern.slots(), ["text", "person", "app"]);
    }

    #[test]
    fn words_and_open_ends_are_seen() {
        let pattern = |text: &str| Pattern::parse(text).unwrap();
        let words = ["me".to_owned()];
        assert!(pattern("(wake|get) me up").mentions(&words));
        assert!(!pattern("see the menu").mentions(&words));
        assert!(pattern("can you {intent}?").ends_open());
        assert!(!pattern("{intent} now").ends_open());
    }

    #[test]
    fn all_variants_are_listed() {
        let variants = |text: &str| Pattern::parse(text).unwrap().variants(8);
        assert_eq!(
            variants("(with|no) sound[ please]"),
            ["with sound please", "with sound", "no sound please", "no sound"]
        );
        assert!(variants("at {time}").is_empty());
    }

    #[test]
    fn faults_name_their_place() {
        let message = |text: &str| Pattern::parse(text).unwrap_err().to_string();
        assert_eq!(message("find (a|b"), "`(` at character 6 is not closed");
        assert_eq!(message("a ]"), "`]` at character 3 is not opened");
        assert_eq!(message("{}"), "the slot at character 1 has no name");
        assert_eq!(message("a {slot"), "`{` at character 3 is not closed");
    }

    #[test]
    fn brackets_nest_so_deep_and_no_deeper() {
        let nested = |depth: usize| Pattern::parse(&format!("{}a{}", "[".repeat(depth), "]".repeat(depth)));
        assert!(nested(DEEPEST).is_ok());
        assert_eq!(nested(DEEPEST + 1), Err(PatternError::Deep { open: '[', at: DEEPEST + 1 }));
        assert!(matches!(Pattern::parse(&"(".repeat(100_000)), Err(PatternError::Deep { open: '(', .. })));
        assert!(Pattern::parse(&"[(a|b)]".repeat(100)).is_ok(), "one behind the other is not deep");
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,40}") {
            if let Ok(pattern) = Pattern::parse(&text) {
                pattern.render(&mut Given(vec![]), &mut Chance::of(&[b"x"]));
            }
        }
    }
}
