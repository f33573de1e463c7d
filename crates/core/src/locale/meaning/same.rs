//! Whether two texts say the same in other words that a machine can compare: dates, times and numbers.

use super::super::dates::{Date, Stamp, resolve};
use super::super::language::Language;
use super::super::numerals::numbers_in;
use std::ops::Range;

/// Days by which relative dates are resolved. What is equal by both is equal on any day: `tomorrow` is no date of a year.
const REFERENCES: [(i32, u8, u8); 2] = [(1803, 3, 5), (1907, 8, 14)];

/// Whether two texts are the same once dates and times are days and hours, and numbers are digits: `December 1st` and `1
/// December`, `half past seven` and `7:30`, `three nights` and `3 nights`.
pub fn same_meaning(one: &str, other: &str, language: &Language) -> bool {
    REFERENCES.iter().all(|(year, month, day)| {
        let reference = Date::new(*year, *month, *day).map(|date| Stamp { date: Some(date), time: None });
        let plain = |text| canonical(text, reference, language);
        plain(one) == plain(other)
    })
}

/// The text with its dates, times and numbers in one form. Where an expression has several readings the first counts.
fn canonical(text: &str, reference: Option<Stamp>, language: &Language) -> String {
    let mut parts: Vec<(Range<usize>, String)> = Vec::new();
    let mut put = |range: Range<usize>, form: String| {
        if parts.iter().all(|(taken, _)| range.end <= taken.start || taken.end <= range.start) {
            parts.push((range, form));
        }
    };
    let mut moments = resolve(text, reference, language);
    // Of expressions that overlap, the longest says most.
    moments.sort_by_key(|moment| std::cmp::Reverse(moment.range().len()));
    for moment in &moments {
        let Stamp { date, time } = moment.stamp();
        let date = date.map(|date| format!("day {}", date.number()));
        let time = time.map(|time| format!("time {time}"));
        put(moment.range(), [date, time].into_iter().flatten().collect::<Vec<_>>().join(" "));
    }
    for number in numbers_in(text, language) {
        let mark = if number.ordinal { "." } else { "" };
        put(number.range, format!("{}{mark}", number.value.as_str()));
    }
    parts.sort_by_key(|(range, _)| range.start);
    let (mut plain, mut end) = (String::new(), 0);
    for (range, form) in parts {
        let before = text.get(end..range.start).unwrap_or_default();
        plain.extend([before, " ", &form, " "]);
        end = range.end;
    }
    plain.push_str(text.get(end..).unwrap_or_default());
    plain.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::language::tests::language;

    #[test]
    fn dates_times_and_numbers_are_the_same_in_any_form() {
        for (code, one, other) in [
            ("en", "December 1st", "1 December"),
            ("en", "Dec 1", "december 1st"),
            ("en", "half past seven in the evening", "7:30 pm"),
            ("en", "three nights", "3 nights"),
            ("en", "twenty-five dollars", "25 dollars"),
            ("ko", "12월 1일", "십이월 일일"),
            ("ko", "세 명", "3명"),
            ("zh", "三个人", "3个人"),
        ] {
            assert!(same_meaning(one, other, language(code)), "{one} / {other}");
        }
    }

    #[test]
    fn other_days_and_numbers_are_not() {
        for (one, other) in [
            ("December 1st", "December 2nd"),
            ("tomorrow", "1803-03-06"),
            ("7:30 am", "7:30 pm"),
            ("three nights", "four nights"),
            ("three nights", "3 days"),
            ("the third", "three"),
        ] {
            assert!(!same_meaning(one, other, language("en")), "{one} / {other}");
        }
    }
}
