//! Answers without the words that are no part of the value: `let's go with the blue one, please`.

use crate::locale::{Meaning, Reading};
use crate::read::reader::Reader;
use crate::read::slot::Slot;
use crate::read::text::{Span, Text};

/// The value that is left of an answer to a question for this slot; `None` where nothing is.
pub(crate) fn stripped(reader: Reader<'_>, slot: &Slot, answer: &str) -> Option<String> {
    let reading = &reader.pack.reading;
    let mut rest = trimmed(answer);
    loop {
        let shorter = without_lead(reading, slot, rest, reader.spaced());
        let shorter = trimmed(without_tail(reading, shorter));
        if shorter == rest {
            break;
        }
        rest = shorter;
    }
    let left = if slot.long || !reader.spaced() { rest.to_owned() } else { without_empty(reader, slot, rest)? };
    left.chars().any(char::is_alphanumeric).then_some(left)
}

/// Whether a text is nothing but words around an answer: `oh, let me think`.
pub(crate) fn is_idle(reader: Reader<'_>, text: &str) -> bool {
    let reading = &reader.pack.reading;
    let said = Text::new(text, true);
    let idle: Vec<&str> =
        reading.leads.iter().chain(&reading.tails).flat_map(|words| words.split_whitespace()).collect();
    said.words().iter().all(|word| reading.is_empty_word(&word.lower) || idle.contains(&word.lower.as_str()))
}

/// Without marks and spaces at its ends.
fn trimmed(text: &str) -> &str {
    let marks = |letter: char| letter.is_whitespace() || ".,;:!?…\"“”。，；：！？、".contains(letter);
    text.trim_matches(marks)
}

/// Without the words before an answer, and without a cue of the slot.
fn without_lead<'t>(reading: &Reading, slot: &Slot, text: &'t str, spaced: bool) -> &'t str {
    let cues = slot.hints().cues;
    let mut leads: Vec<&str> = reading.leads.iter().map(String::as_str).chain(cues).collect();
    leads.sort_by_key(|lead| std::cmp::Reverse(lead.len()));
    let lower = text.to_lowercase();
    let found = leads.into_iter().filter(|lead| lower.starts_with(lead));
    let rests = found.filter_map(|lead| text.get(lead.len()..));
    let mut whole =
        rests.filter(|rest| !spaced || !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '\''));
    whole.next().unwrap_or(text)
}

fn without_tail<'t>(reading: &Reading, text: &'t str) -> &'t str {
    let lower = text.to_lowercase();
    let mut tails: Vec<&String> = reading.tails.iter().filter(|tail| lower.ends_with(tail.as_str())).collect();
    tails.sort_by_key(|tail| std::cmp::Reverse(tail.len()));
    let rests = tails.into_iter().filter_map(|tail| text.get(..text.len().checked_sub(tail.len())?));
    let mut whole = rests.filter(|rest| !rest.is_empty() && !rest.ends_with(char::is_alphanumeric));
    whole.next().unwrap_or(text)
}

/// Without empty words and the slot's own words before the value, and without the same behind it; a determiner right
/// before it stays.
fn without_empty(reader: Reader<'_>, slot: &Slot, text: &str) -> Option<String> {
    let read = Text::new(text, true);
    let words = read.words();
    let ends = Ends { reading: &reader.pack.reading, slot, text: &read };
    let first = (0..words.len()).find(|at| !ends.leads(*at))?;
    let last = ends.without_name(first, words.len());
    let last = (first..last).rev().find(|at| *at == first || !ends.trails(*at))?;
    let determined = first.checked_sub(1).filter(|before| ends.reading.determiners.contains(&words[*before].lower));
    let start = words[determined.unwrap_or(first)].span.start;
    let end = if last + 1 == words.len() { read.lower().len() } else { words[last].span.end };
    Some(read.said(Span { start, end }))
}

/// What the words at the ends of an answer are.
struct Ends<'a> {
    reading: &'a Reading,
    slot: &'a Slot,
    text: &'a Text,
}

impl Ends<'_> {
    fn word(&self, at: usize) -> &str {
        &self.text.words()[at].lower
    }

    fn is_own(&self, at: usize) -> bool {
        self.slot.units.iter().any(|unit| unit == self.reading.stem(self.word(at)))
    }

    fn is_capital(&self, at: usize) -> bool {
        let span = self.text.words()[at].span;
        at > 0 && self.text.letters()[span.start].is_uppercase() && span.len() > 1
    }

    fn is_action(&self, at: usize) -> bool {
        self.reading.meanings(self.word(at)).iter().any(|meaning| matches!(meaning, Meaning::Action(_)))
    }

    /// Whether a word may stand before a value and be no part of it.
    fn leads(&self, at: usize) -> bool {
        let word = self.word(at);
        // "The subject set to": what is done with a name is no part of the value.
        let done = at > 0 && self.is_own(at - 1) && self.reading.is_light(word);
        let empty = self.reading.is_empty_word(word) || self.reading.announces(word);
        // "Buy a boat": what is done with a thing is no part of its name.
        let next = self.text.words().get(at + 1).is_some_and(|next| self.reading.determiners.contains(&next.lower));
        !self.is_capital(at) && (empty || done || self.is_own(at) || next && self.is_action(at))
    }

    /// Whether a word may stand behind a value and be no part of it.
    fn trails(&self, at: usize) -> bool {
        !self.is_capital(at) && (self.reading.is_empty_word(self.word(at)) || self.reading.announces(self.word(at)))
    }

    /// Where the slot's own name begins that ends an answer: `as the guest`, `for the reason`.
    fn without_name(&self, first: usize, end: usize) -> usize {
        let name = (first..end).rev().take_while(|at| self.is_own(*at)).last();
        let Some(name) = name else { return end };
        let determiner = |at: &usize| self.reading.determiners.iter().any(|it| it == self.word(*at));
        let start = name.checked_sub(1).filter(determiner).unwrap_or(name);
        match start.checked_sub(1).filter(|before| *before > first && self.reading.announces(self.word(*before))) {
            Some(before) => before,
            None => end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::reader::tests::Desk;

    fn left(tool: &str, slot: usize, answer: &str) -> String {
        let desk = Desk::new("mobile", "en");
        stripped(desk.reader(), &desk.tool(tool).slots[slot], answer).unwrap_or_default()
    }

    #[test]
    fn what_is_no_part_of_the_value_goes() {
        let route = "Navigation.MapNavigation.planRoute";
        assert_eq!(left(route, 0, "Let's say from the old harbor, please."), "the old harbor");
        assert_eq!(left(route, 1, "I think it's Quarry Point"), "Quarry Point");
        assert_eq!(left(route, 1, "The Long Pier"), "The Long Pier");
    }

    #[test]
    fn a_message_keeps_its_empty_words() {
        let message = "Communication.Messages.sendMessage";
        assert_eq!(left(message, 1, "say I'm at the gate"), "I'm at the gate");
    }

    #[test]
    fn nothing_is_left_of_words_around_an_answer() {
        assert_eq!(left("Navigation.MapNavigation.planRoute", 0, "I think, please"), "");
        let desk = Desk::new("mobile", "en");
        assert!(is_idle(desk.reader(), "Oh, let me think") && !is_idle(desk.reader(), "Oh, Porto"));
    }

    #[test]
    fn the_name_of_the_parameter_may_stand_behind_the_value() {
        let share = "Navigation.MapNavigation.shareLocation";
        assert_eq!(left(share, 0, "once more with Zed as the contact"), "Zed");
    }
}
