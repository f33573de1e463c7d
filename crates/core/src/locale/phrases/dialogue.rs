//! How a dialogue goes on after the first request: asking, answering, correcting, turning to something else.

use super::super::Fill;
use super::super::LocaleError;
use super::super::Part;
use super::super::Pattern;
use super::super::parse_all;
use crate::assets::Assets;
use crate::record::Chance;
use indexmap::IndexMap;
use serde::Deserialize;

/// The dialogue phrases of a language. Empty where the pack has no `dialogue.toml`.
#[derive(Debug, Clone, Default)]
pub struct DialoguePhrases {
    /// How an assistant wraps a question that it does not ask as it is: patterns over `{question}`.
    pub asks: Vec<Pattern>,
    /// How often a question is wrapped, from 0 to 1.
    pub wrapped: f64,
    /// How often what somebody says begins with one of the style's openers, from 0 to 1.
    pub opened: f64,
    /// How often words announce that somebody turns to something else, from 0 to 1: if they always did, they would give
    /// the refusal away before the request is read.
    pub announced: f64,
    /// What an assistant says when a call is done.
    pub done: Vec<String>,
    /// What an assistant says when no tool fits.
    pub refusals: Vec<String>,
    /// What ends a sentence that has no end of its own.
    pub stop: String,
    /// Words that tie a clause to a request and have no place in an answer.
    pub ties: Vec<String>,
    /// How clauses end that lean on what follows, and so are no answer by themselves.
    pub hanging: Vec<String>,
    /// What stands where an ending follows a value that has one, as a sentence does.
    pub doubled: Vec<String>,
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
    /// Words for oneself that the style has in the place of others: `내가` becomes `제가`.
    pub own: IndexMap<String, String>,
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
    #[serde(default = "seldom")]
    wrapped: f64,
    #[serde(default = "seldom")]
    opened: f64,
    #[serde(default = "seldom")]
    announced: f64,
    asks: Vec<String>,
    done: Vec<String>,
    refusals: Vec<String>,
    #[serde(default)]
    stop: String,
    #[serde(default)]
    ties: Vec<String>,
    #[serde(default)]
    hanging: Vec<String>,
    #[serde(default)]
    doubled: Vec<String>,
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
    own: IndexMap<String, String>,
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

/// How often a language adds such words that does not say how often.
fn seldom() -> f64 {
    0.08
}

impl DialoguePhrases {
    /// Loads `locales/<code>/dialogue.toml`, or the English one in its place.
    pub(crate) fn load(assets: &Assets, code: &str) -> Result<Self, LocaleError> {
        let path = super::super::locale_file(assets, code, "dialogue.toml");
        let Some(text) = assets.read(&path) else { return Ok(Self::default()) };
        let text: DialogueText = crate::toml_text::from_toml(&text)
            .map_err(|error| LocaleError::Toml { path: path.clone(), message: error.to_string() })?;
        let manners = text.style.into_iter().map(|(name, manner)| {
            let place = format!("{path}, style `{name}`");
            Ok((name, manner.parse(&place)?))
        });
        Ok(Self {
            asks: parse_all(&path, &text.asks)?,
            wrapped: text.wrapped,
            opened: text.opened,
            announced: text.announced,
            done: text.done,
            refusals: text.refusals,
            stop: text.stop,
            ties: text.ties,
            hanging: text.hanging,
            doubled: text.doubled,
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

    /// A question in one of the wraps, as often as the language has them.
    pub fn asked(&self, question: &str, chance: &mut Chance) -> String {
        let wrap = chance.pick(&self.asks).filter(|_| chance.happens(self.wrapped));
        wrap.map_or_else(|| question.to_owned(), |wrap| wrap.render(&mut Question(question), chance))
    }

    /// A question without its wrap.
    pub fn unasked<'a>(&self, question: &'a str) -> &'a str {
        let before = |ask: &Pattern| match ask.parts() {
            [Part::Text(before), Part::Slot { .. }] => question.strip_prefix(before.as_str()),
            _ => None,
        };
        self.asks.iter().filter_map(before).min_by_key(|rest| rest.len()).unwrap_or(question)
    }

    /// Whether two sentences end as those of the same styles do, so that one speaker can say both.
    pub fn is_one_voice(&self, one: &str, other: &str) -> bool {
        self.manners.values().all(|manner| manner.fits(one) == manner.fits(other))
    }

    /// The first style whose sentences end as this one does; absent where none says how they end.
    pub fn style_of(&self, text: &str) -> Option<&str> {
        self.manners
            .iter()
            .find(|(_, manner)| !manner.ends.is_empty() && manner.fits(text))
            .map(|(name, _)| name.as_str())
    }

    /// Whether one who speaks in a style can say all of a text: no sentence ends as only those of other styles do.
    pub fn suits(&self, style: &str, text: &str) -> bool {
        let Some(own) = self.manners.get(style) else { return true };
        let is_others =
            |sentence: &str| !own.fits(sentence) && self.manners.values().any(|manner| manner.fits(sentence));
        text.split_inclusive(['.', '!', '?']).all(|sentence| sentence.trim().is_empty() || !is_others(sentence.trim()))
    }

    /// How people of a style go on; absent where the language says nothing of it.
    pub fn manner(&self, style: &str) -> Option<&Manner> {
        self.manners.get(style).or_else(|| self.manners.values().next())
    }
}

impl Manner {
    /// Whether a sentence ends as those of the style do.
    pub fn fits(&self, text: &str) -> bool {
        // A Hangul letter that stands alone is laughter.
        let is_word = |letter: char| letter.is_alphanumeric() && !('\u{3131}'..='\u{3163}').contains(&letter);
        let text = text.trim_end_matches(|letter| !is_word(letter));
        self.ends.is_empty() || self.ends.iter().any(|end| text.ends_with(end.as_str()))
    }

    /// A text without an opener before it.
    pub fn unopened<'a>(&self, text: &'a str) -> &'a str {
        let rest = |opener: &String| {
            let head = text.get(..opener.len())?;
            text.get(opener.len()..).filter(|_| head.to_lowercase() == opener.to_lowercase())
        };
        self.openers.iter().filter_map(rest).min_by_key(|rest| rest.len()).unwrap_or(text)
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

struct Question<'a>(&'a str);

impl Fill for Question<'_> {
    fn has(&self, slot: &str) -> bool {
        slot == "question"
    }

    fn say(&mut self, _slot: &str, _particle: Option<&str>, _chance: &mut Chance) -> String {
        self.0.to_owned()
    }
}

impl MannerText {
    fn parse(self, place: &str) -> Result<Manner, LocaleError> {
        Ok(Manner {
            ends: self.ends,
            own: self.own,
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
        let phrases = DialoguePhrases::load(crate::fixtures::assets(), "en").unwrap();
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
    fn no_sentence_of_a_text_is_of_another_level_of_speech() {
        let phrases = DialoguePhrases::load(crate::fixtures::assets(), "ko").unwrap();
        assert_eq!(phrases.style_of("뭐가 필요하세요?"), Some("haeyo"));
        assert!(phrases.suits("haeyo", "다 됐어요. 더 필요하세요?") && phrases.suits("haeyo", "한식"));
        assert!(!phrases.suits("haeyo", "다 됐습니다. 더 필요하세요?") && !phrases.suits("hapsyo", "2박 묵는 걸로요"));
        let haeyo = phrases.manner("haeyo").unwrap();
        assert!(haeyo.fits("다 됐어요 ㅎㅎ") && haeyo.fits("다 됐어요!! ㅠ") && !haeyo.fits("다 됐다 ㅎㅎ"));
        let phrases = DialoguePhrases::load(crate::fixtures::assets(), "en").unwrap();
        assert!(phrases.suits("plain", "All done. Anything else?"));
    }

    #[test]
    fn an_opener_stands_once() {
        let phrases = DialoguePhrases::load(crate::fixtures::assets(), "en").unwrap();
        let manner = phrases.manner("plain").unwrap();
        let opened = manner.opened("to Porto", &mut Chance::of(&[b"x"]));
        assert!(opened.ends_with("to Porto") && opened.len() > 8, "{opened}");
        assert_eq!(manner.opened(&opened, &mut Chance::of(&[b"y"])), opened);
        assert_eq!(Manner::default().opened("to Porto", &mut Chance::of(&[b"x"])), "to Porto");
    }

    #[test]
    fn words_before_an_answer_or_a_question_come_off_again() {
        let phrases = DialoguePhrases::load(crate::fixtures::assets(), "en").unwrap();
        let manner = phrases.manner("plain").unwrap();
        let opened = manner.opened("to Porto", &mut Chance::of(&[b"x"]));
        assert_eq!(manner.unopened(&opened), "to Porto");
        assert_eq!(manner.unopened("to Porto"), "to Porto");
        for ask in &phrases.asks {
            let asked = ask.render(&mut Question("Where to?"), &mut Chance::of(&[b"x"]));
            assert!(asked.len() > "Where to?".len() && phrases.unasked(&asked) == "Where to?", "{asked}");
        }
    }

    #[test]
    fn few_questions_are_wrapped() {
        for code in ["en", "ko", "zh", "ja"] {
            let phrases = DialoguePhrases::load(crate::fixtures::assets(), code).unwrap();
            let asked = |draw| phrases.asked("Where to?", &mut Chance::new(7, "ask", "a", draw));
            let wrapped = (0..400).map(asked).filter(|text| text != "Where to?").count();
            assert!((1..60).contains(&wrapped), "{code}: {wrapped} of 400");
        }
    }

    #[test]
    fn a_sentence_has_an_end() {
        let phrases = DialoguePhrases::load(crate::fixtures::assets(), "en").unwrap();
        assert_eq!(phrases.ended("to Porto"), "to Porto.");
        assert_eq!(phrases.ended("at 60%"), "at 60%.");
        assert_eq!(phrases.ended("really?"), "really?");
        assert_eq!(DialoguePhrases::default().ended("to Porto"), "to Porto");
    }

    #[test]
    fn a_style_without_phrases_of_its_own_takes_the_first_ones() {
        let phrases = DialoguePhrases::load(crate::fixtures::assets(), "en").unwrap();
        assert!(phrases.manner("no such style").is_some());
        assert!(DialoguePhrases::load(crate::fixtures::assets(), "xx").unwrap().manner("plain").is_none());
    }
}
