//! What the strict profile needs to know of a locale, from `locales/<code>/scoring.toml` and `training.toml`.

use crate::assets::Assets;
use crate::functionchat::metric::strict::VerdictWords;
use crate::hammerbench::metric::strict::Rules;
use crate::locale::{Language, Pack};
use crate::score::{QuestionWords, RefusalWords, Refusals, ValueWords};
use indexmap::IndexMap;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// Prompts may ask for English sentences in any locale, so that these count everywhere.
const EVERYWHERE: &str = "en";

/// Why a locale's words cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("in `{path}`: {source}")]
pub struct RulesError {
    path: String,
    #[source]
    source: Box<toml::de::Error>,
}

/// The rules of locales, each loaded once.
#[derive(Debug, Default)]
pub struct LocaleRules {
    assets: Assets,
    by_locale: IndexMap<String, Rules>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    refusals: RefusalWords,
    values: ValueWords,
    #[serde(default)]
    verdicts: VerdictWords,
}

/// What is read of `locales/<code>/training.toml`: marks and turns of phrase that ask.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TrainingFile {
    signs: Vec<String>,
}

/// What is read of `locales/<code>/reading.toml`: words without a meaning of their own.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ReadingFile {
    stop: String,
}

impl LocaleRules {
    /// No locale yet.
    pub fn new(assets: &Assets) -> Self {
        Self { assets: assets.clone(), by_locale: IndexMap::new() }
    }

    /// Where the files of locales are read.
    pub(crate) fn assets(&self) -> &Assets {
        &self.assets
    }

    /// The rules of a locale. One without a file has the English sentences of refusal and no articles.
    pub fn of(&mut self, locale: &str) -> Result<&Rules, RulesError> {
        if !self.by_locale.contains_key(locale) {
            self.by_locale.insert(locale.to_owned(), load(&self.assets, locale)?);
        }
        Ok(&self.by_locale[locale])
    }
}

fn load(assets: &Assets, locale: &str) -> Result<Rules, RulesError> {
    let language = locale.split(['-', '_']).next().unwrap_or(locale);
    let (own, everywhere) = (read(assets, language)?, read(assets, EVERYWHERE)?);
    // What our own dialogues say where no tool fits is what a model learns that is trained on them.
    let said = Pack::load(assets, language).map(|pack| pack.dialogue.refusals).unwrap_or_default();
    let said = RefusalWords { sentences: said, phrases: Vec::new(), names: Vec::new() };
    let refusals = Refusals::new([&own.refusals, &everywhere.refusals, &said]);
    let values = ValueWords { language: Language::load(assets, language).ok().map(Arc::new), ..own.values };
    Ok(Rules { refusals, values, questions: question_words(assets, language)? })
}

/// How a locale asks; one without signs of its own has those of English.
pub fn question_words(assets: &Assets, language: &str) -> Result<QuestionWords, RulesError> {
    let signs = |language: &str| Ok(toml_of::<TrainingFile>(assets, language, "training")?.signs);
    let own = signs(language)?;
    let signs = if own.is_empty() { signs(EVERYWHERE)? } else { own };
    let stop = toml_of::<ReadingFile>(assets, language, "reading")?.stop;
    Ok(QuestionWords::new(signs, stop.split_whitespace().map(str::to_owned)))
}

/// How judges say pass or fail in a locale, and in English.
pub(crate) fn verdict_words(assets: &Assets, locale: &str) -> Result<VerdictWords, RulesError> {
    let language = locale.split(['-', '_']).next().unwrap_or(locale);
    let (own, everywhere) = (read(assets, language)?, read(assets, EVERYWHERE)?);
    let own = Some(&own.verdicts).filter(|_| language != EVERYWHERE);
    Ok(VerdictWords::join(own.into_iter().chain([&everywhere.verdicts])))
}

fn read(assets: &Assets, language: &str) -> Result<File, RulesError> {
    toml_of(assets, language, "scoring")
}

/// A file of a locale; its default where it is not there.
fn toml_of<T: Default + DeserializeOwned>(assets: &Assets, language: &str, name: &str) -> Result<T, RulesError> {
    let path = format!("locales/{language}/{name}.toml");
    let text = assets.read(&path);
    let file = text.map_or_else(|| Ok(T::default()), |text| crate::toml_text::from_toml(&text));
    file.map_err(|source| RulesError { path, source: Box::new(source) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_locale_has_its_words_and_the_english_sentences() {
        let mut rules = LocaleRules::new(crate::fixtures::assets());
        let english = "Sorry, no tool is suitable for your request.";
        for (locale, own) in [
            ("ko", "맞는 도구가 없어요"),
            ("zh-TW", "没有合适的工具"),
            ("ja", "適切なツールがありません"),
            ("en", "no suitable tool"),
            ("fr", english),
        ] {
            let rules = rules.of(locale).unwrap();
            assert!(rules.refusals.in_words(english).is_some() && rules.refusals.in_words(own).is_some(), "{locale}");
        }
        for locale in ["en", "ko", "zh", "ja"] {
            for refusal in Pack::load(crate::fixtures::assets(), locale).unwrap().dialogue.refusals {
                assert!(rules.of(locale).unwrap().refusals.in_words(&refusal).is_some(), "{locale}: {refusal}");
            }
        }
        let asks = |code: &str, text: &str| question_words(crate::fixtures::assets(), code).unwrap().asks(text, &[]);
        for (code, text, other) in [
            ("ko", "출발역을 알려 주세요.", "완료했습니다."),
            ("zh", "去哪里？", "办好了。"),
            ("ja", "どちらの駅ですか。", "できました。"),
            ("en", "Where to?", "Done."),
            ("xx", "Wohin?", "Ja."),
        ] {
            assert!(asks(code, text) && !asks(code, other), "{code}");
        }
        assert_eq!(
            (rules.of("en").unwrap().values.articles.len(), rules.of("ko").unwrap().values.articles.len()),
            (3, 0)
        );
    }
}
