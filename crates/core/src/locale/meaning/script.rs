//! Scripts: in which letters a text is written, and whether they are its locale's.

use super::super::language::Language;
use serde::Deserialize;
use std::ops::Range;

/// A script, or the few that are told apart here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Script {
    /// Latin letters.
    Latin,
    /// Korean letters, as syllables or one by one.
    Hangul,
    /// Chinese characters.
    Han,
    /// Japanese syllables.
    Kana,
    /// Cyrillic letters.
    Cyrillic,
    /// Greek letters.
    Greek,
    /// Arabic letters.
    Arabic,
    /// Hebrew letters.
    Hebrew,
    /// Devanagari letters.
    Devanagari,
    /// Thai letters.
    Thai,
    /// Any other letters.
    Other,
}

impl Script {
    /// The script of a letter; none for digits, marks and signs.
    pub fn of(letter: char) -> Option<Self> {
        if letter.is_ascii() {
            return letter.is_ascii_alphabetic().then_some(Self::Latin);
        }
        if !letter.is_alphabetic() {
            return None;
        }
        Some(match u32::from(letter) {
            0x00aa..=0x024f | 0x1e00..=0x1eff | 0xff21..=0xff5a => Self::Latin,
            0x0370..=0x03ff | 0x1f00..=0x1fff => Self::Greek,
            0x0400..=0x052f => Self::Cyrillic,
            0x0590..=0x05ff => Self::Hebrew,
            0x0600..=0x06ff | 0x0750..=0x077f | 0x08a0..=0x08ff => Self::Arabic,
            0x0900..=0x097f => Self::Devanagari,
            0x0e00..=0x0e7f => Self::Thai,
            0x1100..=0x11ff | 0x3130..=0x318f | 0xa960..=0xa97f | 0xac00..=0xd7ff => Self::Hangul,
            0x3041..=0x30ff | 0x31f0..=0x31ff | 0xff66..=0xff9f => Self::Kana,
            0x3005..=0x3007 | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff => Self::Han,
            _ => Self::Other,
        })
    }

    /// Whether each letter is written on its own, without spaces between words or as whole syllables.
    fn counts_letters(self) -> bool {
        matches!(self, Self::Hangul | Self::Han | Self::Kana | Self::Thai)
    }
}

/// Share of a text that is in `script`: of its words, a Korean, Chinese, Japanese or Thai letter counting as a word.
///
/// A long product name weighs no more than its words do. None where there is no letter.
pub fn script_share(text: &str, script: Script) -> Option<f64> {
    share(text, &[script], &[])
}

/// Whether a text is in its language's script, apart from `ignored` ranges (in bytes), such as values that may be names.
/// A text without letters is.
pub fn right_script(text: &str, language: &Language, ignored: &[Range<usize>]) -> bool {
    share(text, &language.script.letters, ignored).is_none_or(|share| share >= language.script.least_share)
}

fn share(text: &str, scripts: &[Script], ignored: &[Range<usize>]) -> Option<f64> {
    let (mut right, mut all) = (0_u32, 0_u32);
    let mut before = None;
    for (at, letter) in text.char_indices() {
        let script = if ignored.iter().any(|range| range.contains(&at)) { None } else { Script::of(letter) };
        if let Some(script) = script.filter(|script| script.counts_letters() || before != Some(*script)) {
            all += 1;
            right += u32::from(scripts.contains(&script));
        }
        before = script;
    }
    (all > 0).then(|| f64::from(right) / f64::from(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_right(code: &str, text: &str) -> bool {
        right_script(text, &Language::load(crate::fixtures::assets(), code).unwrap(), &[])
    }

    #[test]
    fn letters_know_their_script() {
        let letters = [
            ('a', Some(Script::Latin)),
            ('é', Some(Script::Latin)),
            ('ａ', Some(Script::Latin)),
            ('가', Some(Script::Hangul)),
            ('ㅋ', Some(Script::Hangul)),
            ('中', Some(Script::Han)),
            ('〇', Some(Script::Han)),
            ('の', Some(Script::Kana)),
            ('Ж', Some(Script::Cyrillic)),
            ('ß', Some(Script::Latin)),
            ('ა', Some(Script::Other)),
            ('5', None),
            ('。', None),
        ];
        for (letter, script) in letters {
            assert_eq!(Script::of(letter), script, "{letter}");
        }
    }

    #[test]
    fn a_locale_wants_its_own_script() {
        for text in ["Set an alarm", "iPhone 15", "Show 서울역 on the map", "8:30", ""] {
            assert!(is_right("en", text), "{text}");
        }
        for text in ["KTX 예매", "Samsung Galaxy 케이스 찾아줘", "8시 알람", "ㅋㅋ 알겠어"] {
            assert!(is_right("ko", text), "{text}");
        }
        for text in ["明天", "帮我买iPhone 15 Pro", "打开Wi-Fi"] {
            assert!(is_right("zh", text), "{text}");
        }
    }

    #[test]
    fn another_script_is_seen() {
        for (code, text) in [
            ("en", "내일 아침 8시 알람"),
            ("en", "明天早上八点"),
            ("ko", "Set an alarm for 8 tomorrow 알람"),
            ("ko", "明天早上八点叫我"),
            ("zh", "Book a table for two 谢谢"),
            ("zh", "東京駅までのきっぷをください"),
            ("zh", "내일 알람"),
        ] {
            assert!(!is_right(code, text), "{code} {text}");
        }
    }

    #[test]
    fn ignored_ranges_do_not_count() {
        let language = crate::fixtures::language("ko");
        let text = "Call me maybe right now please 틀어줘";
        assert!(!right_script(text, &language, &[]));
        let name = 0.."Call me maybe right now please".len();
        assert!(right_script(text, &language, std::slice::from_ref(&name)));
    }

    #[test]
    fn the_share_counts_words_and_syllables() {
        assert_eq!(script_share("KTX 예매", Script::Hangul), Some(2.0 / 3.0));
        assert_eq!(script_share("12:30", Script::Latin), None);
    }
}
