//! Texts in the form in which they are compared: composed, lowercase, half-width, one kind of quotes and of spaces.

use super::script::Script;
use std::ops::Range;
use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};
use unicode_segmentation::UnicodeSegmentation;

/// A text in its compared form, each character of which knows where it stood.
#[derive(Debug, Clone, Default)]
pub struct Folded {
    /// The characters.
    pub(crate) chars: Vec<char>,
    // The bytes of the text that each character stands for.
    spans: Vec<Range<usize>>,
}

impl Folded {
    /// Folds a text.
    pub fn new(text: &str) -> Self {
        let mut folded = Self { chars: Vec::with_capacity(text.len()), spans: Vec::with_capacity(text.len()) };
        if is_nfc_quick(text.chars()) == IsNormalized::Yes {
            for (at, char) in text.char_indices() {
                folded.push(char, &(at..at + char.len_utf8()));
            }
        } else {
            for (at, cluster) in text.grapheme_indices(true) {
                let span = at..at + cluster.len();
                cluster.chars().map(half_width).nfc().for_each(|char| folded.push(char, &span));
            }
        }
        folded
    }

    /// The folded text.
    pub fn text(&self) -> String {
        self.chars.iter().collect()
    }

    /// The bytes of the original text that a range of characters stands for.
    pub(crate) fn bytes(&self, range: &Range<usize>) -> Range<usize> {
        match (self.spans.get(range.start), range.end.checked_sub(1).and_then(|last| self.spans.get(last))) {
            (Some(first), Some(last)) if range.start < range.end => first.start..last.end,
            _ => 0..0,
        }
    }

    /// Every place where `needle` stands as words of its own.
    pub(crate) fn find<'a>(&'a self, needle: &'a [char]) -> impl Iterator<Item = Range<usize>> + 'a {
        self.occurrences(needle).filter(|range| is_free(&self.chars, range))
    }

    /// Every place where `needle` stands, within words too.
    pub(crate) fn occurrences<'a>(&'a self, needle: &'a [char]) -> impl Iterator<Item = Range<usize>> + 'a {
        let windows = if needle.is_empty() { [].windows(1) } else { self.chars.windows(needle.len()) };
        windows.enumerate().filter(move |(_, window)| *window == needle).map(|(at, window)| at..at + window.len())
    }

    fn push(&mut self, char: char, span: &Range<usize>) {
        let char = half_width(char);
        let plain = match char {
            '‘' | '’' | '‚' | '‛' | '′' => '\'',
            '“' | '”' | '„' | '‟' | '″' | '「' | '」' | '『' | '』' | '«' | '»' => '"',
            '‐' | '‑' | '‒' | '–' | '—' | '−' => '-',
            _ if char.is_whitespace() => ' ',
            _ => char,
        };
        if plain == ' ' && self.chars.last().is_none_or(|last| *last == ' ') {
            return;
        }
        for lower in plain.to_lowercase() {
            self.chars.push(lower);
            self.spans.push(span.clone());
        }
    }
}

fn half_width(char: char) -> char {
    match char {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(char) - 0xfee0).unwrap_or(char),
        _ => char,
    }
}

/// The folded characters of a word or value, without spaces at its ends.
pub(crate) fn fold(text: &str) -> Vec<char> {
    let mut chars = Folded::new(text).chars;
    if chars.last() == Some(&' ') {
        chars.pop();
    }
    chars
}

/// Whether what stands in a range is not a part of a longer word or number.
pub(crate) fn is_free(chars: &[char], range: &Range<usize>) -> bool {
    is_free_left(chars, range.start) && is_free_right(chars, range.end)
}

/// Whether a word may begin at `at`.
pub(crate) fn is_free_left(chars: &[char], at: usize) -> bool {
    let (Some(before), Some(first)) = (at.checked_sub(1).and_then(|before| chars.get(before)), chars.get(at)) else {
        return true;
    };
    let glued = matches!(
        (Glue::of(*before), Glue::of(*first)),
        (Glue::Word, Glue::Word) | (Glue::Hangul, Glue::Hangul) | (Glue::Word | Glue::Hangul | Glue::Mark, Glue::Mark)
    );
    !(glued || first.is_ascii_digit() && joins_digits(chars, at - 1))
}

/// Whether a word may end before `at`. A Korean word may: a particle follows it without a space.
pub(crate) fn is_free_right(chars: &[char], at: usize) -> bool {
    let (Some(last), Some(after)) = (at.checked_sub(1).and_then(|last| chars.get(last)), chars.get(at)) else {
        return true;
    };
    let glued = matches!((Glue::of(*last), Glue::of(*after)), (Glue::Word, Glue::Word) | (_, Glue::Mark));
    !(glued || last.is_ascii_digit() && joins_digits(chars, at))
}

/// Whether the sign at `at` stands between two digits and makes one number or one time of them.
fn joins_digits(chars: &[char], at: usize) -> bool {
    let is_digit = |index: Option<usize>| index.and_then(|index| chars.get(index)).is_some_and(char::is_ascii_digit);
    matches!(chars.get(at), Some('.' | ':' | ',')) && is_digit(at.checked_sub(1)) && is_digit(at.checked_add(1))
}

#[derive(PartialEq, Eq)]
enum Glue {
    /// Letters of languages that put spaces between words, digits and the underscore.
    Word,
    /// Korean syllables.
    Hangul,
    /// What belongs to the letter before it.
    Mark,
    /// All else.
    Open,
}

impl Glue {
    fn of(char: char) -> Self {
        match Script::of(char) {
            Some(Script::Hangul) => Self::Hangul,
            Some(Script::Han | Script::Kana | Script::Thai) => Self::Open,
            Some(_) => Self::Word,
            None if char == '_' || char.is_numeric() => Self::Word,
            None if !char.is_ascii() && is_combining_mark(char) => Self::Mark,
            None => Self::Open,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn finds(text: &str, word: &str) -> bool {
        Folded::new(text).find(&fold(word)).next().is_some()
    }

    #[test]
    fn forms_that_look_alike_fold_alike() {
        for (one, two) in [
            ("Ｃａｆｅ\u{301}\u{3000}１５", "café 15"),
            ("‘It’s’  “so”", "'it's' \"so\""),
            ("\u{1112}\u{1161}\u{11ab}글", "한글"),
            ("3：30", "3:30"),
            (" a\t\nb ", "a b "),
            ("A—B", "a-b"),
        ] {
            assert_eq!(Folded::new(one).text(), two);
        }
    }

    #[test]
    fn a_found_range_is_told_in_bytes_of_the_original() {
        let text = "Go to  the Cafe\u{301} now";
        let folded = Folded::new(text);
        let range = folded.find(&fold("the café")).next().unwrap();
        assert_eq!(text.get(folded.bytes(&range)), Some("the Cafe\u{301}"));
        assert_eq!(folded.bytes(&(3..3)), 0..0);
    }

    #[test]
    fn nothing_stands_inside_a_longer_word() {
        assert!(finds("state of the art.", "art"));
        for (text, word) in
            [("start", "art"), ("artist", "art"), ("150", "15"), ("1,500", "15"), ("3:15", "15"), ("1.15", "15")]
        {
            assert!(!finds(text, word), "{word} in {text}");
        }
        assert!(finds("at 15, 20", "15") && finds("is it 15?", "15") && finds("snake_case", "snake_case"));
        assert!(!finds("snake_case", "case"));
    }

    #[test]
    fn a_korean_particle_may_follow_and_no_syllable_may_precede() {
        assert!(finds("서울에서 출발", "서울") && finds("KTX로 가자", "ktx") && finds("AI스피커", "스피커"));
        assert!(!finds("남서울에서", "서울") && !finds("KTX로", "kt"));
    }

    #[test]
    fn marks_and_signs_at_the_edges() {
        assert!(!finds("ก็ดี", "ก") && finds("(art)", "art") && finds("art-deco", "art") && finds("l'art", "art"));
        assert!(finds("é", "e\u{301}") && !finds("né", "e"));
        assert!(finds("3,14 and 5", "5") && !finds("1.5", "5") && finds("v. 5", "5"));
    }

    #[test]
    fn within_words_only_if_asked() {
        let folded = Folded::new("Start the art");
        let needle = fold("art");
        assert_eq!(folded.occurrences(&needle).count(), 2);
        assert_eq!(folded.find(&needle).next(), Some(10..13));
        assert_eq!(folded.find(&[]).count() + folded.occurrences(&fold("longer than the text")).count(), 0);
    }

    #[test]
    fn chinese_words_have_no_boundaries() {
        assert!(finds("我的iPhone坏了", "iphone") && finds("请导航去首都机场吧", "首都机场"));
    }

    proptest! {
        #[test]
        fn folding_is_stable_and_ranges_hold(text in any::<String>()) {
            let folded = Folded::new(&text);
            prop_assert_eq!(folded.chars.len(), folded.spans.len());
            for at in 0..folded.chars.len() {
                prop_assert!(text.get(folded.bytes(&(at..at + 1))).is_some());
            }
        }

        #[test]
        fn a_word_between_spaces_is_found(word in "[a-z가-힣一-龥0-9]{1,6}") {
            let text = format!("x {word} y");
            prop_assert!(finds(&text, &word));
        }
    }
}
