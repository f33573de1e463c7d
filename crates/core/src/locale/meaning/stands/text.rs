//! Strings: letter by letter, folded, by the words of an identifier, by wordings, by words that mean the same.

use super::Found;
use super::Search;
use crate::locale::Stamp;
use crate::locale::meaning::surface::{fold, is_free};
use crate::record::{Number, Origin};
use std::collections::BTreeMap;

/// Words that mean the same: currencies and units, each with its code.
#[derive(Debug, Clone)]
pub(crate) struct Equivalents {
    groups: Vec<Vec<Vec<char>>>,
    group_of: BTreeMap<Vec<char>, Vec<usize>>,
}

impl Equivalents {
    pub(in crate::locale) fn new(table: impl Iterator<Item = (String, Vec<String>)>) -> Self {
        let mut groups = Vec::new();
        let mut group_of: BTreeMap<Vec<char>, Vec<usize>> = BTreeMap::new();
        for (code, words) in table {
            let words: Vec<Vec<char>> = std::iter::once(&code).chain(&words).map(|word| fold(word)).collect();
            for word in &words {
                group_of.entry(word.clone()).or_default().push(groups.len());
            }
            groups.push(words);
        }
        Self { groups, group_of }
    }

    /// The other words for a word, in the order of the table.
    fn of(&self, word: &[char]) -> impl Iterator<Item = &[char]> + use<'_> {
        let groups = self.group_of.get(word).map(Vec::as_slice).unwrap_or_default();
        groups.iter().filter_map(|group| self.groups.get(*group)).flatten().map(Vec::as_slice)
    }
}

impl Search<'_> {
    pub(super) fn string(&self, string: &str) -> Option<Found> {
        if string.trim().is_empty() {
            return None;
        }
        self.verbatim(string)
            .or_else(|| self.words(string, Origin::Normalised))
            .or_else(|| self.plural(string))
            .or_else(|| self.words(&identifier_words(string)?, Origin::Enum))
            .or_else(|| self.wording())
            .or_else(|| self.equivalent(string))
            .or_else(|| self.moment(Stamp::read(string)?))
            .or_else(|| self.numeric(string))
    }

    /// Folded words, wherever they stand free.
    pub(super) fn words(&self, words: &str, origin: Origin) -> Option<Found> {
        let needle = fold(words);
        let range = self.folded().find(&needle).next()?;
        Some(self.found(&range, origin))
    }

    /// More than one of a thing: `two risottos` say a risotto.
    fn plural(&self, string: &str) -> Option<Found> {
        let last = string.split_whitespace().last()?;
        if last.chars().count() < 3 || !last.chars().all(char::is_alphabetic) {
            return None;
        }
        let plurals = self.language.plurals.iter().filter_map(|(ending, base)| {
            let stem = string.trim_end().strip_suffix(base.as_str())?;
            self.words(&format!("{stem}{ending}"), Origin::Normalised)
        });
        plurals.into_iter().next()
    }

    fn verbatim(&self, string: &str) -> Option<Found> {
        let free = |start: usize| {
            // Two characters on each side tell whether a word or a number goes on.
            let before = self.text.get(..start).unwrap_or_default().chars().rev().take(2).collect::<Vec<_>>();
            let after = self.text.get(start + string.len()..).unwrap_or_default().chars().take(2);
            let mut chars: Vec<char> = before.into_iter().rev().collect();
            let begin = chars.len();
            chars.extend(string.chars());
            let end = chars.len();
            chars.extend(after);
            is_free(&chars, &(begin..end))
        };
        let stands = self.text.match_indices(string).any(|(start, _)| free(start));
        stands.then(|| Found { surface: string.to_owned(), origin: Origin::Verbatim })
    }

    /// A currency or unit said by another of its words; its number may stand right before it.
    fn equivalent(&self, string: &str) -> Option<Found> {
        let folded = self.folded();
        let mut others = self.language.equivalents.of(&fold(string));
        others.find_map(|word| {
            let range = folded.occurrences(word).find(|range| {
                let after_digit = range
                    .start
                    .checked_sub(1)
                    .and_then(|before| folded.chars.get(before))
                    .is_some_and(char::is_ascii_digit);
                let start = range.start - usize::from(after_digit);
                // A sign such as `$` stands right before its number as well.
                let sign = !word.iter().any(|char| char.is_alphanumeric());
                sign || is_free(&folded.chars, &(start..range.end))
                    || after_digit && is_free(&folded.chars, &(range.end..range.end))
            })?;
            Some(self.found(&range, Origin::Enum))
        })
    }

    /// A string that holds a number, for a parameter that is declared as one.
    fn numeric(&self, string: &str) -> Option<Found> {
        let declared = matches!(self.expectation.type_name, "integer" | "number");
        self.number(&declared.then(|| Number::parse(string.trim())).flatten()?)
    }
}

/// The words of an identifier (`window_seat`, `windowSeat`), parted by spaces; none if it is a single word.
pub(super) fn identifier_words(identifier: &str) -> Option<String> {
    let plain = identifier.chars().all(|char| char.is_alphanumeric() || char == '_' || char == '-');
    let mut words = String::new();
    let mut before = ' ';
    for char in identifier.chars() {
        let parts = matches!(char, '_' | '-');
        let hump = char.is_uppercase() && before.is_lowercase();
        if (parts || hump) && before != ' ' {
            words.push(' ');
        }
        if !parts {
            words.extend(char.to_lowercase());
        }
        before = if parts { ' ' } else { char };
    }
    let words = words.trim();
    (plain && words.contains(' ')).then(|| words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::language::tests::language;
    use crate::locale::{Stand, value_stands};
    use crate::record::Value;

    fn stands(code: &str, text: &str, value: &str, wordings: &[&str]) -> Option<(String, Origin)> {
        let wordings: Vec<String> = wordings.iter().map(|&wording| wording.to_owned()).collect();
        let expectation =
            Stand { wordings: (!wordings.is_empty()).then_some(&wordings), type_name: "string", ..Stand::default() };
        value_stands(text, &Value::from(value), &expectation, language(code)).map(|found| (found.surface, found.origin))
    }

    #[track_caller]
    fn check(code: &str, text: &str, value: &str, surface: &str, origin: Origin) {
        assert_eq!(stands(code, text, value, &[]), Some((surface.to_owned(), origin)), "{value} in {text}");
    }

    #[test]
    fn strings_stand_letter_by_letter_or_folded() {
        check("en", "Call Dr. O'Neil now", "Dr. O'Neil", "Dr. O'Neil", Origin::Verbatim);
        check("en", "find the BLUE  Café", "blue café", "BLUE  Café", Origin::Normalised);
        check("en", "play ‘It’s on’", "It's on", "It’s on", Origin::Normalised);
        check("en", "two mushroom risottos", "mushroom risotto", "mushroom risottos", Origin::Normalised);
        check("en", "some cherries please", "cherry", "cherries", Origin::Normalised);
        check("ko", "서울역에서 KTX를 타", "서울역", "서울역", Origin::Verbatim);
        check("ko", "ＫＴＸ로 가자", "KTX", "ＫＴＸ", Origin::Normalised);
        check(
            "ko",
            "\u{1109}\u{1165}\u{110b}\u{116e}\u{11af} 날씨",
            "서울",
            "\u{1109}\u{1165}\u{110b}\u{116e}\u{11af}",
            Origin::Normalised,
        );
        check("zh", "请导航去首都机场", "首都机场", "首都机场", Origin::Verbatim);
        check("zh", "打开ｗｉｆｉ", "WiFi", "ｗｉｆｉ", Origin::Normalised);
    }

    #[test]
    fn strings_do_not_stand_inside_longer_words_nor_without_their_article() {
        for (code, text, value) in [
            ("en", "start the party", "art"),
            ("en", "at the Ritz", "a Ritz"),
            ("en", "at Ritz", "the Ritz"),
            ("en", "room 150", "15"),
            ("en", "at 3:15", "15"),
            ("ko", "남서울에서", "서울"),
            ("ko", "부산 날씨", "서울"),
            ("zh", "去虹桥机场", "首都机场"),
            ("en", "", "x"),
        ] {
            assert_eq!(stands(code, text, value, &[]), None, "{value} in {text}");
        }
    }

    #[test]
    fn listed_values_stand_by_their_words_or_wordings() {
        check("en", "a window seat please", "window_seat", "window seat", Origin::Enum);
        check("en", "a Window Seat please", "windowSeat", "Window Seat", Origin::Enum);
        check("en", "by express", "express", "express", Origin::Verbatim);
        let surface = |text: &str, wordings: &[&str]| stands("ko", text, "window_seat", wordings).map(|found| found.0);
        assert_eq!(surface("창가 자리로 해줘", &["창가 자리", "창가"]).as_deref(), Some("창가 자리"));
        assert_eq!(surface("복도 쪽으로", &["창가 자리", "창가"]), None);
        assert_eq!(stands("zh", "要靠窗的", "window_seat", &["靠窗"]), Some(("靠窗".to_owned(), Origin::Enum)));
    }

    #[test]
    fn currencies_and_units_stand_by_their_other_words() {
        check("en", "send $20", "USD", "$", Origin::Enum);
        check("en", "20km away", "kilometers", "km", Origin::Enum);
        check("en", "ten miles", "mi", "miles", Origin::Enum);
        check("ko", "50달러 보내줘", "USD", "달러", Origin::Enum);
        check("zh", "换成美元", "USD", "美元", Origin::Enum);
        assert_eq!(stands("en", "kmart", "kilometers", &[]), None);
        assert_eq!(stands("en", "send 20 euros", "USD", &[]), None);
    }

    #[test]
    fn a_number_in_a_string_counts_where_a_number_is_declared() {
        let expectation = Stand { type_name: "integer", ..Stand::default() };
        let found = value_stands("for fifteen people", &Value::from("15"), &expectation, language("en"));
        assert_eq!(found.map(|found| found.surface).as_deref(), Some("fifteen"));
        assert_eq!(stands("en", "for fifteen people", "15", &[]), None);
    }

    #[test]
    fn identifiers_part_into_words() {
        assert_eq!(identifier_words("windowSeat").as_deref(), Some("window seat"));
        assert_eq!(identifier_words("NON_STOP").as_deref(), Some("non stop"));
        assert_eq!(identifier_words("one-way").as_deref(), Some("one way"));
        assert_eq!(identifier_words("USD"), None);
        assert_eq!(identifier_words("__"), None);
        assert_eq!(identifier_words("two words"), None);
    }
}
