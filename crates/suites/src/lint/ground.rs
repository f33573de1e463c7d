//! What the checks know of a bench's language.

use crate::assets::Assets;
use crate::complexfunc::metric::Settings;
use crate::complexfunc::{FunctionFacts, SettingsError, settings_of};
use crate::format::Bench;
use crate::gate::said;
use crate::lint::entry::{Called, Entry};
use crate::lint::hash::hash;
use crate::locale::{Kind, Language, LanguageError, LocaleError, Pack, Particles, TalkWords};
use crate::record::{Argument, Expected, FunctionCall, Origin, SuiteId, Tool, Value};
use indexmap::IndexMap;
use std::sync::Arc;

/// A language with what its pack says of it.
#[derive(Debug, Clone)]
pub struct Ground {
    /// Files by name.
    pub assets: Assets,
    /// The language.
    pub language: Language,
    /// Particles that agree with the word before them; none in most languages.
    pub particles: Particles,
    /// Whether words stand apart; where they do not, texts are compared by their letters.
    pub spaced: bool,
    /// What the authors' assistant says where a call is done.
    pub done: String,
    /// A sentence that refuses.
    pub refusal: String,
    /// Words for habits of speech.
    pub talk: TalkWords,
    /// The value kinds of the locale.
    pub kinds: Arc<IndexMap<String, Kind>>,
    /// What the evaluator of complex queries knows of the bench's functions.
    pub settings: Arc<Settings>,
    /// What the bench says of its functions besides.
    pub functions: FunctionFacts,
}

/// Why a bench's language is not known.
#[derive(Debug, thiserror::Error)]
pub enum GroundError {
    /// The language's facts are missing or faulty.
    #[error(transparent)]
    Language(#[from] LanguageError),
    /// The locale's pack is faulty.
    #[error(transparent)]
    Pack(#[from] LocaleError),
    /// What the bench says of its functions is faulty.
    #[error(transparent)]
    Settings(#[from] SettingsError),
}

impl Ground {
    /// The ground of a locale.
    pub fn load(assets: &Assets, locale: &str) -> Result<Arc<Self>, GroundError> {
        let (language, pack) = (Language::load(assets, locale)?, Pack::load(assets, locale)?);
        let (spaced, done) = (!pack.joiner.is_empty(), pack.dialogue.paper.done);
        Ok(Arc::new(Self {
            assets: assets.clone(),
            language,
            particles: pack.particles,
            spaced,
            done,
            refusal: pack.refusal,
            talk: TalkWords::load(assets, locale)?,
            kinds: Arc::new(pack.kinds),
            settings: Arc::default(),
            functions: FunctionFacts::default(),
        }))
    }

    /// The same with what a bench says of its functions, where it is one of complex queries.
    pub fn of_bench(self: Arc<Self>, bench: &Bench) -> Result<Arc<Self>, GroundError> {
        if bench.suite().and_then(|suite| suite.known()) != Some(SuiteId::ComplexFuncBench) {
            return Ok(self);
        }
        let folder = bench.folder();
        let (settings, functions) = (Arc::new(settings_of(&self.assets, &folder)?), FunctionFacts::beside(&folder));
        Ok(Arc::new(Self { settings, functions, ..Self::clone(&self) }))
    }

    /// How a text says a value of a tool's parameter, if it does.
    pub fn says(&self, tool: &Tool, name: &str, value: &Value, text: &str) -> Option<Argument> {
        said(tool, name, tool.parameters.properties.get(name)?, value, text, &self.language)
    }

    /// The words of a text in lower case; its letters where words do not stand apart.
    pub fn tokens(&self, text: &str) -> Vec<String> {
        let text = text.to_lowercase();
        let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        if self.spaced {
            return words.map(str::to_owned).collect();
        }
        words.flat_map(str::chars).map(String::from).collect()
    }

    /// Where each argument of a question's calls comes from: by its note, or as the words say it; none where neither tells.
    pub fn arguments(&self, entry: &Entry) -> Vec<Option<Argument>> {
        let words = entry.said().words;
        let found = |call: &FunctionCall, name: &str, value: &Value| {
            let verbatim = value.as_str().filter(|text| !text.is_empty() && words.contains(text));
            let verbatim = verbatim.map(|text| Argument {
                surface: Some(text.to_owned()),
                origin: Origin::Verbatim,
                ..Argument::default()
            });
            verbatim.or_else(|| self.says(entry.candidate(&call.name)?, name, value, words))
        };
        let of = |called: &Called<'_>| -> Vec<Option<Argument>> {
            let note = |name: &str| called.notes.and_then(|notes| notes.get(name)).cloned();
            let arguments = called.call.arguments.iter();
            arguments.map(|(name, value)| note(name).or_else(|| found(called.call, name, value))).collect()
        };
        entry.calls().iter().flat_map(of).collect()
    }

    /// How the text of an entry says each argument that its last turn gives: by its note, or as it is found.
    pub fn surfaces(&self, entry: &Entry) -> Vec<Argument> {
        if matches!(entry.sample.expected, Expected::Steps(_)) {
            return self.arguments(entry).into_iter().flatten().collect();
        }
        let Some(tool) = entry.tool() else { return Vec::new() };
        let said = entry.said();
        let found = |name: &str| {
            let value = entry.call()?.arguments.get(name)?;
            let within = |text: &str| self.says(tool, name, value, text);
            within(said.words).or_else(|| within(said.external?))
        };
        let note = |name| entry.sample.arguments.get(name).cloned();
        entry.fresh().into_iter().filter_map(|name| note(name).or_else(|| found(name))).collect()
    }
}

/// Which half of a bench a group belongs to: things are learned on one and tried on the other.
pub fn is_trained_on(seed: u64, group: &str) -> bool {
    hash(&["half", &seed.to_string(), group]).is_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{arguments, entry, questions, sample, step};

    #[test]
    fn a_value_is_said_by_its_parameters_kind() {
        let (ground, entry) =
            (Ground::load(crate::fixtures::assets(), "en").unwrap(), entry(sample("a", "ST_Perfect")));
        let tool = entry.tool().unwrap();
        let two = Value::from(2);
        assert_eq!(ground.says(tool, "seats", &two, "two seats").unwrap().surface.as_deref(), Some("two"));
        assert_eq!(ground.says(tool, "seats", &two, "three seats"), None);
        assert_eq!(ground.says(tool, "no_such", &two, "two"), None);
    }

    #[test]
    fn chinese_is_compared_by_letters_and_the_others_by_words() {
        let tokens =
            |code: &str, text: &str| Ground::load(crate::fixtures::assets(), code).unwrap().tokens(text).join("|");
        assert_eq!(tokens("en", "Book 2 seats, please!"), "book|2|seats|please");
        assert_eq!(tokens("ko", "표 두 장, 부탁해"), "표|두|장|부탁해");
        assert_eq!(tokens("zh", "订两张票。"), "订|两|张|票");
        assert!(Ground::load(crate::fixtures::assets(), "xx").is_err());
    }

    #[test]
    fn surfaces_come_from_notes_and_else_from_the_text() {
        let (ground, mut entry) =
            (Ground::load(crate::fixtures::assets(), "en").unwrap(), entry(sample("a", "ST_Perfect")));
        let said = |entry: &Entry| ground.surfaces(entry).into_iter().filter_map(|it| it.surface).collect::<Vec<_>>();
        assert_eq!(said(&entry), ["Porto", "2"]);
        let noted = Argument { surface: Some("a town".to_owned()), ..Argument::default() };
        entry.sample.arguments.insert("to".to_owned(), noted);
        assert_eq!(said(&entry), ["a town", "2"]);
    }

    #[test]
    fn the_arguments_of_a_chain_come_from_notes_and_else_from_the_words() {
        let ground = Ground::load(crate::fixtures::assets(), "en").unwrap();
        let mut chain = questions("hard");
        step(&mut chain, 0).notes.clear();
        let origins = |sample: &crate::record::Sample| -> Vec<Option<Origin>> {
            ground.arguments(&entry(sample.clone())).into_iter().map(|it| it.map(|it| it.origin)).collect()
        };
        let fed = Origin::Answer { call: 0, field: "/cardId".to_owned() };
        assert_eq!(origins(&chain), [Some(Origin::Verbatim), Some(fed)]);
        arguments(&mut chain, 0).insert("customerId".to_owned(), "U99".into());
        assert_eq!(origins(&chain)[0], None);
        assert_eq!(ground.surfaces(&entry(chain)).len(), 1);
    }

    #[test]
    fn halves_are_about_equal_and_depend_on_the_seed() {
        let groups: Vec<String> = (0..400).map(|number| format!("group {number}")).collect();
        let half = |seed| groups.iter().map(|group| is_trained_on(seed, group)).collect::<Vec<_>>();
        let trained = half(7).into_iter().filter(|it| *it).count();
        assert!((160..240).contains(&trained), "{trained}");
        assert_ne!(half(7), half(8));
    }
}
