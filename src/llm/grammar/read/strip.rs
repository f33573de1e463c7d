//! Answers without the words that are no part of the value: `let's go with the blue one, please`.

use super::reader::Reader;
use super::slot::Slot;
use super::text::Text;
use crate::locale::Reading;

/// The value that is left of an answer to a question for this slot.
pub(super) fn stripped(reader: Reader<'_>, slot: &Slot, answer: &str) -> String {
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
    let bare = if slot.long || !reader.spaced() { rest.to_owned() } else { without_empty(reader, slot, rest) };
    if bare.chars().any(char::is_alphanumeric) { bare } else { trimmed(answer).to_owned() }
}

/// Whether a stretch holds nothing but words before or behind an answer: `let me see`, `okay, I'd say`.
pub(super) fn is_idle(reading: &Reading, text: &str) -> bool {
    let mut rest = trimmed(text).to_lowercase();
    while !rest.is_empty() {
        let words = reading.leads.iter().chain(&reading.tails);
        let whole = |words: &&String| {
            let after = rest.strip_prefix(words.as_str())?;
            (!after.starts_with(|letter: char| letter.is_alphanumeric() || letter == '\''))
                .then(|| trimmed(after).to_owned())
        };
        let Some(shorter) = words.filter_map(|words| whole(&words)).min_by_key(String::len) else { return false };
        rest = shorter;
    }
    true
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
    let found = leads.into_iter().filter(|lead| lower.starts_with(lead) && lower.len() > lead.len());
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

/// Without empty words and the slot's own words before the value; a determiner right before it stays.
fn without_empty(reader: Reader<'_>, slot: &Slot, text: &str) -> String {
    let reading = &reader.pack.reading;
    let read = Text::new(text, true);
    let words = read.words();
    let own = |word: &str| slot.units.iter().any(|unit| unit == reading.stem(word));
    let capital = |at: usize| at > 0 && read.letters()[words[at].span.start].is_uppercase() && words[at].span.len() > 1;
    let idle = |at: usize| {
        let word = &words[at].lower;
        !capital(at) && (reading.is_empty_word(word) || own(word) || reading.announces(word))
    };
    let Some(first) = (0..words.len()).find(|at| !idle(*at)) else { return text.to_owned() };
    let last =
        (first..words.len()).rev().find(|at| *at == first || !reading.is_empty_word(&words[*at].lower) || capital(*at));
    let determined = first.checked_sub(1).filter(|before| reading.determiners.contains(&words[*before].lower));
    let start = words[determined.unwrap_or(first)].span.start;
    let end = last.map_or(read.lower().len(), |last| words[last].span.end);
    let end = if last.is_some_and(|last| last + 1 == words.len()) { read.lower().len() } else { end };
    read.said(super::text::Span { start, end })
}

#[cfg(test)]
mod tests {
    use super::super::reader::tests::Desk;
    use super::*;

    fn left(tool: &str, slot: usize, answer: &str) -> String {
        let desk = Desk::new("mobile", "en");
        stripped(desk.reader(), &desk.tool(tool).slots[slot], answer)
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
    fn an_answer_of_nothing_else_stays() {
        assert_eq!(left("Navigation.MapNavigation.planRoute", 0, "please"), "please");
    }
}
