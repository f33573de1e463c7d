//! Why an item does not pass.

use indexmap::IndexMap;

/// Why a single item failed, in two words for counting and in more for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Short name: `missing_parameter`, `unparsable` ...
    pub reason: &'static str,
    /// What was found and what was expected.
    pub detail: String,
    /// The names, values and words that the detail speaks of, where it does not set them between backticks.
    named: Vec<String>,
}

impl Fault {
    /// A fault by its short name.
    pub fn new(reason: &'static str, detail: impl Into<String>) -> Self {
        Self { reason, detail: detail.into(), named: Vec::new() }
    }

    /// The same with the names, values and words that a sentence in another language has to repeat.
    #[must_use]
    pub fn naming<const N: usize>(self, named: [&str; N]) -> Self {
        Self { named: named.iter().map(|&it| it.to_owned()).collect(), ..self }
    }

    /// The fault as a retry prompt reports it: the locale's sentence for its reason (`locales/<code>/faults.toml`) followed by
    /// the names and values in question, or else the detail.
    pub fn in_words(&self, sentences: &IndexMap<String, String>) -> String {
        let Some(sentence) = sentences.get(self.reason) else { return self.detail.clone() };
        let between_backticks = self.detail.split('`').skip(1).step_by(2).map(str::to_owned);
        let named = if self.named.is_empty() { between_backticks.collect() } else { self.named.clone() };
        let named: Vec<_> = named.iter().map(|it| format!("`{it}`")).collect();
        if named.is_empty() { sentence.clone() } else { format!("{sentence}: {}", named.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_reads_the_locales_sentence_with_what_was_found() {
        let sentences = IndexMap::from([("wrong_slot".to_owned(), "다른 값을 말했습니다".to_owned())]);
        let in_backticks = Fault::new("wrong_slot", "the line says `Friday` for `date`");
        assert_eq!(in_backticks.in_words(&sentences), "다른 값을 말했습니다: `Friday`, `date`");
        let named = Fault::new("wrong_slot", "the line says nothing for date = 3").naming(["date", "3"]);
        assert_eq!(named.in_words(&sentences), "다른 값을 말했습니다: `date`, `3`");
        assert_eq!(Fault::new("wrong_slot", "it is empty").in_words(&sentences), "다른 값을 말했습니다");
        assert_eq!(named.in_words(&IndexMap::new()), "the line says nothing for date = 3");
    }

    #[test]
    fn the_locales_with_prompts_of_their_own_have_the_same_sentences() {
        let reasons = |code| crate::fixtures::pack(code).faults.keys().cloned().collect::<Vec<_>>();
        assert!(reasons("en").is_empty(), "the details are English");
        assert_eq!(reasons("zh"), reasons("ko"));
        assert_eq!(reasons("ja"), reasons("ko"));
    }
}
