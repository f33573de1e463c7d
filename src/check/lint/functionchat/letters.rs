//! Letters are whole ones, quotation marks are those of the keyboard, and right words are in the letters of the locale.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::super::super::ground::Ground;
use super::Rule;
use crate::format::functionchat::gold_text;
use crate::gate::check_script;
use crate::record::{Message, Role};
use std::sync::Arc;
use unicode_normalization::is_nfc;

/// Looks at each sample by itself.
pub(super) struct Letters(Arc<Ground>);

/// Quotation marks that no scorer takes for those of the keyboard.
const TYPOGRAPHIC: [char; 4] = ['\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}'];

impl Letters {
    pub(super) fn new(ground: Arc<Ground>) -> Self {
        Self(ground)
    }
}

impl Rule for Letters {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let gold = gold(entry);
        let messages = &entry.sample.messages;
        let texts = messages.iter().map(shown).chain(std::iter::once(gold.clone()));
        if let Some(text) = texts.into_iter().find(|text| !is_nfc(text)) {
            findings.error("nfc", entry, format!("letters come in parts (no NFC) in `{text}`"));
        }
        // Where words do not stand apart, these are the language's own marks.
        if self.0.spaced && gold.contains(TYPOGRAPHIC) {
            findings.error("quotes", entry, format!("there are typographic quotation marks in `{gold}`"));
        }
        let words = gold_text(&entry.sample);
        if let Err(fault) = check_script(words, &self.0.language, None) {
            findings.error("gold_script", entry, format!("{}: `{words}`", fault.detail));
        }
        let spoken = messages.last().filter(|message| message.role == Role::User);
        findings.tally("letters are whole ones", spoken.is_none_or(|message| is_nfc(&shown(message))));
    }
}

/// What is right, as a text: words, or a call with the values that are as right as its own.
fn gold(entry: &Entry) -> String {
    let Some(call) = entry.call() else { return gold_text(&entry.sample).to_owned() };
    let others = serde_json::to_string(&entry.sample.acceptable).unwrap_or_default();
    format!("{}{others}", serde_json::to_string(call).unwrap_or_default())
}

fn shown(message: &Message) -> String {
    let calls = serde_json::to_string(&message.tool_calls).unwrap_or_default();
    format!("{}{calls}", message.content.as_deref().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{decision, dialog, entries, single};
    use super::super::super::testing::found;
    use super::*;
    use crate::record::{Expected, Sample};

    fn told(locale: &str, sample: Sample) -> Vec<String> {
        found(Letters::new(Ground::load(crate::fixtures::assets(), locale).unwrap()), &entries(vec![sample]))
    }

    fn answer(text: &str) -> Sample {
        Sample { expected: Expected::Answer(text.to_owned()), ..dialog().remove(2) }
    }

    #[test]
    fn letters_are_whole() {
        assert_eq!(told("en", single("a", "exact")), Vec::<String>::new());
        let mut parted = single("a", "exact");
        parted.messages[0].content = Some("cafe\u{301}".to_owned());
        assert_eq!(told("en", parted), ["nfc: letters come in parts (no NFC) in `cafe\u{301}[]`"]);
        assert_eq!(told("ko", answer("\u{1102}\u{1166}")).len(), 1);
    }

    #[test]
    fn quotation_marks_are_plain_where_the_language_has_no_others() {
        assert_eq!(told("en", answer("It is the pier\u{2019}s.")).len(), 1);
        assert_eq!(told("zh", answer("\u{201c}一号码头\u{201d}有船。")), Vec::<String>::new());
        let mut call = single("a", "exact");
        call.acceptable.insert("pier".to_owned(), vec!["\u{2018}Hill\u{2019}".into()]);
        assert!(told("en", call)[0].starts_with("quotes: "));
    }

    #[test]
    fn right_words_are_in_the_language() {
        let told = told("ko", decision("REJECT"));
        assert!(told[0].starts_with("gold_script: only 0 % of the letters are "), "{told:?}");
    }
}
