//! Patterns of date and time expressions, matched at one place of a text.

use super::beginnings::{Beginnings, Numbers, read_numbers};
use super::calendar::CalendarLexicons;
use crate::locale::meaning::surface::{fold, is_free_right};
use crate::locale::numerals::Numerals;

/// A pattern such as `{month} {D}`: literal words and slots.
#[derive(Debug, Clone)]
pub(super) struct Expression {
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone)]
enum Piece {
    Literal(Vec<char>),
    Slot(Slot),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slot {
    Year,
    MonthNumber,
    MonthName,
    Day,
    Ordinal,
    Weekday,
    Relative,
    Count,
    Hour,
    Minute,
    Second,
    Part,
}

/// A part of the day, by how it turns a twelve-hour clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DayPart {
    Morning,
    Afternoon,
    Night,
    Noon,
}

/// What the slots of a matched pattern held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Captures {
    pub(super) year: Option<i64>,
    pub(super) month: Option<i64>,
    pub(super) day: Option<i64>,
    pub(super) weekday: Option<i64>,
    pub(super) relative: Option<i64>,
    pub(super) count: Option<i64>,
    pub(super) hour: Option<i64>,
    pub(super) minute: Option<i64>,
    pub(super) second: Option<i64>,
    pub(super) part: Option<DayPart>,
}

impl Expression {
    /// Whether it can match at all where this begins.
    pub(super) fn may_match(&self, beginnings: &Beginnings) -> bool {
        match self.pieces.first() {
            Some(Piece::Literal(literal)) => literal.first() == Some(&beginnings.letter),
            Some(Piece::Slot(Slot::MonthName)) => beginnings.month,
            Some(Piece::Slot(Slot::Weekday)) => beginnings.weekday,
            Some(Piece::Slot(Slot::Relative)) => beginnings.day,
            Some(Piece::Slot(Slot::Part)) => beginnings.part,
            _ => beginnings.numbers[0].is_some(),
        }
    }

    /// Compiles a pattern; the error says what is wrong with it.
    pub(super) fn new(pattern: &str) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut rest = pattern;
        while let Some((literal, after)) = rest.split_once('{') {
            let (slot, after) = after.split_once('}').ok_or_else(|| format!("`{{` without `}}` in `{pattern}`"))?;
            push_literal(&mut pieces, literal);
            pieces.push(Piece::Slot(Slot::named(slot).ok_or_else(|| format!("no slot `{{{slot}}}`"))?));
            rest = after;
        }
        push_literal(&mut pieces, rest);
        if pieces.is_empty() { Err("an empty pattern".to_owned()) } else { Ok(Self { pieces }) }
    }

    /// Matches where `beginnings` was looked up; gives the place after the match and what the slots held.
    pub(super) fn matches(
        &self,
        chars: &[char],
        beginnings: &Beginnings,
        loose: bool,
        words: &CalendarLexicons,
        numerals: &Numerals,
    ) -> Option<(usize, Captures)> {
        let mut captures = Captures::default();
        let (mut start, mut end) = (beginnings.start, beginnings.start);
        for (index, piece) in self.pieces.iter().enumerate() {
            start = end;
            end = match piece {
                Piece::Literal(literal) => match_literal(chars, end, literal, loose)?,
                Piece::Slot(slot) => {
                    let next = self.pieces.get(index + 1);
                    end += usize::from(loose && index > 0 && chars.get(end) == Some(&' '));
                    let number = || {
                        let here = end == beginnings.start;
                        let numbers = if here { beginnings.numbers } else { read_numbers(chars, end, numerals) };
                        fitting(numbers, chars, next, loose)
                    };
                    slot.take(chars, end, words, number, &mut captures)?
                }
            };
        }
        let ends = is_free_right(chars, end) && (!loose || numerals.may_end_counted(chars, start, end));
        ends.then_some((end, captures))
    }
}

/// The number after which the pattern goes on, if it can be told.
fn fitting(numbers: Numbers, chars: &[char], next: Option<&Piece>, loose: bool) -> Option<(usize, i64)> {
    let Some(Piece::Literal(literal)) = next else { return numbers[0] };
    let goes_on = |number: &(usize, i64)| match_literal(chars, number.0, literal, loose).is_some();
    numbers.into_iter().flatten().find(goes_on)
}

impl Slot {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "Y" => Self::Year,
            "M" => Self::MonthNumber,
            "month" => Self::MonthName,
            "D" => Self::Day,
            "ordinal" => Self::Ordinal,
            "weekday" => Self::Weekday,
            "day" => Self::Relative,
            "n" => Self::Count,
            "h" => Self::Hour,
            "m" => Self::Minute,
            "s" => Self::Second,
            "part" => Self::Part,
            _ => return None,
        })
    }

    fn take(
        self,
        chars: &[char],
        at: usize,
        words: &CalendarLexicons,
        read_number: impl Fn() -> Option<(usize, i64)>,
        captures: &mut Captures,
    ) -> Option<usize> {
        let number = |least: i64, most: i64| read_number().filter(|(_, value)| (least..=most).contains(value));
        let (end, field, value) = match self {
            Self::Part => {
                let (length, part) = words.parts.at(chars, at)?;
                captures.part = Some(*part);
                return Some(at + length);
            }
            Self::Year => number(1_000, 9_999).map(|(end, value)| (end, &mut captures.year, value))?,
            Self::MonthNumber => number(1, 12).map(|(end, value)| (end, &mut captures.month, value))?,
            Self::Day => number(1, 31).map(|(end, value)| (end, &mut captures.day, value))?,
            Self::Ordinal => {
                let (end, value) = number(1, 31)?;
                // `the 3rd` is a day, `the 3` is not.
                chars.get(end.checked_sub(1)?)?.is_alphabetic().then_some(())?;
                (end, &mut captures.day, value)
            }
            Self::Count => number(1, 999).map(|(end, value)| (end, &mut captures.count, value))?,
            Self::Hour => number(0, 24).map(|(end, value)| (end, &mut captures.hour, value))?,
            Self::Minute => number(0, 59).map(|(end, value)| (end, &mut captures.minute, value))?,
            Self::Second => number(0, 59).map(|(end, value)| (end, &mut captures.second, value))?,
            Self::MonthName => {
                let (length, month) = words.months.at(chars, at)?;
                (at + length, &mut captures.month, *month)
            }
            Self::Weekday => {
                let (length, weekday) = words.weekdays.at(chars, at)?;
                (at + length, &mut captures.weekday, *weekday)
            }
            Self::Relative => {
                let (length, days) = words.days.at(chars, at)?;
                (at + length, &mut captures.relative, *days)
            }
        };
        *field = Some(value);
        Some(end)
    }
}

/// Matches literal text; where spaces are loose, one may be missing or stand where the pattern has none.
fn match_literal(chars: &[char], at: usize, literal: &[char], loose: bool) -> Option<usize> {
    let mut end = at;
    for wanted in literal {
        if loose && *wanted != ' ' && chars.get(end) == Some(&' ') {
            end += 1;
        }
        if chars.get(end) == Some(wanted) {
            end += 1;
        } else if !(loose && *wanted == ' ') {
            return None;
        }
    }
    // `half past` ends before a slot; a word of the pattern must not end within a word of the text.
    (literal.last() == Some(&' ') || is_free_right(chars, end) || loose).then_some(end)
}

fn push_literal(pieces: &mut Vec<Piece>, literal: &str) {
    if !literal.is_empty() {
        // Folding keeps inner spaces; those at the ends count too.
        let (before, after) = (literal.starts_with(' '), literal.ends_with(' ') && literal.len() > 1);
        let mut chars = if before { vec![' '] } else { Vec::new() };
        chars.extend(fold(literal.trim()));
        chars.extend(after.then_some(' '));
        pieces.push(Piece::Literal(chars));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::language::tests::language;

    fn capture(code: &str, pattern: &str, text: &str) -> Option<(usize, Captures)> {
        let language = language(code);
        let chars: Vec<char> = text.chars().collect();
        let expression = Expression::new(pattern).unwrap();
        let calendar = &language.calendar;
        let beginnings = Beginnings::at(&chars, 0, &calendar.words, &language.numerals).unwrap();
        let matched = expression.matches(&chars, &beginnings, calendar.loose, &calendar.words, &language.numerals);
        assert!(matched.is_none() || expression.may_match(&beginnings));
        matched
    }

    #[test]
    fn slots_hold_what_the_text_says() {
        let (end, captures) = capture("en", "{month} {D}, {Y}", "march 3rd, 2025").unwrap();
        assert_eq!(end, 15);
        assert_eq!((captures.month, captures.day, captures.year), (Some(3), Some(3), Some(2025)));
        let (_, captures) = capture("ko", "{part} {h}시 {m}분", "오후 세시 삼십분").unwrap();
        assert_eq!((captures.part, captures.hour, captures.minute), (Some(DayPart::Afternoon), Some(3), Some(30)));
        let (_, captures) = capture("zh", "下{weekday}", "下周五").unwrap();
        assert_eq!(captures.weekday, Some(4));
        let (_, captures) = capture("ko", "{n}일 뒤", "삼일 뒤").unwrap();
        assert_eq!(captures.count, Some(3));
    }

    #[test]
    fn values_out_of_range_and_longer_words_do_not_match() {
        assert!(capture("en", "{M}/{D}", "13/40").is_none());
        assert!(capture("en", "{weekday}", "money").is_none());
        assert!(capture("en", "{weekday}", "monday").is_some());
        assert!(capture("en", "the {ordinal}", "the 3").is_none());
        assert!(capture("en", "{h} {part}", "8 am").is_some());
        assert!(capture("en", "{h} {part}", "8 amps").is_none());
        assert!(capture("ko", "{h}시", "두 시간").is_none());
        assert!(capture("ko", "{h}시", "두 시쯤").is_some());
        assert!(capture("ko", "{D}일", "3일정").is_none());
    }

    #[test]
    fn spaces_are_loose_only_where_the_language_says_so() {
        for text in ["다음 주 금요일", "다음주 금요일", "다음주금요일", "다음 주금요일"] {
            assert!(capture("ko", "다음 주 {weekday}", text).is_some(), "{text}");
        }
        assert!(capture("zh", "{h}点{m}分", "3 点 20 分").is_some());
        assert!(capture("en", "half past {h}", "halfpast six").is_none());
        assert!(capture("en", "half past {h}", "half pastry").is_none());
    }

    #[test]
    fn a_number_leaves_its_last_digit_to_the_pattern_if_need_be() {
        let day = |text: &str| capture("ko", "{D}일", text).map(|(end, captures)| (end, captures.day));
        assert_eq!(day("삼일"), Some((2, Some(3))));
        assert_eq!(day("이십일"), Some((3, Some(20))));
        assert_eq!(day("이십일일"), Some((4, Some(21))));
        assert_eq!(day("21일"), Some((3, Some(21))));
    }

    #[test]
    fn only_patterns_that_may_match_are_tried() {
        let language = language("en");
        let may = |pattern: &str, text: &str| {
            let chars: Vec<char> = text.chars().collect();
            let beginnings = Beginnings::at(&chars, 0, &language.calendar.words, &language.numerals).unwrap();
            Expression::new(pattern).unwrap().may_match(&beginnings)
        };
        assert!(may("{month} {D}", "may 5") && !may("{month} {D}", "5 may"));
        assert!(may("in {n} days", "it is") && !may("in {n} days", "on it"));
        assert!(may("{h}:{m}", "8") && !may("{h}:{m}", "noon"));
        assert!(may("{part}", "tonight") && may("{day}", "tonight") && !may("{weekday}", "tonight"));
    }

    #[test]
    fn a_wrong_pattern_says_what_is_wrong() {
        assert_eq!(Expression::new("{x}").unwrap_err(), "no slot `{x}`");
        assert_eq!(Expression::new("a {x").unwrap_err(), "`{` without `}` in `a {x`");
        assert_eq!(Expression::new("").unwrap_err(), "an empty pattern");
    }
}
