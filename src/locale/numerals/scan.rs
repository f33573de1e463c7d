//! Finds numerals in a folded text.

use super::decimal::Decimal;
use super::lexicon::{Numerals, Part, Scaling};
use super::tally::Tally;
use super::{Lexicon, Numeral};
use crate::locale::script::Script;
use crate::locale::surface::is_free_left;

/// A numeral's parts, read as far as they go.
pub(in crate::locale) struct Run {
    end: usize,
    /// End and value without the last digit, which may be the counter: 삼일 is 31 or three days.
    shorter: Option<(usize, Decimal)>,
    tally: Tally,
    value: Decimal,
    letters: usize,
}

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

    /// Whether an expression that counts from `start` may end at `end`: its last word is no part of a longer counter
    /// (시 of 시간), and nothing follows it but a particle.
    pub(in crate::locale) fn may_end_counted(&self, chars: &[char], start: usize, end: usize) -> bool {
        let start = start + usize::from(chars.get(start) == Some(&' '));
        let longer = self.counters.at(chars, start).is_some_and(|(length, ())| start + length > end);
        !longer && self.may_end(chars, end)
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

    /// Reads the parts from a place on; a decimal point in words too if `pointed`, for 八点一 may be a time.
    fn run_at(&self, chars: &[char], at: usize, pointed: bool) -> Option<Run> {
        let mut tally = Tally::new(self.words.scaling, self.words.gap.is_some());
        let mut end = at;
        let mut letters = 0;
        let mut shorter = None;
        loop {
            let before = tally.value().filter(|_| tally.parts > 0);
            let Some((start, next)) = self.take_next(chars, end, &mut tally) else { break };
            shorter = before.map(|value| (end, value)).filter(|_| start == end);
            letters += next - start;
            end = next;
        }
        let mut value = (tally.parts > 0).then(|| tally.value()).flatten()?;
        if let Some((next, sum)) = pointed.then(|| self.point_at(chars, end, value, &tally)).flatten() {
            (end, value) = (next, sum);
            tally.scaled = true;
        }
        Some(Run { end, shorter, tally, value, letters })
    }

    fn take_next(&self, chars: &[char], end: usize, tally: &mut Tally) -> Option<(usize, usize)> {
        if tally.parts == 0 {
            return self.take_at(chars, end, tally).map(|next| (end, next));
        }
        self.glue.iter().find_map(|glue| {
            let start = end + glue.len();
            let joined = chars.get(end..start).is_some_and(|between| between == glue.as_slice());
            // Thirty seconds are said with a word that also means a place in an order.
            let unit_word = glue == &[' '] && self.words.spaced && self.counters.at(chars, start).is_some();
            let fits = joined && !unit_word && self.may_join(glue, tally);
            // A part is taken by the copy, so that glue without a fitting part leaves nothing behind.
            let mut copy = tally.clone();
            let next = fits.then(|| self.take_at(chars, start, &mut copy)).flatten()?;
            *tally = copy;
            Some((start, next))
        })
    }

    /// Whether this glue may come after the last part: `and` and a Korean space after a scale, a hyphen after a ten.
    fn may_join(&self, glue: &[char], tally: &Tally) -> bool {
        match (self.words.scaling, glue) {
            (_, []) => true,
            (Scaling::Digit, _) => tally.ends_in_scale(),
            (Scaling::Whole, [' ']) => true,
            (Scaling::Whole, ['-']) => tally.ends_in_ten(),
            (Scaling::Whole, _) => tally.ends_in_scale(),
        }
    }

    fn take_at(&self, chars: &[char], at: usize, tally: &mut Tally) -> Option<usize> {
        if chars.get(at)?.is_ascii_digit() {
            let end = number_end(chars, at);
            let text: String = chars[at..end].iter().filter(|char| **char != ',').collect();
            return tally.take_literal(Decimal::read(&text)?).map(|()| end);
        }
        self.parts.all_at(chars, at).find_map(|(length, part)| {
            let end = at + length;
            let whole_word = !self.words.spaced || !chars.get(end).is_some_and(|next| next.is_alphanumeric());
            (whole_word && tally.take(*part).is_some()).then_some(end)
        })
    }

    /// A decimal fraction in words: `three point one four`.
    fn point_at(&self, chars: &[char], end: usize, value: Decimal, tally: &Tally) -> Option<(usize, Decimal)> {
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

    fn scale_at(&self, chars: &[char], at: usize) -> Option<usize> {
        let (length, part) = self.parts.at(chars, at)?;
        matches!(part, Part::Scale(_)).then_some(length)
    }

    fn digit_at(&self, chars: &[char], at: usize) -> Option<(usize, i128)> {
        self.parts.all_at(chars, at).find_map(|(length, part)| match part {
            Part::Unit(value) if *value < 10 => Some((length, *value)),
            _ => None,
        })
    }

    fn fraction_at(&self, chars: &[char], at: usize) -> Option<(usize, Decimal)> {
        let (length, value) = self.fractions.at(chars, at)?;
        let end = at + length;
        let stands = if self.words.spaced {
            !chars.get(end).is_some_and(|next| next.is_alphanumeric())
        } else {
            self.counter_end(chars, end, &self.counters).is_some()
        };
        (stands && !self.is_never(chars, at, end)).then_some((end, *value))
    }

    /// Where a numeral with its counter ends, if it stands on its own; letters that only look like one do not.
    fn standing_end(&self, chars: &[char], at: usize, run: &Run) -> Option<usize> {
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

    fn counter_end(&self, chars: &[char], end: usize, counters: &Lexicon<()>) -> Option<usize> {
        let space = usize::from(!self.particles.is_empty() && chars.get(end) == Some(&' '));
        let start = end + space;
        counters.all_at(chars, start).map(|(length, ())| start + length).find(|end| self.may_end(chars, *end))
    }

    /// Whether a word may end here: in Korean nothing follows, or a particle.
    fn may_end(&self, chars: &[char], at: usize) -> bool {
        if self.particles.is_empty() || !is_korean(chars, at) {
            return true;
        }
        self.particles.all_at(chars, at).any(|(length, ())| {
            let end = at + length;
            !is_korean(chars, end) || self.particles.all_at(chars, end).any(|(more, ())| !is_korean(chars, end + more))
        })
    }

    /// Whether the letters are a part of a word that is no numeral. What ends after that word is one all the same
    /// (十分钟), unless the word began before (星期三).
    fn is_never(&self, chars: &[char], at: usize, end: usize) -> bool {
        (at.saturating_sub(16)..=at).any(|start| {
            self.never.all_at(chars, start).any(|(length, ())| {
                let stop = start + length;
                stop > at && (start < at || end <= stop)
            })
        })
    }

    /// `two and a half`, `두 시간 반`, `两个半`.
    fn add_half(&self, chars: &[char], span: usize, numeral: &mut Numeral) {
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

    /// Whether the counter is the hour of a clock: half past two is not two and a half.
    fn is_clock(&self, chars: &[char], end: usize) -> bool {
        let start = end + usize::from(chars.get(end) == Some(&' '));
        let (clock, ()) = self.clock.at(chars, start).map_or((0, &()), |found| found);
        let (counter, ()) = self.counters.at(chars, start).map_or((0, &()), |found| found);
        clock > 0 && clock >= counter
    }

    fn add_sign(&self, chars: &[char], numeral: &mut Numeral) {
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

/// Whether a numeral word may begin here: not inside a word, where words are parted.
fn may_begin(chars: &[char], at: usize) -> bool {
    is_free_left(chars, at) || at.checked_sub(1).is_some_and(|before| chars[before].is_ascii_digit())
}

fn is_korean(chars: &[char], at: usize) -> bool {
    chars.get(at).is_some_and(|char| Script::of(*char) == Some(Script::Hangul))
}

/// The end of digits joined by `,` `.` `:` `/` `-` that stand between digits.
fn group_end(chars: &[char], at: usize) -> usize {
    let mut end = at;
    while end < chars.len() {
        let joins =
            matches!(chars[end], ',' | '.' | ':' | '/' | '-') && chars.get(end + 1).is_some_and(char::is_ascii_digit);
        if !chars[end].is_ascii_digit() && !joins {
            break;
        }
        end += 1;
    }
    end
}

/// The end of one number: digits in groups of three, and a fraction.
fn number_end(chars: &[char], at: usize) -> usize {
    let digits = |from: usize| chars[from.min(chars.len())..].iter().take_while(|char| char.is_ascii_digit()).count();
    let mut end = at + digits(at);
    while chars.get(end) == Some(&',') && digits(end + 1) == 3 && end - at <= 3 + 4 * (end - at) / 4 {
        end += 4;
    }
    if chars.get(end) == Some(&'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    end
}

/// The numbers of a group: where each begins, how long it is, and its value. None if the group is something else.
fn read_group(group: &str, clock: bool) -> Option<Vec<(usize, usize, Decimal)>> {
    let joined = |sign: char| group.matches(sign).count();
    if joined('/') > 0 || joined(':') > 0 && !clock || joined('-') > 1 || joined('.') > 1 && joined('-') == 0 {
        return None;
    }
    let mut values = Vec::new();
    let mut offset = 0;
    for part in group.split(['-', ':']) {
        let grouped = is_grouped(part);
        for piece in part.split(|char| char == ',' && !grouped) {
            let digits: String = piece.chars().filter(|char| *char != ',').collect();
            values.push((offset, piece.len(), Decimal::read(&digits)?));
            offset += piece.len() + 1;
        }
    }
    // 3-5 is a range; 555-0123 is a telephone number.
    let is_range = || matches!(values.as_slice(), [(.., low), (start, _, high)] if low.is_less(*high) && group.get(*start..).is_some_and(|rest| !rest.starts_with('0')));
    (joined('-') == 0 || is_range()).then_some(values)
}

/// Whether the commas part thousands.
fn is_grouped(text: &str) -> bool {
    let whole = text.split('.').next().unwrap_or(text);
    let mut groups = whole.split(',');
    groups.next().is_some_and(|first| (1..=3).contains(&first.len())) && groups.all(|group| group.len() == 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_digits_are_told_apart() {
        let read = |group: &str, clock: bool| {
            read_group(group, clock)
                .map(|values| values.iter().map(|value| value.2.number().to_string()).collect::<Vec<_>>())
        };
        assert_eq!(read("1,200.5", false).unwrap(), ["1200.5"]);
        assert_eq!(read("12,34", false).unwrap(), ["12", "34"]);
        assert_eq!(read("3-5", false).unwrap(), ["3", "5"]);
        assert_eq!(read("3:15", false), None);
        assert_eq!(read("3:15", true).unwrap(), ["3", "15"]);
        assert_eq!(read("2025-03-04", false), None);
        assert_eq!(read("1.2.3", false), None);
    }

    #[test]
    fn a_group_ends_where_no_digit_follows_its_sign() {
        let chars: Vec<char> = "1,200, 5".chars().collect();
        assert_eq!(group_end(&chars, 0), 5);
        assert_eq!(number_end(&chars, 0), 5);
        let list: Vec<char> = "1,2".chars().collect();
        assert_eq!((group_end(&list, 0), number_end(&list, 0)), (3, 1));
    }
}
