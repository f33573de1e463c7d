//! From matched patterns to days and times.

use super::Moment;
use super::Said;
use super::beginnings::Beginnings;
use super::calendar::{Calendar, DateMeaning, TimeMeaning};
use super::civil::{Date, Time};
use super::expression::{Captures, DayPart, Expression};
use crate::locale::numerals::Numerals;
use std::ops::Range;

/// How far apart, in characters, a date and a time may stand and still be one moment.
const NEAR: usize = 6;

impl Calendar {
    /// All moments of a text, their ranges in characters.
    pub(super) fn resolve(&self, chars: &[char], today: Option<Date>, numerals: &Numerals) -> Vec<Moment> {
        let (mut dates, mut times) = (Vec::new(), Vec::new());
        for at in 0..chars.len() {
            let Some(beginnings) = Beginnings::at(chars, at, &self.words, numerals) else { continue };
            let matches = |expression: &Expression| {
                let may = expression.may_match(&beginnings);
                may.then(|| expression.matches(chars, &beginnings, self.loose, &self.words, numerals)).flatten()
            };
            self.dates_at(at, today, matches, &mut dates);
            self.times_at(at, matches, &mut times);
        }
        join(&longest(&dates), &longest(&times))
    }

    fn dates_at(
        &self,
        at: usize,
        today: Option<Date>,
        matches: impl Fn(&Expression) -> Option<(usize, Captures)>,
        found: &mut Vec<Said<Date>>,
    ) {
        for (expression, meaning, amount) in &self.dates {
            let Some((end, captures)) = matches(expression) else { continue };
            let exact = captures.year.is_some();
            let values = read_date(*meaning, *amount, captures, today);
            found.extend(values.into_iter().map(|value| Said { range: at..end, value, exact }));
        }
    }

    fn times_at(
        &self,
        at: usize,
        matches: impl Fn(&Expression) -> Option<(usize, Captures)>,
        found: &mut Vec<Said<Time>>,
    ) {
        for (expression, meaning, minutes, fixed) in &self.times {
            let Some((end, captures)) = matches(expression) else { continue };
            let readings = match fixed {
                Some(time) => vec![(*time, true)],
                None => read_time(*meaning, *minutes, captures),
            };
            found.extend(readings.into_iter().map(|(value, exact)| Said { range: at..end, value, exact }));
        }
    }
}

fn read_date(meaning: DateMeaning, amount: i64, captures: Captures, today: Option<Date>) -> Vec<Date> {
    if let (DateMeaning::Date, Some(year)) = (meaning, captures.year) {
        return civil(Some(year), captures.month, captures.day).into_iter().collect();
    }
    let Some(today) = today else { return Vec::new() };
    let monday = today.number() - today.weekday();
    let one = match meaning {
        DateMeaning::Date => return read_without_year(captures, today),
        DateMeaning::Day => next_day_of_month(captures.day, today),
        DateMeaning::MonthDay => day_of_month(captures.day, today, amount),
        DateMeaning::Relative => today.plus(captures.relative.unwrap_or(amount)),
        DateMeaning::Coming => {
            captures.weekday.and_then(|weekday| today.plus((weekday - today.weekday()).rem_euclid(7)))
        }
        DateMeaning::Weekday => captures.weekday.and_then(|weekday| Date::from_number(monday + amount * 7 + weekday)),
        DateMeaning::Shift => captures.count.and_then(|count| today.plus(count * amount)),
    };
    one.into_iter().collect()
}

/// This year's day, and next year's too if this year's is over.
fn read_without_year(captures: Captures, today: Date) -> Vec<Date> {
    let year = i64::from(today.year);
    let this = civil(Some(year), captures.month, captures.day);
    let over = this.is_none_or(|date| date < today);
    let next = over.then(|| civil(Some(year + 1), captures.month, captures.day)).flatten();
    this.into_iter().chain(next).collect()
}

fn next_day_of_month(day: Option<i64>, today: Date) -> Option<Date> {
    let this = day_of_month(day, today, 0).filter(|date| *date >= today);
    this.or_else(|| day_of_month(day, today, 1))
}

fn day_of_month(day: Option<i64>, today: Date, months: i64) -> Option<Date> {
    let month = i64::from(today.month) - 1 + months;
    civil(Some(i64::from(today.year) + month.div_euclid(12)), Some(month.rem_euclid(12) + 1), day)
}

fn civil(year: Option<i64>, month: Option<i64>, day: Option<i64>) -> Option<Date> {
    Date::new(i32::try_from(year?).ok()?, u8::try_from(month?).ok()?, u8::try_from(day?).ok()?)
}

fn read_time(meaning: TimeMeaning, minutes: i64, captures: Captures) -> Vec<(Time, bool)> {
    let Some(hour) = captures.hour else { return Vec::new() };
    let count = captures.count.unwrap_or(0);
    let shift = match meaning {
        TimeMeaning::Clock => minutes,
        TimeMeaning::Past => count,
        TimeMeaning::To => -count,
    };
    let (hours, exact) = hours(hour, captures.part);
    let minute = captures.minute.unwrap_or(0);
    let time = |hour: i64| {
        let part = |number: i64| u8::try_from(number).ok();
        Time::new(part(hour % 24)?, part(minute)?, part(captures.second.unwrap_or(0))?)
    };
    hours.into_iter().filter_map(|hour| Some((time(hour)?.plus_minutes(shift), exact))).collect()
}

/// The hours of the day that a said hour can be, and whether there is only one.
fn hours(hour: i64, part: Option<DayPart>) -> (Vec<i64>, bool) {
    let half = hour % 12;
    match part {
        _ if hour > 12 || hour == 0 => (vec![hour], true),
        Some(DayPart::Morning) => (vec![half], true),
        Some(DayPart::Afternoon) => (vec![half + 12], true),
        Some(DayPart::Noon) => (vec![if hour >= 10 { hour } else { hour + 12 }], true),
        Some(DayPart::Night) => (vec![if half >= 5 { half + 12 } else { half }], true),
        // Noon is meant by "at 12" more often than midnight, and is read first.
        None if hour == 12 => (vec![12, 0], false),
        None => (vec![hour, hour + 12], false),
    }
}

/// Drops readings that a better one overlaps, and repeated ones.
fn longest<T: PartialEq + Clone>(readings: &[Said<T>]) -> Vec<Said<T>> {
    let mut kept: Vec<Said<T>> = Vec::new();
    for reading in readings {
        let repeated = kept.iter().any(|other| other.range == reading.range && other.value == reading.value);
        if !repeated && !readings.iter().any(|other| hides(other, reading)) {
            kept.push(reading.clone());
        }
    }
    kept
}

/// Whether one reading makes another void: it holds more of the text, or of two that overlap it needs no guess.
fn hides<T>(one: &Said<T>, other: &Said<T>) -> bool {
    let (one_range, range) = (&one.range, &other.range);
    if one_range.start >= range.end || range.start >= one_range.end {
        return false;
    }
    let holds = |outer: &Range<usize>, inner: &Range<usize>| outer.start <= inner.start && inner.end <= outer.end;
    if holds(one_range, range) || holds(range, one_range) {
        return one_range.len() > range.len();
    }
    (one.exact, one_range.len()) > (other.exact, range.len())
}

/// Joins each date with the time that stands nearest to it; what has no neighbour stays alone.
fn join(dates: &[Said<Date>], times: &[Said<Time>]) -> Vec<Moment> {
    // Of two times as near, the one after the date is its own.
    let far =
        |date: &Said<Date>, time: &Said<Time>| (gap(&date.range, &time.range), time.range.start < date.range.start);
    let nearest_time = |date: &Said<Date>| times.iter().map(|time| far(date, time)).min();
    let nearest_date = |time: &Said<Time>| dates.iter().map(|date| far(date, time)).min();
    let joined = |date: &Said<Date>, time: &Said<Time>| {
        let distance = far(date, time);
        distance.0 <= NEAR && nearest_time(date) == Some(distance) && nearest_date(time) == Some(distance)
    };
    let mut moments = Vec::new();
    for date in dates {
        let own = times.iter().filter(|time| joined(date, time));
        moments.extend(own.map(|time| Moment { date: Some(date.clone()), time: Some(time.clone()) }));
        if !times.iter().any(|time| joined(date, time)) {
            moments.push(Moment { date: Some(date.clone()), time: None });
        }
    }
    let alone = times.iter().filter(|time| !dates.iter().any(|date| joined(date, time)));
    moments.extend(alone.map(|time| Moment { date: None, time: Some(time.clone()) }));
    moments.sort_by_key(|moment| moment.range().start);
    moments
}

/// Characters between two ranges; none where they touch or overlap.
fn gap(one: &Range<usize>, two: &Range<usize>) -> usize {
    let (first, second) = if one.start <= two.start { (one, two) } else { (two, one) };
    second.start.saturating_sub(first.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_said_hour_is_turned_by_the_part_of_the_day() {
        assert_eq!(hours(12, Some(DayPart::Morning)).0, [0]);
        assert_eq!(hours(12, Some(DayPart::Afternoon)).0, [12]);
        assert_eq!(hours(9, Some(DayPart::Night)).0, [21]);
        assert_eq!(hours(12, Some(DayPart::Night)).0, [0]);
        assert_eq!(hours(2, Some(DayPart::Night)).0, [2]);
        assert_eq!(hours(1, Some(DayPart::Noon)).0, [13]);
        assert_eq!(hours(11, Some(DayPart::Noon)).0, [11]);
        assert_eq!(hours(15, None), (vec![15], true));
        assert_eq!(hours(3, None), (vec![3, 15], false));
    }

    #[test]
    fn a_day_of_the_month_is_the_next_one() {
        let today = Date::new(2025, 12, 30).unwrap();
        assert_eq!(next_day_of_month(Some(31), today), Date::new(2025, 12, 31));
        assert_eq!(next_day_of_month(Some(2), today), Date::new(2026, 1, 2));
        assert_eq!(next_day_of_month(None, today), None);
        assert_eq!(day_of_month(Some(5), today, 14), Date::new(2027, 2, 5));
        assert_eq!(day_of_month(Some(30), today, 2), None);
    }

    #[test]
    fn weeks_begin_on_monday() {
        // A Sunday: "this week" is nearly over, the coming Monday is tomorrow.
        let sunday = Date::new(2025, 3, 9).unwrap();
        let monday = Captures { weekday: Some(0), ..Captures::default() };
        let read = |meaning, weeks| read_date(meaning, weeks, monday, Some(sunday)).first().map(ToString::to_string);
        assert_eq!(read(DateMeaning::Weekday, 0).as_deref(), Some("2025-03-03"));
        assert_eq!(read(DateMeaning::Weekday, 1).as_deref(), Some("2025-03-10"));
        assert_eq!(read(DateMeaning::Coming, 0).as_deref(), Some("2025-03-10"));
        assert_eq!(read_date(DateMeaning::Coming, 0, monday, None), []);
    }

    #[test]
    fn a_day_without_a_year_is_this_years_and_if_over_next_years_too() {
        let today = Date::new(2025, 3, 4).unwrap();
        let read = |month, day| {
            let captures = Captures { month: Some(month), day: Some(day), ..Captures::default() };
            read_date(DateMeaning::Date, 0, captures, Some(today)).iter().map(|date| date.year).collect::<Vec<_>>()
        };
        assert_eq!(read(3, 4), [2025]);
        assert_eq!(read(3, 3), [2025, 2026]);
        assert_eq!(read(2, 29), [] as [i32; 0]);
    }

    #[test]
    fn minutes_are_added_to_the_hour_or_taken_from_it() {
        let captures =
            Captures { hour: Some(1), count: Some(10), part: Some(DayPart::Afternoon), ..Captures::default() };
        let read = |meaning, minutes| read_time(meaning, minutes, captures)[0].0.to_string();
        assert_eq!(read(TimeMeaning::Clock, 30), "13:30");
        assert_eq!(read(TimeMeaning::Clock, -15), "12:45");
        assert_eq!(read(TimeMeaning::Past, 0), "13:10");
        assert_eq!(read(TimeMeaning::To, 0), "12:50");
    }

    #[test]
    fn a_date_is_joined_with_its_nearest_time() {
        let date = Said { range: 10..18, value: Date::new(2025, 3, 6).unwrap(), exact: false };
        let time = |range, hour| Said { range, value: Time::new(hour, 0, 0).unwrap(), exact: true };
        let joined = |times: &[Said<Time>]| {
            let moments = join(std::slice::from_ref(&date), times);
            moments
                .iter()
                .map(|moment| (moment.date.is_some(), moment.time.as_ref().map(|time| time.value.hour)))
                .collect::<Vec<_>>()
        };
        assert_eq!(joined(&[time(0..6, 10), time(22..26, 14)]), [(false, Some(10)), (true, Some(14))]);
        assert_eq!(joined(&[time(0..8, 10), time(24..28, 14)]), [(true, Some(10)), (false, Some(14))]);
        assert_eq!(joined(&[time(30..34, 14)]), [(true, None), (false, Some(14))]);
    }

    #[test]
    fn longer_readings_hide_shorter_ones() {
        let reading = |range, value| Said { range, value, exact: true };
        let kept =
            longest(&[reading(0..4, 1), reading(0..8, 2), reading(5..8, 3), reading(9..12, 4), reading(9..12, 4)]);
        assert_eq!(kept.iter().map(|reading| reading.value).collect::<Vec<_>>(), [2, 4]);
    }

    #[test]
    fn of_two_that_overlap_the_sure_one_is_kept() {
        let reading = |range, value, exact| Said { value, range, exact };
        let kept = longest(&[reading(0..4, 1, false), reading(3..7, 2, true)]);
        assert_eq!(kept.iter().map(|reading| reading.value).collect::<Vec<_>>(), [2]);
    }
}
