//! A language, read from its data file and made ready for use.

use super::dates::{Calendar, CalendarWords};
use super::meaning::alike::Alike;
use super::meaning::durations::Durations;
use super::meaning::rouge::RougeL;
use super::meaning::script::Script;
use super::meaning::stands::{BooleanCues, BooleanWords, Equivalents};
use super::numerals::{NumeralWords, Numerals};
use super::phrases::cues::{CueWords, Cues};
use crate::assets::Assets;
use indexmap::IndexMap;
use serde::Deserialize;

/// What a language is: everything that is looked up while texts are read is put in order once, when it is loaded.
#[derive(Debug, Clone)]
pub struct Language {
    /// The locale's code: `en`, `ko`, `zh`.
    pub code: String,
    /// The language's own name, as a prompt may say it.
    pub name: String,
    /// In which letters it is written.
    pub script: ScriptRule,
    /// How texts are compared.
    pub rouge: RougeDefaults,
    pub(super) numerals: Numerals,
    pub(super) calendar: Calendar,
    pub(super) booleans: BooleanCues,
    pub(super) equivalents: Equivalents,
    /// Endings of more than one, each with what it takes the place of.
    pub(super) plurals: Vec<(String, String)>,
    pub(super) cues: Cues,
    pub(super) durations: Durations,
    pub(super) alike: Alike,
}

/// In which letters a language is written.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptRule {
    /// The scripts.
    pub letters: Vec<Script>,
    /// Least share of a text that is in them, from 0 to 1; see [`super::script_share`].
    pub least_share: f64,
}

/// How a language's texts are compared, unless a pipeline says otherwise.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RougeDefaults {
    /// The tokenizer: `rouge-score`, `unicode-v1` or `character-v1`.
    pub tokenizer: String,
    /// Rouge-L F1 from which two values of an argument agree.
    pub consistency_rouge_l: f64,
    /// Rouge-L F1 from which two texts are near-duplicates.
    pub near_duplicate_rouge_l: f64,
}

/// Why a locale cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LanguageError {
    /// There is no such file.
    #[error("unknown language `{code}`: `{path}` is missing")]
    Missing {
        /// The code that was asked for.
        code: String,
        /// The file that should be there.
        path: String,
    },
    /// The file cannot be read.
    #[error("in `{path}`: {source}")]
    Format {
        /// The file.
        path: String,
        /// What is wrong, with its place.
        #[source]
        source: Box<toml::de::Error>,
    },
    /// The file reads well and says what cannot be.
    #[error("in `{path}`: {problem}")]
    Content {
        /// The file.
        path: String,
        /// What cannot be.
        problem: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LanguageFile {
    code: String,
    name: String,
    script: ScriptRule,
    rouge: RougeDefaults,
    numerals: NumeralWords,
    calendar: CalendarWords,
    booleans: BooleanWords,
    #[serde(default)]
    plurals: Vec<(String, String)>,
    #[serde(default)]
    cues: CueWords,
    #[serde(default)]
    durations: Durations,
    #[serde(default)]
    alike: Alike,
    currencies: IndexMap<String, Vec<String>>,
    units: IndexMap<String, Vec<String>>,
}

impl Language {
    /// Loads a language by its code.
    pub fn load(assets: &Assets, code: &str) -> Result<Self, LanguageError> {
        let path = format!("locales/{code}/language.toml");
        let Some(text) = assets.read(&path) else {
            return Err(LanguageError::Missing { code: code.to_owned(), path });
        };
        Self::read(&text, path)
    }

    /// The Rouge-L scorer of this language.
    pub fn rouge_l(&self) -> RougeL {
        RougeL::by_profile(&self.rouge.tokenizer).unwrap_or_else(|| RougeL::for_locale(&self.code))
    }

    fn read(text: &str, path: String) -> Result<Self, LanguageError> {
        let file: LanguageFile = match crate::toml_text::from_toml(text) {
            Ok(file) => file,
            Err(source) => return Err(LanguageError::Format { path, source: Box::new(source) }),
        };
        let problem = |problem: String| LanguageError::Content { path: path.clone(), problem };
        if RougeL::by_profile(&file.rouge.tokenizer).is_none() {
            return Err(problem(format!("no tokenizer `{}`", file.rouge.tokenizer)));
        }
        let calendar = Calendar::new(&file.calendar).map_err(problem)?;
        Ok(Self {
            code: file.code,
            name: file.name,
            script: file.script,
            rouge: file.rouge,
            numerals: Numerals::new(file.numerals),
            calendar,
            booleans: BooleanCues::new(&file.booleans),
            plurals: file.plurals,
            durations: file.durations,
            cues: Cues::new(&file.cues),
            equivalents: Equivalents::new([file.currencies.clone(), file.units.clone()].into_iter().flatten()),
            alike: file.alike.with(file.currencies, file.units),
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::sync::LazyLock;

    /// The shipped languages, loaded once.
    pub(crate) fn language(code: &str) -> &'static Language {
        static ALL: LazyLock<[Language; 4]> = LazyLock::new(|| {
            ["en", "ko", "zh", "ja"].map(|code| Language::load(crate::fixtures::assets(), code).unwrap())
        });
        ALL.iter().find(|language| language.code == code).unwrap()
    }

    #[test]
    fn the_shipped_languages_load_and_agree_with_the_code() {
        for code in ["en", "ko", "zh", "ja"] {
            let language = language(code);
            assert_eq!(language.rouge_l().profile(), RougeL::for_locale(code).profile());
            assert!((0.0..=1.0).contains(&language.script.least_share));
            assert!(language.rouge.consistency_rouge_l < language.rouge.near_duplicate_rouge_l);
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_the_file() {
        let error = Language::load(crate::fixtures::assets(), "xx").unwrap_err();
        assert_eq!(error.to_string(), "unknown language `xx`: `locales/xx/language.toml` is missing");
        let english = crate::fixtures::assets().read("locales/en/language.toml").unwrap();
        let misspelt = english.replacen("least_share", "least_shear", 1);
        let error = Language::read(&misspelt, "x.toml".to_owned()).unwrap_err().to_string();
        assert!(error.contains("x.toml") && error.contains("unknown field `least_shear`"), "{error}");
        let unknown = english.replacen("rouge-score", "words", 1);
        assert_eq!(
            Language::read(&unknown, "x.toml".to_owned()).unwrap_err().to_string(),
            "in `x.toml`: no tokenizer `words`"
        );
        let slot = english.replacen("{weekday} week\"", "{wekday} week\"", 1);
        assert_eq!(
            Language::read(&slot, "x.toml".to_owned()).unwrap_err().to_string(),
            "in `x.toml`: no slot `{wekday}`"
        );
    }
}
