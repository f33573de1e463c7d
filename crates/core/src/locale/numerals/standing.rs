//! Whether letters that look like a numeral are one: what may stand around it.

use super::lexicon::{Lexicon, Numerals};
use super::run::Run;
use crate::locale::meaning::script::Script;

impl Numerals {
    /// Where a numeral with its counter ends, if it stands on its own; letters that only look like one do not.
    pub(super) fn standing_end(&self, chars: &[char], at: usize, run: &Run) -> Option<usize> {
        if self.words.spaced || run.tally.ordinal {
            return Some(run.end);
        }
        if run.tally.chain == 2 && !run.tally.scaled {
            return None; // 三四个 is "three or four".
        }
        let length = run.end - at;
        let counters = if run.letters == 1 && !run.tally.native { &self.short_counters } else { &self.counters };
        if let Some(end) = self.counter_end(chars, run.end, counters) {
            return Some(end);
        }
        let sure = run.tally.native || run.tally.scaled && length > 1 || run.tally.chain > 2;
        (sure && !run.tally.bound && self.may_end(chars, run.end)).then_some(run.end)
    }

    pub(super) fn counter_end(&self, chars: &[char], end: usize, counters: &Lexicon<()>) -> Option<usize> {
        let space = usize::from(!self.particles.is_empty() && chars.get(end) == Some(&' '));
        let start = end + space;
        counters.all_at(chars, start).map(|(length, ())| start + length).find(|end| self.may_end(chars, *end))
    }

    /// Whether a word may end here: in Korean nothing follows, or a particle.
    pub(super) fn may_end(&self, chars: &[char], at: usize) -> bool {
        if self.particles.is_empty() || !is_korean(chars, at) {
            return true;
        }
        self.particles.all_at(chars, at).any(|(length, ())| {
            let end = at + length;
            !is_korean(chars, end) || self.particles.all_at(chars, end).any(|(more, ())| !is_korean(chars, end + more))
        })
    }

    /// Whether an expression that counts from `start` may end at `end`: its last word is no part of a longer counter
    /// (시 of 시간), and nothing follows it but a particle.
    pub(in crate::locale) fn may_end_counted(&self, chars: &[char], start: usize, end: usize) -> bool {
        let start = start + usize::from(chars.get(start) == Some(&' '));
        let longer = self.counters.at(chars, start).is_some_and(|(length, ())| start + length > end);
        !longer && self.may_end(chars, end)
    }

    /// Whether the letters are a part of a word that is no numeral. What ends after that word is one all the same
    /// (十分钟), unless the word began before (星期三).
    pub(super) fn is_never(&self, chars: &[char], at: usize, end: usize) -> bool {
        (at.saturating_sub(16)..=at).any(|start| {
            self.never.all_at(chars, start).any(|(length, ())| {
                let stop = start + length;
                stop > at && (start < at || end <= stop)
            })
        })
    }

    /// Whether the counter is the hour of a clock: half past two is not two and a half.
    pub(super) fn is_clock(&self, chars: &[char], end: usize) -> bool {
        let start = end + usize::from(chars.get(end) == Some(&' '));
        let (clock, ()) = self.clock.at(chars, start).map_or((0, &()), |found| found);
        let (counter, ()) = self.counters.at(chars, start).map_or((0, &()), |found| found);
        clock > 0 && clock >= counter
    }
}

fn is_korean(chars: &[char], at: usize) -> bool {
    chars.get(at).is_some_and(|char| Script::of(*char) == Some(Script::Hangul))
}

#[cfg(test)]
mod tests {
    use crate::locale::language::tests::language;
    use crate::locale::numbers_in;

    /// Each text with how many numbers stand in it.
    #[track_caller]
    fn check(code: &str, cases: &[(&str, usize)]) {
        for (text, count) in cases {
            assert_eq!(numbers_in(text, language(code)).len(), *count, "{text}");
        }
    }

    #[test]
    fn a_short_korean_numeral_needs_a_counter() {
        check(
            "ko",
            &[
                ("두 명", 1),
                ("두명이서", 1),
                ("두 번째로", 1),
                ("두 번호", 0),
                ("한 장소", 0),
                ("한 달러", 1),
                ("한국", 0),
            ],
        );
        check("ko", &[("삼 분", 1), ("삼 사람", 0), ("만 원", 1), ("만화", 0), ("십 분만", 1), ("십자가", 0)]);
    }

    #[test]
    fn a_long_korean_numeral_stands_with_a_particle_or_alone() {
        check(
            "ko",
            &[("삼십으로", 1), ("삼십오", 1), ("스물다섯", 1), ("다섯이나", 1), ("다섯글자", 0), ("이백오십까지만", 1)],
        );
    }

    #[test]
    fn words_that_begin_as_a_numeral_does_are_none() {
        check(
            "ko",
            &[("만일", 0), ("천사", 0), ("이천", 0), ("이천 원", 1), ("공원", 0), ("사과 두 개", 1), ("몇 백 명", 0)],
        );
        check(
            "zh",
            &[
                ("十分", 0),
                ("十分钟", 1),
                ("一点", 0),
                ("一点钟", 1),
                ("百度", 0),
                ("三百度", 1),
                ("周三", 0),
                ("三周", 1),
            ],
        );
        check("en", &[("no one", 0), ("one", 1), ("half past", 0), ("half", 1), ("a one-way trip", 0)]);
    }

    #[test]
    fn two_digits_in_a_row_are_a_guess_and_no_number() {
        check("zh", &[("三四个", 0), ("三四百块", 0), ("二〇二五", 1), ("一二三四", 1)]);
        check("ko", &[("한두 개", 0), ("삼사 명", 0)]);
    }

    #[test]
    fn an_expression_ends_where_its_counter_does() {
        let korean = &language("ko").numerals;
        let ends = |text: &str, start, end| korean.may_end_counted(&text.chars().collect::<Vec<_>>(), start, end);
        assert!(ends("두 시에", 2, 3) && ends("두 시", 2, 3) && ends("두 시 반", 2, 3));
        assert!(!ends("두 시간", 2, 3) && !ends("3일정", 1, 2));
    }
}
