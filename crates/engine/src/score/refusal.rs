//! When a reply without a call refuses: by sentences and phrases that a locale lists, and by nothing else.

use serde::Deserialize;

/// How a locale refuses, as its file lists it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefusalWords {
    /// Whole sentences.
    pub sentences: Vec<String>,
    /// Turns of phrase that stand somewhere in a sentence.
    pub phrases: Vec<String>,
    /// Names that are called in place of a tool.
    pub names: Vec<String>,
}

/// By which rule a reply refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RefusalRule {
    /// It holds a sentence of the list.
    Sentence,
    /// It holds a phrase of the list.
    Phrase,
    /// It is a list of no calls.
    EmptyList,
    /// It calls what is no tool.
    Name,
}

/// The refusals of one or more locales, ready for comparing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Refusals {
    sentences: Vec<String>,
    phrases: Vec<String>,
    names: Vec<String>,
}

impl RefusalRule {
    /// The name under which it is counted.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sentence => "sentence",
            Self::Phrase => "phrase",
            Self::EmptyList => "empty_list",
            Self::Name => "name",
        }
    }
}

impl Refusals {
    /// Puts the words of several locales together: prompts may ask for a sentence of another one.
    pub fn new<'w>(locales: impl IntoIterator<Item = &'w RefusalWords>) -> Self {
        let mut all = Self::default();
        for words in locales {
            all.sentences.extend(words.sentences.iter().map(|sentence| plain(sentence)));
            all.phrases.extend(words.phrases.iter().map(|phrase| plain(phrase)));
            all.names.extend(words.names.iter().map(|name| name.to_lowercase()));
        }
        all
    }

    /// Whether a text without a call refuses.
    pub fn in_words(&self, text: &str) -> Option<RefusalRule> {
        let text = plain(text);
        let holds = |wanted: &[String]| wanted.iter().any(|words| stands(&text, words));
        if holds(&self.sentences) {
            return Some(RefusalRule::Sentence);
        }
        holds(&self.phrases).then_some(RefusalRule::Phrase)
    }

    /// Whether a called name is none: a word for nothing, or the sentence that refuses.
    pub fn in_name(&self, name: &str) -> Option<RefusalRule> {
        let is_nothing = self.names.contains(&name.trim().to_lowercase());
        (is_nothing || self.sentences.contains(&plain(name))).then_some(RefusalRule::Name)
    }
}

/// Lower case; everything but letters and digits is one space. Apostrophes vanish, as people leave them out.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars().filter(|letter| !matches!(letter, '\'' | '\u{2019}')) {
        match letter {
            _ if letter.is_alphanumeric() => out.extend(letter.to_lowercase()),
            _ if out.ends_with(' ') || out.is_empty() => {}
            _ => out.push(' '),
        }
    }
    out.trim_end().to_owned()
}

/// Whether words stand in a text: as whole words where they end in a Latin letter, anywhere else as parts of words.
fn stands(text: &str, words: &str) -> bool {
    let is_edge = |letter: Option<char>| letter.is_none_or(|letter| letter == ' ');
    let whole = words.is_ascii();
    !words.is_empty()
        && text.match_indices(words).any(|(at, found)| {
            let (before, after) = (text.get(..at), text.get(at + found.len()..));
            !whole
                || is_edge(before.and_then(|text| text.chars().next_back()))
                    && is_edge(after.and_then(|text| text.chars().next()))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::refusals;
    use proptest::prelude::*;

    #[test]
    fn sentences_and_phrases_refuse_in_three_languages() {
        let refusals = refusals(&["en", "ko", "zh"]);
        for (text, rule) in [
            ("Sorry, no tool is suitable for your request.", RefusalRule::Sentence),
            ("\"sorry no tool is suitable for your request\"", RefusalRule::Sentence),
            ("None of the functions can be used to address the question!", RefusalRule::Sentence),
            ("I'm sorry, but none of the provided tools can do that.", RefusalRule::Phrase),
            ("Unfortunately I don’t have a tool for this.", RefusalRule::Phrase),
            ("죄송하지만, 요청에 맞는 도구가 없습니다.", RefusalRule::Sentence),
            ("음, 그건 제가 쓸 수 있는 도구가 없어요.", RefusalRule::Phrase),
            ("抱歉,没有适合您请求的工具", RefusalRule::Sentence),
            ("对不起，目前没有可用的工具来唱歌。", RefusalRule::Phrase),
        ] {
            assert_eq!(refusals.in_words(text), Some(rule), "{text}");
        }
    }

    #[test]
    fn other_words_do_not_refuse() {
        let refusals = refusals(&["en", "ko", "zh"]);
        for text in [
            "",
            "Sorry, which city?",
            "The piano tool is open.",
            "Done.",
            "어느 도시로 갈까요?",
            "请问您想去哪里？",
            "I'm sorry, License plate number is 5.",
        ] {
            assert_eq!(refusals.in_words(text), None, "{text}");
        }
    }

    #[test]
    fn a_name_may_be_none() {
        let refusals = refusals(&["en"]);
        assert_eq!(refusals.in_name("None"), Some(RefusalRule::Name));
        assert_eq!(refusals.in_name("Sorry, no tool is suitable for your request."), Some(RefusalRule::Name));
        assert_eq!(refusals.in_name("Phone.Calls.none"), None);
    }

    #[test]
    fn rules_have_names() {
        let rules = [RefusalRule::Sentence, RefusalRule::Phrase, RefusalRule::EmptyList, RefusalRule::Name];
        assert_eq!(rules.map(RefusalRule::as_str), ["sentence", "phrase", "empty_list", "name"]);
    }

    fn words(sentence: &str, phrase: &str) -> Refusals {
        let [sentences, phrases] = [sentence, phrase].map(|text| vec![text.to_owned()]);
        Refusals::new([&RefusalWords { sentences, phrases, names: vec!["Nothing".to_owned()] }])
    }

    #[test]
    fn a_phrase_of_latin_letters_stands_as_whole_words_and_a_korean_one_anywhere() {
        assert_eq!(words("", "no tool").in_words("There is no tool."), Some(RefusalRule::Phrase));
        assert_eq!(words("", "no tool").in_words("casino tools, no toolbox"), None);
        assert_eq!(words("", "도구가 없").in_words("맞는 도구가 없습니다"), Some(RefusalRule::Phrase));
    }

    #[test]
    fn an_empty_word_refuses_nothing() {
        assert_eq!((words("", "").in_words("anything"), words("...", "!").in_words("?!")), (None, None));
        assert_eq!(Refusals::default().in_words("Sorry"), None);
        assert_eq!(words("x", "y").in_name(" NOTHING "), Some(RefusalRule::Name));
    }

    proptest! {
        #[test]
        fn capitals_and_marks_make_no_difference(marks in "[ .,!?*\"-]{1,3}", before in "([a-z]{1,6} )?") {
            let refusals = words("No tool fits your wish.", "cannot help");
            let loud = format!("{before}NO{marks}TOOL{marks}FITS{marks}YOUR{marks}WISH{marks}");
            prop_assert_eq!(refusals.in_words(&loud), Some(RefusalRule::Sentence));
            let phrase = format!("{before}I{marks}cannot{marks}help{marks}you");
            prop_assert_eq!(refusals.in_words(&phrase), Some(RefusalRule::Phrase));
        }
    }
}
