//! Words for targets whose sample has none: refusals that vary, and questions for what is missing.

use crate::export::lessons::teach::Missing;
use crate::locale::Pack;
use crate::record::{Chance, Phrases, Sample};
use crate::score::{QuestionWords, words_of};
use crate::suite::hammerbench::question_words;
use crate::toolset::Toolset;
use indexmap::IndexMap;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How many wordings of one question are remembered, and of how many refusals it is known how often they came.
const MOST_QUESTIONS: usize = 16;
const MOST_REFUSALS: usize = 10_000;
/// No refusal may be a greater part of all; a margin is left below the twentieth that is promised.
const SHARE: usize = 22;

/// Where words come from: the run's own dialogues, the toolset's questions, the locale's sentences.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wording {
    seed: u64,
    locales: BTreeMap<String, LocaleWords>,
    toolsets: BTreeMap<(String, String), Option<Questions>>,
    heard: BTreeMap<(String, String, String), Vec<String>>,
}

/// What people say of the tools of a toolset, by their names.
type Questions = IndexMap<String, Arc<Phrases>>;

/// What one locale says.
#[derive(Debug, Clone, Default)]
struct LocaleWords {
    refusals: Vec<String>,
    done: BTreeSet<String>,
    scaffold: BTreeSet<String>,
    questions: QuestionWords,
    training: Training,
    used: BTreeMap<String, usize>,
    given: usize,
}

/// `locales/<code>/training.toml`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Training {
    /// What a system text says of the time, over `{time}`.
    time: String,
    /// How an assistant asks for what only its description tells, over `{description}`.
    by_description: Vec<String>,
    /// How an assistant asks a question that is there already, over `{question}`.
    asks: Vec<String>,
}

impl Training {
    /// What a locale says; nothing where it has no such file.
    fn load(code: &str) -> Self {
        let text = crate::assets().read(&format!("locales/{code}/training.toml")).unwrap_or_default();
        toml::from_str(&text).unwrap_or_default()
    }
}

impl Wording {
    /// Words drawn by a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, ..Self::default() }
    }

    /// Remembers how a dialogue of the run asked for a parameter.
    pub(crate) fn hear(&mut self, locale: &str, missing: &Missing, text: &str) {
        let key = (locale.to_owned(), missing.tool.clone(), missing.parameter.clone());
        let heard = self.heard.entry(key).or_default();
        if heard.len() < MOST_QUESTIONS && !heard.iter().any(|known| known == text) {
            heard.push(text.to_owned());
        }
    }

    /// What a system text says of the time; nothing where the locale has no words for it.
    pub(crate) fn time(&mut self, locale: &str, time: &str) -> Option<String> {
        let pattern = &self.locale(locale).training.time;
        (!pattern.is_empty()).then(|| pattern.replace("{time}", time))
    }

    /// Whether a reply says that all is done, in words of its locale or of a benchmark's scaffold.
    pub(crate) fn is_done(&mut self, locale: &str, text: &str) -> bool {
        self.is_scaffold(locale, text) || self.locale(locale).done.contains(&plain(text))
    }

    /// Whether a reply is what a benchmark's layout has in the place of words.
    pub(crate) fn is_scaffold(&mut self, locale: &str, text: &str) -> bool {
        self.locale(locale).scaffold.contains(&plain(text))
    }

    /// Whether a reply asks for anything.
    pub(crate) fn asks(&mut self, locale: &str, text: &str) -> bool {
        self.locale(locale).questions.asks(text, &[])
    }

    /// Whether a reply asks for one thing at most.
    pub(crate) fn is_single(&mut self, locale: &str, text: &str) -> bool {
        self.locale(locale).questions.is_single(text)
    }

    /// A question for a missing parameter.
    pub(crate) fn question(&mut self, sample: &Sample, missing: &Missing) -> Option<String> {
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
        let told = told.map_or_else(|| words_of(&missing.parameter).join(" "), str::to_owned);
        let told = told.trim_end_matches(['.', '。']).trim();
        Some(chance.pick(&training.by_description)?.replace("{description}", told))
    }

    /// The questions that the toolset has for it, those without slots.
    fn phrased(&mut self, sample: &Sample, missing: &Missing) -> Vec<String> {
        let key = (sample.source.clone(), sample.locale.clone());
        let load = |(source, locale): &(String, String)| {
            Toolset::load(crate::assets(), source, locale).ok().map(|it| it.phrases)
        };
        let phrases = self.toolsets.entry(key).or_insert_with_key(load);
        let slot = phrases.as_ref().and_then(|it| it.get(&missing.tool)?.parameters.get(&missing.parameter));
        let plain = |text: &&String| !text.contains(['{', '(', '[']);
        slot.map(|slot| slot.questions.iter().filter(plain).cloned().collect()).unwrap_or_default()
    }

    /// A refusal: the sample's own, unless it was heard too often; then the one of the locale that was heard least.
    pub(crate) fn refusal(&mut self, locale: &str, own: Option<&str>) -> Option<String> {
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
        let phrases = |code: &str| Pack::load(crate::assets(), code).map(|pack| pack.dialogue).unwrap_or_default();
        let own = phrases(code);
        let mut refusals = own.refusals;
        Chance::new(seed, "export.refusals", code, 0).shuffle(&mut refusals);
        // The authors' layout says it in English everywhere.
        let scaffold = said(&[own.paper.done, phrases("en").paper.done]);
        let done = said(&own.done);
        let (questions, training) = (question_words(crate::assets(), code).unwrap_or_default(), Training::load(code));
        Self { refusals, done, scaffold, questions, training, ..Self::default() }
    }

    fn least(&self) -> Option<&str> {
        let used = |text: &&String| self.used.get(*text).copied().unwrap_or(0);
        self.refusals.iter().min_by_key(used).map(String::as_str)
    }
}

/// Replies as they are compared.
fn said(texts: &[String]) -> BTreeSet<String> {
    texts.iter().map(|text| plain(text)).filter(|text| !text.is_empty()).collect()
}

fn plain(text: &str) -> String {
    text.trim().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::testing::sample;

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
    fn a_third_of_the_refusals_says_no_without_the_machinery() {
        let machinery = ["tool", "function", "기능", "도구", "功能", "工具", "ツール", "機能"];
        for locale in ["en", "ko", "zh", "ja"] {
            let refusals = Pack::load(crate::fixtures::assets(), locale).unwrap().dialogue.refusals;
            let plain = refusals.iter().filter(|text| !machinery.iter().any(|word| text.contains(word))).count();
            assert!(plain * 3 >= refusals.len(), "{locale}: {plain} of {}", refusals.len());
            assert_eq!(said(&refusals).len(), refusals.len(), "{locale}");
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
    fn a_parameter_without_a_description_is_asked_for_in_words() {
        let mut sample = sample(serde_json::json!("refusal"));
        let tool = Arc::make_mut(&mut sample.candidates[0]);
        tool.parameters.properties.insert("departure_date".to_owned(), crate::record::Parameter::default());
        let asked = Wording::new(1).question(&sample, &missing("departure_date")).unwrap();
        assert!(asked.contains("departure date") && !asked.contains('_'), "{asked}");
    }

    #[test]
    fn what_is_asked_by_a_description_asks_and_is_no_answer() {
        for locale in ["en", "ko", "zh", "ja"] {
            let (training, questions) =
                (Training::load(locale), question_words(crate::fixtures::assets(), locale).unwrap());
            for form in &training.by_description {
                assert!(questions.asks(&form.replace("{description}", "the station"), &["the station".to_owned()]));
                // A description that stands as a sentence of its own reads as the assistant's own answer.
                let (before, _) = form.split_once("{description}").unwrap();
                assert!(before.trim_end().ends_with([':', '：']), "{form}");
            }
        }
    }

    #[test]
    fn a_locale_knows_its_words_for_what_is_done() {
        let mut wording = Wording::new(1);
        assert!(wording.is_done("en", " done. ") && wording.is_done("ko", "Success") && !wording.is_done("en", ""));
        assert!(!wording.is_scaffold("en", "Done.") && wording.is_scaffold("xx", "success"));
        assert!(wording.asks("en", "Where to?") && !wording.asks("en", "Done."));
    }

    #[test]
    fn a_locale_without_a_pack_has_no_words() {
        let mut wording = Wording::new(1);
        assert_eq!((wording.refusal("xx", None), wording.time("xx", "noon")), (None, None));
        assert_eq!(wording.refusal("xx", Some("Nein.")).as_deref(), Some("Nein."));
        assert!(wording.time("ko", "10:00").unwrap().contains("10:00"));
    }
}
