//! What scoring needs to know of a locale: its script, how it refuses, and how its judges say pass and fail.

use crate::assets::Assets;
use crate::functionchat::metric::Look;
use crate::functionchat::metric::strict::VerdictWords;
use crate::hammerbench::{LocaleRules, RulesError, verdict_words};
use crate::locale::{Language, Script};
use indexmap::IndexMap;
use std::rc::Rc;

/// One locale.
#[derive(Debug)]
pub struct Ground {
    /// The scripts; nothing where the locale is not known, and every letter will do.
    scripts: Option<Vec<Script>>,
    /// How words are known for what they are.
    pub look: Look,
    /// How judges say pass and fail.
    pub verdicts: VerdictWords,
}

/// The locales of a benchmark, each loaded once.
#[derive(Debug, Default)]
pub struct Grounds {
    rules: LocaleRules,
    known: IndexMap<String, Rc<Ground>>,
}

impl Grounds {
    /// No locale yet.
    pub fn new(assets: &Assets) -> Self {
        Self { rules: LocaleRules::new(assets), known: IndexMap::new() }
    }

    /// A locale.
    pub fn of(&mut self, locale: &str) -> Result<Rc<Ground>, RulesError> {
        if let Some(ground) = self.known.get(locale) {
            return Ok(ground.clone());
        }
        let language = locale.split(['-', '_']).next().unwrap_or(locale);
        let scripts = Language::load(self.rules.assets(), language).ok().map(|language| language.script.letters);
        let refusals = self.rules.of(locale)?.refusals.clone();
        let ground =
            Rc::new(Ground { scripts, look: Look { refusals }, verdicts: verdict_words(self.rules.assets(), locale)? });
        self.known.insert(locale.to_owned(), ground.clone());
        Ok(ground)
    }
}

impl Ground {
    /// Whether a letter is of the locale's script.
    pub fn is_own(&self, letter: char) -> bool {
        self.scripts.as_ref().map_or(letter.is_alphabetic(), |scripts| {
            Script::of(letter).is_some_and(|script| scripts.contains(&script))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_locale_knows_its_letters() {
        let mut grounds = Grounds::new(crate::fixtures::assets());
        for (locale, own, foreign) in [("ko", '한', 'a'), ("en", 'a', '한'), ("zh-TW", '中', 'a'), ("xx", '한', '5')]
        {
            let ground = grounds.of(locale).unwrap();
            assert!(ground.is_own(own) && !ground.is_own(foreign), "{locale}");
        }
        assert_eq!(grounds.known.len(), 4);
    }

    #[test]
    fn judges_may_speak_english_everywhere() {
        let mut grounds = Grounds::new(crate::fixtures::assets());
        let words = |locale: &str, grounds: &mut Grounds| grounds.of(locale).unwrap().verdicts.clone();
        let (ko, en) = (words("ko", &mut grounds), words("en", &mut grounds));
        assert!(en.pass.iter().all(|word| ko.pass.contains(word)) && ko.pass.len() > en.pass.len());
        assert_eq!(words("xx", &mut grounds), en);
    }
}
