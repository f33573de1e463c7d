//! Words for targets whose sample has none: refusals that vary, and questions for what is missing.

use super::teach::Missing;
use crate::data;
use crate::locale::Pack;
use crate::record::{Chance, Phrases, Sample};
use crate::toolset::Toolset;
use indexmap::IndexMap;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many wordings of one question are remembered, and of how many refusals it is known how often they came.
const MOST_QUESTIONS: usize = 16;
const MOST_REFUSALS: usize = 10_000;
/// No refusal may be a greater part of all; a margin is left below the twentieth that is promised.
const SHARE: usize = 22;

/// Where words come from: the run's own dialogues, the toolset's questions, the locale's sentences.
#[derive(Debug, Default)]
pub(super) struct Wording {
    seed: u64,
    locales: BTreeMap<String, LocaleWords>,
    toolsets: BTreeMap<(String, String), Option<Questions>>,
    heard: BTreeMap<(String, String, String), Vec<String>>,
}

/// What people say of the tools of a toolset, by their names.
type Questions = IndexMap<String, Arc<Phrases>>;

/// What one locale says.
#[derive(Debug, Default)]
struct LocaleWords {
    refusals: Vec<String>,
    training: Training,
    used: BTreeMap<String, usize>,
    given: usize,
}

/// `locales/<code>/training.toml`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Training {
    /// What a system text says of the time, over `{time}`.
    time: String,
    /// How an assistant asks for what only its description tells, over `{description}`.
    by_description: Vec<String>,
    /// How an assistant asks a question that is there already, over `{question}`.
    asks: Vec<String>,
}

impl Wording {
    /// Words drawn by a seed.
    pub(super) fn new(seed: u64) -> Self {
        Self { seed, ..Self::default() }
    }

    /// Remembers how a dialogue of the run asked for a parameter.
    pub(super) fn hear(&mut self, locale: &str, missing: &Missing, text: &str) {
        let key = (locale.to_owned(), missing.tool.clone(), missing.parameter.clone());
        let heard = self.heard.entry(key).or_default();
        if heard.len() < MOST_QUESTIONS && !heard.iter().any(|known| known == text) {
            heard.push(text.to_owned());
        }
    }

    /// What a system text says of the time; nothing where the locale has no words for it.
    pub(super) fn time(&mut self, locale: &str, time: &str) -> Option<String> {
        let pattern = &self.locale(locale).training.time;
        (!pattern.is_empty()).then(|| pattern.replace("{time}", time))
    }

    /// A question for a missing parameter.
    pub(super) fn question(&mut self, sample: &Sample, missing: &Missing) -> Option<String> {
        let mut chance = Chance::new(self.seed, "export.question", sample.id.as_str(), 0);
        let key = (sample.locale.clone(), missing.tool.clone(), missing.parameter.clone());
        if let Some(text) = self.heard.get(&key).and_then(|heard| chance.pick(heard)) {
            return Some(text.clone());
        }
        let plain = self.phrased(sample, missing);
        let training = &self.locale(&sample.locale).training;
        if let Some(question) = chance.pick(&plain) {
            return Some(chance.pick(&training.asks)?.replace("{question}", question));
        }
        let tool = sample.candidates.iter().find(|tool| tool.name == missing.tool)?;
        let parameter = tool.parameters.properties.get(&missing.parameter);
        let told = parameter.and_then(|it| it.description.as_deref()).filter(|it| !it.trim().is_empty());
        let told = told.unwrap_or(&missing.parameter).trim_end_matches(['.', '。']).trim();
        Some(chance.pick(&training.by_description)?.replace("{description}", told))
    }

    /// The questions that the toolset has for it, those without slots.
    fn phrased(&mut self, sample: &Sample, missing: &Missing) -> Vec<String> {
        let key = (sample.source.clone(), sample.locale.clone());
        let load = |(source, locale): &(String, String)| Toolset::load(source, locale).ok().map(|it| it.phrases);
        let phrases = self.toolsets.entry(key).or_insert_with_key(load);
        let slot = phrases.as_ref().and_then(|it| it.get(&missing.tool)?.parameters.get(&missing.parameter));
        let plain = |text: &&String| !text.contains(['{', '(', '[']);
        slot.map(|slot| slot.questions.iter().filter(plain).cloned().collect()).unwrap_or_default()
    }

    /// A refusal: the sample's own, unless it was heard too often; then the one of the locale that was heard least.
    pub(super) fn refusal(&mut self, locale: &str, own: Option<&str>) -> Option<String> {
        let words = self.locale(locale);
        words.given += 1;
        let most = (words.given / SHARE).max(1);
        let fresh = |text: &str| words.used.get(text).copied().unwrap_or(0) < most;
        let text = match own.filter(|text| fresh(text)) {
            Some(own) => own.to_owned(),
            None => words.least().or(own)?.to_owned(),
        };
        if words.used.len() < MOST_REFUSALS || words.used.contains_key(&text) {
            *words.used.entry(text.clone()).or_default() += 1;
        }
        Some(text)
    }

    fn locale(&mut self, code: &str) -> &mut LocaleWords {
        let seed = self.seed;
        self.locales.entry(code.to_owned()).or_insert_with(|| LocaleWords::load(code, seed))
    }
}

impl LocaleWords {
    /// A locale without a pack has none.
    fn load(code: &str, seed: u64) -> Self {
        let mut refusals = Pack::load(code).map(|pack| pack.dialogue.refusals).unwrap_or_default();
        Chance::new(seed, "export.refusals", code, 0).shuffle(&mut refusals);
        let text = data::read(&format!("locales/{code}/training.toml")).unwrap_or_default();
        Self { refusals, training: toml::from_str(&text).unwrap_or_default(), ..Self::default() }
    }

    fn least(&self) -> Option<&str> {
        let used = |text: &&String| self.used.get(*text).copied().unwrap_or(0);
        self.refusals.iter().min_by_key(used).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::sample;
    use super::*;

    fn missing(parameter: &str) -> Missing {
        Missing { tool: "Rail.book".to_owned(), parameter: parameter.to_owned() }
    }

    #[test]
    fn no_refusal_is_heard_too_often_whatever_samples_say() {
        for locale in ["en", "ko", "zh", "ja"] {
            let mut wording = Wording::new(7);
            let mut counts: BTreeMap<String, usize> = BTreeMap::new();
            for at in 0..400 {
                let own = (at % 3 > 0).then_some("Sorry, no.");
                *counts.entry(wording.refusal(locale, own).unwrap()).or_default() += 1;
            }
            let most = counts.values().max().unwrap();
            assert!(*most * 20 <= 400 && counts.len() > 20, "{locale}: {most} of {}", counts.len());
        }
    }

    #[test]
    fn a_question_is_what_the_run_asked_else_what_the_description_tells() {
        let (sample, mut wording) = (sample(serde_json::json!("refusal")), Wording::new(1));
        let asked = wording.question(&sample, &missing("to")).unwrap();
        assert!(asked.contains("The station"), "{asked}");
        wording.hear("en", &missing("to"), "Where to?");
        wording.hear("en", &missing("to"), "Where to?");
        assert_eq!(wording.question(&sample, &missing("to")).as_deref(), Some("Where to?"));
    }

    #[test]
    fn the_toolset_of_a_sample_knows_how_to_ask() {
        let mut sample = sample(serde_json::json!("refusal"));
        sample.source = "mobile".to_owned();
        let missing = Missing { tool: "Communication.Email.sendEmail".to_owned(), parameter: "subject".to_owned() };
        let mut wording = Wording::new(1);
        let known = wording.phrased(&sample, &missing);
        let asked = wording.question(&sample, &missing).unwrap();
        assert!(known.iter().any(|question| asked.contains(question.as_str())), "{asked}");
    }

    #[test]
    fn a_locale_without_a_pack_has_no_words() {
        let mut wording = Wording::new(1);
        assert_eq!((wording.refusal("xx", None), wording.time("xx", "noon")), (None, None));
        assert_eq!(wording.refusal("xx", Some("Nein.")).as_deref(), Some("Nein."));
        assert!(wording.time("ko", "10:00").unwrap().contains("10:00"));
    }
}
