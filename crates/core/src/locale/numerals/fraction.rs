//! What stands around a numeral and changes it: a point, a half, a sign, the ending of an ordinal.

use super::Numeral;
use super::decimal::Decimal;
use super::lexicon::{Numerals, Part};
use super::tally::Tally;
use crate::locale::meaning::surface::is_free_left;

impl Numerals {
    /// A decimal fraction in words: `three point one four`.
    pub(super) fn point_at(
        &self,
        chars: &[char],
        end: usize,
        value: Decimal,
        tally: &Tally,
    ) -> Option<(usize, Decimal)> {
        let space = usize::from(self.words.spaced);
        if tally.literal || tally.native || tally.ordinal || space > 0 && chars.get(end) != Some(&' ') {
            return None;
        }
        let (length, _) = self.parts.all_at(chars, end + space).find(|(_, part)| **part == Part::Point)?;
        let mut at = end + space + length;
        let mut sum = value;
        let mut places = 0;
        while let Some((length, digit)) = self.digit_at(chars, at + space) {
            sum = sum.then_place(digit)?;
            at += space + length;
            places += 1;
        }
        // 三点五十 is a time.
        let is_time = self.scale_at(chars, at).is_some() || self.point_never.at(chars, at).is_some();
        (places > 0 && !is_time).then_some((at, sum))
    }

    pub(super) fn scale_at(&self, chars: &[char], at: usize) -> Option<usize> {
        let (length, part) = self.parts.at(chars, at)?;
        matches!(part, Part::Scale(_)).then_some(length)
    }

    pub(super) fn digit_at(&self, chars: &[char], at: usize) -> Option<(usize, i128)> {
        self.parts.all_at(chars, at).find_map(|(length, part)| match part {
            Part::Unit(value) if *value < 10 => Some((length, *value)),
            _ => None,
        })
    }

    pub(super) fn fraction_at(&self, chars: &[char], at: usize) -> Option<(usize, Decimal)> {
        let (length, value) = self.fractions.at(chars, at)?;
        let end = at + length;
        let stands = if self.words.spaced {
            !chars.get(end).is_some_and(|next| next.is_alphanumeric())
        } else {
            self.counter_end(chars, end, &self.counters).is_some()
        };
        (stands && !self.is_never(chars, at, end)).then_some((end, *value))
    }

    /// `two and a half`, `두 시간 반`, `两个半`.
    pub(super) fn add_half(&self, chars: &[char], span: usize, numeral: &mut Numeral) {
        let added = if self.words.spaced {
            self.glue.iter().filter(|glue| glue.len() > 1).find_map(|glue| {
                let start = numeral.range.end + glue.len();
                let joined = chars.get(numeral.range.end..start)? == glue.as_slice();
                joined.then(|| self.fraction_at(chars, start)).flatten()
            })
        } else if span > numeral.range.end && !self.is_clock(chars, numeral.range.end) {
            let start = span + usize::from(chars.get(span) == Some(&' '));
            let half = self.halves.at(chars, start).map(|(length, ())| start + length);
            half.filter(|end| self.may_end(chars, *end)).zip(Decimal::read("0.5"))
        } else {
            None
        };
        if let Some((end, value)) = added.and_then(|(end, half)| Some((end, numeral.value.plus(half)?))) {
            (numeral.range.end, numeral.value) = (end, value);
        }
    }

    pub(super) fn add_sign(&self, chars: &[char], numeral: &mut Numeral) {
        let start = numeral.range.start;
        let dash = start.checked_sub(1).filter(|at| chars[*at] == '-');
        let lone_dash = dash.filter(|at| at.checked_sub(1).is_none_or(|before| !chars[before].is_alphanumeric()));
        let word = (start.saturating_sub(9)..start).find(|at| {
            self.negative.at(chars, *at).is_some_and(|(length, ())| {
                let rest = &chars[at + length..start];
                (rest.is_empty() || rest == [' ']) && is_free_left(chars, *at)
            })
        });
        if let Some(at) = word.or(lone_dash) {
            numeral.range.start = at;
            numeral.value = numeral.value.negated();
        }
    }

    pub(in crate::locale) fn skip_suffix(&self, chars: &[char], end: usize) -> usize {
        let suffix = self.suffixes.at(chars, end).map(|(length, ())| end + length);
        suffix.filter(|end| !chars.get(*end).is_some_and(|next| next.is_alphanumeric())).unwrap_or(end)
    }
}

#[cfg(test)]
mod tests {
    use crate::locale::language::tests::language;
    use crate::locale::numbers_in;

    #[track_caller]
    fn check(code: &str, cases: &[(&str, &[&str])]) {
        for (text, expected) in cases {
            let found = numbers_in(text, language(code));
            let values: Vec<&str> = found.iter().map(|found| found.value.as_str()).collect();
            assert_eq!(values, *expected, "{text}");
        }
    }

    #[test]
    fn halves_join_the_number_before_them() {
        check("en", &[("two and a half", &["2.5"]), ("3 and a quarter", &["3.25"]), ("two, and half", &["2", "0.5"])]);
        check(
            "ko",
            &[
                ("3시간 반", &["3.5"]),
                ("한 달 반", &["1.5"]),
                ("세 시 반", &["3"]),
                ("반 시간", &["0.5"]),
                ("반찬", &[]),
            ],
        );
        check("zh", &[("三年半", &["3.5"]), ("三点半", &["3"]), ("半斤", &["0.5"]), ("半天", &[])]);
    }

    #[test]
    fn points_are_read_with_their_digits() {
        check(
            "en",
            &[("two point five", &["2.5"]), ("two points five", &["2", "5"]), ("zero point zero five", &["0.05"])],
        );
        check("ko", &[("삼점오 킬로", &["3.5"])]);
        check("zh", &[("三点一四", &["3.14"]), ("八点二十", &["8", "20"]), ("七点一刻", &["7"])]);
    }

    #[test]
    fn signs_are_words_or_a_dash_of_its_own() {
        check("en", &[("minus twenty", &["-20"]), ("at -4", &["-4"]), ("x-4", &["4"]), ("negative", &[])]);
        check("ko", &[("영하 3도", &["-3"]), ("영하3도", &["-3"])]);
        check("zh", &[("零下三度", &["-3"]), ("负十度", &["-10"])]);
    }

    #[test]
    fn ordinals_say_so() {
        let ordinal =
            |text: &str| numbers_in(text, language("en")).iter().map(|found| found.ordinal).collect::<Vec<_>>();
        assert_eq!(ordinal("the 3rd, third, 3 and three"), [true, true, false, false]);
        assert_eq!(ordinal("3rdly"), [false]);
    }
}
