//! Is a day's weekday, where the text names it, that of the date?

use super::Fault;
use super::parameters::told_words;
use crate::locale::{Language, Stamp, weekdays};
use crate::record::{ArgumentNotes, Object, Value};
use std::ops::Range;

/// Checks each date among the arguments against the weekday named in or next to its words ("Friday, 28 March").
pub(super) fn check_weekdays(
    arguments: &Object,
    notes: &ArgumentNotes,
    text: &str,
    language: &Language,
) -> Result<(), Fault> {
    let named = weekdays(text, language);
    for (name, value) in arguments.iter().filter(|_| !named.is_empty()) {
        let Some(surface) = notes.get(name).and_then(|note| note.surface.as_deref()) else { continue };
        let told = told_words(value, surface);
        let places = told.iter().flat_map(|words| text.match_indices(words.as_str()));
        let wrong = places.map(|(start, words)| start..start + words.len()).find_map(|said| {
            named.iter().find(|(place, weekday)| is_with(text, &said, place) && !is_of(value, *weekday))
        });
        if let Some((place, _)) = wrong {
            let words = text.get(place.clone()).unwrap_or_default();
            let value = value.as_str().unwrap_or_default();
            return Err(Fault::new("wrong_weekday", format!("`{value}` is no `{words}`")));
        }
    }
    Ok(())
}

/// Whether the words for a date name a weekday that is not the date's.
pub fn is_of_another_weekday(value: &Value, words: &str, language: &Language) -> bool {
    weekdays(words, language).iter().any(|(_, weekday)| !is_of(value, *weekday))
}

/// Whether a value is no date, or one on this weekday.
fn is_of(value: &Value, weekday: i64) -> bool {
    let date = value.as_str().and_then(Stamp::read).and_then(|stamp| stamp.date);
    date.is_none_or(|date| date.weekday() == weekday)
}

/// Whether a place lies in another, or next to it.
fn is_with(text: &str, said: &Range<usize>, place: &Range<usize>) -> bool {
    let gap = if place.end <= said.start {
        place.end..said.start
    } else if said.end <= place.start {
        said.end..place.start
    } else {
        return said.start <= place.start && place.end <= said.end;
    };
    text.get(gap)
        .is_some_and(|gap| gap.trim_matches([' ', ',', '(', '（', '、']).trim_end_matches("the").trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Argument;

    fn fault(locale: &str, text: &str, date: &str, said: &str) -> Option<String> {
        let arguments = Object::from_iter([("date".to_owned(), date.into())]);
        let note = Argument { surface: Some(said.to_owned()), ..Argument::default() };
        let notes = ArgumentNotes::from_iter([("date".to_owned(), note)]);
        check_weekdays(&arguments, &notes, text, &crate::fixtures::language(locale)).err().map(|fault| fault.detail)
    }

    #[test]
    fn a_weekday_beside_or_within_the_words_is_the_dates() {
        let wrong = |words: &str| Some(format!("`2026-03-28` is no `{words}`"));
        assert_eq!(fault("ko", "3월 28일 금요일 저녁 7시 반에 예약", "2026-03-28", "3월 28일"), wrong("금요일"));
        assert_eq!(fault("ko", "3월 28일 토요일에 예약", "2026-03-28", "3월 28일"), None);
        assert_eq!(fault("en", "book Friday the 28th of March", "2026-03-28", "28th of March"), wrong("Friday"));
        assert_eq!(fault("en", "on March 28 (Sunday)", "2026-03-28", "March 28"), wrong("Sunday"));
        assert_eq!(fault("en", "next Friday please", "2026-03-28", "next Friday"), wrong("Friday"));
        assert_eq!(fault("zh", "3月28日周五", "2026-03-28", "3月28日"), wrong("周五"));
        assert_eq!(
            fault("en", "our Friday dinner, on March 28", "2026-03-28", "March 28"),
            None,
            "they speak of another"
        );
        assert_eq!(fault("en", "the Friday report", "twelve", "Friday"), None, "no date");
    }
}
