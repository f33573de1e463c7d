//! Lengths of time that a text says.

use super::super::dates::{Date, Moment, Stamp, resolve};
use super::super::language::Language;
use super::super::numerals::numbers_in;
use super::surface::Folded;
use indexmap::IndexMap;
use serde::Deserialize;
use std::ops::Range;

/// A day to reckon from.
const ANY: Option<Stamp> = Some(Stamp { date: Some(Date { year: 2024, month: 1, day: 1 }), time: None });

/// The words of a language for lengths of time, each with its minutes.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Durations {
    /// Those that follow a number.
    units: IndexMap<String, u32>,
    /// Those that need none.
    whole: IndexMap<String, u32>,
}

/// A length of time with the words that say it.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundDuration {
    /// Where it is said, in bytes.
    pub range: Range<usize>,
    /// How long it is, in minutes.
    pub minutes: f64,
}

/// The lengths of time that a text says: numbers before a unit, and words of their own.
pub fn durations_in(text: &str, language: &Language) -> Vec<FoundDuration> {
    // The year stands for any: only where days of months stand is of interest.
    let days: Vec<Range<usize>> = resolve(text, ANY, language).iter().map(Moment::range).collect();
    let is_day = |place: &Range<usize>| days.iter().any(|day| day.start <= place.start && place.end <= day.end);
    let numbers = numbers_in(text, language).into_iter().filter(|number| !is_day(&number.range));
    let numbered = numbers.filter_map(|number| {
        let rest = text.get(number.range.end..)?;
        let (taken, minutes) = unit(rest, &language.durations)?;
        let range = number.range.start..number.range.end + taken;
        Some(FoundDuration { range, minutes: number.value.as_f64() * f64::from(minutes) })
    });
    let folded = Folded::new(text);
    let whole = language.durations.whole.iter().flat_map(|(words, minutes)| {
        let needle: Vec<char> = words.chars().collect();
        let ranges: Vec<Range<usize>> = folded.find(&needle).collect();
        let found = ranges.into_iter().map(|range| folded.bytes(&range));
        found.map(|range| FoundDuration { range, minutes: f64::from(*minutes) }).collect::<Vec<_>>()
    });
    let mut found: Vec<FoundDuration> = numbered.chain(whole).collect();
    found.sort_by_key(|it| it.range.start);
    found.dedup_by(|one, other| one.range == other.range);
    found
}

/// The longest unit that a text begins with, behind a space or a hyphen: its bytes with those, and its minutes.
fn unit(rest: &str, durations: &Durations) -> Option<(usize, u32)> {
    let word = rest.strip_prefix([' ', '-']).unwrap_or(rest);
    let before = rest.len() - word.len();
    let fits = |unit: &str| {
        let start = word.get(..unit.len()).filter(|start| start.eq_ignore_ascii_case(unit))?;
        let after = word.get(unit.len()..)?.chars().next();
        // Letters of one alphabet run on; a unit of another script may be followed by a particle.
        let runs_on = start.is_ascii() && after.is_some_and(|letter| letter.is_ascii_alphabetic());
        (!runs_on).then_some(unit.len())
    };
    let units = durations.units.iter().filter_map(|(unit, minutes)| Some((fits(unit)?, *minutes)));
    units.max_by_key(|(length, _)| *length).map(|(length, minutes)| (before + length, minutes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::language::tests::language;
    use proptest::prelude::*;

    fn said(code: &str, text: &str) -> Vec<(String, f64)> {
        let found = durations_in(text, language(code));
        found.into_iter().map(|it| (text.get(it.range).unwrap().to_owned(), it.minutes)).collect()
    }

    fn one(words: &str, minutes: f64) -> Vec<(String, f64)> {
        vec![(words.to_owned(), minutes)]
    }

    #[test]
    fn numbers_before_units_are_lengths_of_time() {
        assert_eq!(said("en", "We stay three nights."), one("three nights", 4320.0));
        assert_eq!(said("en", "a 24-hour rental"), one("24-hour", 1440.0));
        assert_eq!(said("en", "for 2 Weeks, 3 of us"), one("2 Weeks", 20160.0));
        assert_eq!(said("ko", "두 시간 뒤에"), one("두 시간", 120.0));
        assert_eq!(said("ko", "3박 동안"), one("3박", 4320.0));
        assert_eq!(said("zh", "住三晚"), one("三晚", 4320.0));
    }

    #[test]
    fn some_words_need_no_number() {
        assert_eq!(said("en", "An hour after we land"), one("An hour", 60.0));
        assert_eq!(said("ko", "일주일 동안"), one("일주일", 10080.0));
        assert_eq!(said("ko", "사흘 묵을게요"), one("사흘", 4320.0));
    }

    #[test]
    fn other_numbers_are_none() {
        for text in ["4 guests and 2 rooms", "3 daylight lamps", "on November 3rd", "at 8 pm", "5 stars for 120 EUR"] {
            assert_eq!(said("en", text), [], "{text}");
        }
        assert_eq!(said("ko", "11월 14일에 세 명"), []);
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd(text in any::<String>(), near in "[0-9한두 시간박일-]{0,12}") {
            for code in ["en", "ko", "zh"] {
                for text in [&text, &near] {
                    prop_assert!(durations_in(text, language(code)).iter().all(|it| text.get(it.range.clone()).is_some()));
                }
            }
        }
    }
}
