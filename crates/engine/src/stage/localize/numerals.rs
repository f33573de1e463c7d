//! Numbers and dates are the same before and after a translation.

use crate::locale::{Date, Language, Stamp, Time, numbers_in, resolve};
use std::collections::BTreeSet;

/// A day that relative dates refer to; which one does not matter.
const NOW: &str = "2024-01-01T00:00:00";

/// The first number that one of two texts says and the other does not. A number in digits may become one in words, or the
/// other way round: `March 5` is `3월 5일`.
pub(super) fn lost_number(old: (&str, &Language), new: (&str, &Language)) -> Option<String> {
    let (before, after) = (digits(old.0), digits(new.0));
    // What stands there in digits has been counted.
    let in_words = |number: &String, there: (&str, &Language), digits: &[String]| {
        !digits.contains(number) && said(there.0, there.1).contains(number)
    };
    let lost = less(&before, &after).into_iter().find(|number| !in_words(number, new, &after));
    lost.or_else(|| less(&after, &before).into_iter().find(|number| !in_words(number, old, &before)))
}

/// Those of the first list that the second has not, each as often as it lacks it.
fn less(one: &[String], other: &[String]) -> Vec<String> {
    let mut rest = other.to_vec();
    let lacks = |number: &&String| match rest.iter().position(|it| it == *number) {
        Some(place) => {
            rest.swap_remove(place);
            false
        }
        None => true,
    };
    one.iter().filter(lacks).cloned().collect()
}

/// Numbers in digits, without grouping and without zeros before them.
fn digits(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let digit = |at: usize| letters.get(at).is_some_and(char::is_ascii_digit);
    let (mut found, mut number) = (Vec::new(), String::new());
    for (at, letter) in letters.iter().enumerate() {
        let grouped = *letter == ',' && (1..=3).all(|step| digit(at + step)) && !digit(at + 4);
        match letter {
            _ if digit(at) => number.push(*letter),
            '.' if !number.is_empty() && digit(at + 1) => number.push('.'),
            _ if grouped && !number.is_empty() => (),
            _ => found.extend(plain(&std::mem::take(&mut number))),
        }
    }
    found.extend(plain(&number));
    found
}

fn plain(number: &str) -> Option<String> {
    let trimmed = number.trim_start_matches('0');
    (!number.is_empty()).then(|| if trimmed.is_empty() { "0".to_owned() } else { trimmed.to_owned() })
}

/// Numbers that the words of a text say.
fn said(text: &str, language: &Language) -> BTreeSet<String> {
    let numbers = numbers_in(text, language).into_iter().filter_map(|found| plain(found.value.as_str()));
    let moments = resolve(text, Stamp::read(NOW), language).into_iter().flat_map(|moment| {
        let date = moment.date.map(|said| of_date(said.value)).into_iter().flatten();
        date.chain(moment.time.map(|said| of_time(said.value)).into_iter().flatten()).collect::<Vec<_>>()
    });
    numbers.chain(moments).collect()
}

fn of_date(date: Date) -> Vec<String> {
    vec![date.year.to_string(), date.month.to_string(), date.day.to_string()]
}

fn of_time(time: Time) -> Vec<String> {
    // Half past three in the afternoon is 3:30 or 15:30.
    [time.hour, time.hour % 12, time.minute].map(|number| number.to_string()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(english: &str, korean: &str) -> Option<String> {
        let (en, ko) = (
            Language::load(crate::fixtures::assets(), "en").unwrap(),
            Language::load(crate::fixtures::assets(), "ko").unwrap(),
        );
        lost_number((english, &en), (korean, &ko))
    }

    #[test]
    fn numbers_stay_in_digits_or_in_words() {
        for (english, korean) in [
            ("wake me at 8:30", "8시 30분에 깨워 줘"),
            ("a table for 2", "두 명 자리"),
            ("three tickets", "표 3장"),
            ("send 1,500 dollars", "1500달러 보내"),
            ("on March 5", "3월 5일에"),
            ("at 3 pm", "15시에"),
            ("hello", "안녕"),
            ("0.5 liters in room 007", "7호실에 0.5리터"),
        ] {
            assert_eq!(lost(english, korean), None, "{english} / {korean}");
        }
    }

    #[test]
    fn a_number_that_is_lost_or_added_is_told() {
        for (english, korean, number) in [
            ("wake me at 8:30", "8시에 깨워 줘", "30"),
            ("a table for 2", "세 명 자리", "2"),
            ("a table", "4명 자리", "4"),
            ("room 12, then 12 again", "12호실", "12"),
        ] {
            assert_eq!(lost(english, korean).as_deref(), Some(number), "{english} / {korean}");
        }
    }

    #[test]
    fn digits_are_read_without_their_grouping() {
        assert_eq!(digits("1,500 and 2,50, 3.5. 007"), ["1500", "2", "50", "3.5", "7"]);
        assert_eq!(digits("00 1,2345"), ["0", "1", "2345"]);
    }
}
