//! Other written forms of a day or a time that say the same, and how a day is said.

use super::super::Language;
use super::super::dates::{Date, Moment, Stamp, resolve};
use super::durations::durations_in;
use super::surface::Folded;
use super::twins::twins;

/// How a text says a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DaySaid {
    /// By its place in the calendar, without a year.
    WithoutYear,
    /// By its distance from today, or as a day of the week.
    Relative,
}

/// Mondays to reckon from: a day of the calendar is the same from two that follow one another, a relative one never.
const MONDAYS: [u8; 3] = [3, 10, 17];

fn monday(day: u8) -> Option<Stamp> {
    Stamp::read(&format!("2025-03-{day:02}"))
}

/// Other written forms of a day or time: numbers in digits, words for words, and the forms of ISO 8601 where the text
/// says the year. Every form says the same as the value, whatever the day is on which it is said.
pub fn other_times(value: &str, language: &Language) -> Vec<String> {
    let digits = in_digits(value, language);
    let mut others = exchanged(value, language);
    others.extend(exchanged(&digits, language));
    others.push(digits);
    others.retain(|form| is_same(value, form, language));
    // These are made of what the value surely says; read alone, `09:00` might be one of two times.
    let mut forms = iso(value, language);
    forms.extend(twins(value, language));
    forms.extend(others);
    let mut kept: Vec<String> = Vec::new();
    for form in forms {
        if form != value && !kept.contains(&form) {
            kept.push(form);
        }
    }
    kept
}

/// How a value says its day, where it does not say all of it.
pub fn day_said(value: &str, language: &Language) -> Option<DaySaid> {
    let days = MONDAYS.map(|day| days(value, monday(day), language));
    let is_exact = resolve(value, None, language).iter().any(|moment| moment.date.is_some());
    let [one, two, three] = &days;
    if is_exact || one.is_empty() {
        return None;
    }
    Some(if one == two || two == three { DaySaid::WithoutYear } else { DaySaid::Relative })
}

/// Whether a value says a day or a time and hardly anything beside it.
pub fn is_time(value: &str, language: &Language) -> bool {
    let moments = resolve(value, monday(MONDAYS[0]), language);
    moments.iter().any(|moment| moment.range() == (0..value.len()))
}

fn days(value: &str, from: Option<Stamp>, language: &Language) -> Vec<Date> {
    resolve(value, from, language).iter().filter_map(|moment| moment.stamp().date).collect()
}

/// Whether two texts say the same moments, or else the same lengths of time.
fn is_same(one: &str, other: &str, language: &Language) -> bool {
    let stamps = |text: &str| MONDAYS.map(|day| stamps(text, monday(day), language));
    let (first, second) = (stamps(one), stamps(other));
    if !first[0].is_empty() || !second[0].is_empty() {
        return first == second;
    }
    let minutes = |text: &str| durations_in(text, language).iter().map(|it| it.minutes.to_bits()).collect::<Vec<_>>();
    let length = minutes(one);
    !length.is_empty() && length == minutes(other)
}

fn stamps(text: &str, from: Option<Stamp>, language: &Language) -> Vec<Stamp> {
    resolve(text, from, language).iter().map(Moment::stamp).collect()
}

/// The forms of ISO 8601 of a day that the text says with its year, with the time where it says one.
fn iso(value: &str, language: &Language) -> Vec<String> {
    let moments = resolve(value, None, language);
    let [moment] = moments.as_slice() else { return Vec::new() };
    if moment.range() != (0..value.len()) {
        return Vec::new();
    }
    match (&moment.date, &moment.time) {
        (Some(date), None) if date.exact => vec![date.value.to_string()],
        (Some(date), Some(time)) if date.exact && time.exact => {
            let (day, clock) = (date.value, format!("{:02}:{:02}", time.value.hour, time.value.minute));
            vec![format!("{day}T{clock}:00"), format!("{day}T{clock}"), format!("{day} {clock}")]
        }
        _ => Vec::new(),
    }
}

/// The value with every number that it says in words in digits.
fn in_digits(value: &str, language: &Language) -> String {
    let folded = Folded::new(value);
    let mut digits = value.to_owned();
    for numeral in language.numerals.scan(&folded.chars, true).into_iter().rev().filter(|numeral| !numeral.ordinal) {
        let range = folded.bytes(&numeral.range);
        let is_words = value.get(range.clone()).is_some_and(|words| !words.contains(|it: char| it.is_ascii_digit()));
        if is_words {
            digits.replace_range(range, &numeral.value.number().to_string());
        }
    }
    digits
}

/// The value with one of its parts said in the other words.
fn exchanged(value: &str, language: &Language) -> Vec<String> {
    let pairs = language.alike.times.iter().flat_map(|(one, other)| [(one, other), (other, one)]);
    pairs
        .filter(|(part, _)| value.contains(part.as_str()))
        .map(|(part, other)| value.replace(part.as_str(), other))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::language::tests::language;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn korean_times_are_written_in_several_ways() {
        for (value, wanted) in [
            ("3시간 뒤", "3시간 후"),
            ("내일 아침 6시 반", "내일 아침 6시 30분"),
            ("16일 오후 두시", "16일 오후 2시"),
            ("2023.11.3 오전 9시", "2023-11-03T09:00:00"),
            ("2023.11.3 오전 9시", "2023-11-03 09:00"),
            ("2024년 1월 1일", "2024-01-01"),
            ("오후 3시", "15:00"),
        ] {
            let forms = other_times(value, language("ko"));
            assert!(forms.iter().any(|form| form == wanted), "{value}: {forms:?}");
        }
    }

    #[test]
    fn no_form_says_more_than_the_value() {
        for (code, value) in [("ko", "내일"), ("ko", "6월 3일"), ("en", "tomorrow"), ("en", "Porto"), ("zh", "明天")]
        {
            let forms = other_times(value, language(code));
            assert!(forms.iter().all(|form| !form.contains("20")), "{value}: {forms:?}");
        }
    }

    #[test]
    fn a_day_is_said_by_the_calendar_or_by_its_distance() {
        for (code, value, said) in [
            ("ko", "6월 3일 오전 9시", Some(DaySaid::WithoutYear)),
            ("ko", "16일 오후 2시", Some(DaySaid::WithoutYear)),
            ("ko", "내일 오전 9시 30분", Some(DaySaid::Relative)),
            ("ko", "다음 주 화요일", Some(DaySaid::Relative)),
            ("ko", "2025년 6월 1일", None),
            ("ko", "오후 3시", None),
            ("en", "June 3rd", Some(DaySaid::WithoutYear)),
            ("en", "tomorrow at noon", Some(DaySaid::Relative)),
            ("zh", "6月3日", Some(DaySaid::WithoutYear)),
            ("zh", "明天下午3点", Some(DaySaid::Relative)),
            ("en", "Porto", None),
        ] {
            assert_eq!(day_said(value, language(code)), said, "{value}");
        }
    }

    #[test]
    fn a_time_is_known_without_its_kind() {
        assert!(is_time("tomorrow at 7 pm", language("en")) && is_time("내일 오후 3시", language("ko")));
        assert!(!is_time("the 7 pm train", language("en")) && !is_time("Porto", language("en")));
    }

    proptest! {
        #[test]
        fn no_form_is_the_value_and_none_comes_twice(hour in 1_u8..12, minute in prop::sample::select(vec!["", " 30분", " 반"])) {
            let value = format!("내일 오전 {hour}시{minute}");
            let forms = other_times(&value, language("ko"));
            prop_assert!(!forms.contains(&value));
            prop_assert!((1..forms.len()).all(|at| !forms[..at].contains(&forms[at])), "{forms:?}");
        }
    }
}
