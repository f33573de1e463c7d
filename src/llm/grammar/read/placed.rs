//! Phrases that their place tells: of the wanted sort, beside the parameter's own words, behind its cues.

use super::noun::{is_noun, parted};
use super::phrase::{Guess, PHRASE, Search};
use super::words::ends_with;

impl Search<'_> {
    /// Things of the sort that the parameter wants: `a pumpkin curry` for a dish.
    pub(super) fn sorted(&self) -> Vec<Guess> {
        let runs = self.runs.iter().filter_map(|run| {
            let last = (run.first..run.end).rev().find(|at| self.is_wanted(run.first, *at))?;
            let first = (run.first.max((last + 1).saturating_sub(PHRASE))..last).rev();
            let first = first.take_while(|at| !self.is_known(*at)).last().unwrap_or(last);
            Some(Guess { span: self.trimmed(first, last), base: 2.0, told: 1.0 })
        });
        runs.collect()
    }

    /// Whether a word of a run, or it with the one before, is a thing of the wanted sort.
    fn is_wanted(&self, first: usize, at: usize) -> bool {
        let words = self.text.words();
        let pair = (at > first).then(|| format!("{} {}", words[at - 1].lower, words[at].lower));
        let sort = pair.and_then(|pair| self.reading.sort(&pair)).or_else(|| self.reading.sort(&words[at].lower));
        sort.is_some_and(|sort| self.hints.sorts.iter().any(|wanted| wanted == sort))
    }

    /// The words before one of the parameter's own: `the living room`; without it where the whole tool is about it.
    pub(super) fn beside_units(&self) -> Vec<Guess> {
        let runs = self.runs.iter().filter(|run| run.is_thing()).filter_map(|run| {
            let unit = (run.first + 1..run.end).rev().find(|at| self.is_unit(*at))?;
            let first = run.first.max((unit + 1).saturating_sub(PHRASE));
            Some(Guess { span: self.trimmed(first, unit), base: 2.0, told: 0.75 })
        });
        runs.collect()
    }

    fn is_unit(&self, index: usize) -> bool {
        let stem = self.reading.stem(&self.text.words()[index].lower);
        self.hints.units.iter().any(|unit| unit == stem)
    }

    /// What follows a cue, up to the next one or the end of the clause.
    pub(super) fn behind_cues(&self) -> Vec<Guess> {
        let indices = 0..self.text.words().len();
        indices.filter_map(|index| if self.hints.long { self.message(index) } else { self.thing(index) }).collect()
    }

    /// A message that begins with this word: it goes on to the end of its clause.
    fn message(&self, index: usize) -> Option<Guess> {
        if !self.is_announced(self.text.words()[index].span.start) && !self.is_told(index) {
            return None;
        }
        let rest = index + 1..self.text.words().len();
        let last = rest.take_while(|next| !parted(self.text, *next)).last().unwrap_or(index);
        Some(Guess { span: self.span(index, last), base: 2.0, told: 0.25 })
    }

    /// A thing that begins with this word, a determiner before it left out.
    fn thing(&self, index: usize) -> Option<Guess> {
        let words = self.text.words();
        let before = index.checked_sub(1).map(|before| &words[before]);
        let determiner = before.filter(|word| self.reading.determiners.contains(&word.lower));
        let mut places = determiner.into_iter().chain([&words[index]]);
        let announced = places.any(|word| self.is_announced(word.span.start));
        if !announced || !is_noun(self.text, index, index > 0, self.reading) {
            return None;
        }
        let goes_on = |next: &usize| {
            let named = determiner.is_some();
            next - index < PHRASE && !parted(self.text, *next) && is_noun(self.text, *next, named, self.reading)
        };
        let last = (index + 1..words.len()).take_while(goes_on).last().unwrap_or(index);
        Some(Guess { span: self.trimmed(index, last), base: 2.0, told: 0.25 })
    }

    /// Whether a cue stands right before a place, and takes nothing back.
    fn is_announced(&self, start: usize) -> bool {
        let before = self.text.before(start);
        let before = before.trim_end_matches(|letter: char| letter.is_whitespace() || letter == ':');
        let taken_back = self.text.takes_back(before.chars().count().saturating_sub(1));
        !taken_back && self.hints.cues.iter().any(|cue| ends_with(before, cue))
    }

    /// Whether somebody is told what follows, of whom the parameter speaks: `tell the driver`.
    fn is_told(&self, index: usize) -> bool {
        let words = self.text.words();
        let Some(listener) = index.checked_sub(1).filter(|_| !parted(self.text, index)) else { return false };
        let mut before = words[listener.saturating_sub(2)..listener].iter();
        self.is_unit(listener) && before.any(|word| self.reading.telling.contains(&word.lower))
    }
}

#[cfg(test)]
mod tests {
    use super::super::phrase::{Hints, phrases};
    use super::super::text::Text;
    use crate::locale::Reading;

    fn messages(query: &str, cues: &[&str], units: &[&str]) -> Vec<String> {
        let reading = Reading::load(crate::fixtures::assets(), "en").unwrap();
        let text = Text::of(query, true, &crate::fixtures::language("en"));
        let units: Vec<String> = units.iter().map(|word| reading.stem(word).to_owned()).collect();
        let hints = Hints {
            cues: cues.to_vec(),
            units: &units,
            about: &[],
            known: &[],
            topics: &[],
            sorts: &[],
            long: true,
            open: false,
            counted: false,
        };
        phrases(&text, &hints, &reading).into_iter().map(|guess| text.said(guess.span)).collect()
    }

    #[test]
    fn a_message_goes_on_to_the_end_of_its_clause() {
        assert_eq!(messages("a note that says the gate is open, please", &["says"], &[]), ["the gate is open"]);
        assert_eq!(messages("and tell the driver the bell is broken", &[], &["driver"]), ["the bell is broken"]);
    }

    #[test]
    fn a_cue_within_a_correction_announces_nothing() {
        assert!(messages("two, no, make that three", &["that"], &[]).is_empty());
    }
}
