//! How a locale asks what a live server answers: `locales/<locale>/live.toml`, filled in with what the tools say themselves.

use super::super::LiveError;
use fcgen_core::assets::Assets;
use fcgen_core::locale::{Derived, FALLBACK};
use serde::Deserialize;

/// What stands in patterns for other things than itself.
pub(crate) const MARKS: [char; 7] = ['[', ']', '{', '}', '(', ')', '|'];
/// Most letters of a description that requests repeat.
const LONGEST: usize = 160;

/// The words of a locale; slots are `{intent}`, `{slot}` and `{label}`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LivePhrases {
    /// The request without its values.
    ask: Vec<String>,
    /// Adds what an earlier answer holds.
    of: String,
    /// Adds what the request says.
    with: String,
    /// An item as the one with the greatest number.
    most: Vec<String>,
    /// An item as the one with the least number.
    least: Vec<String>,
    /// The first item.
    first: Vec<String>,
    /// A request without values, where frames of other pipelines take it.
    intents: Vec<String>,
    /// One value by itself.
    clauses: Vec<String>,
    /// Asks for one value.
    questions: Vec<String>,
    /// Where sentences end.
    ends: Vec<String>,
    /// How descriptions become requests.
    #[serde(skip)]
    derived: Derived,
}

impl LivePhrases {
    /// Reads the words of a locale, or those of English where it has none.
    pub(crate) fn load(assets: &Assets, locale: &str) -> Result<Self, LiveError> {
        let own = format!("locales/{locale}/live.toml");
        let path = if assets.holds(&own) { own } else { format!("locales/{FALLBACK}/live.toml") };
        let fault = |message: String| LiveError::File { path: path.clone(), message };
        let text = assets.read(&path).ok_or_else(|| fault("missing".to_owned()))?;
        let phrases: Self = toml::from_str(&text).map_err(|error| fault(error.to_string()))?;
        let derived = Derived::load(assets, locale).map_err(|error| fault(error.to_string()))?;
        Ok(Self { derived, ..phrases })
    }

    /// Patterns that ask for a tool: what it does, and each parameter; whether it is said, and whether it is needed.
    pub(crate) fn asks(&self, intent: &Intent, parameters: &[(&str, bool, bool)]) -> Vec<String> {
        let clause = |(name, said, needed): &(&str, bool, bool)| {
            let pattern = if *said { &self.with } else { &self.of };
            let text = pattern.replace("{slot}", &format!("{{{name}}}")).replace("{label}", &label(name));
            if *needed { text } else { format!("[{text}]") }
        };
        let mut sorted = parameters.to_vec();
        sorted.sort_by_key(|(_, _, needed)| !needed);
        let clauses: String = sorted.iter().map(clause).collect();
        let intent = intent.text(self);
        self.ask.iter().map(|ask| ask.replace("{intent}", &intent) + &clauses).collect()
    }

    /// Requests for a tool without values.
    pub(crate) fn intents(&self, intent: &Intent) -> Vec<String> {
        let intent = intent.text(self);
        self.intents.iter().map(|text| text.replace("{intent}", &intent)).collect()
    }

    /// Clauses that say a parameter.
    pub(crate) fn clauses(&self, name: &str) -> Vec<String> {
        let slot = format!("{{{name}}}");
        self.clauses.iter().map(|text| text.replace("{slot}", &slot).replace("{label}", &label(name))).collect()
    }

    /// Questions for a parameter.
    pub(crate) fn questions(&self, name: &str) -> Vec<String> {
        self.questions.iter().map(|text| text.replace("{label}", &label(name))).collect()
    }

    /// Patterns that mean an item: `most`, `least` or `first`, by a field.
    pub(crate) fn picks(&self, word: &str, field: &str) -> Vec<String> {
        let patterns = match word {
            "most" => &self.most,
            "least" => &self.least,
            _ => &self.first,
        };
        patterns.iter().map(|text| text.replace("{label}", &label(field))).collect()
    }
}

/// What a tool does, as it says itself.
pub(crate) struct Intent {
    description: String,
    name: String,
}

/// What a tool does, by its description, or by its name where it has none.
pub(crate) fn intent(description: &str, name: &str) -> Intent {
    Intent { description: description.to_owned(), name: name.to_owned() }
}

impl Intent {
    /// The first sentence as a request, with no mark that means something in patterns.
    fn text(&self, phrases: &LivePhrases) -> String {
        let line = self.description.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let end = phrases.ends.iter().filter_map(|end| line.find(end.as_str())).min().unwrap_or(line.len());
        let sentence = line.get(..end).unwrap_or(line);
        let plain: String = sentence.chars().filter(|letter| !MARKS.contains(letter)).take(LONGEST).collect();
        let plain = plain.trim().trim_end_matches(['.', '。', ':', ',']).to_owned();
        if plain.is_empty() { label(&self.name) } else { phrases.derived.imperative(&plain, &self.name) }
    }
}

/// A name as words.
fn label(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars().filter(|letter| !MARKS.contains(letter)) {
        match letter {
            '_' | '-' | '.' => words.push(' '),
            _ if letter.is_uppercase() && words.ends_with(char::is_lowercase) => {
                words.push(' ');
                words.extend(letter.to_lowercase());
            }
            _ => words.push(letter),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use fcgen_core::locale::Pattern;

    #[test]
    fn every_locale_asks_in_patterns_that_can_be_read() {
        for locale in ["en", "ko", "zh", "ja", "none"] {
            let phrases = LivePhrases::load(crate::fixtures::assets(), locale).unwrap();
            let asks = phrases
                .asks(&intent("Find [all] items. More.", "find"), &[("query", true, true), ("boxId", false, false)]);
            for text in asks.iter().chain(&phrases.picks("most", "pageCount")).chain(&phrases.picks("first", "")) {
                let slots: Vec<String> = Pattern::parse(text).unwrap().slots().into_iter().map(str::to_owned).collect();
                assert!(slots.iter().all(|slot| ["query", "boxId"].contains(&slot.as_str())), "{locale}: {text}");
            }
            assert!(
                asks.iter().all(|it| it.contains("find all items")
                    && it.contains("{query}")
                    && it.contains('[')
                    && !it.contains("More")),
                "{asks:?}"
            );
        }
    }

    #[test]
    fn a_description_is_said_as_its_first_sentence() {
        let phrases = LivePhrases::load(crate::fixtures::assets(), "en").unwrap();
        let said = |text: &str| intent(text, "get_itemList").text(&phrases);
        assert_eq!(said("Gets it. Then more."), "get it");
        assert_eq!(intent("Waters a plant.", "water_plant").text(&phrases), "water a plant", "the name has the verb");
        assert_eq!(said("HTTP status (of a {host})."), "HTTP status of a host");
        assert_eq!(said("  \n"), "get item list");
    }
}
