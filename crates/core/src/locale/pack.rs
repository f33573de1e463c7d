//! A locale pack: how a language asks, and the values that its people name.
//!
//! Everything here is read from `locales/<code>/`; no phrase of any language stands in Rust.

use super::LocaleError;
use super::bundle::{Bundle, BundleText};
use super::kind::{Kind, KindText};
use super::language::Language;
use super::meaning::reading::Reading;
use super::numerals::{in_words, is_counter};
use super::particle::Particles;
use super::pattern::{Fill, Pattern};
use super::phrases::apis::Apis;
use super::phrases::chat::ChatPhrases;
use super::phrases::derived::{Derived, optional};
use super::phrases::dialogue::DialoguePhrases;
use super::phrases::external::External;
use super::phrases::question::QuestionPhrases;
use super::phrases::request::RequestPhrases;
use crate::assets::Assets;
use crate::record::{Chance, Value};
use indexmap::IndexMap;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use std::fmt;
use std::sync::Arc;

/// One language, ready for use.
#[derive(Debug, Clone)]
pub struct Pack {
    /// Its code: `en`, `ko`, `zh`.
    pub code: String,
    /// Its own name for itself.
    pub name: String,
    /// What the built-in model knows of API catalogues.
    pub apis: Apis,
    /// On which side of the intent free clauses stand.
    pub clauses: Side,
    /// What stands between two clauses: a space, or nothing.
    pub joiner: String,
    /// Whether a sentence begins with a capital.
    pub capitals: bool,
    /// Ways to say any parameter by its label: patterns over `{label}` and `{value}`.
    pub details: Vec<Pattern>,
    /// The manners in which people ask.
    pub styles: Vec<Style>,
    /// The value kinds.
    pub kinds: IndexMap<String, Kind>,
    /// Values of several kinds that belong together.
    pub(super) bundles: Vec<Bundle>,
    /// Habits of people who type.
    typing: Typing,
    /// What a reader knows of the language.
    pub reading: Reading,
    /// How the language points at what stands elsewhere.
    pub external: External,
    /// How a dialogue goes on after the first request.
    pub dialogue: DialoguePhrases,
    /// How people ask for several things in one question.
    pub questions: QuestionPhrases,
    /// How people ask for several things at once.
    pub requests: RequestPhrases,
    /// How people and assistants talk beside calls.
    pub chat: ChatPhrases,
    /// What is said of tools that bring no phrases.
    pub derived: Derived,
    /// Sentences for retry prompts, by the fault's reason; empty in English, whose prompts quote the fault's detail.
    pub faults: IndexMap<String, String>,
    /// Sentences that the model's faults are made of.
    pub strays: Strays,
    /// The sentence that refuses.
    pub refusal: String,
    /// Particles that agree with the sound before them; empty in most languages.
    pub particles: Particles,
    /// The language as facts: how it counts.
    pub language: Option<Arc<Language>>,
}

/// The greatest number that is said in words before a counter.
const WORDED: u64 = 20;

/// A side of the intent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Before it.
    Before,
    /// After it.
    After,
}

/// A manner of asking: a register with its sentence frames.
#[derive(Debug, Clone)]
pub struct Style {
    /// Its name.
    pub name: String,
    /// How often it is drawn, beside the others.
    pub weight: f64,
    /// What it is like, for a prompt.
    pub description: String,
    /// Words that an intent of this manner must not hold: `I want to` does not go with `wake me`.
    pub avoid: Vec<String>,
    /// Patterns over `{intent}`.
    pub frames: Vec<Pattern>,
    /// How it ends a clause that tells what happened, where it makes a sentence of it.
    pub endings: Vec<Ending>,
    /// The same in a conversation with an assistant; `frames` where there are none.
    pub talk: Vec<Pattern>,
}

/// Another end for a text: `왔는데,` becomes `왔어요.`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ending {
    /// The end that is replaced.
    pub of: String,
    /// The letters of which one stands before it; any where there are none.
    #[serde(default)]
    pub after: String,
    /// Its replacements.
    pub to: Vec<String>,
}

impl Style {
    /// The text with another end, where the manner has one for it.
    pub fn ended(&self, text: &str, chance: &mut Chance) -> Option<String> {
        let ends = |ending: &&Ending| {
            let rest = text.strip_suffix(&ending.of);
            let after = |rest: &str| ending.after.is_empty() || rest.ends_with(|letter| ending.after.contains(letter));
            rest.is_some_and(after)
        };
        let ending = self.endings.iter().find(ends)?;
        let rest = text.strip_suffix(&ending.of)?;
        chance.pick(&ending.to).map(|end| format!("{rest}{end}"))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PackText {
    name: String,
    clauses: Side,
    joiner: String,
    #[serde(default)]
    capitals: bool,
    #[serde(default)]
    details: Vec<String>,
    style: Vec<StyleText>,
    refusal: String,
    #[serde(default)]
    typing: Typing,
    #[serde(default)]
    strays: Strays,
    #[serde(default)]
    particles: Particles,
}

#[derive(Default)]
struct KindsText {
    bundles: Vec<BundleText>,
    kinds: IndexMap<String, KindText>,
}

/// A derived one with a flattened map would lose the line of what is wrong.
impl<'de> Deserialize<'de> for KindsText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Tables;
        impl<'de> Visitor<'de> for Tables {
            type Value = KindsText;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("value kinds and `[[bundles]]`")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<KindsText, A::Error> {
                let mut read = KindsText::default();
                while let Some(key) = map.next_key::<String>()? {
                    if key == "bundles" {
                        read.bundles = map.next_value()?;
                    } else {
                        read.kinds.insert(key, map.next_value()?);
                    }
                }
                Ok(read)
            }
        }
        deserializer.deserialize_map(Tables)
    }
}

/// Habits of people who type, which change no value.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Typing {
    /// How often a request has one, from 0 to 1.
    share: f64,
    /// Spellings with those that people type in their place.
    slips: Vec<(String, String)>,
}

/// What the built-in generator says when it is told to err.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Strays {
    /// Requests that have nothing to do with any tool at hand.
    pub requests: Vec<String>,
    /// Refusals to write anything.
    pub refusals: Vec<String>,
    /// Requests in other languages.
    pub foreign: Vec<String>,
    /// The worked example of the prompt, copied.
    pub copied: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StyleText {
    name: String,
    weight: f64,
    description: String,
    #[serde(default)]
    avoid: Vec<String>,
    frames: Vec<String>,
    #[serde(default)]
    endings: Vec<Ending>,
    #[serde(default)]
    talk: Vec<String>,
}

impl Pack {
    /// Loads `locales/<code>/`.
    pub fn load(assets: &Assets, code: &str) -> Result<Self, LocaleError> {
        let text: PackText = read_toml(assets, code, "pack.toml")?;
        let KindsText { bundles, kinds } = read_toml(assets, code, "kinds.toml")?;
        let mut pack = Self {
            code: code.to_owned(),
            name: text.name,
            clauses: text.clauses,
            joiner: text.joiner,
            capitals: text.capitals,
            details: parse_all(&format!("{code}/pack.toml"), &text.details)?,
            styles: text
                .style
                .into_iter()
                .map(|style| style.parse(&format!("{code}/pack.toml")))
                .collect::<Result<_, _>>()?,
            kinds: IndexMap::new(),
            bundles: Vec::new(),
            typing: text.typing,
            reading: Reading::load(assets, code)?,
            external: External::load(assets, code)?,
            dialogue: DialoguePhrases::load(assets, code)?,
            questions: QuestionPhrases::load(assets, code)?,
            requests: RequestPhrases::load(assets, code)?,
            apis: read_toml(assets, code, "apis.toml")?,
            chat: ChatPhrases::load(assets, code)?,
            derived: Derived::load(assets, code)?,
            faults: optional(assets, &format!("locales/{code}/faults.toml"))?,
            strays: text.strays,
            refusal: text.refusal,
            particles: text.particles,
            language: Language::load(assets, code).ok().map(Arc::new),
        };
        pack.add_kinds(&format!("{code}/kinds.toml"), kinds)?;
        let shared = pack.derived.kinds().into_iter().filter(|(name, _)| !pack.kinds.contains_key(name)).collect();
        pack.add_kinds("common.toml", shared)?;
        pack.add_bundles(&format!("{code}/kinds.toml"), &bundles)?;
        Ok(pack)
    }

    /// Adds the value kinds of a toolset; a known kind is extended, or its values are replaced if the text says so.
    pub fn add_kinds(&mut self, file: &str, kinds: IndexMap<String, KindText>) -> Result<(), LocaleError> {
        for (name, text) in kinds {
            let replaces = text.replaces();
            let kind = text.parse(file, &name)?;
            match self.kinds.get_mut(&name) {
                Some(known) if replaces => known.values = kind.values,
                Some(known) => known.extend(kind),
                None => drop(self.kinds.insert(name, kind)),
            }
        }
        Ok(())
    }

    /// A text as people write it: single spaces, none before a comma, and a capital where the language has them. An
    /// address, a file or a code is no word, and keeps its letters.
    pub fn tidy(&self, text: &str) -> String {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace(" ,", ",").replace("?,", ",");
        if !self.capitals || begins_with_a_sign(&text) {
            return text;
        }
        let mut letters = text.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    }

    /// A text as somebody types it, now and then with a habit of those who do; the words for values stay as they are.
    pub fn typed(&self, text: String, values: &[&str], chance: &mut Chance) -> String {
        let slips: Vec<String> = self
            .typing
            .slips
            .iter()
            .filter(|(spelling, _)| text.contains(spelling.as_str()))
            .map(|(spelling, typed)| text.replacen(spelling.as_str(), typed, 1))
            .filter(|typed| values.iter().all(|value| typed.contains(value) || !text.contains(value)))
            .collect();
        let slip = chance.pick(&slips).cloned().filter(|_| chance.happens(self.typing.share));
        slip.unwrap_or(text)
    }

    /// Several texts as one turn: words that only lead into a text stand before the first of them alone, unless the
    /// text would begin with a capital without them that it has not got.
    pub fn one_turn<'t>(&self, texts: &[&'t str], bare: impl Fn(&'t str) -> &'t str) -> String {
        let Some((first, others)) = texts.split_first() else { return String::new() };
        others.iter().fold((*first).to_owned(), |turn, text| {
            let bare = Some(bare(text)).filter(|bare| self.tidy(bare) == **bare);
            self.chat.continued(&turn, bare.unwrap_or(text))
        })
    }

    /// A sentence with its full stop, unless it ends with a mark already.
    pub fn stopped(&self, text: &str) -> String {
        if is_ended(text) { text.to_owned() } else { format!("{}{}", text.trim_end(), self.questions.stop) }
    }

    /// A number with its counter, in digits or, where it is small, as often in words: `2명`, `두 명`.
    pub fn counted(&self, value: &Value, surface: &str, counter: &str, chance: &mut Chance) -> String {
        let number =
            value.as_number().and_then(|number| number.as_str().parse::<u64>().ok()).filter(|it| *it <= WORDED);
        let language = self.language.as_ref().filter(|_| chance.happens(0.5));
        let words = number.zip(language).and_then(|(number, language)| in_words(number, language, Some(counter)));
        words.map_or_else(|| format!("{surface}{counter}"), |words| format!("{words}{}{counter}", self.joiner))
    }

    /// Whether what stands behind a slot is a word that counts, not a particle that agrees.
    pub fn counts(&self, particle: &str) -> bool {
        // `과` counts lessons as well; behind a value it is the particle.
        let counts = self.language.as_ref().is_some_and(|language| is_counter(particle, language));
        counts && !self.particles.agrees(particle)
    }

    /// Words with the particle that agrees with them.
    pub fn agreed(&self, words: &str, particle: Option<&str>) -> String {
        format!("{words}{}", particle.map_or("", |particle| self.particles.agree(words, particle)))
    }

    /// What stands for a pattern's one slot; the words alone where there is no pattern.
    pub fn filled(&self, pattern: Option<&Pattern>, slot: &str, words: &str, chance: &mut Chance) -> String {
        pattern.map_or_else(|| words.to_owned(), |pattern| self.rendered(pattern, &[(slot, words)], chance))
    }

    /// A sentence of a pattern in whose slots these words stand.
    pub fn rendered(&self, pattern: &Pattern, words: &[(&str, &str)], chance: &mut Chance) -> String {
        pattern.render(&mut KnownWords { pack: self, words }, chance)
    }
}

/// Words for slots, by their names, with the particles that agree.
struct KnownWords<'w> {
    pack: &'w Pack,
    words: &'w [(&'w str, &'w str)],
}

impl Fill for KnownWords<'_> {
    fn has(&self, slot: &str) -> bool {
        self.words.iter().any(|(name, _)| *name == slot)
    }

    fn say(&mut self, slot: &str, particle: Option<&str>, _chance: &mut Chance) -> String {
        let words = self.words.iter().find(|(name, _)| *name == slot).map_or("", |(_, words)| words);
        self.pack.agreed(words, particle)
    }
}

impl StyleText {
    /// Parses its frames; `file` says where in errors.
    pub(super) fn parse(self, file: &str) -> Result<Style, LocaleError> {
        let place = format!("{file}, style `{}`", self.name);
        let (frames, talk) = (parse_all(&place, &self.frames)?, parse_all(&place, &self.talk)?);
        let Self { name, weight, description, avoid, endings, .. } = self;
        Ok(Style { name, weight, description, avoid, frames, endings, talk })
    }
}

/// The value kinds of a locale as its file writes them, and those that all languages share.
pub fn kind_texts(assets: &Assets, code: &str) -> Result<IndexMap<String, KindText>, LocaleError> {
    let KindsText { mut kinds, .. } = read_toml(assets, code, "kinds.toml")?;
    for (name, kind) in Derived::load(assets, code)?.kinds() {
        kinds.entry(name).or_insert(kind);
    }
    Ok(kinds)
}

/// Reads one TOML file of a locale.
pub(crate) fn read_toml<T: for<'de> Deserialize<'de>>(
    assets: &Assets,
    code: &str,
    file: &str,
) -> Result<T, LocaleError> {
    let path = super::locale_file(assets, code, file);
    let text = assets.read(&path).ok_or_else(|| LocaleError::Missing { path: path.clone() })?;
    crate::toml_text::from_toml(&text).map_err(|error| LocaleError::Toml { path, message: error.to_string() })
}

/// Parses patterns, naming the place of the first that is not one.
pub(crate) fn parse_all(place: &str, texts: &[String]) -> Result<Vec<Pattern>, LocaleError> {
    texts
        .iter()
        .map(|text| {
            Pattern::parse(text).map_err(|error| LocaleError::Pattern {
                place: place.to_owned(),
                text: text.clone(),
                error,
            })
        })
        .collect()
}

/// Whether the first word is written in signs that no word has.
fn begins_with_a_sign(text: &str) -> bool {
    let first = text.split(' ').next().unwrap_or_default().trim_end_matches(|letter: char| !letter.is_alphanumeric());
    first.contains(['@', '_', '/', '.']) || first.contains(|letter: char| letter.is_ascii_digit())
}

/// Whether a sentence ends with the mark of a statement, a question or an exclamation, or with a drawl.
pub fn is_ended(text: &str) -> bool {
    text.trim_end().ends_with(['.', '?', '!', '~', '。', '？', '！'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_sentence_begins_with_a_capital_and_an_address_with_what_it_begins_with() {
        let pack = crate::fixtures::pack("en");
        assert_eq!(pack.tidy("book  it , please"), "Book it, please");
        for text in ["ana@example.org, thanks", "trip.jpg is the one", "pl-1042, I think", "a/b.txt"] {
            assert_eq!(pack.tidy(text), text);
        }
        assert_eq!(pack.tidy("thanks."), "Thanks.");
        assert_eq!(Pack::load(crate::fixtures::assets(), "ko").unwrap().tidy("a b"), "a b");
    }

    #[test]
    fn what_is_wrong_with_the_kinds_of_a_locale_is_told_with_its_line() {
        let error = |text: &str| crate::toml_text::from_toml::<KindsText>(text).err().unwrap().to_string();
        let kind = error("[[bundles]]\nstars = [4, 5]\n[city]\nvalue = [\"x\"]\n");
        assert!(kind.contains("line 4") && kind.contains("unknown field `value`"), "{kind}");
        let bundle = error("[city]\nvalues = []\n[[bundles]]\nstars = 5\n");
        assert!(bundle.contains("line 4") && bundle.contains("two numbers"), "{bundle}");
    }

    #[test]
    fn a_habit_of_typing_leaves_the_words_for_values_alone() {
        let slips = vec![("can not".to_owned(), "cannot".to_owned()), ("any more".to_owned(), "anymore".to_owned())];
        let pack =
            Pack { typing: Typing { share: 0.5, slips }, ..Pack::load(crate::fixtures::assets(), "en").unwrap() };
        let typed = |values: &[&str]| -> BTreeSet<String> {
            let text = "I can not do it any more";
            (0..40).map(|at| pack.typed(text.to_owned(), values, &mut Chance::new(1, "typed", "t", at))).collect()
        };
        let (one, other) = ("I cannot do it any more", "I can not do it anymore");
        assert_eq!(typed(&[]), [one, "I can not do it any more", other].map(str::to_owned).into());
        assert_eq!(typed(&["any more"]), [one, "I can not do it any more"].map(str::to_owned).into());
        assert_eq!(typed(&["can not", "any more"]), [String::from("I can not do it any more")].into());
    }
}
