//! How a dialogue goes on after the first request: asking, answering, correcting, turning to something else.

use super::{LocaleError, Pattern, parse_all};
use crate::data;
use crate::record::Chance;
use indexmap::IndexMap;
use serde::Deserialize;

/// The dialogue phrases of a language. Empty where the pack has no `dialogue.toml`.
#[derive(Debug, Clone, Default)]
pub struct DialoguePhrases {
    /// How an assistant wraps a question: patterns over `{question}`.
    pub asks: Vec<Pattern>,
    /// What an assistant says when a call is done.
    pub done: Vec<String>,
    /// What an assistant says when no tool fits.
    pub refusals: Vec<String>,
    /// What ends a sentence that has no end of its own.
    pub stop: String,
    /// Words that tie a clause to a request and have no place in an answer.
    pub ties: Vec<String>,
    /// Words that keep their capital when a sentence moves behind another (`I`).
    pub capitals: Vec<String>,
    /// The fixed templates of the authors, in this language.
    pub paper: PaperPhrases,
    /// How people go on, by style; the first serves styles that have none.
    manners: IndexMap<String, Manner>,
}

/// How people of one style go on.
#[derive(Debug, Clone, Default)]
pub struct Manner {
    /// How sentences of the style end; empty where any do.
    pub ends: Vec<String>,
    /// Words before whatever somebody says: `hm, `.
    pub openers: Vec<String>,
    /// Answers to a question.
    pub answers: Vec<Pattern>,
    /// Taking an answer back at once.
    pub corrections: Vec<Pattern>,
    /// Changing something said before, in place of an answer.
    pub late_corrections: Vec<Pattern>,
    /// Wanting the same again with another value.
    pub again: Vec<Pattern>,
    /// Turning to something else: patterns over `{query}`.
    pub shifts: Vec<Pattern>,
}

/// HammerBench's own templates (2.3 of its data's description): one for each transformation.
#[derive(Debug, Clone, Default)]
pub struct PaperPhrases {
    /// Over `{description}` and `{value}`; appended to the answer as it stands.
    pub correction: Pattern,
    /// Over `{description}` and `{value}`.
    pub late_correction: Pattern,
    /// Over `{description}` and `{value}`.
    pub again: Pattern,
    /// Over `{query}`.
    pub shift: Pattern,
    /// What the assistant says to an intent that no tool serves.
    pub refusal: String,
    /// What the assistant says when the call is done.
    pub done: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DialogueText {
    asks: Vec<String>,
    done: Vec<String>,
    refusals: Vec<String>,
    #[serde(default)]
    stop: String,
    #[serde(default)]
    ties: Vec<String>,
    #[serde(default)]
    capitals: Vec<String>,
    paper: PaperText,
    style: IndexMap<String, MannerText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MannerText {
    #[serde(default)]
    ends: Vec<String>,
    #[serde(default)]
    openers: Vec<String>,
    answers: Vec<String>,
    corrections: Vec<String>,
    late_corrections: Vec<String>,
    again: Vec<String>,
    shifts: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PaperText {
    correction: String,
    late_correction: String,
    again: String,
    shift: String,
    refusal: String,
    done: String,
}

impl DialoguePhrases {
    /// Loads `locales/<code>/dialogue.toml`, or the English one in its place.
    pub(super) fn load(code: &str) -> Result<Self, LocaleError> {
        let path = super::locale_file(code, "dialogue.toml");
        let Some(text) = data::read(&path) else { return Ok(Self::default()) };
        let text: DialogueText = crate::data::from_toml(&text)
            .map_err(|error| LocaleError::Toml { path: path.clone(), message: error.to_string() })?;
        let manners = text.style.into_iter().map(|(name, manner)| {
            let place = format!("{path}, style `{name}`");
            Ok((name, manner.parse(&place)?))
        });
        Ok(Self {
            asks: parse_all(&path, &text.asks)?,
            done: text.done,
            refusals: text.refusals,
            stop: text.stop,
            ties: text.ties,
            capitals: text.capitals,
            paper: text.paper.parse(&path)?,
            manners: manners.collect::<Result<_, LocaleError>>()?,
        })
    }

    /// A sentence with an end: what it has, or the language's own.
    pub fn ended(&self, text: &str) -> String {
        // What is quoted ends no sentence by itself.
        let words = text.trim_end_matches(['"', '\'', '”', '’']);
        let open = words.chars().next_back().is_some_and(|letter| letter.is_alphanumeric() || letter == '%');
        if open { format!("{text}{}", self.stop) } else { text.to_owned() }
    }

    /// How people of a style go on; absent where the language says nothing of it.
    pub fn manner(&self, style: &str) -> Option<&Manner> {
        self.manners.get(style).or_else(|| self.manners.values().next())
    }
}

impl Manner {
    /// Whether a sentence ends as those of the style do.
    pub fn fits(&self, text: &str) -> bool {
        let text = text.trim_end_matches(|letter: char| !letter.is_alphanumeric());
        self.ends.is_empty() || self.ends.iter().any(|end| text.ends_with(end.as_str()))
    }

    /// A text behind one of the openers, unless it begins with one.
    pub fn opened(&self, text: &str, chance: &mut Chance) -> String {
        let begins = self.openers.iter().any(|opener| text.to_lowercase().starts_with(opener.trim_end()));
        match chance.pick(&self.openers) {
            Some(opener) if !begins => format!("{opener}{text}"),
            _ => text.to_owned(),
        }
    }
}

impl MannerText {
    fn parse(self, place: &str) -> Result<Manner, LocaleError> {
        Ok(Manner {
            ends: self.ends,
            openers: self.openers,
            answers: parse_all(place, &self.answers)?,
            corrections: parse_all(place, &self.corrections)?,
            late_corrections: parse_all(place, &self.late_corrections)?,
            again: parse_all(place, &self.again)?,
            shifts: parse_all(place, &self.shifts)?,
        })
    }
}

impl PaperText {
    fn parse(self, path: &str) -> Result<PaperPhrases, LocaleError> {
        let one = |text: String| {
            parse_all(path, std::slice::from_ref(&text)).map(|mut patterns| patterns.pop().unwrap_or_default())
        };
        Ok(PaperPhrases {
            correction: one(self.correction)?,
            late_correction: one(self.late_correction)?,
            again: one(self.again)?,
            shift: one(self.shift)?,
            refusal: self.refusal,
            done: self.done,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_knows_how_to_go_on() {
        let phrases = DialoguePhrases::load("en").unwrap();
        let manner = phrases.manner("plain").unwrap();
        for (patterns, least) in [
            (&manner.answers, 10),
            (&manner.corrections, 10),
            (&manner.late_corrections, 10),
            (&manner.again, 10),
            (&manner.shifts, 12),
        ] {
            assert!(patterns.len() >= least, "{} of {least}", patterns.len());
        }
        assert!(manner.shifts.iter().all(|shift| shift.slots() == ["query"]));
        assert!(phrases.asks.iter().all(|ask| ask.slots() == ["question"]));
        assert!(phrases.refusals.len() >= 30 && phrases.done.len() >= 20);
        assert_eq!(phrases.paper.shift.slots(), ["query"]);
    }

    #[test]
    fn an_opener_stands_once() {
        let phrases = DialoguePhrases::load("en").unwrap();
        let manner = phrases.manner("plain").unwrap();
        let opened = manner.opened("to Porto", &mut Chance::of(&[b"x"]));
        assert!(opened.ends_with("to Porto") && opened.len() > 8, "{opened}");
        assert_eq!(manner.opened(&opened, &mut Chance::of(&[b"y"])), opened);
        assert_eq!(Manner::default().opened("to Porto", &mut Chance::of(&[b"x"])), "to Porto");
    }

    #[test]
    fn a_sentence_has_an_end() {
        let phrases = DialoguePhrases::load("en").unwrap();
        assert_eq!(phrases.ended("to Porto"), "to Porto.");
        assert_eq!(phrases.ended("at 60%"), "at 60%.");
        assert_eq!(phrases.ended("really?"), "really?");
        assert_eq!(DialoguePhrases::default().ended("to Porto"), "to Porto");
    }

    #[test]
    fn a_style_without_phrases_of_its_own_takes_the_first_ones() {
        let phrases = DialoguePhrases::load("en").unwrap();
        assert!(phrases.manner("no such style").is_some());
        assert!(DialoguePhrases::load("xx").unwrap().manner("plain").is_none());
    }
}
