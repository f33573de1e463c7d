//! How long a server asks to wait: `retry-after-ms`, or `Retry-After` in seconds, fractions of them, or as a date.

use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Longer waits are cut to this: a server that asks for a day would else hold a run for a day.
const LONGEST_WAIT: Duration = Duration::from_secs(600);

/// The wall clock, for servers that name a date and do not tell their own time.
pub(crate) type WallClock = fn() -> SystemTime;

/// The machine's clock.
#[expect(clippy::disallowed_methods, reason = "a date in a header means nothing without the time; no output sees it")]
pub(crate) fn machine_clock() -> SystemTime {
    SystemTime::now()
}

/// The wait that the headers ask for.
pub(crate) fn wait_asked(headers: &HeaderMap, clock: WallClock) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let wait = text("retry-after-ms")
        .and_then(|millis| number(millis, 0.001))
        .or_else(|| number(text(RETRY_AFTER.as_str())?, 1.0))
        .or_else(|| {
            let until = unix_seconds(text(RETRY_AFTER.as_str())?)?;
            let between = |now: i64| Duration::from_secs(u64::try_from(until - now).unwrap_or(0));
            match told_time(headers) {
                // The server's own time where it tells it: then a clock that is wrong here does no harm.
                Some(now) => Some(between(now)),
                // Beyond what is ever waited it is more likely that the clock here is wrong, and our own waits are better.
                None => seconds_of(clock()).map(between).filter(|wait| *wait <= LONGEST_WAIT),
            }
        })?;
    Some(wait.min(LONGEST_WAIT))
}

/// Seconds since 1970: the server's own time where it tells it, so that a clock that is wrong here does no harm.
pub(crate) fn now(headers: &HeaderMap, clock: WallClock) -> Option<i64> {
    told_time(headers).or_else(|| seconds_of(clock()))
}

fn told_time(headers: &HeaderMap) -> Option<i64> {
    headers.get(DATE).and_then(|date| date.to_str().ok()).and_then(unix_seconds)
}

fn number(text: &str, scale: f64) -> Option<Duration> {
    let amount: f64 = text.parse().ok()?;
    // Clamped first: what does not fit a duration is still a wish for a long wait.
    (amount >= 0.0).then(|| Duration::from_secs_f64((amount * scale).min(LONGEST_WAIT.as_secs_f64())))
}

fn seconds_of(time: SystemTime) -> Option<i64> {
    i64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_secs()).ok()
}

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Reads the three forms of an HTTP date: month by its name, time by its colons, then day and year in that order.
fn unix_seconds(text: &str) -> Option<i64> {
    let parts = || text.split([' ', ',', '-']).filter(|part| !part.is_empty());
    let month = parts().find_map(|part| MONTHS.iter().position(|name| *name == part))? + 1;
    let mut clock = parts().find(|part| part.contains(':'))?.split(':').map(|part| part.parse::<i64>().ok());
    let mut numbers = parts().filter_map(|part| part.parse::<i64>().ok());
    let (day, year) = (numbers.next()?, full_year(numbers.next()?));
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    // Bounded before anything is multiplied: a header can hold any number.
    let plausible = (0..10_000).contains(&year)
        && (1..=31).contains(&day)
        && (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0..=60).contains(&second);
    plausible.then(|| {
        days_since_1970(year, i64::try_from(month).unwrap_or(1), day) * 86_400 + hour * 3600 + minute * 60 + second
    })
}

/// The oldest form writes two digits.
fn full_year(year: i64) -> i64 {
    match year {
        0..70 => year + 2000,
        70..100 => year + 1900,
        _ => year,
    }
}

/// Days of the Gregorian calendar, with years that begin in March so that the leap day comes last.
pub(crate) fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, in_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + in_era * 365 + in_era / 4 - in_era / 100 + day_of_year - 719_468
}

// When a server says that all is left again: a span of time (`1s`, `6m0s`, `20ms`, plain seconds) or a date (RFC 3339).

/// The time until the reset.
pub(crate) fn read_reset(text: &str, headers: &HeaderMap, clock: WallClock) -> Option<Duration> {
    read_span(text).or_else(|| {
        let until = read_date(text)?;
        Some(Duration::from_secs(u64::try_from(until - now(headers, clock)?).unwrap_or(0)))
    })
}

const UNITS: [(&str, f64); 7] =
    [("d", 86_400.0), ("h", 3600.0), ("m", 60.0), ("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("µs", 1e-6)];

/// Reads `1s`, `6m0s`, `20ms`, `1h2m3.5s`, and seconds without a unit.
fn read_span(text: &str) -> Option<Duration> {
    let mut seconds = 0.0;
    let mut rest = text;
    while !rest.is_empty() {
        let unit_at = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(rest.len());
        let (number, after) = rest.split_at_checked(unit_at)?;
        let end = after.find(|letter: char| letter.is_ascii_digit()).unwrap_or(after.len());
        let (unit, others) = after.split_at_checked(end)?;
        let bare = unit.is_empty() && number == text;
        let scale = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, scale)| *scale).or(bare.then_some(1.0))?;
        seconds += number.parse::<f64>().ok()? * scale;
        rest = others;
    }
    if text.is_empty() { None } else { Duration::try_from_secs_f64(seconds).ok() }
}

/// Reads `2026-11-21T08:09:10Z`, with or without fractions, and with an offset.
fn read_date(text: &str) -> Option<i64> {
    let (day, time) = text.split_once(['T', 't', ' '])?;
    let (clock, offset) = if let Some(clock) = time.strip_suffix(['Z', 'z']) {
        (clock, 0)
    } else {
        let (clock, offset) = time.split_at_checked(time.rfind(['+', '-'])?)?;
        let [hours, minutes] = numbers(offset.strip_prefix(['+', '-'])?, ':')?;
        (clock, (hours * 60 + minutes) * if offset.starts_with('-') { -60 } else { 60 })
    };
    let [year, month, day] = numbers(day, '-')?;
    let [hour, minute, second] = numbers(clock.split('.').next()?, ':')?;
    let plausible = year < 10_000 && (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24;
    let seconds = hour * 3600 + minute * 60 + second - offset;
    (plausible && minute < 60 && second <= 60).then(|| days_since_1970(year, month, day) * 86_400 + seconds)
}

/// So many numbers of a few digits each.
fn numbers<const COUNT: usize>(text: &str, separator: char) -> Option<[i64; COUNT]> {
    let number = |part: &str| part.parse::<u16>().ok().map(i64::from);
    let all: Option<Vec<i64>> = text.split(separator).map(number).collect();
    all?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// 6 November 1994, 08:49:37.
    fn then() -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(784_111_777)
    }

    fn wait(headers: &[(&'static str, &str)]) -> Option<Duration> {
        let headers = headers.iter().map(|(name, value)| {
            (reqwest::header::HeaderName::from_static(name), reqwest::header::HeaderValue::from_str(value).unwrap())
        });
        wait_asked(&headers.collect(), then)
    }

    #[test]
    fn seconds_fractions_and_milliseconds() {
        assert_eq!(wait(&[("retry-after", "2")]), Some(Duration::from_secs(2)));
        assert_eq!(wait(&[("retry-after", "1.5")]), Some(Duration::from_millis(1500)));
        assert_eq!(wait(&[("retry-after-ms", "250"), ("retry-after", "1")]), Some(Duration::from_millis(250)));
        assert_eq!(wait(&[("retry-after", "0")]), Some(Duration::ZERO));
    }

    #[test]
    fn nonsense_asks_for_nothing() {
        for text in ["", "soon", "-3", "NaN", "Sun, 06 Nov", "Sun, 99 Nov 1994 08:49:37 GMT"] {
            assert_eq!(wait(&[("retry-after", text)]), None, "{text}");
        }
        assert_eq!(wait(&[]), None);
    }

    #[test]
    fn a_date_in_each_of_its_three_forms() {
        for text in ["Sun, 06 Nov 1994 08:49:47 GMT", "Sunday, 06-Nov-94 08:49:47 GMT", "Sun Nov  6 08:49:47 1994"] {
            assert_eq!(wait(&[("retry-after", text)]), Some(Duration::from_secs(10)), "{text}");
        }
    }

    #[test]
    fn a_date_that_has_passed_is_no_wait() {
        assert_eq!(wait(&[("retry-after", "Sat, 05 Nov 1994 08:49:47 GMT")]), Some(Duration::ZERO));
    }

    #[test]
    fn the_server_s_own_time_goes_before_ours() {
        let date = ("date", "Thu, 29 Feb 2024 23:59:58 GMT");
        assert_eq!(wait(&[date, ("retry-after", "Fri, 01 Mar 2024 00:00:01 GMT")]), Some(Duration::from_secs(3)));
    }

    #[test]
    fn a_wait_has_a_longest() {
        assert_eq!(wait(&[("retry-after", "86400")]), Some(LONGEST_WAIT));
        assert_eq!(wait(&[("retry-after", "inf")]), Some(LONGEST_WAIT));
        let date = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(wait(&[date, ("retry-after", "Sun, 06 Nov 2044 08:49:47 GMT")]), Some(LONGEST_WAIT));
    }

    #[test]
    fn a_clock_that_is_hours_off_makes_nobody_wait_for_hours() {
        // The server means ten seconds; the clock here is hours behind, or ahead.
        let behind = [("retry-after", "Sun, 06 Nov 1994 14:49:47 GMT")];
        assert_eq!(wait(&behind), None, "as if it had named no time: our own waits grow");
        let ahead = [("retry-after", "Sun, 06 Nov 1994 02:49:47 GMT")];
        assert_eq!(wait(&ahead), Some(Duration::ZERO));
        for (date, until) in [("14:49:37", "14:49:47"), ("02:49:37", "02:49:47")] {
            let [date, until] = [date, until].map(|time| format!("Sun, 06 Nov 1994 {time} GMT"));
            assert_eq!(wait(&[("date", &date), ("retry-after", &until)]), Some(Duration::from_secs(10)));
        }
    }

    proptest! {
        #[test]
        fn no_header_can_do_harm(text in "[ -~]{0,40}", date in "[ -~]{0,40}", number in any::<i64>()) {
            let _ = wait(&[("retry-after", &text), ("date", &date)]);
            let _ = wait(&[("retry-after", &format!("Sun, {number} Nov {number} 08:49:37 GMT"))]);
            let _ = wait(&[("retry-after-ms", &number.to_string())]);
        }
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        assert_eq!(days_since_1970(1970, 1, 1), 0);
        assert_eq!(days_since_1970(2000, 3, 1), 11_017);
        assert_eq!(days_since_1970(2026, 11, 20), 20_777);
    }

    proptest! {
        #[test]
        fn every_day_is_one_day_after_the_last(year in 1601..9000_i64, month in 1..=12_i64) {
            let (next_year, next) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
            let length = days_since_1970(next_year, next, 1) - days_since_1970(year, month, 1);
            let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let wanted = match month {
                2 => 28 + i64::from(is_leap),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            prop_assert_eq!(length, wanted);
            prop_assert_eq!(days_since_1970(year, month, 2), days_since_1970(year, month, 1) + 1);
        }

        #[test]
        fn any_moment_of_the_next_minutes_is_a_wait(seconds in 0..600_u64, hour in 0..23_u64) {
            let at = |seconds: u64| format!("Tue, 01 Mar 2022 {:02}:{:02}:{:02} GMT", seconds / 3600, seconds / 60 % 60, seconds % 60);
            let (now, then) = (at(hour * 3600), at(hour * 3600 + seconds));
            prop_assert_eq!(wait(&[("date", &now), ("retry-after", &then)]), Some(Duration::from_secs(seconds)));
        }
    }

    #[test]
    fn two_digits_of_a_year_are_of_this_century_or_of_the_last() {
        assert_eq!([0, 69, 70, 99, 100, 2026].map(full_year), [2000, 2069, 1970, 1999, 100, 2026]);
    }
}

#[cfg(test)]
mod reset_tests {
    use super::*;
    use proptest::prelude::*;
    use std::time::UNIX_EPOCH;

    fn seconds(text: &str) -> Option<f64> {
        read_span(text).map(|span| span.as_secs_f64())
    }

    /// Seen at 2026-11-21, midnight.
    fn reset(text: &str) -> Option<u64> {
        let clock = || UNIX_EPOCH + Duration::from_secs(20_778 * 86_400);
        read_reset(text, &HeaderMap::new(), clock).map(|span| span.as_secs())
    }

    #[test]
    fn every_form_of_a_span() {
        assert_eq!(["1s", "6m0s", "20ms", "1h2m3.5s"].map(seconds), [1.0, 360.0, 0.02, 3723.5].map(Some));
        assert_eq!(["30", "0.25", "0s", "1d", "2m59.56s"].map(seconds), [30.0, 0.25, 0.0, 86_400.0, 179.56].map(Some));
        for text in ["", "s", "1x", "soon", "-1s", "1s2", "1..2s", "2026-11-21T00:00:00Z", "초"] {
            assert_eq!(seconds(text), None, "{text}");
        }
    }

    #[test]
    fn every_form_of_a_date() {
        assert_eq!(reset("2026-11-21T00:01:02Z"), Some(62));
        assert_eq!(reset("2026-11-21T00:00:05.25Z"), Some(5));
        assert_eq!(reset("2026-11-21T09:00:30+09:00"), Some(30));
        assert_eq!(reset("2026-11-20T22:30:10-01:30"), Some(10));
        assert_eq!(reset("2026-11-20T23:00:00Z"), Some(0), "it has passed");
    }

    #[test]
    fn what_is_no_date_says_nothing() {
        let texts =
            ["2026-11-21", "2026-13-01T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T00:00Z", "T", "aTbZ", "T+"];
        for text in texts {
            assert_eq!(reset(text), None, "{text}");
        }
    }

    #[test]
    fn the_server_s_own_time_counts() {
        let headers = [(reqwest::header::DATE, "Sat, 21 Nov 2026 00:00:50 GMT".parse().unwrap())].into_iter().collect();
        let read = read_reset("2026-11-21T00:01:00Z", &headers, || UNIX_EPOCH);
        assert_eq!(read, Some(Duration::from_secs(10)));
    }

    proptest! {
        #[test]
        fn no_text_can_do_harm(text in "[0-9TZ:+.hms -]{0,30}", any in "\\PC{0,12}") {
            let _ = (reset(&text), reset(&any));
        }
    }
}
