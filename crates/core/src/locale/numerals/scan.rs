//! Finds numerals in a folded text.

use super::Numeral;
use super::decimal::Decimal;
use super::digits::{group_end, read_group};
use super::lexicon::Numerals;
use crate::locale::meaning::surface::is_free_left;

impl Numerals {
    /// All numerals of a text. With `clock`, the digits of a time (`3:15`) are numbers too.
    pub(in crate::locale) fn scan(&self, chars: &[char], clock: bool) -> Vec<Numeral> {
        let mut found: Vec<Numeral> = Vec::new();
        let mut at = 0;
        while at < chars.len() {
            at = if chars[at].is_ascii_digit() {
                self.scan_digits(chars, at, clock, &mut found)
            } else {
                self.scan_words(chars, at, &mut found)
            };
        }
        found
    }

    /// The numeral that begins at a place, whether or not it would stand on its own: a slot of a pattern asks so. After
    /// it comes the same without its last digit, where that may be a counter.
    pub(in crate::locale) fn values_at(&self, chars: &[char], at: usize) -> [Option<(usize, Decimal)>; 2] {
        let starts_word =
            !self.words.spaced || is_free_left(chars, at) || chars.get(at).is_some_and(char::is_ascii_digit);
        match starts_word.then(|| self.run_at(chars, at, false)).flatten() {
            None => [None, None],
            Some(run) if run.tally.literal => [Some((self.skip_suffix(chars, run.end), run.value)), None],
            Some(run) => [Some((run.end, run.value)), run.shorter.filter(|_| !self.words.spaced)],
        }
    }

    /// Takes a group of digits and the signs that join them; gives the place after it.
    fn scan_digits(&self, chars: &[char], at: usize, clock: bool, found: &mut Vec<Numeral>) -> usize {
        let end = group_end(chars, at);
        if !is_free_left(chars, at) {
            return end; // A name, such as A15.
        }
        let group: String = chars[at..end].iter().collect();
        let Some(values) = read_group(&group, clock) else { return end };
        for (offset, length, value) in &values {
            let start = at + offset;
            found.push(Numeral { range: start..start + length, value: *value, ordinal: false });
        }
        if values.len() != 1 {
            return end;
        }
        let Some(last) = found.last_mut() else { return end };
        // One number: a scale, a suffix or a half may follow, and a sign precede.
        if let Some(run) = self.run_at(chars, at, true) {
            (last.range.end, last.value) = (run.end.max(end), if run.end > end { run.value } else { last.value });
            last.ordinal = self.skip_suffix(chars, run.end) > run.end;
        }
        let counter = self.counter_end(chars, last.range.end, &self.counters).unwrap_or(last.range.end);
        self.add_half(chars, counter, last);
        self.add_sign(chars, last);
        last.range.end
    }

    fn scan_words(&self, chars: &[char], at: usize, found: &mut Vec<Numeral>) -> usize {
        if self.parts.at(chars, at).is_none() && self.fractions.at(chars, at).is_none() {
            return at + 1;
        }
        if !may_begin(chars, at) {
            return at + 1;
        }
        if let Some((end, value)) = self.fraction_at(chars, at) {
            found.push(Numeral { range: at..end, value, ordinal: false });
            return end;
        }
        let Some(run) = self.run_at(chars, at, true) else { return at + 1 };
        let after_number = found.last().is_some_and(|last| last.range.end + 1 >= at);
        let unit_word = run.tally.ordinal && after_number && self.counters.at(chars, at).is_some();
        let Some(span) =
            self.standing_end(chars, at, &run).filter(|span| !unit_word && !self.is_never(chars, at, *span))
        else {
            // 三四百 is "three or four hundred": its scale is no number either.
            return run.end + self.scale_at(chars, run.end).filter(|_| run.tally.chain == 2).unwrap_or(0);
        };
        let mut numeral = Numeral { range: at..run.end, value: run.value, ordinal: run.tally.ordinal };
        self.add_half(chars, span, &mut numeral);
        self.add_sign(chars, &mut numeral);
        let end = numeral.range.end;
        found.push(numeral);
        end
    }
}

/// Whether a numeral word may begin here: not inside a word, and not right after digits, whose counter it is.
fn may_begin(chars: &[char], at: usize) -> bool {
    is_free_left(chars, at) && !at.checked_sub(1).is_some_and(|before| chars[before].is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use crate::locale::language::tests::language;

    /// Each text with the surfaces of its numerals.
    const SURFACES: [(&str, &str, &[&str]); 12] = [
        ("en", "set it to -5 or minus 3, not A15", &["-5", "minus 3"]),
        ("en", "two and a half miles, the twenty-first", &["two and a half", "twenty-first"]),
        ("en", "3.5 million in 1,200 days", &["3.5 million", "1,200"]),
        ("en", "between 9:30 and 10", &["10"]),
        ("ko", "두 시간 반 뒤에 3만 5천 원", &["두 시간 반", "3만 5천"]),
        ("ko", "5일 동안 영하 십도", &["5", "영하 십"]),
        ("ko", "열두 명, 하나만", &["열두", "하나"]),
        ("ko", "이십오 분 후에 이번 주", &["이십오"]),
        ("zh", "两个半小时后转三万五千块", &["两个半", "三万五千"]),
        ("zh", "第二首，零下五度", &["二", "零下五"]),
        ("zh", "五点到七点之间等一下", &["五", "七"]),
        ("zh", "三点五公里，三点五十出发", &["三点五", "三", "五十"]),
    ];

    #[test]
    fn a_numeral_spans_its_parts_and_not_its_counter() {
        for (code, text, expected) in SURFACES {
            let chars: Vec<char> = text.chars().collect();
            let found = language(code).numerals.scan(&chars, false);
            let surfaces: Vec<String> =
                found.iter().map(|numeral| chars[numeral.range.clone()].iter().collect()).collect();
            assert_eq!(surfaces, expected, "{text}");
        }
    }

    #[test]
    fn a_clock_gives_its_digits_where_a_time_is_wanted() {
        let chars: Vec<char> = "at 9:30".chars().collect();
        let numerals = &language("en").numerals;
        assert_eq!((numerals.scan(&chars, false).len(), numerals.scan(&chars, true).len()), (0, 2));
    }

    #[test]
    fn a_slot_reads_what_would_not_stand_alone() {
        let chars: Vec<char> = "일일 이".chars().collect();
        let values = language("ko")
            .numerals
            .values_at(&chars, 0)
            .map(|value| value.and_then(|(end, value)| Some((end, value.whole()?))));
        assert_eq!(values, [Some((2, 11)), Some((1, 1))]);
    }
}
