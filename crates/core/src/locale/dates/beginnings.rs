//! What begins at a place of a text, looked up once for the many patterns that ask.

use super::calendar::CalendarLexicons;
use crate::locale::meaning::surface::is_free_left;
use crate::locale::numerals::Numerals;

/// What begins at a place, looked up once for all patterns.
#[derive(Debug)]
pub(super) struct Beginnings {
    pub(super) start: usize,
    pub(super) letter: char,
    pub(super) numbers: Numbers,
    pub(super) month: bool,
    pub(super) weekday: bool,
    pub(super) day: bool,
    pub(super) part: bool,
}

impl Beginnings {
    pub(super) fn at(chars: &[char], at: usize, words: &CalendarLexicons, numerals: &Numerals) -> Option<Self> {
        let letter = *chars.get(at).filter(|_| may_begin(chars, at))?;
        Some(Self {
            start: at,
            letter,
            numbers: read_numbers(chars, at, numerals),
            month: words.months.at(chars, at).is_some(),
            weekday: words.weekdays.at(chars, at).is_some(),
            day: words.days.at(chars, at).is_some(),
            part: words.parts.at(chars, at).is_some(),
        })
    }
}

/// The numbers that a slot may hold, the likeliest first, each with the place after it.
pub(super) type Numbers = [Option<(usize, i64)>; 2];

/// Reads digits without a sign between them, or words.
pub(super) fn read_numbers(chars: &[char], at: usize, numerals: &Numerals) -> Numbers {
    let rest = chars.get(at..).unwrap_or_default();
    let digits: String = rest.iter().take_while(|char| char.is_ascii_digit()).collect();
    if !digits.is_empty() {
        let end = numerals.skip_suffix(chars, at + digits.len());
        return [digits.parse().ok().map(|value| (end, value)), None];
    }
    numerals.values_at(chars, at).map(|number| {
        let (end, value) = number?;
        Some((end, i64::try_from(value.whole()?).ok()?))
    })
}

/// Whether an expression may begin at a place.
fn may_begin(chars: &[char], at: usize) -> bool {
    is_free_left(chars, at) && chars.get(at).is_some_and(|char| *char != ' ')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::language::tests::language;

    fn look(code: &str, text: &str, at: usize) -> Option<Beginnings> {
        let language = language(code);
        let chars: Vec<char> = text.chars().collect();
        Beginnings::at(&chars, at, &language.calendar.words, &language.numerals)
    }

    #[test]
    fn each_kind_of_word_is_told() {
        assert!(look("en", "march", 0).unwrap().month);
        assert!(look("ko", "금요일", 0).unwrap().weekday);
        assert!(look("zh", "明天", 0).unwrap().day);
        assert!(look("zh", "下午", 0).unwrap().part);
        assert_eq!(look("en", "the", 0).unwrap().letter, 't');
    }

    #[test]
    fn numbers_come_in_digits_and_words_with_a_shorter_reading() {
        assert_eq!(look("en", "21st", 0).unwrap().numbers, [Some((4, 21)), None]);
        assert_eq!(look("en", "twenty-one", 0).unwrap().numbers, [Some((10, 21)), None]);
        assert_eq!(look("ko", "이십일", 0).unwrap().numbers, [Some((3, 21)), Some((2, 20))]);
        assert_eq!(look("en", "noon", 0).unwrap().numbers, [None, None]);
    }

    #[test]
    fn nothing_begins_inside_a_word_or_at_a_space() {
        assert!(look("en", "smarch", 1).is_none());
        assert!(look("en", "a b", 1).is_none());
        assert!(look("en", "", 0).is_none());
    }
}
