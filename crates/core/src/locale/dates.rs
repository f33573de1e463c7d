//! Dates and times that a text says, resolved against a reference time.
//!
//! What is said may have several readings (next Friday, at eight); each is a moment of its own over the same range.

mod beginnings;
mod calendar;
mod civil;
mod expression;
mod resolve;

pub(super) use calendar::{Calendar, CalendarWords};
pub use civil::{Date, Stamp, Time};

use super::language::Language;
use super::meaning::surface::Folded;
use std::ops::Range;

/// A date, a time or both that a text says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// The day.
    pub date: Option<Said<Date>>,
    /// The time of the day.
    pub time: Option<Said<Time>>,
}

/// A date or a time with the words that say it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said<T> {
    /// What is said.
    pub value: T,
    /// Where, in bytes.
    pub range: Range<usize>,
    /// Whether the words alone say it: no reference time was asked and no half of the day was guessed.
    pub exact: bool,
}

/// Every reading of every date and time in a text. Without a reference, only dates that name their year are resolved.
pub fn resolve(text: &str, reference: Option<Stamp>, language: &Language) -> Vec<Moment> {
    let folded = Folded::new(text);
    let mut moments = resolve_folded(&folded, reference, language);
    for moment in &mut moments {
        let ranges =
            [moment.date.as_mut().map(|date| &mut date.range), moment.time.as_mut().map(|time| &mut time.range)];
        ranges.into_iter().flatten().for_each(|range| *range = folded.bytes(range));
    }
    moments
}

/// The weekdays that a text names, from Monday (0), and where, in bytes.
pub fn weekdays(text: &str, language: &Language) -> Vec<(Range<usize>, i64)> {
    let folded = Folded::new(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < folded.chars.len() {
        match language.calendar.words.weekdays.at(&folded.chars, at) {
            Some((length, weekday)) => {
                found.push((folded.bytes(&(at..at + length)), *weekday));
                at += length;
            }
            None => at += 1,
        }
    }
    found
}

/// What people call a day: the name of its weekday.
pub fn weekday_name(day: Date, language: &Language) -> &str {
    usize::try_from(day.weekday())
        .ok()
        .and_then(|it| language.calendar.weekday_names.get(it))
        .map_or("", String::as_str)
}

/// As [`resolve`], with ranges in folded characters.
pub(super) fn resolve_folded(folded: &Folded, reference: Option<Stamp>, language: &Language) -> Vec<Moment> {
    language.calendar.resolve(&folded.chars, reference.and_then(|stamp| stamp.date), &language.numerals)
}

impl Moment {
    /// Where it is said: from the first of its parts to the end of the last.
    pub fn range(&self) -> Range<usize> {
        let ranges = [self.date.as_ref().map(|date| &date.range), self.time.as_ref().map(|time| &time.range)];
        let all = ranges.into_iter().flatten().cloned();
        all.reduce(|one, two| one.start.min(two.start)..one.end.max(two.end)).unwrap_or_default()
    }

    /// Its day and its time.
    pub fn stamp(&self) -> Stamp {
        Stamp { date: self.date.as_ref().map(|date| date.value), time: self.time.as_ref().map(|time| time.value) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::language::tests::language;
    use proptest::prelude::*;

    /// A Tuesday.
    const NOW: &str = "2025-03-04T09:00:00";

    fn readings(code: &str, text: &str) -> Vec<String> {
        resolve(text, Stamp::read(NOW), language(code))
            .into_iter()
            .map(|moment| match (moment.stamp().date, moment.stamp().time) {
                (Some(date), Some(time)) => format!("{date}T{time}"),
                (Some(date), None) => date.to_string(),
                (None, time) => time.map(|time| time.to_string()).unwrap_or_default(),
            })
            .collect()
    }

    #[track_caller]
    fn check(code: &str, cases: &[(&str, &[&str])]) {
        for (text, expected) in cases {
            assert_eq!(readings(code, text), *expected, "{text}");
        }
    }

    #[test]
    fn english_dates() {
        check(
            "en",
            &[
                ("on 2025-12-24", &["2025-12-24"]),
                ("on March 3rd, 2026", &["2026-03-03"]),
                ("March 3rd", &["2025-03-03", "2026-03-03"]),
                ("the 5th of May", &["2025-05-05"]),
                ("on 3/14", &["2025-03-14"]),
                ("tomorrow", &["2025-03-05"]),
                ("the day after tomorrow", &["2025-03-06"]),
                ("this Friday", &["2025-03-07"]),
                ("next Friday", &["2025-03-07", "2025-03-14"]),
                ("last Monday", &["2025-02-24"]),
                ("in three days", &["2025-03-07"]),
                ("two weeks ago", &["2025-02-18"]),
                ("on the 10th", &["2025-03-10"]),
                ("on the 2nd", &["2025-04-02"]),
                ("my saturnine friend may marry", &[]),
            ],
        );
    }

    #[test]
    fn english_times() {
        check(
            "en",
            &[
                ("at 20:30", &["20:30"]),
                ("at 8 pm", &["20:00"]),
                ("8:15 a.m.", &["08:15"]),
                ("12 am", &["00:00"]),
                ("12:30 pm", &["12:30"]),
                ("half past six", &["06:30", "18:30"]),
                ("quarter to nine in the evening", &["20:45"]),
                ("at 3:15", &["03:15", "15:15"]),
                ("at noon", &["12:00"]),
                ("ten past four pm", &["16:10"]),
                ("seven o'clock", &["07:00", "19:00"]),
                ("tomorrow at 8 pm", &["2025-03-05T20:00"]),
                ("move 10 am to Thursday at 2 pm", &["10:00", "2025-03-06T14:00"]),
                ("8 people", &[]),
            ],
        );
    }

    #[test]
    fn korean_dates_and_times() {
        check(
            "ko",
            &[
                ("오후 3시 30분에", &["15:30"]),
                ("오전 아홉 시 반", &["09:30"]),
                ("밤 11시", &["23:00"]),
                ("새벽 두 시에", &["02:00"]),
                ("낮 12시", &["12:00"]),
                ("세 시에", &["03:00", "15:00"]),
                ("다음 주 화요일", &["2025-03-11"]),
                ("다음주 화요일", &["2025-03-11"]),
                ("이번 주 금요일", &["2025-03-07"]),
                ("모레 저녁 7시", &["2025-03-06T19:00"]),
                ("3월 14일", &["2025-03-14"]),
                ("2026년 1월 2일", &["2026-01-02"]),
                ("1974년 1월 22일생이에요", &["1974-01-22"]),
                ("2026년 3월 28일인 예약", &["2026-03-28"]),
                ("삼월 십사일", &["2025-03-14"]),
                ("사흘 뒤", &["2025-03-07"]),
                ("삼일 뒤 오전 10시", &["2025-03-07T10:00"]),
                ("두 시간 동안", &[]),
                ("5일 뒤에", &["2025-03-09"]),
                ("정오에", &["12:00"]),
                ("내일까지", &["2025-03-05"]),
            ],
        );
    }

    #[test]
    fn chinese_dates_and_times() {
        check(
            "zh",
            &[
                ("明天下午三点半", &["2025-03-05T15:30"]),
                ("下周五", &["2025-03-14"]),
                ("后天早上8点", &["2025-03-06T08:00"]),
                ("三月十四号", &["2025-03-14"]),
                ("2026年1月2日", &["2026-01-02"]),
                ("晚上八点一刻", &["20:15"]),
                ("今晚9点", &["2025-03-04T21:00"]),
                ("三天后", &["2025-03-07"]),
                ("中午十二点", &["12:00"]),
                ("凌晨两点", &["02:00"]),
                ("15:30", &["15:30"]),
                ("下午三点二十分", &["15:20"]),
                ("周六", &["2025-03-08"]),
            ],
        );
    }

    #[test]
    fn japanese_dates_and_times() {
        check(
            "ja",
            &[
                ("明日の午後3時半に", &["2025-03-05T15:30"]),
                ("来週の金曜日", &["2025-03-14"]),
                ("今度の土曜", &["2025-03-08"]),
                ("あさっての朝8時", &["2025-03-06T08:00"]),
                ("三月十四日", &["2025-03-14"]),
                ("2026年1月2日", &["2026-01-02"]),
                ("夜の八時15分", &["20:15"]),
                ("三日後", &["2025-03-07"]),
                ("2週間後", &["2025-03-18"]),
                ("お昼の12時", &["12:00"]),
                ("7時10分前", &["06:50", "18:50"]),
                ("三時間", &[]),
            ],
        );
    }

    #[test]
    fn only_what_the_words_alone_say_is_exact() {
        let exact = |text: &str| {
            let moments = resolve(text, Stamp::read(NOW), language("en"));
            moments.iter().all(|moment| {
                moment.date.as_ref().is_none_or(|date| date.exact) && moment.time.as_ref().is_none_or(|time| time.exact)
            })
        };
        assert!(exact("on 2025-12-24 at 20:30") && exact("8 pm") && exact("May 5, 2026"));
        assert!(!exact("tomorrow") && !exact("May 5") && !exact("at 8"));
    }

    #[test]
    fn without_a_reference_only_whole_dates_are_resolved() {
        assert_eq!(resolve("tomorrow or May 5", None, language("en")), []);
        assert_eq!(resolve("May 5, 2026", None, language("en")).len(), 1);
    }

    #[test]
    fn the_range_is_what_was_said() {
        let text = "Wake me tomorrow at 8 pm please";
        let moments = resolve(text, Stamp::read(NOW), language("en"));
        assert_eq!((moments.len(), moments[0].range()), (1, 8..24));
        assert_eq!(text.get(moments[0].range()), Some("tomorrow at 8 pm"));
    }

    proptest! {
        #[test]
        fn a_written_date_is_read_back(number in 0_i64..40_000, code in prop::sample::select(vec!["en", "ko", "zh"])) {
            let date = Date::from_number(number).unwrap();
            prop_assert_eq!(readings(code, &format!("x {date} y")), [date.to_string()]);
            let said = match code {
                "en" => format!("{}/{}/{}", date.month, date.day, date.year),
                "ko" => format!("{}년 {}월 {}일", date.year, date.month, date.day),
                _ => format!("{}年{}月{}号", date.year, date.month, date.day),
            };
            prop_assert_eq!(readings(code, &said), [date.to_string()], "{}", said);
        }

        #[test]
        fn no_text_makes_it_panic(text in any::<String>(), dense in "[0-9:/ .월일년시분오후点半号下周一二三tofhalpst-]{0,24}") {
            for code in ["en", "ko", "zh"] {
                for text in [&text, &dense] {
                    for moment in resolve(text, Stamp::read(NOW), language(code)) {
                        prop_assert!(text.get(moment.range()).is_some());
                    }
                }
            }
        }
    }
}
