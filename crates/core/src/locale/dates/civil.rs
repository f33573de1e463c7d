//! Days of the civil calendar and times of the day, without zones.

use std::fmt;

/// A day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    /// The year.
    pub year: i32,
    /// The month, from 1.
    pub month: u8,
    /// The day of the month, from 1.
    pub day: u8,
}

/// A time of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time {
    /// The hour, from 0 to 23.
    pub hour: u8,
    /// The minute.
    pub minute: u8,
    /// The second.
    pub second: u8,
}

/// A day, a time, or both, as ISO 8601 writes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// The day.
    pub date: Option<Date>,
    /// The time.
    pub time: Option<Time>,
}

impl Date {
    /// A day that the calendar holds, in the years 1 to 9999.
    pub fn new(year: i32, month: u8, day: u8) -> Option<Self> {
        let exists = (1..=9999).contains(&year) && (1..=12).contains(&month) && day >= 1 && day <= days_of(year, month);
        exists.then_some(Self { year, month, day })
    }

    /// Days since 1970-01-01.
    pub fn number(self) -> i64 {
        // Years begin in March here, so that the leap day comes last.
        let year = i64::from(self.year) - i64::from(self.month <= 2);
        let month = (i64::from(self.month) + 9) % 12;
        let day = (153 * month + 2) / 5 + i64::from(self.day) - 1;
        let era = year.div_euclid(400);
        let of_era = year.rem_euclid(400);
        era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + day - 719_468
    }

    /// The day with this number, if it is in the years 1 to 9999.
    pub fn from_number(number: i64) -> Option<Self> {
        let shifted = number.checked_add(719_468)?;
        let era = shifted.div_euclid(146_097);
        let day = shifted.rem_euclid(146_097);
        let of_era = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let of_year = day - (365 * of_era + of_era / 4 - of_era / 100);
        let month = (5 * of_year + 2) / 153;
        let civil_month = if month < 10 { month + 3 } else { month - 9 };
        let year = era * 400 + of_era + i64::from(civil_month <= 2);
        let day = of_year - (153 * month + 2) / 5 + 1;
        Self::new(i32::try_from(year).ok()?, u8::try_from(civil_month).ok()?, u8::try_from(day).ok()?)
    }

    /// The day this many days later.
    pub fn plus(self, days: i64) -> Option<Self> {
        Self::from_number(self.number().checked_add(days)?)
    }

    /// The day of the week, from 0 for Monday.
    pub fn weekday(self) -> i64 {
        (self.number() + 3).rem_euclid(7)
    }
}

impl Time {
    /// A time of the day.
    pub fn new(hour: u8, minute: u8, second: u8) -> Option<Self> {
        (hour < 24 && minute < 60 && second < 60).then_some(Self { hour, minute, second })
    }

    /// The time this many minutes later, past midnight if need be.
    #[must_use]
    pub fn plus_minutes(self, minutes: i64) -> Self {
        let all = (i64::from(self.hour) * 60 + i64::from(self.minute) + minutes % 1_440).rem_euclid(1_440);
        let part = |number: i64| u8::try_from(number).unwrap_or(0);
        Self { hour: part(all / 60), minute: part(all % 60), second: self.second }
    }
}

impl Stamp {
    /// Reads `2025-03-04`, `20:30`, `20:30:00`, or both with `T` or a space between; a zone is left out of account.
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some((date, time)) = text.split_once(['T', 't', ' ']) {
            return Some(Self { date: Some(read_date(date)?), time: Some(read_time(time)?) });
        }
        let date = read_date(text);
        let time = if date.is_some() { None } else { Some(read_time(text)?) };
        Some(Self { date, time })
    }
}

fn read_date(text: &str) -> Option<Date> {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    (parts.next().is_none() && year.len() == 4).then_some(())?;
    Date::new(i32::from(number(year, 4)?), u8::try_from(number(month, 2)?).ok()?, u8::try_from(number(day, 2)?).ok()?)
}

fn read_time(text: &str) -> Option<Time> {
    let text = text.trim_end_matches(['Z', 'z']);
    let text = text.split_once(['+', '-']).map_or(text, |(time, _)| time);
    let text = text.split_once('.').map_or(text, |(time, _)| time);
    let mut parts = text.split(':');
    let mut next = || parts.next().map(|part| number(part, 2).and_then(|part| u8::try_from(part).ok()));
    let (hour, minute, second) = (next()??, next()??, next().unwrap_or(Some(0))?);
    parts.next().is_none().then(|| Time::new(hour, minute, second))?
}

fn number(text: &str, longest: usize) -> Option<i16> {
    let fits = (1..=longest).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    fits.then(|| text.parse().ok())?
}

pub(super) fn days_of(year: i32, month: u8) -> u8 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl fmt::Display for Date {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:02}:{:02}", self.hour, self.minute)?;
        if self.second > 0 { write!(formatter, ":{:02}", self.second) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn days_and_weekdays_are_the_calendars() {
        let day = |text: &str| Stamp::read(text).unwrap().date.unwrap();
        assert_eq!(day("1970-01-01").number(), 0);
        assert_eq!(day("2000-03-01").number(), 11_017);
        // A Thursday and a Saturday.
        assert_eq!((day("1970-01-01").weekday(), day("2000-01-01").weekday()), (3, 5));
        assert_eq!(day("2024-02-28").plus(2), Some(day("2024-03-01")));
        assert_eq!(day("1900-02-28").plus(1), Some(day("1900-03-01")));
        assert_eq!(Date::new(2025, 2, 29), None);
        assert_eq!(day("9999-12-31").plus(1), None);
    }

    #[test]
    fn iso_texts_are_read_and_others_are_not() {
        let read = |text: &str| {
            Stamp::read(text)
                .map(|stamp| (stamp.date.map(|date| date.to_string()), stamp.time.map(|time| time.to_string())))
        };
        let both = Some((Some("2025-03-04".to_owned()), Some("20:30".to_owned())));
        for text in ["2025-03-04T20:30", "2025-03-04 20:30:00", "2025-03-04T20:30:00Z", "2025-03-04T20:30:00.5+09:00"] {
            assert_eq!(read(text), both, "{text}");
        }
        assert_eq!(read("20:30:15"), Some((None, Some("20:30:15".to_owned()))));
        for text in ["", "2025-3", "25:00", "2025-02-30", "8", "20:30 pm", "03-04-2025", "+1:30", "ab:cd", "1:2:3:4"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn minutes_wrap_at_midnight() {
        let time = Time::new(0, 10, 0).unwrap();
        assert_eq!(time.plus_minutes(-15).to_string(), "23:55");
        assert_eq!(time.plus_minutes(1_440).to_string(), "00:10");
    }

    proptest! {
        #[test]
        fn numbers_and_days_are_one_to_one(number in -700_000_i64..2_900_000) {
            if let Some(date) = Date::from_number(number) {
                prop_assert_eq!(date.number(), number);
                prop_assert_eq!(Stamp::read(&date.to_string()).and_then(|stamp| stamp.date), Some(date));
            }
        }

        #[test]
        fn no_text_makes_it_panic(text in "[0-9T: .+Z-]{0,20}") {
            if let Some(stamp) = Stamp::read(&text) {
                prop_assert!(stamp.date.is_some() || stamp.time.is_some());
            }
        }
    }
}
