//! Dates and times of day, and how Python writes them.

/// The parts of a time as they are written.
struct Parts<'t> {
    date: [&'t str; 3],
    /// Hours, minutes, seconds; absent of a mere date.
    day: Option<[&'t str; 3]>,
    fraction: &'t str,
    /// Nothing, `Z`, or a difference.
    zone: &'t str,
}

/// Whether a plain scalar is a date or a time.
pub(super) fn is_time(text: &str) -> bool {
    parts(text).is_some()
}

/// A date or a time as Python writes it; nothing where there is no such day.
pub(super) fn read_time(text: &str) -> Option<String> {
    let parts = parts(text)?;
    let [year, month, day] = numbers(parts.date)?;
    if year == 0 || !(1..=12).contains(&month) || day == 0 || day > days_of(year, month) {
        return None;
    }
    let date = format!("{year:04}-{month:02}-{day:02}");
    let Some(of_day) = parts.day else { return Some(date) };
    let [hour, minute, second] = numbers(of_day)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let micros: String = parts.fraction.chars().chain("000000".chars()).take(6).collect();
    let micros = if micros == "000000" { String::new() } else { format!(".{micros}") };
    Some(format!("{date} {hour:02}:{minute:02}:{second:02}{micros}{}", zone(parts.zone)?))
}

fn numbers(parts: [&str; 3]) -> Option<[u32; 3]> {
    let [one, two, three] = parts.map(|part| part.parse().ok());
    Some([one?, two?, three?])
}

fn days_of(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// `+01:00`; less than a day.
fn zone(text: &str) -> Option<String> {
    let Some(rest) = text.strip_prefix(['+', '-']) else {
        return Some(if text == "Z" { "+00:00" } else { "" }.to_owned());
    };
    let (hours, minutes) = rest.split_once(':').unwrap_or((rest, "0"));
    let minutes = hours.parse::<u32>().ok()? * 60 + minutes.parse::<u32>().ok()?;
    let sign = if text.starts_with('-') && minutes > 0 { '-' } else { '+' };
    (minutes < 24 * 60).then(|| format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60))
}

fn parts(text: &str) -> Option<Parts<'_>> {
    let (year, rest) = digits(text, 4, 4)?;
    let (month, rest) = digits(rest.strip_prefix('-')?, 1, 2)?;
    let (day, rest) = digits(rest.strip_prefix('-')?, 1, 2)?;
    let date = [year, month, day];
    if rest.is_empty() {
        let is_full = month.len() == 2 && day.len() == 2;
        return is_full.then_some(Parts { date, day: None, fraction: "", zone: "" });
    }
    let space = |letter: char| matches!(letter, ' ' | '\t');
    let rest =
        rest.strip_prefix(['T', 't']).or_else(|| rest.starts_with(space).then(|| rest.trim_start_matches(space)))?;
    let (hour, rest) = digits(rest, 1, 2)?;
    let (minute, rest) = digits(rest.strip_prefix(':')?, 2, 2)?;
    let (second, rest) = digits(rest.strip_prefix(':')?, 2, 2)?;
    let (fraction, rest) = rest.strip_prefix('.').map_or(Some(("", rest)), |rest| digits(rest, 0, usize::MAX))?;
    let zone = rest.trim_start_matches(space);
    let is_zone = rest.is_empty() || zone == "Z" || is_difference(zone);
    is_zone.then_some(Parts { date, day: Some([hour, minute, second]), fraction, zone })
}

fn is_difference(zone: &str) -> bool {
    let difference = || {
        let (_, rest) = digits(zone.strip_prefix(['+', '-'])?, 1, 2)?;
        let rest = match rest.strip_prefix(':') {
            Some(minutes) => digits(minutes, 2, 2)?.1,
            None => rest,
        };
        rest.is_empty().then_some(())
    };
    difference().is_some()
}

/// As many digits as there are, within bounds.
fn digits(text: &str, least: usize, most: usize) -> Option<(&str, &str)> {
    let count = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
    if count < least { None } else { text.split_at_checked(count) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_python_writes_them() {
        for (text, wanted) in [
            ("2024-01-01", "2024-01-01"),
            ("2024-2-29T1:02:03", "2024-02-29 01:02:03"),
            ("2001-12-14 21:59:43.10 -5", "2001-12-14 21:59:43.100000-05:00"),
            ("2001-12-14t21:59:43.1234567+05:30", "2001-12-14 21:59:43.123456+05:30"),
            ("2001-12-14 21:59:43Z", "2001-12-14 21:59:43+00:00"),
            ("2001-12-14  21:59:43. -0", "2001-12-14 21:59:43+00:00"),
        ] {
            assert_eq!(read_time(text).as_deref(), Some(wanted), "{text}");
        }
    }

    #[test]
    fn there_is_no_such_day() {
        for text in [
            "2023-02-29",
            "1900-02-29",
            "2024-13-01",
            "2024-00-01",
            "2024-04-31",
            "0000-01-01",
            "2024-01-01 24:00:00",
            "2024-01-01 10:00:00+24:00",
        ] {
            assert!(is_time(text) && read_time(text).is_none(), "{text}");
        }
    }

    #[test]
    fn what_is_written_otherwise_is_no_time() {
        for text in [
            "2024-1-1",
            "24-01-01",
            "2024-01-01x",
            "2024-01-01 10:00",
            "2024-01-01 10:0:00",
            "2024/01/01",
            "2024-01-01 10:00:00 UTC",
            "2024-01-01 ",
        ] {
            assert!(!is_time(text), "{text}");
        }
    }
}
