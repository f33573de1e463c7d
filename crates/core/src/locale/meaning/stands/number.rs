//! Numbers: digits or words of the exact quantity.

use super::Found;
use super::Search;
use crate::record::{Number, Origin};

impl Search<'_> {
    pub(super) fn number(&self, number: &Number) -> Option<Found> {
        self.numeral(number).or_else(|| self.wording())
    }

    fn numeral(&self, number: &Number) -> Option<Found> {
        let kind = self.expectation.kind.unwrap_or("");
        let clock = ["time", "hour", "minute"].iter().any(|part| kind.contains(part));
        let numerals = self.language.numerals.scan(&self.folded().chars, clock);
        let found = numerals.into_iter().filter(|numeral| numeral.value.number().equals(number));
        // Where it is said twice, digits say it more plainly than words.
        let found = found.map(|numeral| self.found(&numeral.range, Origin::Normalised));
        let mut all: Vec<Found> = found.collect();
        match all.iter().position(|found| found.surface == number.as_str()) {
            Some(index) => Some(Found { origin: Origin::Verbatim, ..all.swap_remove(index) }),
            None => all.into_iter().next(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::locale::language::tests::language;
    use crate::locale::{Stand, value_stands};
    use crate::record::{Origin, Value};

    fn stands(code: &str, text: &str, json: &str, kind: Option<&str>) -> Option<(String, Origin)> {
        let expectation = Stand { kind, ..Stand::default() };
        value_stands(text, &Value::read(json).unwrap(), &expectation, language(code))
            .map(|found| (found.surface, found.origin))
    }

    #[test]
    fn numbers_stand_in_digits_and_in_words() {
        for (code, text, json, surface, origin) in [
            ("en", "for 15 people", "15", "15", Origin::Verbatim),
            ("en", "for fifteen people", "15", "fifteen", Origin::Normalised),
            ("en", "pay 1,200.50 now", "1200.5", "1,200.50", Origin::Normalised),
            ("en", "two and a half hours", "2.5", "two and a half", Origin::Normalised),
            ("en", "fifteen, 15", "15", "15", Origin::Verbatim),
            ("en", "15 minutes", "15.0", "15", Origin::Normalised),
            ("ko", "두 명 예약", "2", "두", Origin::Normalised),
            ("ko", "3만 5천 원 보내", "35000", "3만 5천", Origin::Normalised),
            ("ko", "20도로 맞춰", "20", "20", Origin::Verbatim),
            ("zh", "订两张票", "2", "两", Origin::Normalised),
            ("zh", "转一百二十块", "120", "一百二十", Origin::Normalised),
        ] {
            assert_eq!(stands(code, text, json, None), Some((surface.to_owned(), origin)), "{json} in {text}");
        }
    }

    #[test]
    fn other_quantities_do_not_stand() {
        for (code, text, json) in [
            ("en", "for 150 people", "15"),
            ("en", "at 3:15", "15"),
            ("en", "15.5 miles", "15"),
            ("en", "twenty-five", "20"),
            ("en", "two and a half", "2"),
            ("en", "gate A15", "15"),
            ("ko", "스물다섯 명", "20"),
            ("ko", "이번 주", "2"),
            ("zh", "一百二十块", "100"),
            ("zh", "等一下", "1"),
        ] {
            assert_eq!(stands(code, text, json, None), None, "{json} in {text}");
        }
    }

    #[test]
    fn the_digits_of_a_time_count_for_a_time() {
        assert_eq!(stands("en", "at 3:15", "15", Some("time")), Some(("15".to_owned(), Origin::Verbatim)));
    }
}
