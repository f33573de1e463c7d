//! When a server says that all is left again: a span of time (`1s`, `6m0s`, `20ms`, plain seconds) or a date (RFC 3339).

use super::retry_after::{WallClock, days_since_1970, now};
use reqwest::header::HeaderMap;
use std::time::Duration;

/// The time until the reset.
pub(super) fn read_reset(text: &str, headers: &HeaderMap, clock: WallClock) -> Option<Duration> {
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
