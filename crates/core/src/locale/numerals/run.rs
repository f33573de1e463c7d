//! Reads the parts of one numeral from a place on, as far as they go.

use super::decimal::Decimal;
use super::digits::number_end;
use super::lexicon::Numerals;
use super::table::Scaling;
use super::tally::Tally;

/// A numeral's parts, read as far as they go.
pub(in crate::locale) struct Run {
    pub(super) end: usize,
    /// End and value without the last digit, which may be the counter: 삼일 is 31 or three days.
    pub(super) shorter: Option<(usize, Decimal)>,
    pub(super) tally: Tally,
    pub(super) value: Decimal,
    pub(super) letters: usize,
}

impl Numerals {
    /// Reads the parts from a place on; a decimal point in words too if `pointed`, for 八点一 may be a time.
    pub(super) fn run_at(&self, chars: &[char], at: usize, pointed: bool) -> Option<Run> {
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
}

#[cfg(test)]
mod tests {
    use crate::locale::language::tests::language;

    /// The text and value of the run that begins a text, and how much of it a shorter reading takes.
    fn run(code: &str, text: &str) -> Option<(String, String, Option<usize>)> {
        let chars: Vec<char> = text.chars().collect();
        let run = language(code).numerals.run_at(&chars, 0, true)?;
        let surface = chars[..run.end].iter().collect();
        Some((surface, run.value.number().to_string(), run.shorter.map(|(end, _)| end)))
    }

    #[track_caller]
    fn check(code: &str, text: &str, surface: &str, value: &str) {
        let found = run(code, text).map(|(surface, value, _)| (surface, value));
        assert_eq!(found, Some((surface.to_owned(), value.to_owned())));
    }

    #[test]
    fn a_run_ends_where_no_part_fits() {
        check("en", "twenty-five past", "twenty-five", "25");
        check("en", "two hundred and one and two", "two hundred and one", "201");
        check("en", "twenty fifteen", "twenty", "20");
        check("en", "ten to", "ten", "10");
        check("en", "thirty second timer", "thirty", "30");
        check("ko", "3만 5천 원", "3만 5천", "35000");
        check("ko", "삼만 명", "삼만", "30000");
        check("ko", "세 네 개", "세", "3");
        check("zh", "一万二的", "一万二", "12000");
        check("zh", "二〇二五年", "二〇二五", "2025");
    }

    #[test]
    fn a_text_that_begins_otherwise_has_no_run() {
        assert_eq!(run("en", "and two"), None);
        assert_eq!(run("en", "often"), None);
        assert_eq!(run("zh", ""), None);
    }

    #[test]
    fn the_last_digit_may_be_left_to_a_counter() {
        assert_eq!(run("ko", "삼일").unwrap().2, Some(1));
        assert_eq!(run("ko", "이십일").unwrap().2, Some(2));
        assert_eq!(run("ko", "삼").unwrap().2, None);
    }
}
