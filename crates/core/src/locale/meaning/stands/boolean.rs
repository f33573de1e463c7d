//! Booleans: by the clause that says them, else by a word of the parameter's names, denied or not.

use super::Found;
use super::Search;
use super::text::identifier_words;
use crate::locale::meaning::script::Script;
use crate::locale::meaning::surface::{Folded, fold, is_free_left};
use crate::locale::numerals::Lexicon;
use crate::record::Origin;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::ops::Range;

/// The `[booleans]` table of a language file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BooleanWords {
    /// Words that deny.
    negations: Vec<String>,
    /// Letters that deny within a word too.
    #[serde(default)]
    negation_stems: Vec<String>,
    /// Words that hold such letters and deny nothing.
    #[serde(default)]
    never: Vec<String>,
    /// What ends a clause; it belongs to the clause that it ends.
    breaks: Vec<String>,
    /// Words of names and descriptions that say nothing of the parameter.
    empty: Vec<String>,
    /// What is added to the end of a word in other forms of it; nothing where words do not change.
    #[serde(default)]
    endings: Vec<String>,
    /// What a word loses at its end before something is added.
    #[serde(default)]
    dropped: Vec<String>,
}

/// A language's cues for booleans, ready for use.
#[derive(Debug, Clone)]
pub(crate) struct BooleanCues {
    negations: Lexicon<()>,
    stems: Lexicon<()>,
    never: Lexicon<()>,
    breaks: Vec<Vec<char>>,
    empty: BTreeSet<Vec<char>>,
    endings: Vec<Vec<char>>,
    dropped: Vec<Vec<char>>,
}

impl BooleanCues {
    pub(in crate::locale) fn new(words: &BooleanWords) -> Self {
        let list = |words: &[String]| Lexicon::new(words.iter().map(|word| (word, ())));
        let folded = |words: &[String]| words.iter().map(|word| fold(word)).collect();
        Self {
            endings: folded(&words.endings),
            dropped: folded(&words.dropped),
            negations: list(&words.negations),
            stems: list(&words.negation_stems),
            never: list(&words.never),
            // Folded as a text is, with the spaces at their ends kept.
            breaks: words.breaks.iter().map(|word| folded_with_spaces(word)).collect(),
            empty: words.empty.iter().map(|word| fold(word)).collect(),
        }
    }

    /// The clauses of a text, in order.
    fn clauses(&self, chars: &[char]) -> Vec<Range<usize>> {
        let mut clauses = Vec::new();
        let (mut start, mut at) = (0, 0);
        while at < chars.len() {
            let length = self.breaks.iter().filter(|word| chars[at..].starts_with(word)).map(Vec::len).max();
            at += length.unwrap_or(1);
            if length.is_some() {
                clauses.push(start..at);
                start = at;
            }
        }
        clauses.push(start..at);
        clauses
    }

    /// Where a clause is denied, if it is.
    fn denial(&self, chars: &[char], clause: &Range<usize>) -> Option<Range<usize>> {
        let mut at = clause.start;
        while at < clause.end {
            if let Some((length, ())) = self.never.at(chars, at) {
                at += length;
                continue;
            }
            let stem = self.stems.at(chars, at).map(|(length, ())| length);
            let word = || {
                let mut words = self.negations.all_at(chars, at).map(|(length, ())| length);
                words.find(|length| is_free_left(chars, at) && ends_word(chars, at + length))
            };
            if let Some(length) = stem.or_else(word) {
                return Some(at..at + length);
            }
            at += 1;
        }
        None
    }

    /// The words of a name or description that tell the parameter from others.
    fn telling_words(&self, names: &[&str]) -> Vec<Vec<char>> {
        let mut words = Vec::new();
        for name in names {
            let spaced = identifier_words(name).unwrap_or_else(|| (*name).to_owned());
            for word in fold(&spaced).split(|char| !char.is_alphanumeric()) {
                let telling = self.without_empty(word);
                words.extend(telling.into_iter().filter(|word| is_telling(word)));
            }
        }
        words
    }

    /// Cuts a word down to what is not empty: a Chinese phrase into pairs of characters, any other word as it is.
    fn without_empty(&self, word: &[char]) -> Vec<Vec<char>> {
        if self.empty.contains(word) {
            return Vec::new();
        }
        if !word.iter().any(|char| Script::of(*char) == Some(Script::Han)) {
            return vec![word.to_vec()];
        }
        let mut telling = Vec::new();
        let mut rest = word;
        let mut run = 0;
        while run < rest.len() {
            let empty = self.empty.iter().filter(|empty| rest[run..].starts_with(empty)).map(Vec::len).max();
            let Some(length) = empty else {
                run += 1;
                continue;
            };
            telling.extend(rest[..run].windows(2).map(<[char]>::to_vec));
            (rest, run) = (&rest[run + length..], 0);
        }
        telling.extend(rest.windows(2).map(<[char]>::to_vec));
        telling
    }

    /// Where a clause says a word, in this or another form of it.
    fn find_name(&self, folded: &Folded, clause: &Range<usize>, word: &[char]) -> Option<Range<usize>> {
        let chars = &folded.chars;
        if word.iter().any(|char| matches!(Script::of(*char), Some(Script::Han | Script::Kana | Script::Hangul))) {
            let stem = if Script::of(word[0]) == Some(Script::Hangul) { korean_stem(word) } else { word };
            let mut all =
                folded.occurrences(stem).filter(|range| clause.start <= range.start && range.end <= clause.end);
            return all.find(|range| is_free_left(chars, range.start));
        }
        let mut at = clause.start;
        while at < clause.end {
            let length = chars[at..clause.end].iter().take_while(|char| char.is_alphanumeric()).count();
            if length > 0 && self.is_form_of(&chars[at..at + length], word) {
                return Some(at..at + length);
            }
            at += length.max(1);
        }
        None
    }

    /// Whether two words are forms of one: equal, or alike but for their endings (`wrap`, `wrapped`; `notify`,
    /// `notification`).
    fn is_form_of(&self, one: &[char], two: &[char]) -> bool {
        one == two
            || self.stems(one).any(|(stem, end)| {
                self.stems(two)
                    .any(|(other, other_end)| stem == other && (end == End::Added || other_end == End::Added))
            })
    }

    /// What a word may be a form of, without the last letter where it is doubled before an ending (`wrapp` of `wrapped`).
    fn stems<'w>(&self, word: &'w [char]) -> impl Iterator<Item = (&'w [char], End)> + use<'_, 'w> {
        let cut = |endings: &'_ [Vec<char>], end: End| {
            let stems = endings.iter().filter_map(move |ending| word.strip_suffix(ending.as_slice()));
            stems.filter(|stem| stem.len() >= 3).map(move |stem| (stem, end)).collect::<Vec<_>>()
        };
        let all = std::iter::once((word, End::Bare))
            .chain(cut(&self.endings, End::Added))
            .chain(cut(&self.dropped, End::Lost));
        all.map(|(stem, end)| match stem {
            [rest @ .., before, last] if before == last && rest.len() >= 2 => (&stem[..=rest.len()], end),
            _ => (stem, end),
        })
    }
}

/// What happened at the end of a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Bare,
    /// It was added to the word.
    Added,
    /// The word loses it before what is added.
    Lost,
}

impl Search<'_> {
    pub(super) fn boolean(&self, bool: bool) -> Option<Found> {
        if self.expectation.wordings.is_some_and(|wordings| !wordings.is_empty()) {
            return self.wording();
        }
        let cues = &self.language.booleans;
        let words = self.own_words();
        let folded = self.folded();
        cues.clauses(&folded.chars).iter().find_map(|clause| {
            let named = words.iter().find_map(|word| cues.find_name(folded, clause, word))?;
            let denial = cues.denial(&folded.chars, clause);
            let range = denial
                .as_ref()
                .map_or(named.clone(), |denial| denial.start.min(named.start)..denial.end.max(named.end));
            (denial.is_none() == bool).then(|| self.found(&range, Origin::Enum))
        })
    }

    /// The telling words of the names that the others do not share, or of the first name where they share all.
    fn own_words(&self) -> Vec<Vec<char>> {
        let (cues, names) = (&self.language.booleans, self.expectation.names);
        let others = cues.telling_words(self.expectation.others);
        let is_shared = |word: &Vec<char>| others.iter().any(|other| cues.is_form_of(word, other));
        let mut words = cues.telling_words(names);
        if words.iter().all(&is_shared) {
            return cues.telling_words(names.get(..1).unwrap_or_default());
        }
        words.retain(|word| !is_shared(word));
        words
    }
}

/// A Korean word without its last syllable where it has three or more: that is mostly a particle or an ending.
fn korean_stem(word: &[char]) -> &[char] {
    if word.len() > 2 { &word[..word.len() - 1] } else { word }
}

/// One letter, or one or two Latin ones, tell nothing.
fn is_telling(word: &[char]) -> bool {
    word.len() > if word.iter().all(char::is_ascii) { 2 } else { 1 }
}

fn ends_word(chars: &[char], at: usize) -> bool {
    !chars.get(at).is_some_and(|next| next.is_alphanumeric())
}

fn folded_with_spaces(word: &str) -> Vec<char> {
    let mut chars: Vec<char> = word.chars().take_while(|char| *char == ' ').collect();
    chars.extend(fold(word.trim()));
    chars.extend(word.chars().rev().take_while(|char| *char == ' '));
    chars
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::language::tests::language;
    use crate::locale::{Stand, value_stands};
    use crate::record::Value;

    fn stands(code: &str, text: &str, value: bool, names: &[&str], wordings: Option<&[String]>) -> Option<String> {
        let expectation = Stand { wordings, names, ..Stand::default() };
        let found = value_stands(text, &Value::from(value), &expectation, language(code))?;
        assert_eq!(found.origin, Origin::Enum);
        Some(found.surface)
    }

    #[test]
    fn wordings_say_a_boolean_and_nothing_else_does() {
        let wordings = ["as a surprise".to_owned(), "don't tell anyone".to_owned()];
        let say = |text| stands("en", text, true, &["secret"], Some(&wordings));
        assert_eq!(say("Send it as a surprise").as_deref(), Some("as a surprise"));
        assert_eq!(say("Send the secret"), None);
    }

    #[test]
    fn names_say_true_and_denied_names_false() {
        for (code, names, yes, no) in [
            ("en", vec!["gift_wrap"], "Wrap it please", "Send it without wrapping"),
            ("en", vec!["enableWifi"], "Turn the wifi on", "Turn wifi off, then call Bob"),
            ("en", vec!["include_breakfast"], "with breakfast", "I don't want breakfast"),
            ("en", vec!["notify", "Whether to send notifications"], "notifications on", "no notification please"),
            ("ko", vec!["breakfast", "조식 포함 여부"], "조식도 넣어줘", "조식은 빼고 예약해줘"),
            ("ko", vec!["알림 사용 여부"], "알림 켜줘", "알림 꺼줘"),
            ("ko", vec!["진동을 울릴지 여부"], "진동으로 해줘", "진동 없이 해줘"),
            ("zh", vec!["gift", "是否需要礼品包装"], "要礼品包装", "不要包装"),
            ("zh", vec!["是否开启通知"], "把通知打开", "关闭通知"),
        ] {
            assert!(stands(code, yes, true, &names, None).is_some(), "{yes}");
            assert_eq!(stands(code, yes, false, &names, None), None, "{yes}");
            assert!(stands(code, no, false, &names, None).is_some(), "{no}");
            assert_eq!(stands(code, no, true, &names, None), None, "{no}");
        }
    }

    #[test]
    fn what_the_others_say_tells_nothing() {
        let names = ["pinned", "Whether the note stays on top"];
        let say = |text: &str, value: bool, others: &[&str]| {
            let expectation = Stand { names: &names, others, ..Stand::default() };
            value_stands(text, &Value::from(value), &expectation, language("en")).is_some()
        };
        let others = ["create note", "Write a note"];
        assert!(say("note down the code", true, &[]) && !say("note down the code", true, &others));
        assert!(say("note down the code and pin it", true, &others));
        assert!(say("a pinned note", true, &["pinned notes", "a note on top stays"]), "its own name is left");
    }

    #[test]
    fn a_denial_reaches_to_the_end_of_its_clause() {
        let names = ["breakfast"];
        assert_eq!(stands("en", "no smoking, but with breakfast", true, &names, None).as_deref(), Some("breakfast"));
        assert_eq!(stands("en", "not the suite. No breakfast", false, &names, None).as_deref(), Some("No breakfast"));
    }

    #[test]
    fn what_is_not_said_is_neither_true_nor_false() {
        for value in [true, false] {
            assert_eq!(
                stands("en", "Book a room, not a suite", value, &["breakfast", "Whether to include it"], None),
                None
            );
            assert_eq!(stands("ko", "방 예약해줘", value, &["조식 포함 여부"], None), None);
            assert_eq!(stands("zh", "订个房间", value, &["是否需要早餐"], None), None);
            assert_eq!(stands("en", "anything", value, &[], None), None);
        }
    }

    #[test]
    fn clauses_end_after_what_ends_them() {
        let cues = &language("en").booleans;
        let chars: Vec<char> = "no bag, but wrap it".chars().collect();
        let clauses = cues.clauses(&chars);
        assert_eq!(clauses, [0..7, 7..12, 12..19]);
        assert_eq!(cues.denial(&chars, &clauses[0]), Some(0..2));
        assert_eq!(cues.denial(&chars, &clauses[2]), None);
    }

    #[test]
    fn names_are_cut_down_to_what_tells() {
        let telling = |code: &str, names: &[&str]| {
            let words = language(code).booleans.telling_words(names);
            words.iter().map(|word| word.iter().collect::<String>()).collect::<Vec<_>>()
        };
        assert_eq!(telling("en", &["is_gift", "Whether to wrap it, or not"]), ["gift", "wrap"]);
        assert_eq!(telling("en", &["enableWifi", "on"]), ["wifi"]);
        assert_eq!(telling("ko", &["알림 사용 여부"]), ["알림"]);
        assert_eq!(telling("zh", &["是否需要礼品包装"]), ["礼品", "品包", "包装"]);
    }

    #[test]
    fn forms_of_a_word_are_told_from_other_words() {
        let cues = &language("en").booleans;
        let form = |one: &str, two: &str| cues.is_form_of(&fold(one), &fold(two));
        for (one, two) in [
            ("wrapped", "wrap"),
            ("notify", "notification"),
            ("gift", "gifts"),
            ("off", "off"),
            ("pin", "pinned"),
            ("fade", "fading"),
            ("call", "calling"),
            ("cat", "cats"),
            ("replies", "reply"),
            ("shuffle", "shuffled"),
        ] {
            assert!(form(one, two) && form(two, one), "{one} {two}");
        }
        for (one, two) in [
            ("gin", "gift"),
            ("wrath", "wrap"),
            ("seat", "Seattle"),
            ("car", "care"),
            ("pin", "pint"),
            ("fast", "fasten"),
        ] {
            assert!(!form(one, two), "{one} {two}");
        }
    }

    #[test]
    fn words_that_only_look_like_a_denial_deny_nothing() {
        assert!(stands("zh", "特别想要包装", true, &["是否需要包装"], None).is_some());
        assert!(stands("ko", "포장 안내 말씀해 주세요", true, &["포장 여부"], None).is_some());
        assert!(stands("en", "note: wrap it now", true, &["wrap"], None).is_some());
    }
}
